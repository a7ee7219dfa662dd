//! The naive way's grammar: all of a Plan JSON, written in llama.cpp's own notation.

use std::fmt::Write;

use narratoria_skills::Catalog;
use serde_json::Value;

/// Longest text in one place, and longest narrative: those of the compact plan, so that neither way writes more.
const TEXT_CHARS_MAX: u64 = 160;
const NARRATIVE_CHARS_MAX: u64 = 120;
const STEPS_MAX: usize = 4;

/// How much of a plan the model writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Every field of S0 §5.2.
    Whole,
    /// What the host could not add itself: narrative, ids, paths, inputs and dependencies.
    Lean,
}

const COMMON: &str = r#"
bool ::= "true" | "false"
char ::= [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4})
hex ::= [0-9a-f]
uuid ::= "\"" hex{8} "-" hex{4} "-" hex{4} "-" hex{4} "-" hex{12} "\""
id ::= "\"" [A-Za-z0-9_.-]{1,64} "\""
ids ::= "[" (id ("," id){0,3})? "]"
skill ::= "\"" [a-z0-9-]{1,64} "\""
skills ::= "[" (skill ("," skill){0,3})? "]"
integer ::= "0" | "-"? [1-9] [0-9]{0,3}
"#;

/// The grammar; its root is `root`.
pub(crate) fn plan_grammar(catalog: &Catalog, extent: Extent) -> String {
    let mut rules = COMMON.to_owned();
    let mut tools = Vec::new();
    for skill in catalog.iter() {
        for script in &skill.scripts {
            let name = format!("tool-{}", tools.len());
            let input = input(script.input_schema.document());
            let path = literal(&format!("\"{}/{}\"", skill.name, script.name));
            let tail = match extent {
                Extent::Whole => concat!(
                    r#" ",\"required\":" bool ",\"async\":" bool ",\"retryPolicy\":{\"maxRetries\":" integer"#,
                    r#" ",\"backoffMs\":" integer "}""#
                ),
                Extent::Lean => "",
            };
            writeln!(
                rules,
                r#"{name} ::= "{{\"toolId\":" id ",\"toolPath\":" {path} ",\"input\":" {input} ",\"dependencies\":" ids{tail} "}}""#
            )
            .expect("a string takes everything");
            tools.push(name);
        }
    }
    writeln!(rules, "tool ::= {}", tools.join(" | ")).expect("a string takes everything");
    let narrative = text(NARRATIVE_CHARS_MAX);
    let more = STEPS_MAX - 1;
    let (head, tail) = match extent {
        Extent::Whole => (
            r#""{\"requestId\":" uuid ",\"narrative\":""#,
            concat!(
                r#" ",\"parallel\":" bool ",\"disabledSkills\":" skills ",\"metadata\":{\"generationAttempt\":""#,
                r#" [1-5] ",\"parentPlanId\":" (uuid | "null") "}}""#
            ),
        ),
        Extent::Lean => (r#""{\"narrative\":""#, r#" "}""#),
    };
    writeln!(
        rules,
        r#"root ::= {head} {narrative} ",\"tools\":[" tool ("," tool){{0,{more}}} "]"{tail}"#
    )
    .expect("a string takes everything");
    rules
}

fn text(chars_max: u64) -> String {
    format!(r#""\"" char{{0,{}}} "\"""#, chars_max.min(TEXT_CHARS_MAX))
}

/// A piece of JSON as a literal of the grammar.
fn literal(json: &str) -> String {
    format!("\"{}\"", json.replace('\\', "\\\\").replace('"', "\\\""))
}

/// An object with the schema's properties in their order; those that are not required may be missing.
fn input(schema: &Value) -> String {
    let required = |name: &str| {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name))
    };
    let properties = schema["properties"].as_object();
    let mut fields: Vec<(String, bool)> = properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| {
            let field = literal(&format!("\"{name}\":"));
            (format!("{field} {}", value(schema)), required(name))
        })
        .collect();
    // Required ones first, so that a comma is never in doubt.
    fields.sort_by_key(|(_, is_required)| !is_required);
    let needed: Vec<&str> =
        fields.iter().filter(|field| field.1).map(|field| field.0.as_str()).collect();
    let others: Vec<&str> =
        fields.iter().filter(|field| !field.1).map(|field| field.0.as_str()).collect();
    let mut rule = needed.join(r#" "," "#);
    if needed.is_empty() {
        // Any of them may be the first.
        let tails = (0..others.len()).map(|first| {
            let rest = others[first + 1..].iter().map(|field| format!(r#" ("," {field})?"#));
            format!("{}{}", others[first], rest.collect::<String>())
        });
        let tails: Vec<String> = tails.collect();
        if !tails.is_empty() {
            rule = format!("({})?", tails.join(" | "));
        }
    } else {
        rule.extend(others.iter().map(|field| format!(r#" ("," {field})?"#)));
    }
    format!(r#""{{" {rule} "}}""#)
}

fn value(schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words.iter().map(|word| literal(&word.to_string())).collect();
        return format!("({})", words.join(" | "));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let kinds: Vec<String> = types
        .into_iter()
        .map(|kind| match kind {
            "string" => text(schema["maxLength"].as_u64().unwrap_or(u64::MAX)),
            "integer" => match (schema["minimum"].as_i64(), schema["maximum"].as_i64()) {
                (Some(min), Some(max)) if max - min < 10 => {
                    let numbers: Vec<String> =
                        (min..=max).map(|n| literal(&n.to_string())).collect();
                    numbers.join(" | ")
                }
                _ => "integer".to_owned(),
            },
            "boolean" => "bool".to_owned(),
            "null" => r#""null""#.to_owned(),
            other => unreachable!("no built-in script takes `{other}`"),
        })
        .collect();
    format!("({})", kinds.join(" | "))
}
