//! The report about a failed plan that a planner reads (S2, strategy 3).

use std::fmt::Write;

use narratoria_protocol::visible::clip;

use super::{PreviousPlan, StepReport};

/// Longest output that the report repeats, because the prompt of a small model has only a few thousand tokens.
const OUTPUT_CHARS_MAX: usize = 400;

/// Most steps that the report lists. Failed ones come first, so that they are never cut off.
const REPORT_STEPS_MAX: usize = 32;

/// Failed steps with their errors, and the results of the other steps.
pub fn recovery_report(previous: &PreviousPlan<'_>) -> String {
    let mut report = String::new();
    let (failed, others): (Vec<&StepReport>, Vec<&StepReport>) =
        previous.steps.iter().partition(|step| matches!(step.state, "failed" | "timeout"));
    for step in failed.iter().take(REPORT_STEPS_MAX) {
        let tool = previous.plan.tools.iter().find(|tool| tool.tool_id == step.tool_id);
        let what = tool.and_then(|tool| tool.description.as_deref());
        let path = tool.map_or("", |tool| tool.tool_path.as_str());
        let why = step.why.as_deref().unwrap_or("it did not say why");
        let _ = writeln!(report, "Step failed: {} ({})", what.unwrap_or(&step.tool_id), path);
        let _ = writeln!(report, "Id: {}\nError: {why}\n", step.tool_id);
    }
    report.push_str("Steps of the plan so far:\n");
    let room = REPORT_STEPS_MAX.saturating_sub(failed.len());
    for step in others.iter().take(room) {
        let _ = writeln!(report, "- {}: {}{}", step.tool_id, step.state, step_result_text(step));
    }
    if others.len() > room {
        let _ = writeln!(report, "- and {} more", others.len() - room);
    }
    report.push_str(
        "\nA step that is a success keeps its result and is not run again, if the new plan has it \
         under the same id and unchanged.\n",
    );
    report
}

fn step_result_text(step: &StepReport) -> String {
    match (&step.output, &step.why) {
        (Some(output), _) => format!(" {}", clip(&output.to_string(), OUTPUT_CHARS_MAX)),
        (None, Some(why)) => format!(" ({why})"),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{PreviousPlan, StepReport, recovery_report};

    /// S2 "Strategy 3: Ask LLM".
    #[test]
    fn the_report_names_failed_steps_first_then_the_others() {
        let plan = serde_json::from_value(json!({
            "requestId": "00000000-0000-4000-8000-000000000000",
            "tools": [
                {"toolId": "roll", "toolPath": "dice-roller/roll-dice"},
                {"toolId": "pick", "toolPath": "thief/pick", "description": "Pick the lock"},
                {"toolId": "tell", "toolPath": "storyteller/narrate"},
            ],
        }))
        .unwrap();
        let step = |tool_id: &str, state, output, why: Option<&str>| StepReport {
            tool_id: tool_id.to_owned(),
            state,
            output,
            why: why.map(str::to_owned),
        };
        let steps = [
            step("roll", "success", Some(json!({"total": 4})), None),
            step("pick", "failed", None, Some("the lock is jammed")),
            step("tell", "skipped", None, Some("dependency_failed")),
        ];
        let report = recovery_report(&PreviousPlan { plan: &plan, steps: &steps });
        insta::assert_snapshot!(report, @r#"
        Step failed: Pick the lock (thief/pick)
        Id: pick
        Error: the lock is jammed

        Steps of the plan so far:
        - roll: success {"total":4}
        - tell: skipped (dependency_failed)

        A step that is a success keeps its result and is not run again, if the new plan has it under the same id and unchanged.
        "#);
    }
}
