//! A turn's values become the texts of its rows, or are refused for their size. Pure: what could not be
//! stored, or not be read again, is found before the database is touched.

use serde_json::Value;

use super::{JournalContent, PlanRow, STATE_DEPTH_MAX, StoryError, TurnRecord, is_deeper_than};
use narratoria_plan::PlanRecord;

/// Longest prompt. A player types a line; 64 KiB leaves room for a pasted chapter.
pub const TURN_PROMPT_BYTES_MAX: usize = 64 << 10;

/// Longest record of one turn, everything in it together. An ordinary one is some tens of KiB; 64 MiB
/// keeps the traces of five attempts with very talkative scripts.
pub const TURN_BYTES_MAX: usize = 64 << 20;

/// The JSON columns of a turn and its rows; `plans` and `assets` are in the order of the record.
pub(super) struct TurnColumns {
    pub(super) choices: String,
    pub(super) patches: String,
    pub(super) plans: Vec<PlanColumns>,
    pub(super) asset_metadata: Vec<Option<String>>,
}

/// The JSON columns of a plan.
pub(super) struct PlanColumns {
    pub(super) plan: String,
    pub(super) result: Option<String>,
    pub(super) errors: String,
    pub(super) record: RecordColumns,
}

/// The record of a plan, and what a list of plans shows of it without reading it.
pub(super) struct RecordColumns {
    pub(super) record: Option<String>,
    pub(super) version: u32,
    pub(super) updated_at: String,
    pub(super) changes: Option<String>,
    pub(super) reasoning: Option<String>,
}

/// The texts of a plan that runs, and of those tried before it.
pub(super) struct JournalColumns {
    pub(super) extra: String,
    pub(super) plans: Vec<PlanColumns>,
    pub(super) steps: Vec<String>,
}

pub(super) fn encode(turn: &TurnRecord) -> Result<TurnColumns, StoryError> {
    let bytes = turn.prompt.len();
    if bytes > TURN_PROMPT_BYTES_MAX {
        return Err(StoryError::PromptTooLong { bytes, limit: TURN_PROMPT_BYTES_MAX });
    }
    let mut scale = SizedEncoder::default();
    scale.add([turn.prompt.as_str(), &turn.narration])?;
    for write in &turn.store_writes {
        scale.add([write.skill.as_str(), &write.key, write.value.as_deref().unwrap_or("")])?;
    }
    let patches: Vec<Value> = turn.patches.iter().cloned().map(Value::Object).collect();
    Ok(TurnColumns {
        choices: scale.list("a choice", &turn.choices)?,
        patches: scale.list("a state patch", &patches)?,
        plans: turn.plans.iter().map(|plan| scale.plan(plan)).collect::<Result<_, _>>()?,
        asset_metadata: turn
            .assets
            .iter()
            .map(|asset| {
                scale.add([asset.plan.as_str(), &asset.tool_id, &asset.asset_id])?;
                scale.add([asset.kind.as_str(), &asset.media_type, &asset.path])?;
                let metadata = asset.metadata.clone().map(Value::Object);
                metadata.map(|value| scale.value("an asset's metadata", &value)).transpose()
            })
            .collect::<Result<_, _>>()?,
    })
}

pub(super) fn encode_journal(begin: &JournalContent) -> Result<JournalColumns, StoryError> {
    let bytes = begin.prompt.len();
    if bytes > TURN_PROMPT_BYTES_MAX {
        return Err(StoryError::PromptTooLong { bytes, limit: TURN_PROMPT_BYTES_MAX });
    }
    let mut scale = SizedEncoder::default();
    scale.add([begin.prompt.as_str()])?;
    Ok(JournalColumns {
        extra: scale.value("what belongs to a running plan", &begin.extra)?,
        plans: begin.plans().map(|plan| scale.plan(plan)).collect::<Result<_, _>>()?,
        steps: begin
            .steps
            .iter()
            .map(|step| {
                scale.add([step.tool_id.as_str()])?;
                scale.value("a step", &step.step)
            })
            .collect::<Result<_, _>>()?,
    })
}

/// The texts of one step that has finished, and of its plan's record by then.
pub(super) fn encode_step(
    tool_id: &str,
    step: &Value,
    record: &PlanRecord,
) -> Result<(String, RecordColumns), StoryError> {
    let mut scale = SizedEncoder::default();
    scale.add([tool_id])?;
    Ok((scale.value("a step", step)?, scale.record(record)?))
}

/// Adds up what the turn stores.
#[derive(Default)]
struct SizedEncoder {
    bytes: usize,
}

impl SizedEncoder {
    fn add<const N: usize>(&mut self, texts: [&str; N]) -> Result<(), StoryError> {
        self.bytes += texts.iter().map(|text| text.len()).sum::<usize>();
        if self.bytes > TURN_BYTES_MAX {
            return Err(StoryError::TurnTooBig { bytes: self.bytes, limit: TURN_BYTES_MAX });
        }
        Ok(())
    }

    fn value(&mut self, what: &'static str, value: &Value) -> Result<String, StoryError> {
        if is_deeper_than(STATE_DEPTH_MAX, value) {
            return Err(StoryError::TooDeep { what, limit: STATE_DEPTH_MAX });
        }
        let text = value.to_string();
        self.add([text.as_str()])?;
        Ok(text)
    }

    fn list(&mut self, what: &'static str, values: &[Value]) -> Result<String, StoryError> {
        let texts = values.iter().map(|value| self.value(what, value));
        Ok(format!("[{}]", texts.collect::<Result<Vec<_>, _>>()?.join(",")))
    }

    fn plan(&mut self, row: &PlanRow) -> Result<PlanColumns, StoryError> {
        self.add([row.id.as_str(), row.parent_plan_id.as_deref().unwrap_or(""), &row.planner])?;
        let errors: Vec<Value> = row.errors.iter().cloned().map(Value::String).collect();
        Ok(PlanColumns {
            plan: self.value("a plan", &row.plan)?,
            result: match &row.result {
                Some(result) => Some(self.value("a plan's result", result)?),
                None => None,
            },
            errors: self.list("a plan's error", &errors)?,
            record: match &row.record {
                Some(record) => self.record(record)?,
                None => RecordColumns {
                    record: None,
                    version: 1,
                    updated_at: row.created_at.to_string(),
                    changes: None,
                    reasoning: None,
                },
            },
        })
    }

    fn record(&mut self, record: &PlanRecord) -> Result<RecordColumns, StoryError> {
        let value = serde_json::to_value(record).expect("a record is made of JSON");
        Ok(RecordColumns {
            record: Some(self.value("a plan's record", &value)?),
            version: record.version,
            updated_at: record.updated_at.to_string(),
            changes: record.changes.clone(),
            reasoning: record.reasoning.clone(),
        })
    }
}
