//! The voice that needs no model (S0 FR-005): triggers and examples of the skills against the words of
//! the sentence. The same question always gets the same answer.

use std::sync::Arc;

use serde_json::Value;

use super::{
    Answer, Ask, Planner, PlannerError, Proposal, Thinking,
    filling::fill,
    matching::{Fired, Firing, Likeness, Phrases, fire, most_alike, says_more, usable},
    tool::tool,
};
use crate::{
    plan::{
        PlanJson,
        wire::{MetadataJson, ToolJson},
    },
    protocol::Object,
    skills::{Script, Skill},
};

/// Most scripts that one sentence sets off, the narration not counted. Who says more than this in one
/// sentence is telling a story of their own.
pub const STEPS_MAX: usize = 4;

/// How much of a sentence is looked at and handed on. Long prose stays prose, and matching stays quick.
pub const SENTENCE_BYTES_MAX: usize = 4096;

const NAME: &str = "lexical";

/// For a plan that narrates nothing itself.
const LINES: [&str; 4] = [
    "You pause and take in where you stand.",
    "A moment passes, and the world waits for you.",
    "You gather your thoughts.",
    "The story holds its breath.",
];

/// The voice that needs no model.
#[derive(Debug, Default)]
pub struct LexicalVoice {
    phrases: Phrases,
}

impl LexicalVoice {
    /// A voice that has heard nothing yet.
    pub fn new() -> LexicalVoice {
        LexicalVoice::default()
    }

    /// The plan for a sentence; [`PlannerError::NothingFits`] when no usable skill can answer.
    pub fn plan(&mut self, ask: &Ask<'_>) -> Result<PlanJson, PlannerError> {
        let sentence = shortened(ask.sentence);
        let Firing { mut actions, mut wants_narration } =
            fire(ask.catalog, ask.disabled, sentence, &mut self.phrases, STEPS_MAX);
        if actions.is_empty() && !wants_narration {
            match most_alike(ask.catalog, ask.disabled, sentence) {
                Likeness::Action(fired) => actions.push(fired),
                Likeness::Narration | Likeness::Nothing => {}
            }
        }
        wants_narration |= actions.is_empty()
            || actions.iter().any(|fired| fired.narrate)
            || says_more(sentence, &actions);
        let narrator = if wants_narration { narrating(ask, sentence) } else { None };
        if let Some(narrator) = &narrator {
            actions.retain(|fired| !narrator.is(fired));
        }
        if actions.is_empty() && narrator.is_none() {
            return Err(PlannerError::NothingFits);
        }
        Ok(assemble(ask, actions, narrator))
    }
}

impl Planner for LexicalVoice {
    fn name(&self) -> &str {
        NAME
    }

    fn propose<'a>(&'a mut self, ask: Ask<'a>) -> Thinking<'a> {
        Box::pin(async move { Ok(Answer::by(NAME, Proposal::Plan(self.plan(&ask)?))) })
    }
}

/// The script that narrates, input filled in.
struct Narrating<'c> {
    skill: &'c Arc<Skill>,
    script: &'c Script,
    input: Object,
}

impl Narrating<'_> {
    fn is(&self, fired: &Fired<'_>) -> bool {
        Arc::ptr_eq(self.skill, fired.skill) && self.script.name == fired.script.name
    }
}

/// The usable fallback script of highest priority whose input the sentence fills.
fn narrating<'c>(ask: &Ask<'c>, sentence: &str) -> Option<Narrating<'c>> {
    let mut best: Option<Narrating<'c>> = None;
    for skill in usable(ask.catalog, ask.disabled) {
        if best.as_ref().is_some_and(|best| best.skill.priority >= skill.priority) {
            continue;
        }
        let filled = skill.triggers.iter().filter(|trigger| trigger.fallback).find_map(|trigger| {
            let script = skill.script(&trigger.script)?;
            Some(Narrating { skill, script, input: fill(trigger, script, sentence)? })
        });
        best = filled.or(best);
    }
    best
}

fn assemble(ask: &Ask<'_>, actions: Vec<Fired<'_>>, narrator: Option<Narrating<'_>>) -> PlanJson {
    let mut tools: Vec<ToolJson> = Vec::new();
    for fired in actions {
        let reason = fired.reason().to_owned();
        let tool = action(&tools, fired.skill, fired.script, fired.input, reason);
        tools.push(tool);
    }
    let parallel = tools.len() > 1;
    let narrative = match &narrator {
        Some(_) => None,
        None => LINES.get((ask.seed % LINES.len() as u64) as usize).map(|line| (*line).to_owned()),
    };
    if let Some(Narrating { skill, script, input }) = narrator {
        let reason = match tools.len() {
            0 => "nothing in the player's words calls for more than narration",
            _ => "tells what comes of the other steps",
        };
        let mut narration = action(&tools, skill, script, input, reason.to_owned());
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
        disabled_skills: ask.disabled.to_vec(),
        on_failure: None,
        metadata: MetadataJson {
            generation_attempt: ask.attempt,
            parent_plan_id: ask.parent_plan_id.map(str::to_owned),
            extra,
        },
    }
}

/// What the player asked for must come about, whatever its script is elsewhere.
fn action(
    others: &[ToolJson],
    skill: &Skill,
    script: &Script,
    input: Object,
    reason: String,
) -> ToolJson {
    ToolJson { required: Some(true), ..tool(others, skill, script, input, Some(reason)) }
}

fn shortened(sentence: &str) -> &str {
    &sentence[..sentence.floor_char_boundary(SENTENCE_BYTES_MAX)]
}

#[cfg(test)]
mod tests;
