//! Plans of several skills in a story with a world: triggers that ask for a state, names in scope, follow-ups.

use std::{sync::LazyLock, time::Duration};

use serde_json::{Value, json};

use super::LexicalPlanner;
use crate::PlanRequest;
use narratoria_plan::{BuildOptions, Plan, wire::PlanJson};
use narratoria_protocol::Object;
use narratoria_skills::{Catalog, EmbeddedFiles, EmbeddedPackage, PackageRoot, load};

const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";
const ANY: &[u8] = br#"{"type": "object"}"#;

const WORLD: EmbeddedFiles = &[
    (
        "skill.json",
        br#"{
            "name": "world", "description": "d", "version": "1.0.0",
            "triggers": [
                {
                    "script": "understand", "rest": true, "ifState": "/world/scope",
                    "input": {"sentence": "{sentence}"},
                    "then": [
                        {"id": "roll", "tool": "dice/roll", "when": "has(steps.understand.check)",
                         "description": "What it takes", "required": false,
                         "input": {"formula": "$understand.check.formula"}},
                        {"id": "act", "tool": "world/act", "when": "size(steps.understand.actions) > 0",
                         "input": {"actions": "$understand.actions", "roll": "$roll"}},
                        {"id": "choices", "tool": "choices/offer", "afterNarration": true,
                         "when": "steps.act != null", "input": {"about": "{sentence}"}}
                    ]
                },
                {
                    "script": "look", "ifState": "/world/scope", "needs": ["who"],
                    "patterns": ["\\bfigure of (?P<who>[A-Za-z ]+)"], "input": {"who": "{who}"},
                    "then": [{"id": "picture", "tool": "capability:drawing", "input": {"who": "$look.who"}}]
                },
                {
                    "script": "show", "ifState": "/world/scope",
                    "patterns": ["\\bportrait of (?P<who>[A-Za-z ]+)"], "input": {"who": "{who}"}
                }
            ],
            "scripts": [
                {"name": "understand", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"},
                {"name": "act", "path": "scripts/a.wasm", "description": "d", "inputSchema": "act.json", "reads": ["/world"]},
                {"name": "look", "path": "scripts/a.wasm", "description": "d", "inputSchema": "look.json", "reads": ["/world/scope"]},
                {"name": "show", "path": "scripts/a.wasm", "description": "d", "inputSchema": "show.json", "reads": ["/world/scope"]}
            ]
        }"#,
    ),
    ("any.json", ANY),
    ("act.json", br#"{"type": "object", "required": ["actions"], "properties": {
        "actions": {"type": "array"}, "roll": {"type": ["object", "null"]}}}"#),
    ("look.json", br#"{"type": "object", "properties": {
        "who": {"type": ["string", "null"], "valuesFrom": "/world/scope/people"}}}"#),
    ("show.json", br#"{"type": "object", "required": ["who"], "properties": {
        "who": {"type": "string", "valuesFrom": "/world/scope/people"}}}"#),
    ("prompt.md", b"p"),
    ("scripts/a.wasm", COMPONENT),
];

const DICE: EmbeddedFiles = &[
    (
        "skill.json",
        br#"{
            "name": "dice", "description": "d", "version": "1.0.0",
            "triggers": [
                {"script": "roll", "patterns": ["\\b(?P<formula>\\d*d\\d+)\\b"], "input": {"formula": "{formula}"}},
                {"script": "roll", "phrases": ["attack", "climb"], "unlessState": "/world/scope", "input": {"formula": "1d20"}}
            ],
            "scripts": [{"name": "roll", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"}]
        }"#,
    ),
    ("any.json", ANY),
    (
        "examples/climb.json",
        br#"{"script": "roll", "sentence": "I scale the tower", "input": {"formula": "1d20"}, "expect": {}}"#,
    ),
    ("prompt.md", b"p"),
    ("scripts/a.wasm", COMPONENT),
];

const STORY: EmbeddedFiles = &[
    (
        "skill.json",
        br#"{
            "name": "teller", "description": "d", "version": "1.0.0",
            "triggers": [{"script": "narrate", "fallback": true, "phrases": ["look"], "input": {"prompt": "{sentence}"}}],
            "scripts": [{"name": "narrate", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"}]
        }"#,
    ),
    ("any.json", ANY),
    ("prompt.md", b"p"),
    ("scripts/a.wasm", COMPONENT),
];

const CHOICES: EmbeddedFiles = &[
    (
        "skill.json",
        br#"{
            "name": "choices", "description": "d", "version": "1.0.0",
            "triggers": [{"script": "offer", "phrases": ["what can I do"], "narrate": false, "input": {"about": "it"}}],
            "scripts": [{"name": "offer", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json", "required": false}]
        }"#,
    ),
    ("any.json", ANY),
    ("prompt.md", b"p"),
    ("scripts/a.wasm", COMPONENT),
];

const FIRE: EmbeddedFiles = &[
    (
        "skill.json",
        br#"{
            "name": "fire", "description": "d", "version": "1.0.0",
            "triggers": [{
                "script": "find", "phrases": ["burn"], "input": {"words": "{sentence}"},
                "then": [{"id": "burn", "tool": "fire/burn", "input": {"what": "$find.what"},
                          "when": "has(steps.find.what)", "description": "What burns is gone", "requiresApproval": true}]
            }],
            "scripts": [
                {"name": "find", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"},
                {"name": "burn", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"}
            ]
        }"#,
    ),
    ("any.json", ANY),
    ("prompt.md", b"p"),
    ("scripts/a.wasm", COMPONENT),
];

const PENCIL: EmbeddedFiles = &[
    (
        "skill.json",
        br#"{
            "name": "pencil", "description": "d", "version": "1.0.0", "capabilities": ["drawing"],
            "scripts": [{"name": "draw", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"}]
        }"#,
    ),
    ("any.json", ANY),
    ("prompt.md", b"p"),
    ("scripts/a.wasm", COMPONENT),
];

const ALL: &[EmbeddedPackage] = &[
    ("choices", CHOICES),
    ("dice", DICE),
    ("pencil", PENCIL),
    ("fire", FIRE),
    ("teller", STORY),
    ("world", WORLD),
];

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let loaded = load(&[PackageRoot::BuiltIn(ALL)]);
    assert_eq!(loaded.problems, []);
    loaded.catalog
});

/// The plan for a sentence; it can run.
fn plan_of(sentence: &str, state: Value, disabled: &[&str]) -> PlanJson {
    let disabled: Vec<String> = disabled.iter().map(|name| (*name).to_owned()).collect();
    let state: Object = state.as_object().cloned().unwrap();
    let request = PlanRequest {
        disabled_skills: &disabled,
        ..PlanRequest::first(
            sentence,
            &CATALOG,
            &state,
            "00000000-0000-4000-8000-000000000000".to_owned(),
            Duration::from_secs(5),
        )
    };
    let plan = LexicalPlanner::new().plan(&request).unwrap();
    let state_values = Some(CATALOG.state_values(&state));
    let options = BuildOptions { state_values, ..BuildOptions::default() };
    Plan::build(plan.clone(), &CATALOG, &options).unwrap();
    plan
}

/// The plan for a sentence, one step a line.
fn check_in(sentence: &str, state: Value, disabled: &[&str]) -> String {
    let plan = plan_of(sentence, state, disabled);
    let line = |tool: &narratoria_plan::wire::ToolJson| {
        let when = tool.when.as_ref().map_or(String::new(), |when| format!(" when {when}"));
        let needs = match tool.dependencies.as_slice() {
            [] => String::new(),
            needs => format!(" <- {}", needs.join(", ")),
        };
        let input = Value::Object(tool.input.clone());
        format!("{} = {} {input}{needs}{when}", tool.tool_id, tool.tool_path)
    };
    plan.tools.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn world() -> Value {
    json!({"world": {"scope": {"people": ["Mira the ferrywoman", "Ulf"]}}})
}

fn check(sentence: &str) -> String {
    check_in(sentence, world(), &[])
}

#[test]
fn in_a_world_a_sentence_is_understood_then_done_then_told() {
    insta::assert_snapshot!(check("I climb the $old tower"), @r#"
    understand = world/understand {"sentence":"I climb the $old tower"}
    roll = dice/roll {"formula":"$understand.check.formula"} when has(steps.understand.check)
    act = world/act {"actions":"$understand.actions","roll":"$roll"} when size(steps.understand.actions) > 0
    narrate = teller/narrate {"prompt":"I climb the $old tower"} <- understand, roll, act
    choices = choices/offer {"about":"I climb the $old tower"} <- narrate when steps.act != null
    "#);
}

/// S2 "LLM Prompt", `requestApproval`: a plan without a model has references, conditions, descriptions and reasons as well, and the
/// player is asked before what cannot be undone.
#[test]
fn a_trigger_gives_its_steps_a_description_a_reason_and_an_approval() {
    let plan = plan_of("I burn the letter", json!({}), &[]);
    let tools = serde_json::to_value(&plan.tools[..2]).unwrap();
    insta::assert_snapshot!(format!("{tools:#}"), @r#"
    [
      {
        "toolId": "find",
        "toolPath": "fire/find",
        "input": {
          "words": "I burn the letter"
        },
        "dependencies": [],
        "required": true,
        "async": false,
        "reason": "the player's words contain `burn`"
      },
      {
        "toolId": "burn",
        "toolPath": "fire/burn",
        "input": {
          "what": "$find.what"
        },
        "dependencies": [],
        "required": true,
        "async": false,
        "description": "What burns is gone",
        "reason": "follows from the step before",
        "requiresApproval": true,
        "when": "has(steps.find.what)"
      }
    ]
    "#);
    assert_eq!(plan.tools.len(), 3, "the narration follows");
}

/// A field of `needs` is a name that exists; a capability is whichever skill has it when the plan runs.
#[test]
fn a_trigger_counts_only_for_a_name_that_exists_and_asks_any_skill_with_a_capability() {
    insta::assert_snapshot!(check("the figure of Mira"), @r#"
    look = world/look {"who":"Mira the ferrywoman"}
    picture = capability:drawing {"who":"$look.who"}
    narrate = teller/narrate {"prompt":"the figure of Mira"} <- look, picture
    "#);
    insta::assert_snapshot!(check("the figure of Gandalf"), @r#"
    understand = world/understand {"sentence":"the figure of Gandalf"}
    roll = dice/roll {"formula":"$understand.check.formula"} when has(steps.understand.check)
    act = world/act {"actions":"$understand.actions","roll":"$roll"} when size(steps.understand.actions) > 0
    narrate = teller/narrate {"prompt":"the figure of Gandalf"} <- understand, roll, act
    choices = choices/offer {"about":"the figure of Gandalf"} <- narrate when steps.act != null
    "#);
}

#[test]
fn without_a_world_everything_is_as_it_was() {
    insta::assert_snapshot!(check_in("I climb the tower", json!({}), &[]), @r#"
    roll = dice/roll {"formula":"1d20"}
    narrate = teller/narrate {"prompt":"I climb the tower"} <- roll
    "#);
    insta::assert_snapshot!(check_in("I climb the tower", json!({"world": {"scope": null}}), &[]), @r#"
    roll = dice/roll {"formula":"1d20"}
    narrate = teller/narrate {"prompt":"I climb the tower"} <- roll
    "#);
    insta::assert_snapshot!(check_in("a portrait of Ulf", json!({}), &[]), @r#"narrate = teller/narrate {"prompt":"a portrait of Ulf"}"#);
}

#[test]
fn what_another_skill_is_asked_for_is_not_the_worlds() {
    insta::assert_snapshot!(check("roll 2d6"), @r#"
    roll = dice/roll {"formula":"2d6"}
    narrate = teller/narrate {"prompt":"roll 2d6"} <- roll
    "#);
    insta::assert_snapshot!(check("what can I do?"), @r#"offer = choices/offer {"about":"it"}"#);
    insta::assert_snapshot!(check("take the rope and light it, then roll 2d6"), @r#"
    understand = world/understand {"sentence":"take the rope and light it"}
    roll = dice/roll {"formula":"$understand.check.formula"} when has(steps.understand.check)
    act = world/act {"actions":"$understand.actions","roll":"$roll"} when size(steps.understand.actions) > 0
    roll-2 = dice/roll {"formula":"2d6"}
    narrate = teller/narrate {"prompt":"take the rope and light it, then roll 2d6"} <- understand, roll, act, roll-2
    choices = choices/offer {"about":"take the rope and light it"} <- narrate when steps.act != null
    "#);
}

#[test]
fn a_step_whose_skill_is_not_there_is_left_out_with_what_refers_to_it() {
    insta::assert_snapshot!(check_in("take the rope", world(), &["dice", "choices"]), @r#"
    understand = world/understand {"sentence":"take the rope"}
    act = world/act {"actions":"$understand.actions"} when size(steps.understand.actions) > 0
    narrate = teller/narrate {"prompt":"take the rope"} <- understand, act
    "#);
    insta::assert_snapshot!(check_in("take the rope", world(), &["world"]), @r#"narrate = teller/narrate {"prompt":"take the rope"}"#);
}

#[test]
fn a_name_in_the_state_is_found_in_the_players_words() {
    insta::assert_snapshot!(check("draw me a portrait of the ferrywomen"), @r#"
    show = world/show {"who":"Mira the ferrywoman"}
    narrate = teller/narrate {"prompt":"draw me a portrait of the ferrywomen"} <- show
    "#);
    // There is no such person, so the trigger does not count, and the world answers.
    insta::assert_snapshot!(check("a portrait of Gandalf"), @r#"
    understand = world/understand {"sentence":"a portrait of Gandalf"}
    roll = dice/roll {"formula":"$understand.check.formula"} when has(steps.understand.check)
    act = world/act {"actions":"$understand.actions","roll":"$roll"} when size(steps.understand.actions) > 0
    narrate = teller/narrate {"prompt":"a portrait of Gandalf"} <- understand, roll, act
    choices = choices/offer {"about":"a portrait of Gandalf"} <- narrate when steps.act != null
    "#);
}
