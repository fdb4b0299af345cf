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
/// Characters in a row of a table.
pub(crate) const ROW: usize = 128;

/// The bits of tokenizer `v2`, in a table of its own: a character has one of them at most.
pub(crate) mod v2 {
    /// A letter or number of a writing that parts words by spaces.
    pub(crate) const WORD: u8 = 1;
    /// A mark: it belongs to the letter before it.
    pub(crate) const MARK: u8 = 2;
    /// A letter or number of the writings of China, Japan and Korea, whose characters mean something in pairs.
    pub(crate) const CJK: u8 = 4;
    /// A letter of another writing that parts no words.
    pub(crate) const UNSPACED: u8 = 8;
    /// Neither seen nor needed to tell words apart: taken out before anything else.
    pub(crate) const NOTHING: u8 = 16;
}

/// The writings that relevance tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Writing {
    /// Any that is not named here.
    Other,
    /// Korean syllables and their letters.
    Hangul,
    /// The rounded kana: endings and particles.
    Hiragana,
    /// The angular kana.
    Katakana,
    /// Ideographs.
    Han,
}
