//! Modes of version 1: the share of the query's tokens that a record holds, and the floor of it.

use super::RelevanceMode;
use crate::features::{Features, Signals, coverage};
use crate::request::Request;
use crate::text::is_cjk;
use crate::tokens::Token;

/// The tokens of a query, and what share of them admits a record.
#[derive(Debug)]
pub(crate) struct Share {
    /// The tokens, each once.
    pub(crate) tokens: Vec<Token>,
    /// Whether there were more than are used.
    pub(crate) truncated: bool,
    floor: Option<f64>,
}

impl Share {
    /// Reads a request of one of these modes; CJK is looked for in the text as it was typed.
    pub(crate) fn of(request: &Request) -> Self {
        let floor = match request.relevance_mode {
            RelevanceMode::HistoricalV1 => None,
            _ if request.query.contains(is_cjk) => Some(1.0 / 3.0),
            _ => Some(0.4),
        };
        let (tokenizer, mut tokens) = (request.tokenizer, Vec::new());
        let truncated = tokenizer.each_token(&request.query, tokenizer.query_tokens(), |key| {
            tokens.push(Token::from(key));
        });
        Self { tokens, truncated, floor }
    }

    /// Whether a candidate is relevant.
    pub(crate) fn admits(&self, features: &Features) -> bool {
        self.admits_words(features.lexical) || features.type_affinity > 0.0
    }

    fn admits_words(&self, lexical: f64) -> bool {
        self.floor.map_or(lexical > 0.0, |floor| lexical >= floor)
    }

    /// `hits` as a share of the tokens.
    pub(crate) fn lexical(&self, hits: usize) -> f64 {
        coverage(hits, self.tokens.len())
    }

    /// What so many hits tell of a candidate.
    pub(crate) fn signals(&self, hits: usize) -> Signals {
        Signals::of_words(self.lexical(hits))
    }

    /// The fewest of the tokens that admit a record by words; `None` where no number does.
    pub(crate) fn fewest_hits(&self) -> Option<usize> {
        (1..=self.tokens.len()).find(|&hits| self.admits_words(self.lexical(hits)))
    }
}
