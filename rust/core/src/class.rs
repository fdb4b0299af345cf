//! The class of a character: which runs it belongs to, and what folding may do to it.

use crate::class_bits::{ROW, Writing};

include!(concat!(env!("OUT_DIR"), "/class_table.rs"));

/// A table of bits by character: rows that are alike lie in it once.
struct Table {
    rows: &'static [u16],
    bits: &'static [u8],
}

impl Table {
    #[inline]
    fn of(&self, character: char) -> u8 {
        let point = usize::try_from(u32::from(character)).unwrap_or(0);
        let row = self.rows.get(point / ROW).map_or(0, |&row| usize::from(row));
        self.bits.get(row * ROW + point % ROW).copied().unwrap_or(0)
    }
}

/// The bits of `character`, made when the crate is compiled.
#[inline]
pub(crate) fn class(character: char) -> u8 {
    CLASSES.of(character)
}

/// The bits that tokenizer `v2` knows `character` by.
#[inline]
pub(crate) fn class_v2(character: char) -> u8 {
    CLASSES_V2.of(character)
}

/// The writing of `character`, as far as relevance tells them apart.
pub(crate) fn writing(character: char) -> Writing {
    use Writing::{Han, Hangul, Hiragana, Katakana, Other};
    let number = WRITINGS.of(character);
    let found =
        [Other, Hangul, Hiragana, Katakana, Han].into_iter().find(|&one| one as u8 == number);
    found.unwrap_or(Other)
}

#[cfg(test)]
mod tests {
    use unicode_properties::{GeneralCategoryGroup as Group, UnicodeGeneralCategory as _};

    use super::*;
    use crate::class_bits::{CJK, WORD};

    #[test]
    fn every_character_has_the_class_of_its_category() {
        for character in '\0'..=char::MAX {
            let group = character.general_category_group();
            let is_word = matches!(group, Group::Letter | Group::Number) || character == '_';
            assert_eq!(class(character) & WORD != 0, is_word, "{character:?}");
            let is_cjk = matches!(
                u32::from(character),
                0x3400..=0x9fff | 0x3040..=0x30ff | 0xac00..=0xd7af
            );
            assert_eq!(class(character) & CJK != 0, is_cjk, "{character:?}");
        }
    }
}
