//! How sentences are read, as an author sees it: the real component, on the world of a campaign or of a story.

use narratoria_skills::Schema;

use crate::player_machine::PlayerMachine;

/// A machine with the small campaign of `campaign new`.
fn machine() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.run(&["campaign", "new", "bridge"], "");
    machine.compile_skills();
    machine
}

#[test]
fn a_sentence_is_shown_with_its_words_names_steps_and_rows() {
    let machine = machine();
    let sentence = "I quickly trace the names on the railing";
    let told = machine.run(&["world", "read", sentence, "--campaign", "bridge"], "");
    assert_eq!(told.exit, Some(0), "{}", told.transcript());
    for line in [
        "> I quickly trace the names on the railing",
        "        names, of `name`: @intangible",
        "names   railing = railing (scenery, seen): a part of this place",
        "        1 wording               examine the railing",
        "          grammar.gram:3  trace|follow ... on|in {seen} => examine {seen}",
        "actions examine `railing`",
        "sure    said",
    ] {
        assert!(told.stdout.lines().any(|it| it == line), "`{line}`\n{}", told.stdout);
    }
}

#[test]
fn the_row_that_said_a_word_otherwise_is_named() {
    let machine = machine();
    let told = machine.run(&["world", "read", "lemme see the railing", "--campaign", "bridge"], "");
    let rows = include_str!("../../skills-wasm/english/data/respelled.tsv");
    let line = rows.lines().position(|row| row == "lemme\tlet me").unwrap() + 1;
    let expect = format!(
        "steps   words                   let me\n\
         {:10}respelled.tsv:{line}  lemme => let me\n\
         {:8}words                   let me see the railing\n",
        "", ""
    );
    assert!(told.stdout.contains(&expect), "{}", told.transcript());
}

#[test]
fn the_document_keeps_its_contract_and_repeats() {
    let machine = machine();
    let read = || {
        let args = ["world", "read", "-", "--campaign", "bridge", "--format", "json"];
        machine.run(
            &args,
            "trace the names on the railing\n\nlemme ask Ida about the letter\nflurb it\n",
        )
    };
    let (told, again) = (read(), read());
    assert_eq!((told.exit, &told.stdout), (Some(0), &again.stdout), "{}", told.stderr);
    let document = told.result();
    let contract = include_str!("../../contracts/world-reading.schema.json");
    let contract = Schema::build(serde_json::from_str(contract).unwrap()).unwrap();
    assert_eq!(contract.mismatches(&document), [], "{document:#}");
    assert_eq!(document["readings"].as_array().unwrap().len(), 3);
    assert_eq!(document["readings"][0]["actions"][0]["target"], "railing");
}

/// The story keeps the row, and reads by it in play.
#[test]
fn a_story_reads_by_the_rows_that_its_campaign_had() {
    let machine = machine();
    let play = ["run", "--campaign", "bridge", "--planner", "lexical"];
    let played = machine.run(&play, "trace the names on the railing\n");
    assert!(played.stdout.contains("scratched two names"), "{}", played.transcript());
    std::fs::remove_file(machine.path().join("bridge/grammar.gram")).unwrap();
    for story in [&["--story", "bridge"][..], &[]] {
        let sentence = "trace the names on the railing";
        let args = [&["world", "read", sentence, "--format", "json"], story].concat();
        let told = machine.run(&args, "");
        let document = told.result();
        assert_eq!(document["of"]["story"], "bridge", "{}", told.transcript());
        assert_eq!(document["readings"][0]["actions"][0]["action"], "examine", "{document:#}");
    }
}

#[test]
fn words_classes_and_meanings_are_looked_up_without_a_campaign() {
    let machine = PlayerMachine::new();
    let told = machine.run(&["world", "words", "took", "@wraps", "#number"], "");
    assert_eq!(told.exit, Some(0), "{}", told.transcript());
    assert!(told.stdout.starts_with("took\nplain   take (irregular.tsv:"), "{}", told.stdout);
    assert!(
        told.stdout.contains("\n\n@wraps\nmeans   What closes or wraps something.\nwords   cap, ")
    );
    assert!(told.stdout.ends_with("\n\n#number\nmeans   Digits.\n"), "{}", told.stdout);
    let told = machine.transcript(&["world", "words", "@wrap"], "");
    assert!(told.contains("there is no class of words `@wrap`"), "{told}");
    assert!(told.contains("did you mean `@wraps`?"), "{told}");
}

#[test]
fn a_sentence_is_read_in_another_place() {
    let machine = machine();
    let read = |more: &[&str]| {
        let args = [&["world", "read", "look", "--campaign", "bridge"], more].concat();
        machine.run(&args, "")
    };
    for (more, here) in [(&[][..], "bridge"), (&["--at", "the Landing"], "landing")] {
        let told = read(more);
        let line = format!("here    {here}");
        assert!(told.stdout.lines().any(|it| it == line), "{}", told.transcript());
    }
    let told = read(&["--at", "moon"]);
    assert_eq!((told.exit, told.stdout.as_str()), (Some(1), ""), "{}", told.transcript());
    let expect = "there is no place `moon`: the places are `bridge`, ";
    assert!(told.stderr.contains(expect), "{}", told.transcript());
}

#[test]
fn what_is_not_there_is_named() {
    let machine = PlayerMachine::new();
    let told = machine.transcript(&["world", "read", "look", "--campaign", "brige"], "");
    assert!(told.contains("there is no campaign `brige`"), "{told}");
    let told = machine.transcript(&["world", "read", "look"], "");
    assert!(told.contains("there are no stories yet"), "{told}");
}
