//! Search tokens that have their texts.

use super::TokenKey;

/// A search token with a text of its own; in the order of their keys.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Token {
    /// See [`TokenKey::Packed`].
    Packed(u64),
    /// See [`TokenKey::Word`].
    Word(Box<str>),
    /// See [`TokenKey::Pair`].
    Pair(Box<str>),
}

impl Token {
    /// Its key.
    pub(crate) fn key(&self) -> TokenKey<'_> {
        match self {
            Self::Packed(key) => TokenKey::Packed(*key),
            Self::Word(word) => TokenKey::Word(word),
            Self::Pair(pair) => TokenKey::Pair(pair),
        }
    }
}

impl From<TokenKey<'_>> for Token {
    fn from(key: TokenKey<'_>) -> Self {
        match key {
            TokenKey::Packed(key) => Self::Packed(key),
            TokenKey::Word(word) => Self::Word(word.into()),
            TokenKey::Pair(pair) => Self::Pair(pair.into()),
        }
    }
}
