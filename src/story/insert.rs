//! Writes rows: a turn's, a plan's, an asset's. Knows their columns, not when they are written.

use rusqlite::{Transaction, params};

use super::{
    PlanRow, TurnId, TurnRecord,
    encode::{PlanColumns, TurnColumns},
    store::SNAPSHOT_EVERY,
};

pub(super) fn insert_turn(
    tx: &Transaction<'_>,
    turn: &TurnRecord,
    parent: Option<i64>,
    depth: u64,
    texts: &TurnColumns,
) -> rusqlite::Result<TurnId> {
    let sql = "
        INSERT INTO turns
            (parent, depth, prompt, narration, outcome, choices, patch, started_at, finished_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    tx.prepare_cached(sql)?.execute(params![
        parent,
        depth.cast_signed(),
        turn.prompt,
        turn.narration,
        turn.outcome.as_str(),
        texts.choices,
        texts.patches,
        turn.started_at.to_string(),
        turn.finished_at.to_string(),
    ])?;
    Ok(TurnId(tx.last_insert_rowid()))
}

/// Where a plan's row goes.
pub(super) enum PlanTable {
    /// It belongs to a turn.
    Plans(TurnId),
    /// The turn that it will belong to is not over.
    Journal,
}

pub(super) fn insert_plan(
    tx: &Transaction<'_>,
    table: &PlanTable,
    ordinal: u64,
    plan: &PlanRow,
    texts: &PlanColumns,
) -> rusqlite::Result<()> {
    let (table, turn) = match table {
        PlanTable::Plans(turn) => ("plans (turn, ", Some(turn.get())),
        PlanTable::Journal => ("journal_plans (", None),
    };
    let turn_value = if turn.is_some() { "?16, " } else { "" };
    let sql = format!(
        "INSERT INTO {table}
             id, attempt, parent_plan_id, planner, status, plan, result, errors, created_at,
             ordinal, version, updated_at, changes, reasoning, record)
         VALUES ({turn_value}?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
    );
    let record = &texts.record;
    let created_at = plan.created_at.to_string();
    let values = params![
        plan.id,
        plan.attempt,
        plan.parent_plan_id,
        plan.planner,
        plan.status.as_str(),
        texts.plan,
        texts.result,
        texts.errors,
        created_at,
        ordinal.cast_signed(),
        record.version,
        record.updated_at,
        record.changes,
        record.reasoning,
        record.record,
    ];
    let mut insert = tx.prepare_cached(&sql)?;
    match turn {
        Some(turn) => insert.execute(&*[values, params![turn]].concat()),
        None => insert.execute(values),
    }?;
    Ok(())
}

pub(super) fn insert_assets(
    tx: &Transaction<'_>,
    id: TurnId,
    turn: &TurnRecord,
    texts: &TurnColumns,
) -> rusqlite::Result<()> {
    let sql = "
        INSERT INTO assets (turn, plan, tool_id, asset_id, kind, media_type, path, metadata)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut insert = tx.prepare_cached(sql)?;
    for (asset, metadata) in turn.assets.iter().zip(&texts.asset_metadata) {
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

pub(super) fn move_head(
    tx: &Transaction<'_>,
    turn: TurnId,
    depth: u64,
    state_text: &str,
) -> rusqlite::Result<()> {
    let to = params![turn.get(), state_text];
    tx.prepare_cached("UPDATE head SET turn = ?1, state = ?2")?.execute(to)?;
    if depth.is_multiple_of(SNAPSHOT_EVERY) {
        tx.prepare_cached("INSERT INTO snapshots (turn, state) VALUES (?1, ?2)")?.execute(to)?;
    }
    Ok(())
}
