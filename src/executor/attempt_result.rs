//! Decides whether a finished attempt succeeded.

use std::collections::HashSet;

use serde_json::Value;

use crate::{
    Failure,
    record_budget::{RecordSize, StepRecordAllowance},
};
use narratoria_plan::{Step, quote};
use narratoria_protocol::{
    Event, InvocationEnding, InvocationOutcome, Message, Object, ResourceUsage, StoreWrite,
};
use narratoria_skills::Schema;

/// Stands for a stderr that no longer fit into the turn's record.
const STDERR_LEFT_OFF: &str = "[its stderr is left off: the record of the turn is full]";

pub(crate) struct AttemptResult {
    /// Summary and output, or the failure.
    pub(crate) result: Result<(Option<String>, Value), Failure>,
    pub(crate) usage: ResourceUsage,
    pub(crate) stderr_tail: String,
    pub(crate) writes: Vec<StoreWrite>,
    pub(crate) files: Vec<String>,
}

impl AttemptResult {
    /// Judges an invocation. `expect` is the plan's schema for the output.
    pub(crate) fn of(
        invocation: InvocationOutcome,
        events: &[Message],
        expect: Option<&Schema>,
    ) -> AttemptResult {
        let InvocationOutcome { ending, usage, stderr_tail, writes, files } = invocation;
        let result = match ending {
            InvocationEnding::Done { summary, output } => match asset_used_twice(events) {
                None => {
                    check_expected(expect, Value::Object(output)).map(|output| (summary, output))
                }
                Some(id) => Err(Failure::DuplicateAsset { asset_id: quote(id) }),
            },
            InvocationEnding::Failed { summary, error_code, output } => {
                Err(Failure::GaveUp { summary, error_code, output })
            }
            InvocationEnding::Aborted(refusal) => Err(Failure::Refused(refusal)),
        };
        AttemptResult { result, usage, stderr_tail, writes, files }
    }

    pub(crate) fn abandoned(why: Failure) -> AttemptResult {
        AttemptResult {
            result: Err(why),
            usage: ResourceUsage::default(),
            stderr_tail: String::new(),
            writes: Vec::new(),
            files: Vec::new(),
        }
    }
}

impl AttemptResult {
    /// Judges the output by the criteria of the step that have a rule.
    pub(crate) fn check_criteria(&mut self, step: &Step, input: &Object) {
        let Ok((_, output)) = &self.result else { return };
        let unmet = step.acceptance_criteria.iter().find_map(|criterion| {
            let what = criterion.check(output, input).err()?;
            Some(Failure::CriterionUnmet { criterion: quote(&criterion.text), what })
        });
        if let Some(why) = unmet {
            self.result = Err(why);
        }
    }

    /// Counts the parts of the attempt in the record that are not events.
    pub(crate) fn record(&mut self, allowance: &StepRecordAllowance) {
        let content = RecordSize::ATTEMPT
            .plus(RecordSize::of_writes(&self.writes))
            .plus(RecordSize::of_texts(&self.files));
        if !allowance.take(content) {
            self.writes.clear();
            self.files.clear();
            self.result = Err(Failure::RecordFull);
        }
        let stderr = RecordSize { event_bytes: self.stderr_tail.len(), ..RecordSize::default() };
        if !self.stderr_tail.is_empty() && !allowance.take(stderr) {
            self.stderr_tail = STDERR_LEFT_OFF.to_owned();
        }
    }
}

fn check_expected(expect: Option<&Schema>, output: Value) -> Result<Value, Failure> {
    let mismatch = expect.and_then(|schema| schema.mismatches(&output).into_iter().next());
    match mismatch {
        None => Ok(output),
        Some(first) => Err(Failure::UnexpectedOutput { pointer: first.pointer, what: first.what }),
    }
}

fn asset_used_twice(events: &[Message]) -> Option<&str> {
    let mut seen = HashSet::new();
    events
        .iter()
        .filter_map(|message| match &message.event {
            Event::Asset { asset_id, .. } => Some(asset_id.as_str()),
            _ => None,
        })
        .find(|id| !seen.insert(*id))
}
