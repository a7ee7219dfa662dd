//! The digest of each turn, by which a check finds a changed letter and a removed turn. It is no signature: whoever can
//! write the file can compute it.
//!
//! A digest covers all rows of its turn, [`TURN_ROWS`], and the digest of the turn that was stored before
//! it, on whatever branch. So turns form one chain in the order of their ids, besides their tree.

use std::collections::BTreeSet;

use narratoria_protocol::digest::Sha256Hasher;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params, types::ValueRef};

/// The first version of the format whose turns have digests.
pub(crate) const DIGESTS_SINCE: i64 = 8;

/// The tables with rows of a turn, and the query for these. A column that is NULL is left out of the digest, so that a new
/// column changes no digest of an older turn.
const TURN_ROWS: [(&str, &str); 5] = [
    ("turns", "SELECT * FROM turns WHERE id = ?1"),
    ("plans", "SELECT * FROM plans WHERE turn = ?1 ORDER BY rowid"),
    ("assets", "SELECT * FROM assets WHERE turn = ?1 ORDER BY rowid"),
    ("store_log", "SELECT * FROM store_log WHERE turn = ?1 ORDER BY skill, key"),
    ("entity_log", "SELECT * FROM entity_log WHERE turn = ?1 ORDER BY kind, number"),
];

/// Columns that no digest covers: what a fold reads follows from the snapshots.
const NOT_COVERED: [&str; 2] = ["since_snapshot", "digest"];

/// Stores the digest of a turn that is complete.
pub(crate) fn seal_turn(tx: &Transaction<'_>, turn: i64) -> rusqlite::Result<()> {
    let sql = "SELECT digest FROM turns WHERE id < ?1 ORDER BY id DESC LIMIT 1";
    let before = tx.prepare_cached(sql)?.query_row([turn], stored_digest).optional()?;
    let digest = digest_of(tx, turn, before.flatten().as_deref())?;
    tx.prepare_cached("UPDATE turns SET digest = ?2 WHERE id = ?1")?
        .execute(params![turn, digest])?;
    Ok(())
}

/// Stores the digests of all turns as they are.
pub(crate) fn seal_all(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    seal(tx, |_| true)?;
    let sql = "UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(id), 0) FROM turns)
               WHERE name = 'turns'";
    tx.execute(sql, []).map(drop)
}

/// Stores the digests again of turns that were as they were stored: a repair has changed some of them since.
pub(crate) fn seal_again(tx: &Transaction<'_>, sound: &BTreeSet<i64>) -> rusqlite::Result<()> {
    seal(tx, |turn| sound.contains(&turn))
}

/// Returns the turns that are as they were stored.
pub(crate) fn sound_turns(conn: &Connection) -> rusqlite::Result<BTreeSet<i64>> {
    let mut sound = BTreeSet::new();
    each_turn(conn, |turn, stored, digest| {
        if stored == Some(digest.as_str()) {
            sound.insert(turn);
        }
        Ok(stored.map(str::to_owned))
    })?;
    Ok(sound)
}

fn seal(tx: &Transaction<'_>, is_sealed: impl Fn(i64) -> bool) -> rusqlite::Result<()> {
    let mut update = tx.prepare("UPDATE turns SET digest = ?2 WHERE id = ?1")?;
    each_turn(tx, |turn, stored, digest| {
        if !is_sealed(turn) {
            return Ok(stored.map(str::to_owned));
        }
        if stored != Some(digest.as_str()) {
            update.execute(params![turn, digest])?;
        }
        Ok(Some(digest))
    })
}

/// Returns the turns that are not as they were stored, each as a sentence, as many as `faults_max`.
pub(crate) fn changed_turns(conn: &Connection, faults_max: usize) -> rusqlite::Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut last = 0;
    each_turn(conn, |turn, stored, digest| {
        match stored {
            Some(stored) if stored == digest => {}
            Some(_) if turn != last + 1 => faults.push(format!(
                "turn id {turn} is not as it was stored, or a turn before it is gone"
            )),
            Some(_) => faults.push(format!("turn id {turn} is not as it was stored")),
            None => faults.push(format!("turn id {turn} has no digest")),
        }
        last = turn;
        Ok(stored.map(str::to_owned))
    })?;
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'turns'";
    let newest: Option<i64> = conn.query_row(sql, [], |row| row.get(0)).optional()?;
    if let Some(newest) = newest.filter(|newest| *newest > last) {
        faults.push(format!("turn id {newest}, the newest one, is gone"));
    }
    faults.truncate(faults_max);
    Ok(faults)
}

/// Calls `visit` with the id of each turn, its stored digest and the one that its rows have. Each call returns the digest
/// that the next turn covers.
fn each_turn(
    conn: &Connection,
    mut visit: impl FnMut(i64, Option<&str>, String) -> rusqlite::Result<Option<String>>,
) -> rusqlite::Result<()> {
    // The ids are read first, because the visitor may write the table.
    let turns: Vec<i64> = conn
        .prepare("SELECT id FROM turns ORDER BY id")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut select = conn.prepare("SELECT digest FROM turns WHERE id = ?1")?;
    let mut before: Option<String> = None;
    for turn in turns {
        let stored = select.query_row([turn], stored_digest)?;
        let digest = digest_of(conn, turn, before.as_deref())?;
        before = visit(turn, stored.as_deref(), digest)?;
    }
    Ok(())
}

/// Returns the digest in the first column; `None` if there is none that can be read.
fn stored_digest(row: &Row<'_>) -> rusqlite::Result<Option<String>> {
    Ok(row.get_ref(0)?.as_str_or_null().ok().flatten().map(str::to_owned))
}

fn digest_of(conn: &Connection, turn: i64, before: Option<&str>) -> rusqlite::Result<String> {
    let mut digest = Sha256Hasher::default();
    field(&mut digest, "before", before.unwrap_or_default().as_bytes());
    for (table, sql) in TURN_ROWS {
        let mut select = conn.prepare_cached(sql)?;
        let names: Vec<String> = select.column_names().map(str::to_owned).collect();
        let mut rows = select.query([turn])?;
        while let Some(row) = rows.next()? {
            field(&mut digest, "row of", table.as_bytes());
            for (at, name) in names.iter().enumerate() {
                match row.get_ref(at)? {
                    _ if NOT_COVERED.contains(&name.as_str()) => {}
                    ValueRef::Null => {}
                    ValueRef::Integer(number) => {
                        field(&mut digest, name, number.to_string().as_bytes());
                    }
                    ValueRef::Real(number) => {
                        field(&mut digest, name, number.to_string().as_bytes());
                    }
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                        field(&mut digest, name, bytes);
                    }
                }
            }
        }
    }
    Ok(digest.hex())
}

/// Adds a value with its name and its length, so that no two rows have the same bytes.
fn field(digest: &mut Sha256Hasher, name: &str, value: &[u8]) {
    digest.update(format!("{name} {} ", value.len()).as_bytes());
    digest.update(value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{FORMAT_VERSION, STEPS};

    #[test]
    fn every_table_with_rows_of_a_turn_is_covered() {
        assert!((1..=FORMAT_VERSION).contains(&DIGESTS_SINCE));
        let conn = Connection::open_in_memory().unwrap();
        STEPS.iter().for_each(|step| conn.execute_batch(step).unwrap());
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table'
                   AND sql LIKE '%turn %REFERENCES turns (id)%' ORDER BY name";
        let mut select = conn.prepare(sql).unwrap();
        let found: Vec<String> =
            select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        // A branch is a name, and a snapshot is compared with the turns that it follows from.
        let others =
            found.iter().filter(|name| !["branches", "snapshots"].contains(&name.as_str()));
        let mut covered: Vec<&str> = TURN_ROWS.iter().map(|(table, _)| *table).collect();
        covered.retain(|table| *table != "turns");
        covered.sort_unstable();
        let others: Vec<&str> =
            others.map(String::as_str).filter(|name| *name != "turns").collect();
        assert_eq!(others, covered);
    }
}
