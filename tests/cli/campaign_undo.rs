//! Going back in a campaign: at each of sixty turns some are taken back and played again, and the story goes on to its end.

use std::{fs, path::Path};

use crate::player_machine::PlayerMachine;

/// Turns at which the player goes back.
const TURNS: usize = 60;

/// The most turns that are taken back at once.
const UNDONE_MAX: u64 = 3;

/// Numbers from 1 to [`UNDONE_MAX`] that can be repeated.
fn draws(seed: u64) -> impl Iterator<Item = u64> {
    let next = |state: &u64| state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    std::iter::successors(Some(next(&seed)), move |state| Some(next(state)))
        .map(|state| (state >> 33) % UNDONE_MAX + 1)
}

#[test]
fn after_an_undo_at_any_turn_a_campaign_goes_on_as_before() {
    const SEED: u64 = 17;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/campaigns/walkthroughs");
    let text = fs::read_to_string(folder.join("little-saltby/the-tin-was-empty.txt")).unwrap();
    let sentences: Vec<&str> = text.lines().collect();
    assert!(sentences.len() > TURNS, "{} sentences", sentences.len());
    let (mut typed, mut played, mut moves) = (String::new(), 0, Vec::new());
    for (at, (sentence, drawn)) in sentences.iter().zip(draws(SEED)).enumerate() {
        typed += &format!("{sentence}\n");
        played += 1;
        if at >= TURNS {
            continue;
        }
        let back = usize::try_from(drawn).unwrap().min(at + 1);
        typed += &format!("/undo {back}\n");
        // The opening is a turn as well.
        moves.push(at + 2 - back);
        for again in &sentences[at + 1 - back..=at] {
            typed += &format!("{again}\n");
            played += 1;
        }
    }
    let machine = PlayerMachine::new();
    let args = ["run", "--campaign", "little-saltby", "--story", "t", "--seed=7"];
    let args = [&args[..], &["--planner", "lexical", "--format", "json"]].concat();
    let said = machine.run(&args, typed);
    assert_eq!(said.exit, Some(0), "seed {SEED}: {}", said.stderr);
    let lines = said.lines();
    let of_type = |kind: &'static str| lines.iter().filter(move |line| line["type"] == kind);
    let undone: Vec<u64> =
        of_type("story.moved").map(|line| line["turns"].as_u64().unwrap()).collect();
    let moves: Vec<u64> = moves.into_iter().map(|turns| turns as u64).collect();
    assert_eq!(undone, moves, "seed {SEED}: {}", said.stderr);
    // The opening, and a turn for each sentence.
    assert_eq!(of_type("turn.finished").count(), played + 1, "seed {SEED}: {}", said.stderr);
    for line in of_type("turn.finished") {
        assert_eq!(line["outcome"], "told", "seed {SEED}: {line}");
    }
    let last = of_type("turn.finished").next_back().unwrap();
    let last = last["narration"].as_str().unwrap();
    assert!(last.contains("The end: The Tin Was Empty"), "seed {SEED}: {last}");
}
