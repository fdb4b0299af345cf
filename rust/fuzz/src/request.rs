//! Any bytes as a request's JSON, asked of records at hand.

use membound_core::files::retrieve_records;
use membound_core::request::{MOST_RECORDS, Request};

use crate::context;

const RECORDS: [&[u8]; 4] = [
    include_bytes!("../corpus/record/preference.json"),
    include_bytes!("../corpus/record/project.json"),
    include_bytes!("../corpus/record/agent.json"),
    include_bytes!("../corpus/record/directive.json"),
];

/// Takes any bytes: refused, or a request that is answered within its limits, from its own places.
pub fn request(data: &[u8]) {
    let Ok(request) = Request::parse(data) else { return };
    let places = request.places();
    assert!(request.record_limit() <= MOST_RECORDS.min(request.limit));
    for place in &places {
        assert!(place.exists() && request.policy.scopes.contains(&place.scope()));
    }
    let outcome = retrieve_records(&request, RECORDS).expect("the records are good");
    context::check_outcome(&outcome, &request);
    for taken in &outcome.selection.taken {
        assert!(request.sees(&taken.shown.record.card, &places));
    }
    let trace = &outcome.trace;
    let judged = trace.candidate_count
        + trace.filtered.scope
        + trace.filtered.lifecycle
        + trace.filtered.purpose
        + trace.filtered.request;
    assert_eq!(judged, if request.policy.enabled { RECORDS.len() } else { 0 });
}
