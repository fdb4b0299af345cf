//! What kind of memory a query asks for, and which records answer.
//!
//! ```text
//! v1      foundation-v1, historical-v1   a fixed word anywhere in the query
//! v2      foundation-v2                  a word where it asks for a kind, and whether nothing else is asked for
//! cues    the words of v2, and where each of them asks for nothing
//! alone   who answers a query for nothing but a kind
//! ```

mod alone;
mod cues;
mod v1;
mod v2;

use crate::record::MemoryType;

pub(crate) use alone::{Answering, best_answering};
#[cfg(test)]
pub(crate) use v1::hinted;
pub(crate) use v2::Wish;

/// A set of type hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hints(u8);

impl Hints {
    /// No hint.
    pub const NONE: Self = Self(0);
    /// How many hints there are.
    pub const COUNT: usize = 4;

    fn of(kind: MemoryType) -> Self {
        Self(match kind {
            MemoryType::Preference => 1,
            MemoryType::Decision => 2,
            MemoryType::Fact => 4,
            MemoryType::Relationship => 8,
            MemoryType::Episode | MemoryType::Insight => 0,
        })
    }

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the two sets share a hint.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether each of the hints is in the set, in a fixed order.
    pub fn each(self) -> impl Iterator<Item = bool> {
        (0..Self::COUNT).map(move |hint| self.0 >> hint & 1 == 1)
    }

    /// The set that a number stands for.
    pub(crate) fn of_bits(bits: i64) -> Option<Self> {
        u8::try_from(bits).ok().filter(|bits| bits >> Self::COUNT == 0).map(Self)
    }

    /// The set as a number; the index stores it.
    pub fn bits(self) -> i64 {
        i64::from(self.0)
    }
}

struct Hint {
    kinds: &'static [MemoryType],
    latin: &'static [&'static str],
    cjk: &'static [&'static str],
    tags: &'static [&'static str],
    tagged: MemoryType,
}

impl Hint {
    fn hints(&self) -> Hints {
        self.kinds.iter().fold(Hints::NONE, |hints, &kind| hints.with(Hints::of(kind)))
    }
}

const HINTS: [Hint; 3] = [
    Hint {
        kinds: &[MemoryType::Preference],
        latin: &["prefer", "preference", "favorite", "favourite", "like"],
        cjk: &["偏好", "喜欢", "习惯"],
        tags: &["preference", "preferences", "偏好"],
        tagged: MemoryType::Preference,
    },
    Hint {
        kinds: &[MemoryType::Decision],
        latin: &["decide", "decision", "chosen", "choice"],
        cjk: &["决定", "选择", "决策"],
        tags: &[],
        tagged: MemoryType::Decision,
    },
    Hint {
        kinds: &[MemoryType::Fact, MemoryType::Relationship],
        latin: &["who am i", "my name", "identity", "profile"],
        cjk: &["我是谁", "我的名字", "身份"],
        tags: &["identity", "profile", "身份"],
        tagged: MemoryType::Fact,
    },
];

/// The hints that a record answers, by its type or by one of its folded tags.
pub(crate) fn answered(kind: MemoryType, tags: &[String]) -> Hints {
    let tagged =
        HINTS.iter().filter(|hint| tags.iter().any(|tag| hint.tags.contains(&tag.as_str())));
    tagged.fold(Hints::of(kind), |hints, hint| hints.with(Hints::of(hint.tagged)))
}
