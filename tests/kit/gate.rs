//! `skill check` and `skill test` as an author types them.

use std::fs;

use narratoria_built_in::built_in;
use narratoria_skills::{PackageRoot, Schema};
use serde_json::Value;

use crate::kit::recipe::{CheckFixture, CheckOutput, NAME};

/// Returns the text without the parts that differ in each run.
fn steady(ran: &CheckOutput) -> String {
    let used = regex::Regex::new(r"used: .*").unwrap();
    let counts = regex::Regex::new(r"\d+ hostile requests").unwrap();
    let told = used.replace_all(&ran.transcript(), "used: [USAGE]").into_owned();
    counts.replace_all(&told, "[N] hostile requests").into_owned()
}

/// The built-in skills are what authors look at first: they must have nothing to complain of but notes.
#[test]
fn what_is_built_in_passes_a_strict_check() {
    let PackageRoot::BuiltIn(packages) = built_in() else { panic!("they are built in") };
    let names: Vec<&str> = packages.iter().map(|(name, _)| *name).collect();
    let ran = CheckFixture::new().run(&[&["skill", "check", "--strict"], &names[..]].concat());
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    assert!(!ran.stdout.contains("warning:"), "{}", ran.stdout);
}

#[test]
fn the_smallest_good_package_has_nothing_to_complain_of() {
    let bench = CheckFixture::from_recipe("base plain brave brittle");
    insta::assert_snapshot!(steady(&bench.run(&["skill", "check", "--strict", NAME])), @"
    dice-roller 1.0.0: ok (1 example, [N] hostile requests)
    1 package: 1 ok, 0 not; 0 errors, 0 warnings, 0 notes, warnings counted as errors
    --- stderr
    --- exit 0
    ");
}

/// `skill install` asks before such a package takes the place of the skill of the program.
#[test]
fn a_package_with_the_name_of_a_built_in_skill_is_warned_of_until_its_player_agreed() {
    let bench = CheckFixture::new();
    bench.built_in(NAME);
    let warned = |package: &str| {
        let ran = bench.run(&["skill", "check", package]);
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
        ran.stdout.contains("takes the place of `dice-roller`, which is part of the program [install/built-in-name]")
    };
    assert!(warned("./dice-roller"));
    let agreed = CheckFixture::from_recipe("base plain brave brittle");
    assert!(!agreed.run(&["skill", "check", NAME]).stdout.contains("built-in-name"));
}

/// The player's `config.toml` is the policy of a check that names none.
#[test]
fn the_policy_is_that_of_the_file_and_else_that_of_the_player() {
    let bench = CheckFixture::from_recipe(
        "base plain brave brittle\nwrite ../kept/config.toml [packages]\\nnames = [\"acme-*\"]\nwrite ../open.toml \\n",
    );
    let refused = |more: &[&str]| {
        let ran = bench.run(&[&["skill", "check", NAME], more].concat());
        let line = ran.stdout.lines().find(|line| line.contains("[policy/refused]"));
        (ran.exit, line.unwrap_or_default().trim().to_owned())
    };
    insta::assert_snapshot!(refused(&[]).1, @"error: skill.json:2: /name: has the name `dice-roller`, which line 2 of `[bench]/kept/config.toml` does not allow (`names` in `[packages]`) [policy/refused]");
    assert_eq!(refused(&["--policy", "open.toml"]), (Some(0), String::new()));
    assert_eq!(bench.run(&["skill", "check", NAME, "--policy", "none.toml"]).exit, Some(3));
}

#[test]
fn the_order_of_the_report_is_the_order_of_the_names_however_many_are_checked_at_once() {
    let bench = CheckFixture::new();
    let packages = ["storyteller", "dice-roller", "player-choices"];
    let run = |jobs: &str| {
        let args = [&["skill", "check", "--seed", "7", "--jobs", jobs], &packages[..]].concat();
        bench.run(&args).transcript()
    };
    let alone = run("1");
    let at: Vec<usize> =
        packages.iter().map(|name| alone.find(&format!("built-in/{name} ")).unwrap()).collect();
    assert!(at.is_sorted(), "{alone}");
    assert_eq!(run("3"), alone);
}

#[test]
fn packages_are_named_by_folder_by_the_folder_above_and_by_name() {
    let bench = CheckFixture::new();
    bench.built_in(NAME);
    bench.built_in("player-choices");
    let heads = |args: &[&str]| {
        let ran = bench.run(&[&["skill", "check"], args].concat());
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
        let heads = ran.stdout.lines().filter_map(|line| line.split_once(": ok (").map(|it| it.0));
        heads.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(heads(&[]), "dice-roller 0.1.0, player-choices 0.1.0");
    assert_eq!(heads(&["./player-choices/"]), "player-choices 0.1.0");
    assert_eq!(heads(&["--skills", ".", "dice-roller"]), "dice-roller 0.1.0");
    assert_eq!(
        heads(&["storyteller", "."]),
        "built-in/storyteller 0.1.0, dice-roller 0.1.0, player-choices 0.1.0"
    );
    assert_eq!(heads(&[".", "dice-roller"]), "dice-roller 0.1.0, player-choices 0.1.0");
}

#[test]
fn a_package_that_is_not_there_is_exit_3_and_none_at_all_is_exit_2() {
    let bench = CheckFixture::new();
    insta::assert_snapshot!(bench.run(&["skill", "check", "dice-rolle"]).transcript(), @"
    --- stderr
    error: there is no package `dice-rolle`
    hint: did you mean `dice-roller`?
    --- exit 3
    ");
    insta::assert_snapshot!(bench.run(&["skill", "test", "no/such"]).transcript(), @"
    --- stderr
    error: there is no package `no/such`
    hint: a package is a folder with a `skill.json`, or a name of `narratoria skill list`
    --- exit 3
    ");
    insta::assert_snapshot!(bench.run(&["skill", "check"]).transcript(), @"
    --- stderr
    error: the current folder is no package and has none in it
    hint: a package is a folder with a `skill.json`, or a name of `narratoria skill list`
    --- exit 2
    ");
}

#[test]
fn bad_usage_is_exit_2() {
    let told = |args: &[&str]| {
        let ran = CheckFixture::new().run(&[&["skill", "check"], args].concat());
        assert_eq!(ran.exit, Some(2), "{}", ran.transcript());
        ran.stderr.lines().next().unwrap_or_default().to_owned()
    };
    insta::assert_snapshot!(told(&["--jobs", "0"]), @"error: invalid value '0' for '--jobs <N>': number would be zero for non-zero type");
    insta::assert_snapshot!(told(&["--also", "xml=a"]), @"error: invalid value 'xml=a' for '--also <FORMAT=FILE>': the format must be `human`, `json`, `junit`, `sarif`, `github` or `markdown`");
    insta::assert_snapshot!(told(&["--also", "sarif"]), @"error: invalid value 'sarif' for '--also <FORMAT=FILE>': it must be a format, `=` and a file, such as `sarif=check.sarif`");
}

/// A build leaves thousands of files beside a package, native ones among them. The check ignores them.
#[test]
fn what_an_author_builds_from_is_not_looked_into() {
    let workshop = ["src", "target", "vendor", "node_modules", ".venv"];
    let tools = workshop.map(|folder| format!("bytes {folder}/bin/tool 7f454c4602010100\n"));
    let bench = CheckFixture::from_recipe(&format!("base plain brave brittle\n{}", tools.concat()));
    let ran = bench.run(&["skill", "check", "--strict", NAME]);
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
}

#[cfg(unix)]
#[test]
fn what_is_no_ordinary_file_is_told_and_never_waited_for() {
    let bench = CheckFixture::from_recipe("base plain brave brittle");
    let pipe = bench.path().join(NAME).join("scripts/pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    insta::assert_snapshot!(steady(&bench.run(&["skill", "check", NAME])), @"
    dice-roller: not ok
      note: its scripts were not run [package/not-run]
        hint: correct the errors and check again
      error: scripts/pipe: is neither a file nor a folder, or has a name that is not UTF-8 [files/odd]
        hint: remove it
    1 package: 0 ok, 1 not; 1 error, 0 warnings, 1 note
    --- stderr
    --- exit 1
    ");
}

#[test]
fn examples_are_run_and_what_differs_is_shown_with_all_that_was_said() {
    let bench = CheckFixture::from_recipe(
        "base dice-roller\nset examples/damage.json /expect/output {\"total\": 4}",
    );
    let ran = bench.run(&["skill", "test", NAME]);
    insta::assert_snapshot!(steady(&ran), @r#"
    ok dice-roller/examples/ability-score.json  used: [USAGE]
    differs dice-roller/examples/damage.json  used: [USAGE]
      `output.total` is 9, expected is 4
        said: info: rolled 2d6+3 for 9 (d6: 5, d6: 1)
        said: ui_event: dice_roll {"dice":[{"kept":true,"sides":6,"value":5},{"kept":true,"sides":6,"value":1}],"formula":"2d6+3","maximum":15,"minimum":5,"mode":"normal","modifier":3,"total":9}
        said: state_patch: {"dice":{"last":{"formula":"2d6+3","kept":[5,1],"maximum":15,"minimum":5,"mode":"normal","modifier":3,"rolls":[5,1],"total":9}}}
        said: done: ok, rolled 2d6+3 for 9
        said: output: {"formula":"2d6+3","rolls":[5,1],"kept":[5,1],"modifier":3,"total":9,"minimum":5,"maximum":15,"mode":"normal"}
    ok dice-roller/examples/persuade-with-a-modifier.json  used: [USAGE]
    ok dice-roller/examples/pick-the-lock.json  used: [USAGE]
    ok dice-roller/examples/sneak-with-advantage.json  used: [USAGE]
    ok dice-roller/examples/too-many-dice.json  used: [USAGE]
    note: no example shows 3 output fields of 8: roll-dice.kept, roll-dice.mode, roll-dice.rolls
    6 run, 5 as expected, 1 not
    --- stderr
    --- exit 1
    "#);
}

#[test]
fn what_a_script_writes_to_stderr_helps_to_see_why_it_fails() {
    let bench = CheckFixture::from_recipe("base plain act panic");
    insta::assert_snapshot!(steady(&bench.run(&["skill", "test"])), @r#"
    differs dice-roller/examples/three.json  used: [USAGE]
      the script trapped: wasm `unreachable` instruction executed
        stderr: thread 'main' (1) panicked at tests/guests/programs/src/bin/panic.rs:7:42:
        stderr: index out of bounds: the len is 0 but the index is 1
        stderr: note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
    1 run, 0 as expected, 1 not
    --- stderr
    --- exit 1
    "#);
}

#[test]
fn a_package_that_cannot_be_loaded_cannot_be_tested() {
    let bench = CheckFixture::from_recipe("base dice-roller\nremove scripts/roll-dice.wasm");
    insta::assert_snapshot!(bench.run(&["skill", "test", NAME]).transcript(), @"
    0 run, 0 as expected, 0 not
    --- stderr
    error: package `dice-roller`: scripts/roll-dice.wasm: there is no such file in the package
    hint: `narratoria skill build dice-roller` builds it
    --- exit 2
    ");
    // An example that is not there says nothing, where no example could be read.
    let only = bench.run(&["skill", "test", NAME, "--only", "nothing"]);
    assert!(!only.stderr.contains("no example"), "{}", only.stderr);
    insta::assert_snapshot!(bench.run(&["skill", "pack", NAME]).transcript(), @"
    --- stderr
    error: package `dice-roller`: scripts/roll-dice.wasm: there is no such file in the package
    hint: `narratoria skill build dice-roller` builds it
    --- exit 2
    ");
}

/// Returns the report of `skill test`, which obeys its contract.
#[track_caller]
fn test_report(ran: &CheckOutput) -> Value {
    let document = serde_json::from_str(&ran.stdout).unwrap();
    let contract = include_str!("../../contracts/skill-test-report.schema.json");
    let contract = Schema::build(serde_json::from_str(contract).unwrap()).unwrap();
    assert_eq!(contract.mismatches(&document), [], "{document}");
    document
}

#[test]
fn the_report_of_a_test_keeps_its_contract_whatever_went_wrong() {
    for (recipe, ending) in [
        ("base plain act panic", "refused"),
        ("base dice-roller\nset examples/damage.json /expect/output {\"total\": 4}", "done"),
        ("base dice-roller\nremove scripts/roll-dice.wasm", ""),
    ] {
        let ran =
            CheckFixture::from_recipe(recipe).run(&["skill", "test", NAME, "--format", "json"]);
        let document = test_report(&ran);
        assert_eq!(document["ok"], false, "{document}");
        let examples = document["packages"][0]["examples"].as_array().unwrap();
        let differs = examples.iter().find(|example| example["ok"] == false);
        assert_eq!(differs.map_or("", |one| one["ending"].as_str().unwrap()), ending);
    }
}

#[test]
fn programs_get_the_examples_as_one_document() {
    let bench = CheckFixture::new();
    bench.built_in(NAME);
    let ran = bench.run(&["skill", "test", NAME, "--format", "json"]);
    assert_eq!((ran.exit, &*ran.stderr), (Some(0), ""));
    let document = test_report(&ran);
    assert_eq!((&document["version"], &document["ok"]), (&1.into(), &true.into()));
    let examples = document["packages"][0]["examples"].as_array().unwrap();
    let files: Vec<&str> = examples.iter().map(|one| one["file"].as_str().unwrap()).collect();
    assert_eq!(
        files.len(),
        fs::read_dir(bench.path().join(NAME).join("examples")).unwrap().count()
    );
    let refused = &examples[files.iter().position(|file| file.contains("too-many")).unwrap()];
    assert_eq!((&refused["ok"], &refused["ending"]), (&true.into(), &"gave-up".into()));
    assert!(refused["usage"]["fuelConsumed"].as_u64().unwrap() > 0);
}

#[test]
fn secrets_need_not_be_set_to_test_a_package() {
    let config = "write config-schema.json {\"type\":\"object\",\"required\":[\"token\"],\"properties\":{\"token\":{\"type\":\"string\",\"secret\":true}}}";
    let bench = CheckFixture::from_recipe(&format!("base plain brave brittle\n{config}"));
    insta::assert_snapshot!(steady(&bench.run(&["skill", "test", NAME])), @"
    ok dice-roller/examples/three.json  used: [USAGE]
    1 run, 1 as expected, 0 not
    --- stderr
    note: package `dice-roller`: config-schema.json: /required: the setting `token` is required and not set
    --- exit 0
    ");
}

/// Scripts write into folders of their own, which are gone when the program is.
#[test]
fn nothing_is_left_behind() {
    let bench = CheckFixture::from_recipe(
        "base plain act uses-grants\nset skill.json /scripts/0/grants {\"assets\": true, \"data\": true}",
    );
    bench.built_in("storyteller");
    for verb in ["check", "test"] {
        let ran = bench.run(&["skill", verb, NAME, "storyteller", "player-choices"]);
        assert!(ran.exit.is_some(), "{}", ran.transcript());
        let left = fs::read_dir(bench.path().join("tmp")).unwrap().count();
        assert_eq!(left, 0, "after `skill {verb}`");
    }
}
