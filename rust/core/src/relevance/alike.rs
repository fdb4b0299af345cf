//! Words that are alike: by the Dice coefficient of their trigrams (Dice, "Measures of the amount of ecologic
//! association between species", 1945).

use crate::tokens::CHARACTER_BITS;

/// Two words are alike from this coefficient on, in percent: so it is compared exactly.
const LEAST_PERCENT: usize = 55;
const WINDOW: usize = 3;

/// The distinct trigrams of a word, packed and in order: none of a word of up to three characters or with a
/// digit, which is matched as it is or not at all.
pub(crate) fn trigrams(word: &str) -> Vec<u64> {
    if !has_trigrams(word) {
        return Vec::new();
    }
    let mut all: Vec<u64> = windows(word).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether a word may stand in for others.
pub(crate) fn has_trigrams(word: &str) -> bool {
    word.chars().nth(WINDOW).is_some() && !word.chars().any(char::is_numeric)
}

/// Every three characters of a word, packed.
pub(crate) fn windows(word: &str) -> impl Iterator<Item = u64> {
    const THREE: u64 = (1 << (3 * CHARACTER_BITS)) - 1;
    let packed = word.chars().scan(0, |three, one| {
        *three = ((*three << CHARACTER_BITS) | u64::from(one)) & THREE;
        Some(*three)
    });
    packed.skip(WINDOW - 1)
}

/// Whether so many common trigrams, as they were counted, can be enough for a word of `all`, however few the
/// other one has.
pub(super) fn may_be_enough(common: u8, all: usize) -> bool {
    common == MANY || dice(usize::from(common), usize::from(common) + all).is_some()
}

/// How alike two words are, by their trigrams; `None` where that is not enough.
pub(crate) fn alike(one: &[u64], other: &[u64]) -> Option<f64> {
    let common = one.iter().filter(|trigram| other.binary_search(trigram).is_ok()).count();
    dice(common, one.len() + other.len())
}

/// Twice the common trigrams as a share of all, where that is enough.
#[expect(clippy::cast_precision_loss, reason = "a word has far fewer trigrams than 2^52")]
pub(crate) fn dice(common: usize, all: usize) -> Option<f64> {
    let enough = common > 0 && 200 * common >= LEAST_PERCENT * all;
    enough.then(|| 2.0 * common as f64 / all as f64)
}

/// More units than a query has.
const MOST_UNITS: usize = 256;
/// As many trigrams as are counted.
const MANY: u8 = u8::MAX;
/// Bits for trigrams, by 64.
const TRACES: usize = 64;
/// 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The trigrams of a query's units, to be looked for in many words.
#[derive(Debug)]
pub(super) struct Trigrams {
    /// Each with the place of its unit, in order.
    listed: Vec<(u64, usize)>,
    /// A bit for each of them: where there is none, it need not be looked for.
    traces: Vec<u64>,
}

impl Trigrams {
    pub(super) fn of(mut listed: Vec<(u64, usize)>) -> Self {
        listed.sort_unstable();
        let mut traces = vec![0; TRACES];
        for (trigram, _) in &listed {
            let (part, bit) = place_of(*trigram);
            traces[part] |= 1 << bit;
        }
        Self { listed, traces }
    }

    /// How many trigrams of a word are those of each unit, as they repeat in it, if any are; `MANY` are that
    /// many or more.
    pub(super) fn common(&self, word: &str) -> Option<[u8; MOST_UNITS]> {
        let mut common = [0_u8; MOST_UNITS];
        let mut any = false;
        for trigram in windows(word) {
            let (part, bit) = place_of(trigram);
            if self.traces[part] >> bit & 1 == 0 {
                continue;
            }
            let from = self.listed.partition_point(|(one, _)| *one < trigram);
            let same = self.listed[from..].iter().take_while(|(one, _)| *one == trigram);
            for (_, unit) in same {
                common[*unit] = common[*unit].saturating_add(1);
                any = true;
            }
        }
        any.then_some(common)
    }
}

/// Which bit stands for a trigram.
fn place_of(trigram: u64) -> (usize, u64) {
    let spread = trigram.wrapping_mul(SPREAD);
    ((spread >> 58) as usize, spread >> 52 & 63)
}
