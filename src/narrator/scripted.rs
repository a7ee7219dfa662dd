//! The planner that replays given responses, for tests and for replaying a session.

use std::vec;

use serde_json::Value;

use super::{PlanFuture, PlanRequest, PlanResponse, Planner, PlannerError, Proposal};
use narratoria_plan::PlanJson;
use narratoria_protocol::{
    DEPTH_MAX, JsonBounds, Object, StrictJsonError, VALUES_MAX, json_kind, read_json_as,
};

/// Longest script, in bytes. A plan of 256 steps has about 100 KiB.
pub const PLANNER_SCRIPT_BYTES_MAX: usize = 16 << 20;

/// A script is a list of many plans.
const SCRIPT_BOUNDS: JsonBounds = JsonBounds::of_bytes(PLANNER_SCRIPT_BYTES_MAX)
    .with_depth(DEPTH_MAX + 2)
    .with_values(5 * VALUES_MAX);

const NAME: &str = "scripted";

/// Why a text is no script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlannerScriptError {
    #[error("the script has {bytes} bytes, at most {limit} are allowed")]
    TooLong {
        bytes: usize,
        /// [`PLANNER_SCRIPT_BYTES_MAX`].
        limit: usize,
    },
    #[error("the script is not a JSON array: {reason}")]
    NotAnArray { reason: String },
    /// A duplicate key, or too much of something.
    #[error("the script cannot be used: {reason}")]
    Unusable { reason: String },
    #[error(
        "response {idx} of the script is {found}, it must be a plan, a text, `{{\"error\": \"…\"}}` or `{{\"abort\": \"…\"}}`"
    )]
    InvalidResponse {
        /// From 0.
        idx: usize,
        found: &'static str,
    },
}

/// Returns its responses one after another, then [`PlannerError::ScriptEnded`].
#[derive(Debug)]
pub struct ScriptedPlanner {
    responses: vec::IntoIter<ScriptedResponse>,
    count: usize,
}

#[derive(Debug)]
enum ScriptedResponse {
    Ready(Result<Proposal, PlannerError>),
    /// An object that may be no valid plan; the host reports its errors.
    Object(Object),
}

impl ScriptedPlanner {
    pub fn new(responses: Vec<Result<Proposal, PlannerError>>) -> ScriptedPlanner {
        ScriptedPlanner::from_responses(
            responses.into_iter().map(ScriptedResponse::Ready).collect(),
        )
    }

    /// Parses a JSON array. Its items are plans, texts that are passed on unchanged, `{"error": "…"}` or
    /// `{"abort": "…"}`.
    pub fn parse(text: &str) -> Result<ScriptedPlanner, PlannerScriptError> {
        let items: Vec<Value> =
            read_json_as(text.as_bytes(), SCRIPT_BOUNDS).map_err(|error| match error {
                StrictJsonError::TooLong { bytes, limit } => {
                    PlannerScriptError::TooLong { bytes, limit }
                }
                error if error.is_json() && !matches!(error, StrictJsonError::Shape { .. }) => {
                    PlannerScriptError::Unusable { reason: error.to_string() }
                }
                error => PlannerScriptError::NotAnArray { reason: error.to_string() },
            })?;
        let responses = items.into_iter().enumerate().map(parse_response);
        Ok(ScriptedPlanner::from_responses(responses.collect::<Result<_, _>>()?))
    }

    fn from_responses(responses: Vec<ScriptedResponse>) -> ScriptedPlanner {
        ScriptedPlanner { count: responses.len(), responses: responses.into_iter() }
    }

    fn next(&mut self, request: &PlanRequest<'_>) -> Result<Proposal, PlannerError> {
        match self.responses.next() {
            None => Err(PlannerError::ScriptEnded { responses: self.count }),
            Some(ScriptedResponse::Ready(Ok(Proposal::Plan(plan)))) => {
                Ok(Proposal::Plan(adapt_plan(plan, request)))
            }
            Some(ScriptedResponse::Ready(other)) => other,
            Some(ScriptedResponse::Object(object)) => Ok(adapt_object(object, request)),
        }
    }
}

impl Planner for ScriptedPlanner {
    fn name(&self) -> &str {
        NAME
    }

    fn propose<'a>(&'a mut self, request: PlanRequest<'a>) -> PlanFuture<'a> {
        Box::pin(async move { Ok(PlanResponse::from_planner(NAME, self.next(&request)?)) })
    }
}

fn parse_response((idx, item): (usize, Value)) -> Result<ScriptedResponse, PlannerScriptError> {
    let found = match item {
        Value::String(text) => return Ok(ScriptedResponse::Ready(Ok(Proposal::Text(text)))),
        Value::Object(object) => {
            let only = |field: &str| {
                let text = object.get(field).and_then(Value::as_str);
                text.filter(|_| object.len() == 1).map(str::to_owned)
            };
            if let Some(reason) = only("error") {
                return Ok(ScriptedResponse::Ready(Err(PlannerError::Failed { reason })));
            }
            if let Some(reason) = only("abort") {
                return Ok(ScriptedResponse::Ready(Ok(Proposal::Abort { reason })));
            }
            return Ok(ScriptedResponse::Object(object));
        }
        other => json_kind(&other),
    };
    Err(PlannerScriptError::InvalidResponse { idx, found })
}

/// Sets the id and the lineage of this request, so that a script can be replayed.
fn adapt_plan(mut plan: PlanJson, request: &PlanRequest<'_>) -> PlanJson {
    plan.request_id = request.plan_id.clone();
    plan.metadata.generation_attempt = request.attempt;
    plan.metadata.parent_plan_id = request.parent_plan_id.map(str::to_owned);
    plan.metadata.extra.insert("planner".to_owned(), Value::from(NAME));
    for skill in request.disabled_skills {
        if !plan.disabled_skills.contains(skill) {
            plan.disabled_skills.push(skill.clone());
        }
    }
    plan
}

/// An object that deserializes as a plan becomes one; any other is passed on as text.
fn adapt_object(mut object: Object, request: &PlanRequest<'_>) -> Proposal {
    object.insert("requestId".to_owned(), Value::from(request.plan_id.clone()));
    let text = Value::Object(object.clone()).to_string();
    match serde_json::from_value::<PlanJson>(Value::Object(object)) {
        Ok(plan) => Proposal::Plan(adapt_plan(plan, request)),
        Err(_) => Proposal::Text(text),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::ScriptedPlanner;
    use crate::{PlanRequest, Proposal};
    use narratoria_protocol::Object;
    use narratoria_skills::Catalog;

    /// Plays all responses and one more, one a line.
    fn play(script: &str) -> String {
        let mut planner = match ScriptedPlanner::parse(script) {
            Ok(planner) => planner,
            Err(error) => return error.to_string(),
        };
        let (catalog, state, disabled) = (Catalog::default(), Object::new(), ["cards".to_owned()]);
        let mut lines = Vec::new();
        for attempt in 1..=planner.count as u32 + 1 {
            let response = planner.next(&PlanRequest {
                disabled_skills: &disabled,
                attempt,
                parent_plan_id: (attempt > 1).then_some("before"),
                ..PlanRequest::first(
                    "go",
                    &catalog,
                    &state,
                    format!("id-{attempt}"),
                    Duration::from_secs(5),
                )
            });
            lines.push(match response {
                Ok(Proposal::Plan(plan)) => {
                    format!("plan {}", serde_json::to_string(&plan).unwrap())
                }
                Ok(Proposal::Text(text)) => format!("text {text}"),
                Ok(Proposal::Abort { reason }) => format!("abort {reason}"),
                Err(error) => format!("error {error}"),
            });
        }
        lines.join("\n")
    }

    /// S0 FR-010: attempt and parent come from the request.
    #[test]
    fn plans_texts_and_errors_come_in_order_until_the_script_ends() {
        insta::assert_snapshot!(play(
            r#"[
                {"requestId": "old", "tools": [{"toolId": "a", "toolPath": "dice/roll"}], "metadata": {"generationAttempt": 9, "mood": "dark"}},
                {"tools": []},
                {"tools": "none"},
                "{ not json",
                {"error": "out of memory"}
            ]"#
        ), @r#"
        plan {"requestId":"id-1","tools":[{"toolId":"a","toolPath":"dice/roll","input":{},"dependencies":[]}],"parallel":false,"disabledSkills":["cards"],"metadata":{"generationAttempt":1,"parentPlanId":null,"mood":"dark","planner":"scripted"}}
        plan {"requestId":"id-2","tools":[],"parallel":false,"disabledSkills":["cards"],"metadata":{"generationAttempt":2,"parentPlanId":"before","planner":"scripted"}}
        text {"tools":"none","requestId":"id-3"}
        text { not json
        error the planner failed: out of memory
        error the script has only 5 responses and was asked for more
        "#);
    }

    #[test]
    fn a_text_that_is_no_script_is_refused() {
        insta::assert_snapshot!(play("{}"), @"the script is not a JSON array: invalid type: map, expected a sequence at line 1 column 0");
        insta::assert_snapshot!(play(r#"["fine", 3]"#), @r#"response 1 of the script is a number, it must be a plan, a text, `{"error": "…"}` or `{"abort": "…"}`"#);
        insta::assert_snapshot!(play("[]"), @"error the script has only 0 responses and was asked for more");
    }
}
