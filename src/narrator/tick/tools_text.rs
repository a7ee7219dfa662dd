//! What a planner reads about the tools (S4 §4.2): each script of the catalog with its arguments.

use serde_json::Value;

use narratoria_skills::{Catalog, Script, Skill};

/// Skills whose tools come first, in S4's order; the others follow by name.
const FIRST: [&str; 5] = ["memory", "character", "location", "relationship", "plot"];

/// Characters of a description.
const DESCRIPTION_CHARS_MAX: usize = 160;

/// The tools that a tick may call: those that need no approval.
pub fn tools_text(catalog: &Catalog) -> String {
    let place = |skill: &Skill| FIRST.iter().position(|name| *name == skill.name);
    let mut skills: Vec<_> = catalog.iter().collect();
    skills.sort_by_key(|skill| (place(skill).unwrap_or(FIRST.len()), skill.name.clone()));
    let tools = skills.iter().flat_map(|skill| {
        let free = skill.scripts.iter();
        let free = free.filter(|script| script.is_offered && !script.requires_approval);
        free.map(|script| tool(skill, script))
    });
    tools.collect::<Vec<_>>().join("\n\n")
}

fn tool(skill: &Skill, script: &Script) -> String {
    let description: String = script.description.chars().take(DESCRIPTION_CHARS_MAX).collect();
    let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let properties = script.input_schema.document().get("properties").and_then(Value::as_object);
    let args: Vec<String> = properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| format!("{name} ({})", type_name(schema)))
        .collect();
    let args = if args.is_empty() { "none".to_owned() } else { args.join(", ") };
    format!("**{}.{}** - {description}\n  Args: {args}", skill.name, script.name)
}

/// S4's words for types.
fn type_name(schema: &Value) -> &'static str {
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null").and_then(Value::as_str),
        kind => kind.as_str(),
    };
    match kind {
        Some("string") => "str",
        Some("integer") => "int",
        Some("number") => "float",
        Some("boolean") => "bool",
        Some("array") => "list",
        Some("object") => "dict",
        _ if schema.get("enum").is_some() || schema.get("$ref").is_some() => "str",
        _ => "any",
    }
}
