//! Tool sets of small catalogs. Random walks through their grammars stand for the worst possible model.

mod expand;
mod notes;
mod prompt;
mod schemas;
mod scope;
mod stream;
mod tick;
mod tool_set;
mod tool_set_cache;
mod walk;

use std::time::Duration;

use serde_json::Value;

use super::{ExpandedPlan, ToolSet};
use crate::PlanRequest;
use narratoria_plan::{BuildOptions, Plan, PlanJson};
use narratoria_protocol::Object;
use narratoria_skills::{
    Catalog, ComponentFile, ExampleServices, FUEL_DEFAULT, Grants, MEMORY_BYTES_DEFAULT,
    PackageOrigin, RetryPolicy, STDOUT_BYTES_DEFAULT, Schema, Script, ScriptLimits, Skill,
    SkillExample, Trigger, load,
};

const PLAN_ID: &str = "00000000-0000-4000-8000-000000000000";

/// A skill with one script and no triggers.
fn skill(name: &str, script: &str, input_schema: &Value) -> Skill {
    Skill {
        name: name.to_owned(),
        display_name: name.to_owned(),
        description: format!("{name} does things."),
        version: semver::Version::new(1, 0, 0),
        author: None,
        license: None,
        prompt: format!("Use {name} well."),
        capabilities: Vec::new(),
        priority: 50,
        retry: RetryPolicy::default(),
        names_backoff: false,
        triggers: Vec::new(),
        examples: Vec::new(),
        scripts: vec![one_script(script, input_schema)],
        writes: Vec::new(),
        config: Object::new(),
        secrets: Vec::new(),
        setting_variables: Default::default(),
        origin: PackageOrigin::BuiltIn,
        signer: None,
    }
}

fn one_script(name: &str, input_schema: &Value) -> Script {
    Script {
        name: name.to_owned(),
        path: format!("scripts/{name}.wasm"),
        description: format!("It is {name}."),
        input_schema: Schema::build(input_schema.clone()).unwrap(),
        output_schema: None,
        timeout: Duration::from_secs(1),
        required: true,
        is_async: false,
        requires_approval: false,
        is_offered: true,
        is_heavy: false,
        input_errors: Vec::new(),
        reads: Vec::new(),
        limits: ScriptLimits {
            fuel: FUEL_DEFAULT,
            memory_bytes: MEMORY_BYTES_DEFAULT,
            stdout_bytes: STDOUT_BYTES_DEFAULT,
        },
        grants: Grants::default(),
        component: ComponentFile::in_memory(b"\0asm\x0d\0\x01\0"),
    }
}

/// A trigger that fills these properties and matches nothing.
fn trigger(script: &str, input: Value, fallback: bool) -> Trigger {
    let Value::Object(input) = input else { panic!("{input} is no object") };
    let (patterns, captures) = (Vec::new(), Vec::new());
    Trigger {
        script: script.to_owned(),
        phrases: Vec::new(),
        patterns,
        captures,
        input,
        narrate: true,
        fallback,
        ..Trigger::default()
    }
}

fn example(script: &str, sentence: &str, input: Value) -> SkillExample {
    let Value::Object(input) = input else { panic!("{input} is no object") };
    SkillExample {
        file: "examples/one.json".to_owned(),
        script: script.to_owned(),
        sentence: Some(sentence.to_owned()),
        input,
        state: None,
        inputs: None,
        campaign: None,
        services: ExampleServices::default(),
        seed: 0,
        expect: Object::new(),
    }
}

fn catalog(skills: Vec<Skill>) -> Catalog {
    let mut catalog = Catalog::default();
    for skill in skills {
        catalog.insert(skill);
    }
    catalog
}

fn built_in_catalog() -> Catalog {
    let loaded = load(&[narratoria_built_in::built_in()]);
    assert_eq!(loaded.problems, []);
    loaded.catalog
}

fn tool_set(catalog: &Catalog) -> ToolSet {
    ToolSet::from_catalog(catalog, &[], &walk::can_write)
}

fn plan_request<'a>(catalog: &'a Catalog, sentence: &'a str, state: &'a Object) -> PlanRequest<'a> {
    PlanRequest {
        seed: 1,
        ..PlanRequest::first(sentence, catalog, state, PLAN_ID.to_owned(), Duration::from_secs(5))
    }
}

/// Expands a compact plan for a sentence.
fn expand(
    tool_set: &ToolSet,
    catalog: &Catalog,
    sentence: &str,
    text: &str,
) -> Result<ExpandedPlan, String> {
    let state = Object::new();
    tool_set
        .expand(text, &plan_request(catalog, sentence, &state))
        .map_err(|error| error.to_string())
}

/// Builds the plan, if it can run.
fn build(expanded: ExpandedPlan, catalog: &Catalog) -> Result<Plan, String> {
    let json = PlanJson {
        narrative: expanded.narrative,
        parallel: true,
        ..PlanJson::new(PLAN_ID.to_owned(), expanded.tools)
    };
    Plan::build(json, catalog, &BuildOptions::default()).map_err(|error| format!("{error:?}"))
}
