//! What a package can be told: the settings of its `config-schema.json` with the values that `config.json` has
//! so far, changed one at a time and written whole or not at all. No value is ever quoted in an error: any of
//! them may be a secret.

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

/// Most items of a list that are given one by one. The longest honest one names some dozens of towns.
pub const ITEMS_MAX: usize = 1_000;

/// The settings of one package and what they are set to.
#[derive(Debug)]
pub struct ConfigForm {
    package: String,
    title: Option<String>,
    description: Option<String>,
    settings: Vec<Setting>,
    /// Whether the schema accepts settings that it does not list.
    accepts_unlisted: bool,
    /// `config.json` as it was read, `${VAR}` and all.
    original: Option<Object>,
    /// The same with what was changed since.
    current: Object,
}

/// One setting, as the schema describes it.
#[derive(Debug, Clone)]
pub struct Setting {
    /// What `config.json` calls it.
    pub name: String,
    /// For people.
    pub title: Option<String>,
    /// What it does, for people.
    pub description: Option<String>,
    /// What it may be.
    pub kind: SettingKind,
    /// Whether the skill cannot be used without it.
    pub required: bool,
    /// Masked wherever it is shown.
    pub secret: bool,
    /// Still read, better not set.
    pub deprecated: bool,
    /// The environment variable that should be named as `${VAR}` instead of holding the value.
    pub env: Option<String>,
    /// What holds where nothing is said.
    pub default: Option<Value>,
    /// The only values that will do; none if any of its kind will.
    pub choices: Vec<Value>,
    /// The part of the schema that is about it.
    pub(super) schema: Schema,
    /// For a list, the part of that which is about one item.
    pub(super) items: Option<Schema>,
}

/// What a value may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// Any text; `${VAR}` in it is read from the environment when the skill is loaded.
    Text,
    /// A number.
    Number,
    /// A number without a fraction.
    Integer,
    /// True or false.
    Boolean,
    /// Some of these.
    List(ItemKind),
}

/// What a list may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// As [`SettingKind::Text`].
    Text,
    /// As [`SettingKind::Number`].
    Number,
    /// As [`SettingKind::Whole`].
    Integer,
    /// As [`SettingKind::Flag`].
    Boolean,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingValue<'f> {
    /// From `config.json`.
    InFile(&'f Value),
    /// From the schema.
    Default(&'f Value),
    /// From nowhere: it has none.
    Missing,
}

/// Why a setting cannot be changed like this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// The schema has no such setting.
    #[error("there is no setting `{name}`{instead}")]
    Unknown {
        /// As given.
        name: String,
        /// What there is.
        instead: String,
    },
    /// A text that is nothing of this kind.
    #[error("the setting `{name}` must be {kind}")]
    WrongKind {
        /// Which setting.
        name: String,
        /// What it must be.
        kind: SettingKind,
    },
    /// Several values for one that is no list.
    #[error("the setting `{name}` is no list, it has one value")]
    NoList {
        /// Which setting.
        name: String,
    },
    /// Too many values for a list.
    #[error("the setting `{name}` was given more than {limit} items")]
    TooManyItems {
        /// Which setting.
        name: String,
        /// [`ITEMS_MAX`].
        limit: usize,
    },
    /// The schema refuses it.
    #[error("the setting `{name}` cannot be this: {rule}")]
    Refused {
        /// Which setting.
        name: String,
        /// What the schema says, without the value.
        rule: String,
    },
}

/// Why a package has no form, or one that cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFormError {
    /// What the form is made of has faults.
    #[error("{}", lines(problems))]
    Broken {
        /// All of them.
        problems: Vec<Problem>,
    },
    /// There is nothing that could be set.
    #[error("the package `{package}` has no settings: there is no `{CONFIG_SCHEMA_FILE}` in it")]
    NoSettings {
        /// Which.
        package: String,
    },
    /// Nobody can write into the program.
    #[error("the package `{package}` is part of the program, its settings cannot be changed")]
    BuiltIn {
        /// Which.
        package: String,
    },
    /// Longer than the loader would read.
    #[error(
        "the `{CONFIG_FILE}` of the package `{package}` would have {bytes} bytes, at most {limit} are read"
    )]
    TooLong {
        /// Which.
        package: String,
        /// How long.
        bytes: usize,
        /// [`CONFIG_BYTES_MAX`].
        limit: u64,
    },
    /// The file system would not.
    #[error("the `{CONFIG_FILE}` of the package `{package}` cannot be written")]
    Unwritable {
        /// Which.
        package: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}

impl ConfigForm {
    /// Reads what there is to set and what is set. The rest of the package may be as wrong as it likes.
    pub(crate) fn read(
        package_name: &str,
        package: &PackageFiles,
    ) -> Result<ConfigForm, ConfigFormError> {
        let mut findings = ProblemList::for_package(package_name);
        let form = read_form(package_name, package, &mut findings)?;
        form.ok_or_else(|| ConfigFormError::Broken { problems: findings.into_problems() })
    }

    /// The package's name.
    pub fn package(&self) -> &str {
        &self.package
    }

    /// Heading of the form.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// What is configured, for people.
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

    /// A setting by its name.
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

    /// Sets it to what these words say: one for a single value; for a list its items, or all of it as JSON.
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

    /// Takes the value away, so that the default holds, if there is one. What the schema does not list can be
    /// taken away as well.
    pub fn unset(&mut self, name: &str) -> Result<(), SettingError> {
        if self.current.shift_remove(name).is_none() {
            self.setting(name)?;
        }
        Ok(())
    }

    /// What keeps the skill from being used as it is set now, or will keep it elsewhere; a sentence each.
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

    /// What `config.json` should hold: only what differs from the defaults, in the order of the file, what is
    /// new at its end.
    pub fn document(&self) -> Object {
        let is_default = |name: &str, value: &Value| {
            self.find(name).is_some_and(|setting| setting.default.as_ref() == Some(value))
        };
        let kept = self.current.iter().filter(|(name, value)| !is_default(name, value));
        kept.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Writes `config.json` if it says something else now; true if it was written. One that may hold a secret
    /// is closed to other people of the machine.
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

/// None with `findings` where something is wrong.
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
