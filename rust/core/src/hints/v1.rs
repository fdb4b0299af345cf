//! Hints of `foundation-v1` and `historical-v1`: a fixed word anywhere in the query.

use super::{HINTS, Hints};
use crate::text::fold;

/// The hints that a query gives.
pub(crate) fn hinted(query: &str) -> Hints {
    let folded = fold(query);
    let given = |hint: &&super::Hint| {
        hint.latin.iter().any(|word| has_word(&folded, word))
            || hint.cjk.iter().any(|word| folded.contains(word))
    };
    HINTS.iter().filter(given).map(super::Hint::hints).fold(Hints::NONE, Hints::with)
}

/// Whether `word` stands in `text` between characters that are no ASCII letter, digit or underscore.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    text.match_indices(word).any(|(start, _)| {
        let bytes = text.as_bytes();
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        !is_part(before) && !is_part(bytes.get(start + word.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::MemoryType;

    #[test]
    fn latin_hints_are_whole_words() {
        let preference = Hints::of(MemoryType::Preference);
        for (query, found) in [
            ("I like it", true),
            ("likes", false),
            ("snake_like", false),
            ("likeé", true),
            ("喜欢茶", true),
        ] {
            assert_eq!(hinted(query).meets(preference), found, "{query}");
        }
        assert!(hinted("my self-identity").meets(Hints::of(MemoryType::Relationship)));
        assert!(!hinted("who  am i").meets(Hints::of(MemoryType::Fact)));
    }
}
