//! The bits of a character's class; `build.rs` reads them too.

/// A letter, a number or an underscore.
pub(crate) const WORD: u8 = 1;
/// An ideograph, kana or hangul of the basic plane; most of them are letters too.
pub(crate) const CJK: u8 = 2;
/// Beyond ASCII: folds to its one small letter, wherever it stands.
pub(crate) const CASED: u8 = 4;
/// Beyond ASCII: folds to other characters, the same wherever it stands; it or they belong to runs.
pub(crate) const RENAMED: u8 = 8;
/// Beyond ASCII: folds to other characters, the same wherever it stands; none belongs to a run.
pub(crate) const BLANK: u8 = 16;
/// What it folds to depends on what stands beside it, or the reverse.
pub(crate) const UNSETTLED: u8 = 32;
/// Characters in a row of the table.
pub(crate) const ROW: usize = 128;
