//! The measure of the prose: whole walks, told turn by turn. `cargo test -p storyteller walk -- --nocapture` prints it.

use std::fmt::Write as _;

use narratoria_facts::Fact;
use narratoria_sdk::{Value, json, testing};

use super::{
    known::{KnownFacts, WorldView},
    told::sentences,
    truth::untruths,
    variety::{FactClass, class_of, is_seen},
    walk::{Walk, WalkTurn},
};
use crate::narrate;

const STYLES: [&str; 4] = ["classic", "noir", "whimsical", "terse"];

/// Returns true if the sentences of the fact may come again within a few turns: those that are never put in other words, and
/// what the player looks at.
fn may_come_again(fact: &Fact) -> bool {
    class_of(fact) == FactClass::Fixed || is_seen(fact)
}

/// Tells one turn; the story goes on in `story`.
fn tell(turn: &WalkTurn, style: &str, story: &mut Value, seed: u64) -> String {
    let input = json!({ "prompt": turn.prompt, "style": style });
    let state = json!({ "story": story, "world": turn.world });
    let inputs = json!({ "act": { "results": [], "facts": turn.facts, "scope": {} } });
    let told = testing::call(narrate, input).state(state).inputs(inputs).seed(seed).run();
    assert!(told.ok, "{}", told.lines);
    *story = told.patch()["story"].clone();
    told.output["text"].as_str().unwrap().to_owned()
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
    let inputs = json!({ "act": { "facts": turn.facts } });
    testing::call(reader, json!({})).state(json!({ "world": turn.world })).inputs(inputs).run();
    read
}

/// Returns true if the sentence speaks of something of this world or this turn: it is an author's, or has a name of it.
fn mentions(sentence: &str, known: &KnownFacts, view: &WorldView) -> bool {
    let lower = sentence.to_lowercase();
    let is_authors = known.facts.iter().any(|fact| fact.text.contains(sentence));
    let of_turn = known.facts.iter().flat_map(|fact| {
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

/// The shares over walks of 100 turns: sentences that came before within 20 turns, and that mention something.
/// `WALKS=200 cargo test --release -p storyteller walk -- --nocapture` is the full measure; a plain test walks less.
#[test]
fn a_walk_repeats_only_what_the_player_looks_at_and_speaks_of_its_world() {
    let (mut all, mut repeated, mut mentioning, mut chars) = (0_u32, 0_u32, 0_u32, 0_usize);
    let (mut worst, mut untrue, mut empty) = (String::new(), String::new(), String::new());
    let walks: u64 = std::env::var("WALKS").ok().and_then(|walks| walks.parse().ok()).unwrap_or(24);
    for seed in 0..walks {
        let style = STYLES[seed as usize % 4];
        let mut walk = Walk::new(seed);
        let mut story = json!({});
        let mut lately: Vec<Vec<String>> = Vec::new();
        for turn_number in 0..100 {
            let turn = walk.turn();
            let (known, view) = read_back(&turn);
            let text = tell(&turn, style, &mut story, seed * 1_000 + turn_number);
            for wrong in untruths(&text, &known, &view) {
                let _ = writeln!(untrue, "{style} {seed}.{turn_number}: {wrong}: {text}");
            }
            chars += text.chars().count();
            let now: Vec<String> = sentences(&text).map(str::to_owned).collect();
            for (at, sentence) in now.iter().enumerate() {
                all += 1;
                // What may come again: an author's text, which may say a thing twice, and what the player looks at.
                let mut said = known.facts.iter().filter(|fact| fact.text.contains(sentence));
                if said.clone().any(may_come_again) {
                    mentioning += 1;
                    continue;
                }
                let earlier = if said.next().is_some() { &[][..] } else { &now[..at] };
                let before = lately.iter().rev().take(20).flatten().chain(earlier);
                if before.into_iter().any(|told| told == sentence) {
                    repeated += 1;
                    let _ = writeln!(worst, "{style} {seed}.{turn_number}: {sentence}");
                }
                if mentions(sentence, &known, &view) {
                    mentioning += 1;
                } else if empty.lines().count() < 40 {
                    let _ = writeln!(empty, "{style} {seed}.{turn_number}: {sentence}");
                }
            }
            lately.push(now);
        }
    }
    let share = f64::from(mentioning) / f64::from(all) * 100.0;
    println!(
        "{all} sentences in {} turns, {:.0} characters a turn: {repeated} told twice within 20 turns, {share:.1} % speak of this world or this turn",
        walks * 100,
        chars as f64 / (walks * 100) as f64
    );
    println!("Sentences that speak of nothing in this world or turn:\n{empty}");
    let few = |text: &str| text.lines().take(40).fold(String::new(), |all, line| all + line + "\n");
    assert!(untrue.is_empty(), "{} untruths:\n{}", untrue.lines().count(), few(&untrue));
    assert!(repeated == 0, "{repeated} of {all}:\n{}", few(&worst));
    assert!(share >= 80.0, "{share}");
}

/// Ten walks as a player reads them, for people to read.
#[test]
fn ten_walks_read_as_prose() {
    for seed in 0..10 {
        let style = STYLES[seed as usize % 4];
        let mut walk = Walk::new(1_000 + seed);
        let mut story = json!({});
        let mut text = String::new();
        for turn_number in 0..16 {
            let turn = walk.turn();
            let told = tell(&turn, style, &mut story, seed * 1_000 + turn_number);
            let _ = writeln!(text, "> {}\n{told}\n", turn.prompt);
        }
        insta::assert_snapshot!(format!("walk_{seed}_{style}"), text);
    }
}
