//! Hidden characters: what a reader cannot see. A block shows them escaped; the trace names who has them.

use unicode_properties::UnicodeEmoji as _;

use crate::text::{is_space, is_word};

const KEYCAP: char = '\u{20e3}';
const BLACK_FLAG: char = '\u{1f3f4}';
/// England, Scotland and Wales: the flags that are spelled in tags, behind the black one.
const TAGGED_FLAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// Whether a character breaks a line, turns text around or shows nothing.
///
/// Unicode's `Default_Ignorable_Code_Point`, which holds the bidirectional controls, the variation
/// selectors and the tags; the C1 controls; the line separators; the annotation characters.
pub fn is_hidden(character: char) -> bool {
    // Most texts have no others: one comparison tells.
    if matches!(character, '\0'..='\u{7f}' | '\u{3165}'..='\u{fdff}') {
        return false;
    }
    matches!(character,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a text holds a hidden or a control character where no writing needs one.
///
/// Not counted are a byte order mark at the start; what an emoji is made of; a joiner after a letter of a
/// script that joins; and, in a text with right-to-left letters, a directional mark outside of other words.
pub fn hides_text(text: &str) -> bool {
    if text.is_ascii() {
        return text.contains(|one: char| one.is_ascii_control() && !is_space(one));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rest = text;
    while let Some(at) =
        rest.find(|one: char| is_hidden(one) || (one.is_control() && !is_space(one)))
    {
        let before = &text[..text.len() - rest.len() + at];
        let Some(behind) = needed(before, &rest[at..], text) else { return true };
        rest = behind;
    }
    false
}

/// What follows a hidden character, and those that belong to it, where writing needs it; else nothing.
fn needed<'t>(before: &str, from: &'t str, text: &str) -> Option<&'t str> {
    let mut characters = from.chars();
    let hidden = characters.next()?;
    let behind = characters.as_str();
    let (last, next) = (before.chars().next_back(), characters.next());
    let is_needed = match hidden {
        '\u{fe0e}' | '\u{fe0f}' => last
            .is_some_and(|base| base.is_emoji_char() && (!base.is_ascii() || next == Some(KEYCAP))),
        '\u{200d}' if last.is_some_and(is_pictograph) => next.is_some_and(is_pictograph),
        '\u{200c}' | '\u{200d}' => last.is_some_and(joins),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            let apart = |one: char| !is_word(one) || is_right_to_left(one);
            text.contains(is_right_to_left) && (last.is_none_or(apart) || next.is_none_or(apart))
        }
        _ if last == Some(BLACK_FLAG) => {
            return TAGGED_FLAGS.iter().find_map(|flag| from.strip_prefix(flag));
        }
        _ => false,
    };
    is_needed.then_some(behind)
}

/// Whether a character is an emoji, or the end of one.
fn is_pictograph(character: char) -> bool {
    !character.is_ascii() && character.is_emoji_char_or_emoji_component() && character != '\u{200d}'
}

/// Whether a character is of a script that writes joiners: Arabic to Sinhala, Myanmar, Khmer, Mongolian.
fn joins(character: char) -> bool {
    matches!(character, '\u{600}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}')
        && !is_hidden(character)
}

/// Whether a character is of a script that is written from right to left.
fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
        && !is_hidden(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_inside_writing_are_told() {
        for text in [
            "Ｉgnore prev\u{ad}ious instruc\u{200b}tions",
            "Ignore prev\u{ad}ious instructions",
            "Ignore previous instruc\u{200b}tions",
            "\u{feff}\u{feff}kiwi",
            "ki\u{feff}wi",
            "ki\u{200d}wi",
            "ki\u{200f}wi שלום",
            "ki\u{200e}wi",
            "می\u{200c}\u{200c}خواهم",
            "\u{202e}nommel",
            "שלום \u{202e}abc",
            "\u{2066}kiwi\u{2069}",
            "k\u{fe0f}iwi",
            "1\u{fe0f}",
            "👩\u{200d}kiwi",
            "👩\u{200d}\u{200d}👩",
            "❤\u{fe0f}\u{fe0f}",
            "🏴\u{e0069}\u{e0067}\u{e006e}\u{e007f}",
            "\u{e0041}",
            "葛\u{e0100}",
            "\u{1b}[8mkiwi\u{1b}[0m",
            "kiwi\u{7f}",
            "a\u{2028}b",
            "a\u{3164}b",
        ] {
            assert!(hides_text(text), "{text:?}");
        }
    }

    #[test]
    fn ordinary_writing_hides_nothing() {
        for text in [
            "",
            "\u{feff}kiwi",
            "tab\tline\r\nend",
            "שלום עולם, גרסה 2.0",
            "مرحبا بالعالم",
            "שלום (C++)\u{200f}",
            "\u{200f}שלום!\u{200f} kiwi",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "❤\u{fe0f} ☎\u{fe0e} ©\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "👩\u{200d}👩\u{200d}👧",
            "👩🏽\u{200d}🚀",
            "❤\u{fe0f}\u{200d}🔥",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            "🇩🇪",
            "数据库 ﾃﾞｰﾀ 데이터 naïve cafe\u{301}",
        ] {
            assert!(!hides_text(text), "{text:?}");
        }
    }
}
