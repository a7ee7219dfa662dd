//! Tool sets and grammars of small catalogs.

use serde_json::{Value, json};

use super::{
    catalog, one_script, skill, tool_set, trigger,
    walk::{can_write, walk},
};
use crate::llama::tool_set::{TOOL_SET_MAX, ToolSet};
use narratoria_skills::Catalog;
use rand::{SeedableRng, rngs::SmallRng};

fn show(tool_set: &ToolSet) -> String {
    let mut lines: Vec<String> = tool_set.paths().map(str::to_owned).collect();
    lines.extend(tool_set.left_out().iter().map(|(path, reason)| format!("- {path}: {reason}")));
    lines.join("\n")
}

/// The built-in skills of the smallest play: dice, choices and the storyteller.
fn three_built_in_skills() -> Catalog {
    let all = super::built_in_catalog();
    let mut three = Catalog::default();
    for name in ["dice-roller", "player-choices", "storyteller"] {
        three.insert_shared(all.get(name).unwrap().clone());
    }
    three
}

fn nothing() -> Value {
    json!({"type": "object"})
}

#[test]
fn narrating_scripts_come_first_then_priority_then_name() {
    let mut strong = skill("strong", "act", &nothing());
    strong.priority = 90;
    strong.scripts.push(one_script("rest", &nothing()));
    let mut tell = skill("weak-teller", "tell", &nothing());
    tell.priority = 1;
    tell.triggers.push(trigger("tell", json!({}), true));
    let required = json!({"type": "object", "properties": {"x": {"not": {}}}, "required": ["x"]});
    let catalog = catalog(vec![
        skill("b", "act", &nothing()),
        skill("a", "act", &nothing()),
        strong,
        tell,
        skill("hard", "act", &required),
    ]);
    insta::assert_snapshot!(show(&tool_set(&catalog)), @"
    weak-teller/tell
    strong/act
    strong/rest
    a/act
    b/act
    - hard/act: its input `x` has `not`, which a grammar cannot be held to
    ");
    let disabled = ["strong".to_owned(), "unknown".to_owned()];
    insta::assert_snapshot!(show(&tool_set(&catalog).with_disabled(&disabled)), @"
    weak-teller/tell
    a/act
    b/act
    - hard/act: its input `x` has `not`, which a grammar cannot be held to
    ");
    assert_eq!(
        show(&ToolSet::from_catalog(&catalog, &disabled, &can_write)),
        show(&tool_set(&catalog).with_disabled(&disabled))
    );
    let all: Vec<String> = catalog.iter().map(|skill| skill.name.clone()).collect();
    assert!(tool_set(&catalog).with_disabled(&all).is_empty());
    assert!(tool_set(&Catalog::default()).is_empty());
}

#[test]
fn a_large_catalog_is_cut_and_its_grammar_still_works() {
    let wide = json!({"type": "object", "properties": {
        "a": {"type": "string"}, "b": {"type": "number"}, "c": {"enum": ["x", "y", "z"]},
        "d": {"type": "array", "items": {"type": "object", "properties": {"e": {"type": "integer"}, "f": {"type": "string", "pattern": "^[a-z]+$"}}}},
    }});
    let skills = (0..40).map(|nth| skill(&format!("skill-{nth:02}"), "act", &wide)).collect();
    let catalog = catalog(skills);
    let tool_set = tool_set(&catalog);
    assert_eq!(tool_set.paths().count(), TOOL_SET_MAX);
    assert_eq!(tool_set.left_out().len(), 40 - TOOL_SET_MAX);
    assert_eq!(tool_set.left_out()[0].1, "at most 32 scripts are offered");
    walk(&tool_set.plan_schema(), &mut SmallRng::seed_from_u64(1));
}

/// The reasons distinguish a refusal by the grammar compiler from a refusal by the lowering.
#[test]
fn a_tool_that_the_grammar_refuses_is_not_offered() {
    let schema = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}, "ok": {"type": "boolean"}}});
    let mut required = schema("bad");
    required["required"] = json!(["bad"]);
    let catalog = catalog(vec![
        skill("good", "act", &schema("fine")),
        skill("some", "act", &schema("bad")),
        skill("none", "act", &required),
    ]);
    let refuse_text = |schema: &Value| {
        // A tuple has no parameter names, so the number of free texts shows which parameters are offered.
        match schema.to_string().matches("\"maxLength\":160").count() {
            0 => Ok(()),
            count => Err(format!("{count} texts")),
        }
    };
    let tool_set = ToolSet::from_catalog(&catalog, &[], &refuse_text);
    insta::assert_snapshot!(show(&tool_set), @"
    good/act
    some/act
    - none/act: its grammar is refused: 4 texts
    ");
    let refuse_all = |_: &Value| Err("no".to_owned());
    let tool_set = ToolSet::from_catalog(&catalog, &[], &refuse_all);
    assert!(tool_set.is_empty());
    insta::assert_snapshot!(show(&tool_set), @"
    - good/act: its grammar is refused: no
    - none/act: its grammar is refused: no
    - some/act: its grammar is refused: no
    ");
}

/// The snapshot is the whole grammar of three skills, so that every change is visible.
#[test]
fn the_grammar_of_built_in_skills() {
    let catalog = three_built_in_skills();
    let tool_set = tool_set(&catalog);
    let schema = tool_set.plan_schema();
    let mut lines = Vec::new();
    for (name, part) in schema["$defs"].as_object().unwrap() {
        lines.push(format!("{name}: {part}"));
    }
    let steps = &schema["properties"]["steps"];
    for (idx, places) in steps["prefixItems"].as_array().unwrap().iter().enumerate() {
        for step in places["anyOf"].as_array().unwrap() {
            lines.push(format!("step {idx}: {step}"));
        }
    }
    insta::assert_snapshot!(lines.join("\n"), @r##"
    0: {"anyOf":[{"type":"string","maxLength":160},{"type":"null"}]}
    1: {"enum":["critical_failure","failure","partial","success","critical_success",null]}
    2: {"enum":["classic","noir","whimsical","terse",null]}
    3: {"type":"object","properties":{"ask":{"const":true},"do":{"type":"string","minLength":1,"maxLength":60},"why":{"type":"string","minLength":1,"maxLength":60}},"additionalProperties":false}
    4: {"type":"string","minLength":1,"maxLength":100}
    5: {"enum":["normal","advantage","disadvantage",null]}
    6: {"anyOf":[{"anyOf":[{"type":"integer","minimum":-100,"maximum":-1},{"type":"integer","minimum":0,"maximum":100}]},{"type":"object","properties":{"modifier":{"anyOf":[{"type":"integer","minimum":-100,"maximum":-1},{"type":"integer","minimum":0,"maximum":100}]}},"required":["modifier"],"additionalProperties":false},{"type":"null"}]}
    7: {"anyOf":[{"type":"integer","minimum":3,"maximum":5},{"type":"null"}]}
    8: {"type":"object","properties":{"$":{"enum":["storyteller/narrate.text","dice-roller/roll-dice.formula","dice-roller/roll-dice.mode"]}},"required":["$"],"additionalProperties":false}
    9: {"type":"object","properties":{"if":{"anyOf":[{"type":"array","prefixItems":[{"enum":["dice-roller/roll-dice.maximum","dice-roller/roll-dice.minimum","dice-roller/roll-dice.modifier","dice-roller/roll-dice.total"]},{"enum":[">=","<=",">","<","=="]},{"anyOf":[{"type":"integer","minimum":-9999,"maximum":-1},{"type":"integer","minimum":0,"maximum":9999}]}],"items":false,"minItems":3,"maxItems":3},{"type":"array","prefixItems":[{"enum":["dice-roller/roll-dice.mode"]},{"enum":["is"]},{"enum":["normal","advantage","disadvantage"]}],"items":false,"minItems":3,"maxItems":3}]},"ask":{"const":true},"do":{"type":"string","minLength":1,"maxLength":60},"why":{"type":"string","minLength":1,"maxLength":60}},"additionalProperties":false}
    10: {"type":"object","properties":{"$":{"enum":["dice-roller/roll-dice.maximum","dice-roller/roll-dice.minimum","dice-roller/roll-dice.modifier","dice-roller/roll-dice.total"]}},"required":["$"],"additionalProperties":false}
    step 0: {"type":"array","prefixItems":[{"const":"storyteller/narrate"},{"$ref":"#/$defs/0"},{"$ref":"#/$defs/1"},{"$ref":"#/$defs/2"},{"enum":[[]]},{"$ref":"#/$defs/3"}],"items":false,"minItems":5,"maxItems":6}
    step 0: {"type":"array","prefixItems":[{"const":"dice-roller/roll-dice"},{"$ref":"#/$defs/4"},{"$ref":"#/$defs/5"},{"$ref":"#/$defs/6"},{"enum":[[]]},{"$ref":"#/$defs/3"}],"items":false,"minItems":5,"maxItems":6}
    step 0: {"type":"array","prefixItems":[{"const":"player-choices/generate-choices"},{"$ref":"#/$defs/0"},{"$ref":"#/$defs/7"},{"enum":[[]]},{"$ref":"#/$defs/3"}],"items":false,"minItems":4,"maxItems":5}
    step 1: {"type":"array","prefixItems":[{"const":"storyteller/narrate"},{"anyOf":[{"$ref":"#/$defs/0"},{"$ref":"#/$defs/8"}]},{"$ref":"#/$defs/1"},{"$ref":"#/$defs/2"},{"enum":[[],[0]]},{"$ref":"#/$defs/9"}],"items":false,"minItems":5,"maxItems":6}
    step 1: {"type":"array","prefixItems":[{"const":"dice-roller/roll-dice"},{"anyOf":[{"$ref":"#/$defs/4"},{"$ref":"#/$defs/8"}]},{"$ref":"#/$defs/5"},{"$ref":"#/$defs/6"},{"enum":[[],[0]]},{"$ref":"#/$defs/9"}],"items":false,"minItems":5,"maxItems":6}
    step 1: {"type":"array","prefixItems":[{"const":"player-choices/generate-choices"},{"anyOf":[{"$ref":"#/$defs/0"},{"$ref":"#/$defs/8"}]},{"anyOf":[{"$ref":"#/$defs/7"},{"$ref":"#/$defs/10"}]},{"enum":[[],[0]]},{"$ref":"#/$defs/9"}],"items":false,"minItems":4,"maxItems":5}
    step 2: {"type":"array","prefixItems":[{"const":"storyteller/narrate"},{"anyOf":[{"$ref":"#/$defs/0"},{"$ref":"#/$defs/8"}]},{"$ref":"#/$defs/1"},{"$ref":"#/$defs/2"},{"enum":[[],[0],[1],[0,1]]},{"$ref":"#/$defs/9"}],"items":false,"minItems":5,"maxItems":6}
    step 2: {"type":"array","prefixItems":[{"const":"dice-roller/roll-dice"},{"anyOf":[{"$ref":"#/$defs/4"},{"$ref":"#/$defs/8"}]},{"$ref":"#/$defs/5"},{"$ref":"#/$defs/6"},{"enum":[[],[0],[1],[0,1]]},{"$ref":"#/$defs/9"}],"items":false,"minItems":5,"maxItems":6}
    step 2: {"type":"array","prefixItems":[{"const":"player-choices/generate-choices"},{"anyOf":[{"$ref":"#/$defs/0"},{"$ref":"#/$defs/8"}]},{"anyOf":[{"$ref":"#/$defs/7"},{"$ref":"#/$defs/10"}]},{"enum":[[],[0],[1],[0,1]]},{"$ref":"#/$defs/9"}],"items":false,"minItems":4,"maxItems":5}
    step 3: {"type":"array","prefixItems":[{"const":"storyteller/narrate"},{"anyOf":[{"$ref":"#/$defs/0"},{"$ref":"#/$defs/8"}]},{"$ref":"#/$defs/1"},{"$ref":"#/$defs/2"},{"enum":[[],[0],[1],[0,1],[2],[0,2],[1,2],[0,1,2]]},{"$ref":"#/$defs/9"}],"items":false,"minItems":5,"maxItems":6}
    step 3: {"type":"array","prefixItems":[{"const":"dice-roller/roll-dice"},{"anyOf":[{"$ref":"#/$defs/4"},{"$ref":"#/$defs/8"}]},{"$ref":"#/$defs/5"},{"$ref":"#/$defs/6"},{"enum":[[],[0],[1],[0,1],[2],[0,2],[1,2],[0,1,2]]},{"$ref":"#/$defs/9"}],"items":false,"minItems":5,"maxItems":6}
    step 3: {"type":"array","prefixItems":[{"const":"player-choices/generate-choices"},{"anyOf":[{"$ref":"#/$defs/0"},{"$ref":"#/$defs/8"}]},{"anyOf":[{"$ref":"#/$defs/7"},{"$ref":"#/$defs/10"}]},{"enum":[[],[0],[1],[0,1],[2],[0,2],[1,2],[0,1,2]]},{"$ref":"#/$defs/9"}],"items":false,"minItems":4,"maxItems":5}
    "##);
    let mut rest = schema.clone();
    rest["properties"]["steps"]["prefixItems"] = json!([]);
    rest["$defs"] = json!({});
    insta::assert_snapshot!(rest, @r#"{"$defs":{},"type":"object","properties":{"steps":{"type":"array","prefixItems":[],"items":false,"minItems":1,"maxItems":4},"narrative":{"type":"string","maxLength":120}},"required":["steps","narrative"],"additionalProperties":false}"#);
    assert_eq!(
        show(&tool_set),
        "storyteller/narrate\ndice-roller/roll-dice\nplayer-choices/generate-choices"
    );
}

/// An input with several object types is a single parameter.
#[test]
fn a_tagged_input_is_one_parameter() {
    let input = json!({"type": "object", "oneOf": [
        {"properties": {"kind": {"const": "go"}, "to": {"type": "string"}}, "required": ["kind", "to"]},
        {"properties": {"kind": {"const": "stay"}}, "required": ["kind"]},
    ]});
    let catalog = catalog(vec![skill("move", "act", &input)]);
    let tool_set = tool_set(&catalog);
    let text = r#"{"steps":[["move/act",{"kind":"go","to":"the mill"},[]]],"narrative":""}"#;
    let expanded = super::expand(&tool_set, &catalog, "", text).unwrap();
    assert_eq!(expanded.tools[0].input["to"], "the mill");
    assert!(super::expand(&tool_set, &catalog, "", r#"{"steps":[["move/act",1,[]]]}"#).is_err());
}
