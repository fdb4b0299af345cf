//! Which state a record is in at `now`.

use crate::instant::Millis;
use crate::record::{Card, Mark};

/// A record's lifecycle state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// It may be recalled.
    Active,
    /// It carries a mark that ended its life.
    Ended(Mark),
    /// Its validity begins in the future.
    NotYetValid,
    /// Its validity has ended, or it has expired.
    Expired,
}

impl Lifecycle {
    /// The state's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Ended(mark) => mark.name(),
            Self::NotYetValid => "not-yet-valid",
            Self::Expired => "expired",
        }
    }
}

/// The first state that applies; an end is reached at its own instant.
pub fn lifecycle(card: &Card, now: Millis) -> Lifecycle {
    match card.mark {
        Some(mark) => Lifecycle::Ended(mark),
        None if card.valid_from.is_some_and(|from| from > now) => Lifecycle::NotYetValid,
        None if card.ends.is_some_and(|end| end <= now) => Lifecycle::Expired,
        None => Lifecycle::Active,
    }
}
