//! A request with everything that follows from it alone.

use std::cell::OnceCell;

use crate::features::{Features, Seen, Signals, Weights};
use crate::hints::{Hints, Wish};
use crate::rank;
use crate::record::Traits;
use crate::relevance::Relevance;
use crate::request::Request;
use crate::scope::Place;
use crate::tokens::TokenKey;
use crate::trace::Scored;

/// A request, read once.
#[derive(Debug)]
pub(crate) struct Query<'a> {
    /// The request.
    pub request: &'a Request,
    /// The hints it gives.
    pub hints: Hints,
    /// Whether it asks for nothing but what they name; `foundation-v2` alone asks.
    pub kind_alone: bool,
    /// What its words ask of records.
    pub relevance: Relevance,
    /// How much each feature counts.
    pub weights: Weights,
    /// The places it may see.
    pub places: Vec<Place>,
    texts: OnceCell<Vec<String>>,
}

impl<'a> Query<'a> {
    /// Reads the request's words and scope.
    pub(crate) fn new(request: &'a Request) -> Self {
        let Wish { hints, alone } = Wish::of(request);
        Self {
            request,
            hints,
            kind_alone: alone,
            relevance: Relevance::of(request),
            weights: Weights::of(request),
            places: request.places(),
            texts: OnceCell::new(),
        }
    }

    /// How many distinct search tokens are asked for.
    pub(crate) fn asked(&self) -> usize {
        self.relevance.asked()
    }

    /// The search tokens in their order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = TokenKey<'_>> {
        (0..self.asked()).filter_map(|at| self.relevance.key(at))
    }

    /// The search tokens as texts.
    pub(crate) fn texts(&self) -> &[String] {
        self.texts.get_or_init(|| self.keys().map(TokenKey::text).collect())
    }

    /// The features of a record with its final score.
    pub(crate) fn score(&self, traits: &Traits, signals: Signals) -> Scored {
        let seen = Seen { traits, signals, hints: self.hints, now: self.request.now };
        let features = Features::measure(seen);
        Scored { features, final_score: rank::final_score(&features, &self.weights) }
    }
}
