//! Encodes a turn's values as the texts of its columns, and refuses values that are too large. Pure: the store finds
//! values that it could not store or read back before it touches the database.

use serde::Serialize;
use serde_json::Value;

use crate::{JournalContent, PlanRow, StoryError, TurnRecord};
use narratoria_plan::PlanRecord;
use narratoria_protocol::{STATE_DEPTH_MAX, is_deeper_than};

/// Longest prompt. A player types a line; 64 KiB also holds a pasted chapter.
pub const TURN_PROMPT_BYTES_MAX: usize = 64 << 10;

/// Longest record of one turn, all columns together. An ordinary one is some tens of KiB; 64 MiB hold the
/// traces of five attempts with very talkative scripts.
pub const TURN_BYTES_MAX: usize = 64 << 20;

/// The JSON columns of a turn and its rows. `plans` and `asset_metadata` are in the order of the record.
pub(crate) struct TurnColumns {
    pub(crate) choices: String,
    pub(crate) patches: String,
    pub(crate) plans: Vec<PlanColumns>,
    pub(crate) asset_metadata: Vec<Option<String>>,
}

/// The JSON columns of a plan.
pub(crate) struct PlanColumns {
    pub(crate) plan: String,
    pub(crate) result: Option<String>,
    pub(crate) errors: String,
    pub(crate) seen: Option<String>,
    pub(crate) record: RecordColumns,
}

/// The record of a plan, and the columns that a list of plans shows without reading it.
pub(crate) struct RecordColumns {
    pub(crate) record: Option<String>,
    pub(crate) version: u32,
    pub(crate) updated_at: String,
    pub(crate) changes: Option<String>,
    pub(crate) reasoning: Option<String>,
}

/// The columns of a running plan, and of the plans that the turn tried before it.
pub(crate) struct JournalColumns {
    pub(crate) extra: String,
    pub(crate) plans: Vec<PlanColumns>,
    pub(crate) steps: Vec<String>,
}

pub(crate) fn encode(turn: &TurnRecord) -> Result<TurnColumns, StoryError> {
    let bytes = turn.prompt.len();
    if bytes > TURN_PROMPT_BYTES_MAX {
        return Err(StoryError::PromptTooLong { bytes, limit: TURN_PROMPT_BYTES_MAX });
    }
    let mut encoder = SizedEncoder::default();
    encoder.add([turn.prompt.as_str(), &turn.narration])?;
    for write in &turn.store_writes {
        encoder.add([write.skill.as_str(), &write.key, write.value.as_deref().unwrap_or("")])?;
    }
    let patches: Vec<Value> = turn.patches.iter().cloned().map(Value::Object).collect();
    Ok(TurnColumns {
        choices: encoder.list("a choice", &turn.choices)?,
        patches: encoder.list("a state patch", &patches)?,
        plans: turn.plans.iter().map(|plan| encoder.plan(plan)).collect::<Result<_, _>>()?,
        asset_metadata: turn
            .assets
            .iter()
            .map(|asset| {
                encoder.add([asset.plan.as_str(), &asset.tool_id, &asset.asset_id])?;
                encoder.add([asset.kind.as_str(), &asset.media_type, &asset.path])?;
                let metadata = asset.metadata.clone().map(Value::Object);
                metadata.map(|value| encoder.value("an asset's metadata", &value)).transpose()
            })
            .collect::<Result<_, _>>()?,
    })
}

pub(crate) fn encode_journal(content: &JournalContent) -> Result<JournalColumns, StoryError> {
    let bytes = content.prompt.len();
    if bytes > TURN_PROMPT_BYTES_MAX {
        return Err(StoryError::PromptTooLong { bytes, limit: TURN_PROMPT_BYTES_MAX });
    }
    let mut encoder = SizedEncoder::default();
    encoder.add([content.prompt.as_str()])?;
    Ok(JournalColumns {
        extra: encoder.value("what belongs to a running plan", &content.extra)?,
        plans: content.plans().map(|plan| encoder.plan(plan)).collect::<Result<_, _>>()?,
        steps: content
            .steps
            .iter()
            .map(|step| {
                encoder.add([step.tool_id.as_str()])?;
                encoder.value("a step", &step.step)
            })
            .collect::<Result<_, _>>()?,
    })
}

/// The columns of one finished step, and of its plan's record at that time.
pub(crate) fn encode_step(
    tool_id: &str,
    step: &impl Serialize,
    record: &PlanRecord,
) -> Result<(String, RecordColumns), StoryError> {
    let mut encoder = SizedEncoder::default();
    encoder.add([tool_id])?;
    Ok((encoder.json("a step", step)?, encoder.record(record)?))
}

/// The columns of a running plan's record.
pub(crate) fn encode_record(record: &PlanRecord) -> Result<RecordColumns, StoryError> {
    SizedEncoder::default().record(record)
}

/// Encodes values and adds up their sizes.
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

    /// Encodes a value. Its type adds little depth to the values of scripts in it, which have their own limit.
    fn json(&mut self, what: &'static str, value: &impl Serialize) -> Result<String, StoryError> {
        let text = serde_json::to_string(value).expect("it is made of JSON");
        if text_depth(&text) > STATE_DEPTH_MAX {
            return Err(StoryError::TooDeep { what, limit: STATE_DEPTH_MAX });
        }
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
            seen: match &row.seen {
                Some(seen) => Some(self.value("what a planner read", seen)?),
                None => None,
            },
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
        Ok(RecordColumns {
            record: Some(self.json("a plan's record", record)?),
            version: record.version,
            updated_at: record.updated_at.to_string(),
            changes: record.changes.clone(),
            reasoning: record.reasoning.clone(),
        })
    }
}

/// Returns the nesting depth of a JSON text. Scanning the text costs less than parsing it.
fn text_depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0_usize);
    let (mut in_string, mut is_escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_depth_of_a_text_is_that_of_its_values() {
        let values = [
            json!(1),
            json!([]),
            json!({ "a": [[], { "b": {} }], "c": 2 }),
            json!({ "[[[": "{{\"[[\\", "a": "\\" }),
            json!([[["]]]", [null]]]]),
        ];
        for value in values {
            let depth = text_depth(&value.to_string());
            assert!(!is_deeper_than(depth, &value), "{value} is deeper than {depth}");
            assert!(depth == 0 || is_deeper_than(depth - 1, &value), "{value} is not {depth} deep");
        }
    }
}
