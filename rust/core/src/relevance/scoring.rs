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

use std::collections::BTreeMap;

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
    /// `T_g + 4 u1` of each sentence.
    against_sentences: Vec<f64>,
    /// Each distinct `T_g` with its `T_g + 4 u1`, in order.
    totals: Vec<(f64, f64)>,
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
        let of_sentence = |own: &Vec<usize>| {
            let all = own.iter().map(|&at| weights[at]).sum::<f64>();
            (all, all + DOUBT_OF_SENTENCE * rarest)
        };
        let mut totals: Vec<(f64, f64)> = asked.sentences.iter().map(of_sentence).collect();
        let against_sentences = totals.iter().map(|(_, against)| *against).collect();
        totals.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        totals.dedup();
        Self {
            asked,
            against: weights.iter().sum::<f64>() + DOUBT * rarest,
            against_sentences,
            totals,
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
        let gains = held.matches.iter().map(|(at, match_)| self.weights[*at] * match_);
        let whole = gains.sum::<f64>() / self.against;
        let cover = f64::max(whole, self.best_sentence(held));
        let lexical = (f64::sqrt(cover / self.stretch(held.length)) * PARTS).round() / PARTS;
        if self.has_all(held) { lexical.max(self.asked.levels.floor) } else { lexical }
    }

    /// The most that a record covers of any sentence; no other one is looked at than those it matches.
    fn best_sentence(&self, held: &Held) -> f64 {
        let mut sums = BTreeMap::new();
        for (at, match_) in &held.matches {
            for sentence in &self.asked.among[*at] {
                *sums.entry(*sentence).or_insert(0.0) += self.weights[*at] * match_;
            }
        }
        let covers = sums.into_iter().map(|(sentence, sum)| sum / self.against_sentences[sentence]);
        covers.fold(0.0, f64::max)
    }

    /// Whether a record has every unit of the query, and not all of them are weak.
    fn has_all(&self, held: &Held) -> bool {
        let is_whole = held.matches.len() == self.weights.len();
        self.whole.is_finite() && is_whole && held.matches.iter().all(|(_, far)| *far >= 1.0)
    }

    /// The square of the lexical that no record of such a length is above, whose matches weigh so much together.
    pub(crate) fn most_squared(&self, matched: f64, length: usize) -> f64 {
        // The more a sentence weighs the more it can have covered, up to all that is matched, and then the less.
        let above = self.totals.partition_point(|(all, _)| *all <= matched);
        let nearest = self.totals.get(above.saturating_sub(1)..).unwrap_or_default().iter().take(2);
        let covers = nearest.map(|(all, against)| matched.min(*all) / against);
        let most = covers.fold(matched / self.against, f64::max) / self.stretch(length);
        let floor = self.asked.levels.floor;
        if matched >= self.whole { most.max(floor * floor) } else { most }
    }

    /// What the matches of a record weigh at least, if the square of its lexical is so much.
    pub(crate) fn enough(&self, squared: f64) -> f64 {
        let least =
            self.totals.first().map_or(self.against, |(_, against)| against.min(self.against));
        (squared * least).min(self.whole)
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

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::asked::tests::asked;
    use super::*;

    proptest! {
        #[test]
        fn no_record_is_above_the_most_that_its_matches_tell(
            said in vec(vec(0..9_usize, 1..4), 1..9),
            held in vec((0..9_usize, any::<bool>()), 0..9),
        ) {
            let word = |number: &usize| format!("word{number}");
            let sentence =
                |words: &Vec<usize>| words.iter().map(word).collect::<Vec<_>>().join(" ");
            let query = said.iter().map(sentence).collect::<Vec<_>>().join(". ");
            let asked = asked(&query);
            let mut held = Held {
                matches: held.into_iter().map(|(at, far)| (at, if far { 1.0 } else { 0.6 })).collect(),
                length: 7,
            };
            held.matches.retain(|(at, _)| *at < asked.units.len());
            held.matches.sort_by_key(|(at, _)| *at);
            held.matches.dedup_by_key(|(at, _)| *at);
            let mut statistics = Statistics::new(asked.units.len());
            statistics.add(&held);
            let scoring = Scoring::new(&asked, &statistics);
            let gain = |(at, far): &(usize, f64)| scoring.weights[*at] * far;
            let matched: f64 = held.matches.iter().map(gain).sum();
            let mut most = matched / scoring.against;
            let mut best = most;
            for own in &asked.sentences {
                let all: f64 = own.iter().map(|at| scoring.weights[*at]).sum();
                let against = all + DOUBT_OF_SENTENCE * idf(1, 1);
                let matches = held.matches.iter().filter(|(at, _)| own.contains(at));
                best = best.max(matches.map(gain).sum::<f64>() / against);
                most = most.max(matched.min(all) / against);
            }
            let stretch = scoring.stretch(held.length);
            let floor = if scoring.has_all(&held) { asked.levels.floor } else { 0.0 };
            let expected = f64::sqrt(best / stretch).max(floor);
            prop_assert!((scoring.lexical(&held) - expected).abs() < 1e-8);
            let floor = if matched >= scoring.whole { asked.levels.floor } else { 0.0 };
            let expected = (most / stretch).max(floor * floor);
            prop_assert!((scoring.most_squared(matched, held.length) - expected).abs() < 1e-12);
        }
    }
}
