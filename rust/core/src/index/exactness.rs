//! Recall through the file is what judging every record gives, wherever the records' words are.

use std::collections::BTreeMap;

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use serde_json::json;

use super::{Change, Index, Settings, words};
use crate::files::retrieve_records;
use crate::relevance::RelevanceMode;
use crate::request::Request;
use crate::tokens::Tokenizer;

const WORDS: [&str; 22] = [
    "kiwi",
    "harvest",
    "pear",
    "prefer",
    "plum",
    "grape",
    "winter",
    "数据库",
    "服务器",
    "ab",
    "go",
    "market",
    "src/plum.rs",
    "C++",
    "ไทยครับ",
    "harvests",
    "the winters",
    "marketing",
    "grapefruit",
    "库务器数",
    "用的数据",
    "plum. pear!",
];
const NOW: i64 = 1_782_907_200_000;
/// 2026-06-02.
const DAY: i64 = 1_780_358_400_000;
const FOLDERS: [&str; 3] = ["memory", "memory/a", "notes"];

/// Words, of which the earlier ones come up more often, so that some are frequent.
fn text(most: usize) -> impl Strategy<Value = String> {
    let word = (0..WORDS.len(), 0..WORDS.len()).prop_map(|(one, other)| WORDS[one.min(other)]);
    vec(word, 1..most).prop_map(|words| words.join(" "))
}

/// Canonical JSON of one of a few records, by its id.
fn record() -> impl Strategy<Value = (String, String)> {
    let replaces = prop::option::weighted(0.1, 0_u8..40);
    (0_u8..120, text(8), 0_usize..3, 0_usize..3, 0_u8..12, replaces).prop_map(
        |(id, content, place, kind, state, replaces)| {
            let mut record = json!({
                "id": format!("k{id}"),
                "content": content,
                "type": (["fact", "preference", "decision"][kind]),
                "authority": if state == 4 { "directive" } else { "reference" },
                "tags": if state == 5 { vec!["fruit"] } else { Vec::new() },
                "confidence": f64::from(state) / 12.0,
                "importance": 0.5,
                "createdAt": "2026-06-01T12:00:00.000Z",
                "updatedAt": format!("2026-06-01T12:00:{:02}.000Z", id % 16),
                "supersedes": replaces.map(|id| format!("k{id}")),
                "scope": if place == 0 { "user" } else { "workspace" },
                "observedAt": (["2026-06-01", "2026-06-02", "2026-06-03", "soon"][usize::from(id % 4)]),
                "sources": [{"kind": "file", "trust": "observed", "locator": format!("{}/{id}.md", FOLDERS[kind])}],
            });
            let fields = record.as_object_mut().unwrap();
            let mut set = |name: &str, value: &str| fields.insert(name.to_owned(), value.into());
            if place > 0 {
                set("workspace", ["/a", "/b"][place - 1]);
            }
            match state {
                0 => set("validTo", "2026-06-01T00:00:00.000Z"),
                1 => set("validFrom", "2026-08-01T00:00:00.000Z"),
                2 => set("disabledAt", "2026-06-02T12:00:00.000Z"),
                3 => set("validTo", "2026-09-01T00:00:00.000Z"),
                _ => None,
            };
            (format!("k{id}"), record.to_string())
        },
    )
}

fn request() -> impl Strategy<Value = Request> {
    (text(9), 0_usize..3, 0_u8..11).prop_map(|(query, workspace, rest)| {
        let request = json!({
            "query": query,
            "now": NOW,
            "timestamp": "2026-07-01T12:00:00.000Z",
            "workspace": (["/a", "/b", "/c"][workspace]),
            "policy": {
                "enabled": true,
                "scopes": ["user", "workspace", "project"],
                "maxInjectedRecords": 8,
                "directives": {"enabled": true, "maxRecords": 20, "maxCharacters": 4000},
            },
            "purpose": if rest == 3 { "tool" } else { "injection" },
            "limit": 64,
            "offset": if rest == 10 { 3 } else { 0 },
            "character_budget": 6000,
            "min_confidence": if rest == 2 { 0.5 } else { 0.0 },
            "relevance_mode": if rest == 0 { "historical-v1" } else { "foundation-v1" },
            "tags": if rest == 1 { vec!["fruit"] } else { Vec::new() },
            "types": if rest == 4 { Some(["fact", "decision"]) } else { None },
            "scopes": if rest == 5 { Some(["workspace"]) } else { None },
            "within": if rest == 6 || rest == 7 { Some(FOLDERS[workspace]) } else { None },
            "since": if rest == 7 || rest == 8 { Some(DAY) } else { None },
            "until": if rest == 9 { Some(DAY) } else { None },
        });
        Request::parse(request.to_string().as_bytes()).unwrap()
    })
}

/// What becomes of an index in one step, and what is then asked.
#[derive(Debug, Clone)]
struct Step {
    records: Vec<(String, String)>,
    removed: Vec<String>,
    merged: bool,
    requests: Vec<Request>,
}

fn step() -> impl Strategy<Value = Step> {
    let removed = btree_set((0_u8..120).prop_map(|id| format!("k{id}")), 0..9);
    (vec(record(), 0..90), removed, any::<bool>(), vec(request(), 1..9)).prop_map(
        |(records, removed, merged, requests)| Step {
            records,
            removed: removed.into_iter().collect(),
            merged,
            requests,
        },
    )
}

fn assert_same(index: &Index, records: &BTreeMap<String, String>, request: &Request) {
    let found = index.retrieve_from_file(request).unwrap();
    let expected = retrieve_records(request, records.values().map(String::as_bytes)).unwrap();
    assert_eq!(found.selection.block, expected.selection.block);
    let mut trace = found.trace;
    trace.mode = expected.trace.mode;
    for (mine, theirs) in trace.rankings.iter_mut().zip(&expected.trace.rankings) {
        mine.channel = theirs.channel;
    }
    assert_eq!(trace, expected.trace);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(144))]
    #[test]
    fn recall_from_the_file_is_exact(
        steps in vec(step(), 1..6),
        (tokenizer, weighs) in
            prop_oneof![Just((Tokenizer::V1, false)), Just((Tokenizer::V2, false)), Just((Tokenizer::V2, true))],
    ) {
        let folder = super::tests::folder("exactness");
        let settings = Settings { tokenizer, ..super::tests::RELAXED };
        let index = Index::open(&folder.join("index.sqlite3"), settings).unwrap();
        let mut records = BTreeMap::new();
        for Step { records: written, removed, merged, requests } in steps {
            let json: Vec<&[u8]> = written.iter().map(|(_, json)| json.as_bytes()).collect();
            index.apply(&Change { records: &json, removed: &removed, ..Change::default() }).unwrap();
            records.extend(written);
            records.retain(|id, _| !removed.contains(id));
            if merged {
                index.optimize().unwrap();
                prop_assert_eq!(index.read(words::tail).unwrap(), Vec::<i64>::new());
            }
            for request in requests {
                let relevance_mode =
                    if weighs { RelevanceMode::FoundationV2 } else { request.relevance_mode };
                assert_same(&index, &records, &Request { relevance_mode, tokenizer, ..request });
            }
            index.check().unwrap();
        }
        drop(index);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
