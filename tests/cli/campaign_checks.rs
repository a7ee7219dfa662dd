//! `campaign check` as a command: its text, its documents, its page and its exit codes, over a campaign with planted faults.

use std::{
    fs,
    time::{Duration, Instant},
};

use narratoria_skills::Schema;
use serde_json::Value;

use crate::player_machine::{CommandOutput, PlayerMachine};
#[cfg(target_os = "linux")]
use crate::pty::PtySession;

/// A campaign with one fault of each kind that walks find.
const HARBOUR: [(&str, &str); 8] = [
    ("manifest.json", r#"{ "title": "The Harbour", "version": "1.0.0" }"#),
    ("world/setting.md", "A small harbour.\n"),
    ("plot/premise.md", "Somebody has cut the ropes.\n"),
    ("plot/start.toml", "opening = \"The ropes are cut, and nobody has seen it.\"\n"),
    (
        "world/places.toml",
        r#"[[place]]
name = "quay"
description = "Planks, and a smell of the cellar."
exits = [{ direction = "north", to = "mill" }]

[[place]]
name = "mill"
description = "It stands still."
exits = [{ direction = "south", to = "quay" }, { direction = "down", to = "cellar" }]

[[place]]
name = "cellar"
description = "It is low. There is no way out of it."
"#,
    ),
    (
        "characters/people.toml",
        r#"[[person]]
name = "Mina Holten"
pronoun = "she"
description = "She wears oilskins."
place = "quay"
topics = [
  { about = ["ropes"], says = "Cut clean through." },
  { about = ["money"], says = "You owe me.", when = "debt == 'resolved' && day > 60" },
]
"#,
    ),
    (
        "plot/qualities.toml",
        "[ladder]\ndebt = [\"quiet\", \"resolved\"]\n\n[counter]\ntrust = { to = 9 }\n",
    ),
    (
        "plot/decks/ropes.toml",
        r#"[[storylet]]
id = "asked"
on = { verb = "ask", target = "Mina Holten" }
text = "Then Mina Holtan looks away."
sets = { debt = "resolved" }
raises = { trust = 1 }

[[storylet]]
id = "winter"
at = "quay"
when = "day > 60 && trust >= 1"
text = "There is ice on the harbour, and nobody to see it."

[[storylet]]
id = "tide"
at = "quay"
cooldown = 3
text = "The tide is coming in, slow and grey as ever."
"#,
    ),
];

const ENDINGS: &str = r#"[[ending]]
id = "paid"
title = "Paid"
when = "debt == 'resolved' && place == 'mill' && turn > 12"
text = "You are even."

[[ending]]
id = "frozen"
title = "Frozen"
when = "'winter' in fired"
text = "The harbour is still."
"#;

/// A machine with the folder `harbour`.
fn harbour() -> PlayerMachine {
    let machine = PlayerMachine::new();
    for (path, text) in HARBOUR.into_iter().chain([("plot/endings.toml", ENDINGS)]) {
        let file = machine.path().join("harbour").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let player = "name = \"Ada\"\ndescription = \"A sailor.\"\nplace = \"quay\"\n";
    let file = machine.path().join("harbour/characters/player/player.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, player).unwrap();
    machine
}

/// Forty short walks.
fn check(machine: &PlayerMachine, args: &[&str]) -> CommandOutput {
    let walks = ["campaign", "check", "harbour", "--walks", "40", "--turns", "160", "--seed", "7"];
    machine.run(&[&walks[..], args].concat(), "")
}

#[track_caller]
fn check_contract(report: &Value) {
    let contract = include_str!("../../contracts/campaign-check-report.schema.json");
    let contract = Schema::build(serde_json::from_str(contract).unwrap()).unwrap();
    assert_eq!(contract.mismatches(report), [], "{report}");
}

#[test]
fn each_planted_fault_is_in_the_text_of_a_check() {
    let machine = harbour();
    let told = check(&machine, &[]);
    insta::assert_snapshot!(told.transcript());
    let strict = check(&machine, &["--strict"]);
    assert_eq!((strict.stdout, strict.exit), (told.stdout, Some(1)), "{}", strict.stderr);
}

#[test]
fn the_document_of_a_check_keeps_its_contract() {
    let machine = harbour();
    let told = check(&machine, &["--format", "json"]);
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let report: Value = serde_json::from_str(&told.stdout).unwrap();
    check_contract(&report);
    let walks = &report["walks"];
    assert_eq!(
        (&walks["walks"], &walks["turns"], &walks["seed"]),
        (&40.into(), &160.into(), &7.into())
    );
    assert_eq!(walks["neverFired"][0]["id"], "winter");
    let out = check(&machine, &["--format", "json", "--out", "report.json"]);
    assert_eq!((out.stdout.as_str(), out.exit), ("", Some(0)), "{}", out.stderr);
    assert_eq!(fs::read_to_string(machine.path().join("report.json")).unwrap(), told.stdout);
}

#[test]
fn the_files_alone_are_checked_where_no_walk_is_wanted() {
    let machine = harbour();
    let args = ["campaign", "check", "harbour", "--walks", "0"];
    let told = machine.run(&args, "");
    insta::assert_snapshot!(told.transcript());
    let report = machine.run(&[&args[..], &["--format", "json"]].concat(), "");
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    check_contract(&report);
    assert_eq!(report.get("walks"), None);
}

#[test]
fn a_campaign_that_is_wrong_is_not_walked_and_keeps_the_contract() {
    let machine = harbour();
    let endings = machine.path().join("harbour/plot/endings.toml");
    fs::write(endings, ENDINGS.replace("'winter' in fired", "'wintre' in fired")).unwrap();
    let told = check(&machine, &[]);
    insta::assert_snapshot!(told.transcript());
    let report = check(&machine, &["--format", "json"]);
    assert_eq!(report.exit, Some(1));
    check_contract(&serde_json::from_str(&report.stdout).unwrap());
    let page = check(&machine, &["--format", "html", "--out", "page.html"]);
    assert_eq!((page.exit, page.stdout), (Some(1), told.stdout));
    assert!(!machine.path().join("page.html").exists(), "there is nothing to show on a page");
}

#[test]
fn a_page_has_the_map_and_what_walks_found() {
    let machine = harbour();
    let told = check(&machine, &["--format", "html", "--out", "page.html"]);
    assert_eq!((told.stdout.as_str(), told.exit), ("", Some(0)), "{}", told.stderr);
    let page = fs::read_to_string(machine.path().join("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{page}");
    for words in ["<svg", "quay", "mill", "cellar", "winter", "Holtan", "never reached"] {
        assert!(page.contains(words), "`{words}` is not in:\n{page}");
    }
    let told = check(&machine, &["--format", "html"]);
    assert_eq!((told.stdout, told.exit), (page, Some(0)), "{}", told.stderr);
}

#[test]
fn wrong_names_and_flags_are_told_with_the_way_out() {
    let machine = harbour();
    let mut transcript = String::new();
    for args in [
        &["nowhere"][..],
        &["harbour/world"],
        &["harbour", "--walks", "many"],
        &["harbour", "--walks", "100001"],
        &["harbour", "--turns", "0"],
        &["harbour", "--turns", "10001"],
        &["harbour", "--format", "pdf"],
        &["harbour", "--format", "html", "--walks", "0"],
    ] {
        let told = machine.run(&[&["campaign", "check"], args].concat(), "");
        transcript += &format!("$ campaign check {}\n{}\n", args.join(" "), told.transcript());
    }
    insta::assert_snapshot!(transcript);
    let told = check(&machine, &["--out", "harbour"]);
    assert_eq!(told.exit, Some(2));
    assert!(
        told.stderr.starts_with("error: the report `harbour` cannot be written: "),
        "{}",
        told.stderr
    );
}

/// `campaign check` shows its progress on a terminal.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_has_a_bar_while_walks_run_and_nothing_of_it_afterwards() {
    let machine = harbour();
    let args = ["campaign", "check", "harbour", "--walks", "40", "--turns", "160", "--seed", "7"];
    let mut terminal = PtySession::start_with(&machine, &args, &[("NO_COLOR", "1")]);
    terminal.await_text(" of 40 walks");
    let (exit, seen) = terminal.end_seen();
    assert_eq!(exit, Some(0), "{seen:?}");
    // Each count is at least the one before, and none is above 40.
    let counts: Vec<u32> = seen
        .split(" of 40 walks")
        .filter_map(|before| before.rsplit(' ').next()?.parse().ok())
        .collect();
    assert!(counts.is_sorted() && counts.last().is_none_or(|last| *last <= 40), "{counts:?}");
    // What is left is the report.
    let report = check(&machine, &[]).stdout;
    let mut screen = vt100::Parser::new(200, 60, 0);
    screen.process(seen.as_bytes());
    let left = screen.screen().contents();
    assert!(!left.contains("of 40 walks"), "{left}");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&left).starts_with(&words(report.lines().next().unwrap())), "{left}");
    // A terminal that draws nothing has no bar.
    let (exit, seen) = PtySession::start_dumb(&machine, &args).end_seen();
    assert_eq!((exit, seen.contains("of 40 walks")), (Some(0), false), "{seen:?}");
    // Its lines are wrapped, those of a pipe are not.
    assert_eq!(words(&seen), words(&report));
}

/// A storylet that looks at a million values, and a copy of it.
fn costly(number: usize) -> String {
    let nine = "[1, 2, 3, 4, 5, 6, 7, 8, 9]";
    let loops = (0..6).fold("true".to_owned(), |body, at| format!("{nine}.all(v{at}, {body})"));
    format!(
        "[[storylet]]\nid = \"costly-{number}\"\nwhen = \"{loops}\"\ntext = \"It is {number}.\"\n"
    )
}

/// What is an error in a check is refused by play with the same words, and what play plays is none.
#[test]
fn a_check_and_play_have_one_rule() {
    let costs: String = (0..3).map(costly).collect();
    let keywords = "tide\n".repeat(51);
    let lore = "## A tide\nIt comes and goes.\n\n".repeat(1_001);
    let cases = [
        ("plot/decks/costs.toml", costs, true),
        ("lore/ropes.keywords.txt", keywords, true),
        ("lore/sea.md", lore, true),
        ("plot/start.toml", "opening = \"Half\\u0000 past.\"\n".to_owned(), true),
        ("plot/decks/costs.toml", costly(0), false),
        ("lore/nothing.keywords.txt", "tide\n".to_owned(), false),
    ];
    let mut said = String::new();
    for (path, text, is_refused) in cases {
        let machine = harbour();
        let file = machine.path().join("harbour").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(machine.path().join("harbour/plot/premise.md"), "Somebody cut the ropes.")
            .unwrap();
        fs::create_dir_all(machine.path().join("harbour/lore")).unwrap();
        fs::write(machine.path().join("harbour/lore/ropes.md"), "Ropes are dear.").unwrap();
        fs::write(file, text).unwrap();
        let checked = machine.run(&["campaign", "check", "harbour", "--walks", "0"], "");
        let played = machine.run(&["run", "--campaign", "./harbour", "--planner", "lexical"], "");
        assert_eq!(checked.exit, Some(i32::from(is_refused)), "{path}: {}", checked.stdout);
        assert_eq!(played.exit, Some(if is_refused { 2 } else { 0 }), "{path}: {}", played.stderr);
        if is_refused {
            let first = checked.stdout.lines().next().unwrap();
            assert!(played.stderr.contains(first), "{path}: `{first}` is not in {}", played.stderr);
            said += &format!("{first}\n");
        }
    }
    insta::assert_snapshot!(said, @r"
    plot/decks/costs.toml:3: the 7 conditions of the campaign look at up to 3000109 values in a turn, the limit is 2000000; the storylet `costly-0` 1000000, the storylet `costly-1` 1000000, the storylet `costly-2` 1000000: make loops shorter, or keep in a quality what they find
    lore/ropes.keywords.txt: it has 51 keywords, the limit is 50
    lore: the lore has 1004 parts, the limit is 1000
    plot/start.toml:1: the text of `opening` has the control character `\u{0}`: remove it
    ");
}

#[test]
fn walks_for_which_there_is_no_time_are_left_out_and_counted() {
    let machine = harbour();
    let args = ["campaign", "check", "harbour", "--walks", "100000", "--time-budget", "1.5"];
    let began = Instant::now();
    let told = machine.run(&args, "");
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    assert!(
        told.stdout.contains("not complete:\n  the time budget is spent, and "),
        "{}",
        told.stdout
    );
    assert!(told.stdout.contains(" of 100000 walks were left out"), "{}", told.stdout);
    let told = machine.run(&[&args[..], &["--strict", "--format", "json"]].concat(), "");
    assert_eq!(told.exit, Some(1), "{}", told.stderr);
    let report: Value = serde_json::from_str(&told.stdout).unwrap();
    check_contract(&report);
    let count = |name: &str| report["walks"][name].as_u64().unwrap();
    assert!(count("leftOut") > 0, "{report}");
    assert_eq!(count("leftOut") + count("walks"), 100_000);
}

#[test]
fn ctrl_c_ends_a_check_in_the_middle_of_its_walks() {
    let machine = harbour();
    let live = machine.start(&["campaign", "check", "harbour", "--walks", "100000"]);
    std::thread::park_timeout(Duration::from_millis(800));
    live.signal("INT");
    let (exit, took, _) = live.end();
    assert_eq!(exit, Some(130));
    assert!(took < Duration::from_secs(1), "{took:?}");
}
