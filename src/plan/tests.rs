mod candidates;
mod criteria;
mod data_flow;
mod scope;
mod sums;
mod yaml;

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    BuildOptions, PLAN_BYTES_MAX, Plan, STEPS_MAX, parse,
    testing::{PLAN_ID, build, catalog, plan_json, render, script, skill},
};
use narratoria_skills::Catalog;

/// Dice to roll, two skills that narrate, and one that asks first.
fn demo() -> Catalog {
    let mut dice = skill("dice", &[]);
    let schema = json!({
        "type": "object",
        "properties": {"sides": {"type": "integer"}, "label": {"type": "string"}},
        "required": ["sides"],
        "additionalProperties": false
    });
    dice.scripts = vec![script("roll", schema), script("flip", json!({"type": "object"}))];
    let mut bard = skill("bard", &["sing", "hum"]);
    (bard.capabilities, bard.priority) = (vec!["narration".to_owned()], 60);
    let mut monk = skill("monk", &["chant"]);
    (monk.capabilities, monk.priority) = (vec!["narration".to_owned()], 40);
    let mut thief = skill("thief", &["steal"]);
    thief.scripts[0].requires_approval = true;
    catalog([dice, bard, monk, thief, skill("any", &["thing"])])
}

/// `b<-a,c` reads "b needs a and c". Returns the run order with its needs, or the errors.
fn graph(plan: &str) -> String {
    match build(plan_json(plan), &demo()) {
        Err(errors) => render(&errors),
        Ok(plan) => show(&plan),
    }
}

fn show(plan: &Plan) -> String {
    let step = |step: &super::Step| {
        let needs: Vec<&str> =
            step.needs.iter().map(|need| plan.step(*need).tool_id.as_str()).collect();
        match needs.as_slice() {
            [] => step.tool_id.clone(),
            needs => format!("{}<-{}", step.tool_id, needs.join(",")),
        }
    };
    plan.steps().iter().map(step).collect::<Vec<_>>().join(" ")
}

/// Builds a plan from its tools. Returns the paths and inputs, or the errors.
fn tools(tools: Value) -> String {
    text(&json!({"requestId": PLAN_ID, "tools": tools}).to_string())
}

fn text(text: &str) -> String {
    let built = parse(text.as_bytes())
        .and_then(|json| Plan::build(json, &demo(), &BuildOptions::default()));
    match built {
        Err(errors) => render(&errors),
        Ok(plan) => plan
            .steps()
            .iter()
            .map(|step| format!("{} {}", step.first_candidate().tool_path(), step.input.value()))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

/// S0 FR-011, S1 §2.2.
#[test]
fn the_order_follows_the_needs_and_ties_follow_the_text() {
    assert_snapshot!(graph("d<-b,c c<-a b<-a a e"), @"a c<-a b<-a d<-c,b e");
    assert_snapshot!(graph("c b a"), @"c b a");
    assert_snapshot!(graph(""), @"");
}

/// S0 FR-012, §5.3(1), "circular dependencies", S1 §4.2.
#[test]
fn a_cycle_names_its_path() {
    assert_snapshot!(graph("a<-b b<-a"), @"
    error: steps wait for each other: a -> b -> a
    hint: take one of these dependencies out
    category: circular_dependency
    ");
    assert_snapshot!(graph("x d<-c c<-b b<-d,x"), @"
    error: steps wait for each other: d -> c -> b -> d
    hint: take one of these dependencies out
    category: circular_dependency
    ");
}

/// S0 FR-012.
#[test]
fn the_shortest_cycle_of_each_component_is_reported() {
    assert_snapshot!(graph("a<-d b<-a c<-b,d d<-c p<-q q<-p"), @"
    error: steps wait for each other: c -> d -> c
    error: steps wait for each other: p -> q -> p
    hint: take one of these dependencies out
    category: circular_dependency
    ");
}

/// S0 FR-012.
#[test]
fn a_step_that_needs_itself_is_a_cycle() {
    assert_snapshot!(graph("a<-a"), @"
    error: step `a` needs itself
    hint: take that dependency out
    category: circular_dependency
    ");
}

#[test]
fn a_dependency_that_is_not_there_gets_the_nearest_name() {
    assert_snapshot!(graph("torch door<-trch"), @"
    error: step `door` needs `trch`, which is not in the plan
    hint: did you mean `torch`?
    category: invalid_json
    ");
    assert_snapshot!(graph("torch door<-xyz"), @"
    error: step `door` needs `xyz`, which is not in the plan
    hint: a dependency is the `toolId` of another step of the plan
    category: invalid_json
    ");
}

#[test]
fn duplicates_are_named() {
    assert_snapshot!(graph("a b<-a,a a"), @"
    error: `tools[0]` and `tools[2]` are both called `a`
    error: step `b` needs `a` twice
    hint: give one of them another id
    hint: name it once
    category: invalid_json
    ");
}

/// S2 "Plan Validation".
#[test]
fn every_error_is_reported_not_only_the_first() {
    assert_snapshot!(graph("a<-x b<-y c<-d d<-c"), @"
    error: step `a` needs `x`, which is not in the plan
    error: step `b` needs `y`, which is not in the plan
    error: steps wait for each other: c -> d -> c
    hint: a dependency is the `toolId` of another step of the plan
    hint: take one of these dependencies out
    category: circular_dependency
    ");
}

#[test]
fn a_plan_full_of_errors_stays_readable() {
    let plan: Vec<String> = (0..200).map(|step| format!("s{step}<-q{step}qqqqqqq")).collect();
    let report = graph(&plan.join(" "));
    assert_eq!(report.lines().filter(|line| line.starts_with("error")).count(), 32);
    assert!(report.contains("and 168 more"), "{report}");
}

#[test]
fn a_plan_has_at_most_256_steps() {
    let plan = |steps| (0..steps).map(|step| format!("s{step}")).collect::<Vec<_>>().join(" ");
    assert!(build(plan_json(&plan(STEPS_MAX)), &demo()).is_ok());
    assert_snapshot!(graph(&plan(STEPS_MAX + 1)), @"
    error: the plan has 257 steps, the limit is 256
    hint: a loop (`forEach`) over a list is one step
    category: invalid_json
    ");
}

#[test]
fn a_tool_path_names_a_script_in_two_ways() {
    assert_snapshot!(tools(json!([
        {"toolId": "a", "toolPath": "dice/flip"},
        {"toolId": "b", "toolPath": "skills/dice/scripts/flip.wasm"},
    ])), @"
    dice/flip {}
    dice/flip {}
    ");
}

#[test]
fn an_unknown_tool_path_gets_the_nearest_name_or_the_list() {
    assert_snapshot!(tools(json!([
        {"toolId": "a", "toolPath": "dicee/roll"},
        {"toolId": "b", "toolPath": "dice/rol"},
        {"toolId": "c", "toolPath": "dice/explode"},
        {"toolId": "d", "toolPath": "teleporter/go"},
    ])), @"
    error: step `a`: there is no skill `dicee`
    error: step `b`: skill `dice` has no script `rol`
    error: step `c`: skill `dice` has no script `explode`
    error: step `d`: there is no skill `teleporter`
    hint: did you mean `dice`?
    hint: did you mean `dice/roll`?
    hint: skill `dice` has: roll, flip
    hint: known scripts: any/thing, bard/sing, bard/hum, dice/roll, dice/flip, monk/chant, thief/steal
    category: invalid_json
    ");
}

#[test]
fn a_path_that_leads_out_of_the_catalog_is_no_tool_path() {
    assert_snapshot!(tools(json!([{"toolId": "a", "toolPath": "/bin/sh"}])), @r#"
    error: step `a`: `/bin/sh` is not a tool path
    hint: write `<skill>/<script>` or `capability:<tag>`
    category: invalid_json
    "#);
    let mut plan = plan_json("a");
    plan.tools[0].tool_path = "../dice/roll".to_owned();
    assert_snapshot!(render(&build(plan, &demo()).unwrap_err()), @"
    error: step `a`: `../dice/roll` is not a tool path
    hint: write `<skill>/<script>` or `capability:<tag>`; known scripts: any/thing, bard/sing, bard/hum, dice/roll, dice/flip, monk/chant, thief/steal
    category: invalid_json
    ");
}

#[test]
fn a_capability_picks_the_enabled_skill_of_highest_priority() {
    let narrate = json!([{"toolId": "a", "toolPath": "capability:narration"}]);
    assert_snapshot!(tools(narrate.clone()), @"bard/sing {}");
    let disable = |skills: Value| {
        let plan = json!({"requestId": PLAN_ID, "tools": narrate, "disabledSkills": skills});
        text(&plan.to_string())
    };
    assert_snapshot!(disable(json!(["bard"])), @"monk/chant {}");
    assert_snapshot!(disable(json!(["monk", "bard"])), @"
    error: step `a`: every skill with the capability `narration` is disabled (bard, monk)
    hint: ask for another capability, or leave the step out
    category: invalid_json
    ");
    assert_snapshot!(tools(json!([{"toolId": "a", "toolPath": "capability:naration"}])), @"
    error: step `a`: no skill has the capability `naration`
    hint: did you mean `capability:narration`?
    category: invalid_json
    ");
}

/// S0 FR-008: checked, although the planner must not use one.
#[test]
fn a_disabled_skill_is_refused_whether_the_plan_or_the_host_disabled_it() {
    let mut plan = plan_json("a b");
    plan.tools[1].tool_path = "dice/flip".to_owned();
    plan.disabled_skills = vec!["any".to_owned()];
    let options =
        BuildOptions { disabled_skills: ["dice".to_owned()].into(), ..BuildOptions::default() };
    assert_snapshot!(render(&Plan::build(plan, &demo(), &options).unwrap_err()), @"
    error: step `a` uses skill `any`, which is disabled
    error: step `b` uses skill `dice`, which is disabled
    hint: known scripts: bard/sing, bard/hum, monk/chant, thief/steal
    category: invalid_json
    ");
}

#[test]
fn a_plan_lists_the_disabled_skills_of_its_text_and_of_the_host() {
    let mut plan = plan_json("a");
    plan.disabled_skills = vec!["monk".to_owned(), "dice".to_owned()];
    let options = BuildOptions {
        disabled_skills: ["bard".to_owned(), "dice".to_owned()].into(),
        ..BuildOptions::default()
    };
    let plan = Plan::build(plan, &demo(), &options).unwrap();
    assert_eq!(plan.disabled_skills(), ["monk", "dice", "bard"]);
}

#[test]
fn an_input_must_fit_the_scripts_schema() {
    assert_snapshot!(tools(json!([
        {"toolId": "a", "toolPath": "dice/roll", "input": {"sides": 6}},
        {"toolId": "b", "toolPath": "dice/roll", "input": {"sides": "six", "sidez": 6}},
        {"toolId": "c", "toolPath": "dice/roll"},
    ])), @r#"
    error: tools[1] ("b").input.sides: "six" is not of type "integer"
    error: tools[1] ("b").input: Additional properties are not allowed ('sidez' was unexpected); did you mean `sides`?
    error: tools[2] ("c").input: "sides" is a required property
    hint: `dice/roll` takes: sides, label
    category: invalid_json
    "#);
}

#[test]
fn a_doubled_dollar_reaches_the_script_as_one() {
    let roll = json!({"sides": 6, "label": "$$gold"});
    assert_snapshot!(tools(json!([{"toolId": "a", "toolPath": "dice/roll", "input": roll}])), @r#"dice/roll {"sides":6,"label":"$gold"}"#);
}

#[test]
fn a_step_has_the_defaults_of_its_script_and_skill() {
    let mut any = skill("any", &["thing"]);
    any.scripts[0].required = false;
    any.scripts[0].is_async = true;
    let mut plan = plan_json("a b");
    plan.tools[1].required = Some(true);
    plan.tools[1].is_async = Some(false);
    plan.tools[1].timeout_ms = Some(5);
    plan.tools[1].retry_policy =
        Some(super::wire::RetryPolicyJson { max_retries: Some(2), backoff_ms: None });
    let plan = build(plan, &catalog([any])).unwrap();
    let shown: Vec<String> = plan
        .steps()
        .iter()
        .map(|s| {
            let retry = format!(
                "{} x {:?}",
                s.first_candidate().retry.retries_max,
                s.first_candidate().retry.backoff
            );
            format!("{} {} {:?} {retry}", s.required, s.is_async, s.first_candidate().timeout)
        })
        .collect();
    assert_snapshot!(shown.join("\n"), @"
    false true 30s 0 x 100ms
    true false 5ms 2 x 100ms
    ");
}

#[test]
fn numbers_and_ids_are_checked_even_when_no_text_was_parsed() {
    let mut plan = plan_json("a b/c");
    plan.request_id = "7".to_owned();
    plan.metadata.parent_plan_id = Some("mother".to_owned());
    plan.metadata.generation_attempt = 0;
    plan.tools[0].timeout_ms = Some(300_001);
    plan.tools[0].retry_policy =
        Some(super::wire::RetryPolicyJson { max_retries: Some(11), backoff_ms: Some(60_001) });
    assert_snapshot!(render(&build(plan, &demo()).unwrap_err()), @r#"
    error: `requestId` is `7`, it must be a UUID
    error: `metadata.parentPlanId` is `mother`, it must be a UUID
    error: metadata.generationAttempt is 0, it must be between 1 and 4294967295
    error: tools[0] ("a").timeoutMs is 300001, it must be between 1 and 300000
    error: tools[0] ("a").retryPolicy.maxRetries is 11, it must be between 0 and 10
    error: tools[0] ("a").retryPolicy.backoffMs is 60001, it must be between 0 and 60000
    error: `tools[1]` is called `b/c`; an id is 1 to 64 letters, digits, `_`, `.` and `-`
    hint: a UUID looks like `00000000-0000-4000-8000-000000000000`
    category: invalid_json
    "#);
}

#[test]
fn a_json_error_has_line_and_column() {
    assert_snapshot!(text("{\n  \"requestId\": oops\n}"), @r#"
    error: the plan is not JSON: line 2, column 16: expected value
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    category: invalid_json
    "#);
    assert_snapshot!(text("{} {}"), @r#"
    error: the plan is not JSON: line 1, column 4: trailing characters
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    category: invalid_json
    "#);
    assert_snapshot!(text(""), @r#"
    error: the plan is empty, it must hold JSON
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    category: invalid_json
    "#);
    assert_snapshot!(text("{\"tools\": [{\"requiresApproval\": true,\n\"requiresApproval\": false}]}"), @r#"
    error: line 2, column 18: the key "requiresApproval" stands twice in one object
    hint: take one of the two out: only one of them could count
    category: invalid_json
    "#);
    assert_snapshot!(render(&parse(b"\xff\xfe{\0}\0").unwrap_err()), @r#"
    error: the plan is UTF-16; save it as UTF-8
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    category: invalid_json
    "#);
    assert_snapshot!(render(&parse(b"{\n  \"\xff").unwrap_err()), @r#"
    error: line 2, column 4: not UTF-8
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    category: invalid_json
    "#);
}

/// Some editors write a byte order mark, and others read `$schema`.
#[test]
fn a_mark_a_schema_and_a_comment_are_welcome() {
    let text = format!(
        "\u{feff}{{\"$schema\": \"plan.json\", \"$comment\": \"Mine.\", \"requestId\": \"{PLAN_ID}\", \"tools\": []}}"
    );
    let plan = parse(text.as_bytes()).unwrap();
    let again = serde_json::to_value(&plan).unwrap();
    assert_eq!((&again["$schema"], &again["$comment"]), (&"plan.json".into(), &"Mine.".into()));
}

#[test]
fn a_schema_violation_names_the_tool_and_the_field() {
    assert_snapshot!(text("[]"), @r#"
    error: the plan: [] is not of type "object"
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    category: invalid_json
    "#);
    assert_snapshot!(tools(json!([
        {"toolId": "torch", "toolPath": "dice/roll"},
        {"toolId": "door", "toolPath": "dice/roll", "input": [], "dependencies": [7]},
        {"toolPath": "dice/roll", "wen": "true"},
        {"toolId": "not an id", "toolPath": "dice/roll"},
    ])), @r#"
    error: tools[1] ("door").input: [] is not of type "object"
    error: tools[1] ("door").dependencies[0]: 7 is not of type "string"
    error: tools[2]: "toolId" is a required property
    error: tools[2] has a field `wen` that no plan has
    error: `tools[3]` is called `not an id`; an id is 1 to 64 letters, digits, `_`, `.` and `-`
    hint: did you mean `when`?
    category: invalid_json
    "#);
}

/// In JSON Schema `1.0` is an integer.
#[test]
fn a_whole_number_may_be_written_with_a_point() {
    let plan = json!({
        "requestId": PLAN_ID, "metadata": {"generationAttempt": 2.0},
        "tools": [{"toolId": "a", "toolPath": "dice/flip", "timeoutMs": 5.0, "forEach": [],
            "maxItems": 3.0, "retryPolicy": {"maxRetries": 1.0, "backoffMs": 1e3}}],
    });
    let plan = build(parse(plan.to_string().as_bytes()).unwrap(), &demo()).unwrap();
    let (step, first) = (&plan.steps()[0], plan.steps()[0].first_candidate());
    let retry = first.retry;
    assert_eq!((plan.attempt(), step.for_each.as_ref().unwrap().items_max), (2, 3));
    assert_eq!((first.timeout.as_millis(), retry.retries_max, retry.backoff.as_secs()), (5, 1, 1));
    assert_snapshot!(
        tools(json!([{"toolId": "a", "toolPath": "dice/flip", "timeoutMs": 5.5}])),
        @r#"
    error: tools[0] ("a").timeoutMs: 5.5 is not of type "integer"
    category: invalid_json
    "#
    );
}

#[test]
fn size_and_depth_have_limits() {
    assert_snapshot!(text(&" ".repeat(PLAN_BYTES_MAX + 1)), @"
    error: the plan has 1048577 bytes, the limit is 1048576
    category: invalid_json
    ");
    assert_snapshot!(text(&"[".repeat(100_000)), @"
    error: the plan nests deeper than 64 levels
    category: invalid_json
    ");
}

/// S0 FR-010.
#[test]
fn attempt_lineage_and_metadata_are_carried() {
    let plan = json!({
        "requestId": PLAN_ID,
        "narrative": "You listen.",
        "tools": [],
        "onFailure": "stop",
        "metadata": {
            "generationAttempt": 2, "parentPlanId": PLAN_ID, "story": {"rationale": "quiet"}
        }
    });
    let plan = build(parse(plan.to_string().as_bytes()).unwrap(), &demo()).unwrap();
    assert_eq!((plan.attempt(), plan.parent_plan_id()), (2, Some(PLAN_ID)));
    assert_eq!(Value::Object(plan.metadata().clone()), json!({"story": {"rationale": "quiet"}}));
    assert_eq!(plan.narrative(), Some("You listen."));
    assert!(plan.stop_on_failure());
}

proptest! {
    #[test]
    fn parse_never_panics_on_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn neither_parse_nor_build_panics_on_broken_plans(
        at in 0_usize..300, with in "[\\[\\]{}\",:$a0\\\\é-]{0,3}", cut in 0_usize..5
    ) {
        let plan = json!({"requestId": PLAN_ID, "parallel": true, "tools": [
            {"toolId": "a", "toolPath": "dice/roll", "input": {"sides": 6}, "dependencies": ["b"]},
            {"toolId": "b", "toolPath": "capability:narration", "retryPolicy": {"maxRetries": 3}},
        ]}).to_string();
        let at = at.min(plan.len());
        let broken = format!("{}{with}{}", &plan[..at], &plan[(at + cut).min(plan.len())..]);
        if let Ok(json) = parse(broken.as_bytes()) {
            let _ = build(json, &demo());
        }
    }
}
