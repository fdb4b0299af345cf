//! The path over records at hand: the canonical files, or whatever a caller holds in memory.

use std::sync::Arc;

use crate::candidate::{Candidate, Proposal};
use crate::error::Result;
use crate::query::Query;
use crate::record::Record;
use crate::request::Request;
use crate::retrieve::{Path, retrieve};
use crate::shown::Shown;
use crate::tokens::matched;
use crate::trace::{Channel, Mode};

pub use crate::retrieve::Outcome;

struct Records(Vec<Record>);

impl Path for Records {
    const MODE: Mode = Mode::Filesystem;
    const FROM_MEMORY: bool = false;
    type Origin = usize;

    fn channel(_hits: usize) -> Channel {
        Channel::Filesystem
    }

    fn candidates(&mut self, query: &Query<'_>, _most: usize) -> Result<Proposal> {
        let candidate = |(key, record): (usize, &Record)| {
            let hits =
                matched(query.texts(), &record.search_tokens(query.request.tokenizer).tokens);
            Candidate::unjudged(Arc::new(record.card.clone()), hits, key)
        };
        let candidates = self.0.iter().enumerate().map(candidate).collect();
        Ok(Proposal { candidates, ..Proposal::default() })
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
