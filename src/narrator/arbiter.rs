//! A planner's choice of the skill that runs a step, when several skills could (S3's arbiter). The engine
//! passes the choice on to the executor's `Arbiter`.

use std::{fmt::Write, pin::Pin, sync::Arc};

use narratoria_plan::{PlanRecord, StepRecord, StepStatus};

/// How many pending steps the prompt names. More would only distract a small model.
const REMAINING_MAX: usize = 16;

/// The name of a candidate. `None` leaves the choice to the executor's rule.
pub type SkillChoiceFuture = Pin<Box<dyn Future<Output = Option<String>> + Send>>;

/// Chooses the skill that runs a step. Called while a plan runs, perhaps for several steps at once. The
/// executor sets the deadline, and its rule chooses if there is no choice in time.
pub type SkillChooser = Arc<dyn Fn(SkillChoiceRequest) -> SkillChoiceFuture + Send + Sync>;

/// A choice to make, and the plan around it.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillChoiceRequest {
    /// The plan with its progress so far.
    pub record: PlanRecord,
    /// Index of the step in `record.steps`.
    pub step: usize,
    /// The skills that could run the step, the rule's choice first.
    pub candidates: Vec<ArbiterCandidate>,
}

/// A skill that could run a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArbiterCandidate {
    /// Name of the skill.
    pub skill: String,
    pub description: String,
}

/// The arbiter's prompt (S3 "Plan in Arbiter Context"): task, status, progress, the current step with its
/// acceptance criteria, the remaining steps, and the candidates.
pub fn arbiter_prompt(request: &SkillChoiceRequest) -> String {
    let SkillChoiceRequest { record, step, candidates } = request;
    let (done, total) = record.progress();
    let mut prompt = format!(
        "## Current Task\n\n{}\n\n## Plan Status\n\nStatus: {}\nProgress: {done}/{total} steps\n\n",
        record.task,
        record.status.as_str(),
    );
    if let Some(current) = record.steps.get(*step) {
        push_current_step(&mut prompt, current);
    }
    prompt.push_str("## Remaining Steps\n\n");
    let pending = record.steps.iter().filter(|other| other.status == StepStatus::Pending);
    let mut pending = pending.filter(|other| other.index != *step);
    for other in pending.by_ref().take(REMAINING_MAX) {
        let _ = writeln!(prompt, "- Step {}: {}", other.index + 1, title(other));
    }
    let more = pending.count();
    if more > 0 {
        let _ = writeln!(prompt, "- and {more} more");
    }
    prompt.push_str("\n## Skills\n\n");
    for ArbiterCandidate { skill, description } in candidates {
        let _ = writeln!(prompt, "- {skill}: {description}");
    }
    prompt.push_str("\nAnswer with the name of the skill that is to do the current step.\n");
    prompt
}

fn push_current_step(prompt: &mut String, step: &StepRecord) {
    let suggested = step.suggested_skill.as_deref().unwrap_or("any");
    let _ = write!(
        prompt,
        "## Current Step\n\nStep {}: {}\nSuggested skill: {suggested}\n",
        step.index + 1,
        title(step),
    );
    if let Some(instructions) = &step.instructions {
        let _ = writeln!(prompt, "Instructions: {instructions}");
    }
    if !step.acceptance_criteria.is_empty() {
        prompt.push_str("Acceptance criteria:\n");
        for criterion in &step.acceptance_criteria {
            let _ = writeln!(prompt, "- {criterion}");
        }
    }
    prompt.push('\n');
}

fn title(step: &StepRecord) -> &str {
    &step.description
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::{ArbiterCandidate, REMAINING_MAX, SkillChoiceRequest, arbiter_prompt};
    use narratoria_plan::{PlanRecord, StepRecord};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn candidate(skill: &str, description: &str) -> ArbiterCandidate {
        ArbiterCandidate { skill: skill.to_owned(), description: description.to_owned() }
    }

    /// S3 "Plan in Arbiter Context", suggestedAgent, acceptanceCriteria.
    #[test]
    fn the_prompt_shows_progress_current_step_and_remaining_steps() {
        let mut roll = StepRecord::pending("roll", "Roll for the lock");
        roll.suggested_skill = Some("dice".to_owned());
        roll.instructions = Some("One roll is enough.".to_owned());
        roll.acceptance_criteria = vec!["It has a total".to_owned(), "It is fair".to_owned()];
        let steps = vec![
            StepRecord::pending("look", "Look at the lock"),
            roll,
            StepRecord::pending("tell", "Tell what happens"),
        ];
        let mut record = PlanRecord::create("id", "Open the door", steps, "lexical", at(0));
        record.start_step(0, None, at(1)).unwrap();
        record.complete_step(0, None, Vec::new(), at(2)).unwrap();
        let candidates = vec![candidate("dice", "Rolls dice."), candidate("cards", "Draws cards.")];
        insta::assert_snapshot!(arbiter_prompt(&SkillChoiceRequest { record, step: 1, candidates }), @"
        ## Current Task

        Open the door

        ## Plan Status

        Status: in_progress
        Progress: 1/3 steps

        ## Current Step

        Step 2: Roll for the lock
        Suggested skill: dice
        Instructions: One roll is enough.
        Acceptance criteria:
        - It has a total
        - It is fair

        ## Remaining Steps

        - Step 3: Tell what happens

        ## Skills

        - dice: Rolls dice.
        - cards: Draws cards.

        Answer with the name of the skill that is to do the current step.
        ");
    }

    #[test]
    fn a_long_plan_is_cut_short_and_absent_fields_are_left_out() {
        let steps = (0..REMAINING_MAX + 3).map(|n| StepRecord::pending(format!("s{n}"), "Go"));
        let record = PlanRecord::create("id", "Go", steps.collect(), "lexical", at(0));
        let prompt =
            arbiter_prompt(&SkillChoiceRequest { record, step: 0, candidates: Vec::new() });
        assert_eq!(prompt.matches("\n- Step ").count(), REMAINING_MAX);
        assert!(prompt.contains("\n- and 2 more\n"), "{prompt}");
        assert!(prompt.contains("Step 1: Go\nSuggested skill: any\n\n## Rem"), "{prompt}");
    }
}
