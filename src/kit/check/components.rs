//! The rules about components: they load, they import no more than they are granted, and the schema files equal the
//! schemas in the code.

use std::io;

use serde_json::Value;

use super::{
    HOSTILE_TIME_MAX,
    finding::{FindingCollector, FindingLocation},
    rules,
};
use crate::{
    GrantFacts, GrantUse, HarnessCall, PackageHarness,
    inspect::{component, grants},
};
use narratoria_protocol::{
    InvocationEnding, JsonBounds, OPERATION_DESCRIBE, Object, read_json, token_of_key,
    visible::clip,
};
use narratoria_sandbox::ComponentLoadError;
use narratoria_skills::Skill;

const MANIFEST: &str = "skill.json";

/// Reports components that cannot be loaded.
pub(super) fn check_loading(
    skill: &Skill,
    errors: &[(usize, ComponentLoadError)],
    findings: &mut FindingCollector<'_>,
) {
    for (script_idx, error) in errors {
        let path = &skill.scripts[*script_idx].path;
        if let ComponentLoadError::Stopped = error {
            findings.leave_out(format!("compiling `{path}`, and so all runs of its package"));
            continue;
        }
        let grants = FindingLocation::field(MANIFEST, format!("/scripts/{script_idx}/grants"));
        let (rule, place, what) = match error {
            ComponentLoadError::NotGranted { .. } => {
                (&rules::IMPORTS_NOT_GRANTED, grants, format!("`{path}` {error}"))
            }
            ComponentLoadError::NotOffered { .. } => {
                (&rules::IMPORTS_NOT_OFFERED, grants, format!("`{path}` {error}"))
            }
            ComponentLoadError::RunNotExported { .. } => {
                // wasmtime's own text differs from version to version.
                let what = "does not export `wasi:cli/run@0.2`".to_owned();
                (&rules::COMPONENT_NO_RUN, FindingLocation::file(path), what)
            }
            other => (&rules::COMPONENT_INVALID, FindingLocation::file(path), other.to_string()),
        };
        findings.add(rule, place, what);
    }
}

/// Reports grants that the component cannot use, because it does not import the interfaces that they open.
pub(super) fn check_grants(skill: &Skill, findings: &mut FindingCollector<'_>) {
    for (script_idx, script) in skill.scripts.iter().enumerate() {
        let Ok(wasm) = script.component.read() else { continue };
        let Ok((_, imports)) = component::read(&wasm) else { continue };
        for GrantFacts { grant, used, .. } in grants::facts(&script.grants, &imports) {
            if used != GrantUse::Unused {
                continue;
            }
            let pointer = format!("/scripts/{script_idx}/grants/{}", grant.as_str());
            let interface = grant.import().interface();
            let what = format!("`{}` does not import `{interface}`", script.path);
            findings.add(&rules::GRANTS_UNUSED, FindingLocation::field(MANIFEST, pointer), what);
        }
    }
}

/// Asks a script for its schemas and compares them with the files. Titles and descriptions are compared too, because
/// they come from the code as well.
pub(super) async fn check_described(
    harness: &PackageHarness,
    script_idx: usize,
    findings: &mut FindingCollector<'_>,
) -> io::Result<()> {
    let script = &harness.skill().scripts[script_idx];
    let place = || FindingLocation::field(MANIFEST, format!("/scripts/{script_idx}"));
    let Some(described) = described_schemas(harness, script_idx).await? else {
        let what = format!("the script `{}` does not answer `describe`", script.name);
        findings.add(&rules::SCHEMA_NOT_DESCRIBED, place(), what);
        return Ok(());
    };
    let manifest = manifest_of(findings);
    let files = [
        ("inputSchema", Some(script.input_schema.document())),
        ("outputSchema", script.output_schema.as_ref().map(|schema| schema.document())),
    ];
    for (field, document) in files {
        let described = described.get(field).filter(|schema| !schema.is_null());
        let file = manifest.pointer(&format!("/scripts/{script_idx}/{field}"));
        let file = file.and_then(Value::as_str).unwrap_or(MANIFEST);
        match (document, described) {
            (Some(document), Some(described)) => {
                if let Some((pointer, what)) =
                    difference(&without_annotations(document), &without_annotations(described), "")
                {
                    findings.add(
                        &rules::SCHEMA_DIFFERS,
                        FindingLocation::field(file, pointer),
                        what,
                    );
                }
            }
            (None, Some(_)) => {
                let what = format!(
                    "the script `{}` describes its `{field}`, the manifest names none",
                    script.name
                );
                findings.add(&rules::SCHEMA_DIFFERS, place(), what);
            }
            // A script may leave out a schema that its author wrote by hand.
            (_, None) => {}
        }
    }
    Ok(())
}

/// The answer of a script to `describe`; `None` if it gives none.
pub(crate) async fn described_schemas(
    harness: &PackageHarness,
    script_idx: usize,
) -> io::Result<Option<Object>> {
    let seed = harness.new_seed();
    let operation = OPERATION_DESCRIBE.to_owned();
    let call = HarnessCall { operation, seed, ..HarnessCall::default() };
    let line = harness.request(script_idx, call).to_line();
    let ran = harness.run_bytes_within(script_idx, line, seed, HOSTILE_TIME_MAX).await?;
    Ok(match ran.invocation.ending {
        InvocationEnding::Done { output, .. } if output.contains_key("inputSchema") => Some(output),
        _ => None,
    })
}

/// Returns true if a schema file says the same as its script.
pub(crate) fn is_same_schema(file: &Value, described: &Value) -> bool {
    let [file, described] = [file, described].map(without_annotations);
    difference(&file, &described, "").is_none()
}

fn manifest_of(findings: &FindingCollector<'_>) -> Value {
    let text = findings.text(MANIFEST).unwrap_or_default();
    read_json(text.as_bytes(), JsonBounds::of_bytes(text.len())).unwrap_or_default()
}

/// The schema without the keywords that do not concern values.
fn without_annotations(schema: &Value) -> Value {
    let mut rest = schema.as_object().cloned().unwrap_or_else(Object::new);
    for field in ["$schema", "$id", "$comment"] {
        rest.remove(field);
    }
    Value::Object(rest)
}

/// The pointer to the first difference of two values, with the difference in words.
fn difference(file: &Value, told: &Value, pointer: &str) -> Option<(String, String)> {
    let part = |name: &str| format!("{pointer}/{}", token_of_key(name));
    match (file, told) {
        (Value::Object(file), Value::Object(told)) => {
            for (name, value) in told {
                match file.get(name) {
                    None => {
                        let what =
                            format!("`{name}` is missing, the script says {}", json_text(value));
                        return Some((pointer.to_owned(), what));
                    }
                    Some(found) => {
                        if let Some(found) = difference(found, value, &part(name)) {
                            return Some(found);
                        }
                    }
                }
            }
            let extra = file.keys().find(|name| !told.contains_key(*name))?;
            Some((part(extra), format!("`{extra}` is not in what the script says")))
        }
        (Value::Array(file), Value::Array(told)) if file.len() == told.len() => {
            let mut pairs = file.iter().zip(told).enumerate();
            pairs
                .find_map(|(idx, (file, told))| difference(file, told, &format!("{pointer}/{idx}")))
        }
        _ if file == told => None,
        _ => {
            let (file, told) = texts_of_two(file, told);
            Some((pointer.to_owned(), format!("is {file}, the script says {told}")))
        }
    }
}

/// Enough of a value to recognise it.
const VALUE_CHARS_MAX: usize = 80;

/// How much of two values is shown before the place where they differ.
const SAME_CHARS_MAX: usize = 20;

/// A value as JSON, clipped.
pub(super) fn json_text(value: &Value) -> String {
    clip(&value.to_string(), VALUE_CHARS_MAX).into_owned()
}

/// Two different values as JSON, clipped so that the place where they differ is in both texts.
fn texts_of_two(one: &Value, other: &Value) -> (String, String) {
    let (one, other) = (one.to_string(), other.to_string());
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    // If one text ends where the other goes on, the message must show its end.
    let is_shown = same + SAME_CHARS_MAX < VALUE_CHARS_MAX;
    let left_out = if is_shown { 0 } else { same - SAME_CHARS_MAX };
    let shown = |text: &str| {
        let rest: String = text.chars().skip(left_out).collect();
        let rest = clip(&rest, VALUE_CHARS_MAX);
        if left_out == 0 { rest.into_owned() } else { format!("…{rest}") }
    };
    (shown(&one), shown(&other))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::difference;

    #[track_caller]
    fn check(file: Value, told: Value, expect: &str) {
        let found = difference(&file, &told, "");
        let found = found.map(|(pointer, what)| format!("{pointer}: {what}"));
        assert_eq!(found.unwrap_or_default(), expect);
    }

    #[test]
    fn two_schemas_differ_at_a_place() {
        check(json!({"a": 1, "b": [1, {"c": 2}]}), json!({"b": [1, {"c": 2}], "a": 1}), "");
        check(
            json!({"b": [1, {"c": 2}]}),
            json!({"b": [1, {"c": 3}]}),
            "/b/1/c: is 2, the script says 3",
        );
        check(json!({}), json!({"a~/": true}), ": `a~/` is missing, the script says true");
        check(json!({"a~/": true}), json!({}), "/a~0~1: `a~/` is not in what the script says");
        check(json!([1]), json!([1, 2]), ": is [1], the script says [1,2]");
    }

    #[test]
    fn two_long_texts_are_shown_where_they_differ() {
        let long = "The omen that the player asks for, ".repeat(4);
        let more = "in one sentence, and no word more than that, as long as it may be in print.";
        check(
            json!(format!("{long}{more}")),
            json!(format!("{long}in two sentences.")),
            ": is …player asks for, in one sentence, and no word more than that, as long as it may…, \
             the script says …player asks for, in two sentences.\"",
        );
        check(
            json!(long),
            json!(long.trim_end()),
            ": is …the player asks for, \", the script says …the player asks for,\"",
        );
    }
}
