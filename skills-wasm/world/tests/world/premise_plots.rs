//! Shapes of plots, played: each of their ends by sentences of a player, and by walks without a thought.
//! `PREMISE_WALKS` says how many worlds are walked through.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use narratoria_sdk::Rng;
use understanding::understand;
use world_model::{
    act::{Dice, act},
    action::{Action, Verb},
    check::check,
    definition::{ThreadDefinition, WorldDefinition},
    fact::FactKind,
    possible::possibilities,
    premise::{make, read},
    world::{Holder, ThreadState, World},
};

use super::play_out::{has_ended, play_out};

/// A premise of each shape.
const SHAPES: [(&str, &str); 14] = [
    ("escape", "An innocent man digs a tunnel under a Siberian prison."),
    ("siege", "A squire has to defend a besieged castle after all the knights have fled."),
    ("heist", "A crew of retired thieves plans to rob the casino that cheated them."),
    ("search", "A detective searches for a stolen violin in a grand hotel"),
    ("reconciliation", "my grandmother's house after the funeral, and a quarrel with my sister"),
    ("countdown", "A sushi chef with one evening left to save his restaurant"),
    ("courtship", "a woman who repairs umbrellas falls in love with a man"),
    ("rivalry", "Neighbours argue about a hedge."),
    ("haunting", "A porter hears lullabies from an empty room of a hospital."),
    ("rescue", "Five wounded miners wait for a doctor in a mine, and one of them is bleeding."),
    ("trial", "A judge must decide whether the baker is guilty before the verdict at noon."),
    ("journey", "A trucker crosses Kazakhstan with a cargo that must never get warm"),
    ("secret", "What if the postman of Salamanca read every letter first?"),
    ("bargain", "A goalkeeper is offered money to lose the final."),
];

/// Seeds of which each variant of a shape has some.
const SEEDS: u64 = 6;

/// Turns within which an end is reached, and the least share of walks that reach one, in percent.
const TURNS_MAX: usize = 300;
const ENDED_MIN: usize = 90;

/// A world that is played by sentences, and what was said and told.
struct PlayedShape {
    world: World,
    told: String,
}

impl PlayedShape {
    fn begin(definition: WorldDefinition) -> PlayedShape {
        PlayedShape { world: World::begin(definition), told: String::new() }
    }

    /// Says a sentence, which must mean something and be done.
    #[track_caller]
    fn say(&mut self, sentence: &str) {
        let meaning = understand(&self.world, sentence);
        assert!(!meaning.actions.is_empty(), "`{sentence}` means nothing\n{}", self.told);
        let _ = writeln!(self.told, "> {sentence}");
        for action in &meaning.actions {
            let outcome = act(&mut self.world, action, &mut Dice::new(Some(1), 0));
            for fact in &outcome.facts {
                let kinds = [FactKind::ThreadDone, FactKind::ThreadOpened, FactKind::Told];
                if kinds.contains(&fact.fact) {
                    let _ = writeln!(self.told, "{}", fact.text);
                }
            }
            let refused = outcome.refused.map(|refused| refused.text);
            let is_done = refused.is_none() || has_ended(&self.world);
            assert!(is_done, "`{sentence}` ({action:?}): {refused:?}\n{}", self.told);
        }
    }

    fn go(&mut self, place: &str) {
        let id = self.world.find(place).unwrap();
        if self.world.here == id {
            return;
        }
        let sentence = format!("go to {}", the(place));
        let meaning = understand(&self.world, &sentence);
        let is_meant = |action: &Action| action.target.as_deref() == Some(place);
        if matches!(meaning.actions.as_slice(), [action] if is_meant(action)) {
            return self.say(&sentence);
        }
        // Some names of places are words for ways.
        for (from, exit) in self.world.route_to(id).unwrap() {
            let from = self.world.name(from);
            let places = &self.world.definition.places;
            let from = places.iter().find(|place| place.name == from).unwrap();
            self.say(&format!("go {}", from.exits[exit].direction));
        }
    }

    /// Goes to where somebody is.
    fn meet(&mut self, person: &str) {
        let id = self.world.find(person).unwrap();
        let place = self.world.place_of(id).unwrap();
        let name = self.world.name(place).to_owned();
        self.go(&name);
    }

    /// Takes the light along, and lights it.
    fn make_light(&mut self) {
        let things = &self.world.definition.things;
        let light = things.iter().find(|thing| thing.light.is_some()).unwrap().name.clone();
        if !self.world.is_with_player(self.world.find(&light).unwrap()) {
            self.get(&light);
        }
        if !self.world.conditions[self.world.find(&light).unwrap().0].lit {
            self.say(&format!("light {}", the(&light)));
        }
    }

    /// Goes to a thing and takes it.
    fn get(&mut self, name: &str) {
        let id = self.world.find(name).unwrap();
        if self.world.is_with_player(id) {
            return;
        }
        let thing = self.world.definition.things.iter().find(|it| it.name == name).unwrap().clone();
        match self.world.holders[id.0] {
            Holder::Person(person) => {
                let keeper = self.world.name(person).to_owned();
                self.give_wanted(&keeper);
                return;
            }
            Holder::In(holder) | Holder::On(holder) => {
                let holder_name = self.world.name(holder).to_owned();
                let place = self.world.place_of(holder).unwrap();
                let name = self.world.name(place).to_owned();
                self.enter(&name);
                if self.world.is_openable(holder) && !self.world.conditions[holder.0].open {
                    self.say(&format!("open {}", the(&holder_name)));
                }
            }
            Holder::Place(place) => {
                let place = self.world.name(place).to_owned();
                if self.world.definition.places.iter().any(|it| it.name == place && it.dark) {
                    self.make_light();
                }
                self.enter(&place);
                if let Some(cover) = thing.hidden.filter(|_| self.world.conditions[id.0].hidden) {
                    self.say(&format!("search {}", the(&cover)));
                }
            }
            holder => panic!("{name} is {holder:?}"),
        }
        if !has_ended(&self.world) {
            self.say(&format!("take {}", the(name)));
        }
    }

    /// Gives somebody what they want.
    fn give_wanted(&mut self, person: &str) {
        let people = &self.world.definition.people;
        let wanted = people.iter().find(|it| it.name == person).unwrap().wants.clone().unwrap();
        self.get(&wanted);
        self.meet(person);
        self.say(&format!("give {} to {}", the(&wanted), the(person)));
    }

    /// Goes to a place, and does on the way what opens it, if it is the one behind the door.
    fn enter(&mut self, place: &str) {
        let definition = self.world.definition.clone();
        if definition.places.last().is_some_and(|last| last.name == place) {
            self.open_way(place);
        }
        self.go(place);
    }

    fn open_way(&mut self, room: &str) {
        let definition = self.world.definition.clone();
        let door = &definition.doors[0];
        let before =
            definition.places.iter().find(|it| it.exits.iter().any(|exit| exit.to == room));
        let before = before.unwrap().name.clone();
        let id = self.world.find(&door.name).unwrap();
        let opens = |thing: &&world_model::definition::ThingDefinition| {
            thing.reactions.iter().any(|it| it.opens.as_ref() == Some(&door.name))
        };
        let keeper = &definition.people[0];
        if let Some(key) = door.key.as_ref().filter(|_| self.world.conditions[id.0].locked) {
            self.get(key);
        } else if let Some(thing) =
            definition.things.iter().find(opens).filter(|_| self.world.conditions[id.0].locked)
        {
            match &thing.reactions[0].with {
                Some(tool) => self.get(tool),
                None => self.make_light(),
            }
            self.go(thing.place.as_ref().unwrap());
            match &thing.reactions[0].with {
                Some(tool) => self.say(&format!("use {} on {}", the(tool), the(&thing.name))),
                None => self.say(&format!("use {}", the(&thing.name))),
            }
        } else if keeper.bars.is_some() && keeper.schedule.is_empty() {
            self.give_wanted(&keeper.name);
        } else if keeper.bars.is_some() {
            self.go(&before);
            let id = self.world.find(&keeper.name).unwrap();
            for _ in 0..200 {
                if self.world.place_of(id) != Some(self.world.here) {
                    break;
                }
                self.say("wait");
            }
        }
    }

    /// Does what a thread asks for.
    fn reach(&mut self, thread: &ThreadDefinition) {
        let target = thread.goal.target.as_str();
        match (thread.goal.kind.as_str(), &thread.goal.to) {
            ("reached", _) => {
                if self.world.name(self.world.here) == target {
                    self.go(&self.world.definition.places[0].name.clone());
                }
                self.enter(target);
            }
            ("given", Some(to)) => {
                self.get(target);
                if !has_ended(&self.world) {
                    self.meet(to);
                    self.say(&format!("give {} to {}", the(target), the(to)));
                }
            }
            ("learned", Some(to)) => {
                self.meet(to);
                self.say(&format!("ask {} about the {target}", the(to)));
            }
            (kind, _) => {
                self.get(target);
                match kind {
                    "opened" => self.say(&format!("open {}", the(target))),
                    "read" => self.say(&format!("read {}", the(target))),
                    _ => {}
                }
            }
        }
    }

    fn state(&self, name: &str) -> ThreadState {
        let at = self.world.definition.threads.iter().position(|it| it.name == name).unwrap();
        self.world.thread_state(at)
    }
}

fn the(name: &str) -> String {
    if name.starts_with(char::is_uppercase) || name.starts_with("your ") {
        name.to_owned()
    } else {
        format!("the {name}")
    }
}

fn is_end(thread: &ThreadDefinition) -> bool {
    thread.ending.contains("So it ends: ")
}

/// The turns that lead to a thread, the first of each choice, and the thread.
fn way_to(definition: &WorldDefinition, name: &str) -> Vec<ThreadDefinition> {
    let thread = definition.threads.iter().find(|it| it.name == name).unwrap();
    let before = thread.after.first().map(|turn| way_to(definition, turn)).unwrap_or_default();
    before.into_iter().chain([thread.clone()]).collect()
}

/// Plays one end of a world.
fn play_to(definition: &WorldDefinition, end: &ThreadDefinition) -> PlayedShape {
    let mut played = PlayedShape::begin(definition.clone());
    for thread in way_to(definition, &end.name) {
        if played.state(&thread.name) == ThreadState::Open {
            played.reach(&thread);
        }
    }
    played
}

#[test]
fn each_shape_is_what_the_words_of_its_premise_speak_of() {
    for (shape, premise) in SHAPES {
        assert_eq!(read(premise).trouble.0, shape, "{premise}");
    }
}

#[test]
fn every_end_of_every_shape_is_reached_by_sentences_and_closes_the_others() {
    for (shape, premise) in SHAPES {
        for seed in 0..SEEDS {
            let definition = make(premise, seed);
            assert_eq!(check(&definition), Ok(()), "{shape} {seed}");
            let ends: Vec<&ThreadDefinition> =
                definition.threads.iter().filter(|thread| is_end(thread)).collect();
            assert!(ends.len() >= 2, "{shape} {seed}: {:?}", definition.threads);
            for end in ends {
                let played = play_to(&definition, end);
                let done: Vec<&str> = definition
                    .threads
                    .iter()
                    .filter(|it| is_end(it) && played.state(&it.name) == ThreadState::Done)
                    .map(|it| it.name.as_str())
                    .collect();
                assert_eq!(done, [end.name.as_str()], "{shape} {seed}\n{}", played.told);
                let open = played.world.thread_states().contains(&ThreadState::Open);
                assert!(!open, "{shape} {seed}: something is still open\n{}", played.told);
            }
        }
    }
}

/// Of what a story begins with, each thread is told to its end, or told that it stays open.
#[test]
fn whatever_was_begun_is_ended_or_said_to_be_open() {
    for (shape, premise) in SHAPES {
        let definition = make(premise, 2);
        for end in definition.threads.iter().filter(|thread| is_end(thread)) {
            let played = play_to(&definition, end);
            for thread in &definition.threads {
                let text = match played.state(&thread.name) {
                    ThreadState::Done => &thread.ending,
                    ThreadState::Closed if thread.after.is_empty() => &thread.unresolved,
                    _ => continue,
                };
                assert!(!text.is_empty(), "{shape}: {}", thread.name);
                assert!(played.told.contains(text.as_str()), "{shape}: {text}\n{}", played.told);
            }
        }
    }
}

/// One played end of each shape, to be read.
#[test]
fn each_shape_is_played_to_one_of_its_ends() {
    let mut told = String::new();
    for (shape, premise) in SHAPES {
        let definition = make(premise, 3);
        let _ = writeln!(told, "== {shape}: {premise}\n{}", definition.opening);
        for thread in definition.threads.iter().filter(|thread| thread.after.is_empty()) {
            let _ = writeln!(told, "{}", thread.opening);
        }
        let end = definition.threads.iter().rfind(|thread| is_end(thread)).unwrap();
        let _ = writeln!(told, "{}", play_to(&definition, end).told);
    }
    insta::assert_snapshot!(told);
}

/// A turn without a thought: something that was done least often here.
fn walk(world: &mut World, rng: &mut Rng) -> usize {
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    for turn in 0..TURNS_MAX {
        if has_ended(world) {
            return turn;
        }
        let mut possible = possibilities(world);
        possible.retain(|one| one.check.is_none() && one.action != Verb::Look);
        rng.shuffle(&mut possible);
        let key = |sentence: &str, world: &World| format!("{sentence} {}", world.name(world.here));
        possible.sort_by_key(|one| tried.get(&key(&one.sentence, world)).copied().unwrap_or(0));
        let one = &possible[0];
        *tried.entry(key(&one.sentence, world)).or_default() += 1;
        act(world, &one.to_action(), &mut Dice::new(Some(1), 0));
    }
    TURNS_MAX
}

#[test]
fn walks_without_a_thought_come_to_an_end_and_into_no_dead_end() {
    let count = std::env::var("PREMISE_WALKS").ok().and_then(|count| count.parse().ok());
    let count: usize = count.unwrap_or(28);
    let mut ended = 0;
    let mut late = Vec::new();
    for n in 0..count {
        let (shape, premise) = SHAPES[n % SHAPES.len()];
        let seed = n as u64;
        let mut world = World::begin(make(premise, seed));
        match walk(&mut world, &mut Rng::new(seed)) {
            TURNS_MAX => late.push(format!("{shape} {seed}")),
            _ => ended += 1,
        }
        play_out(&mut world);
        assert!(has_ended(&world), "{shape} {seed} is a dead end: {:?}", world.definition.threads);
        let open = world.thread_states().contains(&ThreadState::Open);
        assert!(!open, "{shape} {seed}: something is still open");
    }
    assert!(ended * 100 >= count * ENDED_MIN, "{ended} of {count}; not {late:?}");
}

/// What a world is beside its names: what is in the way, who stands where, and what its threads ask for in which order.
fn skeleton(world: &WorldDefinition) -> String {
    let place = |name: &str| world.places.iter().position(|place| place.name == name);
    let door = &world.doors[0];
    let keeper = &world.people[0];
    let way = (door.locked, door.key.is_some(), keeper.bars.is_some(), keeper.schedule.len());
    let stand: Vec<_> = world.people.iter().map(|person| place(&person.place)).collect();
    let threads: Vec<_> = world
        .threads
        .iter()
        .map(|it| (it.goal.kind.clone(), it.after.len(), it.closes.len()))
        .collect();
    format!("{way:?} {stand:?} {threads:?}")
}

#[test]
fn two_seeds_of_one_premise_differ_in_more_than_names() {
    for (shape, premise) in SHAPES {
        let skeletons: Vec<String> = (0..12).map(|seed| skeleton(&make(premise, seed))).collect();
        let different: BTreeSet<&String> = skeletons.iter().collect();
        assert!(different.len() >= 9, "{shape}: {} of 12\n{skeletons:#?}", different.len());
    }
}

/// What somebody wants is asked of them, and the player's own want begins the story.
#[test]
fn the_hero_and_the_three_others_want_something() {
    for (shape, premise) in SHAPES {
        let world = make(premise, 1);
        let hero = &world.threads[0].opening;
        assert!(
            hero.starts_with("You want ") || hero.starts_with("You have to "),
            "{shape}: {hero}"
        );
        let wishes: BTreeSet<String> = world
            .people
            .iter()
            .flat_map(|person| &person.topics)
            .filter(|topic| topic.about[0] == "wish")
            .map(|topic| topic.says.join(" "))
            .collect();
        assert_eq!(wishes.len(), 3, "{shape}: {wishes:?}");
    }
    let hero = make("a clockmaker must repair the clock of the cathedral before midnight", 1);
    assert!(
        hero.threads[0].opening.starts_with("You have to repair the clock of the cathedral"),
        "{}",
        hero.threads[0].opening
    );
}
