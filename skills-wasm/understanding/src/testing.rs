//! Sets of sentences, each with the effects that it must have, and how they are read: for the tests of this crate and of
//! the crates that build on it.
//!
//! A set is compared whole with the readings that lie beside it. A change of the reader is then a difference in these
//! files that a person judges; nothing is counted, so that no sentence is traded for another unseen.

#![expect(clippy::unwrap_used, reason = "test support: a panic fails the test")]

use std::{collections::BTreeSet, env, fmt::Write as _, fs, path::Path};

use world_model::{
    act::{Dice, act},
    action::Action,
    entity::NamedId,
    fact::WorldFact,
    world::{Holder, World},
};

use crate::{Understanding, understand};

/// Most changed lines that a failing comparison shows.
const CHANGED_LINES_MAX: usize = 40;

/// In front of a sentence that has its effects.
pub const HAS_EFFECT: &str = "ok   ";

/// In front of a sentence that has them not. The line behind it says what was expected.
pub const HAS_NO_EFFECT: &str = "miss ";

/// In front of the effects that a sentence should have had.
pub const EXPECTED: &str = "     expected ";

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
    meaning: Understanding,
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
    Played { before, world, facts, checks, meaning }
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
        "read" => played.meaning.actions.iter().any(|action| action.in_words().starts_with(value)),
        "unknown" => played.meaning.unknown && played.meaning.actions.is_empty(),
        "refused" => played.facts.iter().any(|fact| {
            kind(fact) == "refused" && (value.is_empty() || fact.because.as_deref() == Some(value))
        }),
        // Somebody answers in words, or by what they do.
        "said" => {
            let said = |fact: &&WorldFact| {
                ["said", "gesture"].contains(&kind(fact).as_str())
                    && value.starts_with(&fact.subject)
            };
            played.facts.iter().filter(said).any(|fact| {
                let topic = value[fact.subject.len()..].trim();
                topic.is_empty() || fact.object.as_deref() == Some(topic)
            })
        }
        "fact" => {
            let (wanted, about) = value.split_once(' ').unwrap_or((value, ""));
            if wanted == "question" {
                return !played.meaning.unclear.is_empty();
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

/// The meaning of a sentence on one line: `Take `brass key`; Go to `north``, what is asked back, what means nothing.
fn reading(meaning: &Understanding) -> String {
    let mut parts: Vec<String> = meaning.actions.iter().map(Action::in_words).collect();
    if !meaning.unclear.is_empty() {
        parts.push(format!("asks `{}`", meaning.unclear.join("`, `")));
    }
    if meaning.unknown {
        parts.push("unknown".to_owned());
    }
    parts.join("; ").replace('\n', "\\n")
}

/// A line of a set of sentences.
#[derive(Debug, Clone, Copy)]
pub enum SentenceLine<'a> {
    /// Whose sentences follow, such as `veteran`. It ends the scene.
    Voice(&'a str),
    /// What holds for the sentences that follow, such as `here: cellar; carried: oil can`.
    Scene(&'a str),
    /// A sentence and its effects.
    Case(&'a str, &'a str),
}

/// The lines of a file: `## veteran` begins the sentences of a voice, `@ here: cellar` sets a scene,
/// `sentence => effects` is a case, any other `#` begins a comment.
pub fn sentence_lines(text: &str) -> impl Iterator<Item = SentenceLine<'_>> {
    let is_read =
        |line: &&str| !line.is_empty() && (!line.starts_with('#') || line.starts_with("## "));
    text.lines().filter(is_read).map(|line| {
        if let Some(voice) = line.strip_prefix("## ") {
            SentenceLine::Voice(voice)
        } else if let Some(scene) = line.strip_prefix('@') {
            SentenceLine::Scene(scene)
        } else {
            let (sentence, effects) = line.split_once(" => ").unwrap();
            SentenceLine::Case(sentence, effects)
        }
    })
}

/// Plays each sentence from its scene, and writes how it is read and whether it has its effects.
pub fn readings<'a>(start: &World, lines: impl IntoIterator<Item = SentenceLine<'a>>) -> String {
    let (mut scene, mut written) = (start.clone(), String::new());
    for line in lines {
        match line {
            SentenceLine::Voice(voice) => {
                scene = start.clone();
                let gap = if written.is_empty() { "" } else { "\n" };
                let _ = writeln!(written, "{gap}## {voice}");
            }
            SentenceLine::Scene(setting) => {
                scene = start.clone();
                set(&mut scene, setting);
                let _ = writeln!(written, "@{}", setting.trim_end());
            }
            SentenceLine::Case(sentence, effects) => {
                let played = play(scene.clone(), sentence);
                let has_effect = passes(&played, effects);
                let mark = if has_effect { HAS_EFFECT } else { HAS_NO_EFFECT };
                let _ = writeln!(written, "{mark}{sentence} => {}", reading(&played.meaning));
                if !has_effect {
                    let _ = writeln!(written, "{EXPECTED}{effects}");
                }
            }
        }
    }
    written
}

/// Compares readings with those in a file, and returns the lines that differ. Writes the file if `BLESS` is set.
pub fn changed_readings(file: &Path, readings: &str) -> Option<String> {
    if env::var_os("BLESS").is_some() {
        fs::write(file, readings).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        return None;
    }
    // A file that is not there yet has no lines.
    let before = fs::read_to_string(file).unwrap_or_default();
    if before == readings {
        return None;
    }
    let changed = changed_lines(&before, readings);
    let mut told = format!("{}: {} lines differ\n", file.display(), changed.len());
    for line in changed.iter().take(CHANGED_LINES_MAX) {
        let _ = writeln!(told, "{line}");
    }
    if let Some(left) = changed.len().checked_sub(CHANGED_LINES_MAX).filter(|left| *left > 0) {
        let _ = writeln!(told, "… and {left} more");
    }
    Some(told)
}

/// Fails with the differences, if there are any.
#[track_caller]
pub fn assert_same_readings(changed: &[String]) {
    assert!(
        changed.is_empty(),
        "\n{}`make readings` writes them; review the difference before it is committed.",
        changed.join("\n")
    );
}

/// The sentence of a line of readings, or the line.
fn sentence_of(line: &str) -> &str {
    let case = line.strip_prefix(HAS_EFFECT).or_else(|| line.strip_prefix(HAS_NO_EFFECT));
    case.and_then(|case| case.split_once(" => ")).map_or(line, |(sentence, _)| sentence)
}

/// The lines that differ, `-` as they were and `+` as they are, each sentence with both of its readings.
fn changed_lines(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let is_same = |i: usize, j: usize| sentence_of(old[i]) == sentence_of(new[j]);
    // How many sentences the lines from `i` and those from `j` have in common, in this order.
    let mut common = vec![vec![0; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if is_same(i, j) {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut changed) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        let is_kept = i < old.len() && j < new.len() && is_same(i, j);
        let is_gone = j == new.len() || i < old.len() && common[i + 1][j] >= common[i][j + 1];
        if is_kept && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        if is_kept || is_gone {
            changed.push(format!("- {}", old[i]));
            i += 1;
        }
        if is_kept || !is_gone {
            changed.push(format!("+ {}", new[j]));
            j += 1;
        }
    }
    changed
}

/// Fails unless each set of sentences in one folder has its readings in the other, and the other has no more.
#[track_caller]
pub fn assert_all_read(sentences: &Path, readings: &Path) {
    let names = |folder: &Path| -> BTreeSet<String> {
        let entries = fs::read_dir(folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.unwrap().path());
        let files = entries.filter(|path| path.is_file());
        files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
    };
    let (sets, read) = (names(sentences), names(readings));
    let unread: Vec<&String> = sets.difference(&read).collect();
    let without_set: Vec<&String> = read.difference(&sets).collect();
    assert!(unread.is_empty(), "no test reads {unread:?} of {}", sentences.display());
    assert!(without_set.is_empty(), "no sentences for {without_set:?} of {}", readings.display());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_reading_is_shown_beside_the_one_before() {
        let before = "@ here: hall\nok   look => Look\nok   wait => Wait\nok   go => Exits\n";
        let after = "@ here: hall\nok   look => Look\nok   sit => Gesture\nmiss go => Wait\n     expected fact: exits\n";
        assert_eq!(
            changed_lines(before, after),
            [
                "- ok   wait => Wait",
                "+ ok   sit => Gesture",
                "- ok   go => Exits",
                "+ miss go => Wait",
                "+      expected fact: exits",
            ]
        );
        assert_eq!(changed_lines(after, after), [""; 0]);
        assert_eq!(changed_lines("", "ok   look => Look\n"), ["+ ok   look => Look"]);
    }
}
