//! Which standing rules a directive block holds: by scope, life and a budget of their own.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde::Serialize;

use crate::context::{characters, directive_line};
use crate::lifecycle::{Lifecycle, lifecycle};
use crate::record::{Authority, Record};
use crate::request::Request;
use crate::scope::Scope;
use crate::trace::list;

/// Longer rules are never injected: a rule is followed whole or not at all.
pub const MOST_CHARACTERS: usize = 1_000;

/// The rules that were selected, and those that were left out.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DirectiveSelection {
    /// Positions of the selected records among those that were handed over, in block order.
    pub selected: Vec<usize>,
    /// Left out by the budget: the first 64.
    pub excluded_ids: Vec<String>,
    /// Left out for their length: the first 64.
    pub truncated_ids: Vec<String>,
    /// Selected with hidden characters in their content or source.
    pub hidden_text_ids: Vec<String>,
    /// Characters of the rule lines, each with its line feed.
    pub characters: usize,
}

/// Selects from `records` the directives that the request sees, in block order.
pub fn select_directives(records: &[Record], request: &Request) -> DirectiveSelection {
    let policy = &request.policy.directives;
    let mut selection = DirectiveSelection::default();
    if !(request.policy.enabled && policy.enabled) {
        return selection;
    }
    for (at, record) in active_rules(records, request) {
        let cost = characters(&directive_line(record)) + 1;
        if characters(&record.content) > MOST_CHARACTERS {
            list(&mut selection.truncated_ids, &record.card.id);
        } else if selection.selected.len() >= policy.max_records
            || selection.characters + cost > policy.max_characters
        {
            list(&mut selection.excluded_ids, &record.card.id);
        } else {
            if record.hides_text() {
                list(&mut selection.hidden_text_ids, &record.card.id);
            }
            selection.selected.push(at);
            selection.characters += cost;
        }
    }
    selection
}

/// The rules in force, with their positions, in block order.
fn active_rules<'a>(records: &'a [Record], request: &Request) -> Vec<(usize, &'a Record)> {
    let everywhere = request.in_every_scope();
    let places = everywhere.places();
    let mut rules: Vec<(usize, &Record)> = records
        .iter()
        .enumerate()
        .filter(|(_, record)| {
            let card = &record.card;
            card.authority == Authority::Directive
                && card.agent.is_none()
                && everywhere.sees(card, &places)
                && lifecycle(card, request.now) == Lifecycle::Active
        })
        .collect();
    let superseded: BTreeSet<&String> =
        rules.iter().filter_map(|(_, record)| record.card.supersedes.as_ref()).collect();
    rules.retain(|(_, record)| !superseded.contains(&record.card.id));
    rules.sort_by(|(_, a), (_, b)| block_order(a, b));
    rules
}

/// Rules of the user before those of a workspace, then importance, then the oldest, then the id.
fn block_order(a: &Record, b: &Record) -> Ordering {
    let specific = |record: &Record| record.card.place.scope() == Scope::Workspace;
    specific(a)
        .cmp(&specific(b))
        .then_with(|| b.card.importance.total_cmp(&a.card.importance))
        .then_with(|| a.card.updated.cmp(&b.card.updated))
        .then_with(|| a.card.id.cmp(&b.card.id))
}
