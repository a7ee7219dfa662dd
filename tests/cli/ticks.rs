//! `narratoria tick`, by the real program.

use std::{collections::BTreeMap, fs, path::Path};

use narratoria_narrator::tick::sentences;
use narratoria_protocol::{Character, Location, LoopStatus, OpenLoop, Relationship, Scene, Stored};
use narratoria_story::{Story, StoryName};
use serde_json::{Value, json};

use crate::player_machine::{CommandOutput, PlayerMachine};
use crate::tick_story::{check_contract, check_files, check_tables};

const TICK: [&str; 5] = ["tick", "--story", "demo", "--seed", "7"];

fn tick(machine: &PlayerMachine, more: &[&str]) -> CommandOutput {
    machine.run(&[&TICK[..], more].concat(), "")
}

/// The files of a story by their paths, without the locks.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|it| it != "lock") {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// S4 "tick command executes full planning cycle", "dry run", "plan_NNN.json", "state.json".
#[test]
fn a_story_goes_on_by_itself() {
    let machine = PlayerMachine::new();
    let told = tick(&machine, &["--count", "2"]);
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    assert_eq!(told.stdout.lines().filter(|line| line.starts_with("# ")).count(), 2);
    let folder = machine.path().join("kept/stories/demo");
    let before = files(&folder);
    let names: Vec<&str> = before.keys().map(String::as_str).collect();
    let expected = [
        "plans/plan_001.json",
        "plans/plan_002.json",
        "scenes/scene_001.md",
        "scenes/scene_002.md",
        "state.json",
        "story.db",
    ];
    assert_eq!(names, expected);
    // The next plan is shown, and nothing of the story changes.
    let shown = tick(&machine, &["--dry-run", "--format", "json"]);
    assert_eq!(shown.exit, Some(0), "{}", shown.stderr);
    let planned: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!((&planned["type"], &planned["tick"]), (&json!("planned"), &json!(3)));
    assert!(files(&folder) == before, "a dry run has changed the story");
    // That plan is the one of the next tick.
    let told = tick(&machine, &["--format", "json"]);
    let lines = told.lines();
    let of = |kind: &str| lines.iter().find(|line| line["type"] == kind).unwrap();
    assert_eq!(of("planned")["plan"], planned["plan"]);
    let text = machine.run(&["story", "export", "demo", "--format", "markdown"], "").stdout;
    let scene = of("scene")["text"].as_str().unwrap();
    assert!(text.contains(scene.lines().next().unwrap()), "{text}");
}

/// S4 "Exit 1", "Manually edit the plan", "--retry", "--skip", "error_NNN.json", "error_NNN.log".
#[test]
fn a_tick_that_fails_leaves_the_story_and_three_ways_out() {
    let machine = PlayerMachine::new();
    let shown = tick(&machine, &["--dry-run"]);
    let mut plan: Value = serde_json::from_str(&shown.stdout).unwrap();
    let actions = plan["actions"].take();
    plan["actions"] = json!([{"tool": "relationship.update", "args": {}, "reason": "A test."}]);
    machine.write("script.json", json!([plan]).to_string());
    let told = tick(&machine, &["--planner", "scripted:script.json"]);
    assert_eq!((told.exit, told.stdout.as_str()), (Some(1), ""), "{}", told.stderr);
    let folder = machine.path().join("kept/stories/demo");
    let hints = ["error_001.json", "`narratoria tick --retry 1`", "`narratoria tick --skip 1`"];
    assert!(hints.iter().all(|hint| told.stderr.contains(hint)), "{}", told.stderr);
    assert!(!folder.join("scenes").exists() && folder.join("errors/error_001.log").is_file());
    // An edited plan is run again.
    let path = folder.join("errors/error_001.json");
    let mut error: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    error["plan"]["actions"] = actions;
    fs::write(&path, error.to_string()).unwrap();
    let told = tick(&machine, &["--retry", "1"]);
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    assert!(folder.join("scenes/scene_001.md").is_file());
    // Or a tick is left out; only the next one can be.
    assert_eq!(tick(&machine, &["--skip", "1"]).exit, Some(2));
    let told = tick(&machine, &["--skip", "2"]);
    assert_eq!((told.exit, told.stderr.as_str()), (Some(0), "note: tick 2 is left out\n"));
    assert_eq!(tick(&machine, &[]).exit, Some(0));
    assert!(folder.join("scenes/scene_003.md").is_file());
    assert!(!folder.join("scenes/scene_002.md").exists());
}

/// S4 "Add tick to args": the host dates what happens between two people.
#[test]
fn a_tick_dates_what_happens_between_two_people() {
    let machine = PlayerMachine::new();
    let shown = tick(&machine, &["--dry-run"]);
    let mut plan: Value = serde_json::from_str(&shown.stdout).unwrap();
    let person = |name: &str| ("character.generate", json!({ "name": name }));
    let pair = json!({"character_a": "Ada Birch", "character_b": "Tom Reed"});
    let (mut meets, mut lies) = (pair.clone(), pair);
    meets["relationship_type"] = json!("mentor");
    lies["event"] = json!("He lied.");
    let actions = [
        person("Ada Birch"),
        person("Tom Reed"),
        ("relationship.create", meets),
        ("relationship.update", lies),
    ];
    let action = |(tool, args): (&str, Value)| json!({"tool": tool, "args": args, "reason": "x"});
    plan["actions"] = actions.into_iter().map(action).collect();
    machine.write("script.json", json!([plan]).to_string());
    let told = tick(&machine, &["--planner", "scripted:script.json"]);
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let file = machine.path().join("kept/stories/demo/plans/plan_001.json");
    let file: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let history = &file["execution"]["actions_executed"][3]["result"]["history"];
    assert_eq!(*history, json!([{"event": "He lied.", "status": "active", "tick": 1}]));
    // The story has the scene as well, which was not there while the plan ran.
    let stories = machine.path().join("kept/stories");
    let story = Story::open_existing(&stories, &StoryName::parse("demo").unwrap()).unwrap();
    let all: Vec<Stored<Relationship>> = story.entities().unwrap();
    let dated: Vec<_> = all[0].value.history.iter().map(|event| event.scene_id).collect();
    assert_eq!(dated.iter().map(|id| id.unwrap().to_string()).collect::<Vec<_>>(), ["S001"]);
}

/// S4 "error_NNN.json": a person finds the ticks that failed without looking into folders.
#[test]
fn the_ticks_that_failed_are_listed() {
    let machine = PlayerMachine::new();
    let lost = json!({
        "rationale": "r", "scene_intention": "s",
        "actions": [{"tool": "no.where", "args": {}, "reason": "A test."}],
    });
    machine.write("script.json", json!([lost]).to_string());
    assert_eq!(tick(&machine, &["--planner", "scripted:script.json"]).exit, Some(1));
    let listed = tick(&machine, &["--errors", "--format", "json"]).result();
    assert_eq!((listed.as_array().map(Vec::len), &listed[0]["tick"]), (Some(1), &json!(1)));
    assert!(listed[0]["error"].as_str().unwrap().contains("Tool not found"), "{listed}");
    assert!(listed[0]["file"].as_str().unwrap().ends_with("errors/error_001.json"), "{listed}");
    let shown = tick(&machine, &["--errors"]).stdout;
    assert!(shown.starts_with("TICK") && shown.contains("errors/error_001.json"), "{shown}");
    // The newest comes first.
    assert_eq!(tick(&machine, &["--skip", "1"]).exit, Some(0));
    assert_eq!(tick(&machine, &["--planner", "scripted:script.json"]).exit, Some(1));
    let listed = tick(&machine, &["--errors", "--format", "json"]).result();
    let ticks = listed.as_array().unwrap().iter().map(|one| one["tick"].clone());
    assert_eq!(ticks.collect::<Vec<_>>(), [json!(2), json!(1)]);
    let none = PlayerMachine::new();
    tick(&none, &[]);
    assert_eq!(tick(&none, &["--errors"]).stdout, "no tick has left an error file\n");
}

/// S4 "recent_scenes_count": the setting of the player's configuration decides what the planner reads.
#[test]
fn the_configuration_says_how_many_scenes_the_planner_reads() {
    let machine = PlayerMachine::new();
    fs::create_dir_all(machine.path().join("kept")).unwrap();
    machine.write("kept/config.toml", "[generation]\nrecent_scenes_count = 1\n");
    let told = tick(&machine, &["--count", "4"]);
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let file = machine.path().join("kept/stories/demo/plans/plan_004.json");
    let file: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert_eq!(file["context_used"]["recent_scenes"], json!(["S003"]));
}

/// S4 "Fixed active character": a plan with another point of view changes the scene alone.
#[test]
fn a_scene_through_other_eyes_leaves_the_active_character() {
    let machine = PlayerMachine::new();
    let person = |name: &&str| json!({"tool": "character.generate", "args": {"name": name}});
    let plan = |pov: Option<&str>, names: &[&str]| {
        let actions: Vec<Value> = names.iter().map(person).collect();
        json!({
            "rationale": "r", "scene_intention": "They meet", "pov_character": pov,
            "actions": actions,
        })
    };
    let script = json!([plan(None, &["Ada Birch", "Tom Reed"]), plan(Some("C1"), &[])]);
    machine.write("script.json", script.to_string());
    let told = tick(&machine, &["--planner", "scripted:script.json", "--count", "2"]);
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let stories = machine.path().join("kept/stories");
    let story = Story::open_existing(&stories, &StoryName::parse("demo").unwrap()).unwrap();
    let scenes: Vec<Stored<Scene>> = story.entities().unwrap();
    let eyes = scenes.iter().filter_map(|scene| scene.value.pov_character);
    assert_eq!(eyes.map(|id| id.to_string()).collect::<Vec<_>>(), ["C0", "C1"]);
    assert_eq!(story.novel().unwrap().active_character.unwrap().to_string(), "C0");
}

/// A sentence does not come again within so many scenes.
const SCENES_WITHOUT_REPETITION: u64 = 10;

/// Checks what makes many scenes one story: questions are opened and paid off, and no sentence comes again soon.
fn check_course(story: &Story, place: &str) {
    let loops: Vec<Stored<OpenLoop>> = story.entities().unwrap();
    let count = |status| loops.iter().filter(|one| one.value.status == status).count();
    let (open, resolved) = (count(LoopStatus::Open), count(LoopStatus::Resolved));
    assert!(resolved > 0 && open <= 4, "{place}: {open} questions are open, {resolved} are not");
    assert!(loops.iter().all(|one| one.value.created_in_scene.is_some()), "{place}: {loops:?}");
    for Stored { id, value } in &loops {
        let is_dated = value.resolved_in_scene.is_some();
        assert_eq!(is_dated, value.status == LoopStatus::Resolved, "{place}: {id}");
    }
    let scenes: Vec<Stored<Scene>> = story.entities().unwrap();
    let mut said: BTreeMap<&str, u64> = BTreeMap::new();
    for Stored { value: Scene { text, tick, .. }, .. } in &scenes {
        for sentence in sentences(text) {
            let before = said.insert(sentence, *tick).filter(|before| before != tick);
            let is_soon = before.is_some_and(|before| tick - before <= SCENES_WITHOUT_REPETITION);
            assert!(!is_soon, "{place}: in scenes {before:?} and {tick}: {sentence}");
        }
    }
}

/// S4 "Full tick cycle", "Plans are stored", "open loops": many ticks without a model are one story, and one seed gives one
/// story, byte for byte but for the times `timestamp` and `last_updated`. `TICKS` says how many.
#[test]
fn many_ticks_are_one_story_and_one_seed_gives_one_story() {
    let ticks = std::env::var("TICKS").unwrap_or_else(|_| "12".to_owned());
    let run = || {
        let machine = PlayerMachine::new();
        let told = tick(&machine, &["--count", &ticks, "--format", "json"]);
        assert_eq!(told.exit, Some(0), "{}", told.stderr);
        for line in told.lines() {
            check_contract("tick-event", &line);
        }
        (machine, told.stdout)
    };
    let (machine, told) = run();
    let stories = machine.path().join("kept/stories");
    let story = Story::open_existing(&stories, &StoryName::parse("demo").unwrap()).unwrap();
    assert_eq!(check_tables(&story, "the end").to_string(), ticks);
    check_files(&story, "the end", true);
    check_course(&story, "the end");
    let people: Vec<Stored<Character>> = story.entities().unwrap();
    // The arcs have thirteen at most; after them, each chapter of four scenes has a new one.
    let most = 20 + ticks.parse::<usize>().unwrap() / 3;
    assert!((2..=most).contains(&people.len()), "{} people", people.len());
    // S4's plan has one active character; only `--pov` changes it.
    let active = story.novel().unwrap().active_character.unwrap();
    assert_eq!(active.to_string(), "C0");
    drop(story);
    let (again, told_again) = run();
    assert_eq!(told, told_again);
    let of = [machine, again].map(|machine| {
        let mut files = files(&machine.path().join("kept/stories/demo"));
        // The database holds the times too; what is in it has been compared as files.
        files.retain(|name, _| !name.starts_with("story.db"));
        files.values_mut().for_each(|bytes| *bytes = without_times(bytes));
        files
    });
    let [first, second] = of;
    assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    let different = first.iter().filter(|(name, bytes)| second[*name] != **bytes);
    assert_eq!(different.map(|(name, _)| name).collect::<Vec<_>>(), Vec::<&String>::new());
}

/// A file without the lines that hold a time.
fn without_times(bytes: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).unwrap();
    let holds_time = |line: &str| {
        ["\"timestamp\": \"", "\"last_updated\": \""].iter().any(|key| line.trim().starts_with(key))
    };
    let lines: Vec<&str> = text.lines().filter(|line| !holds_time(line)).collect();
    lines.join("\n").into_bytes()
}

/// The campaigns that come with the program.
const BUNDLED: [&str; 4] = ["little-saltby", "every-last-spoon", "her-worship", "last-reading"];

/// The parts of the state that only play changes, and the questions that are open.
fn left_to_play(story: &Story) -> (Vec<Value>, Vec<Stored<OpenLoop>>) {
    let state = story.state().as_object();
    let parts = ["world", "plot"].map(|part| state.get(part).cloned().unwrap_or_default());
    (parts.to_vec(), story.entities().unwrap())
}

/// Three ticks leave each thread of an author as it was; they are about the people and the places of the campaign, and the
/// novel has its title.
#[test]
fn three_ticks_in_each_campaign_leave_every_thread_of_its_author_as_it_was() {
    for campaign in BUNDLED {
        let machine = PlayerMachine::new();
        let play = ["campaign", "play", campaign, "--planner", "lexical", "--seed=7"];
        let said = machine.run(&play, "look around\nwait\n");
        assert_eq!(said.exit, Some(0), "{}", said.transcript());
        let stories = machine.path().join("kept/stories");
        let name = StoryName::parse(campaign).unwrap();
        let story = Story::open_existing(&stories, &name).unwrap();
        let before = left_to_play(&story);
        let title = story.title().unwrap();
        let player = before.0[0].pointer("/now/place").cloned();
        drop(story);
        let told = machine.run(&["tick", "--story", campaign, "--count", "3"], "");
        assert_eq!(told.exit, Some(0), "{campaign}: {}", told.stderr);
        assert!(!told.stderr.contains("warning"), "{campaign}: {}", told.stderr);
        let story = Story::open_existing(&stories, &name).unwrap();
        assert_eq!(left_to_play(&story), before, "{campaign}");
        assert_eq!(story.novel().unwrap().novel_name, title);
        let map: Value = story.campaign().unwrap().unwrap().read("world.json").unwrap().unwrap();
        let names = |list: &Value| -> Vec<String> {
            let all = list.as_array().into_iter().flatten();
            all.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
        };
        let mut known = names(&map["people"]);
        known.push(map["player"]["name"].as_str().unwrap().to_owned());
        let people: Vec<Stored<Character>> = story.entities().unwrap();
        assert!(!people.is_empty() && people.iter().all(|one| known.contains(&one.value.name)));
        let places: Vec<Stored<Location>> = story.entities().unwrap();
        let places: Vec<Value> = places.into_iter().map(|one| one.value.name.into()).collect();
        assert_eq!(places, Vec::from_iter(player), "{campaign}");
        check_tables(&story, campaign);
        check_files(&story, campaign, true);
    }
}

/// Whoever has made the plan of a tick: a stranger, an hour that passes and an answer to a question of the author fail it.
#[test]
fn a_plan_that_changes_what_a_campaign_leaves_to_play_fails() {
    let machine = PlayerMachine::new();
    let play = ["campaign", "play", "little-saltby", "--planner", "lexical", "--seed=7"];
    assert_eq!(machine.run(&play, "look around\nwait\nlook around\n").exit, Some(0));
    let stories = machine.path().join("kept/stories");
    let name = StoryName::parse("little-saltby").unwrap();
    let story = Story::open_existing(&stories, &name).unwrap();
    let before = left_to_play(&story);
    let opened = before.1.first().expect("the campaign opens a question at its beginning").id;
    drop(story);
    for (tool, args, why) in [
        (
            "character.generate",
            json!({"name": "Ada Birch"}),
            "`Ada Birch` is nobody of the campaign",
        ),
        (
            "world.change",
            json!({"changes": [{"minutes": 60}]}),
            "a tick changes nothing of `/world`",
        ),
        ("plot.resolve", json!({"id": opened.to_string()}), "is a question of the campaign"),
    ] {
        let plan = json!({
            "rationale": "r", "scene_intention": "s",
            "actions": [{"tool": tool, "args": args, "reason": "A test."}],
        });
        machine.write("script.json", json!([plan]).to_string());
        let tick = ["tick", "--story", "little-saltby", "--planner", "scripted:script.json"];
        let told = machine.run(&tick, "");
        assert_eq!((told.exit, told.stdout.as_str()), (Some(1), ""), "{tool}: {}", told.stderr);
        assert!(told.stderr.contains(why), "{tool}: {}", told.stderr);
    }
    let story = Story::open_existing(&stories, &name).unwrap();
    assert_eq!(left_to_play(&story), before);
}

/// What an author leaves to ticks: people whom the campaign does not have, if the manifest says so, and always the questions that
/// the player has opened.
#[test]
fn a_tick_brings_in_a_stranger_whom_the_author_allows_and_answers_a_question_of_the_player() {
    let machine = PlayerMachine::new();
    for (path, text) in [
        (
            "manifest.json",
            r#"{ "title": "The Bridge", "version": "1.0.0", "strangers_in_ticks": true }"#,
        ),
        ("world/setting.md", "A river town, an hour before the rain.\n"),
        ("plot/premise.md", "You only wanted to cross the bridge.\n"),
    ] {
        let file = machine.path().join("bridge").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let question = "Who has taken the map?";
    let opens =
        json!({"toolId": "open", "toolPath": "plot/open", "input": {"description": question}});
    let plans = json!([{"requestId": "", "parallel": false, "tools": [opens]}]);
    machine.write("open.json", plans.to_string());
    let play = ["campaign", "play", "bridge", "--planner", "scripted:open.json", "--seed=7"];
    let said = machine.run(&play, "I wonder who has taken the map\n");
    assert_eq!(said.exit, Some(0), "{}", said.transcript());
    let stories = machine.path().join("kept/stories");
    let name = StoryName::parse("bridge").unwrap();
    let story = Story::open_existing(&stories, &name).unwrap();
    let of_player = |story: &Story| -> Stored<OpenLoop> {
        let loops: Vec<Stored<OpenLoop>> = story.entities().unwrap();
        loops.into_iter().find(|one| one.value.description == question).unwrap()
    };
    let opened = of_player(&story).id.to_string();
    drop(story);
    let plan = json!({
        "rationale": "r", "scene_intention": "s",
        "actions": [
            {"tool": "character.generate", "args": {"name": "Ada Birch"}, "reason": "A test."},
            {"tool": "plot.resolve", "args": {"id": opened, "resolution": "She has."}, "reason": "A test."},
        ],
    });
    machine.write("script.json", json!([plan]).to_string());
    let tick = ["tick", "--story", "bridge", "--planner", "scripted:script.json"];
    let told = machine.run(&tick, "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let story = Story::open_existing(&stories, &name).unwrap();
    assert_eq!(of_player(&story).value.status, LoopStatus::Resolved);
    let people: Vec<Stored<Character>> = story.entities().unwrap();
    assert!(people.iter().any(|one| one.value.name == "Ada Birch"), "{people:?}");
}

/// The scenes of a story have their titles in an export.
#[test]
fn a_book_has_the_titles_of_the_scenes() {
    let machine = PlayerMachine::new();
    let told = tick(&machine, &["--count", "2"]);
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let text = machine.run(&["story", "export", "demo", "--format", "markdown"], "").stdout;
    let titles = text.lines().filter_map(|line| line.strip_prefix("## "));
    let scenes = told.stdout.lines().filter_map(|line| line.strip_prefix("# "));
    assert_eq!(titles.collect::<Vec<_>>(), scenes.collect::<Vec<_>>(), "{text}");
}
