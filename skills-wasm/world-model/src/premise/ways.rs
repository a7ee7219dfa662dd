//! What is in the way to the last place of a made world, as it is chosen and built.

use narratoria_facts::{MINUTES_OF_A_DAY as DAY, minutes_of_day};

use super::{
    layout::{in_place, the},
    maker::Maker,
    plots::PremisePlot,
    things::{Plot, at, thing},
    way_texts::{PremiseWay, WayNames},
};
use crate::{
    definition::{
        GoalDefinition, ReactionDefinition, ScheduleEntry, StageDefinition, ThingDefinition,
    },
    words,
};

/// Minutes after the beginning when a keeper on watch goes on the rounds, and those that the rounds take.
const ROUNDS_BEGIN: u64 = 60;
const ROUNDS_TAKE: u64 = 60;

/// What the keeper says of the door and for what was lost.
pub(super) struct KeeperWords {
    pub(super) asked: String,
    pub(super) had: Option<String>,
    pub(super) thanks: String,
    pub(super) late: String,
}

/// The time of day so many minutes after another one.
fn later(time: &str, minutes: u64) -> String {
    let clock = minutes_of_day(time).unwrap_or(18 * 60 + 40);
    let clock = (clock + minutes) % DAY;
    format!("{:02}:{:02}", clock / 60, clock % 60)
}

/// The reactions of something that opens a door.
fn opening(
    door: &str,
    says: &str,
    actions: &[&str],
    with: Option<String>,
) -> Vec<ReactionDefinition> {
    let reaction = |action: &&str| ReactionDefinition {
        action: (*action).to_owned(),
        with: with.clone(),
        says: says.to_owned(),
        opens: Some(door.to_owned()),
        ..ReactionDefinition::default()
    };
    actions.iter().map(reaction).collect()
}

fn key(plot: &Plot) -> ThingDefinition {
    thing(&plot.key, "It is worn bright by one hand.")
}

/// What somebody has pushed before the key, and the key.
fn hidden_key(plot: &Plot) -> [ThingDefinition; 2] {
    let cover = thing(&plot.way.cover, "Somebody has pushed it there, not long ago.");
    [
        ThingDefinition { place: at(&plot.way.nook), fixed: true, ..cover },
        ThingDefinition { place: at(&plot.way.nook), hidden: at(&plot.way.cover), ..key(plot) },
    ]
}

/// What opens the door from afar.
fn machine(plot: &Plot, door: &str) -> ThingDefinition {
    let sight = format!("A chain runs from it into the wall, towards the {door}.");
    let says = format!("It moves, slowly at first. Somewhere the {door} swings open.");
    ThingDefinition {
        place: at(&plot.dark),
        fixed: true,
        reactions: opening(door, &says, &["use", "pull", "turn"], None),
        ..thing(&plot.machine, &sight)
    }
}

/// What holds the door, and the tool that moves it.
fn jammed(plot: &Plot, door: &str, before: &str) -> [ThingDefinition; 2] {
    let (jam, tool) = (&plot.way.jam, &plot.way.tool);
    let sight = format!("It holds the {door} shut. It would take something long to move it.");
    let says = format!(
        "You lean on the {tool} with all your weight. The {jam} gives way, and the {door} swings open."
    );
    [
        ThingDefinition {
            place: at(before),
            fixed: true,
            reactions: opening(door, &says, &["use"], Some(tool.clone())),
            ..thing(jam, &sight)
        },
        ThingDefinition {
            place: at(&plot.way.nook),
            ..thing(tool, "It is heavy, and it has been put to work before.")
        },
    ]
}

impl Maker {
    /// What is in the way: a lock where the premise says that a place is locked, else what the seed chooses of what suits the
    /// shape.
    pub(super) fn choose_way(&mut self, shape: &PremisePlot) -> WayNames {
        let chosen = self.rng.pick(shape.ways).copied().unwrap_or(PremiseWay::Open);
        let way = match &self.ground.sealed {
            Some(_) if shape.ways.contains(&PremiseWay::Key) => PremiseWay::Key,
            Some(_) => PremiseWay::Search,
            None => chosen,
        };
        let texts = way.texts();
        let covers = if way == PremiseWay::Search { self.ground.era.covers } else { &[] };
        let mut name =
            |list: &[&str]| if list.is_empty() { String::new() } else { self.fresh_name(list) };
        let (jam, tool, cover) = (name(texts.things), name(texts.tools), name(covers));
        // Neither where the story begins nor in the dark.
        let ordinary = self.world.places.len().saturating_sub(2);
        let places: Vec<usize> = (1..ordinary).collect();
        let nook = self.rng.pick(&places).copied().unwrap_or(0);
        let from = later(&self.begins_at(), ROUNDS_BEGIN);
        WayNames {
            way,
            jam,
            tool,
            cover,
            nook: self.world.places[nook].name.clone(),
            until: later(&from, ROUNDS_TAKE),
            from,
        }
    }

    /// The place before the door.
    pub(super) fn place_before_door(&self, plot: &Plot) -> String {
        let leads = self
            .world
            .places
            .iter()
            .find(|place| place.exits.iter().any(|exit| exit.to == plot.locked));
        leads.map_or_else(|| plot.start.clone(), |place| place.name.clone())
    }

    fn fill_way(&self, text: &str, plot: &Plot) -> String {
        let (way, keeper) = (&plot.way, the(&plot.keeper));
        let text = text
            .replace("{door}", &self.door())
            .replace("{room}", &the(&plot.locked))
            .replace("{keeper}", &keeper)
            .replace("{Keeper}", &words::capitalised(&keeper))
            .replace("{wanted}", &plot.wanted)
            .replace("{key}", &plot.key)
            .replace("{machine}", &plot.machine)
            .replace("{dark}", &in_place(&plot.dark))
            .replace("{jam}", &way.jam)
            .replace("{tool}", &way.tool)
            .replace("{cover}", &way.cover)
            .replace("{nook}", &in_place(&way.nook))
            .replace("{from}", &way.from)
            .replace("{until}", &way.until);
        words::capitalised(&text)
    }

    /// What is in the way, as a sentence.
    pub(super) fn way_told(&self, plot: &Plot) -> String {
        self.fill_way(plot.way.texts().told, plot)
    }

    /// What the keeper says of it.
    pub(super) fn keeper_words(&self, plot: &Plot) -> KeeperWords {
        let texts = plot.way.texts();
        KeeperWords {
            asked: self.fill_way(texts.asked, plot),
            had: texts.had.map(|had| self.fill_way(had, plot)),
            thanks: self.fill_way(texts.thanks, plot),
            late: self.fill_way(texts.late.unwrap_or(texts.thanks), plot),
        }
    }

    /// How a thread stands whose end lies behind the door: `before` is what its opening says beside the way.
    pub(super) fn stages(&self, before: &str, plot: &Plot) -> Vec<StageDefinition> {
        let stage = |(goal, says): &(&str, &str)| {
            let (kind, target, to) = match *goal {
                "held key" => ("held", plot.key.clone(), None),
                "held tool" => ("held", plot.way.tool.clone(), None),
                "given wanted" => ("given", plot.wanted.clone(), Some(plot.keeper.clone())),
                _ => ("opened", self.door(), None),
            };
            let says = self.fill_way(says, plot);
            StageDefinition {
                once: GoalDefinition { kind: kind.to_owned(), target, to },
                says: format!("{before} {says}").trim_start().to_owned(),
            }
        };
        plot.way.texts().stages.iter().map(stage).collect()
    }

    /// Sets the door and what opens it.
    pub(super) fn make_way(&mut self, plot: &Plot) {
        let (door, texts) = (self.door(), plot.way.texts());
        self.world.doors[0].locked = texts.is_locked;
        self.world.doors[0].description = self.fill_way(texts.sight, plot);
        if [PremiseWay::Key, PremiseWay::Search].contains(&plot.way.way) {
            self.world.doors[0].key = Some(plot.key.clone());
        }
        let things = match plot.way.way {
            PremiseWay::Key => vec![ThingDefinition { with: at(&plot.keeper), ..key(plot) }],
            PremiseWay::Search => hidden_key(plot).into(),
            PremiseWay::Machine => vec![machine(plot, &door)],
            PremiseWay::Jam => jammed(plot, &door, &self.place_before_door(plot)).into(),
            PremiseWay::Guard | PremiseWay::Watch | PremiseWay::Open => Vec::new(),
        };
        self.world.things.extend(things);
    }

    /// Where a keeper on watch is at which time.
    pub(super) fn rounds(&self, plot: &Plot) -> Vec<ScheduleEntry> {
        if plot.way.way != PremiseWay::Watch {
            return Vec::new();
        }
        let before = self.place_before_door(plot);
        // Whoever goes on the rounds is not before the door.
        let mut places = [&plot.spare, &plot.start].into_iter().filter(|place| **place != before);
        let away = places.next().unwrap_or(&plot.dark);
        let entry = |from: &str, place: &str, doing: &str| ScheduleEntry {
            from: from.to_owned(),
            place: place.to_owned(),
            doing: doing.to_owned(),
        };
        vec![
            entry(&plot.way.from, away, "walking from wall to wall"),
            entry(&plot.way.until, &before, "keeping watch"),
        ]
    }
}
