//! Records and requests made of two invented languages: one in the letters of English, one in Chinese
//! characters. The same ones each time.

use membound_core::error::Result;
use membound_core::request::Request;
use serde_json::json;

use crate::chance::Chance;

const SMALL_WORDS: &str =
    "the a to of and in is for on it we with that as are be at by not this from or";
const SYLLABLES: &str = "re con in de ter ta ment pro ver al tion ex com per sta ser ble ker lo mi na port \
    tu vi ra do gen dis ple sor fi ca tem li ne mo su pa ro";
const WORDS: usize = 3_000;

const HINTED: [&str; 3] = ["what do I prefer", "which decision was made on", "who am I and"];
const TYPES: [&str; 6] = ["fact", "preference", "decision", "episode", "relationship", "insight"];
const TAGS: [&str; 5] = ["deploy", "review", "schedule", "数据", "style"];
const LARGE: &str = "/work/large";
/// The first of July 2026, noon, in milliseconds.
const NOW: i64 = 1_782_907_200_000;

/// Texts over the words of both languages.
pub(crate) struct Corpus {
    chance: Chance,
    english: Vec<String>,
    chinese: Vec<String>,
}

impl Corpus {
    pub(crate) fn new() -> Self {
        let mut chance = Chance(20_260_701);
        let syllables: Vec<&str> = SYLLABLES.split_whitespace().collect();
        let characters: Vec<String> = ('\u{4e00}'..'\u{5200}').map(String::from).collect();
        let mut english: Vec<String> = SMALL_WORDS.split(' ').map(str::to_owned).collect();
        english.extend((0..WORDS).map(|_| word(&mut chance, &syllables, 4)));
        let chinese = (0..WORDS).map(|_| word(&mut chance, &characters, 2)).collect();
        Self { chance, english, chinese }
    }

    /// A text of so many words in the letters of English.
    pub(crate) fn english(&mut self, words: usize) -> String {
        let words: Vec<&str> =
            (0..words).map(|_| self.chance.early(&self.english).as_str()).collect();
        words.join(" ")
    }

    /// A text of so many words in Chinese characters.
    pub(crate) fn chinese(&mut self, words: usize) -> String {
        (0..words).map(|_| self.chance.early(&self.chinese).as_str()).collect()
    }

    /// Of five texts three are English, one is Chinese and one is both.
    fn text(&mut self, words: usize) -> String {
        match self.chance.below(5) {
            0 => self.chinese(words),
            1 => [self.english(words / 2), self.chinese(words / 2)].join(" "),
            _ => self.english(words),
        }
    }

    /// Most records are in one workspace, some are the user's own or a project's, and others in small ones.
    fn place(&mut self) -> (&'static str, String) {
        match self.chance.below(20) {
            0 => ("user", LARGE.to_owned()),
            1 => ("project", LARGE.to_owned()),
            2..16 => ("workspace", LARGE.to_owned()),
            _ => ("workspace", self.small()),
        }
    }

    fn small(&mut self) -> String {
        format!("/work/small-{}", self.chance.below(20))
    }

    /// So many records, each with its id and as canonical JSON.
    pub(crate) fn records(&mut self, prefix: &str, count: usize) -> Vec<(String, Vec<u8>)> {
        let ids = (0..count).map(|number| format!("{prefix}{number}"));
        ids.map(|id| (id.clone(), self.record(&id))).collect()
    }

    fn record(&mut self, id: &str) -> Vec<u8> {
        let words = self.chance.between(6, 24);
        let content = self.text(words);
        let (scope, workspace) = self.place();
        let (month, day) = (self.chance.between(1, 6), self.chance.between(1, 28));
        let time = format!("2026-{month:02}-{day:02}T08:00:00.000Z");
        let trust = self.chance.one(&["explicit-user", "observed", "inferred"]);
        let mut record = json!({
            "id": id,
            "content": content,
            "scope": scope,
            "type": self.chance.one(&TYPES),
            "authority": if self.chance.below(50) == 0 { "directive" } else { "reference" },
            "tags": [self.chance.one(&TAGS)],
            "confidence": *self.chance.one(&[1.0, 0.8, 0.5]),
            "importance": *self.chance.one(&[0.5, 0.5, 0.9]),
            "createdAt": time,
            "updatedAt": time,
            "workspace": workspace,
            "project": if scope == "project" { Some("/work/large/app") } else { None },
            "sources": [{"id": "source_1", "kind": "user", "trust": trust}],
            "schemaVersion": 2,
        });
        if self.chance.below(20) == 0 {
            record["validTo"] = json!("2026-05-01T00:00:00.000Z");
        }
        record.to_string().into_bytes()
    }

    /// So many requests: words as those of a record, now and then with a hint at a type, or with a tag.
    pub(crate) fn requests(&mut self, count: usize) -> Result<Vec<Request>> {
        (0..count).map(|_| Request::parse(self.request().as_bytes())).collect()
    }

    fn request(&mut self) -> String {
        let words = self.chance.between(4, 14);
        let mut query = self.text(words);
        if self.chance.below(6) == 0 {
            query = format!("{} {query}", self.chance.one(&HINTED));
        }
        let workspace = if self.chance.below(4) == 0 { self.small() } else { LARGE.to_owned() };
        let tags =
            if self.chance.below(10) == 0 { vec![self.chance.one(&TAGS)] } else { Vec::new() };
        json!({
            "query": query,
            "now": NOW,
            "timestamp": "2026-07-01T12:00:00.000Z",
            "workspace": workspace,
            "project": if workspace == LARGE { Some("/work/large/app") } else { None },
            "project_identity": null,
            "agent": null,
            "policy": {
                "enabled": true,
                "scopes": ["user", "workspace", "project"],
                "maxInjectedRecords": 8,
                "directives": {"enabled": true, "maxRecords": 20, "maxCharacters": 4000},
            },
            "purpose": if self.chance.below(4) == 0 { "tool" } else { "injection" },
            "limit": 8,
            "character_budget": 6000,
            "min_confidence": 0.0,
            "relevance_mode": "foundation-v1",
            "scopes": null,
            "types": null,
            "authorities": null,
            "tags": tags,
        })
        .to_string()
    }
}

/// A word of one or more parts.
fn word<T: AsRef<str>>(chance: &mut Chance, parts: &[T], most: usize) -> String {
    (0..chance.between(1, most)).map(|_| chance.one(parts).as_ref()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corpus_is_the_same_each_time() {
        let make = || {
            let mut corpus = Corpus::new();
            (corpus.records("m", 100), corpus.requests(100).unwrap())
        };
        assert_eq!(make(), make());
    }
}
