//! The result of a plan, as a table.

use narratoria_engine::TurnError;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    args::Format, exit::Exit, print_line, print_text, review::TerminalReviewer,
    settings::CliSettings,
};
use narratoria_ui::render_table;

/// Prints the execution result and returns the exit code. `None` stands for a plan that its reviewer refused. For
/// programs, the result is the last line of the stream.
pub(super) fn print(
    result: Option<&Value>,
    reviewer: Option<&TerminalReviewer>,
    settings: &CliSettings,
    cancel: &CancellationToken,
) -> Result<Exit, TurnError> {
    let look = settings.terminal.look;
    match (result, settings.format) {
        (None, Format::Json) => match reviewer.and_then(TerminalReviewer::cancelled) {
            Some(cancelled) => print_line(look, cancelled)?,
            // The turn was stopped before its review.
            None => print_line(look, &json!({"cancelled": true}))?,
        },
        (None, Format::Plain) => print_text(look, "cancelled: nothing ran\n")?,
        (Some(result), Format::Json) => print_line(look, result)?,
        (Some(result), Format::Plain) => {
            let verdict = verdict(result, settings.terminal.is_interactive, cancel.is_cancelled());
            print_text(look, &format!("{}{verdict}\n", trace_table(result, look.width)))?;
        }
    }
    let exit = match result {
        _ if cancel.is_cancelled() => Exit::Interrupted,
        None => Exit::Refused,
        Some(result) if !succeeded(result) => Exit::Failed,
        Some(result) if denied(result) > 0 => Exit::Refused,
        Some(_) => Exit::Done,
    };
    Ok(TerminalReviewer::exit(reviewer, exit))
}

fn succeeded(result: &Value) -> bool {
    result.get("success").and_then(Value::as_bool).unwrap_or(false)
}

/// Counts the steps without approval.
fn denied(result: &Value) -> usize {
    let results = result.get("toolResults").and_then(Value::as_array);
    let reason = |tool: &&Value| tool.get("reason").and_then(Value::as_str) == Some("denied");
    results.into_iter().flatten().filter(reason).count()
}

/// The result of each step, from the execution result.
fn trace_table(result: &Value, width: Option<usize>) -> String {
    let results = result.get("toolResults").and_then(Value::as_array);
    let row = |tool: &Value| {
        let text = |field: &str| tool.get(field).and_then(Value::as_str).unwrap_or("").to_owned();
        let number = |field: &str| tool.get(field).and_then(Value::as_u64).unwrap_or(0);
        [
            text("toolId"),
            text("state"),
            format!("{} ms", number("executionTimeMs")),
            number("retryCount").to_string(),
            step_detail(tool),
        ]
    };
    let rows: Vec<[String; 5]> = results.into_iter().flatten().map(row).collect();
    render_table(["STEP", "STATE", "TIME", "RETRIES", "WHAT"], &rows, width)
}

/// The end in one line. `asked` says if a person could approve.
fn verdict(result: &Value, asked: bool, stopped: bool) -> &'static str {
    match (succeeded(result), denied(result)) {
        (false, _) if stopped => "the plan was stopped",
        (false, _) => "the plan failed",
        (true, 0) => "the plan succeeded",
        (true, _) if asked => "the plan succeeded without the steps that were denied",
        (true, _) => "the plan succeeded without the steps that were denied; `--yes` approves them",
    }
}

/// The most telling line of a step: its error, why it was skipped, or its own summary.
fn step_detail(tool: &Value) -> String {
    let error = tool.pointer("/error/message").and_then(Value::as_str);
    let reason = tool.get("reason").and_then(Value::as_str);
    let events = tool.get("events").and_then(Value::as_array).into_iter().flatten();
    let done = events.filter(|event| event.get("type").and_then(Value::as_str) == Some("done"));
    let summary = done.filter_map(|done| done.get("summary")?.as_str()).next_back();
    error.or(reason).or(summary).unwrap_or("").to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{trace_table, verdict};

    fn summary(result: &serde_json::Value) -> String {
        format!("{}{}\n", trace_table(result, None), verdict(result, false, false))
    }

    #[test]
    fn every_step_says_what_came_of_it() {
        let result = json!({
            "success": false,
            "toolResults": [
                {"toolId": "roll", "state": "success", "executionTimeMs": 3, "retryCount": 0,
                 "events": [{"type": "log"}, {"type": "done", "ok": true, "summary": "a four"}]},
                {"toolId": "open", "state": "timeout", "executionTimeMs": 2003, "retryCount": 3,
                 "events": [], "error": {"message": "ran past its time limit of 500 ms"}},
                {"toolId": "tell", "state": "skipped", "executionTimeMs": 0, "retryCount": 0,
                 "events": [], "reason": "dependency_failed"},
            ],
        });
        insta::assert_snapshot!(summary(&result), @r"
        STEP  STATE    TIME     RETRIES  WHAT
        roll  success  3 ms     0        a four
        open  timeout  2003 ms  3        ran past its time limit of 500 ms
        tell  skipped  0 ms     0        dependency_failed
        the plan failed
        ");
    }

    #[test]
    fn a_result_without_steps_is_a_table_all_the_same() {
        insta::assert_snapshot!(summary(&json!({"success": true})), @r"
        STEP  STATE  TIME  RETRIES  WHAT
        the plan succeeded
        ");
    }
}
