//! The path over records at hand: the canonical files, or whatever a caller holds in memory.

use std::sync::Arc;

use crate::candidate::{Candidate, Proposal};
use crate::eligibility::{Unjudged, eligible};
use crate::error::Result;
use crate::features::Signals;
use crate::hints::best_answering;
use crate::query::Query;
use crate::record::Record;
use crate::relevance::{Relevance, weighed};
use crate::request::Request;
use crate::retrieve::{Path, retrieve};
use crate::shown::Shown;
use crate::tokens::matched;
use crate::trace::{Channel, Filtered, Mode};

pub use crate::retrieve::Outcome;

struct Records(Vec<Record>);

impl Records {
    fn hits(&self, query: &Query<'_>, key: usize) -> usize {
        matched(query.texts(), &self.0[key].search_tokens(query.request.tokenizer).tokens)
    }
}

impl Path for Records {
    const MODE: Mode = Mode::Filesystem;
    const FROM_MEMORY: bool = false;
    type Origin = usize;

    fn channel(_by_words: bool) -> Channel {
        Channel::Filesystem
    }

    fn candidates(&mut self, query: &Query<'_>, _most: usize) -> Result<Proposal> {
        let mut filtered = Filtered::default();
        let all = self.0.iter().enumerate();
        let unjudged = all.map(|(key, record)| (Arc::new(record.card.clone()), key)).collect();
        let eligible = eligible(unjudged, query, &mut filtered);
        let (lexical, statistics) = match &query.relevance {
            Relevance::Share(share) => {
                let hits = |key: usize| self.hits(query, key);
                (eligible.iter().map(|(_, key)| share.lexical(hits(*key))).collect(), None)
            }
            Relevance::Weighed(asked) => {
                let held = eligible.iter().map(|(_, key)| asked.held_by(&self.0[*key]));
                let (lexical, mut statistics) = weighed(asked, &held.collect::<Vec<_>>());
                let traits = eligible.iter().map(|(card, _)| card.traits());
                statistics.answering = best_answering(query, traits);
                (lexical, Some(statistics))
            }
        };
        let candidate = |((card, key), lexical): (Unjudged<usize>, f64)| {
            Candidate::of(&card, Signals::of_words(lexical), key)
        };
        let candidates = eligible.into_iter().zip::<Vec<f64>>(lexical).map(candidate).collect();
        Ok(Proposal { candidates, filtered, statistics, outranked: 0 })
    }

    fn record(&mut self, key: usize) -> Result<(Arc<Shown>, usize)> {
        Ok((Arc::new(Shown::new(self.0[key].clone())), key))
    }
}

/// Judges every record; a selected record's origin is its position in `records`.
pub fn retrieve_records<'a>(
    request: &Request,
    records: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Outcome<usize>> {
    let records = records.into_iter().map(Record::parse).collect::<Result<_>>()?;
    retrieve(request, &mut Records(records))
}
