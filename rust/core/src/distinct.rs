//! A set that is filled once and thrown away: what was seen already, in as few steps as can be.

use std::collections::BTreeSet;

/// So many places after its own a key may take; one that finds none goes to the overflow.
const REACH: usize = 16;
/// 2^64 divided by the golden ratio: spreads neighbouring keys over the high bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Keys of one kind, without the one that is the default.
///
/// Nothing is ever removed, so a key is either within reach of its own place or, where that was full
/// when it came, in the overflow: texts made to collide cost a logarithm and not their square.
pub(crate) struct Distinct<K> {
    slots: Vec<K>,
    shift: u32,
    overflow: BTreeSet<K>,
}

impl<K: Copy + Default + Ord> Distinct<K> {
    /// An empty set with room for `most` keys.
    pub(crate) fn with_room(most: usize) -> Self {
        let places = most.saturating_mul(2).next_power_of_two().max(2);
        Self {
            slots: vec![K::default(); places + REACH],
            shift: u64::BITS - places.trailing_zeros(),
            overflow: BTreeSet::new(),
        }
    }

    /// Adds `key`, whose equals all have the hash `hash`; whether it was new.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u64, key: K) -> bool {
        let home = usize::try_from(hash.wrapping_mul(SPREAD) >> self.shift).unwrap_or(0);
        for slot in self.slots.iter_mut().skip(home).take(REACH) {
            if *slot == key {
                return false;
            }
            if *slot == K::default() {
                *slot = key;
                return true;
            }
        }
        self.overflow.insert(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_all_collide_are_told_apart() {
        let mut seen = Distinct::with_room(4);
        for key in 1..100_u64 {
            assert!(seen.insert(7, key));
        }
        assert!((1..100).all(|key| !seen.insert(7, key)));
    }
}
