//! Plans for sentences, with a small catalog of four skills.

use std::{fs, sync::LazyLock, time::Duration};

use proptest::prelude::*;
use serde_json::Value;

use super::{LEXICAL_STEPS_MAX, LexicalPlanner, SENTENCE_BYTES_MAX, shortened};
use crate::{PlanRequest, Planner, PlannerError, Proposal};
use narratoria_plan::PlanJson;
use narratoria_protocol::Object;
use narratoria_skills::{Catalog, EmbeddedFiles, EmbeddedPackage, PackageRoot, Schema, load};

const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

const DICE: EmbeddedFiles = &[
    (
        "skill.json",
        br#"{
            "name": "dice-roller", "description": "d", "version": "1.0.0", "priority": 60,
            "triggers": [{
                "script": "roll-dice",
                "phrases": ["roll", "dice", "pick the lock", "attack"],
                "patterns": ["\\b(?<formula>\\d*d\\d+)\\b"],
                "captures": ["with (?<mode>advantage|disadvantage)"],
                "input": {"formula": "{formula|1d20}", "mode": "{mode}"}
            }],
            "scripts": [{
                "name": "roll-dice", "path": "scripts/a.wasm", "description": "d",
                "inputSchema": "in.json", "async": true
            }]
        }"#,
    ),
    (
        "in.json",
        br#"{"type": "object", "required": ["formula"], "additionalProperties": false, "properties": {
            "formula": {"type": "string"}, "mode": {"enum": ["normal", "advantage", "disadvantage"]}}}"#,
    ),
    (
        "examples/sneak.json",
        br#"{"script": "roll-dice", "sentence": "I sneak past the sleeping guard", "input": {"formula": "1d20"}, "expect": {}}"#,
    ),
    ("prompt.md", b"p"),
    ("scripts/a.wasm", COMPONENT),
];

const STORY: EmbeddedFiles = &[
    (
        "skill.json",
        br#"{
            "name": "storyteller", "description": "d", "version": "1.0.0",
            "triggers": [{
                "script": "narrate", "fallback": true, "phrases": ["tell me"],
                "input": {"action": "{sentence}", "tone": "{tone|plain}"},
                "captures": ["(?<tone>boldly|quietly)"]
            }],
            "scripts": [{"name": "narrate", "path": "scripts/a.wasm", "description": "d", "inputSchema": "in.json"}]
        }"#,
    ),
    (
        "in.json",
        br#"{"type": "object", "required": ["action"], "properties": {
            "action": {"type": "string", "maxLength": 4096}, "tone": {"type": "string"}}}"#,
    ),
    (
        "examples/door.json",
        br#"{"script": "narrate", "sentence": "I look at the door", "input": {"action": "look"}, "expect": {}}"#,
    ),
    ("prompt.md", b"p"),
    ("scripts/a.wasm", COMPONENT),
];

const CHOICES: EmbeddedFiles = &[
    (
        "skill.json",
        br#"{
            "name": "player-choices", "description": "d", "version": "1.0.0",
            "triggers": [{
                "script": "generate-choices", "narrate": false,
                "phrases": ["my choices", "my options", "what can I do"],
                "captures": ["\\b(?<count>\\d+|two|three|four) (choices|options)"],
                "input": {"count": "{count}"}
            }],
            "scripts": [{"name": "generate-choices", "path": "scripts/a.wasm", "description": "d", "inputSchema": "in.json", "async": true}]
        }"#,
    ),
    (
        "in.json",
        br#"{"type": "object", "properties": {"count": {"type": ["integer", "null"], "minimum": 2, "maximum": 6}}}"#,
    ),
    ("prompt.md", b"p"),
    ("scripts/a.wasm", COMPONENT),
];

/// A second skill of lower priority that attacks and rolls, and one that speaks.
const BRAWL: EmbeddedFiles = &[
    (
        "skill.json",
        br#"{
            "name": "brawl", "description": "d", "version": "1.0.0", "priority": 10,
            "triggers": [
                {"script": "roll-dice", "phrases": ["attack the dragon", "roll"], "input": {"times": 1}},
                {"script": "shout", "phrases": ["shout", "yell"], "patterns": ["\"(?<words>[^\"]+)\""], "input": {"words": "{words}"}},
                {"script": "run", "phrases": ["run", "flee"]},
                {"script": "jump", "phrases": ["jump"]},
                {"script": "duck", "phrases": ["duck"]}
            ],
            "scripts": [
                {"name": "roll-dice", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"},
                {"name": "shout", "path": "scripts/a.wasm", "description": "d", "inputSchema": "in.json"},
                {"name": "run", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"},
                {"name": "jump", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"},
                {"name": "duck", "path": "scripts/a.wasm", "description": "d", "inputSchema": "any.json"}
            ]
        }"#,
    ),
    ("any.json", br#"{"type": "object"}"#),
    (
        "in.json",
        br#"{"type": "object", "required": ["words"], "properties": {"words": {"type": "string"}}}"#,
    ),
    ("prompt.md", b"p"),
    ("scripts/a.wasm", COMPONENT),
];

const ALL: &[EmbeddedPackage] =
    &[("dice-roller", DICE), ("storyteller", STORY), ("player-choices", CHOICES), ("brawl", BRAWL)];

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let loaded = load(&[PackageRoot::BuiltIn(ALL)]);
    assert_eq!(loaded.problems, []);
    loaded.catalog
});

/// The contract of Plan JSON.
static CONTRACT: LazyLock<Schema> = LazyLock::new(|| {
    let text = include_str!("../../../contracts/plan-json.schema.json");
    Schema::build(serde_json::from_str(text).unwrap()).unwrap()
});

fn plan_request<'a>(
    sentence: &'a str,
    disabled: &'a [String],
    state: &'a Object,
) -> PlanRequest<'a> {
    PlanRequest {
        disabled_skills: disabled,
        ..PlanRequest::first(
            sentence,
            &CATALOG,
            state,
            "00000000-0000-4000-8000-000000000000".to_owned(),
            Duration::from_secs(5),
        )
    }
}

fn plan(sentence: &str, disabled: &[&str]) -> Result<PlanJson, PlannerError> {
    let disabled: Vec<String> = disabled.iter().map(|name| (*name).to_owned()).collect();
    LexicalPlanner::new().plan(&plan_request(sentence, &disabled, &Object::new()))
}

/// The plan, one step a line: `toolPath input <- dependencies: reason`.
fn check_without(sentence: &str, disabled: &[&str]) -> String {
    let plan = match plan(sentence, disabled) {
        Ok(plan) => plan,
        Err(error) => return format!("error: {error}"),
    };
    let mut lines: Vec<String> = Vec::new();
    lines.extend(plan.narrative.map(|line| format!("\"{line}\"")));
    lines.extend(plan.parallel.then(|| "parallel".to_owned()));
    for tool in plan.tools {
        let needs = match tool.dependencies.as_slice() {
            [] => String::new(),
            needs => format!(" <- {}", needs.join(", ")),
        };
        let name = match tool.tool_path.ends_with(&format!("/{}", tool.tool_id)) {
            true => String::new(),
            false => format!("{} = ", tool.tool_id),
        };
        let input = Value::Object(tool.input);
        let reason = tool.reason.unwrap_or_default();
        lines.push(format!("{name}{} {input}{needs}: {reason}", tool.tool_path));
    }
    lines.join("\n")
}

fn check(sentence: &str) -> String {
    check_without(sentence, &[])
}

#[test]
fn a_sentence_that_calls_for_nothing_special_is_narrated() {
    insta::assert_snapshot!(check("I examine the ancient door"), @r#"storyteller/narrate {"action":"I examine the ancient door","tone":"plain"}: nothing in the player's words calls for more than narration"#);
    insta::assert_snapshot!(check(""), @r#"storyteller/narrate {"action":"","tone":"plain"}: nothing in the player's words calls for more than narration"#);
    insta::assert_snapshot!(check("Tell me quietly about the inn"), @r#"storyteller/narrate {"action":"Tell me quietly about the inn","tone":"quietly"}: nothing in the player's words calls for more than narration"#);
}

/// S0 FR-003: the player's intent selects the skills.
#[test]
fn words_start_scripts_and_narration_depends_on_them() {
    insta::assert_snapshot!(check("I roll to pick the lock"), @r#"
    dice-roller/roll-dice {"formula":"1d20"}: the player's words contain `pick the lock`
    storyteller/narrate {"action":"I roll to pick the lock","tone":"plain"} <- roll-dice: tells what comes of the other steps
    "#);
    insta::assert_snapshot!(check("ROLLING 2d6 with advantage!"), @r#"
    dice-roller/roll-dice {"formula":"2d6","mode":"advantage"}: the player's words contain `roll`
    storyteller/narrate {"action":"ROLLING 2d6 with advantage!","tone":"plain"} <- roll-dice: tells what comes of the other steps
    "#);
}

#[test]
fn a_script_with_its_own_text_gets_no_narration() {
    insta::assert_snapshot!(check("what are my choices?"), @r#"
    "You pause and take in where you stand."
    player-choices/generate-choices {}: the player's words contain `my choices`
    "#);
    insta::assert_snapshot!(check("What are my options? Give me three options."), @r#"
    "You pause and take in where you stand."
    player-choices/generate-choices {"count":3}: the player's words contain `my options`
    "#);
    insta::assert_snapshot!(check("I open the door. What are my choices?"), @r#"
    player-choices/generate-choices {}: the player's words contain `my choices`
    storyteller/narrate {"action":"I open the door. What are my choices?","tone":"plain"} <- generate-choices: tells what comes of the other steps
    "#);
    insta::assert_snapshot!(check("tell me my choices"), @r#"
    player-choices/generate-choices {}: the player's words contain `my choices`
    storyteller/narrate {"action":"tell me my choices","tone":"plain"} <- generate-choices: tells what comes of the other steps
    "#);
}

#[test]
fn several_scripts_come_in_the_order_of_the_words() {
    insta::assert_snapshot!(check("I yell \"$run\" and flee, then roll 3d6 and see my options"), @r#"
    parallel
    brawl/shout {"words":"$$run"}: the player's words contain `yell`
    brawl/run {}: the player's words contain `run`
    dice-roller/roll-dice {"formula":"3d6"}: the player's words contain `roll`
    player-choices/generate-choices {}: the player's words contain `my options`
    storyteller/narrate {"action":"I yell \"$run\" and flee, then roll 3d6 and see my options","tone":"plain"} <- shout, run, roll-dice, generate-choices: tells what comes of the other steps
    "#);
}

#[test]
fn two_scripts_of_one_name_get_different_ids() {
    insta::assert_snapshot!(check("I attack the dragon, and I roll 3d6"), @r#"
    parallel
    brawl/roll-dice {"times":1}: the player's words contain `attack the dragon`
    roll-dice-2 = dice-roller/roll-dice {"formula":"3d6"}: the player's words contain `roll`
    storyteller/narrate {"action":"I attack the dragon, and I roll 3d6","tone":"plain"} <- roll-dice, roll-dice-2: tells what comes of the other steps
    "#);
}

#[test]
fn the_longer_phrase_wins_then_the_priority() {
    insta::assert_snapshot!(check("I attack the dragon"), @r#"
    brawl/roll-dice {"times":1}: the player's words contain `attack the dragon`
    storyteller/narrate {"action":"I attack the dragon","tone":"plain"} <- roll-dice: tells what comes of the other steps
    "#);
    insta::assert_snapshot!(check("roll"), @r#"
    dice-roller/roll-dice {"formula":"1d20"}: the player's words contain `roll`
    storyteller/narrate {"action":"roll","tone":"plain"} <- roll-dice: tells what comes of the other steps
    "#);
    insta::assert_snapshot!(check_without("roll", &["dice-roller"]), @r#"
    brawl/roll-dice {"times":1}: the player's words contain `roll`
    storyteller/narrate {"action":"roll","tone":"plain"} <- roll-dice: tells what comes of the other steps
    "#);
}

#[test]
fn a_trigger_is_ignored_if_its_input_does_not_fit() {
    // `shout` needs words in quotes.
    insta::assert_snapshot!(check("I shout at the wall"), @r#"storyteller/narrate {"action":"I shout at the wall","tone":"plain"}: nothing in the player's words calls for more than narration"#);
    // 9 choices are more than the schema allows.
    insta::assert_snapshot!(check("what can I do? show 9 choices"), @r#"storyteller/narrate {"action":"what can I do? show 9 choices","tone":"plain"}: nothing in the player's words calls for more than narration"#);
}

/// Who asks why nothing happened finds the reason in the plan.
#[test]
fn a_trigger_of_a_package_whose_input_does_not_fit_is_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("smith");
    fs::create_dir_all(folder.join("scripts")).unwrap();
    for (file, text) in [
        (
            "skill.json",
            r#"{"name": "smith", "description": "d", "version": "1.0.0",
            "triggers": [{"script": "hone", "phrases": ["hone"], "input": {"days": 90}}],
            "scripts": [{"name": "hone", "path": "scripts/a.wasm", "description": "d", "inputSchema": "in.json"}]}"#,
        ),
        (
            "in.json",
            r#"{"type": "object", "properties": {"days": {"type": "integer", "maximum": 30}}}"#,
        ),
        ("prompt.md", "p"),
        ("scripts/a.wasm", "\0asm\x0d\0\x01\0"),
    ] {
        fs::write(folder.join(file), text).unwrap();
    }
    const TELLER: &[EmbeddedPackage] = &[("storyteller", STORY)];
    let loaded = load(&[PackageRoot::BuiltIn(TELLER), PackageRoot::Folder(dir.path().to_owned())]);
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    let state = Object::new();
    let unfit = |sentence: &str| {
        let request =
            PlanRequest { catalog: &loaded.catalog, ..plan_request(sentence, &[], &state) };
        let plan = LexicalPlanner::new().plan(&request).unwrap();
        plan.metadata.extra.get("unfit").map(Value::to_string).unwrap_or_default()
    };
    insta::assert_snapshot!(unfit("please hone it"), @r#"[{"tool":"smith/hone","why":"/days: 90 is greater than the maximum of 30"}]"#);
    assert_eq!(unfit("please leave it"), "");
}

#[test]
fn a_sentence_like_an_example_does_what_the_example_did() {
    insta::assert_snapshot!(check("I try sneaking past the guards, who sleep"), @r#"
    dice-roller/roll-dice {"formula":"1d20"}: the player's words are like `I sneak past the sleeping guard`
    storyteller/narrate {"action":"I try sneaking past the guards, who sleep","tone":"plain"} <- roll-dice: tells what comes of the other steps
    "#);
    insta::assert_snapshot!(check("I try sneaking"), @r#"storyteller/narrate {"action":"I try sneaking","tone":"plain"}: nothing in the player's words calls for more than narration"#);
}

#[test]
fn one_sentence_starts_at_most_four_scripts() {
    insta::assert_snapshot!(check("run, jump, duck, roll dice, and show my options"), @r#"
    parallel
    brawl/run {}: the player's words contain `run`
    brawl/jump {}: the player's words contain `jump`
    dice-roller/roll-dice {"formula":"1d20"}: the player's words contain `roll`
    player-choices/generate-choices {}: the player's words contain `my options`
    storyteller/narrate {"action":"run, jump, duck, roll dice, and show my options","tone":"plain"} <- run, jump, roll-dice, generate-choices: tells what comes of the other steps
    "#);
}

/// S0 FR-008.
#[test]
fn disabled_skills_are_left_out_and_the_others_still_match() {
    insta::assert_snapshot!(check_without("roll to pick the lock", &["dice-roller", "brawl"]), @r#"storyteller/narrate {"action":"roll to pick the lock","tone":"plain"}: nothing in the player's words calls for more than narration"#);
    insta::assert_snapshot!(check_without("roll to pick the lock", &["storyteller"]), @r#"
    "You pause and take in where you stand."
    dice-roller/roll-dice {"formula":"1d20"}: the player's words contain `pick the lock`
    "#);
    insta::assert_snapshot!(check_without("I look around", &["storyteller"]), @"error: no usable skill can answer the player's words");
}

/// S0 FR-010: attempt, parent and disabled skills are part of the plan.
#[test]
fn the_whole_plan_is_plan_json() {
    let disabled = ["brawl".to_owned()];
    let state = Object::new();
    let request = PlanRequest {
        attempt: 2,
        parent_plan_id: Some("11111111-1111-4111-8111-111111111111"),
        ..plan_request("roll 2d6", &disabled, &state)
    };
    let mut planner = LexicalPlanner::new();
    assert_eq!(planner.name(), "lexical");
    let proposal = planner.propose(request);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let Proposal::Plan(plan) = runtime.block_on(proposal).unwrap().proposal else {
        panic!("no plan")
    };
    insta::assert_json_snapshot!(plan, @r#"
    {
      "requestId": "00000000-0000-4000-8000-000000000000",
      "tools": [
        {
          "toolId": "roll-dice",
          "toolPath": "dice-roller/roll-dice",
          "input": {
            "formula": "2d6"
          },
          "dependencies": [],
          "required": true,
          "async": true,
          "reason": "the player's words contain `roll`"
        },
        {
          "toolId": "narrate",
          "toolPath": "storyteller/narrate",
          "input": {
            "action": "roll 2d6",
            "tone": "plain"
          },
          "dependencies": [
            "roll-dice"
          ],
          "required": true,
          "async": false,
          "reason": "tells what comes of the other steps"
        }
      ],
      "parallel": false,
      "disabledSkills": [
        "brawl"
      ],
      "metadata": {
        "generationAttempt": 2,
        "parentPlanId": "11111111-1111-4111-8111-111111111111",
        "planner": "lexical"
      }
    }
    "#);
}

#[test]
fn a_long_sentence_is_cut_between_characters() {
    let long = "é".repeat(SENTENCE_BYTES_MAX);
    assert_eq!(shortened(&long).len(), SENTENCE_BYTES_MAX);
    let long = format!("a{long}");
    assert_eq!(shortened(&long).len(), SENTENCE_BYTES_MAX - 1);
    assert!(plan(&long, &[]).is_ok());
}

fn unescaped(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            assert!(!text.starts_with('$') || text.starts_with("$$"), "{text} is a reference");
            Value::from(text.strip_prefix('$').unwrap_or(text))
        }
        Value::Array(items) => items.iter().map(unescaped).collect(),
        Value::Object(fields) => Value::Object(
            fields.iter().map(|(name, field)| (name.clone(), unescaped(field))).collect(),
        ),
        other => other.clone(),
    }
}

/// Words of the catalog, mixed with any others.
fn sentences() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "roll",
        "dice",
        "2d6",
        "pick the lock",
        "with advantage",
        "attack",
        "the dragon",
        "my choices",
        "three options",
        "what can I do",
        "shout",
        "\"$go\"",
        "run",
        "jump",
        "duck",
        "tell me",
        "$roll-dice",
        "sneak",
        "guard",
        "sleeping",
    ]);
    let piece = prop_oneof![3 => known.prop_map(str::to_owned), 1 => "\\PC{0,12}"];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    /// S0 FR-008, FR-009.
    #[test]
    fn any_sentence_gives_a_plan_that_only_does_what_is_allowed(
        sentence in sentences(),
        off in prop::collection::vec(0..ALL.len(), 0..3),
        seed: u64,
    ) {
        let disabled: Vec<String> = off.iter().map(|idx| ALL[*idx].0.to_owned()).collect();
        let state = Object::new();
        let request = PlanRequest { seed, ..plan_request(&sentence, &disabled, &state) };
        let mut planner = LexicalPlanner::new();
        let plan = match planner.plan(&request) {
            Ok(plan) => plan,
            Err(error) => {
                prop_assert_eq!(error, PlannerError::NoUsableSkill);
                prop_assert!(disabled.iter().any(|name| name == "storyteller"));
                return Ok(());
            }
        };
        let again = planner.plan(&request);
        prop_assert_eq!(Ok(&plan), again.as_ref(), "not the same twice");
        prop_assert!((1..=LEXICAL_STEPS_MAX + 1).contains(&plan.tools.len()));
        prop_assert_eq!(CONTRACT.mismatches(&serde_json::to_value(&plan).unwrap()), []);
        let mut before: Vec<&str> = Vec::new();
        for tool in &plan.tools {
            let (skill, idx) = CATALOG.resolve(&tool.tool_path).unwrap();
            prop_assert!(!disabled.contains(&skill.name));
            let input = unescaped(&Value::Object(tool.input.clone()));
            prop_assert_eq!(skill.scripts[idx].input_schema.mismatches(&input), []);
            prop_assert!(!before.contains(&tool.tool_id.as_str()));
            prop_assert!(tool.dependencies.iter().all(|id| before.contains(&id.as_str())));
            before.push(&tool.tool_id);
        }
    }
}

const LAMP: EmbeddedFiles = &[
    (
        "skill.json",
        br#"{
            "name": "lamp", "description": "d", "version": "1.0.0",
            "triggers": [{"script": "act", "phrases": ["light"], "narrate": false,
                "then": [{"id": "after", "tool": "lamp/act", "when": "1 / 0 == 1"}]}],
            "scripts": [{"name": "act", "path": "scripts/a.wasm", "description": "d", "inputSchema": "in.json"}]
        }"#,
    ),
    ("in.json", br#"{"type": "object"}"#),
    ("SKILL.md", b"---\nname: lamp\ndescription: d\n---\np\n"),
    ("scripts/a.wasm", COMPONENT),
];

/// A follow-up may make a plan impossible: the sentence must have a plan all the same.
#[test]
fn plans_after_the_first_leave_out_the_follow_ups_of_installed_packages() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("lamp/scripts")).unwrap();
    for (name, bytes) in LAMP {
        fs::write(folder.path().join("lamp").join(name), bytes).unwrap();
    }
    let tools = |root: PackageRoot, attempt: u32| {
        let loaded = load(&[root]);
        assert_eq!(loaded.problems, []);
        let state = Object::new();
        let request = PlanRequest {
            attempt,
            catalog: &loaded.catalog,
            ..plan_request("light it", &[], &state)
        };
        let plan = LexicalPlanner::new().plan(&request).unwrap();
        plan.tools.into_iter().map(|tool| tool.tool_id).collect::<Vec<_>>().join(" ")
    };
    let installed = || PackageRoot::Folder(folder.path().to_owned());
    assert_eq!(tools(installed(), 1), "act after");
    assert_eq!(tools(installed(), 2), "act");
    assert_eq!(tools(PackageRoot::BuiltIn(&[("lamp", LAMP)]), 2), "act after");
}
