//! The form of a package's settings: the settings of `config-schema.json` with the values of `config.json`, changed
//! one at a time and written whole or not at all. No error ever quotes a value, because any value may be a secret.

use std::io;

use serde_json::Value;

use super::{
    CONFIG_BYTES_MAX, CONFIG_FILE, CONFIG_SCHEMA_FILE, VariableLookup, parse_config_schema,
    settings,
};
use crate::{
    Problem, Schema,
    manifest::MANIFEST_FILE,
    package::{PackageFiles, path_fault},
    problem::ProblemList,
    skill::MANIFEST_BYTES_MAX,
};
use narratoria_protocol::Object;
use narratoria_protocol::nearest::nearest;

/// Most items of a list that a person gives one by one. The longest honest list names some dozens of towns.
pub(super) const ITEMS_MAX: usize = 1_000;

/// The settings of one package with their values.
#[derive(Debug)]
pub struct ConfigForm {
    package: String,
    title: Option<String>,
    description: Option<String>,
    settings: Vec<Setting>,
    /// True if the schema accepts settings that it does not list.
    accepts_unlisted: bool,
    /// `config.json` as it was read, with `${VAR}` not substituted.
    original: Option<Object>,
    /// The original with the changes since.
    current: Object,
}

/// One setting, as the schema describes it.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Its key in `config.json`.
    pub name: String,
    /// For people.
    pub title: Option<String>,
    /// For people.
    pub description: Option<String>,
    pub kind: SettingKind,
    /// True if the skill cannot be used without it.
    pub required: bool,
    /// Masked wherever it is shown.
    pub secret: bool,
    /// Still read, better not set.
    pub deprecated: bool,
    /// The environment variable that `config.json` should name as `${VAR}` instead of holding the value.
    pub env: Option<String>,
    pub default: Option<Value>,
    /// The only allowed values; empty if every value of its kind is allowed.
    pub choices: Vec<Value>,
    /// The setting's part of the schema.
    pub(super) schema: Schema,
    /// For a list, the schema of one item.
    pub(super) items: Option<Schema>,
}

/// The kind of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// Any text; the loader reads a `${VAR}` in it from the environment.
    Text,
    Number,
    /// A number without a fraction.
    Integer,
    Boolean,
    List(ItemKind),
}

/// The kind of a list's items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// As [`SettingKind::Text`].
    Text,
    Number,
    /// As [`SettingKind::Integer`].
    Integer,
    Boolean,
}

/// A setting's value with its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingValue<'f> {
    /// From `config.json`.
    InFile(&'f Value),
    /// From the schema.
    Default(&'f Value),
    Missing,
}

/// Why a setting cannot be changed like this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    #[error("there is no setting `{name}`{instead}")]
    Unknown {
        name: String,
        /// The nearest name as a question, or nothing.
        instead: String,
    },
    #[error("the setting `{name}` must be {kind}")]
    WrongKind { name: String, kind: SettingKind },
    #[error("the setting `{name}` is no list, it has one value")]
    NoList { name: String },
    #[error("the setting `{name}` was given more than {limit} items")]
    TooManyItems { name: String, limit: usize },
    #[error("the setting `{name}` cannot be this: {rule}")]
    Refused {
        name: String,
        /// The schema's rule, without the value.
        rule: String,
    },
}

/// Why a package has no form, or one that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFormError {
    /// The manifest, the schema or `config.json` has problems.
    #[error("{}", lines(problems))]
    Broken { problems: Vec<Problem> },
    #[error("the package `{package}` has no settings: there is no `{CONFIG_SCHEMA_FILE}` in it")]
    NoSettings { package: String },
    #[error("the package `{package}` is part of the program, its settings cannot be changed")]
    BuiltIn { package: String },
    #[error(
        "the `{CONFIG_FILE}` of the package `{package}` would have {bytes} bytes, at most {limit} are read"
    )]
    TooLong { package: String, bytes: usize, limit: u64 },
    #[error("the `{CONFIG_FILE}` of the package `{package}` cannot be written")]
    Unwritable {
        package: String,
        #[source]
        source: io::Error,
    },
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}

impl ConfigForm {
    /// Reads the settings and their values. The rest of the package may be faulty.
    pub(crate) fn read(
        package_name: &str,
        package: &PackageFiles,
    ) -> Result<ConfigForm, ConfigFormError> {
        let mut findings = ProblemList::for_package(package_name);
        let form = read_form(package_name, package, &mut findings)?;
        form.ok_or_else(|| ConfigFormError::Broken { problems: findings.into_problems() })
    }

    pub fn package(&self) -> &str {
        &self.package
    }

    /// The form's heading, for people.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Every setting, in the schema's order.
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// The value of a setting as it stands in `config.json`, else its default. Not substituted.
    pub fn value<'f>(&'f self, setting: &'f Setting) -> SettingValue<'f> {
        match (self.current.get(&setting.name), &setting.default) {
            (Some(value), _) => SettingValue::InFile(value),
            (None, Some(default)) => SettingValue::Default(default),
            (None, None) => SettingValue::Missing,
        }
    }

    /// Names in `config.json` that the schema does not list.
    pub fn unlisted(&self) -> impl Iterator<Item = &str> {
        self.current.keys().map(String::as_str).filter(|name| self.find(name).is_none())
    }

    pub fn setting(&self, name: &str) -> Result<&Setting, SettingError> {
        self.find(name).ok_or_else(|| {
            let names = self.settings.iter().map(|setting| &setting.name);
            let instead = match nearest(name, names) {
                Some(near) => format!(", did you mean `{near}`?"),
                None => String::new(),
            };
            SettingError::Unknown { name: name.to_owned(), instead }
        })
    }

    /// Parses these words ([`Setting::parse`]) and sets the value.
    pub fn set(
        &mut self,
        name: &str,
        words: &[String],
        env: VariableLookup<'_>,
    ) -> Result<(), SettingError> {
        let value = self.setting(name)?.parse(words, env)?;
        self.current.insert(name.to_owned(), value);
        Ok(())
    }

    /// Removes a value, so that the default holds, if there is one. Also removes values that the schema does not list.
    pub fn unset(&mut self, name: &str) -> Result<(), SettingError> {
        if self.current.shift_remove(name).is_none() {
            self.setting(name)?;
        }
        Ok(())
    }

    /// Reasons why the skill cannot be used with these values, here or on another machine; a sentence each.
    pub fn warnings(&self, env: VariableLookup<'_>) -> Vec<String> {
        let mut warnings = Vec::new();
        for setting in &self.settings {
            let name = &setting.name;
            match self.value(setting) {
                SettingValue::Missing if setting.required => {
                    warnings.push(format!("the setting `{name}` is required and not set"));
                }
                SettingValue::Missing => {}
                SettingValue::InFile(value) | SettingValue::Default(value) => match setting.check(value, env) {
                    Ok(unset) => warnings.extend(unset.iter().map(|variable| {
                        format!("the setting `{name}` reads the environment variable `{variable}`, which is not set here")
                    })),
                    Err(error) => warnings.push(error.to_string()),
                },
            }
        }
        if !self.accepts_unlisted {
            warnings.extend(self.unlisted().map(|name| {
                format!("`{name}` is no setting of this package, `--unset {name}` takes it away")
            }));
        }
        warnings
    }

    /// The new content of `config.json`: only values that differ from the defaults, in the order of the file, new ones
    /// last.
    pub fn document(&self) -> Object {
        let is_default = |name: &str, value: &Value| {
            self.find(name).is_some_and(|setting| setting.default.as_ref() == Some(value))
        };
        let changed = self.current.iter().filter(|(name, value)| !is_default(name, value));
        changed.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Writes `config.json` if its content has changed; returns whether it has. Only the owner can read a file that
    /// may hold a secret.
    pub(crate) fn write(&self, package: &PackageFiles) -> Result<bool, ConfigFormError> {
        let document = self.document();
        let was = self.original.as_ref();
        if was.is_some_and(|was| was == &document) || (was.is_none() && document.is_empty()) {
            return Ok(false);
        }
        let package_name = self.package.clone();
        let mut text = serde_json::to_string_pretty(&document).expect("an object is JSON");
        text.push('\n');
        if text.len() as u64 > CONFIG_BYTES_MAX {
            let (bytes, limit) = (text.len(), CONFIG_BYTES_MAX);
            return Err(ConfigFormError::TooLong { package: package_name, bytes, limit });
        }
        let secret = self.settings.iter().any(|setting| setting.secret);
        match package {
            PackageFiles::Folder(_) => package
                .replace(CONFIG_FILE, text.as_bytes(), secret)
                .map(|()| true)
                .map_err(|source| ConfigFormError::Unwritable { package: package_name, source }),
            _ => Err(ConfigFormError::BuiltIn { package: package_name }),
        }
    }

    fn find(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.name == name)
    }
}

/// Returns `None`, and the problems in `findings`, if a file of the form is faulty.
fn read_form(
    package_name: &str,
    package: &PackageFiles,
    findings: &mut ProblemList,
) -> Result<Option<ConfigForm>, ConfigFormError> {
    let Some(manifest) = package.json(MANIFEST_FILE, MANIFEST_BYTES_MAX, findings) else {
        return Ok(None);
    };
    let named = manifest.get("configSchema").and_then(Value::as_str);
    let file = named.unwrap_or(CONFIG_SCHEMA_FILE);
    if let Some(fault) = path_fault(file) {
        findings.field(MANIFEST_FILE, "/configSchema", fault);
        return Ok(None);
    }
    if named.is_none() && !package.has(file) {
        return Err(ConfigFormError::NoSettings { package: package_name.to_owned() });
    }
    let schema = package
        .json(file, CONFIG_BYTES_MAX, findings)
        .and_then(|document| parse_config_schema(file, document, findings));
    let read = match package.has(CONFIG_FILE) {
        false => None,
        true => match package.json(CONFIG_FILE, CONFIG_BYTES_MAX, findings) {
            Some(Value::Object(values)) => Some(values),
            Some(_) => {
                findings.file(CONFIG_FILE, "must be an object");
                return Ok(None);
            }
            None => return Ok(None),
        },
    };
    let Some(schema) = schema else { return Ok(None) };
    let document = schema.document();
    let required = document.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
    let mut listed = Vec::new();
    for (name, part) in settings(document) {
        match Setting::build(name, part, is_required(name)) {
            Ok(setting) => listed.push(setting),
            Err(reason) => findings.field(file, format!("/properties/{name}"), reason),
        }
    }
    if !findings.is_empty() {
        return Ok(None);
    }
    Ok(Some(ConfigForm {
        package: package_name.to_owned(),
        title: text(document, "title"),
        description: text(document, "description"),
        settings: listed,
        accepts_unlisted: document.get("additionalProperties") != Some(&Value::Bool(false)),
        current: read.clone().unwrap_or_default(),
        original: read,
    }))
}

pub(super) fn text(document: &Value, name: &str) -> Option<String> {
    document.get(name).and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests;
