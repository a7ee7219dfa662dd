//! Plans in YAML, as people write them and as `plan export --as yaml` does.

use crate::{PLAN_BYTES_MAX, parse, parse_document, testing::render};

const IN_YAML: &str = r#"# The door.
requestId: 3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11
parallel: true
tools:
  - toolId: roll
    toolPath: capability:dice
    input: { formula: 1d20+3 }
    acceptanceCriteria: ["no one hears it"]
  - toolId: tell
    toolPath: storyteller/narrate
    dependencies: [roll]
    when: "steps.roll.total < 12"
    description: |
      Tell it
      slowly.
metadata:
  complexity: 3
"#;

const IN_JSON: &str = r#"{
  "requestId": "3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11",
  "parallel": true,
  "tools": [
    {"toolId": "roll", "toolPath": "capability:dice", "input": {"formula": "1d20+3"},
     "acceptanceCriteria": ["no one hears it"]},
    {"toolId": "tell", "toolPath": "storyteller/narrate", "dependencies": ["roll"],
     "when": "steps.roll.total < 12", "description": "Tell it\nslowly.\n"}
  ],
  "metadata": {"complexity": 3}
}"#;

fn show(text: &str) -> String {
    match parse_document(text.as_bytes()) {
        Ok(plan) => format!("ok: {} steps", plan.tools.len()),
        Err(errors) => render(&errors),
    }
}

/// S3 "Plan Persistence": YAML is read as well as written.
#[test]
fn a_plan_in_yaml_is_the_same_plan() {
    let plan = parse_document(IN_JSON.as_bytes()).unwrap();
    assert_eq!(parse_document(IN_YAML.as_bytes()), Ok(plan.clone()));
    assert_eq!(parse(IN_JSON.as_bytes()), Ok(plan.clone()));
    for start in ["\u{feff}", "\n\n", "---\n"] {
        assert_eq!(parse_document(format!("{start}{IN_YAML}").as_bytes()), Ok(plan.clone()));
    }
}

#[test]
fn a_planners_text_is_never_yaml() {
    let errors = parse(IN_YAML.as_bytes()).unwrap_err().to_string();
    assert!(errors.starts_with("the plan is not JSON: "), "{errors}");
}

/// S3 "Plan Persistence": the rules of the contract and of documents from outside hold for YAML, too.
#[test]
fn a_wrong_plan_in_yaml_is_refused_with_the_place() {
    let id = "requestId: 3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11\n";
    let doubling: String =
        (1..30).map(|at| format!("a{at}: &a{at} [*a{0}, *a{0}]\n", at - 1)).collect();
    let long = "x".repeat(PLAN_BYTES_MAX + 1);
    let table = [
        format!("{id}tools: []\ntools: []\n"),
        format!("{id}tools: [{{toolId: a, toolPath: any/thing, required: no}}]\n"),
        format!("{id}tools:\n  - toolId: a\n    toolPth: any/thing\n"),
        format!("{id}tools: []\nmetadata: {{complexity: 99, tags: x}}\n"),
        format!("{id}tools: &t []\n"),
        format!("a0: &a0 x\n{doubling}"),
        format!("{id}tools: []\n---\ntools: []\n"),
        format!(
            "{id}tools:\n- toolId: a\n  toolPath: any/thing\n  input: {{id: 12345678901234567890123}}\n"
        ),
        format!("{id}tools: [\n"),
        "I open the door".to_owned(),
        long,
    ];
    insta::assert_snapshot!(table.map(|text| show(&text)).join("\n"), @r#"
    error: line 3, column 1: the key "tools" stands twice in one object
    hint: take one of the two out: only one of them could count
    category: invalid_json
    error: tools[0] ("a").required: "no" is not of type "boolean"
    category: invalid_json
    error: tools[0] ("a"): "toolPath" is a required property
    error: tools[0] ("a") has a field `toolPth` that no plan has
    hint: did you mean `toolPath`?
    category: invalid_json
    error: metadata.complexity: 99 is greater than the maximum of 10
    error: metadata.tags: "x" is not of type "array"
    category: invalid_json
    error: the plan cannot be used: anchors and aliases (`&name`, `*name`) are not allowed
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    category: invalid_json
    error: the plan cannot be used: anchors and aliases (`&name`, `*name`) are not allowed
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    category: invalid_json
    error: the plan cannot be used: it holds more than one document
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    category: invalid_json
    error: line 5, column 15: the number 12345678901234567890123 would be read as another one
    hint: write it as a string
    category: invalid_json
    error: the plan is neither JSON nor YAML: unclosed bracket '[' at line 2, column 8
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    category: invalid_json
    error: the plan: "I open the door" is not of type "object"
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    category: invalid_json
    error: the plan has 1048577 bytes, the limit is 1048576
    category: invalid_json
    "#);
}
