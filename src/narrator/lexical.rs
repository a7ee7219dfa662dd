//! The voice that needs no model (S0 FR-005): triggers and examples of the skills against the words of
//! the sentence. The same question always gets the same answer.

use std::sync::Arc;

use serde_json::Value;

use super::{
    PlanFuture, PlanRequest, PlanResponse, Planner, PlannerError, Proposal,
    matching::{
        ExampleMatch, MatchedScript, PhraseCache, SentenceMatch, has_unmatched_clause,
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

/// Most scripts that one sentence sets off, the narration not counted. Who says more than this in one
/// sentence is telling a story of their own.
pub const LEXICAL_STEPS_MAX: usize = 4;

/// How much of a sentence is looked at and handed on. Long prose stays prose, and matching stays quick.
pub const SENTENCE_BYTES_MAX: usize = 4096;

const NAME: &str = "lexical";

/// For a plan that narrates nothing itself.
const IDLE_NARRATIVES: [&str; 4] = [
    "You pause and take in where you stand.",
    "A moment passes, and the world waits for you.",
    "You gather your thoughts.",
    "The story holds its breath.",
];

/// The voice that needs no model.
#[derive(Debug, Default)]
pub struct LexicalPlanner {
    phrases: PhraseCache,
}

impl LexicalPlanner {
    /// A voice that has heard nothing yet.
    pub fn new() -> LexicalPlanner {
        LexicalPlanner::default()
    }

    /// The plan for a sentence; [`PlannerError::NothingFits`] when no usable skill can answer.
    pub fn plan(&mut self, ask: &PlanRequest<'_>) -> Result<PlanJson, PlannerError> {
        let sentence = shortened(ask.sentence);
        let SentenceMatch { mut actions, mut wants_narration } = match_triggers(
            ask.catalog,
            ask.disabled_skills,
            sentence,
            &mut self.phrases,
            LEXICAL_STEPS_MAX,
        );
        if actions.is_empty() && !wants_narration {
            match match_examples(ask.catalog, ask.disabled_skills, sentence) {
                ExampleMatch::Action(fired) => actions.push(fired),
                ExampleMatch::Narration | ExampleMatch::NoMatch => {}
            }
        }
        wants_narration |= actions.is_empty()
            || actions.iter().any(|fired| fired.narrate)
            || has_unmatched_clause(sentence, &actions);
        let narrator = if wants_narration { narration_step(ask, sentence) } else { None };
        if let Some(narrator) = &narrator {
            actions.retain(|fired| !narrator.is_same_script(fired));
        }
        if actions.is_empty() && narrator.is_none() {
            return Err(PlannerError::NoUsableSkill);
        }
        Ok(assemble(ask, actions, narrator))
    }
}

impl Planner for LexicalPlanner {
    fn name(&self) -> &str {
        NAME
    }

    fn propose<'a>(&'a mut self, ask: PlanRequest<'a>) -> PlanFuture<'a> {
        Box::pin(
            async move { Ok(PlanResponse::from_planner(NAME, Proposal::Plan(self.plan(&ask)?))) },
        )
    }
}

/// The script that narrates, input filled in.
struct NarrationStep<'c> {
    skill: &'c Arc<Skill>,
    script: &'c Script,
    input: Object,
}

impl NarrationStep<'_> {
    fn is_same_script(&self, fired: &MatchedScript<'_>) -> bool {
        Arc::ptr_eq(self.skill, fired.skill) && self.script.name == fired.script.name
    }
}

/// The usable fallback script of highest priority whose input the sentence fills.
fn narration_step<'c>(ask: &PlanRequest<'c>, sentence: &str) -> Option<NarrationStep<'c>> {
    let mut best: Option<NarrationStep<'c>> = None;
    for skill in usable_skills(ask.catalog, ask.disabled_skills) {
        if best.as_ref().is_some_and(|best| best.skill.priority >= skill.priority) {
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
    ask: &PlanRequest<'_>,
    actions: Vec<MatchedScript<'_>>,
    narrator: Option<NarrationStep<'_>>,
) -> PlanJson {
    let mut tools: Vec<ToolJson> = Vec::new();
    for fired in actions {
        let reason = fired.reason().to_owned();
        let tool = required_step(&tools, fired.skill, fired.script, fired.input, reason);
        tools.push(tool);
    }
    let parallel = tools.len() > 1;
    let narrative = match &narrator {
        Some(_) => None,
        None => IDLE_NARRATIVES
            .get((ask.seed % IDLE_NARRATIVES.len() as u64) as usize)
            .map(|line| (*line).to_owned()),
    };
    if let Some(NarrationStep { skill, script, input }) = narrator {
        let reason = match tools.len() {
            0 => "nothing in the player's words calls for more than narration",
            _ => "tells what comes of the other steps",
        };
        let mut narration = required_step(&tools, skill, script, input, reason.to_owned());
        narration.dependencies = tools.iter().map(|tool| tool.tool_id.clone()).collect();
        tools.push(narration);
    }
    let mut extra = Object::new();
    extra.insert("planner".to_owned(), Value::from(NAME));
    PlanJson {
        request_id: ask.plan_id.clone(),
        narrative,
        tools,
        parallel,
        disabled_skills: ask.disabled_skills.to_vec(),
        on_failure: None,
        metadata: MetadataJson {
            generation_attempt: ask.attempt,
            parent_plan_id: ask.parent_plan_id.map(str::to_owned),
            extra,
        },
    }
}

/// What the player asked for must come about, whatever its script is elsewhere.
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
mod tests;
