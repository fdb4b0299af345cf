//! The path over records at hand: the canonical files, or whatever a caller holds in memory.

use crate::candidate::Candidate;
use crate::error::Result;
use crate::record::Record;
use crate::request::Request;
use crate::retrieve::{Path, Query, retrieve};
use crate::tokens::matched;
use crate::trace::{Channel, Filtered, Mode};

pub use crate::retrieve::Outcome;

struct Records(Vec<Record>);

impl Path for Records {
    const MODE: Mode = Mode::Filesystem;
    type Origin = usize;

    fn channel(_hits: usize) -> Channel {
        Channel::Filesystem
    }

    fn candidates(&mut self, query: &Query<'_>) -> Result<(Vec<Candidate>, Filtered)> {
        let candidate = |(key, record): (usize, &Record)| Candidate {
            card: record.card.clone(),
            hits: matched(&query.tokens.tokens, &record.search_tokens().tokens),
            key,
        };
        Ok((self.0.iter().enumerate().map(candidate).collect(), Filtered::default()))
    }

    fn record(&mut self, key: usize) -> Result<(Record, usize)> {
        Ok((self.0[key].clone(), key))
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
