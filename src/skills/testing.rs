//! Short constructors of skills and catalogs for tests.

#![expect(clippy::unwrap_used, reason = "test support: a panic fails the test")]

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    Catalog, ComponentFile, Grants, PackageOrigin, RetryPolicy, Schema, Script, ScriptLimits, Skill,
};
use narratoria_protocol::Object;

/// A skill called `name` whose scripts accept any input.
pub fn skill(name: &str, scripts: &[&str]) -> Skill {
    Skill {
        name: name.to_owned(),
        display_name: name.to_owned(),
        description: String::new(),
        version: semver::Version::new(1, 2, 3),
        author: None,
        license: None,
        prompt: String::new(),
        capabilities: Vec::new(),
        priority: 50,
        retry: RetryPolicy { retries_max: 0, backoff: Duration::from_millis(100) },
        names_backoff: false,
        triggers: Vec::new(),
        examples: Vec::new(),
        scripts: scripts.iter().map(|name| script(name, json!({"type": "object"}))).collect(),
        writes: Vec::new(),
        config: Object::new(),
        secrets: Vec::new(),
        setting_variables: Default::default(),
        origin: PackageOrigin::BuiltIn,
        signer: None,
    }
}

pub fn script(name: &str, input_schema: Value) -> Script {
    Script {
        name: name.to_owned(),
        path: format!("scripts/{name}.wasm"),
        description: String::new(),
        input_schema: Schema::build(input_schema).unwrap(),
        output_schema: None,
        timeout: Duration::from_secs(30),
        required: true,
        is_async: false,
        requires_approval: false,
        is_offered: true,
        is_heavy: false,
        input_errors: Vec::new(),
        reads: Vec::new(),
        limits: ScriptLimits { fuel: 1, memory_bytes: 1, stdout_bytes: 1 },
        grants: Grants::default(),
        component: ComponentFile::in_memory(&[]),
    }
}

pub fn catalog(skills: impl IntoIterator<Item = Skill>) -> Catalog {
    let mut catalog = Catalog::default();
    for skill in skills {
        catalog.insert(skill);
    }
    catalog
}
