//! Writes the scene of a tick: with the model through the storyteller if there is one, otherwise from the plan and the
//! results of the actions. The evaluator reads it and names contradictions to the story.

use std::collections::BTreeSet;

use narratoria_executor::{Outcome, ReusedResults, StoreSnapshots};
use narratoria_narrator::tick::{
    ActionOutput, EvaluationRequest, SceneDraft, SceneRequest, TickPlan, TickStory, evaluate_scene,
    expand, write_scene,
};
use narratoria_plan::{BuildOptions, Plan, StepIdx};
use narratoria_skills::HealthTracker;
use narratoria_story::Story;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::run::ExecutedActions;
use crate::{
    host_resources::HostResources, narration_text, plan_execution::PlanExecution,
    reporter::ReportContext, turn_budget::TurnBudget,
};

/// The script that writes with the model.
const STORYTELLER: &str = "storyteller/narrate";

/// In the storyteller's output: whether the model wrote the text.
const BY_MODEL: &str = "by_model";

const NOT_BY_MODEL: &str = "the model wrote no text for the scene, so it is told without the model";

/// Longest request to the storyteller.
const PROMPT_CHARS_MAX: usize = 2_000;

/// A scene, and the findings of the evaluator.
pub(super) struct WrittenScene {
    pub(super) draft: SceneDraft,
    pub(super) warnings: Vec<String>,
}

pub(super) struct SceneWriter<'a> {
    pub(super) host: HostResources<'a>,
    pub(super) story: &'a Story,
    /// The story before the tick.
    pub(super) view: &'a TickStory,
    pub(super) plan: &'a TickPlan,
    pub(super) results: &'a [ActionOutput],
    pub(super) seed: u64,
    pub(super) has_model: bool,
    pub(super) cancel: &'a CancellationToken,
}

impl SceneWriter<'_> {
    pub(super) async fn write(self, executed: &ExecutedActions) -> WrittenScene {
        let mut draft = write_scene(SceneRequest {
            story: self.view,
            plan: self.plan,
            results: self.results,
            seed: self.story.seed(),
        });
        let mut warnings = Vec::new();
        if self.has_model {
            match self.told_by_model(&draft, executed).await {
                Some(text) => draft.text = text,
                None => warnings.push(NOT_BY_MODEL.to_owned()),
            }
        }
        let faults = evaluate_scene(&EvaluationRequest {
            story: self.view,
            pov: draft.people.first().map(String::as_str).unwrap_or_default(),
            people: &draft.people,
            place: &draft.place,
            also_known: &Value::Object(self.plan.document.clone()).to_string(),
            moment: draft.moment,
            text: &draft.text,
        });
        warnings.extend(faults.iter().map(|fault| format!("the scene: {fault}")));
        WrittenScene { draft, warnings }
    }

    /// Returns the model's text; `None` if there is none. What the storyteller says without the model is an answer to a
    /// player's sentence, such as "Nothing comes of that.", and no scene.
    async fn told_by_model(
        &self,
        draft: &SceneDraft,
        executed: &ExecutedActions,
    ) -> Option<String> {
        self.host.catalog.resolve(STORYTELLER).ok()?;
        let call = json!({
            "rationale": "", "scene_intention": "",
            "actions": [{"tool": STORYTELLER, "args": {"prompt": self.prompt(draft)}}],
        });
        let call = TickPlan::from_value(call).ok()?;
        let json = expand(&call, self.host.clock_and_ids.new_id(), 1);
        let plan = Plan::build(json, self.host.catalog, &BuildOptions::default()).ok()?;
        let execution = PlanExecution {
            report: ReportContext {
                turn: self.story.turns() + 1,
                plan: &plan,
                reported: &BTreeSet::new(),
                is_growing: false,
                estimate: None,
                narration: None,
            },
            host: self.host,
            time_left: self.host.options.plan_timeout,
            state: &executed.trace.state,
            stores: &StoreSnapshots::default(),
            seed: self.seed,
            budget: TurnBudget::whole(),
            reused_results: ReusedResults::default(),
            arbiter: None,
            cancel: self.cancel,
        };
        let (trace, _) = execution.run(&mut HealthTracker::default(), None, &mut |_| {}).await;
        let Outcome::Done { output, .. } = &trace.step(StepIdx(0)).outcome else { return None };
        if output.get(BY_MODEL) != Some(&Value::Bool(true)) {
            return None;
        }
        let text = narration_text::joined(narration_text::output_texts(output));
        (!text.trim().is_empty()).then_some(text)
    }

    fn prompt(&self, draft: &SceneDraft) -> String {
        let mut lines = vec![format!("Tell the next scene: {}", self.plan.scene_intention)];
        if !draft.people.is_empty() {
            lines.push(format!("It is told through the eyes of {}.", draft.people[0]));
            lines.push(format!("Present: {}.", draft.people.join(", ")));
        }
        if !draft.place.is_empty() {
            lines.push(format!("Place: {}.", draft.place));
        }
        lines.extend(draft.moment.time.map(|time| format!("Time of day: {time}.")));
        for result in self.results {
            let summary = result.output.get("summary").and_then(Value::as_str);
            lines.extend(summary.map(|summary| format!("Known: {summary}")));
        }
        lines.join(" ").chars().take(PROMPT_CHARS_MAX).collect()
    }
}
