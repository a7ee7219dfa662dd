//! Plans become templates, and templates plans. Arguments stay literal.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ParameterType, PlanTemplate, PlanTemplateError};
use crate::{
    PlanJson, parse,
    testing::{PLAN_ID, build, catalog, skill},
};
use narratoria_skills::Schema;

const NEW_ID: &str = "00000000-0000-4000-8000-000000000002";

fn plan(input: Value) -> PlanJson {
    let plan = json!({
        "requestId": PLAN_ID,
        "narrative": "You roll 1d6.",
        "tools": [
            {"toolId": "roll", "toolPath": "any/thing", "input": input, "description": "Roll 1d6 for ${luck}"},
            {"toolId": "say", "toolPath": "any/thing", "input": {"total": "$roll.total"}},
        ],
        "metadata": {"generationAttempt": 2, "parentPlanId": PLAN_ID},
    });
    parse(plan.to_string().as_bytes()).unwrap()
}

fn named(parameters: &[(&str, Value)]) -> Vec<(String, Value)> {
    parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn given(arguments: &[(&str, &str)]) -> BTreeMap<String, String> {
    arguments.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn fill(
    template: &PlanTemplate,
    arguments: &[(&str, &str)],
) -> Result<PlanJson, PlanTemplateError> {
    template.fill(&given(arguments), NEW_ID.to_owned())
}

fn input(plan: &PlanJson) -> String {
    Value::Object(plan.tools[0].input.clone()).to_string()
}

fn say(error: &PlanTemplateError) -> String {
    let hint = error.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    format!("{error}{hint}")
}

/// S2 Plan Templates
#[test]
fn a_plan_becomes_a_template_and_a_plan_again() {
    let plan = plan(
        json!({"dice": "1d6", "label": "my 1d6", "sides": 6, "all": [6, 6.5, "6"], "price": "$5"}),
    );
    let parameters = named(&[("dice", json!("1d6")), ("sides", json!(6))]);
    let template = PlanTemplate::from_plan("roll-it", &plan, &parameters).unwrap();
    assert_snapshot!(template.to_json(), @r#"{"name":"roll-it","description":"You roll 1d6.","parameters":[{"name":"dice","description":"such as 1d6","type":"string"},{"name":"sides","description":"such as 6","type":"integer"}],"plan":{"disabledSkills":[],"narrative":"You roll ${dice}.","tools":[{"toolId":"roll","toolPath":"any/thing","input":{"dice":"${dice}","label":"my ${dice}","sides":"${sides}","all":["${sides}",6.5,"6"],"price":"$5"},"dependencies":[],"description":"Roll ${dice} for $${luck}"},{"toolId":"say","toolPath":"any/thing","input":{"total":"$roll.total"},"dependencies":[]}],"parallel":false}}"#);
    assert_eq!(
        PlanTemplate::parse(template.to_json().to_string().as_bytes()),
        Ok(template.clone())
    );

    let contract =
        serde_json::from_str(include_str!("../../../contracts/plan-template.schema.json")).unwrap();
    assert_eq!(Schema::build(contract).unwrap().mismatches(&template.to_json()), []);

    let again = fill(&template, &[("dice", "1d6"), ("sides", "6")]).unwrap();
    let mut expected = plan.clone();
    expected.request_id = NEW_ID.to_owned();
    expected.metadata = Default::default();
    assert_eq!(again, expected);
    let other = fill(&template, &[("dice", "2d20 ${sides}"), ("sides", "-20")]).unwrap();
    assert_snapshot!(input(&other), @r#"{"dice":"2d20 ${sides}","label":"my 2d20 ${sides}","sides":-20,"all":[-20,6.5,"6"],"price":"$5"}"#);
    assert_eq!(other.narrative.as_deref(), Some("You roll 2d20 ${sides}."));
}

#[test]
fn every_type_is_parsed_as_declared() {
    let parameters = named(&[
        ("text", json!("old")),
        ("whole", json!(1)),
        ("number", json!(1.5)),
        ("yes", json!(true)),
        ("list", json!([1])),
        ("object", json!({"a": 1})),
    ]);
    let plan = plan(json!({"t": "old", "w": 1, "n": 1.5, "y": true, "l": [1], "o": {"a": 1}}));
    let template = PlanTemplate::from_plan("types", &plan, &parameters).unwrap();
    let filled = fill(
        &template,
        &[
            ("text", "12"),
            ("whole", "2"),
            ("number", "3"),
            ("yes", "false"),
            ("list", r#"["$roll", 2]"#),
            ("object", r#"{"b": "${text}"}"#),
        ],
    );
    assert_snapshot!(input(&filled.unwrap()), @r#"{"t":"12","w":2,"n":3,"y":false,"l":["$$roll",2],"o":{"b":"$${text}"}}"#);
}

#[test]
fn an_argument_is_always_literal() {
    let template = |text: &str| {
        let json = json!({"name": "x", "parameters": [{"name": "v", "type": "string"}],
            "plan": {"tools": [{"toolId": "roll", "toolPath": "any/thing", "input": {"a": text}}]}});
        PlanTemplate::parse(json.to_string().as_bytes())
    };
    let cases = [
        ("${v}", "$roll"),
        ("${v}", "$$"),
        ("${v}", "$5"),
        ("${v}.total", "$roll"),
        ("${v}$roll.total", ""),
        ("x${v}", "$roll"),
        ("$$${v}", "a"),
        ("$${v}", "a"),
        ("a $$${v}", "b"),
        ("${v}", "${v}"),
        ("$$a ${v}", "b"),
    ];
    let mut shown = Vec::new();
    for (text, value) in cases {
        let filled = fill(&template(text).unwrap(), &[("v", value)]).unwrap();
        let plan = build(filled.clone(), &catalog([skill("any", &["thing"])])).unwrap();
        let step = &plan.steps()[0];
        assert!(step.input.slots().is_empty(), "{text} {value}");
        shown.push(format!(
            "{text:?} with {value:?} is written {} and means {}",
            input(&filled),
            step.input.value()
        ));
    }
    assert_snapshot!(shown.join("\n"), @r#"
    "${v}" with "$roll" is written {"a":"$$roll"} and means {"a":"$roll"}
    "${v}" with "$$" is written {"a":"$$$"} and means {"a":"$$"}
    "${v}" with "$5" is written {"a":"$$5"} and means {"a":"$5"}
    "${v}.total" with "$roll" is written {"a":"$$roll.total"} and means {"a":"$roll.total"}
    "${v}$roll.total" with "" is written {"a":"$$roll.total"} and means {"a":"$roll.total"}
    "x${v}" with "$roll" is written {"a":"x$roll"} and means {"a":"x$roll"}
    "$$${v}" with "a" is written {"a":"$${v}"} and means {"a":"${v}"}
    "$${v}" with "a" is written {"a":"${v}"} and means {"a":"${v}"}
    "a $$${v}" with "b" is written {"a":"a $${v}"} and means {"a":"a $${v}"}
    "${v}" with "${v}" is written {"a":"$${v}"} and means {"a":"${v}"}
    "$$a ${v}" with "b" is written {"a":"$$a b"} and means {"a":"$a b"}
    "#);
    let refused = ["$roll.${v}", "$5${v}", "${v", "${V}", "${w}", "${}"]
        .map(|text| say(&template(text).unwrap_err()));
    assert_snapshot!(refused.join("\n"), @"
    plan.tools[0].input.a: `$roll.${v}` begins as a reference and cannot have placeholders
    plan.tools[0].input.a: `$5${v}` begins as a reference and cannot have placeholders
    plan.tools[0].input.a: `${v` is no placeholder, which is `${name}`; `$${` stands for `${` itself
    plan.tools[0].input.a: `${V}` is no placeholder, which is `${name}`; `$${` stands for `${` itself
    plan.tools[0].input.a: `${w}` names no parameter of the template
    plan.tools[0].input.a: `${}` is no placeholder, which is `${name}`; `$${` stands for `${` itself
    ");
}

/// Arguments that a person gets wrong, such as a missing one.
#[test]
fn values_that_are_missing_unknown_or_wrong_are_named() {
    let parameters = named(&[("dice", json!("1d6")), ("sides", json!(6)), ("bag", json!(["a"]))]);
    let plan = plan(json!({"a": "1d6", "b": 6, "c": ["a"]}));
    let mut template = PlanTemplate::from_plan("roll-it", &plan, &parameters).unwrap();
    let mut shown = vec![
        fill(&template, &[]),
        fill(&template, &[("dice", "x"), ("sides", "6")]),
        fill(&template, &[("dise", "x")]),
        fill(&template, &[("colour", "x")]),
        fill(&template, &[("sides", "six")]),
        fill(&template, &[("sides", "6.5")]),
        fill(&template, &[("bag", "{}")]),
        fill(&template, &[("bag", &"[".repeat(100))]),
        fill(&template, &[("dice", &"x".repeat(70_000))]),
    ];
    template.parameters[1].default = Some(json!(20));
    shown.push(fill(&template, &[("dice", "x")]));
    let shown: Vec<String> = shown.into_iter().map(|filled| say(&filled.unwrap_err())).collect();
    assert_snapshot!(shown.join("\n"), @"
    template `roll-it` still needs `dice`, `sides`, `bag`
    hint: such as `narratoria plan new --template roll-it dice=TEXT sides=1 bag='[1, 2]'`
    template `roll-it` still needs `bag`
    hint: such as `narratoria plan new --template roll-it … bag='[1, 2]'`
    template `roll-it` has no parameter `dise`
    hint: did you mean `dice`?
    template `roll-it` has no parameter `colour`
    hint: it has `dice`, `sides`, `bag`
    parameter `sides` must be a whole number, `six` is not
    parameter `sides` must be a whole number, `6.5` is not
    parameter `bag` must be a list such as `[1, 2]`, `{}` is not
    parameter `bag` must be a list such as `[1, 2]`, `[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[…` is not
    parameter `dice` has 70000 bytes, the limit is 65536
    template `roll-it` still needs `bag`
    hint: such as `narratoria plan new --template roll-it … bag='[1, 2]'`
    ");
    let filled = fill(&template, &[("dice", "x"), ("bag", "[]")]).unwrap();
    assert_eq!(input(&filled), r#"{"a":"x","b":20,"c":[]}"#);
}

#[test]
fn an_invalid_template_is_refused() {
    let from = |name: &str, parameters: &[(&str, Value)]| {
        say(&PlanTemplate::from_plan(
            name,
            &plan(json!({"a": "1d6", "b": 6, "n": null})),
            &named(parameters),
        )
        .unwrap_err())
    };
    let read = |json: Value| say(&PlanTemplate::parse(json.to_string().as_bytes()).unwrap_err());
    let tool = |field: &str, value: Value| {
        json!({"name": "x", "parameters": [{"name": "v", "type": "array"}],
            "plan": {"tools": [{"toolId": "a", field: value}]}})
    };
    let errors = [
        from("Roll It", &[]),
        from("x", &[("a_b", json!(6))]),
        from("x", &[("a", json!(6)), ("a", json!("1d6"))]),
        from("x", &[("a", json!(6)), ("b", json!(6))]),
        from("x", &[("a", json!(7))]),
        from("x", &[("a", json!("$roll"))]),
        from("x", &[("a", Value::Null)]),
        read(json!({"name": "x"})),
        read(json!({"name": "x", "plan": []})),
        read(
            json!({"name": "x", "plan": {}, "parameters": [{"name": "v", "type": "array", "default": 1}]}),
        ),
        read(tool("when", json!("state.a == ${v}"))),
        read(tool("acceptanceCriteria", json!([{"text": "t", "holds": "output.a == ${v}"}]))),
        read(tool("input", json!({"a": ["x ${v}"]}))),
        say(&PlanTemplate::parse(&[b'['; 100]).unwrap_err()),
        say(&PlanTemplate::parse(&vec![b' '; 3 << 20]).unwrap_err()),
    ];
    assert_snapshot!(errors.join("\n"), @r#"
    `Roll It` cannot be the name of a template; a name is 1 to 64 lower-case letters, digits and `-`
    `a_b` cannot be the name of a parameter; a name is 1 to 64 lower-case letters, digits and `-`
    there are two parameters `a`
    the parameters `a` and `b` stand for the same value
    parameter `a`: `7` stands nowhere in the plan's inputs and texts
    hint: text counts within texts, other values only as a whole
    parameter `a`: `"$roll"` stands nowhere in the plan's inputs and texts
    hint: text counts within texts, other values only as a whole
    parameter `a` cannot stand for null
    the template cannot be read: missing field `plan` at line 1 column 12
    the template cannot be read: `plan` is no object
    parameter `v` must be a list such as `[1, 2]`, `1` is not
    plan.tools[0].when: placeholders may stand only in `input`, `forEach` and in what people read
    plan.tools[0].acceptanceCriteria[0].holds: placeholders may stand only in `input`, `forEach` and in what people read
    plan.tools[0].input.a[0]: `${v}` is a list or an object and cannot stand within a text
    the template cannot be read: it nests deeper than 65 levels
    the template has 3145728 bytes, the limit is 2097152
    "#);
    let template =
        PlanTemplate::parse(br#"{"name": "x", "plan": {"tools": [{"toolId": "a"}]}}"#).unwrap();
    assert_snapshot!(say(&fill(&template, &[]).unwrap_err()), @r#"
    template `x` gives no plan:
    tools[0] ("a"): "toolPath" is a required property
    "#);
    assert_eq!(ParameterType::of(&Value::Null), None);
}

#[test]
fn a_misspelt_field_names_the_one_that_is_meant_and_a_field_twice_is_refused() {
    assert_snapshot!(say(&PlanTemplate::parse(br#"{"nme": "x", "plan": {"tools": []}}"#).unwrap_err()), @r"
    the template cannot be read: unknown field `nme`, expected one of `$schema`, `$comment`, `name`, `description`, `parameters`, `plan` at line 1 column 6
    hint: did you mean `name`?
    ");
    assert_snapshot!(say(&PlanTemplate::parse(br#"{"name": "x", "plan": {"tools": [], "tools": []}}"#).unwrap_err()), @r#"the template cannot be read: the key "tools" stands twice in one object at line 1 column 43"#);
}

#[test]
fn a_comment_of_a_template_stays() {
    let json = json!({
        "$schema": "template.json", "$comment": "Mine.", "name": "x", "description": "", "parameters": [],
        "plan": {"$comment": "Its plan.", "tools": []}
    });
    let template = PlanTemplate::parse(json.to_string().as_bytes()).unwrap();
    assert_eq!(template.to_json(), json);
    assert_eq!(fill(&template, &[]).unwrap().comment.as_deref(), Some("Its plan."));
}

proptest! {
    #[test]
    fn filling_with_the_same_values_gives_the_same_plan(
        a in "[$}{a1.]{0,8}", b in "[$}{a1. ]{0,8}", note in "[$}{a1 ]{0,8}", value in "[$}{a1]{1,3}"
    ) {
        let mut plan = plan(json!({"a": a, "b": [b], "value": "x", "c": 7}));
        plan.tools[0].description = Some(note);
        plan.tools[0].input.insert("value".to_owned(), json!(if value.starts_with('$') {
            format!("${value}")
        } else {
            value.clone()
        }));
        let parameters = named(&[("v", json!(value)), ("c", json!(7))]);
        let template = PlanTemplate::from_plan("x", &plan, &parameters).unwrap();
        let again = fill(&template, &[("v", &value), ("c", "7")]).unwrap();
        prop_assert_eq!(input(&again), input(&plan));
        prop_assert_eq!(&again.tools[0].description, &plan.tools[0].description);
    }

    #[test]
    fn no_template_can_hurt(text in "[$}{\\[\"a:,. ]{0,40}", value in "[$}{a\\[\"]{0,6}") {
        let json = json!({"name": "x", "parameters": [{"name": "a", "type": "string"}],
            "plan": {"tools": [{"toolId": "a", "toolPath": "any/thing", "input": {"a": text}}]}});
        let _ = PlanTemplate::parse(text.as_bytes());
        if let Ok(template) = PlanTemplate::parse(json.to_string().as_bytes()) {
            let filled = fill(&template, &[("a", &value)]).unwrap();
            let placeholders = |plan: PlanJson| {
                build(plan, &catalog([skill("any", &["thing"])])).map(|plan| plan.steps()[0].input.slots().len())
            };
            if text.contains("${a}") && !text.contains("$${a}") {
                prop_assert_eq!(placeholders(filled).ok(), Some(0));
            }
        }
    }
}
