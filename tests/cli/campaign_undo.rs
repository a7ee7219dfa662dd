//! Going back in a campaign: some turns are taken back and played again, at each of sixty turns of one walkthrough and at
//! random moments of every campaign, and the story goes on to its end.

use std::{fs, path::Path};

use serde_json::Value;

use crate::player_machine::PlayerMachine;

/// Turns at which the player goes back.
const TURNS: usize = 60;

/// The most turns that are taken back at once.
const UNDONE_MAX: u64 = 3;

/// Numbers that can be repeated.
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let next = |state: &u64| state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    std::iter::successors(Some(next(&seed)), move |state| Some(next(state)))
        .map(|state| state >> 33)
}

/// Numbers from 1 to [`UNDONE_MAX`].
fn draws(seed: u64) -> impl Iterator<Item = u64> {
    numbers(seed).map(|number| number % UNDONE_MAX + 1)
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

/// One turn in so many is followed by an undo.
const UNDO_EVERY: u64 = 4;

/// The most turns that a random undo takes back at once.
const RANDOM_UNDONE_MAX: u64 = 6;

/// A campaign is played by one of its walkthroughs, drawn by the seed. At random moments some turns are taken back: the
/// story's state is then the one that it was, and the same sentences lead on to the end.
#[track_caller]
fn check_random_undo(campaign: &str, seed: u64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/campaigns/walkthroughs");
    let mut files: Vec<_> =
        fs::read_dir(folder.join(campaign)).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut numbers = numbers(seed);
    let mut below = |max: u64| numbers.next().unwrap() % max;
    let file = &files[usize::try_from(below(files.len() as u64)).unwrap()];
    let text = fs::read_to_string(file).unwrap();
    // A player's question costs no turn.
    let is_deed = |line: &&str| {
        !line.starts_with('/') && !["hint", "journal", "map", "recap"].contains(&line.trim())
    };
    let sentences: Vec<&str> = text.lines().filter(is_deed).collect();
    let (mut typed, mut shown) = ("/state\n".to_owned(), 1);
    // For each turn that has not been taken back, which of the states came after it.
    let (mut after, mut equal, mut played) = (vec![0], Vec::new(), 0);
    for (at, sentence) in sentences.iter().enumerate() {
        let mut next = vec![*sentence];
        if below(UNDO_EVERY) == 0 && at > 0 {
            let back = usize::try_from(below(RANDOM_UNDONE_MAX)).unwrap().min(at - 1) + 1;
            typed += &format!("/undo {back}\n/state\n");
            after.truncate(after.len() - back);
            equal.push((*after.last().unwrap(), shown));
            shown += 1;
            next.splice(0..0, sentences[at - back..at].iter().copied());
        }
        for sentence in next {
            typed += &format!("{sentence}\n/state\n");
            after.push(shown);
            (shown, played) = (shown + 1, played + 1);
        }
    }
    let about = format!("seed {seed}, {}, {} undos", file.display(), equal.len());
    assert!(equal.len() >= 3, "{about}");
    let machine = PlayerMachine::new();
    let args = ["run", "--campaign", campaign, "--story", "t", "--seed=7"];
    let args = [&args[..], &["--planner", "lexical", "--format", "json"]].concat();
    let said = machine.run(&args, typed);
    assert_eq!(said.exit, Some(0), "{about}: {}", said.stderr);
    let lines = said.lines();
    let of_type = |kind: &'static str| lines.iter().filter(move |line| line["type"] == kind);
    let states: Vec<&Value> = of_type("story.shown").map(|line| &line["document"]).collect();
    assert_eq!(states.len(), shown, "{about}: {}", said.stderr);
    assert!(states[0].to_string().contains("qualities"), "{about}: {}", states[0]);
    for (before, undone) in equal {
        assert_eq!(states[before], states[undone], "{about}");
    }
    assert_eq!(of_type("turn.finished").count(), played + 1, "{about}: {}", said.stderr);
    for line in of_type("turn.finished") {
        assert_eq!(line["outcome"], "told", "{about}: {line}");
    }
    let last = of_type("turn.finished").next_back().unwrap()["narration"].as_str().unwrap();
    assert!(last.contains("The end: "), "{about}: {last}");
}

#[test]
fn an_undo_at_random_moments_of_the_long_campaign_leads_back_to_what_was() {
    check_random_undo("every-last-spoon", 41);
}

#[test]
fn an_undo_at_random_moments_of_the_funny_campaign_leads_back_to_what_was() {
    check_random_undo("her-worship", 42);
}

#[test]
fn an_undo_at_random_moments_of_the_quiet_campaign_leads_back_to_what_was() {
    check_random_undo("last-reading", 43);
}

#[test]
fn an_undo_at_random_moments_of_the_mystery_leads_back_to_what_was() {
    check_random_undo("little-saltby", 44);
}
