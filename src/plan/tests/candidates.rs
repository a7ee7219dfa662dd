//! Candidates of a step, approval, skipped steps, and plans of any form.

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::data_flow::{demo, roll, show, tools, with_input};
use crate::{
    BuildOptions, Plan, parse, same_definition,
    testing::{PLAN_ID, build, plan_json, skill},
    wire::{RetryPolicyJson, ToolJson},
};

/// S0 FR-015, FR-017: the bounds themselves are allowed; the values beyond them are refused.
#[test]
fn retries_and_times_may_be_at_their_bounds() {
    let mut plan = plan_json("a b");
    for (idx, (timeout_ms, retries, backoff_ms)) in
        [(300_000, 10, 60_000), (1, 0, 0)].into_iter().enumerate()
    {
        plan.tools[idx].timeout_ms = Some(timeout_ms);
        plan.tools[idx].retry_policy =
            Some(RetryPolicyJson { max_retries: Some(retries), backoff_ms: Some(backoff_ms) });
    }
    let plan = build(plan, &super::demo()).unwrap();
    let shown: Vec<String> = plan
        .steps()
        .iter()
        .map(|step| {
            let first = step.first_candidate();
            let retry = first.retry;
            format!("{:?} {} x {:?}", first.timeout, retry.retries_max, retry.backoff)
        })
        .collect();
    assert_eq!(shown, ["300s 10 x 60s", "1ms 0 x 0ns"]);
}

/// S3 `suggestedAgent`.
#[test]
fn every_skill_with_the_capability_is_a_candidate_and_the_suggested_one_is_first() {
    let search = |more: Value| {
        let mut tool = json!({"toolId": "a", "toolPath": "capability:search"});
        tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tools(json!([tool, {"toolId": "b", "toolPath": "any/thing", "input": {
            "x": "$a.people[0].name", "y": "$a.omens[0]",
        }}]))
    };
    assert_snapshot!(search(json!({})), @r#"
    a oracle/search|memory/search {}
    b<-a any/thing {"x":"$a.people[0].name","y":"$a.omens[0]"} /x=a /y=a
    "#);
    assert_snapshot!(search(json!({"suggestedSkill": "memory"})), @r#"
    a memory/search|oracle/search {}
    b<-a any/thing {"x":"$a.people[0].name","y":"$a.omens[0]"} /x=a /y=a
    "#);
    assert_snapshot!(search(json!({"suggestedSkill": "dice"})), @r#"
    a oracle/search|memory/search {}
    b<-a any/thing {"x":"$a.people[0].name","y":"$a.omens[0]"} /x=a /y=a
    "#);
    assert_snapshot!(search(json!({"suggestedSkill": "memry"})), @"
    error: step `a` suggests skill `memry`, which does not exist
    hint: did you mean `memory`?
    category: invalid_json
    ");
    assert_snapshot!(search(json!({"suggestedSkill": "teleporter"})), @"
    error: step `a` suggests skill `teleporter`, which does not exist
    hint: `narratoria skill list` shows who is there
    category: invalid_json
    ");
}

/// S3 `suggestedAgent`.
#[test]
fn another_skill_with_a_script_of_that_name_may_be_suggested() {
    let tell = |suggested: &str| {
        tools(json!([{"toolId": "a", "toolPath": "clerk/tell", "suggestedSkill": suggested}]))
    };
    assert_snapshot!(tell("thief"), @"a thief/tell|clerk/tell {}");
    assert_snapshot!(tell("clerk"), @"a clerk/tell {}");
    assert_snapshot!(tell("dice"), @"a clerk/tell {}");
}

#[test]
fn a_candidate_that_refuses_the_input_is_left_out() {
    let tell = |input: Value| {
        tools(json!([roll(), {"toolId": "a", "toolPath": "capability:telling", "input": input}]))
    };
    assert_snapshot!(tell(json!({"prompt": 7})), @r#"
    roll dice/roll {}
    a clerk/tell {"prompt":7}
    "#);
    assert_snapshot!(tell(json!({"prompt": "$roll.text"})), @r#"
    roll dice/roll {}
    a<-roll bard/tell {"prompt":"$roll.text"} /prompt=roll
    "#);
    assert_snapshot!(tell(json!({"prompt": true})), @r#"
    error: tools[1] ("a").input.prompt: true is not of type "string"
    hint: `bard/tell` takes: prompt, sum, lines
    category: invalid_json
    "#);
    assert_snapshot!(tell(json!({"prompt": "$roll.rolls"})), @r#"
    error: tools[1] ("a").input.prompt: `$roll.rolls` is a list, `bard/tell` takes a string
    category: invalid_json
    "#);
}

#[test]
fn approval_is_asked_for_by_the_plan_or_the_manifest() {
    assert_snapshot!(tools(json!([
        {"toolId": "a", "toolPath": "any/thing", "requiresApproval": true},
        {"toolId": "b", "toolPath": "thief/steal", "requiresApproval": false},
        {"toolId": "c", "toolPath": "any/thing"},
    ])), @"
    a any/thing {} once approved
    b thief/steal {} once approved
    c any/thing {}
    ");
}

#[test]
fn a_step_that_may_be_skipped_may_give_null() {
    let null = with_input(
        skill("null", &["take"]),
        json!({"type": "object", "properties": {"x": {"type": "null"}}}),
    );
    let mut catalog = demo();
    catalog.insert(null);
    let take = |more: Value, from: &str| {
        let mut roll = roll();
        roll.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let text = json!({"requestId": PLAN_ID, "tools": [
            roll, {"toolId": "a", "toolPath": "null/take", "input": {"x": from}},
        ]});
        build(parse(text.to_string().as_bytes()).unwrap(), &catalog).is_ok()
    };
    assert!(!take(json!({}), "$roll"));
    assert!(take(json!({"required": false}), "$roll"));
    assert!(take(json!({"requiresApproval": true}), "$roll"));
    assert!(take(json!({"skip": true}), "$roll"));
    assert!(!take(json!({"required": false}), "$roll.total"));
}

#[test]
fn a_step_with_a_reused_result_may_use_a_disabled_skill() {
    let text = json!({"requestId": PLAN_ID, "disabledSkills": ["dice"], "tools": [roll()]});
    let json = parse(text.to_string().as_bytes()).unwrap();
    let options =
        BuildOptions { reused_results: ["roll".to_owned()].into(), ..BuildOptions::default() };
    assert!(build(json.clone(), &demo()).is_err());
    assert_eq!(show(&Plan::build(json, &demo(), &options).unwrap()), "roll dice/roll {}");
}

/// S2, strategy 3: a planner that repairs a plan may skip the step whose skill failed.
#[test]
fn a_step_that_is_skipped_may_use_a_disabled_skill() {
    let mut skipped = roll();
    skipped["skip"] = json!(true);
    let text = json!({"requestId": PLAN_ID, "disabledSkills": ["dice"], "tools": [skipped]});
    let json = parse(text.to_string().as_bytes()).unwrap();
    assert!(build(json, &demo()).is_ok());
}

#[test]
fn texts_for_people_are_no_part_of_a_definition() {
    let tool = |more: Value| -> ToolJson {
        let mut tool = json!({
            "toolId": "a", "toolPath": "x/y", "input": {"a": 1, "b": 2}, "dependencies": ["b", "c"],
        });
        tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(tool).unwrap()
    };
    let plain = tool(json!({}));
    let same = |more: Value| same_definition(&plain, &tool(more));
    assert!(same(json!({"dependencies": ["c", "b"], "input": {"b": 2, "a": 1}})));
    assert!(same(json!({"description": "d", "reason": "r", "instructions": "i"})));
    assert!(same(json!({"acceptanceCriteria": ["c"]})));
    for more in [
        json!({"toolId": "z"}),
        json!({"dependencies": ["b"]}),
        json!({"input": {"a": 1}}),
        json!({"skip": true}),
        json!({"when": "true"}),
        json!({"suggestedSkill": "x"}),
        json!({"expect": true}),
        json!({"required": true}),
    ] {
        assert!(!same(more.clone()), "{more}");
    }
}

/// Long plans are only for benches, and must build quickly.
#[test]
fn the_limit_of_steps_can_be_lifted() {
    let steps = 4096;
    let tool = |at: usize| match at {
        0 => json!({"toolId": "s0", "toolPath": "dice/roll"}),
        _ => json!({"toolId": format!("s{at}"), "toolPath": "dice/roll",
            "input": {"x": format!("$s{}.total", at - 1)}, "dependencies": [format!("s{}", at / 2)]}),
    };
    let tools: Vec<Value> = (0..steps).map(tool).collect();
    let json = serde_json::from_value(json!({"requestId": PLAN_ID, "tools": tools})).unwrap();
    let options = BuildOptions { steps_max: Some(steps), ..BuildOptions::default() };
    assert_eq!(Plan::build(json, &demo(), &options).unwrap().steps().len(), steps);
}

/// Strings that look like references, and values of any form.
fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[$a-c.\\[\\]0-9]{0,8}".prop_map(Value::from),
        r"\$(a|b|item|index|a\.b)((\.[a-z~/é]{0,3})|(\[[0-9x-]{0,2}\]?)){0,4}"
            .prop_map(Value::from),
    ];
    let leaf = prop_oneof![Just(Value::Null), any::<i8>().prop_map(Value::from), text];
    leaf.prop_recursive(6, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-c$~/]{0,2}", inner, 0..4)
                .prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn no_value_brings_parse_or_build_down(
        input in proptest::collection::btree_map("[a-z~/]{0,6}", value(), 0..4),
        items in value(), expect in value(), when in "[a-z$.()=\\[\\]\"0-9 ]{1,12}",
        extras in any::<[bool; 4]>(), path in 0..5_usize,
    ) {
        let paths = ["dice/roll", "bard/tell", "capability:search", "capability:telling", "any/thing"];
        let mut b = json!({"toolId": "b", "toolPath": paths[path], "input": input});
        let fields = [("forEach", items), ("expect", expect), ("when", json!(when)), ("maxItems", json!(3))];
        for ((field, value), _) in fields.into_iter().zip(extras).filter(|(_, is_used)| *is_used) {
            b[field] = value;
        }
        let plan = json!({"requestId": PLAN_ID, "tools": [
            {"toolId": "a", "toolPath": "memory/search"}, b,
            {"toolId": "a.b", "toolPath": "any/thing", "input": {"x": "$b[0].x"}},
        ]});
        if let Ok(json) = parse(plan.to_string().as_bytes()) {
            let _ = build(json, &demo());
        }
        if let Ok(json) = serde_json::from_value(plan) {
            let _ = build(json, &demo());
        }
    }
}
