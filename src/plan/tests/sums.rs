//! Sums for checking a plan, over all of its steps.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{text, tools};
use crate::{
    BuildOptions, Plan, parse,
    testing::{PLAN_ID, catalog, render, script, skill},
};
use narratoria_skills::VALIDATION_STEPS_MAX;

fn steps(count: usize, step: impl Fn(usize) -> Value) -> Value {
    let steps = (0..count).map(|at| {
        let mut step = step(at);
        (step["toolId"], step["toolPath"]) = (json!(format!("s{at}")), json!("any/thing"));
        step
    });
    json!(steps.collect::<Vec<_>>())
}

#[test]
fn the_patterns_of_all_conditions_have_a_sum() {
    let condition = |at: usize| {
        let mut when = format!("state.name.matches('a{at}')");
        for unit in ["[a-z]{200}", "\\\\w+x", "\\\\w+y", "(k|l){90}"] {
            let _ = write!(when, " || state.name.matches('{unit}{at}')");
        }
        json!({ "when": when })
    };
    assert_eq!(tools(steps(4, condition)).lines().count(), 4);
    let refused = tools(steps(200, condition));
    assert!(
        refused.contains("all patterns here together are larger than 1048576 bytes"),
        "{refused}"
    );
}

#[test]
fn the_schemas_of_all_expectations_have_a_sum() {
    let fields: Value = (0..4_000)
        .map(|at| (format!("f{at}"), json!(true)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let expect = |_| json!({"expect": {"type": "object", "properties": fields}});
    assert_eq!(tools(steps(2, expect)).lines().count(), 2);
    let refused = tools(steps(9, expect));
    assert!(refused.contains("all schemas here together have more than 20000 parts"), "{refused}");
}

/// One check of this input costs nearly all that one check may cost, and a plan has hundreds of steps.
#[test]
fn checking_the_inputs_of_a_plan_has_a_sum() {
    let mut costly = skill("costly", &[]);
    let schema =
        json!({"type": "object", "additionalProperties": {"allOf": vec![json!(true); 4_000]}});
    costly.scripts = vec![script("act", schema)];
    let input: Value =
        (0..3_000).map(|at| (format!("f{at}"), json!(0))).collect::<serde_json::Map<_, _>>().into();
    let steps = costly.scripts[0].input_schema.steps_to_check(&input).unwrap();
    assert!(steps * 2 > VALIDATION_STEPS_MAX, "{steps}");
    let catalog = catalog([costly]);
    let build = |count: usize| {
        let step =
            |at| json!({"toolId": format!("s{at}"), "toolPath": "costly/act", "input": input});
        let tools: Vec<Value> = (0..count).map(step).collect();
        let json = parse(json!({"requestId": PLAN_ID, "tools": tools}).to_string().as_bytes());
        match json.and_then(|json| Plan::build(json, &catalog, &BuildOptions::default())) {
            Ok(_) => "fits".to_owned(),
            Err(errors) => render(&errors),
        }
    };
    assert_eq!(build(2), "fits");
    let refused = build(20);
    assert!(
        refused.contains("costs more steps to check than are left for all checks here"),
        "{refused}"
    );
    assert_eq!(
        text(
            &json!({"requestId": PLAN_ID, "tools": [{"toolId": "a", "toolPath": "any/thing"}]})
                .to_string()
        ),
        "any/thing {}"
    );
}
