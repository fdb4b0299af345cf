//! A set that is filled once and thrown away: what was seen already, in as few steps as can be.

use std::collections::BTreeSet;
use std::hint::select_unpredictable;

/// So many places, from its own on, are open to a key; one that finds them taken goes to the overflow.
const REACH: usize = 16;
/// 2^64 divided by the golden ratio: spreads neighbouring keys over the high bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Keys of one kind, none of them the default of that kind.
///
/// Nothing is ever removed, so a key is within reach of its own place or, where all was taken when it
/// came, in the overflow: keys made to collide cost a logarithm each and not a walk along all others.
pub(crate) struct Distinct<K> {
    slots: Vec<K>,
    shift: u32,
    overflow: BTreeSet<K>,
}

impl<K: Copy + Default + Ord> Distinct<K> {
    /// An empty set, quickest with half as many keys as `places`.
    pub(crate) fn with_places(places: usize) -> Self {
        let places = places.max(2).next_power_of_two();
        Self {
            slots: vec![K::default(); places + REACH],
            shift: u64::BITS - places.trailing_zeros(),
            overflow: BTreeSet::new(),
        }
    }

    /// Adds `key`, whose equals have the same `hash`; whether it was new.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u64, key: K) -> bool {
        let home = self.home(hash);
        let Some(slot) = self.slots.get_mut(home) else { return self.insert_after(home, key) };
        // Only a collision is worth a branch: whether a key is new cannot be foreseen.
        let is_new = *slot == K::default();
        let holds = select_unpredictable(is_new, key, *slot);
        *slot = holds;
        if holds == key { is_new } else { self.insert_after(home, key) }
    }

    /// The same for keys that are dear to compare.
    #[inline]
    pub(crate) fn insert_dear(&mut self, hash: u64, key: K) -> bool {
        self.insert_after(self.home(hash), key)
    }

    fn home(&self, hash: u64) -> usize {
        usize::try_from(hash.wrapping_mul(SPREAD) >> self.shift).unwrap_or(0)
    }

    fn insert_after(&mut self, home: usize, key: K) -> bool {
        for slot in self.slots.iter_mut().skip(home).take(REACH) {
            if *slot == K::default() {
                *slot = key;
                return true;
            }
            if *slot == key {
                return false;
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
        let mut seen = Distinct::with_places(4);
        assert!((1..100_u64).all(|key| seen.insert(7, key)));
        assert!((1..100).all(|key| !seen.insert(7, key)));
    }
}
