//! The cues of `foundation-v2`: words by which a query asks for a kind of memory, and where they do not.
//!
//! A cue that has a common second meaning says what must, or must not, stand beside it. Plain data, of lists
//! whose items are parted by `|`: the rules that read it are in `v2.rs`.

use super::Hints;
use crate::record::MemoryType;

/// What a cue asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What somebody likes, or is used to.
    Preference,
    /// What was decided.
    Decision,
    /// Who somebody is.
    Identity,
}

impl Kind {
    pub(super) fn hints(self) -> Hints {
        match self {
            Self::Preference => Hints::of(MemoryType::Preference),
            Self::Decision => Hints::of(MemoryType::Decision),
            Self::Identity => Hints::of(MemoryType::Fact).with(Hints::of(MemoryType::Relationship)),
        }
    }
}

/// Cues of writings that part words; one of several words has them side by side. `*'s` is any possessive.
pub(super) struct Words {
    pub(super) kind: Kind,
    pub(super) cues: &'static str,
    /// Where there are any, one of these stands earlier in the clause, with at most so many words between.
    pub(super) after: &'static str,
    pub(super) between: usize,
    /// None of these stands anywhere earlier in the clause,
    pub(super) never_after: &'static str,
    /// or directly before it,
    pub(super) never_behind: &'static str,
    /// or directly behind it.
    pub(super) never_before: &'static str,
}

/// Cues of writings that part none, and of Korean, whose words have endings. A space is the border of a word,
/// of the text, or any sign.
pub(super) struct Stretches {
    pub(super) kind: Kind,
    pub(super) cues: &'static str,
    /// None of these stands directly before it,
    pub(super) never_behind: &'static str,
    /// or directly behind it.
    pub(super) never_before: &'static str,
}

const PLAIN: Words = Words {
    kind: Kind::Preference,
    cues: "",
    after: "",
    between: usize::MAX,
    never_after: "",
    never_behind: "",
    never_before: "",
};

const DO: &str = "do|does|did|don't|doesn't|didn't|dont|doesnt|didnt";
const DID: &str = "did|didn't|didnt";
/// A wish, a condition or a manner: what comes is not yet liked, or not what is asked for.
const WOULD: &str = "would|wouldn't|should|could|if|as|i'd|you'd";
/// Behind these, "like" compares.
const LOOKS: &str = "look|looks|looked|feel|feels|felt|sound|sounds|seem|seems|smell|smells|taste|tastes|\
            act|acts|work|works|behave|behaves|happen|mean|run|more|much|just|exactly|kind|sort|\
            rather|thing|things|stuff|something|anything|nothing|it|is|are|was|were|be";

pub(super) const WORDS: &[Words] = &[
    Words {
        cues: "prefer|prefers|preferred|preference|preferences|favorite|favorites|favourite|\
            favourites",
        ..PLAIN
    },
    Words { cues: "i like|we like|they like|people like", never_after: WOULD, ..PLAIN },
    Words {
        cues: "like",
        after: DO,
        between: 2,
        never_after: WOULD,
        never_behind: LOOKS,
        never_before: "this|that|these|those",
        ..PLAIN
    },
    Words {
        cues: "likes|liked|dislike|dislikes|disliked",
        never_after: WOULD,
        never_behind: "of|many|more|the|get|gets|got",
        ..PLAIN
    },
    Words {
        kind: Kind::Decision,
        cues: "decide|choose",
        after: DID,
        never_behind: "to|me|help",
        ..PLAIN
    },
    Words {
        kind: Kind::Decision,
        cues: "decided|chose|chosen|decision|decisions|choice|choices",
        never_after: "help",
        never_behind: "multiple|random|single|no|by|of|free",
        never_before: "tree|trees|boundary|boundaries|theory|support|making|maker|makers|table|tables|\
            fatigue|forest|problem|problems|question|questions",
        ..PLAIN
    },
    Words {
        kind: Kind::Identity,
        cues: "who am i|am i called",
        never_before: "to|talking|speaking|meeting|seeing|calling|writing|working|supposed|dealing",
        ..PLAIN
    },
    Words {
        kind: Kind::Identity,
        cues: "my name|my full name|my first name|my last name",
        never_before: "server|servers|space|spaces|tag|tags",
        ..PLAIN
    },
    Words {
        kind: Kind::Identity,
        cues: "identity",
        never_behind: "brand|corporate|visual|managed|workload|federated",
        never_before: "function|functions|provider|providers|matrix|matrices|crisis|theft|fraud|element|\
            operator|map|mapping|column|columns|management|server|token|tokens|politics|theorem|\
            law|service|property|transform|verification|check|checks|card",
        ..PLAIN
    },
    Words {
        kind: Kind::Identity,
        cues: "my profile|our profile|user profile|his profile|her profile|their profile|\
            *'s profile|profile of",
        never_behind: "performance|memory|cpu|heap|load|speed|risk",
        ..PLAIN
    },
];

pub(super) const STRETCHES: &[Stretches] = &[
    Stretches {
        kind: Kind::Preference,
        cues: "喜欢|喜歡|喜好|偏好|习惯|習慣|好き|好み|お気に入り|좋아하|좋아해|좋아했|선호|취향|습관",
        never_behind: "物|もの",
        never_before: "性|用语|用語|法|勝手|放題",
    },
    Stretches {
        kind: Kind::Decision,
        cues: "决定|決定|决策|決策|결정",
        never_behind: "",
        never_before: "性|论|論|系数|係數|係数|树|樹|木|者|层|層|版|支持|的な|的に|트리| 트리|나무|적|론|체|계수| 계수|경계| 경계",
    },
    Stretches {
        kind: Kind::Decision,
        cues: "选择|選擇|選択|선택",
        never_behind: "自然|单项|多项|자연|자연 ",
        never_before: "题|題|器|排序|性|框|肢|的な|的に|语句|자|지|적|정렬| 정렬",
    },
    Stretches {
        kind: Kind::Decision,
        cues: "決めた|決めまし|選んだ|選びまし| 정했| 택했|골랐",
        never_behind: "",
        never_before: "",
    },
    Stretches {
        kind: Kind::Identity,
        cues: "我是谁|我是誰|我叫什么 |我叫什麼 |我叫什么名|我叫什麼名|我的名字|我的姓名|私は誰|\
            私の名前|僕の名前|俺の名前|自分の名前|私のプロフィール| 내 이름| 제 이름| 나는 누구| 난 누구| 내가 누구| 저는 누구| 제가 누구| 내 프로필| 제 프로필",
        never_behind: "",
        never_before: "",
    },
    Stretches {
        kind: Kind::Identity,
        cues: "身份|身分",
        never_behind: "",
        never_before: "证|證|証|验|驗|认|認|识|識|标|標|号|盗|管理|提供",
    },
];

/// Words that name no subject beside a cue: who asks, for what sort of thing, and that it be told.
pub(super) const FILLERS: &str = "thing|things|kind|kinds|sort|sorts|tell|show|list|recall|know|remember|내|나|나는|\
            내가|난|제|제가|저|저는|우리|우리가|우리는|것|것은|것이|것을|게|건|뭐|뭐야|뭐지|뭘";

/// The same, where words are not parted.
pub(super) const INNER_FILLERS: &str = "私たち|私|僕|俺|自分|东西|東西";

/// The items of a list.
pub(super) fn items(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split('|').filter(|one| !one.is_empty())
}
