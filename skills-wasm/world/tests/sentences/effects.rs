//! What a sentence must have done: a scene, a sentence, and the effects that hold afterwards.

use std::fmt::Write as _;

use world::{
    act::{Dice, act},
    action::Action,
    entity::NamedId,
    fact::WorldFact,
    parse::understand,
    world::{Holder, World},
};

fn id(world: &World, name: &str) -> NamedId {
    world.find(name).unwrap_or_else(|| panic!("no `{name}` in this world"))
}

/// Sets a scene such as `here: cellar; carried: storm lantern, oil can; lit: storm lantern`.
fn set(world: &mut World, scene: &str) {
    for part in scene.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let (key, names) = part.split_once(':').unwrap();
        for name in names.split(',').map(str::trim) {
            let id = id(world, name);
            let condition = &mut world.conditions[id.0];
            match key {
                "here" => world.here = id,
                "carried" => {
                    world.holders[id.0] = Holder::Carried;
                    condition.hidden = false;
                }
                "worn" => {
                    world.holders[id.0] = Holder::Worn;
                    condition.hidden = false;
                }
                "open" => condition.open = true,
                "unlocked" => condition.locked = false,
                "lit" => condition.lit = true,
                "found" => condition.hidden = false,
                other => panic!("no setting `{other}`"),
            }
        }
    }
}

struct Played {
    before: World,
    world: World,
    facts: Vec<WorldFact>,
    checks: Vec<String>,
    asked: bool,
    unknown: bool,
    actions: Vec<Action>,
}

fn play(mut world: World, sentence: &str) -> Played {
    let before = world.clone();
    let meaning = understand(&world, sentence);
    let (mut facts, mut checks) = (Vec::new(), Vec::new());
    for action in &meaning.actions {
        let outcome = act(&mut world, action, &mut Dice::new(Some(20), 1));
        facts.extend(outcome.facts);
        checks.extend(outcome.check.map(|check| check.check.skill));
    }
    let asked = !meaning.unclear.is_empty();
    Played {
        before,
        world,
        facts,
        checks,
        asked,
        unknown: meaning.unknown,
        actions: meaning.actions,
    }
}

/// The kind as it is written in an effect, such as `people_here`.
fn kind(fact: &WorldFact) -> String {
    let mut kind = String::new();
    for c in format!("{:?}", fact.fact).chars() {
        if c.is_uppercase() && !kind.is_empty() {
            kind.push('_');
        }
        kind.push(c.to_ascii_lowercase());
    }
    kind
}

/// Returns true if one effect such as `carried: brass key` holds.
fn holds(played: &Played, effect: &str) -> bool {
    let (key, value) =
        effect.split_once(':').map_or((effect, ""), |(key, value)| (key.trim(), value.trim()));
    let world = &played.world;
    let pair = || value.split_once('>').map_or((value, ""), |(a, b)| (a.trim(), b.trim()));
    let holder = |name: &str| world.holders[id(world, name).0];
    let condition = |name: &str| world.conditions[id(world, name).0];
    match key {
        "here" => world.name(world.here) == value,
        "carried" => {
            world.holders[id(world, value).0] == Holder::Carried
                || world.is_with_player(id(world, value))
        }
        "not carried" => !world.is_with_player(id(world, value)),
        "worn" => holder(value) == Holder::Worn,
        "not worn" => holder(value) != Holder::Worn,
        "in" => holder(pair().0) == Holder::In(id(world, pair().1)),
        "on" => holder(pair().0) == Holder::On(id(world, pair().1)),
        "at" => holder(pair().0) == Holder::Place(id(world, pair().1)),
        "with" => holder(pair().0) == Holder::Person(id(world, pair().1)),
        "gone" => holder(value) == Holder::Gone,
        "open" => condition(value).open,
        "closed" => !condition(value).open,
        "locked" => condition(value).locked,
        "unlocked" => !condition(value).locked,
        "lit" => condition(value).lit,
        "unlit" => !condition(value).lit,
        "found" => !condition(value).hidden && played.before.conditions[id(world, value).0].hidden,
        "check" => played.checks.iter().any(|skill| skill == value),
        "read" => played.actions.iter().any(|action| shown(action).starts_with(value)),
        "unknown" => played.unknown && played.actions.is_empty(),
        "refused" => played.facts.iter().any(|fact| {
            kind(fact) == "refused" && (value.is_empty() || fact.because.as_deref() == Some(value))
        }),
        "said" => {
            let said = |fact: &&WorldFact| kind(fact) == "said" && value.starts_with(&fact.subject);
            played.facts.iter().filter(said).any(|fact| {
                let topic = value[fact.subject.len()..].trim();
                topic.is_empty() || fact.object.as_deref() == Some(topic)
            })
        }
        "fact" => {
            let (wanted, about) = value.split_once(' ').unwrap_or((value, ""));
            if wanted == "question" {
                return played.asked;
            }
            played.facts.iter().any(|fact| {
                let names = [Some(fact.subject.clone()), fact.object.clone(), fact.place.clone()];
                let mut names = names.into_iter().flatten().chain(fact.details.iter().cloned());
                kind(fact) == wanted && (about.is_empty() || names.any(|name| name == about))
            })
        }
        other => panic!("no effect `{other}`"),
    }
}

/// Alternatives are parted by ` | `, effects that must all hold by ` ; `. `|` binds tighter.
fn passes(played: &Played, effects: &str) -> bool {
    effects.split(" ; ").all(|all| all.split(" | ").any(|effect| holds(played, effect.trim())))
}

/// An action as a person who mends the parser reads it.
fn shown(action: &Action) -> String {
    let Action { action: verb, target, with, topic, direction, text, missing } = action;
    let mut line = format!("{verb:?}");
    let parts = [target, with, topic, direction, text, missing].into_iter();
    let names = ["", "with ", "about ", "to ", "text ", "missing "];
    for (name, part) in names.into_iter().zip(parts) {
        if let Some(part) = part {
            let _ = write!(line, " {name}`{part}`");
        }
    }
    line
}

/// A line of a set of sentences.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SentenceLine<'a> {
    /// What holds for the sentences that follow, such as `here: cellar; carried: oil can`.
    Scene(&'a str),
    /// A sentence and its effects.
    Case(&'a str, &'a str),
}

/// The lines of a file: `@ here: cellar` sets a scene, `sentence => effects` is a case, `#` begins a comment.
pub(crate) fn read(text: &str) -> impl Iterator<Item = SentenceLine<'_>> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| match line.strip_prefix('@') {
        Some(setting) => SentenceLine::Scene(setting),
        None => {
            let (sentence, effects) = line.split_once(" => ").unwrap();
            SentenceLine::Case(sentence, effects)
        }
    })
}

/// How many sentences had their effect, and those that had not.
#[derive(Debug, Default)]
pub(crate) struct SentenceScore {
    pub(crate) right: usize,
    pub(crate) all: usize,
    pub(crate) wrong: String,
}

/// Plays each sentence from its scene.
pub(crate) fn measure<'a>(
    start: &World,
    lines: impl IntoIterator<Item = SentenceLine<'a>>,
    score: &mut SentenceScore,
) {
    let mut scene = start.clone();
    for line in lines {
        let (sentence, effects) = match line {
            SentenceLine::Scene(setting) => {
                scene = start.clone();
                set(&mut scene, setting);
                continue;
            }
            SentenceLine::Case(sentence, effects) => (sentence, effects),
        };
        let played = play(scene.clone(), sentence);
        score.all += 1;
        if passes(&played, effects) {
            score.right += 1;
        } else {
            let done: Vec<&str> = played.facts.iter().map(|fact| fact.text.as_str()).collect();
            let actions: Vec<String> = played.actions.iter().map(shown).collect();
            let unclear = if played.asked { " (asks)" } else { "" };
            let (actions, done) = (actions.join("; "), done.join(" "));
            let _ = writeln!(
                score.wrong,
                "{sentence} => {effects}\n    {actions}{unclear}\n    {done}"
            );
        }
    }
}
