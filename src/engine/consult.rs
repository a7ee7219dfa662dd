//! Runs a script that only answers a question: it sees the story as it is, outside any turn, and its writes are
//! dropped.

use std::sync::Arc;

use serde_json::Value;

use super::{
    Session, TurnError, TurnErrorKind, entity_place::EntityPlace, scripts::ScriptTurn,
    turn_context::turn_seed,
};
use narratoria_executor::AttemptCall;
use narratoria_plan::StepIdx;
use narratoria_protocol::{
    InvocationEnding, InvocationOutcome, MEMORY_OWNER, OPERATION_RUN, Object, Request, StoreMap,
    StoryState,
};
use narratoria_sandbox::{EntityIds, MemoryAuthor};

impl Session {
    /// Runs a script on the story and returns its output; `None` if no skill in play has it. Costs no turn, and the
    /// same moment gives the same answer.
    pub async fn consult(
        &mut self,
        tool_path: &str,
        input: Object,
    ) -> Result<Option<Object>, TurnError> {
        let Ok((skill, script_idx)) = self.catalog().resolve(tool_path) else { return Ok(None) };
        let skill = Arc::clone(skill);
        let script = &skill.scripts[script_idx];
        let story = self.story();
        let seed = turn_seed(story.seed(), story.turns() + 1, 0);
        let mut stores = story.stores()?;
        let mut snapshot =
            |owner: &str| Arc::new(stores.remove(owner).unwrap_or_else(StoreMap::default));
        let request = Request {
            request_id: self.clock_and_ids().new_id(),
            tool: script.name.clone(),
            operation: OPERATION_RUN.to_owned(),
            input,
            config: skill.config.clone(),
            state: StoryState::new(story.state().as_object().clone()).slice(&script.reads),
            inputs: Object::new(),
            seed,
        };
        let entities = script.grants.memory.then(|| {
            let ids = Arc::new(EntityIds::after(std::iter::empty()));
            EntityPlace::of_turn(story, None).input(&ids, Vec::new(), MemoryAuthor::of(&skill))
        });
        let call = AttemptCall {
            candidate: 0,
            request,
            timeout: script.timeout,
            step_idx: StepIdx(0),
            asked_by: None,
            item: None,
            attempt: 1,
            store: script.grants.store.then(|| snapshot(&skill.name)),
            memory: script.grants.memory.then(|| snapshot(MEMORY_OWNER)),
            entity_writes: None,
            answers: None,
            skill,
            script_idx,
        };
        let outcome =
            self.scripts().run(call, Box::new(|_| {}), entities, &ScriptTurn::default()).await;
        output_of(tool_path, outcome).map(Some)
    }

    /// Returns the text of such a script's output; `None` if no skill in play has the script.
    pub async fn consult_text(&mut self, tool_path: &str) -> Result<Option<String>, TurnError> {
        let Some(output) = self.consult(tool_path, Object::new()).await? else { return Ok(None) };
        Ok(output.get("text").and_then(Value::as_str).map(str::to_owned))
    }
}

fn output_of(tool_path: &str, outcome: InvocationOutcome) -> Result<Object, TurnError> {
    let what = match outcome.ending {
        InvocationEnding::Done { output, .. } => return Ok(output),
        InvocationEnding::Failed { summary, .. } => summary.unwrap_or_else(|| "gave up".to_owned()),
        InvocationEnding::Aborted(error) => error.to_string(),
    };
    Err(TurnError::new(TurnErrorKind::Failed, format!("`{tool_path}`: {what}")))
}
