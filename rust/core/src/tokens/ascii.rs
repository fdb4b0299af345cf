//! ASCII text, 64 bytes at a time: which of them belong to words, and the trigram at each.

use pulp::{Arch, WithSimd};

use super::{CHARACTER_BITS, TRIGRAM};

pub(crate) const BLOCK: usize = 64;
/// So many trigrams can be read from each place of a block.
pub(crate) const AHEAD: usize = 8;

/// What a scanner wants to know of `BLOCK` bytes.
pub(crate) struct Block {
    /// A bit for each byte, the first lowest: whether it is a small letter, a digit or `_`.
    pub(crate) bits: u64,
    /// The key of each byte with the two after it, whether they belong to a word or not.
    pub(crate) trigrams: [u64; BLOCK + AHEAD],
    bytes: [u8; BLOCK + 2],
}

impl Block {
    pub(crate) fn new() -> Self {
        Self { bits: 0, trigrams: [0; BLOCK + AHEAD], bytes: [0; BLOCK + 2] }
    }

    /// Reads the block that `text` starts with.
    pub(crate) fn read(&mut self, text: &[u8], arch: Arch) {
        let length = text.len().min(self.bytes.len());
        self.bytes[..length].copy_from_slice(&text[..length]);
        self.bytes[length..].fill(0);
        arch.dispatch(Reading(self));
    }

    /// Compiled with the instructions of newer processors, and once without.
    #[expect(clippy::inline_always, reason = "what is not inlined is compiled for any processor")]
    #[inline(always)]
    fn look(&mut self) {
        let (lanes, _) = self.bytes.as_chunks();
        self.bits = 0;
        for lane in lanes.iter().rev() {
            self.bits = self.bits << 8 | lane_bits(u64::from_le_bytes(*lane));
        }
        for (at, trigram) in self.trigrams.iter_mut().take(BLOCK).enumerate() {
            let [first, second, third] = [0, 1, 2].map(|next| u64::from(self.bytes[at + next]));
            *trigram = TRIGRAM | first << (2 * CHARACTER_BITS) | second << CHARACTER_BITS | third;
        }
    }
}

struct Reading<'b>(&'b mut Block);

impl WithSimd for Reading<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "what is not inlined is compiled for any processor")]
    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.0.look();
    }
}

/// The bits of eight bytes, all of them ASCII: the sums stay in their bytes.
#[inline]
fn lane_bits(lane: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let from = |first: u8| lane + ONES * u64::from(0x80 - first);
    let within = |first: u8, last: u8| from(first) & !from(last + 1);
    let high = within(b'0', b'9') | within(b'a', b'z') | within(b'_', b'_');
    // The product brings the eight high bits together in the highest byte.
    (high >> 7 & ONES).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte at every place, in a word and between words.
    fn texts() -> impl Iterator<Item = Vec<u8>> {
        (0..=BLOCK + 2).flat_map(|length| {
            (0..length).flat_map(move |at| {
                (0..0x80).flat_map(move |byte| {
                    [b'x', b' '].map(|other| {
                        let mut text = vec![other; length];
                        text[at] = byte;
                        text
                    })
                })
            })
        })
    }

    #[test]
    fn all_processors_read_the_same_and_what_is_there() {
        let mut block = Block::new();
        for text in texts() {
            let byte = |at: usize| text.get(at).copied().unwrap_or(0);
            let is_word = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
            for arch in [Arch::Scalar, Arch::new()] {
                block.read(&text, arch);
                for at in 0..BLOCK {
                    assert_eq!(block.bits >> at & 1 == 1, is_word(byte(at)), "{text:?} {at}");
                    let trigram = [byte(at), byte(at + 1), byte(at + 2)]
                        .iter()
                        .fold(1, |key, &byte| key << CHARACTER_BITS | u64::from(byte));
                    assert_eq!(block.trigrams[at], trigram, "{text:?} {at}");
                }
            }
        }
    }
}
