//! Standing: the group in which the census counts a record.

use std::borrow::Cow;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql};

use crate::error::Result;
use crate::record::{Authority, Card, MemoryType};

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
    /// The standing of a record among those that the index holds.
    pub(super) fn of(connection: &Connection, card: &Card) -> Result<Self> {
        if card.agent.is_some() {
            return Ok(Self::Special);
        }
        if card.mark.is_some() {
            return Ok(Self::Ended);
        }
        let superseded: bool = connection
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM record WHERE supersedes = ?1)")?
            .query_row([&card.id], |row| row.get(0))?;
        let dated = card.valid_from.is_some() || card.ends.is_some();
        Ok(if superseded || dated || card.supersedes.is_some() {
            Self::Special
        } else {
            Self::Plain(card.authority, card.kind)
        })
    }

    fn text(self) -> Cow<'static, str> {
        match self {
            Self::Plain(authority, kind) => {
                Cow::Owned(format!("{}/{}", authority.name(), kind.name()))
            }
            Self::Special => Cow::Borrowed("special"),
            Self::Ended => Cow::Borrowed("ended"),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "special" => Some(Self::Special),
            "ended" => Some(Self::Ended),
            plain => {
                let (authority, kind) = plain.split_once('/')?;
                Some(Self::Plain(Authority::named(authority)?, MemoryType::named(kind)?))
            }
        }
    }
}

impl ToSql for Standing {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.text() {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => text.into(),
        })
    }
}

impl FromSql for Standing {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Self::parse(value.as_str()?).ok_or(FromSqlError::InvalidType)
    }
}
