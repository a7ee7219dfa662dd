//! The bounds of every number that a story counts with. A file may come from another person, and a number near the end of
//! what SQLite can hold leaves no room for the next turn.

use std::path::Path;

use rusqlite::Connection;

use crate::{StoryError, columns::rows};

/// Largest number in a story: the largest that every JSON reader takes exactly.
pub const STORY_NUMBER_MAX: i64 = 1 << 53;

/// The error for a number that no story has.
pub(crate) fn number_fault(number: &dyn std::fmt::Display) -> String {
    format!("{number} is no number from 0 to {STORY_NUMBER_MAX}")
}

/// Returns true for a number that a story may have.
pub(crate) fn is_in_bounds(number: i64) -> bool {
    (0..=STORY_NUMBER_MAX).contains(&number)
}

/// The highest number of each counter, by indexes.
const COUNTERS: &str = "
    SELECT 'turn' AS counter, max(id) AS highest FROM turns
    UNION ALL SELECT 'turn', max(seq) FROM sqlite_sequence
    UNION ALL SELECT 'plan', max(ordinal) FROM plans";

/// Checks that there is room for more turns and plans.
pub(crate) fn check_counters(conn: &Connection, db: &Path) -> Result<(), StoryError> {
    let found = rows(conn, db, "the counters", COUNTERS, [], |row| {
        Ok((row.get::<_, String>("counter")?, row.get::<_, Option<i64>>("highest")?))
    })?;
    for (counter, highest) in found {
        if let Some(highest) = highest.filter(|highest| !is_in_bounds(*highest)) {
            let what = format!("the highest number of a {counter}: {}", number_fault(&highest));
            return Err(StoryError::Damaged { path: db.to_owned(), what });
        }
    }
    Ok(())
}
