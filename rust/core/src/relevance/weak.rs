//! What says little: stop words, Hiragana, function characters, particles.

use crate::class::writing;
use crate::class_bits::Writing;

include!(concat!(env!("OUT_DIR"), "/word_lists.rs"));

/// Chinese characters that do what stop words do, in both forms.
const FUNCTION: &str = "的了在是我你他她它们这那有和与就不也都而及或吗呢吧啊个为被把给对从到过着会能要可以么什哪谁几多少何如所之其您很并等由于但且因於個們這對從過給會還还麼甚誰幾嗎裡里來来著與為並";
/// Those of them that make no word with what stands beside them that says more than an answer, such as `没有` or `好的`.
const BARE: &str = "的了是我你他她它们們这這那有不也吗嗎呢吧啊么麼什哪谁誰着著就而但且";
/// Characters that are an answer where they stand alone.
const ANSWERS: &str = "好行嗯哦네예응";
/// Korean syllables that end a word as particles do.
const PARTICLES: &str = "은는이가을를에의로와과도";

/// Whether a word says little.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// What only marks a question and begins with a character, in the order in which it is tried.
pub(super) fn questions(first: char) -> &'static [&'static str] {
    let found = QUESTIONS.binary_search_by_key(&first, |(first, _)| *first);
    found.ok().and_then(|at| QUESTIONS.get(at)).map_or(&[], |(_, all)| all)
}

/// How many characters of a pair say little, 0 to 2. A pair that ends in a particle has one at least; of a
/// single character, it counts as two, and so does an answer.
pub(super) fn weak_characters(pair: &str) -> usize {
    let is_weak = |&one: &char| writing(one) == Writing::Hiragana || FUNCTION.contains(one);
    let weak = pair.chars().filter(is_weak).count();
    let ends_in_particle = pair.chars().last().is_some_and(|last| PARTICLES.contains(last));
    let weak = weak.max(usize::from(ends_in_particle));
    if pair.chars().nth(1).is_some() {
        return weak.min(2);
    }
    let is_answer = pair.chars().any(|one| ANSWERS.contains(one));
    if is_answer { 2 } else { (2 * weak).min(2) }
}

/// Whether a pair has a character that makes no word of it.
pub(super) fn is_bare(pair: &str) -> bool {
    pair.chars().any(|one| BARE.contains(one))
}
