//! The sessions that pages show are what the program says: the beginnings of two players in the page on playing, and an
//! evening of role-play. The house tests hold the parts that README.md shows to the first page.

use std::fs;

use crate::player_machine::PlayerMachine;

/// The words of a text, in one line; numbered choices are left out.
fn words(text: &str) -> String {
    let is_choice = |line: &&str| {
        let number = line.strip_prefix("  ").and_then(|line| line.split_once(". "));
        number.is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let lines = text.lines().filter(|line| !is_choice(line));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// A session as a page shows it.
struct ShownSession {
    command: String,
    /// What the player types (behind `> `) and what the program prints.
    transcript: String,
}

/// The sessions of a page: a command alone on its line, then its transcript.
fn sessions(page: &str) -> Vec<ShownSession> {
    let page = fs::read_to_string(page).unwrap();
    let parts = page.split("\n`narratoria ").skip(1);
    let session = |part: &str| {
        let (command, rest) = part.split_once('\n')?;
        let command = command.strip_suffix('`')?.to_owned();
        let (transcript, _) = rest.trim_start().strip_prefix("```text\n")?.split_once("```")?;
        Some(ShownSession { command, transcript: transcript.to_owned() })
    };
    parts.filter_map(session).collect()
}

/// The page has so many sessions of so many turns, and each is what the program prints.
#[track_caller]
fn check_page(page: &str, count: usize, turns: usize) {
    let shown = sessions(page);
    assert_eq!(shown.len(), count);
    for ShownSession { command, transcript } in &shown {
        let sentences: Vec<&str> =
            transcript.lines().filter_map(|line| line.strip_prefix("> ")).collect();
        assert_eq!(sentences.len(), turns, "{command}");
        let machine = PlayerMachine::new();
        let args: Vec<&str> = command.split(' ').collect();
        let ran = machine.run(&args, format!("{}\n", sentences.join("\n")));
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
        // A pipe prints no sentences of the player.
        let told = transcript.lines().filter(|line| !line.starts_with("> "));
        let told = words(&told.collect::<Vec<_>>().join("\n"));
        assert_eq!(words(&ran.stdout), told, "{command}: the page differs");
    }
}

#[test]
fn both_beginnings_are_what_the_program_prints() {
    check_page("docs/playing.md", 2, 20);
}

#[test]
fn an_evening_of_role_play_is_what_the_program_prints() {
    check_page("docs/role-play.md", 1, 40);
}
