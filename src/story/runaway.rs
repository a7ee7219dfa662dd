//! Ends a statement that runs away, whatever the file holds: rows of a stranger may make a query read them again and again.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use rusqlite::{
    Connection,
    trace::{TraceEvent, TraceEventCodes},
};

/// Operations of SQLite's machine between two looks at the counter.
const LOOK_EVERY: i32 = 100_000;

/// Most operations of one statement, some ten seconds. A query over a story of 10,000 turns takes a few million.
pub const STATEMENT_OPERATIONS_MAX: u64 = 1_000_000_000;

/// Lets a connection interrupt each statement after [`STATEMENT_OPERATIONS_MAX`].
pub(crate) fn interrupt_runaways(conn: &mut Connection) -> rusqlite::Result<()> {
    interrupt_after(conn, STATEMENT_OPERATIONS_MAX)
}

fn interrupt_after(conn: &mut Connection, operations_max: u64) -> rusqlite::Result<()> {
    let done = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&done);
    let starts = move |event: TraceEvent<'_>| {
        if matches!(event, TraceEvent::Stmt(..)) {
            counter.store(0, Ordering::Relaxed);
        }
    };
    conn.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(starts))?;
    let step = u64::from(LOOK_EVERY.unsigned_abs());
    let is_over = move || done.fetch_add(step, Ordering::Relaxed) >= operations_max;
    conn.progress_handler(LOOK_EVERY, Some(is_over))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_that_never_ends_is_interrupted_and_the_next_one_runs() {
        let mut conn = Connection::open_in_memory().unwrap();
        interrupt_after(&mut conn, 1_000_000).unwrap();
        let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                       SELECT count(*) FROM n";
        let count = |sql: &str| conn.query_one(sql, [], |row| row.get::<_, i64>(0));
        let error = count(endless).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::OperationInterrupted));
        // Many short statements are no long one.
        for _ in 0..20 {
            let short =
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000)
                         SELECT count(*) FROM n";
            assert_eq!(count(short).unwrap(), 10_000);
        }
    }
}
