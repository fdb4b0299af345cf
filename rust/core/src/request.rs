//! A request and its policy, parsed once; what is in hand is valid.

use serde::Deserialize;

use crate::error::{Error, Result, json_fault};
use crate::instant::Millis;
use crate::ranking::RankingPolicy;
use crate::record::{Authority, Card, MemoryType};
use crate::relevance::RelevanceMode;
use crate::scope::{self, AgentAccess, Place, Scope};
use crate::tokens::Tokenizer;
use crate::{text, within};

/// Most records that any request selects, whatever it asks for.
pub const MOST_RECORDS: u64 = 64;

/// What the recalled records are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// The context block of a prompt: directives have a block of their own.
    Injection,
    /// A tool's answer: directives are kept.
    Tool,
}

/// What the host allows.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// Whether anything is recalled at all.
    pub enabled: bool,
    /// The scopes that may be read.
    pub scopes: Vec<Scope>,
    /// Most records in a context block.
    pub max_injected_records: u64,
    /// The directive block's own budget.
    pub directives: DirectivePolicy,
    /// Weights and floors, where the host says any.
    #[serde(default)]
    pub ranking: Option<RankingPolicy>,
}

impl Policy {
    /// The host's weights and floors, else those of `foundation-v2`.
    pub(crate) fn ranking(&self) -> RankingPolicy {
        self.ranking.unwrap_or_default()
    }
}

/// The directive block's own budget.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DirectivePolicy {
    /// Whether directives are injected.
    pub enabled: bool,
    /// Most rules.
    pub max_records: usize,
    /// Most characters of all rule lines, each with its line feed.
    pub max_characters: usize,
}

/// One request for recall.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Request {
    /// The words asked for.
    pub query: String,
    /// The instant at which lifecycles and freshness are judged.
    pub now: Millis,
    /// The same instant as text, for the trace.
    pub timestamp: String,
    /// The workspace asked from.
    pub workspace: Option<String>,
    /// The project asked from.
    pub project: Option<String>,
    /// The identity of the project asked from.
    pub project_identity: Option<String>,
    /// The agent asked for.
    pub agent: Option<AgentAccess>,
    /// What the host allows.
    pub policy: Policy,
    /// What the records are for.
    pub purpose: Purpose,
    /// Most records.
    pub limit: u64,
    /// How many of the best are passed over, as if they were not there.
    #[serde(default)]
    pub offset: usize,
    /// Most characters of the context block.
    pub character_budget: usize,
    /// Least confidence of an eligible record.
    pub min_confidence: f64,
    /// The named rule of relevance.
    pub relevance_mode: RelevanceMode,
    /// What makes the tokens of query and records.
    #[serde(default)]
    pub tokenizer: Tokenizer,
    /// Only these scopes, where given.
    pub scopes: Option<Vec<Scope>>,
    /// Only these types, where given.
    pub types: Option<Vec<MemoryType>>,
    /// Only these authorities, where given.
    pub authorities: Option<Vec<Authority>>,
    /// Only records that carry every one of these tags; once it is parsed, labels of a folder too.
    pub tags: Vec<String>,
    /// Only records one of whose sources is this file, or a file in this folder or below it.
    pub within: Option<String>,
    /// Only records that were observed then or later.
    pub since: Option<Millis>,
    /// Only records that were observed before.
    pub until: Option<Millis>,
}

impl Request {
    /// Parses a request's JSON.
    pub fn parse(json: &[u8]) -> Result<Self> {
        let mut request: Self = serde_json::from_slice(json)
            .map_err(|error| Error::Request { reason: json_fault(&error) })?;
        if request.relevance_mode == RelevanceMode::FoundationV2
            && request.tokenizer != Tokenizer::V2
        {
            let reason = "foundation-v2 weighs units of tokenizer v2".to_owned();
            return Err(Error::Request { reason });
        }
        request.tags = request.tags.iter().map(|tag| text::label(tag)).collect();
        request.tags.extend(request.within.as_deref().map(within::label));
        Ok(request)
    }

    /// The same request under a policy that allows every scope.
    ///
    /// The policy's scopes govern what is recalled, not which approved rules hold.
    #[must_use]
    pub fn in_every_scope(&self) -> Self {
        let mut request = self.clone();
        request.policy.scopes = vec![Scope::User, Scope::Workspace, Scope::Project];
        request
    }

    /// The agent whose records are asked for; nobody is "".
    pub fn owner(&self) -> &str {
        self.agent.as_ref().map_or("", |agent| &agent.agent_id)
    }

    /// The places that the request may see, before the ownership of agents.
    pub fn places(&self) -> Vec<Place> {
        let workspace = self.workspace.as_deref();
        let places = [
            Place::User,
            Place::new(Scope::Workspace, workspace, None, None),
            Place::new(Scope::Project, workspace, self.project.as_deref(), None),
            Place::Identity(self.project_identity.as_deref().and_then(scope::normalize_path)),
        ];
        let allowed = |place: &Place| place.exists() && self.policy.scopes.contains(&place.scope());
        places.into_iter().filter(allowed).collect()
    }

    /// Whether the request, which sees `places`, may see the record at all.
    pub fn sees(&self, card: &Card, places: &[Place]) -> bool {
        let root = self.project.as_deref().or(self.workspace.as_deref()).unwrap_or_default();
        places.contains(&card.place)
            && scope::agent_sees(card.agent.as_ref(), self.agent.as_ref(), root)
    }

    /// How many records may be selected.
    pub fn record_limit(&self) -> u64 {
        if !self.policy.enabled {
            return 0;
        }
        self.limit.min(self.policy.max_injected_records).min(MOST_RECORDS)
    }

    /// Whether the purpose takes records of that authority.
    pub fn serves(&self, authority: Authority) -> bool {
        self.purpose == Purpose::Tool || authority == Authority::Reference
    }

    /// Whether the request asks for what records of one kind do not have in common, their confidence aside.
    pub(crate) fn picks(&self) -> bool {
        !self.tags.is_empty() || self.is_timed()
    }

    /// Whether the request asks when records were observed.
    pub(crate) fn is_timed(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    /// Whether a record that was observed then is among those asked for; of a time that is no date none knows.
    pub(crate) fn spans(&self, observed: Option<Millis>) -> bool {
        let from_on = |since: Millis| observed.is_some_and(|observed| since <= observed);
        let before = |until: Millis| observed.is_some_and(|observed| observed < until);
        self.since.is_none_or(from_on) && self.until.is_none_or(before)
    }

    /// Whether the request filters pass a record, its tags and its time aside.
    pub fn passes(&self, scope: Scope, kind: MemoryType, authority: Authority) -> bool {
        fn allows<T: PartialEq>(filter: Option<&Vec<T>>, value: &T) -> bool {
            filter.is_none_or(|allowed| allowed.contains(value))
        }
        allows(self.scopes.as_ref(), &scope)
            && allows(self.types.as_ref(), &kind)
            && allows(self.authorities.as_ref(), &authority)
    }
}
