//! Acceptance criteria (S3): their form, their rules, and the errors of a plan's check about invalid ones.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::data_flow::demo;
use crate::{
    CriterionJson, CriterionJudge, parse, same_definition,
    testing::{PLAN_ID, build, render},
    wire::ToolJson,
};

fn checked(criteria: Value) -> String {
    let plan = json!({"requestId": PLAN_ID, "tools": [
        {"toolId": "a", "toolPath": "dice/roll", "acceptanceCriteria": criteria},
    ]});
    match parse(plan.to_string().as_bytes()).and_then(|json| build(json, &demo())) {
        Err(errors) => render(&errors),
        Ok(plan) => {
            let input = narratoria_protocol::Object::new();
            let output = json!({"total": 3, "rolls": [1, 2], "text": "low"});
            let judged = plan.steps()[0].acceptance_criteria.iter().map(|criterion| {
                let answer = criterion.check(&output, &input);
                format!("{}: {}", criterion.text, answer.err().unwrap_or_else(|| "ok".to_owned()))
            });
            judged.collect::<Vec<_>>().join("\n")
        }
    }
}

/// S3 `acceptanceCriteria`: a schema or a condition judges an output, and a text alone stops nothing.
#[test]
fn a_rule_judges_an_output() {
    assert_snapshot!(checked(json!([
        "it is fair",
        {"text": "it has a text", "expect": {"required": ["text"]}},
        {"text": "it is high", "expect": {"properties": {"total": {"minimum": 4}}}},
        {"text": "it adds up", "holds": "output.total == output.rolls[0] + output.rolls[1]"},
        {"text": "it is higher", "holds": "output.total > 3"},
        {"text": "it was asked for", "holds": "!has(input.formula)"},
        {"text": "there is a third", "holds": "output.rolls[2] > 0"},
        {"text": "nothing more"},
    ])), @"
    it is fair: ok
    it has a text: ok
    it is high: 3 is less than the minimum of 4 at `/total`
    it adds up: ok
    it is higher: `output.total > 3` is false
    it was asked for: ok
    there is a third: the condition `output.rolls[2] > 0` has no answer: `output.rolls` has no item 2, it has 2
    nothing more: ok
    ");
}

/// S3 `acceptanceCriteria`: a rule that could never have an answer is an error before anything runs.
#[test]
fn a_wrong_criterion_is_refused_with_its_place() {
    assert_snapshot!([
        json!([{"text": "a", "holds": "output.totl > 3"}]),
        json!([{"text": "a", "holds": "state.door == 'open' || steps.a == null"}]),
        json!([{"text": "a", "holds": "output.total"}]),
        json!(["b", {"text": "a", "holds": "outputs.total > "}]),
        json!([{"text": "a", "expect": {"type": "numbr"}}]),
        json!([{"text": "a", "expect": {}, "holds": "true"}]),
        json!([{"holds": "true"}]),
        json!([7]),
    ]
    .map(checked)
    .join("\n"), @r#"
    error: tools[0] ("a").acceptanceCriteria[0].holds: `output` has no field `totl`; did you mean `total`?
    category: invalid_json
    error: tools[0] ("a").acceptanceCriteria[0].holds: a criterion reads `output` and `input`, not `state`
    error: tools[0] ("a").acceptanceCriteria[0].holds: a criterion reads `output` and `input`, not `steps`
    category: invalid_json
    error: tools[0] ("a").acceptanceCriteria[0].holds: the condition gives a whole number, it must be true or false
    category: invalid_json
    error: tools[0] ("a").acceptanceCriteria[1].holds: the condition is no CEL expression: column 17: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!',…
    category: invalid_json
    error: tools[0] ("a").acceptanceCriteria[0].expect: not a usable JSON Schema (2020-12): /type: "numbr" is not valid under any of the schemas listed in the 'anyOf' keyword
    hint: `expect` is a JSON Schema that refers to nothing else, such as `{"required": ["text"]}`
    category: invalid_json
    error: tools[0] ("a").acceptanceCriteria[0]: {"text":"a","expect":{},"holds":"true"} has more than 2 properties
    category: invalid_json
    error: tools[0] ("a").acceptanceCriteria[0]: "text" is a required property
    category: invalid_json
    error: tools[0] ("a").acceptanceCriteria[0]: 7 is not of types "string", "object"
    category: invalid_json
    "#);
}

/// A condition of `when` has no `output`.
#[test]
fn only_a_criterion_reads_the_output() {
    let plan = json!({"requestId": PLAN_ID, "tools": [
        {"toolId": "a", "toolPath": "dice/roll", "when": "output.total > 3"},
    ]});
    let errors = build(parse(plan.to_string().as_bytes()).unwrap(), &demo()).unwrap_err();
    assert!(errors.to_string().contains("there is no variable `output`"), "{errors}");
}

#[test]
fn a_criterion_with_a_rule_is_part_of_the_definition() {
    let tool = |criteria: Value| -> ToolJson {
        let tool = json!({"toolId": "a", "toolPath": "x/y", "acceptanceCriteria": criteria});
        serde_json::from_value(tool).unwrap()
    };
    let plain = tool(json!([]));
    assert!(same_definition(&plain, &tool(json!(["c", {"text": "d"}]))));
    for rule in [json!({"text": "c", "holds": "true"}), json!({"text": "c", "expect": {}})] {
        assert!(!same_definition(&plain, &tool(json!([rule]))), "{rule}");
    }
}

#[test]
fn a_criterion_survives_json() {
    for (json, judge) in [
        (json!("c"), CriterionJudge::Player),
        (json!({"text": "c"}), CriterionJudge::Player),
        (json!({"text": "c", "expect": {"type": "object"}}), CriterionJudge::Expect),
        (json!({"text": "c", "holds": "true"}), CriterionJudge::Condition),
    ] {
        let criterion: CriterionJson = serde_json::from_value(json.clone()).unwrap();
        assert_eq!((criterion.text(), criterion.judge()), ("c", judge));
        assert_eq!(serde_json::to_value(criterion).unwrap(), json);
    }
}
