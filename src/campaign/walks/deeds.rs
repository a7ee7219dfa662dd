//! Chooses a walker's next deed, partly by chance. The walker follows its aim step by step, and now and then does
//! anything else, as a curious player would.

use plot_skill::{action::DoneAction, document::Effects, now::OfferedChoice};
use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    possible::possibilities,
};

use super::{
    aim::WalkAim,
    aims::AimFinder,
    chance::WalkChance,
    coverage::WalkCuriosity,
    moment::WalkMoment,
    steps::{AimStep, StepFinder},
};

/// Turns after which a walker gives up an aim, and deeds that it tries for it.
const AIM_TURNS: usize = 30;
const AIM_TRIES: usize = 4;
/// Aims that wait for one another: a chest for a letter, its key, and what the owner of the key wants.
const AIMS_MAX: usize = 8;

/// Percent of the turns in which a walker takes a choice that is offered, and one that it wants.
const CHOOSING: usize = 60;
const CHOOSING_WANTED: usize = 92;
/// Percent in which it follows its aim.
const PURSUING: usize = 85;
/// Percent in which it lights a light that it has in the dark.
const LIGHTING: usize = 70;
/// Percent of its other deeds in which it lets an hour pass, without a purpose and with one.
const WAITING: usize = 8;
const WAITING_WITH_PURPOSE: usize = 1;

/// A walker's deed in one turn.
#[derive(Debug, Clone)]
pub(super) enum WalkDeed {
    /// Takes the choice with this label.
    Choose(String),
    /// Does this.
    Act(Action),
}

impl WalkDeed {
    /// The deed in words.
    pub(super) fn sentence(&self) -> String {
        let action = match self {
            WalkDeed::Choose(label) => return label.clone(),
            WalkDeed::Act(action) => action,
        };
        let names = [&action.direction, &action.target, &action.topic, &action.with, &action.text];
        let words = names.into_iter().flatten();
        words.fold(action.action.word().to_owned(), |text, name| text + " " + name)
    }
}

/// A walker's will, and how long it has lasted.
#[derive(Debug, Clone, Default)]
pub(super) struct WalkErrand {
    /// The index of the ending that it wants.
    purpose: Option<usize>,
    /// Its present aim is the last; the others wait for it.
    aims: Vec<WalkAim>,
    /// Its wish to see points that no walk has seen before.
    pub(super) curiosity: WalkCuriosity,
    turns: usize,
    tries: usize,
}

impl WalkErrand {
    /// A will for a whole walk: one of the endings, or none.
    pub(super) fn begin(
        endings: usize,
        curiosity: WalkCuriosity,
        chance: &mut WalkChance,
    ) -> WalkErrand {
        let purpose = chance.below(endings + 1).checked_sub(1);
        WalkErrand { purpose, curiosity, ..WalkErrand::default() }
    }

    fn take_up(&mut self, aim: WalkAim) {
        self.aims.push(aim);
        (self.turns, self.tries) = (0, 0);
    }

    fn leave_off(&mut self) {
        self.aims.pop();
        (self.turns, self.tries) = (0, 0);
    }
}

impl WalkMoment<'_> {
    pub(super) fn decide(&self, errand: &mut WalkErrand, chance: &mut WalkChance) -> WalkDeed {
        if let Some(label) = self.choose(errand, chance) {
            return WalkDeed::Choose(label);
        }
        if let Some(light) = self.dark_light().filter(|_| chance.percent(LIGHTING)) {
            return WalkDeed::Act(Action::on(Verb::Light, self.world.name(light)));
        }
        if let Some(action) = errand.curiosity.nearby(*self, chance) {
            return WalkDeed::Act(action);
        }
        if errand.aims.is_empty() {
            let aims = AimFinder { moment: *self, purpose: errand.purpose };
            let found = errand.curiosity.aim(*self, chance).or_else(|| aims.find(chance));
            found.into_iter().for_each(|aim| errand.take_up(aim));
        }
        if chance.percent(PURSUING)
            && let Some(action) = self.pursue(errand, chance)
        {
            return WalkDeed::Act(action);
        }
        WalkDeed::Act(self.any_action(errand, chance))
    }

    /// The choice that it wants, or any that does not lead away from its ending.
    fn choose(&self, errand: &WalkErrand, chance: &mut WalkChance) -> Option<String> {
        let wants = |choice: &&OfferedChoice| {
            let is_wanted =
                |aim: &WalkAim| matches!(aim, WalkAim::Storylet(_, Some(id)) if *id == choice.id);
            errand.aims.iter().any(is_wanted)
        };
        let way = errand.purpose.and_then(|at| self.campaign.ways().get(at));
        let furthers = |choice: &&OfferedChoice| {
            let is_furthered =
                |effects: &Effects| way.is_some_and(|way| way.is_furthered_by(effects));
            self.effects_of(choice).into_iter().any(is_furthered)
        };
        let offered = &self.now.offered;
        let wanted = offered.iter().find(wants).or_else(|| offered.iter().find(furthers));
        if let Some(choice) = wanted.filter(|_| chance.percent(CHOOSING_WANTED)) {
            return Some(choice.label.clone());
        }
        let is_harmless = |choice: &&OfferedChoice| {
            let is_barred = |effects: &Effects| way.is_some_and(|way| way.is_barred_by(effects));
            !self.effects_of(choice).into_iter().any(is_barred)
        };
        let harmless: Vec<&OfferedChoice> = offered.iter().filter(is_harmless).collect();
        if let Some(new) = errand.curiosity.choice(&harmless, chance) {
            return Some(new.label.clone());
        }
        let drawn = chance.pick(&harmless).filter(|_| chance.percent(CHOOSING))?;
        Some(drawn.label.clone())
    }

    /// Returns the effects of a choice and of the storylet that follows it.
    fn effects_of(&self, offered: &OfferedChoice) -> Vec<&Effects> {
        let campaign = self.campaign;
        let gate = |id: &str| campaign.gates().iter().find(|gate| gate.id == id);
        let storylet = offered.id.split('/').next().unwrap_or_default();
        let texts = gate(storylet).and_then(|gate| campaign.texts_of(gate));
        let choice = texts.iter().flat_map(|texts| &texts.choices).find(|one| one.id == offered.id);
        let next = choice.and_then(|choice| gate(choice.then.as_deref()?));
        let next = next.and_then(|gate| campaign.texts_of(gate)).map(|texts| &texts.effects);
        choice.map(|choice| &choice.effects).into_iter().chain(next).collect()
    }

    /// Returns a light that the player has and that does not burn, if it is dark.
    fn dark_light(&self) -> Option<NamedId> {
        if self.world.is_lit() {
            return None;
        }
        self.world.thing_ids().find(|id| {
            let gives_light = self.world.thing(*id).is_some_and(|thing| thing.light.is_some());
            gives_light && self.world.is_with_player(*id) && !self.world.conditions[id.0].lit
        })
    }

    /// Returns the next step towards the aim. Returns `None` if it is reached or given up.
    fn pursue(&self, errand: &mut WalkErrand, chance: &mut WalkChance) -> Option<Action> {
        errand.turns += 1;
        // Each round reaches an aim or takes one up.
        for _ in 0..2 * AIMS_MAX {
            let aim = errand.aims.last()?;
            if errand.turns > AIM_TURNS || errand.tries >= AIM_TRIES {
                break;
            }
            match (StepFinder { moment: *self, chance }).next(aim, errand.tries) {
                AimStep::Reached => errand.leave_off(),
                AimStep::Way(action) => return Some(action),
                AimStep::Deed(action) => {
                    errand.tries += 1;
                    return Some(action);
                }
                AimStep::First(aim)
                    if errand.aims.len() < AIMS_MAX && !errand.aims.contains(&aim) =>
                {
                    errand.take_up(aim);
                }
                AimStep::First(_) | AimStep::GiveUp => break,
            }
        }
        errand.aims.clear();
        None
    }

    /// Anything that is possible.
    fn any_action(&self, errand: &WalkErrand, chance: &mut WalkChance) -> Action {
        let waiting = if errand.purpose.is_some() { WAITING_WITH_PURPOSE } else { WAITING };
        if chance.percent(waiting) {
            return Action::new(Verb::Wait).text("1 hour");
        }
        let mut actions: Vec<Action> =
            possibilities(self.world).iter().map(|one| one.to_action()).collect();
        for id in self.world.people_here() {
            let person = self.world.person(id);
            for topic in person.iter().flat_map(|person| &person.topics) {
                let Some(about) = topic.about.first() else { continue };
                actions.push(Action::on(Verb::Ask, self.world.name(id)).topic(about));
            }
        }
        for id in self.world.seen() {
            actions.push(Action::on(Verb::Examine, self.world.name(id)));
        }
        if errand.purpose.is_none() && chance.percent(2) {
            actions.push(Action::new(Verb::Sleep));
        }
        chance.pick(&actions).cloned().unwrap_or_default()
    }
}

/// The action as the plot reads it.
pub(super) fn done_action(action: &Action) -> Option<DoneAction> {
    let verb = serde_json::to_value(action.action).ok()?;
    Some(DoneAction {
        action: verb.as_str()?.to_owned(),
        target: action.target.clone(),
        with: action.with.clone(),
        topic: action.topic.clone(),
        text: action.text.clone(),
    })
}
