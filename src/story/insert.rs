//! Inserts the rows of turns, plans and assets. Knows their columns; does not know when to insert them.

use rusqlite::{Transaction, params};

use crate::{
    PlanRow, TurnId, TurnRecord,
    encode::{PlanColumns, TurnColumns},
};

pub(crate) fn insert_turn(
    tx: &Transaction<'_>,
    turn: &TurnRecord,
    parent: Option<i64>,
    depth: u64,
    columns: &TurnColumns,
) -> rusqlite::Result<TurnId> {
    let sql = "
        INSERT INTO turns
            (parent, depth, prompt, narration, outcome, choices, patch, started_at, finished_at,
             seed, take)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
                (SELECT count(*) FROM turns WHERE parent IS ?1))";
    tx.prepare_cached(sql)?.execute(params![
        parent,
        depth.cast_signed(),
        turn.prompt,
        turn.narration,
        turn.outcome.as_str(),
        columns.choices,
        columns.patches,
        turn.started_at.to_string(),
        turn.finished_at.to_string(),
        turn.seed.to_string(),
    ])?;
    Ok(TurnId(tx.last_insert_rowid()))
}

/// The table for the row of a plan.
pub(crate) enum PlanTable {
    /// The table of plans of committed turns.
    Plans(TurnId),
    /// The table of plans of the unfinished turn.
    Journal,
}

pub(crate) fn insert_plan(
    tx: &Transaction<'_>,
    table: &PlanTable,
    ordinal: u64,
    plan: &PlanRow,
    columns: &PlanColumns,
) -> rusqlite::Result<()> {
    let (table, turn) = match table {
        PlanTable::Plans(turn) => ("plans (turn, ", Some(turn.get())),
        PlanTable::Journal => ("journal_plans (", None),
    };
    let turn_value = if turn.is_some() { "?17, " } else { "" };
    let sql = format!(
        "INSERT INTO {table}
             id, attempt, parent_plan_id, planner, status, plan, result, errors, created_at,
             ordinal, version, updated_at, changes, reasoning, record, seen)
         VALUES ({turn_value}?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)"
    );
    let record = &columns.record;
    let created_at = plan.created_at.to_string();
    let values = params![
        plan.id,
        plan.attempt,
        plan.parent_plan_id,
        plan.planner,
        plan.status.as_str(),
        columns.plan,
        columns.result,
        columns.errors,
        created_at,
        ordinal.cast_signed(),
        record.version,
        record.updated_at,
        record.changes,
        record.reasoning,
        record.record,
        columns.seen,
    ];
    let mut insert = tx.prepare_cached(&sql)?;
    match turn {
        Some(turn) => insert.execute(&*[values, params![turn]].concat()),
        None => insert.execute(values),
    }?;
    Ok(())
}

pub(crate) fn insert_assets(
    tx: &Transaction<'_>,
    id: TurnId,
    turn: &TurnRecord,
    columns: &TurnColumns,
) -> rusqlite::Result<()> {
    let sql = "
        INSERT INTO assets (turn, plan, tool_id, asset_id, kind, media_type, path, metadata)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut insert = tx.prepare_cached(sql)?;
    for (asset, metadata) in turn.assets.iter().zip(&columns.asset_metadata) {
        insert.execute(params![
            id.get(),
            asset.plan,
            asset.tool_id,
            asset.asset_id,
            asset.kind,
            asset.media_type,
            asset.path,
            metadata,
        ])?;
    }
    Ok(())
}

/// Moves the current branch to a new turn, and clears what could be redone.
pub(crate) fn advance_branch(tx: &Transaction<'_>, turn: TurnId) -> rusqlite::Result<()> {
    let sql = "UPDATE branches SET turn = ?1, redo = NULL
               WHERE name = (SELECT value FROM meta WHERE key = 'branch')";
    tx.prepare_cached(sql)?.execute([turn.get()])?;
    Ok(())
}
