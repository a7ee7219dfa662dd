//! The facts that the reviewer's table shows beside the text of a plan. Pure.

use narratoria_engine::PlanDraft;
use narratoria_plan::Step;

use narratoria_ui::{ExpectedTime, PlanFacts};
use serde_json::{Value, json};

/// The facts for a page: what each step waits for, whether it asks the player, and the seconds that it takes.
pub(crate) fn draft_steps(draft: &PlanDraft) -> Vec<Value> {
    let PlanFacts { needs, asks, step_times, .. } = facts(draft);
    let tools = &draft.json.tools;
    let step = |at: usize| {
        let needs: Vec<&str> = needs[at].iter().map(|need| tools[*need].tool_id.as_str()).collect();
        let seconds = step_times[at].map(|time| time.as_secs_f64());
        json!({"toolId": tools[at].tool_id, "needs": needs, "asks": asks[at], "seconds": seconds})
    };
    (0..tools.len()).map(step).collect()
}

/// Returns the facts in the order of the text.
pub(super) fn facts(draft: &PlanDraft) -> PlanFacts {
    let steps = draft.plan.steps();
    let tools = &draft.json.tools;
    let run_idx = |tool_id: &str| steps.iter().position(|step| step.tool_id == tool_id);
    let at = |tool_id: &str| tools.iter().position(|tool| tool.tool_id == tool_id);
    let needs = |step: &Step| {
        step.needs.iter().filter_map(|need| at(&draft.plan.step(*need).tool_id)).collect()
    };
    let time = |idx: usize| {
        let estimate = draft.estimate.as_ref()?;
        let is_known = estimate.never_ran.get(idx) == Some(&false);
        estimate.steps.get(idx).copied().filter(|_| is_known)
    };
    let mut facts = PlanFacts {
        time: draft.estimate.as_ref().map(|estimate| match estimate.is_limit {
            true => ExpectedTime::AtMost(estimate.plan),
            false => ExpectedTime::About(estimate.plan),
        }),
        ..PlanFacts::default()
    };
    for tool in tools {
        let idx = run_idx(&tool.tool_id);
        let step = idx.map(|idx| &steps[idx]);
        facts.needs.push(step.map(needs).unwrap_or_default());
        facts.asks.push(step.is_some_and(|step| step.requires_approval));
        facts.step_times.push(idx.and_then(time));
    }
    facts
}
