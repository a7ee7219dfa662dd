//! Ticks with prepared plans and real components: what is stored, in which order, and what a failure leaves.

use std::fs;

use narratoria_engine::{
    SessionOptions, TickEnd, TickEvent, TickOrder, TickStage, Ticker, TickerSetup, TurnError,
};
use narratoria_narrator::tick::{ContextSettings, ScriptedTickPlanner};
use narratoria_skills::Schema;
use narratoria_story::Story;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::support::{TurnStage as Home, clock_and_ids, load, open_story, options, prepare};

/// A story with a ticker over it.
struct Stage {
    home: Home,
    story: Story,
    ticker: Ticker,
}

impl Stage {
    fn new(answers: Vec<Value>) -> Stage {
        let grants = json!({"scripts": [{"grants": {"assets": true}}]});
        let home = Home::new(&[
            ("teller", "echo", json!({})),
            ("faller", "fail", json!({})),
            ("forger", "bad-assets", grants),
        ]);
        let story = open_story(home.home.path());
        let ticker = ticker(&home, &story, answers);
        Stage { home, story, ticker }
    }

    async fn tick(&mut self, order: TickOrder<'_>) -> (Result<TickEnd, TurnError>, Vec<TickEvent>) {
        let mut events = Vec::new();
        let cancel = CancellationToken::new();
        let end = self
            .ticker
            .tick(&mut self.story, order, &cancel, &mut |event| events.push(event))
            .await;
        for event in &events {
            check_contract("tick-event", &serde_json::to_value(event).unwrap());
        }
        (end, events)
    }

    async fn plain(&mut self) -> String {
        match self.tick(TickOrder::default()).await.0 {
            Ok(TickEnd::Complete { tick }) => format!("tick {tick}"),
            Ok(TickEnd::Cancelled) => "cancelled".to_owned(),
            Ok(TickEnd::Failed { message, .. }) => message,
            Err(error) => error.to_string(),
        }
    }

    fn file(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.story.folder().join(name)).ok()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.file(name).unwrap()).unwrap()
    }

    fn current_tick(&self) -> u64 {
        self.story.novel().unwrap().current_tick
    }
}

fn ticker(home: &Home, story: &Story, answers: Vec<Value>) -> Ticker {
    let mut catalog = load(&[home.skills.path().to_owned()]);
    let scripts = prepare(&mut catalog, story);
    let answers = answers.into_iter().map(|answer| match answer {
        Value::String(text) => text,
        plan => plan.to_string(),
    });
    Ticker::open(TickerSetup {
        catalog,
        scripts,
        planner: Box::new(ScriptedTickPlanner::new(answers)),
        clock_and_ids: clock_and_ids(),
        options: SessionOptions { repeatable: true, ..options() },
        context: ContextSettings::default(),
    })
}

#[track_caller]
fn check_contract(stem: &str, value: &Value) {
    let path = format!("{}/../../contracts/{stem}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let document = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let mismatches = Schema::build(document).unwrap().mismatches(value);
    assert!(mismatches.is_empty(), "{stem}: {mismatches:?}\n{value:#}");
}

fn plan(tools: &[&str]) -> Value {
    let actions: Vec<Value> =
        tools.iter().map(|tool| json!({"tool": tool, "args": {}, "reason": "why"})).collect();
    json!({
        "rationale": "Łódź is far.", "scene_intention": "The road goes on",
        "actions": actions, "expected_outcomes": ["They came to the ford."],
    })
}

/// S4 "Agent orchestrator", "Plan executor runs tools", "Plans are stored", "plan_NNN.json", "state.json", "Full tick cycle",
/// "Starting Tick", "Gathering context", "Planning scene", "Validating plan", "Executing tools", "Saving plan", "Tick complete",
/// "actions_executed", "action_index", "timestamp", "last_updated".
#[tokio::test]
async fn a_tick_stores_its_plan_its_scene_and_its_counter() {
    let mut planned = plan(&["teller.echo"]);
    planned["actions"][0]["args"] = json!({"word": "ford"});
    let mut stage = Stage::new(vec![planned]);
    let (end, events) = stage.tick(TickOrder::default()).await;
    assert!(matches!(end, Ok(TickEnd::Complete { tick: 1 })), "{end:?}");
    let stages: Vec<(u64, &str)> = events
        .iter()
        .filter_map(|event| match event {
            TickEvent::Stage { tick, stage } => Some((*tick, stage.as_str())),
            _ => None,
        })
        .collect();
    let expected =
        "starting, gathering context, planning, validating, executing, writing, saving, complete";
    assert_eq!(stages, expected.split(", ").map(|stage| (1, stage)).collect::<Vec<_>>());
    assert_eq!(stage.current_tick(), 1);
    let file = stage.json("plans/plan_001.json");
    check_contract("tick-record", &file);
    let executed = &file["execution"]["actions_executed"][0];
    let found = [&executed["action_index"], &executed["tool"], &executed["args"]];
    assert_eq!(found, [&json!(0), &json!("teller.echo"), &json!({"word": "ford"})]);
    // The tool gives back the arguments with which it was called.
    assert_eq!(
        (&executed["success"], &executed["result"]["input"]),
        (&json!(true), &executed["args"])
    );
    let used = json!({"active_character": null, "recent_scenes": [], "open_loops_count": 0});
    assert_eq!(file["context_used"], used);
    assert!(file["timestamp"].as_str().unwrap().ends_with('Z'));
    assert!(
        stage
            .file("plans/plan_001.json")
            .unwrap()
            .contains("\n  \"plan\": {\n    \"rationale\": \"Łódź")
    );
    assert!(stage.file("scenes/scene_001.md").unwrap().starts_with("# Scene 1\n"));
    let state = stage.json("state.json");
    // The story has no title; its name is that of the novel.
    assert_eq!((&state["novel_name"], &state["current_tick"]), (&json!("demo"), &json!(1)));
    assert!(state["last_updated"].as_str().unwrap().ends_with('Z'));
    assert_eq!(state["active_character"], Value::Null);
}

/// S4 "Tool not found", "Error executing", "Tool execution failed at action", "Plan execution halted", "STOP on first tool
/// error", "traceback", "Error Type", "Error Message", "Partial Execution Results", "To retry", "To skip", "Manually edit the
/// plan", "Skip this tick": what ran before is kept in the error file, and nothing of it in the story.
#[tokio::test]
async fn a_failed_tick_leaves_nothing_but_its_error_files() {
    let mut stage = Stage::new(vec![plan(&["teller.echo", "nobody.home", "teller.echo"])]);
    assert_eq!(
        stage.plain().await,
        "Tool execution failed at action 1: Error executing nobody.home: Tool not found: nobody.home\n\
         Plan execution halted. Check error log for details."
    );
    assert_eq!((stage.current_tick(), stage.story.turns()), (0, 0));
    let file = stage.json("errors/error_001.json");
    check_contract("tick-error", &file);
    let executed = file["execution"]["actions_executed"].as_array().unwrap();
    assert_eq!(
        executed.iter().map(|one| one["success"] == true).collect::<Vec<_>>(),
        [true, false]
    );
    let log = stage.file("errors/error_001.log").unwrap();
    assert!(log.starts_with("=== TICK 1 EXECUTION ERROR ===\n\nError Type: RuntimeError\n"));
    let heads = [
        "\nError Message: Tool exec",
        "\nTraceback:\n",
        "\nPlan:\n{",
        "\nPartial Execution Results:\n{",
    ];
    assert!(heads.iter().all(|head| log.contains(head)), "{log}");
    let error = &file["error"];
    assert_eq!(error["type"], "RuntimeError");
    assert!(error["message"].as_str().unwrap().ends_with("Check error log for details."));
    assert!(error["traceback"].as_str().unwrap().contains("action 1, nobody.home"), "{error}");
    let instructions = file["instructions"].as_str().unwrap();
    let ways = ["\n1. Fix ", "\n2. Manually edit", "\n3. Skip this tick"];
    assert!(ways.iter().all(|way| instructions.contains(way)), "{instructions}");
    assert!(instructions.contains("To retry: narratoria tick --retry 1"), "{instructions}");
    assert!(instructions.ends_with("To skip: narratoria tick --skip 1"), "{instructions}");
    assert_eq!((stage.file("plans/plan_001.json"), stage.file("state.json")), (None, None));
}

/// S4 "Error handling", "failed tools", "STOP on first tool error": the action behind it does not run.
#[tokio::test]
async fn a_tool_that_fails_while_it_runs_fails_the_tick() {
    let mut stage = Stage::new(vec![plan(&["teller.echo", "faller.fail", "teller.echo"])]);
    assert_eq!(
        stage.plain().await,
        "Tool execution failed at action 1: Error executing faller.fail: it failed on purpose\n\
         Plan execution halted. Check error log for details."
    );
    assert_eq!((stage.current_tick(), stage.story.turns()), (0, 0));
    let file = stage.json("errors/error_001.json");
    let executed = file["execution"]["actions_executed"].as_array().unwrap();
    assert_eq!(executed.len(), 2, "{file:#}");
    assert_eq!(executed[1]["error"], "Error executing faller.fail: it failed on purpose");
}

/// Thousands of ticks may run without a turn between them, so each tick deletes what its scripts have written.
#[tokio::test]
async fn a_tick_names_the_assets_that_it_does_not_keep_and_leaves_no_files_of_scripts() {
    let failing = plan(&["forger.bad-assets", "faller.fail"]);
    let mut stage = Stage::new(vec![plan(&["forger.bad-assets"]), failing]);
    let (end, events) = stage.tick(TickOrder::default()).await;
    assert!(matches!(end, Ok(TickEnd::Complete { tick: 1 })), "{end:?}");
    let is_named = |event: &TickEvent| match event {
        TickEvent::Warning { text, .. } => text.starts_with("asset `link.txt`: "),
        _ => false,
    };
    assert!(events.iter().any(is_named), "{events:#?}");
    let folders = |stage: &Stage| {
        let entries = fs::read_dir(stage.story.folder().join("assets")).unwrap();
        entries.filter(|entry| entry.as_ref().unwrap().path().is_dir()).count()
    };
    assert_eq!(folders(&stage), 0);
    assert!(matches!(stage.tick(TickOrder::default()).await.0, Ok(TickEnd::Failed { .. })));
    assert_eq!(folders(&stage), 0);
}

/// A fault names the stage in which it happened.
#[tokio::test]
async fn a_plan_that_cannot_be_read_fails_while_it_is_validated() {
    let mut stage = Stage::new(vec![json!("no plan at all")]);
    let (end, events) = stage.tick(TickOrder::default()).await;
    assert!(matches!(end, Ok(TickEnd::Failed { .. })), "{end:?}");
    let is_validating =
        |event: &TickEvent| matches!(event, TickEvent::Stage { stage: TickStage::Validating, .. });
    assert!(events.iter().any(is_validating), "{events:#?}");
    let error = stage.json("errors/error_001.json");
    let traceback = error["error"]["traceback"].as_str().unwrap();
    assert!(traceback.starts_with("validating: "), "{traceback}");
}

/// S4 "pov_character", "target_location": names that the story does not have are warnings, and the tick goes on.
#[tokio::test]
async fn names_that_the_story_does_not_have_are_warnings() {
    let mut lost = plan(&[]);
    (lost["pov_character"], lost["target_location"]) = (json!("C9"), json!("The Moon"));
    let mut stage = Stage::new(vec![lost]);
    let (end, events) = stage.tick(TickOrder::default()).await;
    assert!(matches!(end, Ok(TickEnd::Complete { tick: 1 })), "{end:?}");
    assert_eq!(
        warnings(&events),
        [
            "`pov_character` is `C9`, and the story has no such character",
            "`target_location` is `The Moon`, and the story has no such place",
        ]
    );
}

fn warnings(events: &[TickEvent]) -> Vec<&str> {
    events
        .iter()
        .filter_map(|event| match event {
            TickEvent::Warning { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// S4 "Soft limit of 4 tools": a fifth action is a warning, and runs.
#[tokio::test]
async fn a_plan_of_five_actions_runs_with_a_warning() {
    let mut stage = Stage::new(vec![plan(&["teller.echo"; 5])]);
    let (end, events) = stage.tick(TickOrder::default()).await;
    assert!(matches!(end, Ok(TickEnd::Complete { tick: 1 })), "{end:?}");
    let warning = "the plan has 5 actions; 4 or fewer keep a scene focused";
    assert!(warnings(&events).contains(&warning), "{:?}", warnings(&events));
    let executed = stage.json("plans/plan_001.json")["execution"]["actions_executed"].clone();
    assert_eq!(executed.as_array().map(Vec::len), Some(5), "{executed}");
}

/// S4 "--retry", "Manually edit the plan": the plan comes from the error file.
#[tokio::test]
async fn a_tick_is_tried_again_with_an_edited_plan() {
    let mut stage = Stage::new(vec![plan(&["nobody.home"])]);
    stage.plain().await;
    let retry = |tick| TickOrder { retry: Some(tick), pov: None };
    let (end, _) = stage.tick(retry(2)).await;
    assert_eq!(end.unwrap_err().to_string(), "`narratoria tick --retry 2`: the next tick is 1");
    let path = stage.story.folder().join("errors/error_001.json");
    let edited = fs::read_to_string(&path).unwrap().replace("nobody.home", "teller.echo");
    fs::write(&path, edited).unwrap();
    let (end, _) = stage.tick(retry(1)).await;
    assert!(matches!(end, Ok(TickEnd::Complete { tick: 1 })), "{end:?}");
    let (end, _) = stage.tick(retry(2)).await;
    assert!(end.unwrap_err().to_string().ends_with("errors/error_002.json` there is no such file"));
}

/// S4 "--skip", "Skip this tick".
#[tokio::test]
async fn a_tick_is_left_out() {
    let mut stage = Stage::new(vec![plan(&[])]);
    stage.ticker.skip(&mut stage.story, 1).unwrap();
    assert_eq!(stage.plain().await, "tick 2");
    let error = stage.ticker.skip(&mut stage.story, 2).unwrap_err();
    assert_eq!(error.to_string(), "`narratoria tick --skip 2`: the next tick is 3");
}

/// S4 "invalid plans": each stage of the way to a plan can fail, and leaves an error file.
#[tokio::test]
async fn an_answer_that_is_no_plan_fails_the_tick() {
    let answers =
        vec![json!("I would rather not."), json!("{rationale}"), json!("{\"rationale\": 1}")];
    let mut stage = Stage::new(answers);
    assert_eq!(stage.plain().await, "Could not extract JSON from LLM response");
    assert!(stage.plain().await.starts_with("Invalid JSON in plan: "));
    assert!(stage.plain().await.starts_with("Plan validation failed: "));
    assert_eq!(stage.json("errors/error_001.json")["plan"], json!({"rationale": 1}));
    assert_eq!(stage.plain().await, "the script has only 3 responses and was asked for more");
    assert_eq!(stage.current_tick(), 0);
}

/// S4 "recent_scenes", "open_loops_count", "recent_scenes_count": the plan's file names the scenes that the planner read, the
/// last three, and how many questions were open.
#[tokio::test]
async fn the_file_of_a_plan_names_what_the_planner_has_read() {
    let mut stage = Stage::new(vec![plan(&[]), plan(&[]), plan(&[]), plan(&[]), plan(&[])]);
    for tick in 1..=5 {
        assert_eq!(stage.plain().await, format!("tick {tick}"));
    }
    let used = &stage.json("plans/plan_005.json")["context_used"];
    assert_eq!(used["recent_scenes"], json!(["S002", "S003", "S004"]));
    assert_eq!(used["open_loops_count"], 0);
}

/// The database is the truth: files that are missing or wrong are written again, and those of ticks that were taken back go.
#[tokio::test]
async fn the_files_follow_the_story() {
    let mut stage = Stage::new(vec![plan(&[]), plan(&[])]);
    stage.plain().await;
    stage.plain().await;
    let folder = stage.story.folder().to_owned();
    let before = stage.file("plans/plan_001.json").unwrap();
    fs::remove_file(folder.join("plans/plan_001.json")).unwrap();
    fs::write(folder.join("scenes/scene_001.md"), "torn").unwrap();
    assert_eq!(Ticker::sync_files(&stage.story).unwrap(), Vec::<String>::new());
    assert_eq!(stage.file("plans/plan_001.json"), Some(before));
    assert_ne!(stage.file("scenes/scene_001.md").as_deref(), Some("torn"));
    stage.story.undo(1).unwrap();
    Ticker::sync_files(&stage.story).unwrap();
    assert_eq!(
        (stage.file("plans/plan_002.json"), stage.json("state.json")["current_tick"].clone()),
        (None, json!(1))
    );
    let again = ticker(&stage.home, &stage.story, vec![plan(&[])]);
    stage.ticker = again;
    assert_eq!(stage.plain().await, "tick 2");
}

/// The player stops a tick while its actions run: nothing of it counts, it is no failure, and the one before it stays.
#[tokio::test]
async fn a_tick_that_is_stopped_leaves_the_story_with_the_one_before() {
    let mut stage = Stage::new(vec![plan(&[]), plan(&["teller.echo"]), plan(&[])]);
    assert_eq!(stage.plain().await, "tick 1");
    let cancel = CancellationToken::new();
    let mut stop = |event: TickEvent| {
        if matches!(event, TickEvent::Stage { stage: TickStage::Executing, .. }) {
            cancel.cancel();
        }
    };
    let order = TickOrder::default();
    let end = stage.ticker.tick(&mut stage.story, order, &cancel, &mut stop).await;
    assert!(matches!(end, Ok(TickEnd::Cancelled)), "{end:?}");
    assert_eq!(stage.current_tick(), 1);
    assert_eq!(stage.file("plans/plan_002.json"), None);
    assert_eq!(stage.file("errors/error_002.json"), None);
    assert_eq!(stage.plain().await, "tick 2");
}

/// A story of another person may have a link in the place of a folder.
#[cfg(unix)]
#[tokio::test]
async fn the_files_of_a_tick_are_neither_written_nor_removed_through_a_link() {
    let mut stage = Stage::new(vec![plan(&[]), plan(&[])]);
    stage.plain().await;
    stage.plain().await;
    stage.story.undo(1).unwrap();
    let folder = stage.story.folder().to_owned();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("plan_999.json"), "mine").unwrap();
    fs::write(elsewhere.path().join("plan_001.json"), "mine too").unwrap();
    fs::remove_dir_all(folder.join("plans")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.join("plans")).unwrap();
    let warnings = Ticker::sync_files(&stage.story).unwrap();
    let warnings = warnings.join("\n").replace(&folder.display().to_string(), "STORY");
    assert!(
        warnings.lines().all(|line| line.ends_with("move it away or choose another story's name")),
        "{warnings}"
    );
    assert_eq!(warnings.lines().count(), 1, "{warnings}");
    let kept = |name: &str| fs::read_to_string(elsewhere.path().join(name)).unwrap();
    assert_eq!(
        (kept("plan_999.json"), kept("plan_001.json")),
        ("mine".to_owned(), "mine too".to_owned())
    );
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 2);
}

/// S4 "dry run": the plan is shown, and nothing runs.
#[tokio::test]
async fn a_preview_changes_nothing() {
    let mut stage = Stage::new(vec![plan(&["teller.echo"]), plan(&["nobody.home"])]);
    let cancel = CancellationToken::new();
    let before: Vec<_> = fs::read_dir(stage.story.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    let preview = stage.ticker.preview(Some(&stage.story), 7, TickOrder::default(), &cancel).await;
    assert_eq!(preview.unwrap().plan.actions[0].tool, "teller.echo");
    let preview = stage.ticker.preview(None, 7, TickOrder::default(), &cancel).await.unwrap();
    assert_eq!((preview.tick, stage.current_tick()), (1, 0));
    let after: Vec<_> = fs::read_dir(stage.story.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(before, after);
}
