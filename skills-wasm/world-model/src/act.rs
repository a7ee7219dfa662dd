//! Applies an action to a world, and reports what has happened.

mod feelings;
mod gestures;
mod handling;
mod looking;
mod moving;
mod opening;
mod own_verbs;
mod reacting;
mod risking;
mod talking;
mod target;
mod threads;
mod time;
mod using;

use std::collections::BTreeMap;

use narratoria_facts::FeelingRise;
use narratoria_sdk::Rng;

use crate::{
    action::{Action, Verb},
    change::ChangeResult,
    entity::NamedId,
    fact::{FactKind, WorldFact},
    words,
    world::World,
};

pub use feelings::feelings_of;
pub use risking::{SkillCheck, check_for};
pub use target::ActTarget;

/// Minutes of a night's sleep.
const SLEEP_MINUTES: u64 = 8 * 60;

/// What an action has brought.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ActOutcome {
    /// What is now true, in order.
    pub facts: Vec<WorldFact>,
    /// Why it was not done.
    pub refused: Option<ActRefusal>,
    /// The check that it needed.
    pub check: Option<CheckOutcome>,
    /// The qualities that an answer has set.
    pub sets: BTreeMap<String, String>,
    /// The counters that an answer has raised.
    pub raises: BTreeMap<String, i64>,
    /// What people think of what was said or done to them. What follows from the facts alone is not among it.
    pub feelings: Vec<FeelingRise>,
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActRefusal {
    /// A short code, such as `locked`.
    pub reason: &'static str,
    /// The reason as a sentence.
    pub text: String,
    /// The thing that it is about.
    pub object: Option<String>,
}

impl ActRefusal {
    fn new(reason: &'static str, text: impl Into<String>) -> ActRefusal {
        ActRefusal { reason, text: words::capitalised(&text.into()), object: None }
    }

    fn about(mut self, name: &str) -> ActRefusal {
        self.object = Some(name.to_owned());
        self
    }
}

/// A check and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckOutcome {
    /// What was asked for.
    pub check: SkillCheck,
    /// The number on the dice.
    pub roll: i64,
    /// Whether it was enough.
    pub success: bool,
}

/// The dice: a roll that another step has made, then rolls of its own.
#[derive(Debug)]
pub struct Dice {
    given: Option<i64>,
    rng: Rng,
}

impl Dice {
    /// Dice that show `given` first, if there is one.
    pub fn new(given: Option<i64>, seed: u64) -> Dice {
        Dice { given, rng: Rng::new(seed) }
    }

    fn roll(&mut self) -> i64 {
        self.given.take().unwrap_or_else(|| self.rng.range(1..=20))
    }
}

/// Applies one action. A refused one changes nothing but the time and what pronouns mean.
pub fn act(world: &mut World, action: &Action, dice: &mut Dice) -> ActOutcome {
    let mut run = ActionRun { world, dice, outcome: ActOutcome::default() };
    if let Err(refusal) = run.dispatch(action) {
        let refusal = run.without_unknown(action, refusal);
        let mut fact =
            WorldFact::you(FactKind::Refused, refusal.text.clone()).because(refusal.reason);
        fact.object.clone_from(&refusal.object);
        run.outcome.facts.push(fact);
        run.outcome.refused = Some(refusal);
    }
    run.after(action);
    run.outcome
}

/// What follows from changes that the story has made: who comes and goes, the place where the player is then, and the ends
/// of threads. The changes themselves are told by their author.
pub fn consequences(world: &mut World, result: &ChangeResult) -> Vec<WorldFact> {
    let mut dice = Dice::new(None, 0);
    let mut run = ActionRun { world, dice: &mut dice, outcome: ActOutcome::default() };
    run.tell_moves(&result.moves, false);
    if result.is_sent {
        let here = run.world.here;
        let is_new = !std::mem::replace(&mut run.world.conditions[here.0].known, true);
        run.describe_place(is_new);
    }
    run.end_threads();
    run.outcome.facts
}

/// One action that is being applied.
pub(crate) struct ActionRun<'w> {
    pub(crate) world: &'w mut World,
    dice: &'w mut Dice,
    pub(crate) outcome: ActOutcome,
}

type Act = Result<(), ActRefusal>;

impl ActionRun<'_> {
    fn dispatch(&mut self, action: &Action) -> Act {
        if let Some(missing) = &action.missing {
            return Err(self.not_here(missing));
        }
        match action.action {
            Verb::Look => self.look(),
            Verb::Examine => self.examine(action),
            Verb::Search => self.search(action),
            Verb::Go => self.go(action),
            Verb::Take => self.take(action),
            Verb::Drop => self.put_down(action),
            Verb::PutIn => self.put_in(action),
            Verb::PutOn => self.put_on(action),
            Verb::Open => self.open(action),
            Verb::Close => self.close(action),
            Verb::Lock => self.lock(action),
            Verb::Unlock => self.unlock(action),
            Verb::Use => self.use_thing(action),
            Verb::Give => self.give(action),
            Verb::Show => self.show(action),
            Verb::Talk => self.talk(action),
            Verb::Ask => self.ask(action),
            Verb::Tell => self.tell(action),
            Verb::Request => self.request(action),
            Verb::Say => self.say(action),
            Verb::Read => self.read(action),
            Verb::Wear => self.wear(action),
            Verb::TakeOff => self.take_off(action),
            Verb::Eat => self.eat(action),
            Verb::Drink => self.drink(action),
            Verb::Light => self.light(action),
            Verb::Extinguish => self.extinguish(action),
            Verb::Attack => self.attack(action),
            Verb::Push | Verb::Pull | Verb::Turn => self.shove(action),
            Verb::Wait => self.wait(action),
            Verb::Sleep => self.sleep(action),
            Verb::Inventory => self.inventory(),
            Verb::WhoAmI => self.who_am_i(),
            Verb::WhereAmI => self.where_am_i(),
            Verb::Time => self.tell_time(),
            Verb::WhoIsHere => self.who_is_here(),
            Verb::Exits => self.list_exits(),
            Verb::Find => self.find_thing(action),
            Verb::Gesture => self.gesture(action),
            Verb::Steal => self.steal(action),
            Verb::PickLock => self.pick_lock(action),
            Verb::Force => self.force(action),
            Verb::Persuade => self.persuade(action),
            Verb::Sneak | Verb::Attempt => self.attempt(action),
            Verb::Own => self.own_verb(action),
        }
    }

    /// What every action brings with it: time, threads, pronouns.
    fn after(&mut self, action: &Action) {
        let minutes = if self.outcome.refused.is_some() { 0 } else { minutes_of(action) };
        self.pass_time(minutes);
        let names = match action.action {
            // After `use the key on the chest`, `it` is the chest.
            Verb::Use => [&action.target, &action.with],
            _ => [&action.with, &action.target],
        };
        for name in names.into_iter().flatten() {
            // After going somewhere, `there` is the place where the player came from.
            let id = self.world.find(name).filter(|id| !self.world.is_place(*id));
            // After `search the nest`, `it` is what lay there.
            let is_hider = self.outcome.facts.iter().any(|fact| {
                fact.fact == FactKind::Found && fact.other.as_deref() == Some(name.as_str())
            });
            if let Some(id) = id.filter(|_| !is_hider) {
                self.world.note(id);
            }
        }
        self.end_threads();
    }

    pub(crate) fn fact(&mut self, fact: WorldFact) {
        self.outcome.facts.push(fact);
    }

    pub(crate) fn names(&self, ids: &[NamedId]) -> Vec<String> {
        ids.iter().map(|id| self.world.name(*id).to_owned()).collect()
    }

    /// `a brass key and matches`.
    pub(crate) fn a_list(&self, ids: &[NamedId]) -> String {
        english::list(&ids.iter().map(|id| self.world.entity(*id).a()).collect::<Vec<_>>())
    }
}

/// How long an action takes.
fn minutes_of(action: &Action) -> u64 {
    match action.action {
        Verb::Inventory | Verb::WhoAmI | Verb::WhereAmI | Verb::Time | Verb::WhoIsHere => 0,
        Verb::Exits | Verb::Find | Verb::Look | Verb::Go | Verb::Sleep | Verb::Wait => 0,
        Verb::Search | Verb::Force | Verb::PickLock => 5,
        _ => 1,
    }
}
