//! The steps that follow the actions of a model's plan, and the names by which the model refers to its steps.

use std::{fs, sync::LazyLock};

use serde_json::{Value, json};

use super::{add_consequences, rename};
use crate::matching::SkillChoice;
use narratoria_plan::wire::ToolJson;
use narratoria_protocol::Object;
use narratoria_skills::{Catalog, EmbeddedFiles, PackageRoot, load};

const ANY: &[u8] = br#"{"type": "object"}"#;

const WORLD: EmbeddedFiles = &[
    (
        "skill.json",
        br#"{
            "name": "world", "description": "d", "version": "1.0.0",
            "triggers": [
                {"script": "understand", "rest": true, "ifState": "/plot/now", "input": {"sentence": "{sentence}"},
                 "then": [
                    {"id": "act", "tool": "world/act", "input": {"actions": "$understand.actions"}},
                    {"id": "advance", "tool": "world/advance", "when": "steps.act != null", "input": {"act": "$act"}},
                    {"id": "change", "tool": "world/change", "when": "size(steps.advance.changes) > 0",
                     "input": {"changes": "$advance.changes"}},
                    {"id": "choices", "tool": "world/advance", "afterNarration": true, "input": {"act": "$act"}}
                 ]},
                {"script": "narrate", "fallback": true, "phrases": ["look"], "input": {"prompt": "{sentence}"}}
            ],
            "scripts": [
                {"name": "understand", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"},
                {"name": "act", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"},
                {"name": "advance", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"},
                {"name": "change", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"},
                {"name": "narrate", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"}
            ]
        }"#,
    ),
    ("any.json", ANY),
    ("prompt.md", b"p"),
    ("scripts/a.wasm", b"\0asm\x0d\0\x01\0"),
];

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let loaded = load(&[PackageRoot::BuiltIn(&[("world", WORLD)])]);
    assert_eq!(loaded.problems, []);
    loaded.catalog
});

/// The plan after its consequences: `id tool (needs) when input` for each step.
fn completed(state: Value, tools: &[(&str, &str)]) -> String {
    let paths: Vec<String> = tools.iter().map(|(_, tool)| format!("world/{tool}")).collect();
    let tools = tools.iter().zip(&paths).map(|((id, _), path)| (*id, path.as_str()));
    completed_in(&CATALOG, state, &tools.collect::<Vec<_>>())
}

fn completed_in(catalog: &Catalog, state: Value, tools: &[(&str, &str)]) -> String {
    let Value::Object(state) = state else { panic!("a state is an object") };
    let values = catalog.state_values(&state);
    let choice = SkillChoice {
        catalog,
        disabled: &[],
        unreliable: &[],
        state: &state,
        state_values: &values,
    };
    let step = |(id, tool): &(&str, &str)| {
        ToolJson::new((*id).to_owned(), (*tool).to_owned(), Object::new())
    };
    let done = add_consequences(tools.iter().map(step).collect(), &choice);
    let shown = done.iter().map(|step| {
        let needs = step.dependencies.join(",");
        let when = step.when.as_deref().unwrap_or("-");
        format!("{} {} ({needs}) {when} {}", step.tool_id, step.tool_path, json!(step.input))
    });
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_follows_an_action_is_added_to_a_plan_that_has_the_action() {
    let campaign = json!({ "plot": { "now": {} } });
    insta::assert_snapshot!(completed(campaign.clone(), &[("act", "act"), ("narrate", "narrate")]), @r#"
    act world/act () - {}
    advance world/advance () steps.act != null {"act":"$act"}
    change world/change () size(steps.advance.changes) > 0 {"changes":"$advance.changes"}
    narrate world/narrate (advance,change) - {}
    "#);
    // The last action counts, by the id that it has.
    insta::assert_snapshot!(completed(campaign.clone(), &[("act", "act"), ("act-2", "act")]), @r#"
    act world/act () - {}
    act-2 world/act () - {}
    advance world/advance () steps["act-2"] != null {"act":"$act-2"}
    change world/change () size(steps.advance.changes) > 0 {"changes":"$advance.changes"}
    "#);
    // A follow-up that the model wrote itself is not added again, but gets its own follow-ups.
    let own = [("act", "act"), ("on", "advance")];
    insta::assert_snapshot!(completed(campaign, &own), @r#"
    act world/act () - {}
    on world/advance () - {}
    change world/change () size(steps["on"].changes) > 0 {"changes":"$on.changes"}
    "#);
    assert_eq!(completed(json!({}), &[("act", "act")]), "act world/act () - {}");
}

const INTRUDER: EmbeddedFiles = &[
    (
        "skill.json",
        br#"{
            "name": "aaa", "description": "d", "version": "1.0.0",
            "triggers": [{"script": "act", "phrases": ["never said"], "then": [
                {"id": "deed", "tool": "world/act"},
                {"id": "more", "tool": "aaa/act", "input": {"deed": "$deed"}},
                {"id": "most", "tool": "aaa/more", "input": {"deed": "$more"}}
            ]}],
            "scripts": [
                {"name": "act", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"},
                {"name": "more", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"}
            ]
        }"#,
    ),
    ("any.json", ANY),
    ("SKILL.md", b"---\nname: aaa\ndescription: d\n---\np\n"),
    ("scripts/a.wasm", b"\0asm\x0d\0\x01\0"),
];

/// A package that comes first by name neither adds steps to the deeds of others nor keeps theirs away.
#[test]
fn a_package_adds_steps_to_its_own_deeds_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("aaa/scripts")).unwrap();
    for (name, bytes) in INTRUDER {
        fs::write(folder.path().join("aaa").join(name), bytes).unwrap();
    }
    let loaded = load(&[
        PackageRoot::BuiltIn(&[("world", WORLD)]),
        PackageRoot::Folder(folder.path().to_owned()),
    ]);
    assert_eq!(loaded.problems, []);
    let state = json!({ "plot": { "now": {} } });
    let of = |tools: &[(&str, &str)]| completed_in(&loaded.catalog, state.clone(), tools);
    insta::assert_snapshot!(of(&[("act", "world/act")]), @r#"
    act world/act () - {}
    advance world/advance () steps.act != null {"act":"$act"}
    change world/change () size(steps.advance.changes) > 0 {"changes":"$advance.changes"}
    "#);
    insta::assert_snapshot!(of(&[("own", "aaa/act")]), @r#"
    own aaa/act () - {}
    most aaa/more () - {"deed":"$own"}
    "#);
}

#[test]
fn a_step_is_renamed_where_it_is_referred_to() {
    let mut step = ToolJson::new("advance".to_owned(), "plot/advance".to_owned(), Object::new());
    step.when = Some("steps.act != null && steps.action.x > size(steps.act.y)".to_owned());
    let input = json!({ "act": "$act", "of": ["$act.results[0]", "$action", "$$act", "act"] });
    step.input = input.as_object().unwrap().clone();
    rename(&mut step, "act", "act-2");
    assert_eq!(
        step.when.as_deref(),
        Some("steps[\"act-2\"] != null && steps.action.x > size(steps[\"act-2\"].y)")
    );
    let renamed =
        json!({ "act": "$act-2", "of": ["$act-2.results[0]", "$action", "$$act", "act"] });
    assert_eq!(Value::Object(step.input), renamed);
}
