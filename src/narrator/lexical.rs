//! The planner without a model (S0 FR-005): it matches the triggers and examples of the skills with the words of the
//! sentence. Deterministic.

use std::sync::Arc;

use serde_json::Value;

use super::{
    PlanFuture, PlanRequest, PlanResponse, Planner, PlannerError, Proposal,
    matching::{
        ExampleMatch, MatchedScript, PhraseCache, SentenceMatch, SkillChoice, has_unmatched_clause,
        match_examples, match_triggers, usable_skills,
    },
    plan_step::plan_step,
    slot_filling::fill_input,
};
use narratoria_plan::{
    PlanJson,
    wire::{MetadataJson, ToolJson},
};
use narratoria_protocol::Object;
use narratoria_skills::{Script, Skill};

/// Most scripts that one sentence starts, not counting narration. A player who asks for more in one sentence is telling
/// a story.
const LEXICAL_STEPS_MAX: usize = 4;

/// How much of a sentence is matched and passed to scripts. The limit keeps matching quick.
pub(crate) const SENTENCE_BYTES_MAX: usize = 4096;

/// Narratives for a plan without a narrating step.
const IDLE_NARRATIVES: [&str; 4] = [
    "You pause and take in where you stand.",
    "A moment passes, and the world waits for you.",
    "You gather your thoughts.",
    "The story holds its breath.",
];

#[derive(Debug, Default)]
pub struct LexicalPlanner {
    phrases: PhraseCache,
}

impl LexicalPlanner {
    /// Its name in plans and updates.
    pub const NAME: &str = "lexical";

    pub fn new() -> LexicalPlanner {
        LexicalPlanner::default()
    }

    /// Fails with [`PlannerError::NoUsableSkill`] if no enabled skill can answer.
    pub fn plan(&mut self, request: &PlanRequest<'_>) -> Result<PlanJson, PlannerError> {
        let sentence = shortened(request.sentence);
        let choice = skill_choice(request);
        let SentenceMatch { mut actions, mut wants_narration } =
            match_triggers(choice, sentence, &mut self.phrases, LEXICAL_STEPS_MAX);
        if actions.is_empty() && !wants_narration {
            match match_examples(choice, sentence) {
                ExampleMatch::Action(matched) => actions.push(matched),
                ExampleMatch::Narration | ExampleMatch::NoMatch => {}
            }
        }
        wants_narration |= actions.is_empty()
            || actions.iter().any(|matched| matched.narrate)
            || has_unmatched_clause(sentence, &actions);
        let narration = if wants_narration { narration_step(request, sentence) } else { None };
        if let Some(narration) = &narration {
            actions.retain(|matched| !narration.is_same_script(matched));
        }
        if actions.is_empty() && narration.is_none() {
            return Err(PlannerError::NoUsableSkill);
        }
        Ok(assemble(request, actions, narration))
    }
}

impl Planner for LexicalPlanner {
    fn name(&self) -> &str {
        LexicalPlanner::NAME
    }

    fn propose<'a>(&'a mut self, request: PlanRequest<'a>) -> PlanFuture<'a> {
        Box::pin(async move {
            let plan = self.plan(&request)?;
            Ok(PlanResponse::from_planner(LexicalPlanner::NAME, Proposal::Plan(plan)))
        })
    }
}

/// The narrating script and its input.
struct NarrationStep<'c> {
    skill: &'c Arc<Skill>,
    script: &'c Script,
    input: Object,
}

impl NarrationStep<'_> {
    fn is_same_script(&self, matched: &MatchedScript<'_>) -> bool {
        Arc::ptr_eq(self.skill, matched.skill) && self.script.name == matched.script.name
    }
}

fn skill_choice<'c>(request: &PlanRequest<'c>) -> SkillChoice<'c, 'c> {
    SkillChoice {
        catalog: request.catalog,
        disabled: request.disabled_skills,
        unreliable: request.unreliable_skills,
    }
}

/// The enabled fallback script of highest priority whose input the sentence fills, a reliable one first.
fn narration_step<'c>(request: &PlanRequest<'c>, sentence: &str) -> Option<NarrationStep<'c>> {
    let mut best: Option<NarrationStep<'c>> = None;
    for skill in usable_skills(request.catalog, request.disabled_skills) {
        let rank = |skill: &Skill| (!skill_choice(request).is_unreliable(skill), skill.priority);
        if best.as_ref().is_some_and(|best| rank(best.skill) >= rank(skill)) {
            continue;
        }
        let filled = skill.triggers.iter().filter(|trigger| trigger.fallback).find_map(|trigger| {
            let script = skill.script(&trigger.script)?;
            Some(NarrationStep { skill, script, input: fill_input(trigger, script, sentence)? })
        });
        best = filled.or(best);
    }
    best
}

fn assemble(
    request: &PlanRequest<'_>,
    actions: Vec<MatchedScript<'_>>,
    narration: Option<NarrationStep<'_>>,
) -> PlanJson {
    let mut tools: Vec<ToolJson> = Vec::new();
    for matched in actions {
        let reason = matched.reason().to_owned();
        let tool = required_step(&tools, matched.skill, matched.script, matched.input, reason);
        tools.push(tool);
    }
    let parallel = tools.len() > 1;
    let narrative = match &narration {
        Some(_) => None,
        None => IDLE_NARRATIVES
            .get((request.seed % IDLE_NARRATIVES.len() as u64) as usize)
            .map(|line| (*line).to_owned()),
    };
    if let Some(NarrationStep { skill, script, input }) = narration {
        let reason = match tools.len() {
            0 => "nothing in the player's words calls for more than narration",
            _ => "tells what comes of the other steps",
        };
        let mut narration = required_step(&tools, skill, script, input, reason.to_owned());
        narration.dependencies = tools.iter().map(|tool| tool.tool_id.clone()).collect();
        tools.push(narration);
    }
    let mut extra = Object::new();
    extra.insert("planner".to_owned(), Value::from(LexicalPlanner::NAME));
    PlanJson {
        schema: None,
        comment: None,
        request_id: request.plan_id.clone(),
        narrative,
        tools,
        parallel,
        disabled_skills: request.disabled_skills.to_vec(),
        on_failure: None,
        metadata: MetadataJson {
            generation_attempt: request.attempt,
            parent_plan_id: request.parent_plan_id.map(str::to_owned),
            extra,
        },
    }
}

/// A step that the player asked for is required, even if the script's own default is optional.
fn required_step(
    others: &[ToolJson],
    skill: &Skill,
    script: &Script,
    input: Object,
    reason: String,
) -> ToolJson {
    ToolJson { required: Some(true), ..plan_step(others, skill, script, input, Some(reason)) }
}

fn shortened(sentence: &str) -> &str {
    &sentence[..sentence.floor_char_boundary(SENTENCE_BYTES_MAX)]
}

#[cfg(test)]
mod built_in_tests;
#[cfg(test)]
mod tests;
