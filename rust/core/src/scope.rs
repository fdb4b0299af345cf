//! Who may see a record: scopes, places and the ownership of agents.

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

use crate::{text, windows_path};

/// A path is folded at most so often. One of `./ ./ ./ …` gives up one piece each time.
const MOST_FOLDS: usize = 64;

/// Where a record belongs and who may see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The user's, everywhere.
    User,
    /// One workspace's.
    Workspace,
    /// One project's.
    Project,
}

impl Scope {
    /// The scope's name in canonical JSON and in context lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Workspace => "workspace",
            Self::Project => "project",
        }
    }
}

/// The place a record belongs to; agents aside, two records share it exactly when the same
/// requests may see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The user's, everywhere.
    User,
    /// A workspace, by normalised path; `None` is no place at all.
    Workspace(Option<String>),
    /// A project, by normalised path; `None` is no place at all.
    Project(Option<String>),
    /// A project, by its identity, whatever its path.
    Identity(Option<String>),
}

impl Place {
    /// The place that a record's fields name.
    pub fn new(
        scope: Scope,
        workspace: Option<&str>,
        project: Option<&str>,
        identity: Option<&str>,
    ) -> Self {
        match (scope, identity) {
            (Scope::User, _) => Self::User,
            (Scope::Workspace, _) => Self::Workspace(workspace.and_then(normalize_path)),
            (Scope::Project, Some(identity)) => Self::Identity(normalize_path(identity)),
            // An absent project falls back to the workspace; an empty one does not.
            (Scope::Project, None) => Self::Project(project.or(workspace).and_then(normalize_path)),
        }
    }

    /// The scope the place lies in.
    pub fn scope(&self) -> Scope {
        match self {
            Self::User => Scope::User,
            Self::Workspace(_) => Scope::Workspace,
            Self::Project(_) | Self::Identity(_) => Scope::Project,
        }
    }

    /// Whether the place names anything that a request could equal.
    pub fn exists(&self) -> bool {
        !matches!(self, Self::Workspace(None) | Self::Project(None) | Self::Identity(None))
    }

    /// The place as one text, injective; the index stores it.
    pub fn key(&self) -> String {
        let (kind, path) = match self {
            Self::User => ("user", None),
            Self::Workspace(path) => ("workspace", path.as_deref()),
            Self::Project(path) => ("project", path.as_deref()),
            Self::Identity(path) => ("identity", path.as_deref()),
        };
        path.map_or_else(|| kind.to_owned(), |path| format!("{kind}:{path}"))
    }
}

/// The ownership of a record by an agent, and whom it is shared with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentContext {
    /// The owning agent.
    pub agent_id: String,
    /// The conversation it was made in.
    pub source_conversation_id: String,
    /// The handoff it was made in.
    pub source_handoff_id: Option<String>,
    /// The task it was made in.
    pub source_task_id: Option<String>,
    /// Whether every conversation of the agent sees it.
    #[serde(default)]
    pub shared: bool,
    /// Conversations that see it.
    #[serde(default)]
    pub shared_conversation_ids: Vec<String>,
    /// Projects that see it.
    #[serde(default)]
    pub shared_project_roots: Vec<String>,
}

/// The agent a request is made for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AgentAccess {
    /// The agent.
    pub agent_id: String,
    /// Its present conversation.
    pub conversation_id: Option<String>,
    /// Its present handoff.
    pub handoff_id: Option<String>,
    /// Its present task.
    pub task_id: Option<String>,
    /// Whether it manages all of its own records.
    pub manage: bool,
}

/// Whether `agent` sees what `owner` owns when it asks from the folder `root`.
///
/// An agent sees its own records only, and nobody else sees those.
pub fn agent_sees(owner: Option<&AgentContext>, agent: Option<&AgentAccess>, root: &str) -> bool {
    let (owner, agent) = match (owner, agent) {
        (None, None) => return true,
        (Some(owner), Some(agent)) if owner.agent_id == agent.agent_id => (owner, agent),
        _ => return false,
    };
    let conversation = agent.conversation_id.as_deref().unwrap_or_default();
    if agent.manage
        || owner.shared
        || owner.shared_conversation_ids.iter().any(|id| id == conversation)
        || owner.shared_project_roots.iter().any(|shared| shared == root)
    {
        return true;
    }
    match (&owner.source_task_id, &owner.source_handoff_id) {
        (Some(task), _) => Some(task) == agent.task_id.as_ref(),
        (None, Some(handoff)) => Some(handoff) == agent.handoff_id.as_ref(),
        (None, None) => Some(&owner.source_conversation_id) == agent.conversation_id.as_ref(),
    }
}

/// A path in the one form in which places are compared; `None` for an empty one, and for one that was made
/// to be folded for ever.
///
/// Pure: trims, folds repeated and trailing separators and dot segments, composes to NFC so that no two
/// look-alike spellings are two places. Symbolic links are not followed, the working directory is not read.
/// Case is kept, but in an absolute Windows path, which follows the rules of `windows_path.rs`.
pub fn normalize_path(path: &str) -> Option<String> {
    if is_plainly_normal(path) {
        return Some(path.to_owned());
    }
    folded_path(path)
}

/// Whether folding would leave the path as it is, told by a glance: absolute, ASCII, nothing to fold.
fn is_plainly_normal(path: &str) -> bool {
    let Some(names) = path.strip_prefix('/') else { return false };
    path.is_ascii()
        && !path.ends_with(is_ascii_space)
        && names.split('/').all(|name| !matches!(name, "" | "." | ".."))
}

fn is_ascii_space(character: char) -> bool {
    character.is_ascii() && text::is_space(character)
}

fn folded_path(path: &str) -> Option<String> {
    let mut path = composed(path);
    for _ in 0..MOST_FOLDS {
        if path.is_empty() {
            return None;
        }
        let windows = windows_path::normalize(&path);
        let other = windows.is_none();
        let normal = windows.unwrap_or_else(|| posix(&path));
        // Folding can bring white space to an end, or a drive to the front; what is normal must stay as it
        // is when folded again.
        let again =
            text::trim(&normal) != normal || (other && windows_path::normalize(&normal).is_some());
        if !again {
            return Some(normal);
        }
        path = composed(&normal);
    }
    None
}

fn composed(path: &str) -> String {
    text::trim(path).nfc().collect()
}

fn posix(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::normalize_path;

    proptest! {
        #[test]
        fn what_is_normal_stays_as_it_is(path in r"\PC*|[/\\.? cCUN:ıſK\u{307}\u{3000}]{0,24}") {
            if let Some(normal) = normalize_path(&path) {
                prop_assert_eq!(normalize_path(&normal), Some(normal));
            }
        }
    }

    proptest! {
        #[test]
        fn a_glance_sees_what_folding_would_do(path in r"/[ab.\\/ :\tC\u{e9}]{0,12}|(/[a.]{0,3}){1,4}") {
            if super::is_plainly_normal(&path) {
                prop_assert_eq!(super::folded_path(&path), Some(path));
            }
        }
    }

    #[test]
    fn one_place_has_one_spelling() {
        for (path, normal) in [
            ("", None),
            (" \t", None),
            ("/", Some("/")),
            ("/ws/alpha/", Some("/ws/alpha")),
            ("  /ws//x/.././alpha ", Some("/ws/alpha")),
            ("/../ws", Some("/ws")),
            ("/WS/alpha", Some("/WS/alpha")),
            ("conv-26", Some("conv-26")),
            ("/ws/a /", Some("/ws/a")),
            ("./ a", Some("a")),
            ("a/ /", Some("a")),
            ("a/..", Some(".")),
            ("../a/../..", Some("../..")),
            ("/cafe\u{301}", Some("/caf\u{e9}")),
        ] {
            assert_eq!(normalize_path(path).as_deref(), normal, "{path:?}");
            if let Some(normal) = normal {
                assert_eq!(normalize_path(normal).as_deref(), Some(normal));
            }
        }
    }
}
