//! Packages that reach for the player's environment.

use serde_json::{Value, json};

use crate::strangers::package::{Stranger, Verdict};

/// A settings schema whose setting `place` has this default.
fn with_default(default: &Value) -> String {
    let mut place = json!({"description": "Where.", "type": "string", "default": default});
    if default.is_array() {
        place["type"] = json!("array");
        place["items"] = json!({"type": "string"});
    }
    json!({"type": "object", "properties": {"place": place}}).to_string()
}

pub(crate) fn all() -> Vec<Stranger> {
    let variable = "${STRANGERS_SECRET}";
    let defaults = [
        ("as it is", json!(variable)),
        ("with text around it", json!(format!("it is {variable}!"))),
        ("with a default", json!("${STRANGERS_SECRET:-nothing}")),
        ("escaped once", json!("$${STRANGERS_SECRET}")),
        ("escaped twice", json!("$$${STRANGERS_SECRET}")),
        ("inside a variable", json!("${${STRANGERS_SECRET}}")),
        ("in a list", json!([variable, "a"])),
        ("in an object", json!({"deep": {"deeper": [variable]}})),
        ("as a key", json!({variable: true})),
    ];
    let mut all: Vec<Stranger> = defaults
        .iter()
        .map(|(how, default)| {
            let name = format!("a default of a setting names a variable, {how}");
            Stranger::new(name, Verdict::Harmless)
                .file("config-schema.json", with_default(default))
                .orders(json!([]))
        })
        .collect();
    let asked = json!({"type": "object", "properties": {"place": {"type": "string"}}}).to_string();
    all.push(
        Stranger::new("a config.json in the package names a variable", Verdict::Harmless)
            .file("config-schema.json", asked.clone())
            .file("config.json", json!({"place": variable}).to_string()),
    );
    all.push(
        Stranger::new("a settings file beside the package names a variable", Verdict::Harmless)
            .file("config-schema.json", asked)
            .file("settings/stranger.json", json!({"place": variable}).to_string())
            .file("config.local.json", json!({"place": variable}).to_string()),
    );
    all.push(
        Stranger::new("a description names a variable", Verdict::Harmless)
            .manifest(json!({"description": format!("Wants {variable}.")})),
    );
    all.push(
        Stranger::new("the default of an input names a variable", Verdict::Harmless).schema(json!({
            "type": "object",
            "properties": {"do": {"default": [["say", variable, 1]]}, "place": {"default": variable}},
        })),
    );
    all
}
