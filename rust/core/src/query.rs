//! A request with everything that follows from it alone.

use std::cell::OnceCell;

use crate::admission::Admission;
use crate::features::Features;
use crate::hints::{self, Hints};
use crate::rank::{self, WEIGHTS};
use crate::record::Traits;
use crate::request::Request;
use crate::scope::Place;
use crate::tokens::{QUERY_TOKENS, TokenKey};
use crate::trace::Scored;

/// A request, read once.
#[derive(Debug)]
pub(crate) struct Query<'a> {
    /// The request.
    pub request: &'a Request,
    /// Whether its words have more tokens than are used.
    pub truncated: bool,
    /// The hints it gives.
    pub hints: Hints,
    /// Its rule of admission.
    pub admission: Admission,
    /// The places it may see.
    pub places: Vec<Place>,
    tokens: Vec<Token>,
    texts: OnceCell<Vec<String>>,
}

/// A search token that has its text.
#[derive(Debug)]
enum Token {
    Packed(u64),
    Word(Box<str>),
    Pair(Box<str>),
}

impl<'a> Query<'a> {
    /// Reads the request's words and scope.
    pub(crate) fn new(request: &'a Request) -> Self {
        let mut tokens = Vec::new();
        let tokenizer = request.tokenizer;
        let truncated = tokenizer.each_token(&request.query, QUERY_TOKENS, |key| {
            tokens.push(match key {
                TokenKey::Packed(key) => Token::Packed(key),
                TokenKey::Word(word) => Token::Word(word.into()),
                TokenKey::Pair(pair) => Token::Pair(pair.into()),
            });
        });
        Self {
            request,
            truncated,
            hints: hints::hinted(&request.query),
            admission: Admission::new(request.relevance_mode, &request.query),
            places: request.places(),
            tokens,
            texts: OnceCell::new(),
        }
    }

    /// How many distinct search tokens are asked for.
    pub(crate) fn asked(&self) -> usize {
        self.tokens.len()
    }

    /// The search tokens in their order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = TokenKey<'_>> {
        self.tokens.iter().map(|token| match token {
            Token::Packed(key) => TokenKey::Packed(*key),
            Token::Word(word) => TokenKey::Word(word),
            Token::Pair(pair) => TokenKey::Pair(pair),
        })
    }

    /// The search tokens as texts.
    pub(crate) fn texts(&self) -> &[String] {
        self.texts.get_or_init(|| self.keys().map(TokenKey::text).collect())
    }

    /// The features of a record that holds `hits` of the tokens, with its final score.
    pub(crate) fn score(&self, traits: &Traits, hits: usize) -> Scored {
        let features = Features::measure(traits, hits, self.asked(), self.hints, self.request.now);
        Scored { features, final_score: rank::final_score(&features, &WEIGHTS) }
    }
}
