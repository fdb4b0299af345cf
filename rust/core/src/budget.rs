//! What fits the prompt: the record budget and the character budget.

use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation;

use crate::candidate::Measured;
use crate::context::{self, characters, escaped_width, reference_frame, reference_line};
use crate::error::Result;
use crate::instant::Millis;
use crate::request::Request;
use crate::shown::Shown;
use crate::text::{is_space, trim_end};
use crate::trace::list;

/// A record whose content would be cut below this many characters is skipped instead.
const LEAST_CUT_CONTENT: usize = 96;

/// A record that was selected.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken<O> {
    /// What its path gives for it: the position or the canonical JSON.
    pub origin: O,
    /// The record.
    pub shown: Arc<Shown>,
    /// What the block shows of its content, where that was cut.
    pub cut: Option<String>,
}

impl<O> Taken<O> {
    /// The record's id.
    pub fn id(&self) -> &str {
        &self.shown.record.card.id
    }
}

/// What one context block holds, and what was left out.
#[derive(Debug)]
pub struct Selection<O> {
    /// The selected records in rank order.
    pub taken: Vec<Taken<O>>,
    /// Skipped for content equal to a selected one's: the first 64.
    pub duplicates: Vec<String>,
    /// Skipped for not fitting: the first 64.
    pub excluded: Vec<String>,
    /// The context block.
    pub block: String,
    /// Its characters.
    pub characters: usize,
    /// Whether the record budget is used.
    pub full: bool,
}

impl<O> Default for Selection<O> {
    fn default() -> Self {
        Self {
            taken: Vec::new(),
            duplicates: Vec::new(),
            excluded: Vec::new(),
            block: String::new(),
            characters: 0,
            full: false,
        }
    }
}

impl<O> Selection<O> {
    /// The ids of the selected records of which something is so.
    pub fn ids(&self, is_so: fn(&Taken<O>) -> bool) -> Vec<String> {
        let those = self.taken.iter().filter(|taken| is_so(taken));
        those.map(|taken| taken.id().to_owned()).collect()
    }
}

/// Takes records in rank order until the record budget is used, each as far as the character budget allows.
pub(crate) fn select<O>(
    admitted: &[Measured],
    request: &Request,
    mut record: impl FnMut(usize) -> Result<(Arc<Shown>, O)>,
) -> Result<Selection<O>> {
    let mut selection = Selection::default();
    let mut lines: Vec<String> = Vec::new();
    let mut used = reference_frame();
    for candidate in admitted {
        if selection.taken.len() as u64 >= request.record_limit() {
            break;
        }
        let (shown, origin) = record(candidate.candidate.key)?;
        let id = &shown.record.card.id;
        if selection.taken.iter().any(|taken| taken.shown.says_the_same(&shown)) {
            list(&mut selection.duplicates, id);
            continue;
        }
        let room = request.character_budget.saturating_sub(used);
        let Some(Fitted { line, characters, cut }) = fit(&shown, room, request.now) else {
            list(&mut selection.excluded, id);
            continue;
        };
        used += characters;
        lines.push(line);
        selection.taken.push(Taken { origin, shown, cut });
    }
    selection.full = selection.taken.len() as u64 >= request.record_limit();
    selection.block = context::reference_block(&lines);
    selection.characters = if lines.is_empty() { 0 } else { used };
    Ok(selection)
}

/// A line that fits, with the characters that it and its line feed take.
struct Fitted {
    line: String,
    characters: usize,
    /// The content in it, where it was cut.
    cut: Option<String>,
}

/// The record's line, cut where it has to be; `None` where it does not fit `room`.
fn fit(shown: &Shown, room: usize, now: Millis) -> Option<Fitted> {
    let whole = shown.characters(now) + 1;
    if whole <= room {
        return Some(Fitted { line: shown.line(now), characters: whole, cut: None });
    }
    let record = &shown.record;
    let around = characters(&reference_line(record, "", now)) + 1;
    let cut = longest_prefix(&record.content, room.checked_sub(around)?);
    if characters(cut) < LEAST_CUT_CONTENT {
        return None;
    }
    let line = reference_line(record, cut, now);
    Some(Fitted { characters: characters(&line) + 1, line, cut: Some(cut.to_owned()) })
}

/// The longest prefix that ends between graphemes and, trimmed at its end and escaped, has at most `room` characters.
fn longest_prefix(content: &str, room: usize) -> &str {
    let mut width = 0;
    let mut best = 0;
    for (start, grapheme) in content.grapheme_indices(true) {
        width += grapheme.chars().map(escaped_width).sum::<usize>();
        if width <= room {
            best = start + grapheme.len();
        } else if !grapheme.chars().all(is_space) {
            // Trailing white space is trimmed, so it may run over; anything else may not.
            break;
        }
    }
    trim_end(&content[..best])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn width(text: &str) -> usize {
        text.chars().map(escaped_width).sum()
    }

    proptest! {
        #[test]
        fn the_prefix_is_the_longest_that_fits(content in "[ a<é\u{301}👩‍🚀\u{200d}한\r\n]{0,24}", room in 0_usize..40) {
            let ends = content.grapheme_indices(true).map(|(start, grapheme)| start + grapheme.len());
            let fitting = std::iter::once(0).chain(ends)
                .map(|end| trim_end(&content[..end]))
                .filter(|prefix| width(prefix) <= room)
                .max_by_key(|prefix| prefix.len());
            prop_assert_eq!(longest_prefix(&content, room), fitting.unwrap_or(""));
        }
    }
}
