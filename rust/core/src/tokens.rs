//! Search tokens, version `v1`: `w…` words, `g…` trigrams, `c…` CJK bigrams.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::text::{fold, is_cjk, is_word, runs};

/// The name under which an index remembers which rules made its tokens.
pub const TOKENIZER_VERSION: &str = "v1";
/// Most tokens taken from a record.
pub const RECORD_TOKENS: usize = 512;
/// Most tokens taken from a query.
pub const QUERY_TOKENS: usize = 128;

/// The distinct search tokens of a text, each at its first place, and whether a budget cut them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchTokens {
    /// Words with their trigrams in text order, then CJK bigrams in text order.
    pub tokens: Vec<String>,
    /// Whether at least one more distinct token was left out.
    pub truncated: bool,
}

/// Tokenises `text`, stopping at the first new token beyond `limit`.
pub fn search_tokens(text: &str, limit: usize) -> SearchTokens {
    let mut collector = Collector { limit, seen: BTreeSet::new(), found: SearchTokens::default() };
    // A full list stays full: nothing after the first overflow can add a token.
    if collector.take_all(&fold(text)).is_break() {
        collector.found.truncated = true;
    }
    collector.found
}

struct Collector {
    limit: usize,
    seen: BTreeSet<String>,
    found: SearchTokens,
}

impl Collector {
    fn take_all(&mut self, folded: &str) -> ControlFlow<()> {
        for word in runs(folded, |character| is_word(character) && !is_cjk(character)) {
            self.take('w', word)?;
            // A word of three characters is its own only trigram.
            if word.chars().nth(3).is_some() {
                self.take_windows('g', word, 3)?;
            }
        }
        for run in runs(folded, is_cjk) {
            self.take_windows('c', run, 2)?;
        }
        ControlFlow::Continue(())
    }

    /// Every window of `size` characters, or the whole run where it is shorter.
    fn take_windows(&mut self, kind: char, run: &str, size: usize) -> ControlFlow<()> {
        let mut ends = run.char_indices().map(|(at, c)| at + c.len_utf8()).skip(size - 1);
        let first = ends.next().unwrap_or(run.len());
        self.take(kind, &run[..first])?;
        for ((start, character), end) in run.char_indices().zip(ends) {
            self.take(kind, &run[start + character.len_utf8()..end])?;
        }
        ControlFlow::Continue(())
    }

    fn take(&mut self, kind: char, piece: &str) -> ControlFlow<()> {
        let mut token = String::with_capacity(piece.len() + 1);
        token.push(kind);
        token.push_str(piece);
        if self.seen.contains(&token) {
            return ControlFlow::Continue(());
        }
        if self.found.tokens.len() >= self.limit {
            return ControlFlow::Break(());
        }
        self.seen.insert(token.clone());
        self.found.tokens.push(token);
        ControlFlow::Continue(())
    }
}

/// How many of `query` occur among `record`'s tokens; duplicates in `query` count each.
pub fn matched(query: &[String], record: &[String]) -> usize {
    let record: BTreeSet<&str> = record.iter().map(String::as_str).collect();
    query.iter().filter(|token| record.contains(token.as_str())).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        search_tokens(text, RECORD_TOKENS).tokens
    }

    #[test]
    fn words_come_with_their_trigrams_and_before_cjk() {
        assert_eq!(
            tokens("数据库 Port_1"),
            ["wport_1", "gpor", "gort", "grt_", "gt_1", "c数据", "c据库"]
        );
        assert_eq!(tokens("我 and"), ["wand", "c我"]);
    }

    #[test]
    fn the_first_token_beyond_the_limit_ends_the_list_and_a_repeated_one_does_not() {
        let found = search_tokens("abc abc def", 1);
        assert_eq!(
            (found.tokens.as_slice(), found.truncated),
            (["wabc".to_owned()].as_slice(), true)
        );
        assert!(!search_tokens("abc abc", 1).truncated);
        assert!(search_tokens("a", 0).truncated);
    }
}
