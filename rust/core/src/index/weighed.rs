//! The path over the index under `foundation-v2`: every visible record that is not ended is weighed.

use std::sync::Arc;

use rusqlite::{Connection, params};

use super::candidates::parse;
use super::census::{self, Census};
use super::standing::Standing;
use crate::candidate::{Candidate, Proposal};
use crate::eligibility::eligible;
use crate::error::Result;
use crate::hints::best_answering;
use crate::query::Query;
use crate::relevance::{Asked, weighed};

pub(super) fn candidates(
    connection: &Connection,
    query: &Query<'_>,
    asked: &Asked,
) -> Result<Proposal> {
    let places = census::places(connection, query)?;
    let mut census = Census::take(connection, query.request, &places)?;
    let mut alive = connection.prepare_cached(
        "SELECT row, standing, confidence, json FROM record WHERE place = ?1 AND standing <> ?2",
    )?;
    let mut unjudged = Vec::new();
    for place in &places {
        let mut rows = alive.query(params![place.row, Standing::Ended])?;
        while let Some(columns) = rows.next()? {
            let record = parse(columns.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?)?;
            let held = asked.held_by(&record);
            let confident = record.card.confidence >= query.request.min_confidence;
            census.release(place.row, columns.get(1)?, confident);
            unjudged.push((Arc::new(record.card), (columns.get::<_, usize>(0)?, held)));
        }
    }
    let mut filtered = census.dropped(query.request);
    let eligible = eligible(unjudged, query, &mut filtered);
    let (keys, held): (Vec<_>, Vec<_>) =
        eligible.into_iter().map(|(card, (key, held))| ((card, key), held)).unzip();
    let (lexical, mut statistics) = weighed(asked, &held);
    statistics.answering = best_answering(query, keys.iter().map(|(card, _)| card.traits()));
    let candidates = keys.iter().zip(lexical);
    let candidates = candidates.map(|((card, key), lexical)| Candidate::of(card, lexical, *key));
    Ok(Proposal {
        candidates: candidates.collect(),
        filtered,
        statistics: Some(statistics),
        outranked: 0,
    })
}
