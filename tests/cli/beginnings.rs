//! The page with the beginnings of two players says what the program says.

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

#[test]
fn both_beginnings_are_what_the_program_prints() {
    let page = fs::read_to_string("docs/two-beginnings.md").unwrap();
    let mut parts = page.split("\n`narratoria ");
    parts.next();
    let mut played = 0;
    for part in parts {
        let (command, rest) = part.split_once("`\n").unwrap();
        let block = rest.split("```").nth(1).unwrap().strip_prefix("text").unwrap();
        let sentences: Vec<&str> =
            block.lines().filter_map(|line| line.strip_prefix("> ")).collect();
        assert_eq!(sentences.len(), 20, "{command}");
        let machine = PlayerMachine::new();
        let args: Vec<&str> = command.split(' ').collect();
        let ran = machine.run(&args, format!("{}\n", sentences.join("\n")));
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
        // A pipe prints no sentences of the player.
        let told = block.lines().filter(|line| !line.starts_with("> "));
        let told = words(&told.collect::<Vec<_>>().join("\n"));
        assert_eq!(words(&ran.stdout), told, "{command}: the page differs");
        played += 1;
    }
    assert_eq!(played, 2);
}
