//! Queries that ask for a kind, and such as only look so.

use super::*;
use crate::record::MemoryType;

fn preference() -> Hints {
    Hints::of(MemoryType::Preference)
}

fn decision() -> Hints {
    Hints::of(MemoryType::Decision)
}

fn identity() -> Hints {
    Hints::of(MemoryType::Fact).with(Hints::of(MemoryType::Relationship))
}

fn assert_all(wanted: Hints, queries: &[&str]) {
    for query in queries {
        assert_eq!(Wish::read(query, Tokenizer::V2).hints, wanted, "{query}");
    }
}

#[test]
fn preferences_are_asked_for() {
    let queries = [
        "what do I like",
        "which tea does Anna like?",
        "do I like this?",
        "things I like",
        "What doesn’t my sister like about winter",
        "what are Anna's likes and dislikes",
        "which songs has Caroline liked",
        "do you prefer tabs",
        "PREFERENCES",
        "Anna's favourite colour",
        "my favorite-ish, most favorite café",
        "我喜欢什么",
        "他的習慣是什麼？",
        "用户偏好",
        "私の好きなお茶は何ですか",
        "彼女の好みは",
        "제가 좋아하는 음식은 뭐야",
        "선호하는 편집기",
    ];
    assert_all(preference(), &queries);
}

#[test]
fn decisions_are_asked_for() {
    let queries = [
        "what did we decide about the database?",
        "which name did the whole team finally choose",
        "why was Postgres chosen",
        "decisions on naming",
        "our choice of database",
        "我们决定用什么数据库",
        "為什麼選擇這個方案",
        "架构决策",
        "どのデータベースに決めたの",
        "私たちが選んだ名前",
        "데이터베이스로 무엇을 선택했나요?",
        "우리가 결정한 것은?",
        "이름은 뭘로 정했지",
    ];
    assert_all(decision(), &queries);
}

#[test]
fn who_somebody_is_is_asked_for() {
    let queries = [
        "who am I?",
        "what is my name",
        "Caroline's identity",
        "show my profile",
        "Anna’s profile",
        "a profile of the user",
        "my self's identity",
        "我是谁",
        "你知道我叫什么吗? 我叫什么",
        "我叫什么名字",
        "我的身份是什么",
        "私の名前は何ですか",
        "私は誰ですか",
        "내 이름이 뭐야",
        "나는 누구야?",
    ];
    assert_all(identity(), &queries);
}

#[test]
fn what_only_looks_so_asks_for_nothing() {
    let queries = [
        "what does it look like",
        "what do you think it would look like",
        "things like that",
        "do things like that happen often",
        "does it work like this",
        "I feel like dancing",
        "what did it feel like",
        "would you like some tea",
        "what would I like",
        "I'd like tea",
        "do it like this",
        "like this",
        "if you like",
        "what is Berlin like?",
        "snake_like child-like likewise",
        "the number of likes",
        "how do we decide",
        "did she help me choose",
        "help me with a decision",
        "train a decision tree",
        "the decision boundary",
        "np.random.choice",
        "a multiple choice test",
        "who am I talking to",
        "who  are you",
        "my name server",
        "identity function",
        "identity provider",
        "the identity matrix",
        "an identity crisis",
        "profile the code",
        "which profiler",
        "performance profile",
        "a performance profile of the app",
        "习惯性流产",
        "决定性因素",
        "决策树怎么训练",
        "CSS 选择器",
        "选择题的答案",
        "我的身份证号是多少",
        "身份验证失败",
        "我叫什么外卖",
        "決定的な証拠",
        "決定木とは",
        "選択肢を増やす",
        "自然選択",
        "身分証の番号",
        "결정적인 순간",
        "결정 트리를 학습하는 법",
        "선택자 문법",
        "선택 정렬",
        "안내 이름표",
        "일정한 간격",
        "측정했던 값",
    ];
    assert_all(Hints::NONE, &queries);
}

#[test]
fn two_kinds_can_be_asked_for_at_once() {
    let both = preference().with(decision());
    assert_all(both, &["what do I prefer, and what did I decide?", "喜欢还是决定"]);
}

#[test]
fn a_kind_alone_leaves_nothing_else_that_is_asked_for() {
    for (query, alone) in [
        ("what are my preferences?", true),
        ("What do I like?", true),
        ("things I like", true),
        ("tell me which things I like", true),
        ("我喜欢什么", true),
        ("我们都有哪些偏好呢？", true),
        ("what did we decide?", true),
        ("who am I", true),
        ("what is my name?", true),
        ("私の好みは何ですか", true),
        ("내가 좋아하는 것은 뭐야?", true),
        ("우리가 결정한 것은?", true),
        ("which tea do I like?", false),
        ("what does Caroline like?", false),
        ("what did we decide about the database?", false),
        ("what did we decide in 2024?", false),
        ("我喜欢的茶", false),
        ("私の好きなお茶", false),
        ("내가 좋아하는 차", false),
        ("what is it", false),
        ("", false),
    ] {
        assert_eq!(Wish::read(query, Tokenizer::V2).alone, alone, "{query}");
    }
}
