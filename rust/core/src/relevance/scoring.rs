//! The lexical feature of `foundation-v2`.
//!
//! ```text
//! lexical(r) = sqrt( cover(r) / stretch(r) )                                            in [0, 1)
//! cover(r)   = max( S / (T + 2 u1),  over the sentences g: S_g / (T_g + 4 u1) )
//! S          = sum of w(u) m(u, r) over the query's units u, in their order;  T = sum of w(u)
//! w(u)       = strength(u) idf(df(u)),  df(u) = number of eligible records with m(u, r) > 0
//! idf(n)     = ln(1 + (N + 100 - n + 1/2) / (n + 1/2)),  u1 = idf(1)
//! stretch(r) = 1 + L_r / (4 mean L)
//! ```
//!
//! A record that has every unit of the query as it is, not all of them weak, is at the floor at least: who asks
//! for one word is answered, however many records have it.
//!
//! The idf is that of Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
//! with 100 documents that hold nothing beside the real ones, so that a small store has one at all.

use super::asked::{Asked, Held};
use super::statistics::Statistics;

/// How far a record matches a pair of which it has both characters, apart.
pub(crate) const APART: f64 = 0.3;
const PSEUDO_DOCUMENTS: f64 = 100.0;
/// How much a record of mean length is stretched.
const LENGTH: f64 = 0.25;
/// How many of the rarest words a query is taken to have missed, and one sentence of it.
const DOUBT: f64 = 2.0;
const DOUBT_OF_SENTENCE: f64 = 4.0;
/// Scores are rounded to so small a part, so that no library's last bit decides an order.
const PARTS: f64 = 1e9;

/// What the units of a query weigh among the eligible records.
#[derive(Debug)]
pub(crate) struct Scoring<'q> {
    asked: &'q Asked,
    /// w(u).
    pub(crate) weights: Vec<f64>,
    /// T + 2 u1.
    pub(crate) against: f64,
    /// `T_g` and `T_g + 4 u1` of each sentence.
    pub(crate) sentences: Vec<(f64, f64)>,
    /// T, where a record that has every unit is at the floor; else more than any record can have.
    whole: f64,
    mean: f64,
}

impl<'q> Scoring<'q> {
    #[expect(clippy::cast_precision_loss, reason = "there are far fewer units than 2^52")]
    pub(crate) fn new(asked: &'q Asked, statistics: &Statistics) -> Self {
        let Statistics { records, length, holders, .. } = statistics;
        let weight =
            |(unit, &holders): (&super::Unit, &usize)| unit.strength * idf(*records, holders);
        let weights: Vec<f64> = asked.units.iter().zip(holders).map(weight).collect();
        let rarest = idf(*records, 1);
        let of_sentence = |own: &Vec<bool>| {
            let all = weights.iter().zip(own).filter(|(_, own)| **own).map(|(weight, _)| weight);
            let all = all.sum::<f64>();
            (all, all + DOUBT_OF_SENTENCE * rarest)
        };
        Self {
            asked,
            against: weights.iter().sum::<f64>() + DOUBT * rarest,
            sentences: asked.sentences.iter().map(of_sentence).collect(),
            whole: if asked.is_strong() { weights.iter().sum() } else { f64::INFINITY },
            mean: *length as f64 / (*records).max(1) as f64,
            weights,
        }
    }

    /// How far the words of a record answer: 0 where it matches nothing.
    pub(crate) fn lexical(&self, held: &Held) -> f64 {
        if held.matches.is_empty() {
            return 0.0;
        }
        let sum = |own: &dyn Fn(usize) -> bool| -> f64 {
            let matches = held.matches.iter().filter(|(at, _)| own(*at));
            matches.map(|(at, match_)| self.weights[*at] * match_).sum()
        };
        let whole = sum(&|_| true) / self.against;
        let parts = self.asked.sentences.iter().zip(&self.sentences);
        let cover =
            parts.map(|(own, (_, against))| sum(&|at| own[at]) / against).fold(whole, f64::max);
        let lexical = (f64::sqrt(cover / self.stretch(held.length)) * PARTS).round() / PARTS;
        if self.has_all(held) { lexical.max(self.asked.levels.floor) } else { lexical }
    }

    /// Whether a record has every unit of the query, and not all of them are weak.
    fn has_all(&self, held: &Held) -> bool {
        let is_whole = held.matches.len() == self.weights.len();
        self.whole.is_finite() && is_whole && held.matches.iter().all(|(_, far)| *far >= 1.0)
    }

    /// The square of the lexical that no record of such a length is above, whose matches weigh so much together.
    pub(crate) fn most_squared(&self, matched: f64, length: usize) -> f64 {
        let of_sentence = |(all, against): &(f64, f64)| matched.min(*all) / against;
        let covers = self.sentences.iter().map(of_sentence);
        let most = covers.fold(matched / self.against, f64::max) / self.stretch(length);
        let floor = self.asked.levels.floor;
        if matched >= self.whole { most.max(floor * floor) } else { most }
    }

    /// What the matches of a record weigh at least, if the square of its lexical is so much.
    pub(crate) fn enough(&self, squared: f64) -> f64 {
        let against = self.sentences.iter().map(|(_, against)| *against);
        (squared * against.fold(self.against, f64::min)).min(self.whole)
    }

    #[expect(clippy::cast_precision_loss, reason = "there are far fewer units than 2^52")]
    fn stretch(&self, length: usize) -> f64 {
        1.0 + LENGTH * length as f64 / self.mean
    }
}

/// The lexical of each eligible record, and what all of them were counted for.
pub(crate) fn weighed(asked: &Asked, eligible: &[Held]) -> (Vec<f64>, Statistics) {
    let mut statistics = Statistics::new(asked.units.len());
    for held in eligible {
        statistics.add(held);
    }
    let scoring = Scoring::new(asked, &statistics);
    let lexical: Vec<f64> = eligible.iter().map(|held| scoring.lexical(held)).collect();
    let best = lexical.iter().copied().fold(0.0, f64::max);
    statistics.best = asked.levels.needed(best).map_or(0.0, |_| best);
    (lexical, statistics)
}

/// ln(1 + (N + 100 - n + 1/2) / (n + 1/2)).
#[expect(clippy::cast_precision_loss, reason = "there are far fewer records than 2^52")]
fn idf(records: usize, holders: usize) -> f64 {
    let (records, holders) = (records as f64, holders as f64);
    libm::log1p((records + PSEUDO_DOCUMENTS - holders + 0.5) / (holders + 0.5))
}
