//! What is counted, part by part. Each says how often it did its work.

use std::hint::black_box;

use membound_core::error::Result;
use membound_core::index::{Change, Index, Recalled};
use membound_core::request::Request;
use membound_core::tokens::Tokenizer;

/// Records that are read into memory in one step.
const STEP: usize = 512;

/// The keys of each text's tokens.
pub(crate) fn token_keys(texts: &[String], tokenizer: Tokenizer) -> usize {
    for text in texts {
        tokenizer.each_token(text, tokenizer.record_tokens(), |key| {
            black_box(key);
        });
    }
    texts.len()
}

/// Each text's tokens as texts, as the index in the file has them.
pub(crate) fn token_texts(texts: &[String]) -> usize {
    for text in texts {
        black_box(Tokenizer::V1.search_tokens(text, Tokenizer::V1.record_tokens()));
    }
    texts.len()
}

/// Postings in memory, from the rows of the index.
pub(crate) fn fill_memory(index: &Index) -> Result<usize> {
    while index.fill_memory(STEP)? {}
    let (_, records, _) = index.memory();
    Ok(records)
}

/// Recalls from postings in memory.
pub(crate) fn recall_from_memory(index: &Index, requests: &[Request]) -> Result<usize> {
    recalls(requests, true, |request| index.retrieve(request))
}

/// Recalls through the file.
pub(crate) fn recall_from_file(index: &Index, requests: &[Request]) -> Result<usize> {
    recalls(requests, false, |request| index.retrieve_from_file(request))
}

/// Many records in one transaction.
pub(crate) fn write_many(index: &Index, records: &[(String, Vec<u8>)]) -> Result<usize> {
    let records: Vec<&[u8]> = records.iter().map(|(_, record)| record.as_slice()).collect();
    index.apply(&Change { records: &records, ..Change::default() })
}

/// One record a transaction, each after its intent, as a store writes it.
pub(crate) fn write_one(index: &Index, records: &[(String, Vec<u8>)]) -> Result<usize> {
    let mut written = 0;
    for (id, record) in records {
        let ids = [id.clone()];
        index.intend(&ids)?;
        written +=
            index.apply(&Change { records: &[record], settled: &ids, ..Change::default() })?;
    }
    Ok(written)
}

/// How many recalls went the way that is counted.
fn recalls(
    requests: &[Request],
    from_memory: bool,
    recall: impl Fn(&Request) -> Result<Recalled>,
) -> Result<usize> {
    let mut done = 0;
    for request in requests {
        let found = black_box(recall(request)?);
        done += usize::from(found.from_memory == from_memory);
    }
    Ok(done)
}
