//! A long evening with the bundled campaign: sentences drawn by chance from what is in scope. Each is answered, and the
//! program does not grow.
//!
//! `EVENING_TURNS` and `EVENING_SEEDS` (such as `300` and `1,2,3`) make it longer.

use std::{collections::BTreeSet, env};

use narratoria_sdk::Rng;
use serde_json::Value;

use crate::player_machine::PlayerMachine;

/// Turns of one evening, if the environment names no other number.
const TURNS: usize = 60;

/// How much more memory the last turn may have than the turn at a third of the evening. Caches may grow a little.
const GROWTH_MAX: f64 = 1.25;

/// Chance that a test can repeat.
struct Chance(Rng);

impl Chance {
    /// A number below `count`, which is not 0.
    fn below(&mut self, count: usize) -> usize {
        (self.0.next_u64() % count as u64) as usize
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> Option<&'a str> {
        (!of.is_empty()).then(|| of[self.below(of.len())])
    }
}

/// The names of one kind that are in scope.
fn names<'v>(scope: &'v Value, kind: &str) -> Vec<&'v str> {
    scope[kind].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A sentence that a player might type now.
fn sentence(scope: &Value, choices: &[String], chance: &mut Chance) -> String {
    let drawn = |verbs: &[&str], kind: &str, chance: &mut Chance| {
        let verb = chance.one(verbs)?.to_owned();
        Some(verb.replace("{}", chance.one(&names(scope, kind))?))
    };
    let sentence = match chance.below(10) {
        0..3 => drawn(&["go to the {}", "I go to the {}", "walk to {}"], "exits", chance),
        3..6 => {
            let verbs =
                ["x {}", "take the {}", "search the {}", "read {}", "open the {}", "use the {}"];
            drawn(&verbs, "targets", chance)
        }
        6 => {
            let verbs = ["talk to {}", "x {}", "ask {} about the sale", "ask {} about the spoons"];
            let (asked, topics) = (drawn(&verbs, "people", chance), names(scope, "topics"));
            match (asked, chance.one(&topics)) {
                (Some(asked), Some(topic)) => Some(asked.replace("the sale", topic)),
                (asked, _) => asked,
            }
        }
        7..9 => (!choices.is_empty()).then(|| choices[chance.below(choices.len())].clone()),
        _ => chance
            .one(&["look", "wait", "i", "what time is it?", "listen", "wait for an hour"])
            .map(str::to_owned),
    };
    sentence.unwrap_or_else(|| "look".to_owned())
}

/// What an evening came to.
struct Evening {
    places: usize,
    storylets: usize,
    longest_ms: u128,
    /// After a third of the turns, and at the end, in MiB.
    memory: [f64; 2],
}

fn play(seed: u64, turns: usize) -> Evening {
    let machine = PlayerMachine::new();
    let seed_text = format!("--seed={seed}");
    let args = ["run", "--campaign", "every-last-spoon", "--story", "evening", "--format", "json"];
    let mut program = machine.start(&[&args[..], &["--planner", "lexical", &seed_text]].concat());
    let mut chance = Chance(Rng::new(seed));
    let (mut scope, mut choices) = (Value::Null, Vec::new());
    let (mut places, mut storylets) = (BTreeSet::new(), BTreeSet::new());
    let (mut longest_ms, mut memory) = (0, [0.0; 2]);
    drop(program.updates_until("turn.finished"));
    for turn in 1..=turns {
        let typed = sentence(&scope, &choices, &mut chance);
        let began = std::time::Instant::now();
        program.type_line(&typed);
        let (before, finished) = program.updates_until("turn.finished");
        longest_ms = longest_ms.max(began.elapsed().as_millis());
        let narration = finished["narration"].as_str().unwrap_or_default();
        let answered = finished["outcome"] == "told" && !narration.trim().is_empty();
        assert!(answered, "seed {seed}, turn {turn}, `{typed}`: {finished}");
        assert_eq!(finished["attempts"], 1, "seed {seed}, turn {turn}, `{typed}`: {before:?}");
        for update in before.iter().filter(|update| update["type"] == "step.finished") {
            if let Some(now) = update.pointer("/output/scope") {
                scope = now.clone();
                places.extend(scope["here"].as_str().map(str::to_owned));
            }
            let fired = update.pointer("/output/fired").and_then(Value::as_array);
            storylets.extend(fired.into_iter().flatten().map(Value::to_string));
        }
        choices = finished["choices"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|choice| choice["prompt"].as_str().map(str::to_owned))
            .collect();
        for (at, reached) in [turn == turns / 3, turn == turns].into_iter().enumerate() {
            if reached {
                memory[at] = program.resident_memory_bytes() as f64 / f64::from(1 << 20);
            }
        }
    }
    program.close_stdin();
    let (exit, _, stderr) = program.end();
    assert_eq!(exit, Some(0), "seed {seed}: {stderr}");
    let verified = machine.run(&["story", "verify", "evening"], "");
    assert_eq!(verified.exit, Some(0), "seed {seed}: {}", verified.transcript());
    let (places, storylets) = (places.len(), storylets.len());
    Evening { places, storylets, longest_ms, memory }
}

#[test]
fn a_long_evening_answers_each_sentence_and_does_not_grow() {
    let set = |name: &str| env::var(name).ok().filter(|text| !text.is_empty());
    let turns = set("EVENING_TURNS").map_or(TURNS, |text| text.parse().unwrap());
    let seeds = set("EVENING_SEEDS").unwrap_or_else(|| "7".to_owned());
    for seed in seeds.split(',').map(|seed| seed.trim().parse().unwrap()) {
        let Evening { places, storylets, longest_ms, memory: [early, late] } = play(seed, turns);
        let told = format!(
            "seed {seed}: {turns} turns, {places} places, {storylets} storylets, longest turn {longest_ms} ms, \
             {early:.1} MiB after a third, {late:.1} MiB at the end, ratio {:.3}",
            late / early
        );
        println!("{told}");
        assert!(late <= early * GROWTH_MAX, "{told}");
        assert!(places >= 3 && storylets >= 3, "{told}");
    }
}
