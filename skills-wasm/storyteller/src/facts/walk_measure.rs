//! Measures the prose of whole walks: counts sentences that repeat, and sentences that mention nothing of this world.

use std::fmt::Write as _;

use narratoria_facts::Fact;
use narratoria_sdk::{Value, json, testing};

use super::{
    known::{KnownFacts, WorldView},
    told::{TURNS_MAX, sentences},
    truth::untruths,
    walk::WalkTurn,
};
use crate::narrate;

/// Kinds of facts whose words an author, or the player, has written.
const AUTHORED: &[&str] = &[
    "described",
    "said",
    "read",
    "spoken",
    "used",
    "identity",
    "doing",
    "thread_opened",
    "thread_done",
];

/// Words of an author's exclamation or number: "Honk.", "West, 3."
const FRAGMENT_WORDS_MAX: usize = 2;

/// Lines of each list that are printed.
const SHOWN_MAX: usize = 40;

/// A story that is told turn by turn.
pub(super) struct ToldWalk {
    /// Names the walk in what is printed.
    name: String,
    style: &'static str,
    seed: u64,
    story: Value,
    /// What was done and told, the last turn last.
    turns: Vec<(String, Vec<String>)>,
}

impl ToldWalk {
    pub(super) fn new(name: String, style: &'static str, seed: u64) -> ToldWalk {
        ToldWalk { name, style, seed, story: json!({}), turns: Vec::new() }
    }

    /// Tells one turn; the story goes on.
    pub(super) fn tell(&mut self, turn: &WalkTurn, number: u64) -> String {
        let input = json!({ "prompt": turn.prompt, "style": self.style });
        let state = json!({ "story": self.story, "world": turn.world });
        let call = testing::call(narrate, input).state(state).inputs(inputs(turn));
        let told = call.seed(self.seed * 1_000 + number).run();
        assert!(told.ok, "{}", told.lines);
        // As the host does: what a patch does not name stays.
        for (key, value) in told.patch()["story"].as_object().unwrap() {
            self.story[key] = value.clone();
        }
        told.output["text"].as_str().unwrap().to_owned()
    }
}

/// Each step's facts, in the order of the plan.
fn inputs(turn: &WalkTurn) -> Value {
    let mut inputs = json!({});
    for (at, facts) in turn.facts.iter().enumerate() {
        inputs[format!("step{at}")] = json!({ "facts": facts });
    }
    inputs
}

/// The facts and the view of a turn, as the script reads them.
fn read_back(turn: &WalkTurn) -> (KnownFacts, WorldView) {
    use narratoria_sdk::{Ctx, Done, SkillError};
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    let mut read = (KnownFacts::default(), WorldView::default());
    let reader = |ctx: &mut Ctx, _: Nothing| {
        read = (KnownFacts::read(ctx), WorldView::read(ctx));
        Ok::<_, SkillError>(Done::ok())
    };
    let state = json!({ "world": turn.world });
    testing::call(reader, json!({})).state(state).inputs(inputs(turn)).run();
    read
}

/// The sums over walks.
#[derive(Default)]
pub(super) struct ProseMeasure {
    pub(super) sentences: u32,
    /// Sentences that came within twenty turns before and are no fact of this turn, nor asked for.
    pub(super) repeated: u32,
    /// The same facts and answers within twenty turns.
    pub(super) answered_again: u32,
    pub(super) mentioning: u32,
    turns: u32,
    chars: usize,
    repeats: Vec<String>,
    empty: Vec<String>,
    pub(super) untrue: Vec<String>,
}

impl ProseMeasure {
    /// Tells a turn and counts its sentences.
    pub(super) fn turn(&mut self, walk: &mut ToldWalk, turn: &WalkTurn) {
        let number = walk.turns.len();
        let (known, view) = read_back(turn);
        let text = walk.tell(turn, number as u64);
        let place = format!("{} {number}", walk.name);
        self.turns += 1;
        self.chars += text.chars().count();
        let own =
            text.split("\n\n").filter(|part| !known.authored.iter().any(|it| it.contains(part)));
        let all =
            KnownFacts { facts: all_facts(&known).cloned().collect(), ..KnownFacts::default() };
        // What is told without facts is checked by the tests of its own words.
        let own = own.filter(|_| !known.is_empty());
        for wrong in own.flat_map(|part| untruths(part, &all, &view)) {
            self.untrue.push(format!("{place}: {wrong}: {text}"));
        }
        let now: Vec<String> = text.split("\n\n").flat_map(sentences).map(str::to_owned).collect();
        for (at, sentence) in now.iter().enumerate() {
            self.sentences += 1;
            if is_repeated(walk, &known, &now[..at], sentence) {
                if is_answer(walk, turn, &known, sentence) {
                    self.answered_again += 1;
                } else {
                    self.repeated += 1;
                    self.repeats.push(format!("{place} ({}): {sentence}", turn.prompt));
                }
            }
            if mentions(sentence, &known, &view) {
                self.mentioning += 1;
            } else {
                self.empty.push(format!("{place}: {sentence}"));
            }
        }
        walk.turns.push((turn.deed.clone(), now));
    }

    /// Adds what was counted over other walks.
    pub(super) fn add(&mut self, other: ProseMeasure) {
        self.sentences += other.sentences;
        self.repeated += other.repeated;
        self.answered_again += other.answered_again;
        self.mentioning += other.mentioning;
        self.turns += other.turns;
        self.chars += other.chars;
        self.repeats.extend(other.repeats);
        self.empty.extend(other.empty);
        self.untrue.extend(other.untrue);
    }

    /// Percent of the sentences that speak of something of this world or this turn.
    pub(super) fn share(&self) -> f64 {
        f64::from(self.mentioning) / f64::from(self.sentences.max(1)) * 100.0
    }

    /// What was counted, for people.
    pub(super) fn render(&self) -> String {
        let ProseMeasure { sentences, turns, repeated, answered_again, .. } = self;
        let (chars, share) = (self.chars as f64 / f64::from(*turns), self.share());
        let mut text = format!(
            "{sentences} sentences in {turns} turns, {chars:.0} characters a turn: {repeated} told twice within 20 turns, \
             {answered_again} the same fact or answer; {share:.1} % speak of this world or this turn\n"
        );
        let lists =
            [("told twice", &self.repeats), ("empty", &self.empty), ("untrue", &self.untrue)];
        for (title, lines) in lists {
            let _ = writeln!(text, "{title}: {}", lines.len());
            for line in lines.iter().take(SHOWN_MAX) {
                let _ = writeln!(text, "  {line}");
            }
        }
        text
    }

    /// Returns true if nothing is untrue, nothing comes twice, and most speaks of this world.
    pub(super) fn is_good(&self) -> bool {
        self.untrue.is_empty() && self.repeated == 0 && self.share() >= 80.0
    }
}

fn all_facts(known: &KnownFacts) -> impl Iterator<Item = &Fact> {
    known.facts.iter().chain(&known.after)
}

/// The turns in which no sentence comes again.
fn lately(walk: &ToldWalk) -> impl Iterator<Item = &(String, Vec<String>)> {
    walk.turns.iter().rev().take(TURNS_MAX)
}

/// Returns true if the sentence came in one of the last turns, or earlier in this one. An author may repeat a sentence
/// within one text, and two texts of an author may share an exclamation or a number.
fn is_repeated(walk: &ToldWalk, known: &KnownFacts, before: &[String], sentence: &str) -> bool {
    let written = sentence.rsplit_once('“').map_or(sentence, |(_, said)| said);
    let is_authors = known.authored.iter().any(|text| text.contains(written))
        || all_facts(known).any(|fact| fact.text.contains(written));
    if is_authors && written.split_whitespace().count() <= FRAGMENT_WORDS_MAX {
        return false;
    }
    let is_before = !is_authors && before.iter().any(|told| told == sentence);
    is_before || lately(walk).any(|(_, told)| told.iter().any(|one| one == sentence))
}

/// Returns true if a repeated sentence says what has happened: a fact of the turn in its own words, or the answer to a player
/// who looks again, talks to the same person or does the same thing. Such answers are counted apart; what is left is prose
/// around the facts, which must not repeat itself.
fn is_answer(walk: &ToldWalk, turn: &WalkTurn, known: &KnownFacts, sentence: &str) -> bool {
    // Two deeds in one sentence begin with the first one.
    let is_own = |fact: &Fact| {
        fact.text.contains(sentence)
            || sentence.starts_with(fact.text.trim_end_matches('.'))
            || fact.fact == "contents"
    };
    let is_word_for_word =
        known.authored.iter().any(|text| text.contains(sentence)) || all_facts(known).any(is_own);
    let did_the_same = || {
        let mut told = lately(walk).filter(|(_, told)| told.iter().any(|one| one == sentence));
        told.any(|(deed, _)| *deed == turn.deed)
    };
    is_word_for_word || turn.asks || turn.is_asked || did_the_same()
}

/// Returns true if the sentence mentions something of this world or this turn: an author wrote it, or it contains a name.
fn mentions(sentence: &str, known: &KnownFacts, view: &WorldView) -> bool {
    let lower = sentence.to_lowercase();
    let is_quote =
        |fact: &Fact| AUTHORED.contains(&fact.fact.as_str()) && fact.text.contains(sentence);
    let is_authors =
        all_facts(known).any(is_quote) || known.authored.iter().any(|text| text.contains(sentence));
    let of_turn = all_facts(known).flat_map(|fact| {
        let names = [fact.object.as_ref(), fact.other.as_ref(), fact.place.as_ref()];
        names
            .into_iter()
            .flatten()
            .chain(&fact.details)
            .chain([&fact.subject])
            .filter(|name| *name != "you")
    });
    let has = |name: &String| lower.contains(&name.to_lowercase().trim_end_matches('.').to_owned());
    is_authors || of_turn.into_iter().any(has) || view.names.iter().any(has)
}
