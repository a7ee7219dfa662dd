//! The form of a package's settings: the settings of `config-schema.json` with the player's values, changed one at a
//! time and written whole or not at all into the player's own file. No error ever quotes a value, because any value may
//! be a secret.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    CONFIG_BYTES_MAX, CONFIG_SCHEMA_FILE, ConfigLayers, ConfiguredPackage, PlayerVariables,
    SettingsFolder,
    player::{PackageValue, PlayerSettings, PlayerValue},
    read_layers, settings,
    settings_folder::{settings_text, write_settings},
};
use crate::{
    PackageOrigin, Problem, Schema,
    agent_skill::is_agent_skill,
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
    /// The package's own `config.json`.
    packaged: BTreeMap<String, PackageValue>,
    /// The player's values as they were read, with `${VAR}` not substituted.
    original: PlayerSettings,
    /// The original with the changes since.
    current: PlayerSettings,
    /// The player's file, there or not.
    file: Option<PathBuf>,
    was_there: bool,
}

/// One setting, as the schema describes it.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Its key in the player's file.
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
    /// The environment variable that the player may name as `${VAR}` instead of writing the value.
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
    /// Any text; in the player's value a `${VAR}` is read from the environment.
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
    /// From the player's own file.
    Player(&'f Value),
    /// From the package's `config.json`.
    Packaged(&'f Value),
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
    #[error(
        "there is no place for the settings of the package `{package}`: no home folder, or no name that a skill may have"
    )]
    NoPlace { package: String },
    #[error(
        "the settings of the package `{package}` would have {bytes} bytes, at most {limit} are read"
    )]
    TooLong { package: String, bytes: usize, limit: u64 },
    #[error("the settings `{}` cannot be written", file.display())]
    Unwritable {
        file: PathBuf,
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
        origin: &PackageOrigin,
        settings: &SettingsFolder,
    ) -> Result<ConfigForm, ConfigFormError> {
        let mut findings = ProblemList::for_package(package_name);
        let form = read_form((package_name, package, origin), settings, &mut findings)?;
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

    /// The player's file, there or not; `None` if there is no place for one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The value of a setting as it is written. A secret never comes from the package's `config.json`.
    pub fn value<'f>(&'f self, setting: &'f Setting) -> SettingValue<'f> {
        if let Some(value) = self.current.get(&setting.name) {
            return SettingValue::Player(value.as_written());
        }
        match (self.packaged.get(&setting.name).filter(|_| !setting.secret), &setting.default) {
            (Some(value), _) => SettingValue::Packaged(value.as_written()),
            (None, Some(default)) => SettingValue::Default(default),
            (None, None) => SettingValue::Missing,
        }
    }

    /// The player's names that the schema does not list.
    pub fn unlisted(&self) -> impl Iterator<Item = &str> {
        self.current.iter().map(|(name, _)| name).filter(|name| self.find(name).is_none())
    }

    /// The variables that the player's values read, each with its setting, in the order of the file.
    pub fn variables(&self) -> Vec<(String, String)> {
        let of = |(setting, value): (&str, &PlayerValue)| {
            let setting = setting.to_owned();
            value.variables().into_iter().map(move |variable| (variable, setting.clone()))
        };
        self.current.iter().flat_map(of).collect()
    }

    /// The settings for which the package's `config.json` has values that the player has not set.
    pub fn packaged(&self) -> Vec<&str> {
        let is_free = |name: &&String| self.current.get(name).is_none();
        self.packaged.keys().filter(is_free).map(String::as_str).collect()
    }

    /// Makes the values of the package's `config.json` the player's, unless the player has set others. From then on
    /// `${VAR}` in them is a variable, so a person must have seen them.
    pub fn take_over_packaged(&mut self) {
        for (name, value) in &self.packaged {
            if self.current.get(name).is_none() {
                self.current.set(name, value.taken_over_by_player());
            }
        }
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
        variables: PlayerVariables<'_>,
    ) -> Result<(), SettingError> {
        let value = self.setting(name)?.parse(words, variables)?;
        self.current.set(name, value);
        Ok(())
    }

    /// Removes a value, so that the default holds, if there is one. Also removes values that the schema does not list.
    pub fn unset(&mut self, name: &str) -> Result<(), SettingError> {
        if !self.current.remove(name) {
            self.setting(name)?;
        }
        Ok(())
    }

    /// Reasons why the skill cannot be used with these values, here or on another machine; a sentence each.
    pub fn warnings(&self, variables: PlayerVariables<'_>) -> Vec<String> {
        let mut warnings = Vec::new();
        for setting in &self.settings {
            let name = &setting.name;
            let checked = match (self.current.get(name), self.value(setting)) {
                (Some(value), _) => setting.check(value, variables),
                (None, SettingValue::Packaged(value) | SettingValue::Default(value)) => {
                    setting.check_literal(value).map(|()| Vec::new())
                }
                (None, _) if setting.required => {
                    warnings.push(format!("the setting `{name}` is required and not set"));
                    continue;
                }
                (None, _) => continue,
            };
            match checked {
                Ok(unset) => warnings.extend(unset.iter().map(|variable| {
                    format!("the setting `{name}` reads the environment variable `{variable}`, which is not set here")
                })),
                Err(error) => warnings.push(error.to_string()),
            }
        }
        if !self.accepts_unlisted {
            warnings.extend(self.unlisted().map(|name| {
                format!("`{name}` is no setting of this package, `--unset {name}` takes it away")
            }));
        }
        warnings
    }

    /// The new content of the player's file: only values that differ from what holds without them, in the order of
    /// the file, new ones last.
    pub fn document(&self) -> Object {
        let holds_anyway = |name: &str, value: &Value| {
            let Some(setting) = self.find(name) else { return false };
            match self.packaged.get(name).filter(|_| !setting.secret) {
                Some(packaged) => packaged.as_written() == value,
                None => setting.default.as_ref() == Some(value),
            }
        };
        // A text with a variable says more than the same text in a package.
        let differs = |(name, value): &(&str, &PlayerValue)| {
            !holds_anyway(name, value.as_written()) || !value.variables().is_empty()
        };
        let changed = self.current.iter().filter(differs);
        changed.map(|(name, value)| (name.to_owned(), value.as_written().clone())).collect()
    }

    /// Writes the player's file if its content has changed; returns whether it has.
    pub fn write(&self) -> Result<bool, ConfigFormError> {
        let document = self.document();
        if PlayerSettings::of_file(document.clone()) == self.original {
            return Ok(false);
        }
        let package = self.package.clone();
        let Some(file) = &self.file else { return Err(ConfigFormError::NoPlace { package }) };
        let (bytes, limit) = (settings_text(&document).len(), CONFIG_BYTES_MAX);
        if bytes as u64 > limit {
            return Err(ConfigFormError::TooLong { package, bytes, limit });
        }
        let unwritable = |source| ConfigFormError::Unwritable { file: file.clone(), source };
        write_settings(file, &document).map_err(unwritable)?;
        Ok(true)
    }

    /// Writes the player's file as it was when the form was read.
    pub fn restore(&self) -> io::Result<()> {
        match &self.file {
            Some(file) if self.was_there => {
                let values = self.original.iter();
                let values =
                    values.map(|(name, value)| (name.to_owned(), value.as_written().clone()));
                write_settings(file, &values.collect())
            }
            Some(file) => std::fs::remove_file(file),
            None => Ok(()),
        }
    }

    fn find(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.name == name)
    }
}

/// Returns `None`, and the problems in `findings`, if a file of the form is faulty.
fn read_form(
    (name, files, origin): (&str, &PackageFiles, &PackageOrigin),
    settings_folder: &SettingsFolder,
    findings: &mut ProblemList,
) -> Result<Option<ConfigForm>, ConfigFormError> {
    if is_agent_skill(files) {
        return Err(ConfigFormError::NoSettings { package: name.to_owned() });
    }
    let Some(manifest) = files.json(MANIFEST_FILE, MANIFEST_BYTES_MAX, findings) else {
        return Ok(None);
    };
    let schema_file = manifest.get("configSchema").and_then(Value::as_str);
    if let Some(fault) = schema_file.and_then(path_fault) {
        findings.field(MANIFEST_FILE, "/configSchema", fault);
        return Ok(None);
    }
    if schema_file.is_none() && !files.has(CONFIG_SCHEMA_FILE) {
        return Err(ConfigFormError::NoSettings { package: name.to_owned() });
    }
    let package = ConfiguredPackage { name, files, origin, schema_file };
    let Some(Some(layers)) = read_layers(package, settings_folder, findings) else {
        return Ok(None);
    };
    let ConfigLayers { schema_file, schema, packaged, player, player_file } = layers;
    let mut listed = Vec::new();
    for (name, part) in settings(&schema.document) {
        match Setting::build(name, part, schema.required.contains(name)) {
            Ok(setting) => listed.push(setting),
            Err(reason) => findings.field(&schema_file, format!("/properties/{name}"), reason),
        }
    }
    if !findings.is_empty() {
        return Ok(None);
    }
    Ok(Some(ConfigForm {
        package: name.to_owned(),
        title: text(&schema.document, "title"),
        description: text(&schema.document, "description"),
        settings: listed,
        accepts_unlisted: schema.accepts_unlisted,
        packaged,
        original: player.clone(),
        current: player,
        was_there: player_file.as_ref().is_some_and(|file| file.exists()),
        file: player_file,
    }))
}

pub(super) fn text(document: &Value, name: &str) -> Option<String> {
    document.get(name).and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests;
