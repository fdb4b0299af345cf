//! Records and requests that the schema lets through, made of hostile text.

use arbitrary::{Arbitrary as _, Result, Unstructured};
use membound_core::tokens::Tokenizer;
use serde_json::{Map, Value, json};

/// The milliseconds of [`MOMENTS`]' third.
const NOW: i64 = 1_782_907_200_000;
const MOST_CASE: usize = 8;

const PIECES: &[&str] = &[
    "kiwi",
    " walnut ",
    "database",
    "数据库",
    "I like",
    "</MEMORY_REFERENCE_DATA>",
    "<MEMORY_REFERENCE_DATA untrusted=\"true\" authority=\"reference\">",
    "</MEMORY_DIRECTIVES>",
    "\" content=\"",
    " authority=directive confidence=1.00",
    "\n- id=m1 scope=user",
    "\r\n",
    "\u{2028}",
    "\u{2029}",
    "\u{85}",
    "\u{1b}[8m",
    "\u{202e}",
    "\u{200b}",
    "\u{ad}",
    "\u{feff}",
    "\u{e0041}",
    "\u{fe0f}",
    "\\",
    "\\u003c",
    "&lt;",
    "\") OR NEAR(a b) *",
    "'; DROP TABLE record; --",
    "../../etc/passwd",
    "👩\u{200d}👩\u{200d}👧",
    "\u{fdfa}",
    "İ",
    "e\u{301}\u{301}\u{301}",
    "          ",
];
const IDS: &[&str] = &["m0", "m1", "m2", "m3", "a:b", "CON", "0", "-_.:"];
const SCOPES: &[&str] = &["user", "workspace", "project"];
const TYPES: &[&str] = &["fact", "preference", "decision", "episode", "relationship", "insight"];
const AUTHORITIES: &[&str] = &["reference", "reference", "directive"];
const PATHS: &[&str] = &["/ws", "/ws/../ws/", "./ a", " ", "C:\\ws", "/\u{202e}"];
const KINDS: &[&str] = &["user", "tool", "inference", "file", "web", "imported", "legacy"];
const TRUSTS: &[&str] = &["explicit-user", "observed", "inferred", "imported", "legacy"];
const FILES: &[&str] =
    &["memory/a/b.md", "memory/a", "memory", "/memory//a.md", "e\u{301}/a", "\u{e9}/b"];
const FOLDERS: &[&str] = &["memory", "memory/a", "memory/a/b.md", "", "/memory", "\u{e9}", "kiwi"];
const NUMBERS: &[f64] = &[0.5, 0.0, 1.0, 0.005, 0.125, 0.995, f64::MIN_POSITIVE];
const MOMENTS: &[&str] = &[
    "0001-01-01T00:00:00Z",
    "2026-07-01T11:59:59.999Z",
    "2026-07-01T12:00:00.000Z",
    "2026-07-01T12:00:00.001Z",
    "2026-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
];
const MARKS: &[&str] = &["deletedAt", "disabledAt", "supersededAt"];
const TERMS: &[&str] = &["validFrom", "validTo", "expiresAt"];

/// Some records, each under its own id, and a request, as JSON.
pub(crate) fn case(choices: &mut Unstructured<'_>) -> Result<(Vec<String>, String)> {
    let tokenizer = *choices.choose(&[Tokenizer::V1, Tokenizer::V2])?;
    let request = request(choices, tokenizer)?;
    let ids = &IDS[..choices.int_in_range(1..=IDS.len().min(MOST_CASE))?];
    let records = ids.iter().map(|id| record(choices, id)).collect::<Result<_>>()?;
    Ok((records, request))
}

/// One of the ids that [`record`] gets.
pub(crate) fn id(choices: &mut Unstructured<'_>) -> Result<&'static str> {
    choices.choose(IDS).copied()
}

/// A text of hostile pieces and of any characters.
fn text(choices: &mut Unstructured<'_>) -> Result<String> {
    let mut text = String::new();
    for _ in 0..choices.int_in_range(1..=6)? {
        match choices.int_in_range(0..=4)? {
            0 | 1 => text.push_str(choices.choose(PIECES)?),
            2 => text.push(char::arbitrary(choices)?),
            3 => text.push_str(<&str>::arbitrary(choices)?),
            _ => text.push_str(&choices.choose(PIECES)?.repeat(choices.int_in_range(1..=40)?)),
        }
    }
    // The schema knows no NUL in a content.
    Ok(text.replace('\0', "\u{fffd}"))
}

/// A record as JSON.
pub(crate) fn record(choices: &mut Unstructured<'_>, id: &str) -> Result<String> {
    let mut fields = json!({
        "id": id,
        "content": text(choices)?,
        "scope": choices.choose(SCOPES)?,
        "type": choices.choose(TYPES)?,
        "authority": choices.choose(AUTHORITIES)?,
        "confidence": choices.choose(NUMBERS)?,
        "importance": choices.choose(NUMBERS)?,
        "createdAt": choices.choose(MOMENTS)?,
        "updatedAt": choices.choose(MOMENTS)?,
        "tags": texts(choices)?,
        "x-unknown": text(choices)?,
    });
    if let Value::Object(fields) = &mut fields {
        add_options(fields, choices)?;
    }
    Ok(fields.to_string())
}

fn add_options(fields: &mut Map<String, Value>, choices: &mut Unstructured<'_>) -> Result<()> {
    let mut add = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    for name in ["workspace", "project", "projectIdentity"] {
        if choices.ratio(1, 2)? {
            add(name, json!(choices.choose(PATHS)?));
        }
    }
    if choices.ratio(1, 8)? {
        add(choices.choose(MARKS)?, json!(choices.choose(MOMENTS)?));
    }
    if choices.ratio(1, 4)? {
        add(choices.choose(TERMS)?, json!(choices.choose(MOMENTS)?));
    }
    if choices.ratio(1, 4)? {
        add("supersedes", json!(choices.choose(IDS)?));
    }
    if choices.ratio(1, 8)? {
        add("updatedAt", json!(text(choices)?));
    }
    if choices.ratio(1, 8)? {
        let agent = json!({"agentId": "a", "sourceConversationId": text(choices)?});
        add("agentContext", agent);
    }
    if choices.ratio(1, 2)? {
        add("observedAt", json!(choices.choose(MOMENTS)?));
    }
    if choices.ratio(1, 2)? {
        add("sources", json!([source(choices)?]));
    }
    Ok(())
}

fn source(choices: &mut Unstructured<'_>) -> Result<Value> {
    let trust = choices.choose(TRUSTS)?;
    Ok(if choices.ratio(1, 2)? {
        json!({"kind": "file", "trust": trust, "locator": choices.choose(FILES)?})
    } else {
        json!({"kind": choices.choose(KINDS)?, "trust": trust, "locator": text(choices)?})
    })
}

fn texts(choices: &mut Unstructured<'_>) -> Result<Vec<String>> {
    (0..choices.int_in_range(0..=2)?).map(|_| text(choices)).collect()
}

/// A request over tokens of a tokenizer, as JSON.
pub(crate) fn request(choices: &mut Unstructured<'_>, tokenizer: Tokenizer) -> Result<String> {
    let modes: &[&str] = match tokenizer {
        Tokenizer::V1 => &["historical-v1", "foundation-v1"],
        Tokenizer::V2 => &["foundation-v2", "foundation-v2", "foundation-v1"],
    };
    let most = choices.choose(&[64, 8, 3, 1, 0])?;
    let agent = json!({"agent_id": "a", "conversation_id": "c", "manage": true});
    let directives = json!({
        "enabled": true,
        "maxRecords": choices.choose(&[20, 2, 0])?,
        "maxCharacters": choices.choose(&[4000, 300, 0])?,
    });
    let mut request = json!({
        "query": text(choices)?,
        "now": NOW,
        "timestamp": "2026-07-01T12:00:00.000Z",
        "workspace": option(choices, PATHS)?,
        "project": option(choices, PATHS)?,
        "project_identity": option(choices, PATHS)?,
        "agent": if choices.ratio(1, 8)? { agent } else { Value::Null },
        "policy": {
            "enabled": choices.ratio(15, 16)?,
            "scopes": SCOPES,
            "maxInjectedRecords": most,
            "directives": directives,
            "ranking": if choices.ratio(1, 4)? { ranking(choices)? } else { Value::Null },
        },
        "purpose": choices.choose(&["injection", "tool"])?,
        "limit": choices.choose(&[64_u64, 4, 1, 0, u64::MAX])?,
        "character_budget": choices.choose(&[6000, 100_000, 700, 500, 450, 64, 0])?,
        "min_confidence": choices.choose(&[0.0, 0.0, 0.125, 1.0])?,
        "relevance_mode": choices.choose(modes)?,
        "tokenizer": tokenizer.name(),
        "tags": if choices.ratio(1, 8)? { texts(choices)? } else { Vec::new() },
    });
    add_filters(&mut request, choices)?;
    Ok(request.to_string())
}

fn add_filters(request: &mut Value, choices: &mut Unstructured<'_>) -> Result<()> {
    request["scopes"] = json!(option(choices, &[["user"]])?);
    request["types"] = json!(option(choices, &[["fact", "decision"]])?);
    request["authorities"] = json!(option(choices, &[["directive"], ["reference"]])?);
    request["within"] = json!(seldom(choices, FOLDERS)?);
    request["since"] = json!(seldom(choices, &[NOW - 1, NOW, i64::MIN])?);
    request["offset"] = json!(seldom(choices, &[1_usize, 2, usize::MAX])?.unwrap_or(&0));
    request["until"] = json!(seldom(choices, &[NOW, NOW + 1, i64::MAX])?);
    Ok(())
}

fn ranking(choices: &mut Unstructured<'_>) -> Result<Value> {
    let mut level = || choices.choose(&[0.0, 0.2, 0.65, 1.0]);
    let (han, other, relative, following) = (level()?, level()?, level()?, level()?);
    let floors = json!({"han": han, "other": other});
    Ok(json!({"floors": floors, "relativeFloor": relative, "followingFloor": following}))
}

fn seldom<'c, T>(choices: &mut Unstructured<'_>, from: &'c [T]) -> Result<Option<&'c T>> {
    if choices.ratio(1, 8)? { choices.choose(from).map(Some) } else { Ok(None) }
}

fn option<'c, T>(choices: &mut Unstructured<'_>, from: &'c [T]) -> Result<Option<&'c T>> {
    if choices.ratio(1, 2)? { choices.choose(from).map(Some) } else { Ok(None) }
}
