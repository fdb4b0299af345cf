//! Writing: intents before a canonical file changes, rows after it has.

use std::time::Duration;

use rusqlite::Connection;

use super::connections::at_work;
use super::rows::Rows;
use super::{Index, log, words};
use crate::error::Result;

/// How long a purge waits for readers: other writers wait meanwhile, and shall not give up.
const SCRUB_PATIENCE: Duration = Duration::from_secs(1);

/// What one transaction changes.
#[derive(Debug, Default)]
pub struct Change<'a> {
    /// Records to write, as canonical JSON.
    pub records: &'a [&'a [u8]],
    /// Ids of records to remove.
    pub removed: &'a [String],
    /// Ids whose intents are settled.
    pub settled: &'a [String],
    /// Values to remember, by name; none forgets what is remembered under that name.
    pub notes: &'a [(String, Option<String>)],
}

impl Index {
    /// Notes that the canonical files of `ids` are about to change; committed when it returns.
    pub fn intend(&self, ids: &[String]) -> Result<()> {
        self.write(|connection| {
            let mut insert =
                connection.prepare_cached("INSERT OR IGNORE INTO intent (id) VALUES (?1)")?;
            ids.iter().try_for_each(|id| insert.execute([id]).map(drop))?;
            Ok(())
        })
    }

    /// Puts the words in order, as is worth it after many changes.
    pub fn optimize(&self) -> Result<()> {
        self.write(|connection| words::optimize(connection, self.settings.tokenizer))
    }

    /// Erases from the file, and from memory, what removed records left there; whether all of it is gone.
    ///
    /// Words of a removed record stay in their segment until it is merged, and former pages stay in the log
    /// until it is cut, which a reader of an older snapshot prevents.
    pub fn scrub(&self) -> Result<bool> {
        self.optimize()?;
        // Its words would stay in the vocabulary.
        self.memory.clear();
        let _at_work = at_work();
        self.connections.write(|connection| log::cut(connection, SCRUB_PATIENCE))
    }

    /// Applies a change, all or nothing; how many records really differed.
    ///
    /// Where it settles intents it need not survive the loss of power: the intents do, whose commit was
    /// synced before a file changed, and what they lead to is in the files.
    pub fn apply(&self, change: &Change<'_>) -> Result<usize> {
        let synced = self.settings.durable && change.settled.is_empty();
        self.write_as(synced, |connection| {
            let mut rows = Rows::new(connection, self.settings.tokenizer)?;
            let mut changed = 0;
            for json in change.records {
                changed += usize::from(rows.upsert(json)?);
            }
            for id in change.removed {
                changed += usize::from(rows.remove(id)?);
            }
            rows.finish()?;
            let mut settle = connection.prepare_cached("DELETE FROM intent WHERE id = ?1")?;
            change.settled.iter().try_for_each(|id| settle.execute([id]).map(drop))?;
            note(connection, change.notes)?;
            words::keep_short(connection, self.settings.tokenizer)?;
            Ok(changed)
        })
    }
}

fn note(connection: &Connection, notes: &[(String, Option<String>)]) -> Result<()> {
    let mut keep = connection.prepare_cached(
        "INSERT INTO meta (name, value) VALUES (?1, ?2)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )?;
    let mut forget = connection.prepare_cached("DELETE FROM meta WHERE name = ?1")?;
    for (name, value) in notes {
        match value {
            Some(value) => keep.execute([name, value])?,
            None => forget.execute([name])?,
        };
    }
    Ok(())
}
