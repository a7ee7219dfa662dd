//! `narratoria plan list`: the plans of a story, the newest first.

use narratoria_engine::TurnError;
use narratoria_story::PlanSummary;
use serde_json::{Value, json};

use crate::{
    args::{Format, PlanListArgs},
    exit::Exit,
    print_document, print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{PlanListRow, plans_table};

pub(super) fn list(args: PlanListArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let story = setup::existing_story(&settings, &args.of.story)?;
    let plans = match args.all {
        true => story.plans(args.limit.get())?,
        false => story.plans_here(args.limit.get())?,
    };
    let rows: Vec<Value> = plans.iter().map(row).collect();
    match settings.format {
        Format::Json => print_document(look, &rows)?,
        Format::Plain if rows.is_empty() => print_text(look, "this story has no plans yet\n")?,
        Format::Plain => {
            let lines: Vec<PlanListRow> = plans.iter().map(line).collect();
            print_text(look, &plans_table(&lines, look))?;
        }
    }
    Ok(Exit::Done)
}

/// Characters of an id that are enough to name its plan.
const ID_CHARS: usize = 8;

fn line(plan: &PlanSummary) -> PlanListRow {
    PlanListRow {
        ordinal: plan.ordinal,
        id: plan.id.chars().take(ID_CHARS).collect(),
        turn: plan.turn,
        version: plan.version,
        planner: plan.planner.clone(),
        status: plan.status.as_str().to_owned(),
        task: plan.task.clone(),
    }
}

fn row(plan: &PlanSummary) -> Value {
    json!({
        "ordinal": plan.ordinal,
        "id": plan.id,
        "turn": plan.turn,
        "attempt": plan.attempt,
        "version": plan.version,
        "planner": plan.planner,
        "status": plan.status.as_str(),
        "task": plan.task,
        "parentPlanId": plan.parent_plan_id,
        "createdAt": plan.created_at.to_string(),
        "updatedAt": plan.updated_at.to_string(),
        "changes": plan.changes,
    })
}
