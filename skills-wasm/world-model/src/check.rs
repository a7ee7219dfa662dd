//! Checks a definition before anything is made of it, and says exactly what is wrong.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_facts::minutes_of_day;
use narratoria_sdk::json;

use crate::{
    action::Verb,
    definition::{
        DIRECTIONS, GoalDefinition, LookDefinition, PersonDefinition, ThingDefinition,
        WorldDefinition,
    },
    speech_act::SpeechAct,
    world::NESTING_MAX,
};

/// Most places of a world.
pub const PLACES_MAX: usize = 300;

/// Most doors of a world.
pub const DOORS_MAX: usize = 300;

/// Most things of a world.
pub const THINGS_MAX: usize = 1000;

/// Most people of a world.
pub const PEOPLE_MAX: usize = 200;

/// Most threads of a world.
pub const THREADS_MAX: usize = 100;

/// Most parts of one place, exits of one place, aliases of one name, topics of one person, reactions of one thing, stages of
/// one thread.
pub const PARTS_MAX: usize = 50;

/// Longest name, in characters.
pub const NAME_CHARS_MAX: usize = 60;

/// Longest text, in characters.
pub const TEXT_CHARS_MAX: usize = 2000;

/// Most problems that are reported.
const PROBLEMS_MAX: usize = 20;

/// Most entries of one schedule.
pub const SCHEDULE_MAX: usize = 24;

/// Most words of an opening: a player reads them before anything can be done.
pub const OPENING_WORDS_MAX: usize = 100;

/// Kinds of goals.
const GOALS: &[&str] = &["held", "given", "reached", "opened", "lit", "read", "learned"];

/// The goals that can be seen at any time, so that a stage may have them.
const LASTING_GOALS: &[&str] = &["held", "given", "reached", "opened", "lit"];

/// The deeds that a thing may react to.
const REACTION_ACTIONS: &[&str] = &["push", "pull", "turn", "use", "give"];

/// What is wrong with a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldFault {
    /// The names that it is about, the first one before all others.
    pub names: Vec<String>,
    /// The text that is wrong as a whole.
    pub text: Option<String>,
    /// With the name and the way out.
    pub message: String,
}

impl WorldFault {
    /// A fault of the whole.
    pub fn of_world(message: String) -> WorldFault {
        WorldFault { names: Vec::new(), text: None, message }
    }
}

struct Problems(Vec<WorldFault>);

impl Problems {
    fn push(&mut self, names: &[&str], text: Option<&str>, message: String) {
        if self.0.len() < PROBLEMS_MAX {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            self.0.push(WorldFault { names, text: text.map(str::to_owned), message });
        }
    }

    /// A fault of the whole.
    fn add(&mut self, message: String) {
        self.push(&[], None, message);
    }

    /// A fault of what has these names.
    fn of(&mut self, names: &[&str], message: String) {
        self.push(names, None, message);
    }

    fn count(&mut self, what: &str, count: usize, max: usize) {
        if count > max {
            self.add(format!("{count} {what}, {max} are allowed"));
        }
    }

    /// `what` is the text of what has the name.
    fn text(&mut self, name: &str, what: &str, text: &str) {
        if text.chars().count() > TEXT_CHARS_MAX {
            let message = format!("{what} is longer than {TEXT_CHARS_MAX} characters");
            self.push(&[name], Some(text), message);
        }
        if text.chars().any(|c| c.is_control() && c != '\n') {
            self.push(&[name], Some(text), format!("{what} has a control character"));
        }
    }

    fn name(&mut self, what: &str, name: &str) {
        let shown: String = name.chars().take(NAME_CHARS_MAX).collect();
        if name.trim().is_empty() || name.trim() != name {
            self.push(
                &[name],
                Some(name),
                format!("the {what} name `{shown}` is blank, or begins or ends with a blank"),
            );
        } else if name.chars().count() > NAME_CHARS_MAX {
            self.push(
                &[name],
                Some(name),
                format!("the {what} name `{shown}…` is longer than {NAME_CHARS_MAX} characters"),
            );
        } else if name.chars().any(|c| c.is_control() || "{}<>\u{201c}\u{201d}\"".contains(c)) {
            self.push(
                &[name],
                Some(name),
                format!("the {what} name `{shown}` has a character that no name has"),
            );
        } else if !name.chars().any(char::is_alphanumeric) {
            self.push(&[name], Some(name), format!("the {what} name `{shown}` has no letter"));
        }
    }
}

/// Returns all problems, each with the name and the way out. The wordings of its author are not looked at.
pub fn check(world: &WorldDefinition) -> Result<(), Vec<WorldFault>> {
    let mut problems = Problems(Vec::new());
    sizes(world, &mut problems);
    if problems.0.is_empty() {
        let kinds = names(world, &mut problems);
        places(world, &kinds, &mut problems);
        things(world, &kinds, &mut problems);
        people(world, &kinds, &mut problems);
        threads(world, &kinds, &mut problems);
        verbs(world, &mut problems);
        nesting(world, &mut problems);
    }
    if problems.0.is_empty() { Ok(()) } else { Err(problems.0) }
}

fn sizes(world: &WorldDefinition, problems: &mut Problems) {
    if world.places.is_empty() {
        problems.add("a world has at least one place".to_owned());
    }
    problems.count("places", world.places.len(), PLACES_MAX);
    problems.count("doors", world.doors.len(), DOORS_MAX);
    problems.count("things", world.things.len(), THINGS_MAX);
    problems.count("people", world.people.len(), PEOPLE_MAX);
    problems.count("threads", world.threads.len(), THREADS_MAX);
    problems.count("verbs", world.verbs.len(), PARTS_MAX);
    if minutes_of_day(&world.time).is_none() {
        let shown: String = world.time.chars().take(20).collect();
        problems.add(format!("the time `{shown}` is not of the form `17:30`"));
    }
    let words = world.opening.split_whitespace().count();
    if words > OPENING_WORDS_MAX {
        problems.add(format!(
            "the opening has {words} words, {OPENING_WORDS_MAX} are allowed: tell the rest where it is found"
        ));
    }
    for text in [&world.title, &world.opening, &world.player.name, &world.player.description] {
        problems.text(&world.player.name, "a text of the player or the story", text);
    }
    for place in &world.places {
        problems.count("parts of one place", place.scenery.len().max(place.exits.len()), PARTS_MAX);
    }
    for person in &world.people {
        let lists = [person.topics.len(), person.gives.len(), person.fallback.len()];
        let most = lists.into_iter().max().unwrap_or(0).max(person.greetings.len());
        problems.count("topics of one person", most, PARTS_MAX);
        let most = person.listens.len().max(person.reactions.len());
        problems.count("reactions of one person", most, PARTS_MAX);
        problems.count("entries of one schedule", person.schedule.len(), SCHEDULE_MAX);
    }
    for thing in &world.things {
        problems.count("reactions of one thing", thing.reactions.len(), PARTS_MAX);
    }
}

/// What each name is, in lower case. Names of places, doors, things and people are unique; a part of a place may have
/// the name of another place's part.
fn names(world: &WorldDefinition, problems: &mut Problems) -> BTreeMap<String, &'static str> {
    let places = world.places.iter().map(|p| ("place", &p.name, &p.aliases, &p.description));
    let doors = world.doors.iter().map(|d| ("door", &d.name, &d.aliases, &d.description));
    let things = world.things.iter().map(|t| ("thing", &t.name, &t.aliases, &t.description));
    let people = world.people.iter().map(|p| ("person", &p.name, &p.aliases, &p.description));
    let mut kinds = BTreeMap::new();
    for (kind, name, aliases, description) in places.chain(doors).chain(things).chain(people) {
        problems.name(kind, name);
        problems.text(name, &format!("the description of `{name}`"), description);
        problems.count("other names of one thing", aliases.len(), PARTS_MAX);
        for alias in aliases {
            problems.name(kind, alias);
        }
        if name.eq_ignore_ascii_case("you") {
            problems.of(&[name], "`you` is the player, nothing else has this name".to_owned());
        }
        if let Some(other) = kinds.insert(name.to_lowercase(), kind) {
            let message =
                format!("`{name}` is the name of a {kind} and of a {other}: rename one of them");
            problems.of(&[name], message);
        }
    }
    for place in &world.places {
        let mut parts = BTreeSet::new();
        for part in &place.scenery {
            problems.name("scenery", &part.name);
            problems.text(
                &part.name,
                &format!("the description of `{}`", part.name),
                &part.description,
            );
            problems.count("other names of one thing", part.aliases.len(), PARTS_MAX);
            let name = part.name.to_lowercase();
            if let Some(kind) = kinds.get(&name) {
                let message = format!(
                    "`{}` is a part of `{}` and the name of a {kind}: rename one of them",
                    part.name, place.name
                );
                problems.of(&[&part.name, &place.name], message);
            }
            if !parts.insert(name) {
                let message = format!("`{}` has two parts of the name `{}`", place.name, part.name);
                problems.of(&[&place.name], message);
            }
        }
    }
    kinds
}

type Kinds<'w> = BTreeMap<String, &'w str>;

fn expect(kinds: &Kinds<'_>, owner: &str, name: &str, wanted: &str, problems: &mut Problems) {
    let shown: String = name.chars().take(NAME_CHARS_MAX).collect();
    let message = match kinds.get(&name.to_lowercase()) {
        Some(kind) if *kind == wanted => return,
        Some(kind) => format!("`{owner}` names `{name}`, which is a {kind} and not a {wanted}"),
        None => format!("`{owner}` names `{shown}`, and there is no {wanted} of this name"),
    };
    problems.of(&[owner, name], message);
}

fn places(world: &WorldDefinition, kinds: &Kinds<'_>, problems: &mut Problems) {
    expect(kinds, "player", &world.player.place, "place", problems);
    for place in &world.places {
        let mut directions = BTreeSet::new();
        for exit in &place.exits {
            expect(kinds, &place.name, &exit.to, "place", problems);
            if let Some(door) = &exit.door {
                expect(kinds, &place.name, door, "door", problems);
            }
            if !DIRECTIONS.contains(&exit.direction.as_str()) {
                let shown: String = exit.direction.chars().take(20).collect();
                problems.of(
                    &[&place.name],
                    format!(
                        "`{}` has an exit `{shown}`: use one of {}",
                        place.name,
                        DIRECTIONS.join(", ")
                    ),
                );
            } else if !directions.insert(exit.direction.as_str()) {
                problems.of(
                    &[&place.name],
                    format!("`{}` has two exits `{}`", place.name, exit.direction),
                );
            }
        }
    }
    for door in &world.doors {
        if let Some(key) = &door.key {
            expect(kinds, &door.name, key, "thing", problems);
        }
    }
}

fn things(world: &WorldDefinition, kinds: &Kinds<'_>, problems: &mut Problems) {
    for thing in &world.things {
        let holders = [
            (&thing.place, "place"),
            (&thing.inside, "thing"),
            (&thing.on, "thing"),
            (&thing.with, "person"),
        ];
        let flags = [thing.carried, thing.worn, thing.later];
        let mut count = flags.into_iter().filter(|is_set| *is_set).count();
        for (name, kind) in holders {
            if let Some(name) = name {
                count += 1;
                expect(kinds, &thing.name, name, kind, problems);
            }
        }
        if count != 1 {
            problems.of(&[&thing.name], format!(
                "`{}` is in {count} places: say exactly one of `place`, `in`, `on`, `with`, `carried`, `worn` and `later`",
                thing.name
            ));
        }
        let keys = [
            thing.container.as_ref().and_then(|container| container.key.as_deref()),
            thing.light.as_ref().and_then(|light| light.needs.as_deref()),
        ];
        for key in keys.into_iter().flatten() {
            expect(kinds, &thing.name, key, "thing", problems);
        }
        if let Some(text) = &thing.text {
            problems.text(&thing.name, &format!("the text on `{}`", thing.name), text);
        }
        reactions(thing, kinds, problems);
    }
}

/// Reports reactions to other deeds, and names of what is not there.
fn reactions(thing: &ThingDefinition, kinds: &Kinds<'_>, problems: &mut Problems) {
    let name = &thing.name;
    for reaction in &thing.reactions {
        problems.text(name, &format!("a reaction of `{name}`"), &reaction.says);
        if !REACTION_ACTIONS.contains(&reaction.action.as_str()) {
            let what = format!(
                "`{name}` has a reaction to something else than push, pull, turn, use and give"
            );
            problems.of(&[name], what);
        }
        let is_gift = reaction.action == "give";
        if is_gift && reaction.with.is_none() {
            problems.of(&[name], format!("`{name}` reacts to `give` without a person in `with`"));
        }
        let kind = if is_gift { "person" } else { "thing" };
        if let Some(with) = &reaction.with {
            expect(kinds, name, with, kind, problems);
        }
        if let Some(revealed) = &reaction.reveals {
            expect(kinds, name, revealed, "thing", problems);
        }
    }
}

fn people(world: &WorldDefinition, kinds: &Kinds<'_>, problems: &mut Problems) {
    for person in &world.people {
        expect(kinds, &person.name, &person.place, "place", problems);
        for name in person.wants.iter().chain(&person.gives) {
            expect(kinds, &person.name, name, "thing", problems);
        }
        if let Some(place) = &person.bars {
            expect(kinds, &person.name, place, "place", problems);
        }
        if !["he", "she", "they", "it"].contains(&person.pronoun.as_str()) {
            problems.of(
                &[&person.name],
                format!("the pronoun of `{}` is none of he, she, they and it", person.name),
            );
        }
        let after = person.topics.iter().filter_map(|topic| topic.after.as_ref());
        let single = [&person.greeting, &person.thanks, &person.thanks_after];
        for text in single.into_iter().chain(after) {
            problems.text(&person.name, &format!("the words of `{}`", person.name), text);
        }
        schedule(person, kinds, problems);
        let greetings = person.greetings.iter().map(|greeting| &greeting.says);
        for says in person.topics.iter().map(|topic| &topic.says).chain(greetings) {
            problems.count("texts of one topic", says.len(), PARTS_MAX);
            if says.is_empty() {
                problems.of(
                    &[&person.name],
                    format!("a topic or greeting of `{}` says nothing", person.name),
                );
            }
            for text in says {
                problems.text(&person.name, &format!("the words of `{}`", person.name), text);
            }
        }
        reactions_of(person, problems);
        for text in person.fallback.iter().chain(&person.listens) {
            problems.text(&person.name, &format!("the words of `{}`", person.name), text);
        }
        for topic in &person.topics {
            problems.count("names of one topic", topic.about.len(), PARTS_MAX);
            if topic.about.is_empty() {
                problems.of(&[&person.name], format!("a topic of `{}` has no name", person.name));
            }
            for about in &topic.about {
                problems.name("topic", about);
            }
        }
    }
}

/// Reports reactions to what is no kind of speech, and those without a text.
fn reactions_of(person: &PersonDefinition, problems: &mut Problems) {
    let name = &person.name;
    let known: Vec<&str> = SpeechAct::with_reactions().map(SpeechAct::word).collect();
    for reaction in &person.reactions {
        if !known.contains(&reaction.action.as_str()) {
            let shown: String = reaction.action.chars().take(NAME_CHARS_MAX).collect();
            let known = known.join(", ");
            let what = match shown.as_str() {
                "statement" => format!("`{name}` reacts to `statement`: write `listens`"),
                "question" => {
                    format!("`{name}` reacts to `question`: write `topics` or `fallback`")
                }
                _ => format!("`{name}` reacts to `{shown}`: use one of {known}"),
            };
            problems.of(&[name], what);
        }
        if reaction.says.is_empty() && reaction.does.is_empty() {
            let what = format!("a reaction of `{name}` has neither `says` nor `does`");
            problems.of(&[name], what);
        }
        problems.count("texts of one reaction", reaction.says.len(), PARTS_MAX);
        problems.count("texts of one reaction", reaction.does.len(), PARTS_MAX);
        for text in reaction.says.iter().chain(&reaction.does) {
            problems.text(name, &format!("a reaction of `{name}`"), text);
        }
    }
}

/// Reports verbs of one name, and those that the world has.
fn verbs(world: &WorldDefinition, problems: &mut Problems) {
    let mut known = BTreeSet::new();
    for verb in &world.verbs {
        problems.text(&verb.name, &format!("the text of the verb `{}`", verb.name), &verb.says);
        problems.count("other names of one verb", verb.aliases.len(), PARTS_MAX);
        for name in std::iter::once(&verb.name).chain(&verb.aliases) {
            problems.name("verb", name);
            if !known.insert(name.to_lowercase()) {
                problems
                    .of(&[name], format!("`{name}` is the name of two verbs: rename one of them"));
            }
        }
        if Verb::ALL.iter().any(|known| json!(known).as_str() == Some(&verb.name)) {
            let what =
                format!("the verb `{}` is one of the world: give it another name", verb.name);
            problems.of(&[&verb.name], what);
        }
    }
}

fn schedule(person: &PersonDefinition, kinds: &Kinds<'_>, problems: &mut Problems) {
    let mut times = BTreeSet::new();
    for entry in &person.schedule {
        expect(kinds, &person.name, &entry.place, "place", problems);
        problems.text(&person.name, &format!("what `{}` is doing", person.name), &entry.doing);
        let shown: String = entry.from.chars().take(20).collect();
        match minutes_of_day(&entry.from) {
            None => problems.of(
                &[&person.name],
                format!(
                    "the schedule of `{}` has the time `{shown}`, which is not of the form `17:30`",
                    person.name
                ),
            ),
            Some(time) if !times.insert(time) => {
                problems.of(
                    &[&person.name],
                    format!("the schedule of `{}` has two entries from `{shown}`", person.name),
                );
            }
            Some(_) => {}
        }
    }
}

/// Checks that the goals of threads and of their stages name things, places and people of the world.
fn threads(world: &WorldDefinition, kinds: &Kinds<'_>, problems: &mut Problems) {
    let titles: BTreeSet<&String> = world.threads.iter().map(|thread| &thread.name).collect();
    for thread in &world.threads {
        let name = &thread.name;
        problems.name("thread", name);
        let stages = thread.stages.iter().map(|stage| &stage.says);
        for text in [&thread.opening, &thread.ending, &thread.unresolved].into_iter().chain(stages)
        {
            problems.text(name, &format!("a text of `{name}`"), text);
        }
        for other in thread.after.iter().chain(&thread.closes) {
            if other == name || !titles.contains(other) {
                let what = format!("`{name}` names `{other}`, which is no other thread");
                problems.of(&[name, other], what);
            }
        }
        problems.count("threads that one begins after", thread.after.len(), THREADS_MAX);
        problems.count("threads that one closes", thread.closes.len(), THREADS_MAX);
        problems.count("stages of one thread", thread.stages.len(), PARTS_MAX);
        goal(name, &thread.goal, GOALS, kinds, problems);
        for stage in &thread.stages {
            goal(name, &stage.once, LASTING_GOALS, kinds, problems);
        }
    }
}

fn goal(
    thread: &str,
    goal: &GoalDefinition,
    known: &[&str],
    kinds: &Kinds<'_>,
    problems: &mut Problems,
) {
    if !known.contains(&goal.kind.as_str()) {
        let what = format!("a goal of `{thread}` is `{}`, none of {}", goal.kind, known.join(", "));
        problems.of(&[thread], what);
    }
    match goal.kind.as_str() {
        "held" | "given" | "lit" | "read" => expect(kinds, thread, &goal.target, "thing", problems),
        "reached" => expect(kinds, thread, &goal.target, "place", problems),
        _ => {}
    }
    match &goal.to {
        Some(to) => expect(kinds, thread, to, "person", problems),
        None if goal.kind == "given" => {
            problems.of(&[thread], format!("the goal of `{thread}` must say `to` whom"));
        }
        None => {}
    }
}

/// Returns true if a map has a condition.
pub fn has_conditions(world: &WorldDefinition) -> bool {
    let parts = || world.places.iter().flat_map(|place| &place.scenery);
    let person = |one: &PersonDefinition| {
        !one.looks.is_empty()
            || one.topics.iter().any(|topic| topic.when.is_some())
            || one.greetings.iter().any(|greeting| greeting.when.is_some())
            || one.reactions.iter().any(|reaction| reaction.when.is_some())
    };
    world
        .places
        .iter()
        .any(|place| !place.looks.is_empty() || place.exits.iter().any(|exit| exit.when.is_some()))
        || parts().any(|part| !part.looks.is_empty())
        || world.things.iter().any(|thing| !thing.looks.is_empty())
        || world.people.iter().any(person)
}

/// Every condition of a map: where it stands, and its text.
pub fn conditions_of(world: &WorldDefinition) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut looks = |owner: &str, looks: &[LookDefinition]| {
        found.extend(looks.iter().map(|look| (format!("a look of `{owner}`"), look.when.clone())));
    };
    for place in &world.places {
        looks(&place.name, &place.looks);
        for part in &place.scenery {
            looks(&part.name, &part.looks);
        }
    }
    for thing in &world.things {
        looks(&thing.name, &thing.looks);
    }
    for person in &world.people {
        looks(&person.name, &person.looks);
    }
    for place in &world.places {
        for exit in &place.exits {
            let owner = format!("the exit `{}` of `{}`", exit.direction, place.name);
            found.extend(exit.when.iter().map(|when| (owner.clone(), when.clone())));
        }
    }
    for person in &world.people {
        for topic in &person.topics {
            let about = topic.about.first().map_or("", String::as_str);
            let owner = format!("the topic `{about}` of `{}`", person.name);
            found.extend(topic.when.iter().map(|when| (owner.clone(), when.clone())));
        }
        for greeting in &person.greetings {
            let owner = format!("a greeting of `{}`", person.name);
            found.extend(greeting.when.iter().map(|when| (owner.clone(), when.clone())));
        }
        for reaction in &person.reactions {
            let owner = format!("a reaction of `{}`", person.name);
            found.extend(reaction.when.iter().map(|when| (owner.clone(), when.clone())));
        }
    }
    found
}

/// What holds a thing must not be in that thing, at any depth.
fn nesting(world: &WorldDefinition, problems: &mut Problems) {
    let by_name: BTreeMap<String, &ThingDefinition> =
        world.things.iter().map(|thing| (thing.name.to_lowercase(), thing)).collect();
    for thing in &world.things {
        let mut at = Some(thing);
        for _ in 0..NESTING_MAX {
            let holder = at.and_then(|thing| thing.inside.as_ref().or(thing.on.as_ref()));
            at = holder.and_then(|name| by_name.get(&name.to_lowercase()).copied());
        }
        if at.is_some() {
            problems.of(
                &[&thing.name],
                format!("`{}` lies more than {NESTING_MAX} things deep, or in itself", thing.name),
            );
        }
    }
}
