//! `world/act`: applies actions to the world.

use std::collections::BTreeMap;

use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use narratoria_facts::FeelingRise;
use understanding::ACTIONS_MAX;
use world_model::{
    act::{Dice, act as apply, feelings_of},
    action::{ACTION_TEXT_CHARS_MAX, ACTION_WORDS_CHARS_MAX, Action, Verb},
    fact::{FactKind, WorldFact},
    scope::{WorldScope, scope},
    world::World,
};

/// What the player does: a list of actions, or one action with its names, or a sentence.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActInput {
    /// Actions, as `world/understand` returns them.
    #[serde(default)]
    #[schemars(length(max = 40), extend("referenceOnly" = true))]
    pub actions: Option<Vec<Action>>,
    /// One action.
    #[serde(default)]
    pub action: Option<Verb>,
    /// Its target.
    #[serde(default)]
    #[schemars(extend("valuesFrom" = "/world/scope/targets"))]
    pub target: Option<String>,
    /// The second thing or person: the key, the receiver, the container.
    #[serde(default)]
    #[schemars(extend("valuesFrom" = "/world/scope/targets"))]
    pub with: Option<String>,
    /// What a conversation is about.
    #[serde(default)]
    #[schemars(
        length(max = ACTION_WORDS_CHARS_MAX),
        extend("valuesFrom" = "/world/scope/topics", "openWithoutList" = true)
    )]
    pub topic: Option<String>,
    /// Where to go.
    #[serde(default)]
    #[schemars(extend("valuesFrom" = "/world/scope/directions"))]
    pub direction: Option<String>,
    /// The player's own words.
    #[serde(default)]
    #[schemars(length(max = ACTION_TEXT_CHARS_MAX))]
    pub text: Option<String>,
    /// A sentence instead of actions.
    #[serde(default)]
    #[schemars(length(max = 4000), extend("referenceOnly" = true))]
    pub sentence: Option<String>,
    /// The number on the dice for an action that needs a check: a number, or the output of `dice-roller/roll-dice`.
    /// Without it this script rolls.
    #[serde(default)]
    pub roll: Option<GivenRoll>,
}

/// A roll of another step.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum GivenRoll {
    /// The number.
    Total(i64),
    /// An output with the number.
    Output {
        /// The number.
        total: i64,
    },
}

/// What has happened.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ActOutput {
    /// Each action with its result.
    pub results: Vec<ActionResult>,
    /// What is now true, in order.
    pub facts: Vec<WorldFact>,
    /// What is in scope now.
    pub scope: WorldScope,
    /// The check that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<ActCheckReport>,
    /// The qualities that answers have set, each to a rung.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<String, String>,
    /// The counters that answers have raised, or lowered.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub raises: BTreeMap<String, i64>,
    /// What people think of it: the changes of `npc-perception/update-perception`.
    pub feelings: Vec<FeelingRise>,
}

/// One action and its result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActionResult {
    /// The action.
    pub action: Action,
    /// Whether it was done.
    pub done: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusalReport>,
}

/// Why an action was not done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RefusalReport {
    /// A short code, such as `locked`.
    pub reason: String,
    /// The reason as a sentence.
    pub text: String,
}

/// A check and its result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActCheckReport {
    /// What was tried.
    pub skill: String,
    /// The lowest total that is enough.
    pub difficulty: i64,
    /// The number on the dice.
    pub roll: i64,
    /// `success` or `failure`.
    pub outcome: String,
}

/// Applies actions to the world, and writes down what is in scope then.
pub fn act(ctx: &mut Ctx, input: ActInput) -> Result<Done<ActOutput>, SkillError> {
    let mut world = super::load(ctx)?;
    let given = input.roll.as_ref().map(|roll| match roll {
        GivenRoll::Total(total) | GivenRoll::Output { total } => *total,
    });
    let mut output = ActOutput::default();
    let (actions, is_repeat) = actions_of(ctx, &world, input, &mut output)?;
    let mut dice = Dice::new(given, ctx.seed());
    let (mut targets, mut felt) = (Vec::new(), Vec::new());
    for action in actions.iter().take(ACTIONS_MAX) {
        let outcome = apply(&mut world, action, &mut dice);
        targets.extend(action.target.clone());
        output.facts.extend(outcome.facts);
        output.sets.extend(outcome.sets);
        felt.extend(outcome.feelings);
        for (counter, by) in outcome.raises {
            let sum = output.raises.entry(counter).or_default();
            *sum = sum.saturating_add(by);
        }
        let stops = outcome.check.as_ref().is_some_and(|check| !check.success)
            || (outcome.refused.is_some() && action.action == Verb::Go);
        if let Some(made) = outcome.check {
            output.check = Some(ActCheckReport {
                skill: made.check.skill,
                difficulty: made.check.difficulty,
                roll: made.roll,
                outcome: if made.success { "success" } else { "failure" }.to_owned(),
            });
        }
        let refused = outcome
            .refused
            .map(|refusal| RefusalReport { reason: refusal.reason.to_owned(), text: refusal.text });
        output.results.push(ActionResult {
            action: action.clone(),
            done: refused.is_none(),
            refused,
        });
        // What was to follow counts on what has just failed.
        if stops {
            break;
        }
    }
    if targets.len() > 1 {
        world.last.them = targets;
    }
    if !actions.is_empty() && !is_repeat {
        world.again = actions;
    }
    without_idle_answers(&mut output.facts);
    output.feelings = feelings_of(&output.facts, felt);
    output.scope = scope(&world);
    super::save(ctx, &world)?;
    super::leave(world);
    let done = output.results.iter().filter(|result| result.done).count();
    let summary = format!("{done} of {} done", output.results.len());
    Ok(Done::ok().summary(summary).output(output))
}

/// Who has answered a part of what was said evades no other part of it, and evades once: `Hello! What are you cooking?`.
fn without_idle_answers(facts: &mut Vec<WorldFact>) {
    let is_idle = |fact: &WorldFact| {
        let because = fact.because.as_deref();
        (fact.fact == FactKind::Said && matches!(because, Some("fallback" | "listen")))
            || (fact.fact == FactKind::Gesture && because == Some("listen"))
    };
    let answers: Vec<String> = facts
        .iter()
        .filter(|fact| fact.fact == FactKind::Said && !is_idle(fact))
        .map(|fact| fact.subject.clone())
        .collect();
    let mut evaded = Vec::new();
    facts.retain(|fact| {
        if !is_idle(fact) {
            return true;
        }
        let is_first = !answers.contains(&fact.subject) && !evaded.contains(&fact.subject);
        evaded.push(fact.subject.clone());
        is_first
    });
}

/// The actions of the input, and whether they repeat the last ones.
fn actions_of(
    ctx: &mut Ctx,
    world: &World,
    input: ActInput,
    output: &mut ActOutput,
) -> Result<(Vec<Action>, bool), SkillError> {
    if let Some(actions) = input.actions {
        for action in &actions {
            check_names(world, action)?;
        }
        let is_repeat = actions == world.again;
        return Ok((actions, is_repeat));
    }
    if let Some(sentence) = input.sentence {
        let read = super::understand::read(ctx, world, &sentence)?;
        output.facts.extend(read.facts);
        let is_repeat = read.actions == world.again;
        return Ok((read.actions, is_repeat));
    }
    let Some(verb) = input.action else {
        let message = "`actions`, `action` or `sentence` must say what the player does";
        return Err(SkillError::new("NO_ACTION", message));
    };
    let action = Action {
        action: verb,
        target: input.target,
        with: input.with,
        topic: input.topic,
        direction: input.direction,
        text: input.text,
        missing: None,
    };
    check_names(world, &action)?;
    Ok((vec![action], false))
}

/// A name that is nowhere in this world is a mistake of the planner, not of the player.
fn check_names(world: &World, action: &Action) -> Result<(), SkillError> {
    for name in [&action.target, &action.with].into_iter().flatten() {
        let in_texts =
            || world.ids().any(|id| world.texts_of(id).any(|text| has_words(text, name)));
        if world.find(name).is_none()
            && !world.is_name(name)
            && world.mention(name).is_none()
            && !in_texts()
        {
            let near = world_model::possible::nearest_name(world, name);
            let hint =
                near.map_or_else(String::new, |near| format!("; the nearest name is `{near}`"));
            let message = format!("`{name}` is no name in this world{hint}");
            return Err(SkillError::new("UNKNOWN_NAME", message));
        }
    }
    Ok(())
}

fn has_words(text: &str, name: &str) -> bool {
    let known = world_model::words::split(text);
    world_model::words::split(name).iter().all(|word| known.contains(word))
}
