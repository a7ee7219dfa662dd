//! Makes a small world from a sentence: building blocks, put together with a seed, so that it is complete and can be
//! played to its end.

mod blocks;
mod names;
mod read;
mod things;

use narratoria_sdk::Rng;

use crate::{
    definition::{
        DoorDefinition, ExitDefinition, GoalDefinition, PersonDefinition, PlaceDefinition,
        PlayerDefinition, ThingDefinition, ThreadDefinition, TopicDefinition, WorldDefinition,
    },
    words,
};
use blocks::{KINDS, PremiseSetting};
use read::PremiseWords;
use things::{
    Plot, ThingNames, at, thing, things_in_sight, things_of_the_player, things_of_the_threads,
};

/// Fewest and most places of a world.
const PLACES: std::ops::RangeInclusive<i64> = 6..=10;

/// Makes a world: 6 to 10 places, three people, a locked door with its key, a dark place with a light, two threads.
/// What the premise names is in it.
pub fn make(premise: &str, seed: u64) -> WorldDefinition {
    let mut rng = Rng::new(seed ^ 0x0077_6f72_6c64);
    let words = PremiseWords::of(premise);
    let setting = words.setting.unwrap_or_else(|| rng.pick(KINDS).unwrap_or(&KINDS[0]));
    let mut maker =
        Maker { rng, words, setting, world: WorldDefinition::default(), used: Vec::new() };
    maker.make(premise);
    maker.world
}

struct Maker {
    rng: Rng,
    words: PremiseWords,
    setting: &'static PremiseSetting,
    world: WorldDefinition,
    /// Names that are taken, in lower case.
    used: Vec<String>,
}

impl Maker {
    fn make(&mut self, premise: &str) {
        let (dark, locked) = self.make_places();
        let start = self.world.places[0].name.clone();
        let spare = self.world.places[self.world.places.len() - 3].name.clone();
        let player = self.fresh_name(names::PLAYERS);
        let prize = match self.words.objects.first().cloned() {
            Some(object) if self.is_free(&object) => self.take_name(&object),
            _ => self.fresh_name(names::PRIZES),
        };
        let plot = Plot {
            start,
            dark,
            locked,
            spare,
            keeper: self.fresh_name(names::PEOPLE),
            witness: self.fresh_name(names::PEOPLE),
            friend: self.fresh_name(names::PEOPLE),
            key: self.fresh_name(names::KEYS),
            wanted: self.fresh_name(names::KEEPSAKES),
            prize,
            record: self.fresh_name(names::RECORDS),
        };
        self.make_things(&plot);
        self.make_people(&plot);
        self.make_threads(&plot);
        self.make_player(premise, player, &plot);
    }

    fn is_free(&self, name: &str) -> bool {
        !self.used.contains(&name.to_lowercase())
    }

    fn take_name(&mut self, name: &str) -> String {
        self.used.push(name.to_lowercase());
        name.to_owned()
    }

    /// A name of the list that is not taken. The lists are longer than what is asked of them.
    fn fresh_name(&mut self, list: &[&str]) -> String {
        let free: Vec<&str> = list.iter().copied().filter(|name| self.is_free(name)).collect();
        let name = self.rng.pick(&free).copied().unwrap_or(list[0]);
        self.take_name(name)
    }

    fn line(&mut self, list: &[&'static str]) -> &'static str {
        self.rng.pick(list).copied().unwrap_or("")
    }

    /// Makes the places, and returns the names of the dark one and of the locked one, which are the last two.
    fn make_places(&mut self) -> (String, String) {
        let count = usize::try_from(self.rng.range(PLACES)).unwrap_or(8);
        let mut ordinary: Vec<(String, String)> = self
            .setting
            .places
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        let mut rest = ordinary.split_off(2);
        self.rng.shuffle(&mut rest);
        ordinary.extend(rest);
        // A place of the premise is where the story begins.
        if let Some(place) = self.words.places.first().cloned()
            && !ordinary.iter().any(|(name, _)| name.eq_ignore_ascii_case(&place))
        {
            let (_, text) = ordinary[0].clone();
            ordinary[0] = (place, text);
        } else if let Some(place) = self.words.places.first()
            && let Some(at) = ordinary.iter().position(|(name, _)| name.eq_ignore_ascii_case(place))
        {
            ordinary.swap(0, at);
        }
        ordinary.truncate(count - 2);
        for (name, text) in ordinary {
            let name = self.take_name(&name);
            self.world.places.push(PlaceDefinition {
                name,
                description: text,
                ..PlaceDefinition::default()
            });
        }
        let (dark, dark_text) = self.setting.dark;
        let (locked, locked_text) = self.setting.locked;
        for (name, text, is_dark) in [(dark, dark_text, true), (locked, locked_text, false)] {
            let name = self.take_name(name);
            let place = PlaceDefinition {
                name,
                description: text.to_owned(),
                dark: is_dark,
                ..PlaceDefinition::default()
            };
            self.world.places.push(place);
        }
        self.connect(count);
        (dark.to_owned(), locked.to_owned())
    }

    /// The second place is the middle: the others lie around it, then behind those.
    fn connect(&mut self, count: usize) {
        let around = ["south", "north", "east", "west"];
        let others: Vec<usize> = (0..count - 2).filter(|n| *n != 1).collect();
        for (n, place) in others.iter().enumerate() {
            match around.get(n) {
                Some(way) => self.join(1, way, *place, None),
                // The ring behind the ring keeps its direction.
                None => self.join(
                    others[n - around.len() + 1],
                    around[n - around.len() + 1],
                    *place,
                    None,
                ),
            }
        }
        self.join(1, "down", count - 2, None);
        let door = self.setting.door.to_owned();
        self.take_name(&door);
        self.join(1, "up", count - 1, Some(door));
    }

    fn join(&mut self, from: usize, way: &str, to: usize, door: Option<String>) {
        let names: Vec<String> = self.world.places.iter().map(|place| place.name.clone()).collect();
        let exit = |direction: &str, to: usize| ExitDefinition {
            direction: direction.to_owned(),
            to: names[to].clone(),
            door: door.clone(),
            ..ExitDefinition::default()
        };
        let (there, back) = (exit(way, to), exit(opposite(way), from));
        self.world.places[from].exits.push(there);
        self.world.places[to].exits.push(back);
    }

    fn make_things(&mut self, plot: &Plot) {
        let door = self.setting.door.to_owned();
        self.world.doors.push(DoorDefinition {
            name: door,
            description: "It is old, and the lock is not.".to_owned(),
            locked: true,
            key: Some(plot.key.clone()),
            ..DoorDefinition::default()
        });
        let names = self.name_things();
        let record_text = format!(
            "{} The {} is behind the {}, and {} has the key.",
            self.line(names::RECORD_LINES),
            plot.prize,
            self.setting.door,
            plot.keeper
        );
        self.world.things.extend(things_in_sight(plot, &names));
        self.world.things.extend(things_of_the_threads(plot, &names, record_text));
        self.world.things.extend(things_of_the_player(&names));
        self.make_what_is_named(plot);
    }

    fn name_things(&mut self) -> ThingNames {
        let (light, needs) = self.rng.pick(names::LIGHTS).copied().unwrap_or(names::LIGHTS[0]);
        ThingNames {
            light: self.take_name(light),
            needed: needs.map(|needs| self.take_name(needs)),
            table: self.fresh_name(names::TABLES),
            chest: self.fresh_name(names::CHESTS),
            cover: self.fresh_name(names::COVERS),
            food: self.fresh_name(names::FOOD),
            extra: self.fresh_name(names::CLOTHES),
        }
    }

    /// What else the premise names lies where the player can see it.
    fn make_what_is_named(&mut self, plot: &Plot) {
        for object in
            self.words.objects.clone().into_iter().filter(|object| *object != plot.prize).take(3)
        {
            if self.is_free(&object) {
                let name = self.take_name(&object);
                self.world.things.push(ThingDefinition {
                    place: at(&plot.start),
                    ..thing(&name, "It has been part of this from the beginning.")
                });
            }
        }
        for place in self.words.places.clone().into_iter().skip(1).take(2) {
            if self.is_free(&place) {
                let part = crate::definition::SceneryDefinition {
                    name: self.take_name(&place),
                    description: format!(
                        "From here you can just make out the {place}, too far to reach on foot today."
                    ),
                    ..crate::definition::SceneryDefinition::default()
                };
                self.world.places[0].scenery.push(part);
            }
        }
    }

    fn make_people(&mut self, plot: &Plot) {
        let mut roles: Vec<String> = self.words.people.iter().skip(1).take(3).cloned().collect();
        let mut trades: Vec<&str> = self.setting.trades.to_vec();
        self.rng.shuffle(&mut trades);
        roles.extend(trades.into_iter().map(str::to_owned));
        roles.retain(|role| self.is_free(role));
        roles.dedup();
        let door = self.setting.door;
        let middle = self.world.places[1].name.clone();
        let last = self.world.places[self.world.places.len().saturating_sub(4)].name.clone();
        let topic = |about: &[&str], says: String| TopicDefinition {
            about: about.iter().map(|about| (*about).to_owned()).collect(),
            says: vec![says],
            ..TopicDefinition::default()
        };
        let keeper = PersonDefinition {
            wants: Some(plot.wanted.clone()),
            thanks: format!(
                "My {}! I had given it up. Take the {}; it opens the {door}.",
                plot.wanted, plot.key
            ),
            gives: vec![plot.key.clone()],
            topics: vec![
                topic(
                    &[&plot.wanted, "loss"],
                    format!("I lost it in the {}. I do not go down there any more.", plot.dark),
                ),
                topic(
                    &[door, "door", &plot.locked],
                    format!("It stays locked until I have my {} back.", plot.wanted),
                ),
                topic(&[&plot.prize], "Some things are locked up for their own good.".to_owned()),
            ],
            ..self.person(&plot.keeper, &roles[0], &middle)
        };
        let witness = PersonDefinition {
            topics: vec![
                topic(
                    &[&plot.keeper, &roles[0]],
                    format!("{} has not slept since the {} was lost.", plot.keeper, plot.wanted),
                ),
                topic(
                    &[&plot.dark, "dark"],
                    format!("Take a light. And look behind what stands in the {}.", plot.dark),
                ),
                topic(&["truth", &plot.prize], self.line(names::TRUTHS).to_owned()),
            ],
            ..self.person(&plot.witness, &roles[1], &plot.spare)
        };
        let friend = PersonDefinition {
            topics: vec![
                topic(
                    &[&plot.witness, &roles[1]],
                    format!(
                        "{} sees more than is good for anyone. Ask about the truth.",
                        plot.witness
                    ),
                ),
                topic(
                    &[&plot.record],
                    format!("Somebody wrote it all down. Look around in the {}.", plot.spare),
                ),
                topic(&["night", "weather"], self.line(names::WEATHER).to_owned()),
            ],
            ..self.person(&plot.friend, &roles[2], &last)
        };
        self.world.people.extend([keeper, witness, friend]);
    }

    fn person(&mut self, name: &str, role: &str, place: &str) -> PersonDefinition {
        self.used.push(role.to_lowercase());
        let pronoun =
            if names::SHE.iter().any(|first| name.starts_with(first)) { "she" } else { "he" };
        let trait_ = self.line(names::TRAITS);
        PersonDefinition {
            name: name.to_owned(),
            aliases: vec![role.to_owned()],
            pronoun: pronoun.to_owned(),
            description: format!("{} {role}, {trait_}.", words::capitalised(words::article(role))),
            place: place.to_owned(),
            greeting: self.line(names::GREETINGS).to_owned(),
            ..PersonDefinition::default()
        }
    }

    fn make_threads(&mut self, plot: &Plot) {
        let door = self.setting.door;
        let goal = |kind: &str, target: &str, to: Option<&str>| GoalDefinition {
            kind: kind.to_owned(),
            target: target.to_owned(),
            to: to.map(str::to_owned),
        };
        let first = ThreadDefinition {
            name: format!("Behind the {door}"),
            opening: format!(
                "Behind the {door} lies the {}, and {} has the only key.",
                plot.prize, plot.keeper
            ),
            goal: goal("held", &plot.prize, None),
            ending: format!(
                "The {} is in your hands, and it is heavier than you thought.",
                plot.prize
            ),
        };
        let second = match self.rng.range(0..=2) {
            0 => ThreadDefinition {
                name: "What was written down".to_owned(),
                opening: format!("Somebody has kept a {}, and nobody wants it read.", plot.record),
                goal: goal("read", &plot.record, None),
                ending: "Now it is not only a rumour.".to_owned(),
            },
            1 => ThreadDefinition {
                name: format!("The {}", plot.wanted),
                opening: format!(
                    "{} has lost something, and asks everyone who comes by.",
                    plot.keeper
                ),
                goal: goal("given", &plot.wanted, Some(&plot.keeper)),
                ending: format!("{} sleeps again tonight.", plot.keeper),
            },
            _ => ThreadDefinition {
                name: "The truth".to_owned(),
                opening: format!("{} knows the truth, and waits to be asked.", plot.witness),
                goal: goal("learned", "truth", Some(&plot.witness)),
                ending: "Once you know it, you cannot stop knowing it.".to_owned(),
            },
        };
        self.world.threads = vec![first, second];
    }

    fn make_player(&mut self, premise: &str, name: String, plot: &Plot) {
        let premise: String = premise.split_whitespace().collect::<Vec<_>>().join(" ");
        let premise: String = premise.chars().filter(|c| !c.is_control()).take(400).collect();
        let told = words::ended(&words::capitalised(premise.trim()));
        let role = self.words.people.first().cloned();
        let description = match (&role, told.is_empty()) {
            (Some(_), _) => told.clone(),
            (None, _) => "Somebody who came for one night and stayed.".to_owned(),
        };
        let scene = format!("It is evening in the {}.", plot.start);
        self.world.opening = match told.split_once(' ') {
            None => scene,
            // A premise such as "a keeper who cannot sleep" says who the player is.
            Some(("A" | "An" | "The", _)) => {
                format!("You are {name}, {}{} {scene}", told[..1].to_lowercase(), &told[1..])
            }
            Some(_) => format!("{told} You are {name}. {scene}"),
        };
        self.world.title = match role {
            Some(role) => format!("The {role} and the {}", plot.prize),
            None => format!("The {} behind the {}", plot.prize, self.setting.door),
        };
        self.world.time = "18:40".to_owned();
        self.world.player = PlayerDefinition { name, description, place: plot.start.clone() };
    }
}

fn opposite(way: &str) -> &'static str {
    match way {
        "north" => "south",
        "south" => "north",
        "east" => "west",
        "west" => "east",
        "up" => "down",
        _ => "up",
    }
}
