//! Any bytes as a record's JSON.

use membound_core::context::{directive_line, reference_line};
use membound_core::lifecycle::lifecycle;
use membound_core::record::Record;
use membound_core::scope::{Place, normalize_path};
use membound_core::tokens::Tokenizer;
use serde_json::Value;

use crate::tokens;

/// Takes any bytes: refused, or a record that is the same however its JSON is laid out.
pub fn record(data: &[u8]) {
    let Ok(record) = Record::parse(data) else { return };
    assert_eq!(Record::parse(data).as_ref(), Ok(&record), "equal bytes give equal records");
    check_place(&record.card.place);
    for tokenizer in [Tokenizer::V1, Tokenizer::V2] {
        let found = record.search_tokens(tokenizer);
        tokens::check(tokenizer, &found, tokenizer.record_tokens());
    }
    for now in [i64::MIN, 0, i64::MAX] {
        lifecycle(&record.card, now);
        assert_eq!(reference_line(&record, &record.content, now).lines().count(), 1);
    }
    assert_eq!(directive_line(&record).lines().count(), 1);
    if let Ok(Value::Object(fields)) = serde_json::from_slice(data) {
        let laid_out = Value::Object(fields).to_string();
        assert_eq!(Record::parse(laid_out.as_bytes()), Ok(record), "the layout says nothing");
    }
}

fn check_place(place: &Place) {
    let (Place::Workspace(path) | Place::Project(path) | Place::Identity(path)) = place else {
        return;
    };
    assert_eq!(place.exists(), path.is_some());
    if let Some(path) = path {
        assert_eq!(normalize_path(path).as_ref(), Some(path), "what is normal stays as it is");
    }
}
