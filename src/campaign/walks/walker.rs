//! One walk from the beginning to an ending, or to the last turn.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use narratoria_story_view::Environment;
use plot_skill::{
    action::{ActReport, BEGIN, DoneAction, ReportedAction, ReportedFact},
    advance::{PlotTurn, advance},
    choose::choose,
    document::TextsDocument,
    now::{PlotNow, ReachedEnding},
};
use serde::Serialize;
use serde_json::{Value, json};
use world_model::{
    act::{Dice, act, consequences},
    action::{Action, Verb},
    change::change,
    entity::NamedId,
    fact::FactKind,
    scope::scope,
    world::World,
};

use super::{
    campaign::WalkCampaign,
    chance::WalkChance,
    coverage::{CoveragePoint, WalkCuriosity, exit_point},
    dead_ends::DeadEnd,
    deeds::{WalkDeed, WalkErrand, done_action},
    moment::WalkMoment,
    outlook::Outlook,
};

/// Turns within which no authored text should come again.
const REPEAT_TURNS: u64 = 20;

/// Turns without a way out of a place after which a walk counts as stuck.
const STUCK_TURNS: usize = 60;

/// The parameters of a walk, and the choice whether its steps are kept.
#[derive(Debug, Clone, Default)]
pub(super) struct WalkTask {
    pub(super) seed: u64,
    /// Most turns of the walk.
    pub(super) turns: usize,
    pub(super) keeps_steps: bool,
    /// The points that earlier walks have missed. The walker tries to see them besides its other aims.
    pub(super) unseen: BTreeSet<CoveragePoint>,
}

/// One turn of a walk, so that it can be made again elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct WalkStep {
    /// The choice that was taken.
    pub choice: Option<String>,
    /// The deed, if no choice was taken.
    pub action: Action,
    /// The seed of the dice.
    pub dice: u64,
    /// The place of the player afterwards.
    pub place: String,
    /// All storylets that have fired so far, with the turn of the last time.
    pub fired: BTreeMap<String, u64>,
    /// The qualities afterwards.
    pub qualities: Value,
    /// The sentence that a player would have typed.
    pub prompt: String,
    /// The facts of each step of the turn's plan: the deed, the plot's texts and their consequences.
    pub facts: Vec<Value>,
    /// The parts of the world that later steps read: `now` and `scope`.
    pub world: Value,
    /// True if a question waits for the player's choice.
    pub is_asked: bool,
}

/// The record of a walk.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WalkRecord {
    /// The seed of the walk.
    pub seed: u64,
    /// Turns that it took.
    pub turns: u64,
    /// Each storylet that fired, with the turn of the first time, in the order of time.
    pub fired: Vec<(String, u64)>,
    /// The ending that it reached.
    pub ended: Option<ReachedEnding>,
    /// The place of the player after each turn.
    pub places: Vec<String>,
    /// The place that the walk could not leave, and the turn in which that was certain.
    pub stuck: Option<(String, u64)>,
    /// The moment after which no ending could come any more.
    pub dead_end: Option<DeadEnd>,
    /// The state of the plot at the end.
    pub qualities: BTreeMap<String, Value>,
    /// The turns one by one, where they were asked for.
    pub steps: Vec<WalkStep>,
    /// For each storylet the reasons why it did not fire, with how often.
    pub(super) failed: BTreeMap<String, BTreeMap<String, u32>>,
    /// The points of the campaign that it has seen.
    pub(super) seen: BTreeSet<CoveragePoint>,
    /// Authored texts that came twice within a few turns, by storylet.
    pub(super) repeated: BTreeMap<String, u32>,
}

/// Walks through the campaign. Returns `None` if the time is over before the walk ends. The error names the part of the
/// campaign that cannot be used.
pub(super) fn walk(
    campaign: &WalkCampaign,
    task: &WalkTask,
    is_over: &dyn Fn() -> bool,
) -> Result<Option<WalkRecord>, String> {
    if is_over() {
        return Ok(None);
    }
    let mut walker = Walker::begin(campaign, task)?;
    walker.facts = task.keeps_steps.then(Vec::new);
    for _ in 0..task.turns {
        if walker.now.ended.is_some() || walker.record.stuck.is_some() {
            break;
        }
        if is_over() {
            return Ok(None);
        }
        walker.turn()?;
    }
    if walker.is_dead_end() {
        walker.record.dead_end = dead_end(campaign, task, is_over)?;
    }
    Ok((!is_over()).then(|| walker.finish()))
}

/// Turns of a walk between two looks at its outlook.
const LOOK_TURNS: usize = 24;

/// Repeats a walk that has come into a dead end, and finds the turn in which it did. An ending that is out of reach
/// stays so, so a few looks are enough.
fn dead_end(
    campaign: &WalkCampaign,
    task: &WalkTask,
    is_over: &dyn Fn() -> bool,
) -> Result<Option<DeadEnd>, String> {
    let mut walker = Walker::begin(campaign, task)?;
    let mut open = walker.clone();
    for _ in 0..=task.turns / LOOK_TURNS {
        if walker.is_dead_end() {
            break;
        }
        open = walker.clone();
        for _ in 0..LOOK_TURNS {
            if is_over() {
                return Ok(None);
            }
            walker.turn()?;
        }
    }
    let (mut deed, mut told) = ("begin".to_owned(), BTreeMap::new());
    for _ in 0..LOOK_TURNS {
        if open.is_dead_end() {
            break;
        }
        told.clone_from(&open.now.fired);
        deed = open.turn()?;
    }
    let turn = open.now.turn;
    let is_new = |id: &&String| open.now.fired.get(*id) == Some(&turn) && !told.contains_key(*id);
    let fired = open.now.fired.keys().filter(is_new).cloned().collect();
    let endings = open.look(|outlook| outlook.ruled_out());
    Ok(open.is_dead_end().then_some(DeadEnd { seed: task.seed, turn, deed, fired, endings }))
}

#[derive(Clone)]
struct Walker<'c> {
    campaign: &'c WalkCampaign,
    world: World,
    now: PlotNow,
    /// The opinions of factions and people, in the form in which their skills keep them.
    opinions: Value,
    /// The state as a condition reads it, rebuilt after each step.
    state: Value,
    chance: WalkChance,
    errand: WalkErrand,
    seed: u64,
    told: BTreeMap<String, u64>,
    /// Turns at the place.
    stay: usize,
    /// The facts of this turn, if the walk keeps its steps.
    facts: Option<Vec<Value>>,
    record: WalkRecord,
}

impl<'c> Walker<'c> {
    fn begin(campaign: &'c WalkCampaign, task: &WalkTask) -> Result<Walker<'c>, String> {
        let seed = task.seed;
        let mut chance = WalkChance::new(seed);
        let curiosity = WalkCuriosity::of(task.unseen.clone());
        let endings = campaign.documents.plot.endings.len();
        let errand = WalkErrand::begin(endings, curiosity, &mut chance);
        let mut walker = Walker {
            campaign,
            world: campaign.begin(),
            now: PlotNow::begin(&campaign.documents.plot),
            opinions: json!({ "reputation": { "factions": {} }, "perception": { "people": {} } }),
            state: Value::Null,
            chance,
            errand,
            seed,
            told: BTreeMap::new(),
            stay: 0,
            facts: None,
            record: WalkRecord { seed, ..WalkRecord::default() },
        };
        walker.refresh();
        let mut dice = Dice::new(None, 0);
        act(&mut walker.world, &Action::new(Verb::Look), &mut dice);
        let start = DoneAction { action: BEGIN.to_owned(), ..DoneAction::default() };
        walker.refresh();
        walker.advance(&[start])?;
        for faction in &campaign.documents.plot.factions {
            walker.opinion("reputation/factions", &faction.name, "standing", faction.start);
        }
        walker.refresh();
        Ok(walker)
    }

    /// Reads the outlook of this moment.
    fn look<T>(&self, read: impl FnOnce(&Outlook<'_>) -> T) -> T {
        let environment = Environment::of(&self.state);
        let moment = WalkMoment {
            campaign: self.campaign,
            world: &self.world,
            now: &self.now,
            environment: &environment,
        };
        read(&Outlook::of(moment))
    }

    /// Returns true if no ending can come any more.
    fn is_dead_end(&self) -> bool {
        self.now.ended.is_none() && self.look(|outlook| outlook.is_dead_end())
    }

    /// Plays one turn and returns its deed.
    fn turn(&mut self) -> Result<String, String> {
        let environment = Environment::of(&self.state);
        let moment = WalkMoment {
            campaign: self.campaign,
            world: &self.world,
            now: &self.now,
            environment: &environment,
        };
        let deed = moment.decide(&mut self.errand, &mut self.chance);
        let sentence = deed.sentence();
        let place = self.world.here;
        let (kept, dice) = (self.facts.is_some().then(|| deed.clone()), self.dice_seed());
        match deed {
            WalkDeed::Choose(label) => self.choose(&label)?,
            WalkDeed::Act(action) => self.act(&action)?,
        }
        self.stay = if self.world.here == place { self.stay + 1 } else { 0 };
        if self.stay >= STUCK_TURNS && !self.can_leave() {
            let place = self.world.name(self.world.here).to_owned();
            self.record.stuck = Some((place, self.now.turn));
        }
        self.record.places.push(self.world.name(self.world.here).to_owned());
        if let Some(deed) = kept {
            self.keep(deed, dice);
        }
        Ok(sentence)
    }

    fn see(&mut self, point: CoveragePoint) {
        self.errand.curiosity.has_seen(&point);
        self.record.seen.insert(point);
    }

    /// The exit of a place by which the player has left it.
    fn see_exit(&mut self, place: NamedId, action: &Action) {
        let exits = &self.world.place(place).exits;
        let taken = exits.iter().find(|exit| action.direction.as_ref() == Some(&exit.direction));
        if let Some(point) = taken.map(|exit| exit_point(self.world.name(place), exit)) {
            self.see(point);
        }
    }

    /// Tries each exit in a copy of the world.
    fn can_leave(&self) -> bool {
        self.world.exits().iter().any(|exit| {
            let mut world = self.world.clone();
            let direction = Some(exit.direction.clone());
            let action = Action { direction, ..Action::new(Verb::Go) };
            act(&mut world, &action, &mut Dice::new(Some(20), 0));
            world.here != self.world.here
        })
    }

    fn keep(&mut self, deed: WalkDeed, dice: u64) {
        let prompt = deed.sentence();
        let (choice, action) = match deed {
            WalkDeed::Choose(label) => (Some(label), Action::default()),
            WalkDeed::Act(action) => (None, action),
        };
        let world = &self.world;
        self.record.steps.push(WalkStep {
            choice,
            action,
            dice,
            place: self.world.name(self.world.here).to_owned(),
            fired: self.now.fired.clone(),
            qualities: json!(self.now.qualities),
            prompt,
            facts: self.facts.replace(Vec::new()).unwrap_or_default(),
            world: json!({ "now": { "light": world.light() }, "scope": scope(world) }),
            is_asked: !self.now.offered.is_empty(),
        });
    }

    fn keep_facts(&mut self, facts: &[impl Serialize]) {
        if let Some(kept) = self.facts.as_mut().filter(|_| !facts.is_empty()) {
            kept.push(json!(facts));
        }
    }

    fn dice_seed(&self) -> u64 {
        self.seed ^ self.now.turn
    }

    fn act(&mut self, action: &Action) -> Result<(), String> {
        let mut dice = Dice::new(None, self.dice_seed());
        let place = self.world.here;
        let outcome = act(&mut self.world, action, &mut dice);
        if action.action == Verb::Go && self.world.here != place {
            self.see_exit(place, action);
        }
        self.keep_facts(&outcome.facts);
        let said = outcome.facts.iter().filter(|fact| fact.fact == FactKind::Said);
        for fact in said.clone() {
            if let Some(topic) = &fact.object {
                self.see(CoveragePoint::Topic(fact.subject.clone(), topic.clone()));
            }
        }
        let facts = said.map(|fact| ReportedFact {
            fact: "said".to_owned(),
            subject: fact.subject.clone(),
            object: fact.object.clone(),
        });
        let report = ActReport {
            results: vec![ReportedAction {
                action: done_action(action).unwrap_or_default(),
                done: outcome.refused.is_none(),
            }],
            facts: facts.collect(),
            ..ActReport::default()
        };
        self.now.turn += 1;
        self.now.apply(&self.campaign.documents.plot, &outcome.sets, &outcome.raises);
        self.refresh();
        self.advance(&report.done())
    }

    fn advance(&mut self, actions: &[DoneAction]) -> Result<(), String> {
        let (campaign, seed) = (self.campaign, self.seed);
        let mut read = |deck: &str| Ok(texts_of(campaign, deck));
        let environment = Environment::of(&self.state);
        let turn = advance(campaign.parts(), &mut self.now, environment, actions, seed, &mut read);
        self.apply(turn.map_err(|error| error.message)?)
    }

    fn choose(&mut self, label: &str) -> Result<(), String> {
        let (campaign, seed) = (self.campaign, self.seed);
        if let Some(offered) = self.now.offered.iter().find(|one| one.label == label) {
            self.see(CoveragePoint::Choice(offered.id.clone()));
        }
        self.now.turn += 1;
        let mut read = |deck: &str| Ok(texts_of(campaign, deck));
        let environment = Environment::of(&self.state);
        let turn = choose(campaign.parts(), &mut self.now, environment, label, seed, &mut read);
        self.apply(turn.map_err(|error| error.message)?)
    }

    /// Applies the consequences of a turn of the plot, as the steps of a plan would.
    fn apply(&mut self, turn: PlotTurn) -> Result<(), String> {
        let number = self.now.turn;
        for fired in &turn.fired {
            if !self.record.fired.iter().any(|(id, _)| *id == fired.id) {
                self.record.fired.push((fired.id.clone(), number));
                self.see(CoveragePoint::Storylet(fired.id.clone()));
            }
        }
        for group in turn.checked {
            for id in group.storylets {
                let reasons = self.record.failed.entry(id).or_default();
                match reasons.get_mut(&group.failed) {
                    Some(count) => *count += 1,
                    None => drop(reasons.insert(group.failed.clone(), 1)),
                }
            }
        }
        for fact in &turn.facts {
            let before = self.told.insert(fact.text.clone(), number);
            let is_soon = before.is_some_and(|before| number - before <= REPEAT_TURNS);
            // A player who honks the horn again hears it again.
            if is_soon && !self.campaign.may_come_again(fact.text.trim()) {
                let text: String = fact.text.chars().take(80).collect();
                *self.record.repeated.entry(text).or_default() += 1;
            }
        }
        self.keep_facts(&turn.facts);
        if !turn.changes.is_empty() {
            let result = change(&mut self.world, &turn.changes)?;
            let facts = consequences(&mut self.world, &result);
            self.keep_facts(&facts);
        }
        for rise in &turn.reputation {
            self.opinion("reputation/factions", &rise.faction, "standing", rise.by);
        }
        for rise in &turn.feelings {
            self.opinion("perception/people", &rise.person, "perception", rise.by);
        }
        self.refresh();
        Ok(())
    }

    fn opinion(&mut self, place: &str, name: &str, part: &str, by: i64) {
        let Some(all) = self.opinions.pointer_mut(&format!("/{place}")) else { return };
        let was = all.get(name).and_then(|one| one.get(part)).and_then(Value::as_i64).unwrap_or(0);
        all[name] = json!({ part: (was + by).clamp(-100, 100) });
    }

    fn refresh(&mut self) {
        let mut state = self.opinions.clone();
        state["plot"] = json!({ "now": self.now });
        self.campaign.decide_by(&mut self.world, state.clone());
        state["world"] = json!({ "view": self.world.situation() });
        self.state = state;
    }

    fn finish(mut self) -> WalkRecord {
        self.record.turns = self.now.turn;
        self.record.ended = self.now.ended;
        let qualities = self.now.qualities.iter();
        self.record.qualities =
            qualities.map(|(name, value)| (name.clone(), json!(value))).collect();
        self.record
    }
}

fn texts_of(campaign: &WalkCampaign, deck: &str) -> Arc<TextsDocument> {
    campaign.texts.get(deck).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{CampaignSource, compile};

    /// An ending that is ruled out never comes: no moment of a walk that has reached an ending counts as a dead end.
    #[test]
    fn no_ending_is_reached_from_a_dead_end() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../campaigns");
        let mut ended = 0;
        for name in ["every-last-spoon", "her-worship", "last-reading", "little-saltby"] {
            let result =
                compile(&CampaignSource::read_folder(&root.join(name)).unwrap(), name, None);
            let campaign = WalkCampaign::of(&result.parts.unwrap()).unwrap();
            for seed in 0..4 {
                let mut walker =
                    Walker::begin(&campaign, &WalkTask { seed, ..WalkTask::default() }).unwrap();
                let mut dead_end = None;
                for turn in 0..400 {
                    if walker.now.ended.is_some() {
                        ended += 1;
                        assert_eq!(dead_end, None, "{name}, seed {seed}: {:?}", walker.now.ended);
                        break;
                    }
                    if turn % 8 == 0 && walker.is_dead_end() {
                        dead_end.get_or_insert(turn);
                    }
                    walker.turn().unwrap();
                }
            }
        }
        assert!(ended > 8, "{ended}");
    }
}
