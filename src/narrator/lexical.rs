//! The planner without a model (S0 FR-005): it matches the triggers and examples of the skills with the words of the
//! sentence. Deterministic.

use std::sync::Arc;

use serde_json::Value;

use super::{
    PlanFuture, PlanRequest, PlanResponse, Planner, PlannerError, PrefillFuture, Proposal,
    follow_ups::follow_up_steps,
    matching::{
        ExampleMatch, MatchedScript, PhraseCache, SentenceMatch, SkillChoice, has_unmatched_clause,
        is_matched, match_by_meaning, match_examples, match_rest, match_triggers, usable_skills,
    },
    meaning::{CONSIDERED_KEY, ScriptIndex, SentenceParts, considered, probability},
    plan_step::plan_step,
    slot_filling::fill_input,
    unfit_input::{UNFIT_KEY, UnfitInput, unfit_document},
};
use narratoria_plan::{
    PlanJson,
    wire::{MetadataJson, ToolJson},
};
use narratoria_protocol::Object;
use narratoria_skills::{
    Catalog, FollowUp, PackageOrigin, Schema, Script, Skill, StateValueLists, Trigger,
    schema_view::SchemaKeywords,
};

/// Most scripts that one sentence starts, not counting narration. A player who asks for more in one sentence is telling
/// a story.
const LEXICAL_STEPS_MAX: usize = 4;

/// How much of a sentence is matched and passed to scripts. The limit keeps matching quick.
pub(crate) const SENTENCE_BYTES_MAX: usize = 4096;

/// Narratives for a plan in which no step narrates.
const IDLE_NARRATIVES: [&str; 4] = [
    "You pause and take in where you stand.",
    "A moment passes, and the world waits for you.",
    "You gather your thoughts.",
    "The story holds its breath.",
];

#[derive(Debug, Default)]
pub struct LexicalPlanner {
    phrases: PhraseCache,
    /// Finds the skills of packages in other words than those of their triggers.
    index: Option<ScriptIndex>,
}

impl LexicalPlanner {
    /// Its name in plans and updates.
    pub const NAME: &str = "lexical";

    pub fn new() -> LexicalPlanner {
        LexicalPlanner::default()
    }

    /// A planner that also finds skills by the meaning of their texts.
    pub fn with_index(index: ScriptIndex) -> LexicalPlanner {
        LexicalPlanner { index: Some(index), ..LexicalPlanner::default() }
    }

    /// Replaces the index, and keeps what was computed of the triggers.
    pub(crate) fn set_index(&mut self, index: ScriptIndex) {
        self.index = Some(index);
    }

    /// The scripts of a skill that a sentence starts, each with its probability if vectors found it.
    pub(crate) fn started_scripts(
        &mut self,
        request: &PlanRequest<'_>,
        skill: &Skill,
    ) -> Vec<(String, Option<f64>)> {
        let state_values = request.catalog.state_values(request.state);
        let RequestReading { actions, parts, .. } =
            self.read(request, skill_choice(request, &state_values));
        let matched = actions.iter().filter(|matched| matched.skill.name == skill.name);
        let matched = matched.map(|matched| (matched.script.name.clone(), None));
        let chosen = parts.chosen().into_iter().map(|(_, near)| near);
        let chosen = chosen.filter(|near| near.skill.name == skill.name);
        let chosen =
            chosen.map(|near| (near.script().name.clone(), Some(probability(near.log_odds))));
        let mut started: Vec<(String, Option<f64>)> = Vec::new();
        for (script, probability) in matched.chain(chosen) {
            if started.iter().all(|(other, _)| *other != script) {
                started.push((script, probability));
            }
        }
        started
    }

    /// Fails with [`PlannerError::NoUsableSkill`] if no enabled skill can answer.
    pub fn plan(&mut self, request: &PlanRequest<'_>) -> Result<PlanJson, PlannerError> {
        let state_values = request.catalog.state_values(request.state);
        let choice = skill_choice(request, &state_values);
        self.read(request, choice).plan(request, choice)
    }

    /// The parts of a sentence that no trigger takes, with the scripts near to them. Empty without an index.
    pub fn parts(&mut self, request: &PlanRequest<'_>) -> SentenceParts {
        let state_values = request.catalog.state_values(request.state);
        self.read(request, skill_choice(request, &state_values)).parts
    }

    /// What the rules make of a sentence, and which scripts its other parts are near to.
    pub(crate) fn read<'c>(
        &mut self,
        request: &PlanRequest<'c>,
        choice: SkillChoice<'_, 'c>,
    ) -> RequestReading<'c> {
        let sentence = shortened(request.sentence);
        let SentenceMatch { actions, wants_narration, unfit } =
            match_triggers(choice, sentence, &mut self.phrases, LEXICAL_STEPS_MAX);
        let parts = match &self.index {
            Some(index) if !wants_narration => {
                SentenceParts::of(index, request, sentence, |clause| is_matched(clause, &actions))
            }
            _ => SentenceParts::default(),
        };
        RequestReading { actions, wants_narration, unfit, parts }
    }
}

/// A sentence as the planner without a model reads it.
#[derive(Debug)]
pub(crate) struct RequestReading<'c> {
    /// What triggers took.
    actions: Vec<MatchedScript<'c>>,
    /// Whether the player asks for narration.
    wants_narration: bool,
    /// Triggers that fired in vain.
    unfit: Vec<UnfitInput>,
    /// The parts that no trigger took, with the scripts near to them.
    pub(crate) parts: SentenceParts,
}

impl<'c> RequestReading<'c> {
    /// The plan of what was read. Fails with [`PlannerError::NoUsableSkill`] if no enabled skill can answer.
    pub(crate) fn plan(
        self,
        request: &PlanRequest<'c>,
        choice: SkillChoice<'_, 'c>,
    ) -> Result<PlanJson, PlannerError> {
        let sentence = shortened(request.sentence);
        let RequestReading { mut actions, mut wants_narration, unfit, parts } = self;
        let chosen = parts.chosen();
        let listed = considered(&parts, &chosen);
        for (part, near) in chosen {
            let found = match_by_meaning(choice, sentence, part, near);
            let is_new = |found: &MatchedScript<'_>| !actions.iter().any(|it| it.is_same(found));
            if let Some(found) = found.filter(is_new)
                && actions.len() < LEXICAL_STEPS_MAX
            {
                actions.push(found);
            }
        }
        let rest = match_rest(choice, sentence, &actions);
        if actions.is_empty() && rest.is_none() && !wants_narration && parts.whole.is_none() {
            match match_examples(choice, sentence) {
                ExampleMatch::Action(matched) => actions.push(matched),
                ExampleMatch::Narration | ExampleMatch::NoMatch => {}
            }
        }
        wants_narration |= actions.is_empty()
            || actions.iter().any(|matched| matched.narrate)
            || has_unmatched_clause(sentence, &actions);
        // The match of the rest comes first, so that the other steps see its result.
        actions.splice(0..0, rest);
        let narration =
            if wants_narration { narration_step(request, choice, sentence) } else { None };
        if let Some(narration) = &narration {
            actions.retain(|matched| !narration.is_same_script(matched));
        }
        if actions.is_empty() && narration.is_none() {
            return Err(PlannerError::NoUsableSkill);
        }
        let mut plan = assemble(request, choice, actions, narration);
        if let Some(listed) = listed {
            plan.metadata.extra.insert(CONSIDERED_KEY.to_owned(), listed);
        }
        if let Some(listed) = unfit_document(&unfit) {
            plan.metadata.extra.insert(UNFIT_KEY.to_owned(), listed);
        }
        Ok(plan)
    }
}

/// Adds a step that narrates to a plan in which nothing tells the player anything.
#[cfg(feature = "llama")]
pub(crate) fn add_narration(
    tools: &mut Vec<ToolJson>,
    request: &PlanRequest<'_>,
    choice: SkillChoice<'_, '_>,
) {
    let is_narrated = tools.iter().any(|tool| narrates(choice.catalog, tool));
    if is_narrated || tools.iter().all(|tool| tells(choice.catalog, tool)) {
        return;
    }
    if let Some(narration) = narration_step(request, choice, shortened(request.sentence)) {
        let step = narration.follow(tools);
        tools.push(step);
    }
}

impl Planner for LexicalPlanner {
    fn name(&self) -> &str {
        LexicalPlanner::NAME
    }

    fn reads_ahead(&self) -> bool {
        self.index.is_some()
    }

    fn prepare(&mut self, request: &PlanRequest<'_>) {
        if let Some(index) = &self.index {
            index.prepare(request.catalog);
        }
    }

    fn prefill<'a>(&'a mut self, request: PlanRequest<'a>) -> PrefillFuture<'a> {
        Box::pin(async move {
            if let Some(index) = &self.index {
                index.prepare(request.catalog);
                index.ready(request.budget).await;
            }
        })
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
    /// The step that tells what comes of these steps.
    fn follow(self, tools: &[ToolJson]) -> ToolJson {
        let NarrationStep { skill, script, input } = self;
        let reason = match tools.len() {
            0 => "nothing in the player's words calls for more than narration",
            _ => "tells what comes of the other steps",
        };
        let mut narration = required_step(tools, skill, script, input, reason.to_owned());
        narration.dependencies = tools.iter().map(|tool| tool.tool_id.clone()).collect();
        narration
    }

    fn is_same_script(&self, matched: &MatchedScript<'_>) -> bool {
        Arc::ptr_eq(self.skill, matched.skill) && self.script.name == matched.script.name
    }
}

/// The skills that a plan may use for this request.
pub(crate) fn skill_choice<'a, 'c: 'a>(
    request: &'a PlanRequest<'c>,
    state_values: &'a StateValueLists,
) -> SkillChoice<'a, 'c> {
    SkillChoice {
        state: request.state,
        state_values,
        catalog: request.catalog,
        disabled: request.disabled_skills,
        unreliable: request.unreliable_skills,
    }
}

/// The enabled fallback script of highest priority whose input the sentence fills, a reliable one first.
fn narration_step<'c>(
    request: &PlanRequest<'c>,
    choice: SkillChoice<'_, 'c>,
    sentence: &str,
) -> Option<NarrationStep<'c>> {
    let mut best: Option<NarrationStep<'c>> = None;
    for skill in usable_skills(request.catalog, request.disabled_skills) {
        let rank = |skill: &Skill| (!choice.is_unreliable(skill), skill.priority);
        if best.as_ref().is_some_and(|best| rank(best.skill) >= rank(skill)) {
            continue;
        }
        let narrates = |trigger: &&Trigger| trigger.fallback && trigger.counts_in(choice.state);
        let filled = skill.triggers.iter().filter(narrates).find_map(|trigger| {
            let script = skill.script(&trigger.script)?;
            let input = fill_input(trigger, script, sentence, choice.state_values)?;
            Some(NarrationStep { skill, script, input })
        });
        best = filled.or(best);
    }
    best
}

fn assemble(
    request: &PlanRequest<'_>,
    choice: SkillChoice<'_, '_>,
    actions: Vec<MatchedScript<'_>>,
    narration: Option<NarrationStep<'_>>,
) -> PlanJson {
    let (mut tools, mut after_narration): (Vec<ToolJson>, Vec<ToolJson>) = Default::default();
    // Follow-ups name the steps before them, so their ids are the ones that stay.
    let (with_follow_ups, alone): (Vec<_>, Vec<_>) =
        actions.into_iter().partition(|matched| !matched.follow_ups.is_empty());
    for matched in with_follow_ups.into_iter().chain(alone) {
        let reason = matched.reason().to_owned();
        let tool = required_step(&tools, matched.skill, matched.script, matched.input, reason);
        let added: &[FollowUp] =
            if may_add_steps(request, matched.skill) { matched.follow_ups } else { &[] };
        let follow_ups = follow_up_steps(&choice, matched.skill, &tool, added, &matched.groups);
        let others = follow_ups.before_narration.iter().chain(&follow_ups.after_narration);
        let is_taken = |id: &str| tools.iter().chain(&after_narration).any(|it| it.tool_id == id);
        let has_own_ids = tool.tool_id == matched.script.name
            && !others.clone().any(|step| is_taken(&step.tool_id));
        tools.push(tool);
        if has_own_ids {
            tools.extend(follow_ups.before_narration);
            after_narration.extend(follow_ups.after_narration);
        }
    }
    drop_repeated(&mut tools, &mut after_narration);
    let parallel = tools.len() > 1;
    let is_told = narration.is_some() || tools.iter().any(|tool| tells(choice.catalog, tool));
    let idle = IDLE_NARRATIVES.get((request.seed % IDLE_NARRATIVES.len() as u64) as usize);
    let narrative = idle.filter(|_| !is_told).map(|line| (*line).to_owned());
    if let Some(narration) = narration {
        let step = narration.follow(&tools);
        tools.push(step);
    }
    let last = tools.last().map(|tool| tool.tool_id.clone());
    for mut step in after_narration {
        step.dependencies.extend(last.clone());
        tools.push(step);
    }
    let mut extra = Object::new();
    extra.insert("planner".to_owned(), Value::from(LexicalPlanner::NAME));
    PlanJson {
        narrative,
        parallel,
        disabled_skills: request.disabled_skills.to_vec(),
        metadata: MetadataJson {
            generation_attempt: request.attempt,
            parent_plan_id: request.parent_plan_id.map(str::to_owned),
            extra,
        },
        ..PlanJson::new(request.plan_id.clone(), tools)
    }
}

/// Removes each step that runs again after the narration, and moves its input there: a player who asks for choices gets
/// one list, as they asked for it, made after everything is narrated.
fn drop_repeated(tools: &mut Vec<ToolJson>, after_narration: &mut [ToolJson]) {
    // One with a condition may not run.
    for step in after_narration.iter_mut().filter(|step| step.when.is_none()) {
        let is_free =
            |asked: &ToolJson| !tools.iter().any(|tool| tool.dependencies.contains(&asked.tool_id));
        let asked = tools.iter().position(|it| it.tool_path == step.tool_path && is_free(it));
        if let Some(at) = asked {
            let asked = tools.remove(at);
            step.input.extend(asked.input);
            step.reason = asked.reason;
        }
    }
}

/// Returns true if the script of a step gives a text or facts, which the player reads without a storyteller too.
fn tells(catalog: &Catalog, tool: &ToolJson) -> bool {
    let Ok((skill, idx)) = catalog.resolve(&tool.tool_path) else { return false };
    let schema = skill.scripts[idx].output_schema.as_ref().map(Schema::document);
    let keywords = schema.and_then(SchemaKeywords::of);
    keywords.is_some_and(|output| ["text", "facts"].iter().any(|it| output.property(it).is_some()))
}

/// Returns true if the script of a step narrates: a fallback trigger has it.
#[cfg(feature = "llama")]
pub(crate) fn narrates(catalog: &Catalog, tool: &ToolJson) -> bool {
    let found = catalog.resolve(&tool.tool_path);
    found.is_ok_and(|(skill, idx)| is_narrator(skill, &skill.scripts[idx]))
}

#[cfg(feature = "llama")]
pub(crate) fn is_narrator(skill: &Skill, script: &Script) -> bool {
    skill.triggers.iter().any(|trigger| trigger.fallback && trigger.script == script.name)
}

/// Returns true if the follow-ups of a skill's trigger become steps. They may make a plan impossible, or fail in a way
/// that no skill is disabled for. So plans after a first one leave out those of installed packages: otherwise the
/// player could never again say a sentence that such a trigger takes.
fn may_add_steps(request: &PlanRequest<'_>, skill: &Skill) -> bool {
    request.attempt == 1 || skill.origin == PackageOrigin::BuiltIn
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
#[cfg(test)]
mod world_tests;
