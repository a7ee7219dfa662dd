//! The report about a failed plan that a planner reads (S2, strategy 3).

use std::fmt::Write;

use narratoria_protocol::visible::clip;

use super::{PreviousPlan, StepReport};

/// Longest output that the report repeats, because the prompt of a small model has only a few thousand tokens.
const OUTPUT_CHARS_MAX: usize = 400;

/// Most steps that the report lists. Failed ones come first, so that they are never cut off.
const REPORT_STEPS_MAX: usize = 32;

/// The recovery prompt: what failed and why, what is done already, and the four ways on.
pub fn recovery_prompt(previous: &PreviousPlan<'_>) -> String {
    recovery_report(previous)
        + "\nSuggest one of:\n\
           1. Retry with different input\n2. Skip and continue (`\"skip\": true`)\n\
           3. Insert new recovery steps\n4. Abort execution\n\nRespond with the recovery plan.\n"
}

/// Its first part, for a planner that writes no Plan JSON and has other ways on.
pub(super) fn recovery_report(previous: &PreviousPlan<'_>) -> String {
    let mut prompt = String::new();
    let (failed, others): (Vec<&StepReport>, Vec<&StepReport>) =
        previous.steps.iter().partition(|step| matches!(step.state, "failed" | "timeout"));
    for report in failed.iter().take(REPORT_STEPS_MAX) {
        let tool = previous.plan.tools.iter().find(|tool| tool.tool_id == report.tool_id);
        let what = tool.and_then(|tool| tool.description.as_deref());
        let path = tool.map_or("", |tool| tool.tool_path.as_str());
        let why = report.why.as_deref().unwrap_or("it did not say why");
        let _ = writeln!(prompt, "Step failed: {} ({})", what.unwrap_or(&report.tool_id), path);
        let _ = writeln!(prompt, "Id: {}\nError: {why}\n", report.tool_id);
    }
    prompt.push_str("Steps of the plan so far:\n");
    let room = REPORT_STEPS_MAX.saturating_sub(failed.len());
    for report in others.iter().take(room) {
        let _ =
            writeln!(prompt, "- {}: {}{}", report.tool_id, report.state, step_result_text(report));
    }
    if others.len() > room {
        let _ = writeln!(prompt, "- and {} more", others.len() - room);
    }
    prompt.push_str(
        "\nA step that is a success keeps its result and is not run again, if the new plan has it \
         under the same id and unchanged.\n",
    );
    prompt
}

fn step_result_text(report: &StepReport) -> String {
    match (&report.output, &report.why) {
        (Some(output), _) => format!(" {}", clip(&output.to_string(), OUTPUT_CHARS_MAX)),
        (None, Some(why)) => format!(" ({why})"),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{PreviousPlan, StepReport, recovery_prompt};

    /// S2 "Strategy 3: Ask LLM".
    #[test]
    fn the_prompt_says_what_failed_what_is_done_and_what_may_be_suggested() {
        let plan = serde_json::from_value(json!({
            "requestId": "00000000-0000-4000-8000-000000000000",
            "tools": [
                {"toolId": "roll", "toolPath": "dice-roller/roll-dice"},
                {"toolId": "pick", "toolPath": "thief/pick", "description": "Pick the lock"},
                {"toolId": "tell", "toolPath": "storyteller/narrate"},
            ],
        }))
        .unwrap();
        let report = |tool_id: &str, state, output, why: Option<&str>| StepReport {
            tool_id: tool_id.to_owned(),
            state,
            output,
            why: why.map(str::to_owned),
        };
        let steps = [
            report("roll", "success", Some(json!({"total": 4})), None),
            report("pick", "failed", None, Some("the lock is jammed")),
            report("tell", "skipped", None, Some("dependency_failed")),
        ];
        let prompt = recovery_prompt(&PreviousPlan { plan: &plan, steps: &steps });
        insta::assert_snapshot!(prompt, @r#"
        Step failed: Pick the lock (thief/pick)
        Id: pick
        Error: the lock is jammed

        Steps of the plan so far:
        - roll: success {"total":4}
        - tell: skipped (dependency_failed)

        A step that is a success keeps its result and is not run again, if the new plan has it under the same id and unchanged.

        Suggest one of:
        1. Retry with different input
        2. Skip and continue (`"skip": true`)
        3. Insert new recovery steps
        4. Abort execution

        Respond with the recovery plan.
        "#);
    }
}
