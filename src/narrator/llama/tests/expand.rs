//! Compact plans become steps.

use serde_json::{Value, json};

use super::{catalog, example, expand, skill, tool_set, trigger};
use narratoria_plan::wire::ToolJson;
use narratoria_skills::Catalog;

/// Dice with an optional mode, a storyteller that gets the sentence, and a script with a nullable required property.
fn three() -> Catalog {
    let roll = json!({
        "type": "object",
        "required": ["formula"],
        "properties": {
            "formula": {"type": "string", "maxLength": 20},
            "mode": {"enum": ["normal", "advantage"]},
        },
    });
    let narrate = json!({
        "type": "object",
        "required": ["prompt"],
        "properties": {
            "focus": {"type": ["string", "null"]},
            "prompt": {"type": "string", "minLength": 1, "maxLength": 12},
        },
    });
    let odd = json!({
        "type": "object",
        "required": ["target"],
        "properties": {"target": {"type": ["string", "null"]}},
    });
    let mut storyteller = skill("storyteller", "narrate", &narrate);
    storyteller.triggers.push(trigger("narrate", json!({"prompt": "{sentence}"}), true));
    storyteller.scripts[0].is_async = true;
    catalog(vec![skill("dice", "roll", &roll), storyteller, skill("odd", "aim", &odd)])
}

fn show(tool: &ToolJson) -> String {
    let needs = tool.dependencies.join(",");
    let input = Value::Object(tool.input.clone());
    let is_async = tool.is_async == Some(true);
    format!(
        "{} = {} {input} <-[{needs}]{}",
        tool.tool_id,
        tool.tool_path,
        if is_async { " async" } else { "" }
    )
}

#[track_caller]
fn check(text: &str) -> String {
    let catalog = three();
    match expand(&tool_set(&catalog), &catalog, " I go to the old mill ", text) {
        Ok(expanded) => {
            let mut lines: Vec<String> = expanded.tools.iter().map(show).collect();
            lines.extend(expanded.narrative);
            lines.join("\n")
        }
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn a_tuple_becomes_a_step_and_the_host_fills_in_the_sentence() {
    insta::assert_snapshot!(check(r#"{"steps":[["dice/roll","1d20",null,[]],["dice/roll","$x","advantage",[0]],["storyteller/narrate",null,[0,1]],["odd/aim",null,[]]],"narrative":""}"#), @r#"
    roll = dice/roll {"formula":"1d20"} <-[]
    roll-2 = dice/roll {"formula":"$$x","mode":"advantage"} <-[roll]
    narrate = storyteller/narrate {"prompt":"I go to the "} <-[roll,roll-2] async
    aim = odd/aim {"target":null} <-[]
    "#);
    insta::assert_snapshot!(check(r#"{"steps":[["storyteller/narrate","the mill",[]]],"narrative":"You go."}"#), @r#"
    narrate = storyteller/narrate {"focus":"the mill","prompt":"I go to the "} <-[] async
    You go.
    "#);
}

#[test]
fn an_error_names_the_step_and_the_value() {
    let cases = [
        "",
        "[]",
        r#"{"steps":{}}"#,
        r#"{"steps":[]}"#,
        r#"{"steps":[[],[],[],[],[]]}"#,
        r#"{"steps":[7]}"#,
        r#"{"steps":[[]]}"#,
        r#"{"steps":[["dice/cheat",[]]]}"#,
        r#"{"steps":[["dice/roll","1d20",[]]]}"#,
        r#"{"steps":[["dice/roll","1d20",null,null,[]]]}"#,
        r#"{"steps":[["dice/roll","1d20",null,[0]]]}"#,
        r#"{"steps":[["dice/roll","1d20",null,0]]}"#,
        r#"{"steps":[["dice/roll","1d20",null,[-1]]]}"#,
        r#"{"steps":[{"use":"dice/roll"}]}"#,
    ];
    let table: Vec<String> = cases.iter().map(|case| check(case)).collect();
    insta::assert_snapshot!(table.join("\n"), @r#"
    error: the plan is empty, it must hold JSON
    error: the plan has no list `steps`
    error: the plan has no list `steps`
    error: the plan has 0 steps, not 1 to 4
    error: the plan has 5 steps, not 1 to 4
    error: step 0 of the plan: `7` is no step
    error: step 0 of the plan: `null` is no tool that this plan may use
    error: step 0 of the plan: `"dice/cheat"` is no tool that this plan may use
    error: step 0 of the plan: `dice/roll` has 3 parts where 4 belong
    error: step 0 of the plan: `dice/roll` has the note `[]`, which cannot stand there
    error: step 0 of the plan: `dice/roll` comes after `[0]`, which is no list of numbers below 0
    error: step 0 of the plan: `dice/roll` comes after `0`, which is no list of numbers below 0
    error: step 0 of the plan: `dice/roll` comes after `[-1]`, which is no list of numbers below 0
    error: step 0 of the plan: `{"use":"dice/roll"}` is no step
    "#);
    let long = format!("{{\"steps\":[[\"{}\"]]}}", "x".repeat(300));
    assert!(check(&long).len() < 200);
    assert!(check(&"[".repeat(70_000)).contains("at most 65536 are read"));
    assert!(check(&"[".repeat(60_000)).contains("nests deeper than 64 levels"));
}

#[test]
fn an_empty_sentence_becomes_an_ellipsis_and_a_long_one_is_cut_to_fit() {
    let catalog = three();
    let tool_set = tool_set(&catalog);
    let plan = r#"{"steps":[["storyteller/narrate",null,[]]],"narrative":""}"#;
    let prompt = |sentence: &str| {
        let expanded = expand(&tool_set, &catalog, sentence, plan).unwrap();
        expanded.tools[0].input["prompt"].as_str().unwrap().to_owned()
    };
    assert_eq!(prompt(" \n"), "…");
    assert_eq!(prompt("🗝🗝🗝🗝🗝🗝🗝🗝🗝🗝🗝🗝🗝🗝"), "🗝🗝🗝🗝🗝🗝🗝🗝🗝🗝🗝🗝");
    assert_eq!(prompt("$roll.total"), "$$roll.total");
}

/// A property that may refuse the player's words is written by the model. Fallback triggers have precedence.
#[test]
fn the_model_writes_a_property_that_the_sentence_may_not_fit() {
    let input = json!({"type": "object", "properties": {
        "free": {"type": ["string", "null"], "maxLength": 9},
        "picky": {"type": "string", "pattern": "^[a-z]+$"},
        "named": {"enum": ["a", "b"]},
        "long": {"type": "string", "minLength": 2},
        "mixed": {"type": "string"},
    }});
    let verbatim = |triggers: &[(Value, bool)]| {
        let mut skill = skill("one", "act", &input);
        for (input, fallback) in triggers {
            skill.triggers.push(trigger("act", input.clone(), *fallback));
        }
        let catalog = catalog(vec![skill]);
        let tool_set = tool_set(&catalog);
        let tool = tool_set.tool("one/act").unwrap();
        tool.verbatim_parameters.iter().map(|parameter| parameter.name.clone()).collect::<Vec<_>>()
    };
    let whole = "{sentence}";
    let all = json!({"free": whole, "picky": whole, "named": whole, "long": whole, "mixed": "{sentence}!"});
    assert_eq!(verbatim(&[(all.clone(), false)]), ["free"]);
    assert_eq!(verbatim(&[(all, false), (json!({"mixed": whole}), true)]), ["mixed"]);
    assert_eq!(verbatim(&[]), [""; 0]);
}

/// An example keeps its input when it is written and expanded again.
#[test]
fn an_example_survives_being_written_as_a_compact_plan() {
    let mut catalog = three();
    let roll = [json!({"formula": "$d6"}), json!({"formula": "1d20", "mode": "advantage"})];
    let tool_set = tool_set(&catalog);
    let tool = tool_set.tool("dice/roll").unwrap();
    for input in &roll {
        let text = tool_set
            .compact_example(tool, &example("roll", "I roll with advantage", input.clone()))
            .unwrap();
        let expanded = expand(&tool_set, &catalog, "I roll", &text).unwrap();
        let mut input = input.clone();
        crate::plan_step::escape_dollars(&mut input["formula"]);
        assert_eq!(Value::Object(expanded.tools[0].input.clone()), input, "{text}");
    }
    let cannot = [
        json!({"formula": "1d20", "mode": null}),
        json!({"formula": "1d20", "luck": 1}),
        json!({"formula": "\u{7}"}),
        json!({"formula": "1d20", "mode": "normal"}),
        json!({}),
    ];
    for input in cannot {
        assert_eq!(
            tool_set.compact_example(tool, &example("roll", "I roll with advantage", input)),
            None
        );
    }
    catalog.remove("storyteller");
    assert!(!super::tool_set(&catalog).is_empty());
}
