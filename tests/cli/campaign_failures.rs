//! How plans run and fail, as a player of a campaign meets it: retries, time limits, steps that are skipped, skills that are
//! disabled, five attempts, and what is told then. The skills that fail are real packages with a phrase of the player's.

use std::{fs, time::Instant};

use serde_json::{Value, json};

use crate::cli::campaign_sessions::{
    TIDE_BOARD, answers, fits, last_narration, of_last_turn, play, scripted, updates, why,
};
use crate::player_machine::PlayerMachine;

const SKILLS: [&str; 4] = ["--skills", "skills", "--planner", "lexical"];

/// Installs a package whose only script, `act`, is this guest. A sentence with the phrase starts it.
fn package(machine: &PlayerMachine, skill: &str, guest: &str, phrase: &str, script: Value) {
    machine.package_with(skill, guest, script);
    let file = machine.path().join("skills").join(skill).join("skill.json");
    let mut manifest: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    manifest["triggers"] = json!([{"script": "act", "phrases": [phrase], "input": {}}]);
    fs::write(file, manifest.to_string()).unwrap();
}

/// The same, with other tries.
fn package_with_retries(machine: &PlayerMachine, skill: &str, guest: &str, phrase: &str, more: u8) {
    package(machine, skill, guest, phrase, json!({"grants": {"data": true}}));
    let file = machine.path().join("skills").join(skill).join("skill.json");
    let mut manifest: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    manifest["retryPolicy"] = json!({"maxRetries": more, "backoffMs": 10});
    fs::write(file, manifest.to_string()).unwrap();
}

/// A plan with these steps. Each looks at the tide board where it names no script.
fn plan(parallel: bool, tools: Value) -> Value {
    json!([{"requestId": "", "parallel": parallel, "tools": tools}])
}

fn look() -> Value {
    json!({"toolId": "act", "toolPath": "world/act",
           "input": {"actions": [{"action": "examine", "target": "tide board"}]}})
}

fn tell(needs: &[&str]) -> Value {
    json!({"toolId": "tell", "toolPath": "storyteller/narrate", "dependencies": needs,
           "input": {"prompt": "I look closely at the tide board"}})
}

fn step(id: &str, skill: &str, more: Value) -> Value {
    let mut step = json!({"toolId": id, "toolPath": format!("{skill}/act"), "input": {}});
    step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    step
}

/// Steps of the last turn as they start and end.
fn steps(updates: &[Value]) -> String {
    let last = updates.iter().filter_map(|update| update["turn"].as_u64()).max().unwrap();
    let lines = updates.iter().filter(|update| update["turn"] == last).filter_map(|update| {
        let id = update["toolId"].as_str().unwrap_or_default();
        match update["type"].as_str().unwrap() {
            "step.started" => Some(format!("{id} starts")),
            "step.retrying" => {
                Some(format!("{id} again in {} ms: {}", update["delayMs"], update["error"]))
            }
            "step.finished" => {
                let reason = update["reason"].as_str().map(|reason| format!(" ({reason})"));
                let state = update["state"].as_str().unwrap();
                Some(format!(
                    "{id} {state}{}, retries {}",
                    reason.unwrap_or_default(),
                    update["retryCount"]
                ))
            }
            "plan.finished" => Some(format!(
                "plan: success {}, can replan {}, failed {}, disabled {}",
                update["success"],
                update["canReplan"],
                update["failedTools"],
                update["disabledSkills"]
            )),
            _ => None,
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// S0 FR-008, FR-010, FR-024, FR-026: the player's words start a skill that fails. The second plan goes without it, and the
/// campaign answers.
#[test]
fn a_skill_that_fails_is_left_out_of_the_next_plan_and_the_campaign_answers() {
    let machine = PlayerMachine::new();
    package(&machine, "tide-clock", "fail", "tide board", json!({}));
    let said = play(&machine, &SKILLS, "look closely at the tide board\n");
    let (told, offered) = answers(&said).split_once("\n\n").unwrap();
    assert!(told.contains(TIDE_BOARD), "{told}");
    insta::assert_snapshot!(offered, @"
      1. Ask Tansy Vane about the spoons
      2. Search the tide board
      3. Go up to the long stair
      4. Wait
    ");
    insta::assert_snapshot!(said.stderr, @"warning: step `act`: it failed on purpose (ON_PURPOSE)");
    insta::assert_snapshot!(why(&machine), @"
    turn 2 “look closely at the tide board”
    plan 2 by lexical, attempt 1: replanning
      act  tide-clock/act  failed
      narrate  storyteller/narrate  skipped
      step `act` (`tide-clock/act`) failed after 1 attempt: it failed on purpose
    plan 3 by lexical, attempt 2: complete
      understand  world/understand  success
      perceive  npc-perception/query-perception  skipped
      roll  dice-roller/roll-dice  skipped
      act  world/act  success
      advance  plot/advance  success
      change  world/change  skipped
      reputation  reputation/update-reputation  skipped
      perception  npc-perception/update-perception  skipped
      narrate  storyteller/narrate  success
      choices  player-choices/generate-choices  success
    ");
    let machine = PlayerMachine::new();
    package(&machine, "tide-clock", "fail", "tide board", json!({}));
    let updates = updates(&machine, &SKILLS, "look closely at the tide board\n");
    let plans = of_last_turn(&updates, "plan.proposed");
    let metadata = &plans[1]["plan"]["metadata"];
    assert_eq!(metadata["parentPlanId"], plans[0]["plan"]["requestId"]);
    assert_eq!(metadata["generationAttempt"], 2);
    assert_eq!(plans[1]["plan"]["disabledSkills"], json!(["tide-clock"]));
}

/// S0 FR-011, §5.3(2): the plan names its steps from the last to the first.
#[test]
fn steps_run_in_the_order_of_what_they_need() {
    let machine = PlayerMachine::new();
    let planner = scripted(&machine, &plan(false, json!([tell(&["act"]), look()])));
    let updates = updates(&machine, &planner, "look closely at the tide board\n");
    assert!(last_narration(&updates).contains(TIDE_BOARD));
    insta::assert_snapshot!(steps(&updates), @"
    act starts
    act success, retries 0
    tell starts
    tell success, retries 0
    plan: success true, can replan false, failed [], disabled []
    ");
}

/// S0 FR-013, FR-019: an optional step fails, and what depends on it runs without it.
#[test]
fn an_optional_step_that_fails_costs_nothing_else() {
    let machine = PlayerMachine::new();
    machine.package("gull", "fail");
    let gull = step("gull", "gull", json!({"required": false}));
    let steps_of = json!([gull, look(), tell(&["gull", "act"])]);
    let planner = scripted(&machine, &plan(false, steps_of));
    let args = [&planner[..], &["--skills", "skills"]].concat();
    let updates = updates(&machine, &args, "look closely at the tide board\n");
    assert!(last_narration(&updates).contains(TIDE_BOARD), "{}", last_narration(&updates));
    insta::assert_snapshot!(steps(&updates), @r#"
    gull starts
    gull failed, retries 0
    act starts
    act success, retries 0
    tell starts
    tell success, retries 0
    plan: success true, can replan false, failed ["gull"], disabled ["gull"]
    "#);
}

/// S0 FR-013, FR-019, §5.3(6): a required step fails. What depends on it does not run, and what does not goes on; its result
/// is kept for the next plan.
#[test]
fn a_required_step_that_fails_stops_only_what_depends_on_it() {
    let machine = PlayerMachine::new();
    machine.package("gull", "fail");
    let steps_of = json!([step("gull", "gull", json!({})), look(), tell(&["gull", "act"])]);
    let planner = scripted(&machine, &plan(false, steps_of));
    let args = [&planner[..], &["--skills", "skills"]].concat();
    let updates = updates(&machine, &args, "look closely at the tide board\n");
    let first = steps(&updates).lines().take(6).collect::<Vec<_>>().join("\n");
    assert!(last_narration(&updates).contains(TIDE_BOARD), "{}", last_narration(&updates));
    insta::assert_snapshot!(first, @r#"
    gull starts
    gull failed, retries 0
    act starts
    act success, retries 0
    tell skipped (dependency_failed), retries 0
    plan: success false, can replan true, failed ["gull"], disabled ["gull"]
    "#);
}

/// S0 FR-014, §5.3(3), §5.3(4). Without a seed: a seeded story runs one step after another, so that it can be repeated.
#[test]
fn async_steps_run_at_the_same_time_and_others_one_after_another() {
    let machine = PlayerMachine::new();
    machine.package("tide", "sleep");
    let both = |is_async: bool| {
        let sleeps = json!({"async": is_async, "input": {"ms": 300}});
        let tools = json!([step("ebb", "tide", sleeps.clone()), step("flood", "tide", sleeps)]);
        let planner = scripted(&machine, &plan(true, tools));
        let args = ["run", "--campaign", "every-last-spoon", "--format", "json"];
        let more = ["--skills", "skills", "--plan-slots", "2"];
        let story = if is_async { ["--story", "together"] } else { ["--story", "alone"] };
        let args = [&args[..], &planner, &more, &story].concat();
        steps(&machine.run(&args, "listen to the tide\n").lines())
    };
    let together = both(true);
    assert!(together.starts_with("ebb starts\nflood starts\n"), "{together}");
    insta::assert_snapshot!(both(false), @"
    ebb starts
    ebb success, retries 0
    flood starts
    flood success, retries 0
    plan: success true, can replan false, failed [], disabled []
    ");
}

/// S0 FR-015, FR-016: the second try works, and the player only reads what came of it.
#[test]
fn a_step_is_tried_again_after_a_pause_that_doubles() {
    let machine = PlayerMachine::new();
    package_with_retries(&machine, "bell-rope", "lucky", "bell rope", 3);
    let updates = updates(&machine, &SKILLS, "I pull the bell rope\n");
    insta::assert_snapshot!(steps(&updates), @r#"
    act starts
    act again in 10 ms: "no luck at try 1"
    act starts
    act success, retries 1
    narrate starts
    narrate success, retries 0
    plan: success true, can replan false, failed [], disabled []
    "#);
    let machine = PlayerMachine::new();
    package_with_retries(&machine, "bell-rope", "fail", "bell rope", 3);
    let updates = self::updates(&machine, &SKILLS, "I pull the bell rope\n");
    let tries: Vec<String> =
        steps(&updates).lines().filter(|line| line.starts_with("act")).map(str::to_owned).collect();
    insta::assert_snapshot!(tries.join("\n"), @r#"
    act starts
    act again in 10 ms: "it failed on purpose"
    act starts
    act again in 20 ms: "it failed on purpose"
    act starts
    act again in 40 ms: "it failed on purpose"
    act starts
    act failed, retries 3
    act starts
    act success, retries 0
    "#);
}

/// S0 FR-017, FR-027, "take very long": a skill sleeps for an hour, and the player waits for a second.
#[test]
fn a_skill_that_takes_too_long_is_stopped_and_the_campaign_answers() {
    let machine = PlayerMachine::new();
    package(&machine, "mill", "says-then-sleeps", "mill wheel", json!({"timeout": 1000}));
    let started = Instant::now();
    let said = play(&machine, &SKILLS, "I listen to the mill wheel\n");
    assert!(started.elapsed().as_secs() < 60);
    insta::assert_snapshot!(format!("{}\n--- stderr\n{}", answers(&said), said.stderr), @"
    You listen to the mill wheel.

      1. Ask Tansy Vane about the spoons
      2. Search the tide board
      3. Go up to the long stair
      4. Wait
    --- stderr
    warning: step `act` timed out: ran past its time limit of 1000 ms
    note: `mill` does not answer; it may recover
    note: `mill` has failed for good, so plans go without it; in `run`, `/enable mill` brings it back
    ");
    assert!(why(&machine).contains("mill/act  timeout"), "{}", why(&machine));
}

/// S0 FR-018, FR-027.
#[test]
fn a_plan_that_takes_too_long_is_stopped_and_the_campaign_answers() {
    let machine = PlayerMachine::new();
    package(&machine, "mill", "says-then-sleeps", "mill wheel", json!({}));
    let args = [&SKILLS[..], &["--plan-timeout-ms", "400"]].concat();
    let said = play(&machine, &args, "I listen to the mill wheel\n");
    assert!(answers(&said).starts_with("You listen to the mill wheel."), "{}", said.transcript());
    insta::assert_snapshot!(said.stderr, @"warning: step `act` timed out: ran until the plan's time limit of 400 ms was over");
}

/// S0 FR-020, §5.3(8), §5.4: the record of each plan is complete, the failed one and the one that answered.
#[test]
fn the_trace_of_a_turn_has_each_step_with_its_state_time_and_error() {
    let machine = PlayerMachine::new();
    package(&machine, "tide-clock", "fail", "tide board", json!({}));
    play(&machine, &SKILLS, "look closely at the tide board\n");
    let mut told = Vec::new();
    for plan in ["2", "3"] {
        let args = ["plan", "show", plan, "--story", "hesk", "--format", "json"];
        let shown = machine.run(&args, "").result();
        let result = shown.pointer("/result").unwrap_or_else(|| panic!("{shown}"));
        fits("execution-result", result);
        for step in result["toolResults"].as_array().unwrap() {
            assert!(step["executionTimeMs"].is_u64() && step["retryCount"].is_u64(), "{step}");
            assert!(step["events"].is_array(), "{step}");
            let error = step["error"].get("category").map_or(String::new(), |it| format!(" {it}"));
            told.push(format!("{plan} {} {}{error}", step["toolId"], step["state"]));
        }
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    2 "act" "failed" "tool_failure"
    2 "narrate" "skipped"
    3 "understand" "success"
    3 "perceive" "skipped"
    3 "roll" "skipped"
    3 "act" "success"
    3 "advance" "success"
    3 "change" "skipped"
    3 "reputation" "skipped"
    3 "perception" "skipped"
    3 "narrate" "success"
    3 "choices" "success"
    "#);
}

/// S0 FR-021, FR-027: four ways to fail, each with its own reason.
#[test]
fn each_failure_has_its_reason_and_says_that_another_plan_may_help() {
    for (guest, reason) in [
        ("fail", "it failed on purpose"),
        ("trap", "trapped"),
        ("not-json", "which is no event"),
        ("no-done", "`done`"),
    ] {
        let machine = PlayerMachine::new();
        package(&machine, "gull", guest, "tide board", json!({}));
        let updates = updates(&machine, &SKILLS, "look closely at the tide board\n");
        let finished = of_last_turn(&updates, "plan.finished");
        assert_eq!(finished[0]["success"], false, "{guest}");
        assert_eq!(
            (&finished[0]["canReplan"], &finished[0]["failedTools"]),
            (&json!(true), &json!(["act"]))
        );
        assert_eq!(finished[1]["success"], true, "{guest}");
        let told = why(&machine);
        let failed = told.lines().find(|line| line.starts_with("  step `act`")).unwrap();
        assert!(failed.contains(reason), "{guest}: {failed}");
        assert!(last_narration(&updates).contains(TIDE_BOARD), "{guest}");
    }
}

/// S0 FR-022, SC-006: the storyteller itself breaks in the middle of the story. What has happened counts, and is told plainly.
#[test]
fn without_its_storyteller_the_campaign_still_tells_what_happened() {
    let machine = PlayerMachine::new();
    play(&machine, &SKILLS, "look\n");
    machine.package_with("storyteller", "trap", json!({"name": "narrate"}));
    let file = machine.path().join("skills/storyteller/skill.json");
    let mut manifest: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    manifest["triggers"] = json!([
        {"script": "narrate", "phrases": ["look"], "input": {}, "narrate": true, "fallback": true},
    ]);
    fs::write(file, manifest.to_string()).unwrap();
    // Only a package that the player has agreed to takes the place of a built-in one.
    for order in
        [&["pack", "skills/storyteller", "--output", "s.tgz"][..], &["install", "s.tgz", "--yes"]]
    {
        let ran = machine.run(&[&["skill"], order].concat(), "");
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    }
    let args = [&["run", "--story", "hesk", "--seed=7"][..], &SKILLS].concat();
    let said = machine.run(&args, "x tide board\ngo up\n");
    assert_eq!(said.exit, Some(0), "{}", said.transcript());
    insta::assert_snapshot!(said.stdout, @"
    A slate in a frame, chalked fresh each morning. There is writing on it.

      1. Ask Mr Justice about the sale
      2. Search the tide board
      3. Go east to the boathouse
      4. Wait

    You go up to the long stair. Two hundred and twelve steps, cut for people with shorter legs. A handrail of ship's chain runs beside them. Halfway there is a niche with a seat, and in the seat a cushion, and on the cushion a label: FOR VISITORS. You can go up to the green and down to the quay.

    There are small boots on the steps behind you. When you stop, they stop. At the niche you turn round, and there is nobody on the stair but a goat, who was evidently not quick enough. “He followed you,” says a voice from behind him. “I'm only following him.” Then hooves and boots go down again together, at a run, as if that had been the plan.

      1. Read the lot book
      2. Go down to the quay
      3. Wait
      4. Read the letter of instruction
    ");
    let map = machine.run(&["run", "--story", "hesk", "--planner", "lexical"], "map\n").stdout;
    assert!(map.contains("long stair (you are here)"), "{map}");
}

/// S0 FR-023, FR-025, FR-028: five skills claim the sentence and all fail. A template answers, nothing is lost, and the next
/// sentence is played.
#[test]
fn after_five_attempts_a_template_answers_and_the_story_goes_on() {
    let machine = PlayerMachine::new();
    for skill in ["bell-a", "bell-b", "bell-c", "bell-d", "bell-e", "bell-f"] {
        package(&machine, skill, "fail", "harbour bell", json!({}));
    }
    let said = play(&machine, &SKILLS, "I ring the harbour bell\n");
    insta::assert_snapshot!(answers(&said), @"
    The story continues, though the path is unclear...

    The narrator could not find a way to go on from your words. Nothing is lost: the story is as it was, and you can try again or try something else.
    ");
    insta::assert_snapshot!(why(&machine), @"
    turn 2 “I ring the harbour bell”
    plan 2 by lexical, attempt 1: replanning
      act  bell-a/act  failed
      narrate  storyteller/narrate  skipped
      step `act` (`bell-a/act`) failed after 1 attempt: it failed on purpose
    plan 3 by lexical, attempt 2: replanning
      act  bell-b/act  failed
      narrate  storyteller/narrate  skipped
      step `act` (`bell-b/act`) failed after 1 attempt: it failed on purpose
    plan 4 by lexical, attempt 3: replanning
      act  bell-c/act  failed
      narrate  storyteller/narrate  skipped
      step `act` (`bell-c/act`) failed after 1 attempt: it failed on purpose
    plan 5 by lexical, attempt 4: replanning
      act  bell-d/act  failed
      narrate  storyteller/narrate  skipped
      step `act` (`bell-d/act`) failed after 1 attempt: it failed on purpose
    plan 6 by lexical, attempt 5: failed
      act  bell-e/act  failed
      narrate  storyteller/narrate  skipped
      step `act` (`bell-e/act`) failed after 1 attempt: it failed on purpose
    ");
    let args = [&["run", "--story", "hesk", "--seed=7"][..], &SKILLS].concat();
    let said = machine.run(&args, "go east\n");
    assert!(said.stdout.contains("the boathouse"), "{}", said.transcript());
}

/// S0 FR-024, FR-028, S1 §3.1: a skill that fails for good is left out from the first plan on, until the player brings it back.
#[test]
fn a_skill_that_failed_for_good_comes_back_when_the_player_says_so() {
    let machine = PlayerMachine::new();
    package_with_retries(&machine, "tide-clock", "fail", "tide board", 5);
    let look = "look closely at the tide board\n";
    let lines = format!("{look}/skills\n{look}/enable tide-clock\n{look}");
    let said = play(&machine, &SKILLS, &lines);
    let listed: Vec<&str> =
        said.stdout.lines().filter(|line| line.starts_with("  tide-clock")).collect();
    let notes: Vec<&str> = said.stderr.lines().filter(|line| line.starts_with("note: `")).collect();
    insta::assert_snapshot!(format!("{}\n--- stderr\n{}", listed.join("\n"), notes.join("\n")), @"
      tide-clock: A test. (failed for good, `/enable tide-clock` brings it back)
    --- stderr
    note: `tide-clock` fails often; plans use it with caution
    note: `tide-clock` has failed for good, so plans go without it; in `run`, `/enable tide-clock` brings it back
    note: `tide-clock` is in play again
    note: `tide-clock` fails often; plans use it with caution
    note: `tide-clock` has failed for good, so plans go without it; in `run`, `/enable tide-clock` brings it back
    ");
}

/// S0 FR-026, FR-029, SC-012: the log has each attempt with its time, its plan, its skills and how it ended.
#[test]
fn the_log_has_each_attempt_at_a_turn() {
    let machine = PlayerMachine::new();
    package(&machine, "tide-clock", "fail", "tide board", json!({}));
    play(&machine, &SKILLS, "look closely at the tide board\n");
    let log = fs::read_to_string(machine.path().join("kept/logs/narratoria.log")).unwrap();
    let ids = regex::Regex::new(r#"plan_id="[^"]*""#).unwrap();
    let told: Vec<String> = log
        .lines()
        .filter(|line| line.contains("turn=2") || line.contains("Plan attempt"))
        .map(|line| ids.replace(line.split_once(": ").unwrap().1, "plan_id=[ID]").into_owned())
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    turn started turn=2 prompt="look closely at the tide board" state="GENERATING"
    plan proposed turn=2 attempt=1 plan_id=[ID] planner="lexical" skills={"storyteller", "tide-clock"}
    plan started turn=2 plan_id=[ID] steps=2 state="EXECUTING"
    Plan attempt 1 failed, disabling: act
    plan finished turn=2 plan_id=[ID] success=false failed_tools=["act"] disabled_skills=["tide-clock"] state="REPLANNING"
    plan proposed turn=2 attempt=2 plan_id=[ID] planner="lexical" skills={"dice-roller", "npc-perception", "player-choices", "plot", "reputation", "storyteller", "world"}
    plan revised turn=2 plan_id=[ID] parent_plan_id="751b1717-bd4e-4f64-bac3-6646537cf866" version=2 changes="added steps `understand`, `perceive`, `roll`, `advance`, `change`, `reputation`, `perception`, `choices`; changed step `act` (toolPath: \"tide-clock/act\" -> \"world/act\", input.actions: nothing -> \"$understand.actions\", input.roll: nothing -> \"$roll\", description: nothing -> \"What happens\", reason: \"the player's words contain `tide board`\" -> \"follows from the step before\", when: nothing -> \"size(steps.understand.actions) > 0\"); changed step `narrate` (dependencies: [\"act\"] -> [\"understand\",\"perceive\",\"roll\",\"act\",\"advance\",\"change\",\"reputation\",\"perceptio…); changed the plan (parallel: false -> true)"
    plan started turn=2 plan_id=[ID] steps=10 state="EXECUTING"
    plan finished turn=2 plan_id=[ID] success=true failed_tools=[] disabled_skills=["tide-clock"] state="SUCCESS"
    turn finished turn=2 outcome="told" attempts=2 elapsed_ms=0
    "#);
    assert!(log.lines().all(|line| line.starts_with("20")), "{log}");
}
