//! What kind of memory a query asks for, and which records answer.

use crate::record::MemoryType;
use crate::text::fold;

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

/// The hints that a query gives.
pub(crate) fn hinted(query: &str) -> Hints {
    let folded = fold(query);
    let given = |hint: &&Hint| {
        hint.latin.iter().any(|word| has_word(&folded, word))
            || hint.cjk.iter().any(|word| folded.contains(word))
    };
    let kinds = HINTS.iter().filter(given).flat_map(|hint| hint.kinds);
    kinds.fold(Hints::NONE, |hints, &kind| hints.with(Hints::of(kind)))
}

/// The hints that a record answers, by its type or by one of its folded tags.
pub(crate) fn answered(kind: MemoryType, tags: &[String]) -> Hints {
    let tagged =
        HINTS.iter().filter(|hint| tags.iter().any(|tag| hint.tags.contains(&tag.as_str())));
    tagged.fold(Hints::of(kind), |hints, hint| hints.with(Hints::of(hint.tagged)))
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
