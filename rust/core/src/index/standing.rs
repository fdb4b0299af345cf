//! Standing: the group in which the census counts a record.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

use crate::record::{Authority, Card, MemoryType};

/// How many types of memory there are.
const KINDS: u8 = 6;

/// What decides whether a record is considered, besides its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    /// Nothing but the request, by its authority and type.
    Plain(Authority, MemoryType),
    /// Time, another record or an agent has a say, so that it is always looked at itself.
    Special,
    /// Nothing: it can never be active again.
    Ended,
}

impl Standing {
    /// The standing of a record, which some other one may have replaced.
    pub(super) fn of(card: &Card, superseded: bool) -> Self {
        if card.agent.is_some() {
            return Self::Special;
        }
        if card.mark.is_some() {
            return Self::Ended;
        }
        let dated = card.valid_from.is_some() || card.ends.is_some();
        if superseded || dated || card.supersedes.is_some() {
            Self::Special
        } else {
            Self::Plain(card.authority, card.kind)
        }
    }

    /// The number that stands for it in the tables: as small as can be, for every row has it twice.
    fn code(self) -> u8 {
        let plain = |authority, kind| {
            let kind = match kind {
                MemoryType::Fact => 0,
                MemoryType::Preference => 1,
                MemoryType::Decision => 2,
                MemoryType::Episode => 3,
                MemoryType::Relationship => 4,
                MemoryType::Insight => 5,
            };
            match authority {
                Authority::Reference => kind,
                Authority::Directive => KINDS + kind,
            }
        };
        match self {
            Self::Ended => 0,
            Self::Special => 1,
            Self::Plain(authority, kind) => 2 + plain(authority, kind),
        }
    }

    /// Every standing there is.
    fn all() -> impl Iterator<Item = Self> {
        use MemoryType::{Decision, Episode, Fact, Insight, Preference, Relationship};
        let plain = |authority| {
            [Fact, Preference, Decision, Episode, Relationship, Insight]
                .map(|kind| Self::Plain(authority, kind))
        };
        [Self::Ended, Self::Special]
            .into_iter()
            .chain(plain(Authority::Reference))
            .chain(plain(Authority::Directive))
    }
}

impl ToSql for Standing {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.code().into())
    }
}

impl FromSql for Standing {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let code = value.as_i64()?;
        Self::all()
            .find(|standing| i64::from(standing.code()) == code)
            .ok_or(FromSqlError::OutOfRange(code))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_standing_has_a_number_of_its_own_by_which_it_is_found() {
        let codes: BTreeSet<u8> = Standing::all().map(Standing::code).collect();
        assert_eq!(codes, (0..14).collect());
        for standing in Standing::all() {
            let code = ValueRef::Integer(standing.code().into());
            assert_eq!(Standing::column_result(code).unwrap(), standing);
        }
        assert!(Standing::column_result(ValueRef::Integer(14)).is_err());
    }
}
