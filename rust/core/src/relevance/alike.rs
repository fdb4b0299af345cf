//! Words that are alike: by the Dice coefficient of their trigrams (Dice, "Measures of the amount of ecologic
//! association between species", 1945).

/// Two words are alike from this coefficient on, in percent: so it is compared exactly.
const LEAST_PERCENT: usize = 55;
const WINDOW: usize = 3;
/// Bits of a character in a packed trigram.
const CHARACTER_BITS: u32 = 21;

/// The distinct trigrams of a word, packed and in order: none of a word of up to three characters or with a
/// digit, which is matched as it is or not at all.
pub(crate) fn trigrams(word: &str) -> Vec<u64> {
    let mut all: Vec<u64> = windows(word).collect();
    if all.len() < 2 || word.chars().any(char::is_numeric) {
        return Vec::new();
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Every three characters of a word, packed.
pub(super) fn windows(word: &str) -> impl Iterator<Item = u64> {
    const THREE: u64 = (1 << (3 * CHARACTER_BITS)) - 1;
    let packed = word.chars().scan(0, |three, one| {
        *three = ((*three << CHARACTER_BITS) | u64::from(one)) & THREE;
        Some(*three)
    });
    packed.skip(WINDOW - 1)
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
