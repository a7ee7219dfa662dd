//! `narratoria skill list`.

use std::sync::Arc;

use narratoria_engine::TurnError;
use narratoria_protocol::millis;
use narratoria_skills::{Catalog, Grants, Script, Skill};
use serde_json::{Value, json};

use super::find_package::origin;
use crate::{
    args::{Format, SkillListArgs},
    exit::Exit,
    print_document, print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{Out, render_table};

pub(super) fn list(args: SkillListArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let skill_set =
        setup::load_skills_without_model(&settings, setup::GrantedFolders::default(), &mut err)?;
    skill_set.warn(&mut err);
    if settings.format == Format::Json {
        print_document(look, &skills_document(&skill_set.catalog))?;
        return Ok(Exit::Done);
    }
    let row = |skill: &Arc<Skill>| {
        let scripts: Vec<&str> = skill.scripts.iter().map(|script| &*script.name).collect();
        [
            skill.name.clone(),
            skill.version.to_string(),
            match &skill.signer {
                Some(key) => format!("{}, signed by {}", origin(&skill.origin), key.id()),
                None => origin(&skill.origin),
            },
            if skill.is_prompt_only() { "(prompt only)".to_owned() } else { scripts.join(", ") },
            skill.description.clone(),
        ]
    };
    let rows: Vec<[String; 5]> = skill_set.catalog.iter().map(row).collect();
    let heading = ["NAME", "VERSION", "FROM", "SCRIPTS", "DESCRIPTION"];
    print_text(look, &render_table(heading, &rows, look.width))?;
    Ok(Exit::Done)
}

/// The usable skills, each with its scripts and their grants.
pub(crate) fn skills_document(catalog: &Catalog) -> Vec<Value> {
    catalog.iter().map(|skill| skill_document(skill)).collect()
}

/// A skill for programs. Its configuration is left out: it may hold secrets.
fn skill_document(skill: &Skill) -> Value {
    let scripts: Vec<Value> =
        skill.scripts.iter().map(|script| script_document(skill, script)).collect();
    let mut document = json!({
        "name": skill.name,
        "displayName": skill.display_name,
        "description": skill.description,
        "version": skill.version.to_string(),
        "author": skill.author,
        "license": skill.license,
        "origin": origin(&skill.origin),
        "capabilities": skill.capabilities,
        "priority": skill.priority,
        "scripts": scripts,
    });
    if let Some(key) = &skill.signer {
        document["key"] = json!(key.as_str());
    }
    document
}

fn script_document(skill: &Skill, script: &Script) -> Value {
    let Grants { store, memory, llm, assets, data, campaign, http, env, optional, .. } =
        &script.grants;
    let mut document = json!({
        "name": script.name,
        "toolPath": format!("{}/{}", skill.name, script.name),
        "description": script.description,
        "inputSchema": script.input_schema.document(),
        "outputSchema": script.output_schema.as_ref().map(|schema| schema.document()),
        "timeout": millis(script.timeout),
        "required": script.required,
        "async": script.is_async,
        "requiresApproval": script.requires_approval,
        "offered": script.is_offered,
        "heavy": script.is_heavy,
        "reads": script.reads,
        "limits": {
            "fuel": script.limits.fuel,
            "memoryBytes": script.limits.memory_bytes,
            "stdoutBytes": script.limits.stdout_bytes,
        },
        "grants": {
            "store": store, "memory": memory, "llm": llm, "assets": assets, "data": data,
            "campaign": campaign, "http": http, "env": env,
        },
    });
    if !optional.is_empty() {
        let names: Vec<&str> = optional.iter().map(|grant| grant.as_str()).collect();
        document["grants"]["optional"] = json!(names);
    }
    document
}
