//! A small world for tests and the walks through it: random actions become facts, as the world's skill would state them.
//! It knows just enough to be true: where things are, what is shut, and who is where.

use narratoria_facts::Fact;
use narratoria_sdk::{Rng, Value, json};

struct Room {
    name: &'static str,
    text: &'static str,
    exits: &'static [(&'static str, usize)],
}

const ROOMS: &[Room] = &[
    Room {
        name: "kitchen",
        text: "A low room with a black stove and herbs drying on the rafters. A rope hangs over the sink.",
        exits: &[("north", 1), ("down", 2), ("up", 3)],
    },
    Room {
        name: "yard",
        text: "Wind and wet gravel. A whitewashed wall keeps the worst of the sea out.",
        exits: &[("south", 0), ("east", 5)],
    },
    Room {
        name: "cellar",
        text: "Barrels of oil stand against a wall of natural rock.",
        exits: &[("up", 0)],
    },
    Room {
        name: "stairwell",
        text: "A spiral of iron steps. A narrow window shows the sea.",
        exits: &[("down", 0), ("up", 4)],
    },
    Room {
        name: "lamp room",
        text: "Glass on all sides. The great lamp stands in the middle, cold. Salt has dried on the panes in long white tongues, and somebody has written a date into it with one finger, and then wiped half of it away. The floor is iron, and it hums when the wind is in the south.",
        exits: &[("down", 3)],
    },
    Room {
        name: "jetty",
        text: "Planks over black water. A bell on a post answers the swell.",
        exits: &[("west", 1)],
    },
];

struct Thing {
    name: &'static str,
    text: &'static str,
    at: usize,
}

const THINGS: &[Thing] = &[
    Thing { name: "storm lantern", text: "A brass lantern with a wire handle.", at: 0 },
    Thing { name: "loaf of bread", text: "Yesterday's, but good.", at: 0 },
    Thing { name: "oil can", text: "It sloshes.", at: 2 },
    Thing { name: "spyglass", text: "Brass, three sections.", at: 4 },
    Thing { name: "rubber boots", text: "They are two sizes too large.", at: 1 },
    Thing { name: "iron key", text: "Rusty, as long as a hand.", at: 3 },
    Thing { name: "fishing net", text: "Torn in two places.", at: 5 },
];

const PEOPLE: &[(&str, usize, &[(&str, &str)])] = &[
    (
        "Martha Quill",
        0,
        &[
            ("storm", "It took the chimney pot. It did not take the light."),
            ("keeper", "He went out at four and did not say where."),
        ],
    ),
    ("old fisherman", 5, &[("boat", "She will not land if the light is out.")]),
];

/// What is shut: where, and why it stays so.
const SHUT: &[(&str, usize, &str, &str)] = &[
    ("sea chest", 3, "locked", "The sea chest is locked."),
    ("blue door", 3, "locked", "The blue door is locked."),
    ("cupboard", 0, "fixed", "You cannot take the cupboard: it is fixed to the wall."),
];

/// One turn: what the player typed, the facts, and the state that goes with them.
pub(super) struct WalkTurn {
    pub(super) prompt: String,
    pub(super) facts: Vec<Fact>,
    pub(super) world: Value,
}

/// A walk through the world.
pub(super) struct Walk {
    here: usize,
    at: Vec<Option<usize>>,
    minutes: u64,
    rng: Rng,
}

fn the(name: &str) -> String {
    if name.starts_with(char::is_uppercase) { name.to_owned() } else { format!("the {name}") }
}

fn a(name: &str) -> String {
    if name.ends_with("boots") {
        return format!("some {name}");
    }
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    if name.starts_with(char::is_uppercase) { name.to_owned() } else { format!("{article} {name}") }
}

fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

fn fact(kind: &str, text: String) -> Fact {
    Fact::new(kind, "you", text)
}

impl Walk {
    pub(super) fn new(seed: u64) -> Walk {
        let at = THINGS.iter().map(|thing| Some(thing.at)).collect();
        Walk { here: 0, at, minutes: 0, rng: Rng::new(seed ^ 0x5eed) }
    }

    /// Plays one random action.
    pub(super) fn turn(&mut self) -> WalkTurn {
        self.minutes += 5;
        let (prompt, facts) = match self.rng.range(0..=15) {
            0 | 1 => ("look".to_owned(), self.look()),
            2..=5 => self.go(),
            6 | 7 => self.take(),
            8 => self.drop(),
            9 => self.examine(),
            10 => self.talk(),
            11 => self.try_what_is_shut(),
            12 => (
                "wait".to_owned(),
                vec![fact("waited", "You wait.".to_owned()).detail("10 minutes")],
            ),
            13 => ("inventory".to_owned(), self.inventory()),
            14 => ("take the dragon".to_owned(), self.not_here()),
            _ => self.both(),
        };
        WalkTurn { prompt, facts, world: self.world() }
    }

    fn room(&self) -> &'static Room {
        &ROOMS[self.here]
    }

    fn here_are(&self) -> Vec<usize> {
        (0..THINGS.len()).filter(|idx| self.at[*idx] == Some(self.here)).collect()
    }

    fn carried(&self) -> Vec<usize> {
        (0..THINGS.len()).filter(|idx| self.at[*idx].is_none()).collect()
    }

    fn people(&self) -> Vec<String> {
        PEOPLE
            .iter()
            .filter(|(_, at, _)| *at == self.here)
            .map(|(name, ..)| (*name).to_owned())
            .collect()
    }

    fn look(&self) -> Vec<Fact> {
        let room = self.room();
        let place = Some(room.name.to_owned());
        let mut facts =
            vec![Fact { object: place.clone(), ..fact("described", room.text.to_owned()) }];
        let names: Vec<String> =
            self.here_are().iter().map(|idx| THINGS[*idx].name.to_owned()).collect();
        if !names.is_empty() {
            let shown: Vec<String> = names.iter().map(|name| a(name)).collect();
            facts.push(Fact {
                details: names,
                ..fact("things_here", format!("You see {} here.", list(&shown)))
            });
        }
        let people = self.people();
        if !people.is_empty() {
            let shown: Vec<String> = people.iter().map(|name| the(name)).collect();
            let text = narratoria_facts::capitalised(&format!("{} is here.", list(&shown)));
            facts.push(Fact { details: people, ..fact("people_here", text) });
        }
        let ways: Vec<String> = room
            .exits
            .iter()
            .map(|(way, to)| format!("{way} to the {}", ROOMS[*to].name))
            .collect();
        let pairs =
            room.exits.iter().flat_map(|(way, to)| [(*way).to_owned(), ROOMS[*to].name.to_owned()]);
        facts.push(Fact {
            details: pairs.collect(),
            ..fact("exits", format!("Ways lead {}.", list(&ways)))
        });
        facts.into_iter().map(|fact| Fact { place: place.clone(), ..fact }).collect()
    }

    fn go(&mut self) -> (String, Vec<Fact>) {
        let exits = self.room().exits;
        let (way, to) = *self.rng.pick(exits).unwrap();
        self.here = to;
        let text = format!("You go {way} to the {}.", self.room().name);
        let moved = Fact {
            object: Some(way.to_owned()),
            place: Some(self.room().name.to_owned()),
            ..fact("moved", text)
        };
        let mut facts = vec![moved];
        facts.extend(self.look());
        (format!("go {way}"), facts)
    }

    fn take(&mut self) -> (String, Vec<Fact>) {
        let here = self.here_are();
        let Some(idx) = self.rng.pick(&here).copied() else {
            return ("take the moon".to_owned(), self.not_here());
        };
        self.at[idx] = None;
        let name = THINGS[idx].name;
        let taken = Fact {
            object: Some(name.to_owned()),
            place: Some(self.room().name.to_owned()),
            ..fact("taken", format!("You take the {name}."))
        };
        (format!("take {name}"), vec![taken])
    }

    fn drop(&mut self) -> (String, Vec<Fact>) {
        let carried = self.carried();
        let Some(idx) = self.rng.pick(&carried).copied() else {
            return ("inventory".to_owned(), self.inventory());
        };
        self.at[idx] = Some(self.here);
        let name = THINGS[idx].name;
        let dropped = Fact {
            object: Some(name.to_owned()),
            place: Some(self.room().name.to_owned()),
            ..fact("dropped", format!("You put the {name} down."))
        };
        (format!("drop {name}"), vec![dropped])
    }

    fn examine(&mut self) -> (String, Vec<Fact>) {
        let mut near = self.here_are();
        near.extend(self.carried());
        let Some(idx) = self.rng.pick(&near).copied() else {
            return ("look".to_owned(), self.look());
        };
        let thing = &THINGS[idx];
        let seen = Fact {
            object: Some(thing.name.to_owned()),
            ..fact("described", thing.text.to_owned())
        };
        (format!("examine {}", thing.name), vec![seen])
    }

    fn talk(&mut self) -> (String, Vec<Fact>) {
        let Some((name, _, topics)) = PEOPLE.iter().find(|(_, at, _)| *at == self.here) else {
            return ("talk to the cook".to_owned(), self.not_here());
        };
        let who = narratoria_facts::capitalised(&the(name));
        if self.rng.range(0..=2) == 0 {
            let silent = Fact {
                subject: (*name).to_owned(),
                object: Some("weather".to_owned()),
                ..fact("silent", format!("{who} has nothing to say about the weather."))
            };
            return (format!("ask {name} about the weather"), vec![silent]);
        }
        let (topic, words) = *self.rng.pick(topics).unwrap();
        let said = Fact {
            subject: (*name).to_owned(),
            object: Some(topic.to_owned()),
            details: vec![words.to_owned()],
            ..fact("said", format!("{who} says: “{words}”"))
        };
        (format!("ask {name} about the {topic}"), vec![said])
    }

    fn try_what_is_shut(&mut self) -> (String, Vec<Fact>) {
        let shut: Vec<_> = SHUT.iter().filter(|(_, at, ..)| *at == self.here).collect();
        let Some((name, _, because, text)) = self.rng.pick(&shut).copied().copied() else {
            return ("open the vault".to_owned(), self.not_here());
        };
        let refused = Fact {
            object: Some(name.to_owned()),
            because: Some(because.to_owned()),
            ..fact("refused", text.to_owned())
        };
        (format!("open the {name}"), vec![refused])
    }

    fn not_here(&self) -> Vec<Fact> {
        vec![Fact {
            because: Some("not_here".to_owned()),
            ..fact("refused", "You see no such thing here.".to_owned())
        }]
    }

    fn inventory(&self) -> Vec<Fact> {
        let names: Vec<String> =
            self.carried().iter().map(|idx| THINGS[*idx].name.to_owned()).collect();
        let shown: Vec<String> = names.iter().map(|name| a(name)).collect();
        let text = if names.is_empty() {
            "You carry nothing.".to_owned()
        } else {
            format!("You carry {}.", list(&shown))
        };
        vec![Fact { details: names, ..fact("carrying", text) }]
    }

    /// Two actions in one sentence.
    fn both(&mut self) -> (String, Vec<Fact>) {
        let (first, mut facts) = self.take();
        let (second, more) = self.examine();
        facts.extend(more);
        (format!("{first} and {second}"), facts)
    }

    fn world(&self) -> Value {
        let names = |idxs: Vec<usize>| -> Vec<&str> {
            idxs.into_iter().map(|idx| THINGS[idx].name).collect()
        };
        let exits: Vec<&str> = self.room().exits.iter().map(|(_, to)| ROOMS[*to].name).collect();
        let directions: Vec<&str> = self.room().exits.iter().map(|(way, _)| *way).collect();
        let topics: Vec<&str> = PEOPLE
            .iter()
            .flat_map(|(_, _, topics)| topics.iter().map(|(topic, _)| *topic))
            .collect();
        json!({
            "now": { "minutes": self.minutes, "time": "evening", "light": "bright" },
            "scope": {
                "here": self.room().name, "people": self.people(), "things": names(self.here_are()),
                "carried": names(self.carried()), "exits": exits, "directions": directions, "topics": topics, "doors": [],
            },
        })
    }
}
