//! The documents of a tick as text (S4 §6): `plans/plan_NNN.json`, `errors/error_NNN.json`, its log, and scenes as
//! Markdown. Pure. JSON has two spaces, and UTF-8 stays as it is.

use std::fmt::Write as _;

use jiff::Timestamp;
use narratoria_narrator::tick::{TICK_PLAN_BYTES_MAX, TickContext, TickPlan, TickPlanError};
use narratoria_protocol::{JsonBounds, Scene, StrictJsonError, read_json};
use serde_json::{Value, json};

/// Longest error file that `--retry` reads: a plan, and several times as much around it.
pub const ERROR_FILE_BYTES_MAX: usize = 4 * TICK_PLAN_BYTES_MAX;

/// A failed tick, before it is a file.
#[derive(Debug, Clone)]
pub(crate) struct TickFault {
    /// The kind of error, such as `RuntimeError`.
    pub(crate) kind: &'static str,
    pub(crate) message: String,
    /// The steps up to the fault, the last one last.
    pub(crate) traceback: String,
    /// `{}` if there is none.
    pub(crate) plan: Value,
    /// The actions that ran before the fault.
    pub(crate) execution: Option<Value>,
}

/// S4's `context_used`.
pub(crate) fn context_used(context: Option<&TickContext>) -> Value {
    json!({
        "active_character": context.and_then(|context| context.active_character_id.clone()),
        "recent_scenes": context.map(|context| context.recent_scene_ids.clone()).unwrap_or_default(),
        "open_loops_count": context.map_or(0, |context| context.open_loops_count),
    })
}

/// S4's timestamps: UTC with `Z`, to the second.
pub(crate) fn timestamp(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// `plans/plan_NNN.json`.
pub(crate) fn plan_file(
    tick: u64,
    at: Timestamp,
    plan: &Value,
    execution: &Value,
    context: Option<&TickContext>,
    warnings: &[String],
) -> String {
    let mut document = json!({
        "tick": tick,
        "timestamp": timestamp(at),
        "plan": plan,
        "execution": execution,
        "context_used": context_used(context),
    });
    if !warnings.is_empty() {
        document["warnings"] = json!(warnings);
    }
    format!("{document:#}\n")
}

/// Returns the three ways to go on after a failed tick.
pub(crate) fn instructions(tick: u64) -> String {
    format!(
        "This tick failed during execution. Review the error and plan, then either:\n\
         1. Fix the underlying issue (e.g., missing entity, invalid args)\n\
         2. Manually edit the plan and retry\n\
         3. Skip this tick and continue with next tick\n\
         \n\
         To retry: narratoria tick --retry {tick}\n\
         To skip: narratoria tick --skip {tick}"
    )
}

/// Returns the execution in a file of a tick whose plan did not run.
pub(crate) fn no_execution(tick: u64, plan: &Value, error: &str) -> Value {
    json!({"tick": tick, "plan": plan, "actions_executed": [], "errors": [error], "success": false})
}

/// `errors/error_NNN.json`.
pub(crate) fn error_file(
    tick: u64,
    at: Timestamp,
    fault: &TickFault,
    context: Option<&TickContext>,
) -> String {
    let execution = match &fault.execution {
        Some(execution) => execution.clone(),
        None => no_execution(tick, &fault.plan, &fault.message),
    };
    let document = json!({
        "tick": tick,
        "timestamp": timestamp(at),
        "error": {
            "type": fault.kind,
            "message": fault.message,
            "traceback": fault.traceback,
        },
        "plan": fault.plan,
        "execution": execution,
        "context_used": context_used(context),
        "instructions": instructions(tick),
    });
    format!("{document:#}\n")
}

/// `errors/error_NNN.log`.
pub(crate) fn error_log(tick: u64, fault: &TickFault) -> String {
    let execution = match &fault.execution {
        Some(execution) => execution.clone(),
        None => no_execution(tick, &fault.plan, &fault.message),
    };
    let TickFault { kind, message, traceback, plan, .. } = fault;
    format!(
        "=== TICK {tick} EXECUTION ERROR ===\n\n\
         Error Type: {kind}\n\
         Error Message: {message}\n\n\
         Traceback:\n{traceback}\n\n\
         Plan:\n{plan:#}\n\n\
         Partial Execution Results:\n{execution:#}\n"
    )
}

/// Why the plan of an error file cannot be tried again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RetryError {
    #[error(transparent)]
    Json(StrictJsonError),
    #[error("it has no object `plan`")]
    NoPlan,
    #[error("it is about tick {found}, not about tick {tick}")]
    OtherTick { found: String, tick: u64 },
    #[error("tick {tick} failed before it had a plan; run `narratoria tick` for another one")]
    EmptyPlan { tick: u64 },
    #[error(transparent)]
    Plan(TickPlanError),
}

/// Reads the plan of an error file, which a person may have edited.
pub(crate) fn plan_to_retry(bytes: &[u8], tick: u64) -> Result<TickPlan, RetryError> {
    let bounds = JsonBounds::of_bytes(ERROR_FILE_BYTES_MAX);
    let mut document = read_json(bytes, bounds).map_err(RetryError::Json)?;
    let found = &document["tick"];
    if found.as_u64() != Some(tick) {
        return Err(RetryError::OtherTick { found: found.to_string(), tick });
    }
    let plan = document.get_mut("plan").filter(|plan| plan.is_object());
    let plan = plan.ok_or(RetryError::NoPlan)?.take();
    if plan.as_object().is_some_and(serde_json::Map::is_empty) {
        return Err(RetryError::EmptyPlan { tick });
    }
    TickPlan::from_value(plan).map_err(RetryError::Plan)
}

/// Returns the time and the message of an error file.
pub(crate) fn error_of_file(bytes: &[u8]) -> Result<(Option<String>, String), StrictJsonError> {
    let document = read_json(bytes, JsonBounds::of_bytes(ERROR_FILE_BYTES_MAX))?;
    let text = |pointer: &str| document.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    Ok((text("/timestamp"), text("/error/message").unwrap_or_default()))
}

/// `scenes/scene_NNN.md`.
pub(crate) fn scene_file(
    id: &str,
    scene: &Scene,
    pov: Option<&str>,
    place: Option<&str>,
) -> String {
    let mut text = format!("# {}\n\n*Tick {}, scene {id}", scene.title, scene.tick);
    for part in [pov, place].into_iter().flatten() {
        let _ = write!(text, ", {part}");
    }
    let _ = write!(text, "*\n\n{}\n\n## Summary\n\n", scene.text.trim());
    for bullet in &scene.summary {
        let _ = writeln!(text, "- {bullet}");
    }
    text
}

#[cfg(test)]
mod tests {
    use narratoria_narrator::tick::{ContextSettings, TickLoop, TickScene, TickStory};

    use super::*;

    fn fault() -> TickFault {
        TickFault {
            kind: "RuntimeError",
            message:
                "Tool execution failed at action 1: Error executing a.b: Tool not found: a.b\n\
                      Plan execution halted. Check error log for details."
                    .to_owned(),
            traceback: "executing: action 1, a.b".to_owned(),
            plan: json!({"rationale": "Łódź", "scene_intention": "s", "actions": []}),
            execution: None,
        }
    }

    /// S4 "context_used", "recent_scenes", "open_loops_count": as the planner has read them.
    #[test]
    fn a_file_names_the_context_of_its_plan() {
        let story = TickStory {
            active_character: Some("C0".to_owned()),
            scenes: vec![TickScene { id: "S001".to_owned(), tick: 1, ..TickScene::default() }],
            loops: vec![TickLoop::default(); 2],
            ..TickStory::new()
        };
        let context = TickContext::build(&story, ContextSettings::default(), String::new());
        let used = json!({
            "active_character": "C0", "recent_scenes": ["S001"], "open_loops_count": 2,
        });
        let (plan, none) = (json!({}), json!({}));
        for file in [
            plan_file(2, at(), &plan, &none, Some(&context), &[]),
            error_file(2, at(), &fault(), Some(&context)),
        ] {
            let file: Value = serde_json::from_str(&file).unwrap();
            assert_eq!(file["context_used"], used);
        }
    }

    fn at() -> Timestamp {
        Timestamp::from_second(1_730_750_400).unwrap()
    }

    /// S4 "error_NNN.json", "error_NNN.log", "instructions", "two-space JSON".
    #[test]
    fn a_failed_tick_has_a_file_for_programs_and_one_for_people() {
        let (file, log) = (error_file(5, at(), &fault(), None), error_log(5, &fault()));
        insta::assert_snapshot!(format!("{file}----\n{log}"));
    }

    /// S4 "--retry": the plan comes from the error file, edited or not.
    #[test]
    fn a_plan_is_read_back_from_its_error_file() {
        let file = error_file(5, at(), &fault(), None);
        assert_eq!(plan_to_retry(file.as_bytes(), 5).unwrap().rationale, "Łódź");
        let check = |text: &str, tick: u64| match plan_to_retry(text.as_bytes(), tick) {
            Ok(_) => "fine".to_owned(),
            Err(error) => error.to_string(),
        };
        insta::assert_snapshot!(check(&file, 6), @"it is about tick 5, not about tick 6");
        insta::assert_snapshot!(check("{", 5), @"EOF while parsing an object at line 1 column 1");
        insta::assert_snapshot!(check(r#"{"tick": 5}"#, 5), @"it has no object `plan`");
        insta::assert_snapshot!(
            check(r#"{"tick": 5, "plan": {}}"#, 5),
            @"tick 5 failed before it had a plan; run `narratoria tick` for another one"
        );
        insta::assert_snapshot!(
            check(r#"{"tick": 5, "plan": {"rationale": "r"}}"#, 5),
            @r#"Plan validation failed: "scene_intention" is a required property; "actions" is a required property"#
        );
    }

    #[test]
    fn a_scene_is_markdown() {
        let scene = Scene {
            title: "Four in the Morning".to_owned(),
            tick: 3,
            summary: vec!["They found the page.".to_owned(), "They will ask.".to_owned()],
            text: "The page was there.\n\nThey read it.".to_owned(),
            ..Scene::default()
        };
        insta::assert_snapshot!(scene_file(
            "S003",
            &scene,
            Some("Ada Birch"),
            Some("The Lock House")
        ));
    }
}
