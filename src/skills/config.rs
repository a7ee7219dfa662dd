//! A skill's configuration: `config-schema.json` lists the settings, `config.json` holds the user's values, and a
//! lookup of the caller resolves `${VAR}`. No problem ever quotes a value, because any value may be a secret.

mod form;
mod setting;

use std::sync::LazyLock;

use serde_json::Value;

use super::{Schema, package::PackageFiles, problem::ProblemList};
pub use form::{
    ConfigForm, ConfigFormError, ItemKind, Setting, SettingError, SettingKind, SettingValue,
};
use narratoria_protocol::Object;

/// The user's values, beside the manifest.
pub(super) const CONFIG_FILE: &str = "config.json";
/// The schema, unless the manifest's `configSchema` names another file.
pub(super) const CONFIG_SCHEMA_FILE: &str = "config-schema.json";

/// Longest `config.json`, and longest schema of it. A form of 128 settings is about 30 KiB.
pub const CONFIG_BYTES_MAX: u64 = 256 << 10;

/// Longest string once `${VAR}` is substituted. Stops a value that names one variable ten thousand times.
const CONFIG_VALUE_BYTES_MAX: usize = 256 << 10;

/// Returns a variable's value; `None` if it is not set.
pub type VariableLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// How to treat a `${VAR}` whose variable is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnsetVariable {
    /// Report it: the skill cannot run without the variable.
    Reject,
    /// Keep the text and report no mismatch that depends on it: a person who checks a package need not have its
    /// secrets.
    KeepText,
}

/// The contract, compiled once.
static META_SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let text = include_str!("../../contracts/config-schema.meta.json");
    Schema::build(serde_json::from_str(text).expect("the contract is JSON, a test reads it"))
        .expect("the contract is a schema, a test builds it")
});

/// A configuration that matches its schema.
#[derive(Debug, Default, PartialEq)]
pub(super) struct SkillConfig {
    pub(super) values: Object,
    /// Names of the settings marked `secret`, sorted.
    pub(super) secrets: Vec<String>,
}

/// Reads and checks both files; problems go to `findings`.
pub(super) fn load_config(
    package: &PackageFiles,
    schema_file: Option<&str>,
    env: (VariableLookup<'_>, UnsetVariable),
    findings: &mut ProblemList,
) -> Option<SkillConfig> {
    let (env, unset) = env;
    let name = schema_file.unwrap_or(CONFIG_SCHEMA_FILE);
    let has_values = package.has(CONFIG_FILE);
    if schema_file.is_none() && !package.has(name) {
        if has_values {
            findings.file(CONFIG_FILE, format!("there is no `{name}` that says what it may hold"));
            return None;
        }
        return Some(SkillConfig::default());
    }
    let document = package.json(name, CONFIG_BYTES_MAX, findings)?;
    let schema = parse_config_schema(name, document, findings)?;
    let mut values = match has_values {
        false => Object::new(),
        true => match package.json(CONFIG_FILE, CONFIG_BYTES_MAX, findings)? {
            Value::Object(values) => values,
            _ => {
                findings.file(CONFIG_FILE, "must be an object");
                return None;
            }
        },
    };
    fill_defaults(schema.document(), &mut values);
    let mut missing = Vec::new();
    for (setting, value) in &mut values {
        substitute(value, &format!("/{}", pointer_part(setting)), env, &mut missing);
    }
    let is_tolerated =
        |error: &SubstitutionError| unset == UnsetVariable::KeepText && error.is_unset();
    let (unknown, errors): (Vec<_>, Vec<_>) =
        missing.into_iter().partition(|(_, error)| is_tolerated(error));
    for (pointer, error) in &errors {
        findings.field(CONFIG_FILE, pointer, error.to_string());
    }
    if !errors.is_empty() {
        return None;
    }
    let unknown: Vec<&str> = unknown.iter().map(|(pointer, _)| pointer.as_str()).collect();
    let whole = Value::Object(values);
    let mismatches = schema.mismatches_masked(&whole, &unknown);
    for mismatch in &mismatches {
        findings.field(CONFIG_FILE, &mismatch.pointer, &mismatch.what);
    }
    match whole {
        Value::Object(values) if mismatches.is_empty() => {
            Some(SkillConfig { values, secrets: secrets(schema.document()) })
        }
        _ => None,
    }
}

fn parse_config_schema(name: &str, document: Value, findings: &mut ProblemList) -> Option<Schema> {
    let mismatches = META_SCHEMA.mismatches(&document);
    for mismatch in &mismatches {
        findings.field(name, &mismatch.pointer, &mismatch.what);
    }
    if !mismatches.is_empty() {
        return None;
    }
    match Schema::build(document) {
        Ok(schema) => Some(schema),
        Err(error) => {
            findings.file(name, error.to_string());
            None
        }
    }
}

fn settings(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn fill_defaults(schema: &Value, values: &mut Object) {
    for (name, setting) in settings(schema) {
        if let Some(default) = setting.get("default")
            && !values.contains_key(name)
        {
            values.insert(name.clone(), default.clone());
        }
    }
}

fn secrets(schema: &Value) -> Vec<String> {
    let mut names: Vec<String> = settings(schema)
        .filter(|(_, setting)| setting.get("secret") == Some(&Value::Bool(true)))
        .map(|(name, _)| name.clone())
        .collect();
    names.sort();
    names
}

/// Replaces `${VAR}` in every string of `value`; each error goes to `missing`, with the pointer to its string.
fn substitute(
    value: &mut Value,
    pointer: &str,
    env: VariableLookup<'_>,
    missing: &mut Vec<(String, SubstitutionError)>,
) {
    match value {
        Value::String(text) => match expand_variables(text, env) {
            Ok(expanded) => *text = expanded,
            Err(why) => missing.push((pointer.to_owned(), why)),
        },
        Value::Array(items) => {
            for (idx, item) in items.iter_mut().enumerate() {
                substitute(item, &format!("{pointer}/{idx}"), env, missing);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                substitute(field, &format!("{pointer}/{}", pointer_part(name)), env, missing);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Why a `${VAR}` cannot be replaced. The error does not quote the text around it, because an unclosed brace may
/// include a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum SubstitutionError {
    #[error("`${{` is never closed; `$${{` stands for the text")]
    NotClosed,
    #[error(
        "`${{…}}` must name an environment variable: letters, digits and underscores, no digit first"
    )]
    NotAName,
    #[error("the environment variable `{name}` is not set")]
    NotSet { name: String },
    #[error("is longer than {limit} bytes once substituted")]
    TooLong { limit: usize },
}

impl SubstitutionError {
    fn is_unset(&self) -> bool {
        matches!(self, SubstitutionError::NotSet { .. })
    }
}

/// `$${` stands for a literal `${`. A variable's value is not expanded again.
fn expand_variables(text: &str, env: VariableLookup<'_>) -> Result<String, SubstitutionError> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        if let Some(before) = before.strip_suffix('$') {
            expanded.push_str(before);
            expanded.push_str("${");
            rest = after;
            continue;
        }
        expanded.push_str(before);
        let (name, after) = after.split_once('}').ok_or(SubstitutionError::NotClosed)?;
        if !is_variable_name(name) {
            return Err(SubstitutionError::NotAName);
        }
        let value = env(name).ok_or_else(|| SubstitutionError::NotSet { name: name.to_owned() })?;
        expanded.push_str(&value);
        if expanded.len() > CONFIG_VALUE_BYTES_MAX {
            return Err(SubstitutionError::TooLong { limit: CONFIG_VALUE_BYTES_MAX });
        }
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn is_variable_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn pointer_part(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::{PackageFiles, ProblemList, UnsetVariable, load_config};

    /// `schema` and `config` as JSON, `TOKEN` set to `s3cret`, `EMPTY` to nothing at all.
    fn show(schema: &'static str, config: &'static str) -> String {
        show_unset(schema, config, UnsetVariable::Reject)
    }

    fn show_unset(schema: &'static str, config: &'static str, unset: UnsetVariable) -> String {
        let mut files: Vec<(&'static str, &'static [u8])> = Vec::new();
        if !schema.is_empty() {
            files.push(("config-schema.json", schema.as_bytes()));
        }
        if !config.is_empty() {
            files.push(("config.json", config.as_bytes()));
        }
        let package = PackageFiles::Embedded(files.leak());
        let mut findings = ProblemList::for_package("weather");
        let env = |name: &str| match name {
            "TOKEN" => Some("s3cret".to_owned()),
            "EMPTY" => Some(String::new()),
            "NESTED" => Some("${TOKEN}".to_owned()),
            _ => None,
        };
        match load_config(&package, None, (&env, unset), &mut findings) {
            Some(config) => {
                format!("{} secret: {:?}", serde_json::Value::Object(config.values), config.secrets)
            }
            None => findings
                .into_problems()
                .iter()
                .map(|problem| problem.to_string())
                .collect::<Vec<_>>()
                .join("\n"),
        }
    }

    const WEATHER: &str = r#"{
        "type": "object", "required": ["token"], "additionalProperties": false,
        "properties": {
            "token": {"type": "string", "secret": true, "maxLength": 20},
            "units": {"type": "string", "enum": ["metric", "imperial"], "default": "metric"},
            "towns": {"type": "array", "items": {"type": "string"}}
        }
    }"#;

    #[test]
    fn values_come_from_the_file_the_defaults_and_the_environment() {
        insta::assert_snapshot!(show("", ""), @"{} secret: []");
        insta::assert_snapshot!(show(WEATHER, r#"{"token": "a${TOKEN}b$${TOKEN}", "towns": ["${EMPTY}"]}"#), @r#"{"token":"as3cretb${TOKEN}","towns":[""],"units":"metric"} secret: ["token"]"#);
        insta::assert_snapshot!(show(WEATHER, r#"{"token": "${NESTED}", "units": "imperial"}"#), @r#"{"token":"${TOKEN}","units":"imperial"} secret: ["token"]"#);
    }

    #[test]
    fn checking_a_package_does_not_require_its_secrets() {
        let show = |config| show_unset(WEATHER, config, UnsetVariable::KeepText);
        insta::assert_snapshot!(show(r#"{"token": "${NO_SUCH_AND_VERY_LONG}", "units": "${ALSO_NOT}"}"#), @r#"{"token":"${NO_SUCH_AND_VERY_LONG}","units":"${ALSO_NOT}"} secret: ["token"]"#);
        insta::assert_snapshot!(show(r#"{"token": "${NO_SUCH}", "units": "furlongs"}"#), @r#"package `weather`: config.json: /units: the value is not one of "metric" or "imperial""#);
        insta::assert_snapshot!(show(r#"{"token": "${NO SUCH}"}"#), @"package `weather`: config.json: /token: `${…}` must name an environment variable: letters, digits and underscores, no digit first");
    }

    #[test]
    fn a_problem_names_the_variable_and_never_the_value() {
        insta::assert_snapshot!(show(WEATHER, r#"{"token": "${NO_SUCH}", "towns": ["${ALSO_NOT}"]}"#), @"
        package `weather`: config.json: /token: the environment variable `NO_SUCH` is not set
        package `weather`: config.json: /towns/0: the environment variable `ALSO_NOT` is not set
        ");
        insta::assert_snapshot!(show(WEATHER, r#"{"token": "${TOKEN}${TOKEN}${TOKEN}${TOKEN}"}"#), @"package `weather`: config.json: /token: the value is longer than 20 characters");
        insta::assert_snapshot!(show(WEATHER, r#"{"token": "${TOKEN", "units": "${sh -c}"}"#), @"
        package `weather`: config.json: /token: `${` is never closed; `$${` stands for the text
        package `weather`: config.json: /units: `${…}` must name an environment variable: letters, digits and underscores, no digit first
        ");
        insta::assert_snapshot!(show(WEATHER, r#"{"units": "s3cret", "tokn": "s3cret"}"#), @r#"
        package `weather`: config.json: /units: the value is not one of "metric" or "imperial"
        package `weather`: config.json: Additional properties are not allowed ('tokn' was unexpected)
        package `weather`: config.json: "token" is a required property
        "#);
        insta::assert_snapshot!(show(WEATHER, r#"["s3cret"]"#), @"package `weather`: config.json: must be an object");
        insta::assert_snapshot!(show("", r#"{"token": "s3cret"}"#), @"package `weather`: config.json: there is no `config-schema.json` that says what it may hold");
        insta::assert_snapshot!(show(r#"{"type": "object", "properties": {"a": {"type": "object"}}}"#, ""), @r#"package `weather`: config-schema.json: /properties/a/type: "object" is not one of "string", "number" or 3 other candidates"#);
    }
}
