//! Bounded, scoped, deterministic and explainable recall, without a model, a network or a server.
//!
//! ```text
//! request ─▶ scope ─▶ lifecycle ─▶ purpose ─▶ request filters        who may be considered
//!         ─▶ features ─▶ final score ─▶ total order                   how they compare
//!         ─▶ admission (relevance floor)                              who is relevant at all
//!         ─▶ record budget, character budget ─▶ context block         what fits the prompt
//!         ─▶ trace                                                    why, for every step
//! ```
//!
//! `retrieve.rs` reads in that order. Where candidates come from is the only thing in which
//! the paths differ: [`files::retrieve_records`] judges every record that it is handed,
//! [`index::Index::retrieve`] lets SQLite propose those that can matter and counts the rest.
//!
//! The crate reads no clock, no environment and no randomness: `now` is part of the request.
#![forbid(unsafe_code)]

pub mod budget;
mod candidate;
mod class;
mod class_bits;
pub mod context;
pub mod directives;
mod eligibility;
pub mod error;
mod features;
pub mod files;
pub mod garden;
pub mod hidden;
mod hints;
pub mod index;
pub mod instant;
pub mod lifecycle;
pub mod lock;
mod postings;
mod query;
mod rank;
pub mod ranking;
pub mod record;
pub mod relevance;
pub mod request;
mod retrieve;
pub mod scope;
mod search_text;
pub mod shown;
pub mod text;
pub mod tokens;
pub mod trace;
pub mod whole;
mod windows_path;
mod within;
