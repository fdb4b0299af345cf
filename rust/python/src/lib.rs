//! Bindings of `membound-core`: convert, let the interpreter go, call, convert. Nothing is decided here.
//!
//! Records and requests cross as JSON bytes; what comes back is text, JSON bytes and positions.
#![expect(clippy::needless_pass_by_value, reason = "PyO3 extracts arguments by value")]

mod convert;
mod error;
mod garden;
mod index;

use pyo3::prelude::*;

/// The native core of membound.
#[pymodule(gil_used = false)]
mod _core {
    use std::path::PathBuf;
    use std::sync::Arc;

    use membound_core::context;
    use membound_core::directives::{self, select_directives as select};
    use membound_core::error::Result;
    use membound_core::files;
    use membound_core::hidden;
    use membound_core::index;
    use membound_core::instant::{Millis, parse};
    use membound_core::lifecycle::lifecycle as state;
    use membound_core::ranking::RankingPolicy;
    use membound_core::record::Record;
    use membound_core::relevance;
    use membound_core::request::Request;
    use membound_core::scope;
    use membound_core::text;
    use membound_core::tokens::Tokenizer;
    use membound_core::whole;
    use pyo3::prelude::*;
    use pyo3::pybacked::PyBackedBytes;
    use pyo3::types::{PyBytes, PyTuple};

    use crate::convert::{Whole, json};
    use crate::error::{CoreError, CoreResult};

    #[pymodule_export]
    use crate::convert::Recalled;
    #[pymodule_export]
    use crate::garden::Watch;
    #[pymodule_export]
    use crate::garden::walk;
    #[pymodule_export]
    use crate::index::Index;
    #[pymodule_export]
    use crate::index::WriterLock;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("build_profile", if cfg!(debug_assertions) { "debug" } else { "release" })?;
        module.add("directive_characters", directives::MOST_CHARACTERS)?;
        module.add("index_schema_version", membound_core::index::SCHEMA_VERSION)?;
        module.add("ranking_defaults", PyBytes::new(module.py(), &json(&RankingPolicy::default())?))
    }

    /// The tokenizer that the index at a path was made with; None where there is no index that tells.
    #[pyfunction]
    fn index_tokenizer(py: Python<'_>, path: PathBuf) -> Option<&'static str> {
        py.detach(|| index::noted_tokenizer(&path)).map(Tokenizer::name)
    }

    /// The distinct search tokens of a text, and whether there were more than `limit`.
    #[pyfunction]
    fn search_tokens<'py>(
        py: Python<'py>,
        text: &str,
        limit: usize,
        tokenizer: &str,
    ) -> PyResult<(Bound<'py, PyTuple>, bool)> {
        let tokenizer = Tokenizer::named(tokenizer).map_err(CoreError::from)?;
        let (mut all, mut ends) = (String::new(), vec![0]);
        let truncated = apart(py, text, || {
            tokenizer.each_token(text, limit, |token| {
                token.push_to(&mut all);
                ends.push(all.len());
            })
        });
        let found = ends.windows(2).map(|ends| &all[ends[0]..ends[1]]);
        Ok((PyTuple::new(py, found)?, truncated))
    }

    /// The search tokens of a record.
    #[pyfunction]
    fn record_tokens(record: PyBackedBytes, tokenizer: &str) -> CoreResult<Vec<String>> {
        let tokenizer = Tokenizer::named(tokenizer)?;
        Ok(Record::parse(&record)?.search_tokens(tokenizer).tokens)
    }

    /// How many search tokens `search_tokens` gives, and whether there were more than `limit`.
    #[pyfunction]
    fn token_count(py: Python<'_>, text: &str, limit: usize) -> (usize, bool) {
        let mut count = 0;
        let truncated = apart(py, text, || Tokenizer::V1.each_token(text, limit, |_| count += 1));
        (count, truncated)
    }

    /// Works on a long text without the interpreter; handing it over costs more than a short one.
    fn apart<T: Send>(py: Python<'_>, text: &str, work: impl FnOnce() -> T + Send) -> T {
        if text.len() > 4_096 { py.detach(work) } else { work() }
    }

    /// A path in the one form in which places are compared; None for an empty one.
    #[pyfunction]
    fn normalize_path(path: &str) -> Option<String> {
        scope::normalize_path(path)
    }

    /// The place of a record as one text: equal where the same requests may see it, agents aside.
    #[pyfunction]
    fn place(record: PyBackedBytes) -> CoreResult<String> {
        Ok(Record::parse(&record)?.card.place.key())
    }

    /// The milliseconds since the epoch that an ISO 8601 text names; None for any other text.
    #[pyfunction]
    fn instant(text: &str) -> Option<Millis> {
        parse(text)
    }

    /// The form in which tags count as equal: NFKC, trimmed, lowercase.
    #[pyfunction]
    fn label(text: &str) -> String {
        text::label(text)
    }

    /// Whether a text holds a hidden or a control character where no writing needs one.
    #[pyfunction]
    fn hides_text(text: &str) -> bool {
        hidden::hides_text(text)
    }

    /// The start of a text of at most so many characters, which ends between two graphemes.
    #[pyfunction]
    fn cut(text: &str, most: usize) -> &str {
        text::cut(text, most)
    }

    /// The name of the floor of `foundation-v2` that a query's best record has to reach.
    #[pyfunction]
    fn floor_of(query: &str) -> &'static str {
        relevance::floor_of(query)
    }

    /// What a query is asked by under `foundation-v2`, in order.
    #[pyfunction]
    fn asked_units(query: &str) -> Vec<String> {
        relevance::asked_units(query)
    }

    /// The state of a record at `now`.
    #[pyfunction]
    fn lifecycle(record: PyBackedBytes, now: Millis) -> CoreResult<&'static str> {
        Ok(state(&Record::parse(&record)?.card, now).name())
    }

    /// Runs the pipeline over records.
    #[pyfunction]
    fn retrieve_records(
        py: Python<'_>,
        request: PyBackedBytes,
        records: Vec<PyBackedBytes>,
    ) -> CoreResult<Recalled> {
        py.detach(|| -> CoreResult<_> {
            let request = Request::parse(&request)?;
            let outcome = files::retrieve_records(&request, records.iter().map(|json| &**json))?;
            Ok(Recalled::new(outcome, |at| Arc::from(&*records[at])))
        })
    }

    /// Reads the first ones of some regular files: of each its bytes, or the number of the error that
    /// prevents it; 0 where it is no regular file.
    #[pyfunction]
    fn read_files(py: Python<'_>, paths: Vec<PathBuf>) -> Vec<Whole<'_>> {
        let found = py.detach(|| whole::read_many(&paths));
        found.into_iter().map(|one| Whole::new(py, one)).collect()
    }

    /// Waits for what the index is doing; to be called before a fork.
    ///
    /// Nobody may hold the interpreter while he waits for the fork: this thread needs it to go on.
    #[pyfunction]
    fn before_fork(py: Python<'_>) {
        py.detach(index::before_fork);
    }

    /// Lets the index go on; to be called after a fork, in the parent.
    #[pyfunction]
    fn after_fork_in_parent() {
        index::after_fork_in_parent();
    }

    /// Closes what the child inherited; to be called after a fork, in the child.
    #[pyfunction]
    fn after_fork_in_child() {
        index::after_fork_in_child();
    }

    /// The reference block of some records.
    #[pyfunction]
    fn reference_block(
        py: Python<'_>,
        records: Vec<PyBackedBytes>,
        now: Millis,
    ) -> CoreResult<String> {
        block(py, &records, context::reference_block, |record| {
            context::reference_line(record, &record.content, now)
        })
    }

    /// The directive block of some records.
    #[pyfunction]
    fn directive_block(py: Python<'_>, records: Vec<PyBackedBytes>) -> CoreResult<String> {
        block(py, &records, context::directive_block, context::directive_line)
    }

    fn block(
        py: Python<'_>,
        records: &[PyBackedBytes],
        assemble: fn(&[String]) -> String,
        line: impl Fn(&Record) -> String + Sync,
    ) -> CoreResult<String> {
        Ok(py.detach(|| -> Result<_> {
            let lines = records.iter().map(|json| Record::parse(json).map(|record| line(&record)));
            Ok(assemble(&lines.collect::<Result<Vec<_>>>()?))
        })?)
    }

    /// Selects directives; the JSON of positions, ids left out and characters.
    #[pyfunction]
    fn select_directives(
        py: Python<'_>,
        request: PyBackedBytes,
        records: Vec<PyBackedBytes>,
    ) -> CoreResult<Bound<'_, PyBytes>> {
        let selection = py.detach(|| -> CoreResult<_> {
            let request = Request::parse(&request)?;
            let records: Vec<Record> =
                records.iter().map(|json| Record::parse(json)).collect::<Result<_>>()?;
            json(&select(&records, &request))
        })?;
        Ok(PyBytes::new(py, &selection))
    }
}
