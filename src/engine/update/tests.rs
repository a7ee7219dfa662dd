use narratoria_executor::SkipReason;
use narratoria_protocol::{LogLevel, Object};
use narratoria_skills::Health;
use narratoria_story::TurnOutcome;
use serde_json::{Value, json};

use super::{DecidedBy, ReviewDecision, StepEvent, StepState, Update, UpdateLine};
use crate::TurnErrorKind;

fn text(word: &str) -> String {
    word.to_owned()
}

fn object(value: Value) -> Option<Object> {
    value.as_object().cloned()
}

fn lines(updates: impl IntoIterator<Item = Update>) -> String {
    let line = |update| serde_json::to_string(&UpdateLine::new(&update)).unwrap() + "\n";
    updates.into_iter().map(line).collect()
}

fn step_events() -> Vec<StepEvent> {
    vec![
        StepEvent::Started { tool_path: text("dice/roll"), attempt: 1 },
        StepEvent::Progressed { progress: 42.5, message: text("m") },
        StepEvent::Logged { level: LogLevel::Warn, message: text("m"), fields: None },
        StepEvent::Logged {
            level: LogLevel::Info,
            message: text("m"),
            fields: object(json!({"a": 1})),
        },
        StepEvent::Warned { error_code: text("C"), error_message: text("m"), details: None },
        StepEvent::Retrying { attempt: 2, delay_ms: 100, error: text("e") },
        StepEvent::Waiting { tool_path: text("dice/roll"), input: json!({}), description: None },
        StepEvent::Decided { approved: true, by: DecidedBy::Player },
        StepEvent::Decided { approved: false, by: DecidedBy::Settings },
        StepEvent::Asked { question: text("q"), choices: vec![text("c")] },
        StepEvent::Answered { answered: true },
        StepEvent::TakenOver { from: text("a/b"), to: text("c/d"), error: text("e") },
        StepEvent::Reused { state: StepState::Success },
        finished(StepState::Timeout, None),
        finished(StepState::Skipped, Some(SkipReason::ConditionFalse)),
        StepEvent::UiEvent { event: text("e"), payload: Some(json!(1)), placeholder: None },
        StepEvent::AssetCreated {
            asset_id: text("a"),
            kind: text("image"),
            media_type: text("image/png"),
            path: text("assets/a.png"),
            metadata: None,
        },
    ]
}

fn finished(state: StepState, reason: Option<SkipReason>) -> StepEvent {
    StepEvent::Finished {
        state,
        summary: Some(text("s")),
        output: Some(json!({"total": 19})),
        error: Some(text("e")),
        reason,
        execution_time_ms: 1,
        retry_count: 2,
        fuel_consumed: 3,
        peak_memory_bytes: 4,
        stdout_bytes: 5,
    }
}

/// The version comes first, then the type, the ids and the event's own fields, in one flat object.
#[test]
fn a_step_event_is_one_flat_object() {
    let updates = step_events().into_iter().map(|event| Update::step(1, "p", "s", event));
    insta::assert_snapshot!(lines(updates), @r#"
    {"v":1,"type":"step.started","turn":1,"planId":"p","toolId":"s","toolPath":"dice/roll","attempt":1}
    {"v":1,"type":"step.progress","turn":1,"planId":"p","toolId":"s","progress":42.5,"message":"m"}
    {"v":1,"type":"step.logged","turn":1,"planId":"p","toolId":"s","level":"warn","message":"m"}
    {"v":1,"type":"step.logged","turn":1,"planId":"p","toolId":"s","level":"info","message":"m","fields":{"a":1}}
    {"v":1,"type":"step.warned","turn":1,"planId":"p","toolId":"s","errorCode":"C","errorMessage":"m"}
    {"v":1,"type":"step.retrying","turn":1,"planId":"p","toolId":"s","attempt":2,"delayMs":100,"error":"e"}
    {"v":1,"type":"step.waiting","turn":1,"planId":"p","toolId":"s","toolPath":"dice/roll","input":{}}
    {"v":1,"type":"step.decided","turn":1,"planId":"p","toolId":"s","approved":true,"by":"player"}
    {"v":1,"type":"step.decided","turn":1,"planId":"p","toolId":"s","approved":false,"by":"settings"}
    {"v":1,"type":"step.asked","turn":1,"planId":"p","toolId":"s","question":"q","choices":["c"]}
    {"v":1,"type":"step.answered","turn":1,"planId":"p","toolId":"s","answered":true}
    {"v":1,"type":"step.taken_over","turn":1,"planId":"p","toolId":"s","from":"a/b","to":"c/d","error":"e"}
    {"v":1,"type":"step.kept","turn":1,"planId":"p","toolId":"s","state":"success"}
    {"v":1,"type":"step.finished","turn":1,"planId":"p","toolId":"s","state":"timeout","summary":"s","output":{"total":19},"error":"e","executionTimeMs":1,"retryCount":2,"fuelConsumed":3,"peakMemoryBytes":4,"stdoutBytes":5}
    {"v":1,"type":"step.finished","turn":1,"planId":"p","toolId":"s","state":"skipped","summary":"s","output":{"total":19},"error":"e","reason":"condition_false","executionTimeMs":1,"retryCount":2,"fuelConsumed":3,"peakMemoryBytes":4,"stdoutBytes":5}
    {"v":1,"type":"ui.event","turn":1,"planId":"p","toolId":"s","event":"e","payload":1}
    {"v":1,"type":"asset.created","turn":1,"planId":"p","toolId":"s","assetId":"a","kind":"image","mediaType":"image/png","path":"assets/a.png"}
    "#);
}

#[test]
fn enums_are_written_as_their_words() {
    let reviewed = |decision| Update::PlanReviewed { turn: 1, plan_id: text("p"), decision };
    let updates = [
        reviewed(ReviewDecision::Start),
        reviewed(ReviewDecision::Cancel),
        reviewed(ReviewDecision::Edit),
        reviewed(ReviewDecision::Regenerate),
        Update::SkillFailed { skill: text("a"), problems: Vec::new(), still_used: true },
        Update::HealthChanged {
            turn: 1,
            skill: text("a"),
            from: Health::Degraded,
            to: Health::PermanentFailure,
        },
        Update::TurnFinished {
            turn: 1,
            outcome: TurnOutcome::Narrated,
            narration: text("n"),
            choices: Vec::new(),
            attempts: 1,
            elapsed_ms: 2,
        },
        Update::TurnFailed {
            turn: None,
            kind: TurnErrorKind::BadInput,
            message: text("m"),
            hints: Vec::new(),
        },
    ];
    insta::assert_snapshot!(lines(updates), @r#"
    {"v":1,"type":"plan.reviewed","turn":1,"planId":"p","decision":"start"}
    {"v":1,"type":"plan.reviewed","turn":1,"planId":"p","decision":"cancel"}
    {"v":1,"type":"plan.reviewed","turn":1,"planId":"p","decision":"edit"}
    {"v":1,"type":"plan.reviewed","turn":1,"planId":"p","decision":"regenerate"}
    {"v":1,"type":"skill.failed","skill":"a","problems":[],"kept":true}
    {"v":1,"type":"health.changed","turn":1,"skill":"a","from":"degraded","to":"permanentFailure"}
    {"v":1,"type":"turn.finished","turn":1,"outcome":"told","narration":"n","choices":[],"attempts":1,"elapsedMs":2}
    {"v":1,"type":"turn.failed","kind":"bad_input","message":"m","hints":[]}
    "#);
}
