//! What holds of the core whatever it is given: one function a target, over any bytes.
//!
//! `tests/bounded.rs` drives them with seeded mutations of `corpus/`, in seconds; `make fuzz` drives them
//! with libFuzzer, which keeps what reaches new code.
#![forbid(unsafe_code)]
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a property that does not hold ends the run"
)]

mod context;
mod hostile;
mod index;
mod record;
mod request;
mod tokens;

pub use context::context;
pub use index::index;
pub use record::record;
pub use request::request;
pub use tokens::tokens;
