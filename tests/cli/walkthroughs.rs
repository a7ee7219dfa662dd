//! The bundled campaigns, played through to each ending on a pipe without a model. A walkthrough is a file of lines as a
//! player types them; its transcript is a snapshot beside it.

use std::{fs, path::Path};

use crate::player_machine::PlayerMachine;

/// Plays every walkthrough of a campaign. The story must end with the ending that the file is named after.
#[track_caller]
fn play_all(campaign: &str, endings: &[(&str, &str)]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/campaigns/walkthroughs");
    let folder = folder.join(campaign);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), endings.len(), "{}", folder.display());
    for (ending, title) in endings {
        let lines = fs::read_to_string(folder.join(format!("{ending}.txt"))).unwrap();
        let machine = PlayerMachine::new();
        let args = ["run", "--campaign", campaign, "--story", "t", "--seed=7"];
        let args = [&args[..], &["--planner", "lexical", "--format", "json"]].concat();
        let said = machine.run(&args, lines.clone());
        assert_eq!(said.exit, Some(0), "{ending}: {}", said.stderr);
        let (mut transcript, mut turns) = (String::new(), 0);
        for line in said.lines() {
            let text = |key: &str| line[key].as_str().unwrap_or_default();
            match text("type") {
                "turn.started" => transcript += &format!("> {}\n", text("prompt")),
                "turn.finished" => {
                    transcript += &format!("{}\n\n", text("narration"));
                    assert_eq!(line["outcome"], "told", "{ending}: {transcript}");
                    turns += 1;
                }
                _ => {}
            }
        }
        // The opening, and a turn for each line but the player's questions, which cost none.
        let questions = lines.lines().filter(|line| is_question(line)).count();
        assert_eq!(turns, lines.lines().count() - questions + 1, "{ending}: {transcript}");
        assert!(transcript.contains(&format!("The end: {title}")), "{ending}: {transcript}");
        insta::with_settings!({
            snapshot_path => "../campaigns/transcripts",
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!(format!("{campaign}-{ending}"), transcript);
        });
    }
}

fn is_question(line: &str) -> bool {
    line.starts_with('/') || ["hint", "journal", "map", "recap"].contains(&line.trim())
}

#[test]
fn every_last_spoon_is_played_to_each_of_its_endings() {
    play_all(
        "every-last-spoon",
        &[
            ("paid-in-full", "Paid in Full, and a Ham"),
            ("paid-and-a-place-laid", "Paid in Full, and a Place Laid"),
            ("long-noon", "The Long Noon"),
            ("forty-three-pennies", "Forty-Three Pennies"),
            ("lot-one-only", "Lot One, and Nothing Else"),
            ("sold", "Every Last Spoon"),
        ],
    );
}

#[test]
fn her_worship_is_played_to_each_of_its_endings() {
    play_all(
        "her-worship",
        &[
            ("opened", "Item Four: Carried"),
            ("resigned", "For Reasons of Family"),
            ("handed", "Until the Geese Come Home"),
        ],
    );
}

#[test]
fn the_last_reading_is_played_to_each_of_its_endings() {
    play_all(
        "last-reading",
        &[
            ("five-numbers", "Five Numbers"),
            ("the-wide-column", "The Wide Column"),
            ("same-time-tomorrow", "Same Time Tomorrow"),
        ],
    );
}

#[test]
fn little_saltby_is_played_to_each_of_its_endings() {
    play_all(
        "little-saltby",
        &[
            ("the-tin-was-empty", "The Tin Was Empty"),
            ("a-name-in-public", "A Name in Public"),
            ("the-evening-tide", "The Evening Tide"),
        ],
    );
}
