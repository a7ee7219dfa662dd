//! Makes a small world from a sentence. What the sentence names is there: its places with their parts, its beings, its
//! things, and what somebody in it wants. The rest is put together with a seed from the pages of `text`, so that the world can
//! be played to its end.

mod beings;
mod classes;
mod clause;
mod dead;
mod era;
mod grammar;
mod ground;
mod hero;
mod layout;
mod maker;
mod mentions;
mod noun;
mod nouns;
mod places;
mod plots;
mod prizes;
mod read;
mod reading;
mod refine;
mod said_words;
mod setting;
mod shaped_threads;
mod talk;
mod texts;
mod things;
mod threads;
mod time;
mod tokens;
mod trouble;
mod vocabulary;
mod wants;
mod way_texts;
mod ways;

use std::collections::BTreeSet;

use narratoria_sdk::Rng;

use crate::{
    check::OPENING_WORDS_MAX,
    definition::{PlayerDefinition, SceneryDefinition, WorldDefinition},
    words,
};
use ground::PremiseGround;
use layout::the;
use maker::Maker;
use noun::PremiseNoun;
use nouns::{NounKind, is_plural};
use prizes::PrizeEnd;
use reading::PremiseReading;
pub use setting::PremiseCertainty;
use things::Plot;
use wants::PremiseWant;

/// Words of the opening that are not the premise's.
const OPENING_OWN_WORDS: usize = 30;

/// Most characters of a premise that the opening repeats.
const TOLD_CHARS_MAX: usize = 400;

/// Makes a world: 6 to 10 places, at least three people, a door and what keeps the player out of it, a dark place with a
/// light, and the threads of a shape of plots. What the premise names is in it.
pub fn make(premise: &str, seed: u64) -> WorldDefinition {
    let premise = normal(premise);
    made(&premise, PremiseReading::of(&premise), seed)
}

/// The same for a story that has people of its own: nobody is made of the premise's words but the player, and nothing that
/// one of them is called.
pub fn make_without_beings(premise: &str, seed: u64, people: &[String]) -> WorldDefinition {
    let premise = normal(premise);
    let mut reading = PremiseReading::of(&premise);
    reading.forget_beings(people);
    made(&premise, reading, seed)
}

/// What a premise was read as, and how sure each finding is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PremiseFindings {
    /// The kind of place.
    pub place: (&'static str, PremiseCertainty),
    pub time: (&'static str, PremiseCertainty),
    /// The premise's words for the player; `None` where it speaks of no such person.
    pub player: Option<String>,
    /// The shape of the trouble; `any` where the premise has none.
    pub trouble: (&'static str, PremiseCertainty),
}

/// Reads a premise and builds nothing.
pub fn read(premise: &str) -> PremiseFindings {
    let reading = PremiseReading::of(&normal(premise));
    let ground = PremiseGround::of(&reading);
    let player = reading.player.map(|idx| &reading.nouns[idx]);
    let player = player.map(|noun| match &noun.trade {
        Some(trade) => format!("{}, {trade}", noun.name),
        None => noun.name.clone(),
    });
    let count = |found: Option<usize>| PremiseCertainty::of(found.unwrap_or(0));
    PremiseFindings {
        place: (ground.layout.kind, ground.certainty),
        time: (ground.era.name, count(reading.era.map(|(_, count)| count))),
        player,
        trouble: (
            reading.plot.map_or("any", |(plot, _)| plot.name),
            count(reading.plot.map(|(_, count)| count)),
        ),
    }
}

impl std::fmt::Display for PremiseFindings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (place, time, trouble) = (self.place, self.time, self.trouble);
        let player = self.player.as_deref().unwrap_or("anybody");
        write!(
            f,
            "place {} ({}), time {} ({}), player {player}, trouble {} ({})",
            place.0, place.1, time.0, time.1, trouble.0, trouble.1
        )
    }
}

/// What is typed in capitals alone is read as small letters.
fn normal(premise: &str) -> String {
    let is_loud =
        premise.chars().any(char::is_uppercase) && !premise.chars().any(char::is_lowercase);
    let premise = if is_loud { premise.to_lowercase() } else { premise.to_owned() };
    // No text of a world has control characters.
    premise.replace(|c: char| c.is_control() && c != '\n', " ")
}

fn made(premise: &str, reading: PremiseReading, seed: u64) -> WorldDefinition {
    let rng = Rng::new(seed ^ mixed(premise));
    let ground = PremiseGround::of(&reading);
    let mut maker =
        Maker { rng, reading, ground, world: WorldDefinition::default(), used: Vec::new() };
    maker.make(premise);
    drop_namesakes(&mut maker.world);
    maker.world
}

/// Drops what has the name of something before it: a premise may name one thing twice, in different words around it.
fn drop_namesakes(world: &mut WorldDefinition) {
    let doors = world.doors.iter().map(|door| &door.name);
    let places = world.places.iter().map(|place| &place.name);
    let mut known: BTreeSet<String> = places.chain(doors).map(|name| name.to_lowercase()).collect();
    world.things.retain(|thing| known.insert(thing.name.to_lowercase()));
    world.people.retain(|person| known.insert(person.name.to_lowercase()));
}

/// A number that differs from premise to premise (FNV-1a), so that one seed does not put the same comb into every world.
fn mixed(premise: &str) -> u64 {
    premise.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl Maker {
    fn make(&mut self, premise: &str) {
        // What the premise names has its name before anything else.
        let named: Vec<String> =
            self.things_of_premise().map(|noun| noun.name.to_lowercase()).collect();
        let beings =
            self.reading.of_kind(NounKind::Being).map(|(_, noun)| noun.name.to_lowercase());
        self.used.extend(beings.chain(named).chain(["you".to_owned()]));
        let role = self.reading.player.map(|idx| &self.reading.nouns[idx]);
        self.used.extend(
            role.into_iter().flat_map(|role| [role.head.clone(), role.name.to_lowercase()]),
        );
        self.choose_pronouns();
        self.name_groups();
        let (dark, locked) = self.make_places();
        let player = self.player_name();
        let plot = self.plot(dark, locked);
        self.make_things(&plot);
        self.make_people(&plot);
        self.make_scenery();
        self.make_talk(&plot);
        self.make_trouble_talk(&plot);
        self.make_threads(&plot);
        self.make_player(premise, player, &plot);
    }

    /// The names of what the threads are about.
    fn plot(&mut self, dark: String, locked: String) -> Plot {
        let wants = self.reading.wants.clone();
        let nouns = self.reading.nouns.clone();
        let sought = wants.iter().find_map(|want| match want {
            PremiseWant::Find(noun) if nouns[*noun].kind == NounKind::Thing => {
                Some(nouns[*noun].name.clone())
            }
            _ => None,
        });
        let has_task = wants.iter().any(|want| matches!(want, PremiseWant::Task(_)));
        let collected = wants.iter().find_map(|want| match want {
            PremiseWant::Collects { what, .. } => {
                Some(format!("last {}", english::singular(&nouns[*what].head)))
            }
            _ => None,
        });
        let prizes: Vec<&str> = prizes::PRIZES.iter().map(|prize| prize.name).collect();
        let list = if has_task { self.ground.era.tools } else { &prizes };
        let prize = sought.unwrap_or_else(|| self.fresh_name(list));
        let inside = match prizes::prize_of(&prize).map(|prize| prize.end) {
            Some(PrizeEnd::Opened(inside)) => Some(self.unique_name(inside)),
            _ => None,
        };
        let wanted = match collected.filter(|name| self.is_free(name)) {
            Some(name) => self.take_name(&name),
            None => self.fresh_name(self.ground.era.keepsakes),
        };
        let [keeper, witness, friend] = self.cast();
        let shape = self.choose_plot();
        let variant = self.rng.pick(&shape.variants()).copied().unwrap_or_default();
        let cover = self.fresh_name(self.ground.era.covers);
        // Mostly in the dark, and now and then where anybody could have looked.
        let at = self.world.places.len().saturating_sub(4).max(2);
        let hideout = match self.rng.range(0..=3) {
            0 => self.world.places[at].name.clone(),
            _ => dark.clone(),
        };
        Plot {
            shape,
            variant,
            hideout,
            cover,
            inside,
            start: self.world.places[0].name.clone(),
            dark,
            locked,
            spare: self.world.places[self.world.places.len() - 3].name.clone(),
            keeper,
            witness,
            friend,
            key: self.fresh_name(self.ground.era.keys),
            way: self.choose_way(shape),
            machine: self.unique_name(self.ground.era.machine),
            wanted,
            prize,
            record: self.fresh_name(self.ground.era.records),
        }
    }

    /// The time of day when the story begins.
    fn begins_at(&self) -> String {
        self.reading.time.clone().unwrap_or_else(|| "18:40".to_owned())
    }

    /// What the premise names and nobody can take: the whole place, a storm, what a place is called after, the dead.
    fn make_scenery(&mut self) {
        let ground = self.ground.clone();
        if let Some((name, aliases)) = &ground.whole {
            for idx in ground.inside.clone() {
                self.add_scenery(idx, name, aliases, ground.layout.whole.to_owned());
            }
        }
        let events: Vec<PremiseNoun> =
            self.reading.of_kind(NounKind::Event).map(|(_, noun)| noun.clone()).collect();
        for noun in events.iter().take(things::NAMED_THINGS_MAX) {
            let sight = self.line(texts::EVENT_SIGHTS).to_owned();
            self.add_scenery(0, &noun.name, std::slice::from_ref(&noun.head), sight);
        }
        let modifiers: Vec<(String, String)> = self.reading.thing_modifiers();
        for (word, of) in modifiers {
            let sight =
                format!("It is what the {of} is called after, and nobody here finds it strange.");
            self.add_scenery(0, &word, &[], sight);
        }
        self.make_dead();
        self.make_hinted();
    }

    /// Those who have died: where the premise says that they were found, or where the story begins.
    fn make_dead(&mut self) {
        let dead: Vec<PremiseNoun> = self.reading.dead().cloned().collect();
        for noun in dead {
            let x = words::capitalised(&noun.called());
            let found = self
                .reading
                .of_kind(NounKind::Place)
                .find(|(_, place)| noun.is_riddle && place.tokens.0 > noun.tokens.0);
            let found = found.map(|(_, place)| place.name.to_lowercase());
            let mut places = self.world.places.iter();
            let at = places.position(|place| Some(place.name.to_lowercase()) == found);
            let mut aliases = noun.aliases.clone();
            let sight = match noun.is_riddle {
                true => {
                    aliases.extend(["body".to_owned(), "corpse".to_owned()]);
                    format!("{x} lies under a sheet. Nobody has dared to move anything else.")
                }
                false => {
                    format!("{x} is dead. People here lower their voices before they speak of it.")
                }
            };
            self.add_scenery(at.unwrap_or(0), &noun.name, &aliases, sight);
        }
        let mourned: Vec<PremiseNoun> = self.reading.mourned().cloned().collect();
        for noun in mourned {
            let sight = format!(
                "{} is not here any more. Much of what you see was chosen by the one who is missing.",
                words::capitalised(&noun.called())
            );
            self.add_scenery(0, &noun.name, &noun.aliases, sight);
        }
    }

    /// What the descriptions of the places only hint at.
    fn make_hinted(&mut self) {
        for idx in 0..self.world.places.len() {
            for part in mentions::parts_of(&self.world.places[idx].description.clone()) {
                let head = part.name.rsplit(' ').next().unwrap_or_default().to_owned();
                let is_head = |name: &String| name.rsplit(' ').next() == Some(head.as_str());
                let mut things = self.world.things.iter().map(|thing| &thing.name);
                let is_known = head != "thing" && things.any(is_head);
                if !is_known {
                    self.add_scenery(idx, &part.name, &part.aliases, part.description);
                }
            }
        }
    }

    /// Adds a part to a place, unless something has its name.
    fn add_scenery(&mut self, place: usize, name: &str, aliases: &[String], description: String) {
        let parts = &self.world.places[place].scenery;
        let is_known = parts.iter().any(|part| part.name.eq_ignore_ascii_case(name));
        let mut names = self.world.places.iter().map(|place| &place.name);
        let is_place = names.any(|known| known.eq_ignore_ascii_case(name));
        let mut things = self.world.things.iter().map(|thing| &thing.name);
        let is_thing = things.any(|known| known.eq_ignore_ascii_case(name));
        if is_known
            || is_place
            || is_thing
            || !self.world.people.iter().all(|person| !person.name.eq_ignore_ascii_case(name))
        {
            return;
        }
        let head = name.rsplit(' ').next().unwrap_or_default();
        self.world.places[place].scenery.push(SceneryDefinition {
            name: name.to_owned(),
            aliases: aliases.iter().filter(|alias| *alias != name).cloned().collect(),
            description,
            plural: is_plural(head),
            ..SceneryDefinition::default()
        });
    }

    /// The name of the player: the one that the premise gives, or any.
    fn player_name(&mut self) -> String {
        let noun = self.reading.player.map(|noun| self.reading.nouns[noun].name.clone());
        match noun.filter(|name| name.starts_with(char::is_uppercase)) {
            Some(name) => name,
            None => self.fresh_name(self.ground.era.players),
        }
    }

    fn make_player(&mut self, premise: &str, name: String, plot: &Plot) {
        let words_max = OPENING_WORDS_MAX.saturating_sub(OPENING_OWN_WORDS);
        let premise: Vec<&str> = premise.split_whitespace().take(words_max).collect();
        let premise = premise.join(" ");
        let premise: String =
            premise.chars().filter(|c| !c.is_control()).take(TOLD_CHARS_MAX).collect();
        let told = words::ended(&words::capitalised(premise.trim()));
        let role = self.reading.player.map(|noun| self.reading.nouns[noun].clone());
        self.world.time = self.begins_at();
        let scene =
            format!("{}, {}.", time::part_of_day(&self.world.time), self.ground.here(&plot.start));
        let description = match &role {
            Some(PremiseNoun { trade: Some(trade), .. }) => {
                words::ended(&words::capitalised(trade))
            }
            Some(role) if !told.is_empty() && role.name != name => {
                words::ended(&words::capitalised(&role.with_article()))
            }
            _ => "Somebody who asks questions and listens to the answers.".to_owned(),
        };
        self.world.opening = match &role {
            _ if told.is_empty() => format!("You are {name}. {scene}"),
            // The premise is a noun with what is said of it, such as `a keeper who cannot sleep`.
            Some(role) if role.is_all_of(&premise) => {
                format!("You are {name}, {} {scene}", words::ended(&role.with_article()))
            }
            Some(role) if role.name != name && is_plural(&role.head) => {
                format!("{told} You are {name}, one of the {}. {scene}", role.head)
            }
            Some(role) if role.name != name => {
                format!("{told} You are {name}, {}. {scene}", the(&role.name))
            }
            _ => format!("{told} You are {name}. {scene}"),
        };
        self.world.title = self.title(role.as_ref(), plot);
        self.world.player = PlayerDefinition {
            name,
            description,
            place: plot.start.clone(),
            ..PlayerDefinition::default()
        };
    }

    /// The first two nouns of the premise.
    fn title(&self, role: Option<&PremiseNoun>, plot: &Plot) -> String {
        let counts = |noun: &&PremiseNoun| {
            !noun.is_owner
                && [NounKind::Being, NounKind::Place, NounKind::Thing, NounKind::Event]
                    .contains(&noun.kind)
        };
        // Of several guests the title has all.
        let titled = |noun: &PremiseNoun| {
            let is_group = noun.group > 1 && noun.trade.is_some();
            the(if is_group { &noun.head } else { &noun.name })
        };
        let mut nouns: Vec<String> =
            self.reading.nouns.iter().filter(counts).take(2).map(titled).collect();
        if nouns.len() < 2 && (role.is_some() || nouns.is_empty()) {
            nouns.push(the(&plot.prize));
        }
        words::capitalised(&nouns.join(" and "))
    }
}
