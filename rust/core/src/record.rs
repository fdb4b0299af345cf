//! What retrieval reads of a record, parsed from its canonical JSON.
//!
//! The schema is declared once, in Python's `records.py`; what arrives here has passed it.

use std::borrow::Cow;
use std::ops::Deref;

use serde::Deserialize;

use crate::error::{Error, Result, json_fault};
use crate::hidden::hides_text;
use crate::hints::{self, Hints};
use crate::instant::{self, Millis};
use crate::scope::{AgentContext, Place, Scope};
use crate::{text, within};

/// What kind of statement a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryType {
    /// Something that is so.
    Fact,
    /// Something the user likes or wants.
    Preference,
    /// Something that was settled.
    Decision,
    /// Something that happened.
    Episode,
    /// How two things or people stand to each other.
    Relationship,
    /// Something that was learned.
    Insight,
}

/// Evidence, or a standing rule the user approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Authority {
    /// Evidence.
    Reference,
    /// A standing rule the user approved.
    Directive,
}

macro_rules! named {
    ($($set:ident { $($member:ident = $name:literal),* })*) => {$(
        impl $set {
            /// The member's name in canonical JSON, SQL and labels.
            pub fn name(self) -> &'static str {
                match self { $(Self::$member => $name),* }
            }
            /// The member of that name.
            pub fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$member),)* _ => None }
            }
        }
    )*};
}
named! {
    MemoryType {
        Fact = "fact", Preference = "preference", Decision = "decision", Episode = "episode",
        Relationship = "relationship", Insight = "insight"
    }
    Authority { Reference = "reference", Directive = "directive" }
}

/// Marks that end a record's life whatever the time, in the order in which they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It was deleted: a tombstone.
    Deleted,
    /// It was disabled.
    Disabled,
    /// It was superseded.
    Superseded,
}

impl Mark {
    /// The mark's name in SQL and as a lifecycle state.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::Disabled => "disabled",
            Self::Superseded => "superseded",
        }
    }
}

/// What eligibility and ranking read of a record; no content.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// The record's id.
    pub id: String,
    /// Where it belongs.
    pub place: Place,
    /// Whose it is, where an agent owns it.
    pub agent: Option<AgentContext>,
    /// What kind of statement it is.
    pub kind: MemoryType,
    /// Evidence or rule.
    pub authority: Authority,
    /// The mark that ended its life, if any.
    pub mark: Option<Mark>,
    /// From when it holds.
    pub valid_from: Option<Millis>,
    /// Until when it holds: the earlier of `validTo` and `expiresAt`.
    pub ends: Option<Millis>,
    /// When it was last changed; `None` where the text is no date.
    pub updated: Option<Millis>,
    /// When it was observed; `None` where the text is no date.
    pub observed: Option<Millis>,
    /// The id of the record it replaces.
    pub supersedes: Option<String>,
    /// In `[0,1]`.
    pub importance: f64,
    /// In `[0,1]`.
    pub confidence: f64,
    /// What it carries that a request can ask for: its tags, folded and trimmed, and the folders of its files.
    pub tags: Vec<String>,
    /// The type hints that it answers, by its type or a tag.
    pub answers: Hints,
}

/// What ranking, and the request's filters, read of a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traits {
    /// The scope it belongs to.
    pub scope: Scope,
    /// What kind of statement it is.
    pub kind: MemoryType,
    /// Evidence or rule.
    pub authority: Authority,
    /// The type hints that it answers, by its type or a tag.
    pub answers: Hints,
    /// In `[0,1]`.
    pub importance: f64,
    /// In `[0,1]`.
    pub confidence: f64,
    /// When it was last changed; `None` where the text is no date.
    pub updated: Option<Millis>,
    /// When it was observed; `None` where the text is no date.
    pub observed: Option<Millis>,
}

impl Card {
    /// What ranking and filters read of it.
    pub fn traits(&self) -> Traits {
        Traits {
            scope: self.place.scope(),
            kind: self.kind,
            authority: self.authority,
            answers: self.answers,
            importance: self.importance,
            confidence: self.confidence,
            updated: self.updated,
            observed: self.observed,
        }
    }

    /// The agent that owns the record; nobody is "".
    pub fn owner(&self) -> &str {
        self.agent.as_ref().map_or("", |agent| &agent.agent_id)
    }
}

/// Where a record's statement came from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Source {
    /// The kind of source.
    pub kind: String,
    /// How far it is trusted.
    pub trust: String,
    /// Where to find it.
    pub locator: Option<String>,
}

/// A whole record, as far as retrieval reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// What eligibility and ranking read.
    pub card: Card,
    /// The statement.
    pub content: String,
    /// Who said it.
    pub speaker: Option<String>,
    /// Whom or what it is about.
    pub subject: Option<String>,
    /// When it was observed, else when it was made; `None` where neither text is a date.
    pub happened: Option<Millis>,
    /// Tags as they were given.
    pub tags: Vec<String>,
    /// Its sources, the first being the one that is shown.
    pub sources: Vec<Source>,
}

/// Text that is only looked at: copied only where JSON escapes a part of it.
#[derive(Deserialize)]
struct Text<'j>(#[serde(borrow)] Cow<'j, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'j> {
    id: String,
    content: String,
    speaker: Option<String>,
    subject: Option<String>,
    scope: Scope,
    #[serde(borrow)]
    workspace: Option<Text<'j>>,
    project: Option<Text<'j>>,
    project_identity: Option<Text<'j>>,
    agent_context: Option<AgentContext>,
    #[serde(default)]
    tags: Vec<String>,
    confidence: f64,
    importance: f64,
    #[serde(rename = "type")]
    kind: MemoryType,
    authority: Authority,
    created_at: Text<'j>,
    updated_at: Text<'j>,
    observed_at: Option<Text<'j>>,
    valid_from: Option<Text<'j>>,
    valid_to: Option<Text<'j>>,
    expires_at: Option<Text<'j>>,
    supersedes: Option<String>,
    superseded_at: Option<Text<'j>>,
    disabled_at: Option<Text<'j>>,
    deleted_at: Option<Text<'j>>,
    #[serde(default)]
    sources: Vec<Source>,
}

impl Record {
    /// Parses a record's canonical JSON.
    pub fn parse(json: &[u8]) -> Result<Self> {
        // To know at once that all of it is UTF-8 is cheaper than to learn so of each text in it.
        let wire = match std::str::from_utf8(json) {
            Ok(json) => serde_json::from_str(json),
            Err(_) => serde_json::from_slice(json),
        };
        let fault = |error| Error::Record { reason: json_fault(&error) };
        Ok(Self::from_wire(wire.map_err(fault)?))
    }

    fn from_wire(wire: Wire<'_>) -> Self {
        let observed = [wire.observed_at.as_ref(), Some(&wire.updated_at), Some(&wire.created_at)]
            .into_iter()
            .flatten()
            .find(|text| !text.is_empty());
        let mut tags: Vec<String> = wire.tags.iter().map(|tag| text::label(tag)).collect();
        let answers = hints::answered(wire.kind, &tags);
        tags.extend(within::labels(&wire.sources));
        let date = |text: &Option<Text<'_>>| text.as_deref().and_then(instant::parse);
        let happened = date(&wire.observed_at);
        let card = Card {
            place: Place::new(
                wire.scope,
                wire.workspace.as_deref(),
                wire.project.as_deref(),
                wire.project_identity.as_deref(),
            ),
            mark: [
                (&wire.deleted_at, Mark::Deleted),
                (&wire.disabled_at, Mark::Disabled),
                (&wire.superseded_at, Mark::Superseded),
            ]
            .into_iter()
            .find(|(text, _)| text.as_ref().is_some_and(|text| !text.is_empty()))
            .map(|(_, mark)| mark),
            valid_from: date(&wire.valid_from),
            ends: [date(&wire.valid_to), date(&wire.expires_at)].into_iter().flatten().min(),
            updated: instant::parse(&wire.updated_at),
            observed: observed.and_then(|text| instant::parse(text)),
            supersedes: wire.supersedes.filter(|id| !id.is_empty()),
            answers,
            id: wire.id,
            agent: wire.agent_context,
            kind: wire.kind,
            authority: wire.authority,
            importance: wire.importance,
            confidence: wire.confidence,
            tags,
        };
        Self {
            card,
            content: wire.content,
            speaker: wire.speaker,
            subject: wire.subject,
            happened: happened.or_else(|| instant::parse(&wire.created_at)),
            tags: wire.tags,
            sources: wire.sources,
        }
    }

    /// Whether the content, or the locator of a source, holds hidden characters that no writing needs.
    pub fn hides_text(&self) -> bool {
        let locators = self.sources.iter().filter_map(|source| source.locator.as_deref());
        locators.chain([self.content.as_str()]).any(hides_text)
    }
}
