//! Folded text: NFKC, lowercase, and the runs of script it falls into.

use std::iter::once;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfkc_quick};
use unicode_segmentation::GraphemeCursor;

use crate::class::class;
use crate::class_bits::{BLANK, CASED, CJK, RENAMED, UNSETTLED, WORD};

/// NFKC, then lowercase of the root locale: the form in which texts are compared.
pub fn fold(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    if text.is_ascii() {
        return lower;
    }
    let mut folded = String::new();
    let mut from = 0;
    for (at, character) in lower.char_indices() {
        match class(character) & (CASED | RENAMED | BLANK | UNSETTLED) {
            0 => continue,
            UNSETTLED => return nfkc(text).to_lowercase(),
            _ => (),
        }
        folded.push_str(&lower[from..at]);
        push_folded(character, &mut folded);
        from = at + character.len_utf8();
    }
    if from == 0 {
        return lower;
    }
    folded.push_str(&lower[from..]);
    folded
}

/// The start of a text of at most so many characters, which ends between two graphemes.
///
/// Where not one grapheme is whole within, it ends inside of the first.
pub fn cut(text: &str, most: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(most) else { return text };
    let mut cursor = GraphemeCursor::new(end, text.len(), true);
    let whole = match cursor.is_boundary(text, 0) {
        Ok(true) => end,
        _ => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
    };
    &text[..if whole == 0 { end } else { whole }]
}

/// Adds what a settled character folds to.
fn push_folded(character: char, folded: &mut String) {
    if class(character) & CASED != 0 {
        folded.extend(character.to_lowercase());
    } else {
        folded.extend(once(character).nfkc().flat_map(char::to_lowercase));
    }
}

/// NFKC, trimmed, lowercase: the form in which tags and contents count as equal.
pub fn label(text: &str) -> String {
    // Lowercase neither makes nor moves white space, nor looks across it.
    let folded = fold(text);
    let trimmed = trim(&folded);
    if trimmed.len() == folded.len() { folded } else { trimmed.to_owned() }
}

/// NFKC.
pub(crate) fn nfkc(text: &str) -> String {
    match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => text.to_owned(),
        _ => text.nfkc().collect(),
    }
}

/// NFC.
pub(crate) fn nfc(text: &str) -> String {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => text.to_owned(),
        _ => text.nfc().collect(),
    }
}

/// Whether a character belongs to a CJK run: ideographs, kana and hangul of the basic plane.
pub fn is_cjk(character: char) -> bool {
    class(character) & CJK != 0
}

/// Whether a character belongs to a word: `[\p{L}\p{N}_]`, CJK runs not excluded.
pub fn is_word(character: char) -> bool {
    class(character) & WORD != 0
}

/// The white space that trimming removes and labels fold: the ECMAScript set.
pub fn is_space(character: char) -> bool {
    matches!(
        character,
        '\t'..='\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}'
            | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// The text without white space at its ends.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// The text without white space at its end.
pub fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// The maximal runs of characters that `belongs` accepts, in text order.
pub fn runs(text: &str, belongs: fn(char) -> bool) -> impl Iterator<Item = &str> {
    text.split(move |character| !belongs(character)).filter(|run| !run.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_composes_and_lowers() {
        assert_eq!(fold("Ａ１ ＫＩＷＩ"), "a1 kiwi");
        assert_eq!(fold("ΟΔΟΣ"), "οδος");
        assert_eq!(fold("İ"), "i\u{307}");
    }

    #[test]
    fn folding_is_normalising_then_lowering_for_every_character() {
        for character in '\0'..=char::MAX {
            for text in [
                format!("{character}"),
                format!("Ab{character}Ü\u{301}"),
                format!("가{character}ǅ"),
            ] {
                assert_eq!(fold(&text), text.nfkc().collect::<String>().to_lowercase());
            }
        }
    }

    #[test]
    fn a_cut_text_ends_between_graphemes() {
        let text = "ae\u{301}\u{1F469}\u{200D}\u{1F680}\u{1F1E9}\u{1F1EA}\r\nx";
        let kept: Vec<usize> = (0..=10).map(|most| cut(text, most).chars().count()).collect();
        assert_eq!(kept, [0, 1, 1, 3, 3, 3, 6, 6, 8, 8, 10]);
        assert_eq!(cut("e\u{301}", 1), "e");
        assert_eq!(cut(text, 99), text);
    }

    #[test]
    fn no_space_belongs_to_a_word() {
        for character in '\0'..=char::MAX {
            let kinds = [is_space(character), is_cjk(character) || is_word(character)];
            assert!(!(kinds[0] && kinds[1]), "{character:?}");
        }
    }
}
