//! A skill's configuration. `config-schema.json` lists the settings. A value comes from the player's own file, from the
//! package's `config.json`, or from the schema's default, in this order. Only the player's values may name `${VAR}`. No
//! problem ever quotes a value, because any value may be a secret.

mod form;
mod player;
mod setting;
mod settings_folder;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::LazyLock,
};

use serde_json::Value;

use super::{
    Schema,
    catalog::PackageOrigin,
    host_policy::HostPolicy,
    package::PackageFiles,
    problem::{Problem, ProblemList, Severity},
};
pub use form::{
    ConfigForm, ConfigFormError, ItemKind, Setting, SettingError, SettingKind, SettingValue,
};
use narratoria_protocol::{Object, key_of_token, token_of_key};
use player::{PackageValue, PlayerSettings, SubstitutionError, looks_like_variable};
pub use player::{PlayerValue, PlayerVariables, VariableLookup};
use settings_folder::read_settings;
pub use settings_folder::{CONFIG_BYTES_MAX, SettingsFolder, create_private, write_private};

/// Values that came with the package, beside the manifest.
pub(super) const CONFIG_FILE: &str = "config.json";
/// The schema, unless the manifest's `configSchema` names another file.
pub(super) const CONFIG_SCHEMA_FILE: &str = "config-schema.json";

/// The player's side of loading: their settings, and the variables that those may read.
#[derive(Clone, Copy)]
pub struct PlayerSide<'a> {
    pub settings: &'a SettingsFolder,
    pub variables: PlayerVariables<'a>,
    /// True if a required setting that is missing here is only noted, as is a variable that is not set: an author who
    /// checks a package need not have its secrets.
    pub tolerates_missing: bool,
    /// True during an installation, which can set the settings of a version that is not there yet.
    pub(crate) is_installing: bool,
}

impl PlayerSide<'static> {
    /// No player: no settings, no variables, and no person who could set what is missing.
    pub fn none() -> PlayerSide<'static> {
        static NO_SETTINGS: SettingsFolder = SettingsFolder::none();
        static NO_POLICY: LazyLock<HostPolicy> = LazyLock::new(HostPolicy::default);
        let variables = PlayerVariables::new(&|_| None, &NO_POLICY);
        PlayerSide {
            settings: &NO_SETTINGS,
            variables,
            tolerates_missing: false,
            is_installing: false,
        }
    }
}

impl<'a> PlayerSide<'a> {
    /// A player with these settings.
    pub fn new(settings: &'a SettingsFolder, variables: PlayerVariables<'a>) -> PlayerSide<'a> {
        PlayerSide { settings, variables, tolerates_missing: false, is_installing: false }
    }

    /// For a person who checks a package without its secrets: missing settings are tolerated.
    pub fn tolerating_missing(self) -> PlayerSide<'a> {
        PlayerSide { tolerates_missing: true, ..self }
    }
}

/// The contract, compiled once.
static META_SCHEMA: LazyLock<Schema> =
    LazyLock::new(|| Schema::of_contract(include_str!("../../contracts/config-schema.meta.json")));

/// A configuration that matches its schema.
#[derive(Debug, Default, PartialEq)]
pub(super) struct SkillConfig {
    pub(super) values: Object,
    /// Names of the settings marked `secret`, sorted.
    pub(super) secrets: Vec<String>,
    /// The variables that the player's values read, with the settings that name them.
    pub(super) variables: BTreeMap<String, BTreeSet<String>>,
    /// Remarks about values that came with the package.
    pub(super) notes: Vec<Problem>,
}

/// A package whose configuration is read.
#[derive(Clone, Copy)]
pub(super) struct ConfiguredPackage<'p> {
    pub(super) name: &'p str,
    pub(super) files: &'p PackageFiles,
    pub(super) origin: &'p PackageOrigin,
    /// The manifest's `configSchema`.
    pub(super) schema_file: Option<&'p str>,
}

/// The layers of a configuration before they are merged.
struct ConfigLayers {
    schema_file: String,
    schema: ConfigSchema,
    /// The package's `config.json`.
    packaged: BTreeMap<String, PackageValue>,
    player: PlayerSettings,
    /// The player's file.
    player_file: Option<PathBuf>,
}

/// A config schema, taken apart: names are checked here, so that a problem can name the layer that is at fault.
struct ConfigSchema {
    document: Value,
    required: Vec<String>,
    accepts_unlisted: bool,
    /// The schema of each value, without the two rules about names.
    values: Schema,
}

/// Reads and checks the layers; problems go to `findings`.
pub(super) fn load_config(
    package: ConfiguredPackage<'_>,
    player: &PlayerSide<'_>,
    findings: &mut ProblemList,
) -> Option<SkillConfig> {
    match read_layers(package, player.settings, findings)? {
        Some(layers) => layers.merge(package, player, findings),
        None => Some(SkillConfig::default()),
    }
}

/// Returns `Some(None)` if the package has no settings, and `None` if a file is faulty.
fn read_layers(
    package: ConfiguredPackage<'_>,
    settings_folder: &SettingsFolder,
    findings: &mut ProblemList,
) -> Option<Option<ConfigLayers>> {
    let ConfiguredPackage { name, files, origin, schema_file } = package;
    let file = schema_file.unwrap_or(CONFIG_SCHEMA_FILE);
    if schema_file.is_none() && !files.has(file) {
        if files.has(CONFIG_FILE) {
            findings.file(CONFIG_FILE, format!("there is no `{file}` that says what it may hold"));
            return None;
        }
        return Some(None);
    }
    let schema = files
        .json(file, CONFIG_BYTES_MAX, findings)
        .and_then(|document| ConfigSchema::parse(file, document, findings));
    let packaged = read_packaged(files, findings);
    let player_file = settings_folder.file(name, origin);
    let player = match player_file.as_deref().map(read_settings).transpose() {
        Ok(player) => Some(player.flatten().unwrap_or_default()),
        Err(error) => {
            findings.file(&shown_file(player_file.as_ref()), error.to_string());
            None
        }
    };
    let (schema, packaged, player) = (schema?, packaged?, player?);
    Some(Some(ConfigLayers { schema_file: file.to_owned(), schema, packaged, player, player_file }))
}

fn shown_file(path: Option<&PathBuf>) -> String {
    path.map(|path| path.display().to_string()).unwrap_or_default()
}

/// Fields at the top of `config.json` for editors and people; no setting has such a name.
const NOT_SETTINGS: [&str; 2] = ["$schema", "$comment"];

/// The package's own `config.json`; empty if there is none.
fn read_packaged(
    files: &PackageFiles,
    findings: &mut ProblemList,
) -> Option<BTreeMap<String, PackageValue>> {
    if !files.has(CONFIG_FILE) {
        return Some(BTreeMap::new());
    }
    match files.json(CONFIG_FILE, CONFIG_BYTES_MAX, findings)? {
        Value::Object(values) => {
            let values =
                values.into_iter().filter(|(name, _)| !NOT_SETTINGS.contains(&name.as_str()));
            Some(values.map(|(name, value)| (name, PackageValue::new(value))).collect())
        }
        _ => {
            findings.file(CONFIG_FILE, "must be an object");
            None
        }
    }
}

impl ConfigLayers {
    /// One value for each setting. Only the player's are resolved.
    fn merge(
        self,
        package: ConfiguredPackage<'_>,
        player: &PlayerSide<'_>,
        findings: &mut ProblemList,
    ) -> Option<SkillConfig> {
        let secrets = secrets(&self.schema.document);
        let mut merge = ConfigMerge {
            layers: &self,
            package,
            player,
            findings,
            command: match player.is_installing {
                true => "--set NAME=VALUE".to_owned(),
                false => player.settings.command(package.name, package.origin),
            },
            merged: SkillConfig { secrets, ..SkillConfig::default() },
            unknown: Vec::new(),
            is_faulty: false,
        };
        merge.take_package_values();
        merge.resolve_player_values();
        merge.check_names();
        merge.check_values();
        (!merge.is_faulty).then_some(merge.merged)
    }

    /// The file that holds the value of a setting.
    fn file_of(&self, setting: &str) -> String {
        match (self.player.get(setting), self.packaged.contains_key(setting)) {
            (Some(_), _) => shown_file(self.player_file.as_ref()),
            (None, true) => CONFIG_FILE.to_owned(),
            (None, false) => self.schema_file.clone(),
        }
    }
}

/// The layers of one package on their way to one value for each setting.
struct ConfigMerge<'m> {
    layers: &'m ConfigLayers,
    package: ConfiguredPackage<'m>,
    player: &'m PlayerSide<'m>,
    findings: &'m mut ProblemList,
    /// The command that sets a setting.
    command: String,
    merged: SkillConfig,
    /// Pointers to texts whose variables are not set: no rule is checked there.
    unknown: Vec<String>,
    is_faulty: bool,
}

impl ConfigMerge<'_> {
    /// Values of the package as they are written, and notes about those that it cannot have.
    fn take_package_values(&mut self) {
        let stays = |name: &str| self.layers.player.get(name).is_none();
        let mut notes = Vec::new();
        for (name, value) in &self.layers.packaged {
            let pointer = format!("/{}", token_of_key(name));
            if self.merged.secrets.contains(name) {
                // A value in an untrusted package is not the player's secret, and the player's secret is never kept in
                // a package.
                let what = "is a secret: a value that lies in the package is not used";
                notes.extend(stays(name).then_some((CONFIG_FILE, pointer, what)));
                continue;
            }
            if looks_like_variable(value.as_written()) && stays(name) {
                notes.push((CONFIG_FILE, pointer, TEXT_ONLY));
            }
            self.merged.values.insert(name.clone(), value.as_written().clone());
        }
        for (name, default) in defaults(&self.layers.schema.document) {
            if looks_like_variable(default.as_written()) && stays(&name) {
                let pointer = format!("/properties/{}/default", token_of_key(&name));
                notes.push((&self.layers.schema_file, pointer, TEXT_ONLY));
            }
            self.merged.values.entry(name).or_insert_with(|| default.as_written().clone());
        }
        for (file, pointer, what) in notes {
            let way_out = match file == CONFIG_FILE && !self.player.tolerates_missing {
                true => format!("; `{} --import` makes it yours", self.command),
                false => String::new(),
            };
            let what = format!("{what}{way_out}");
            self.merged.notes.push(note(self.package.name, file, &pointer, what));
        }
    }

    /// The player's values, with their variables replaced.
    fn resolve_player_values(&mut self) {
        let schema = &self.layers.schema;
        for (name, value) in self.layers.player.iter() {
            let pointer = format!("/{}", token_of_key(name));
            if !schema.accepts_unlisted && !schema.lists(name) {
                let what = format!(
                    "is no setting of this package, and not used; `{} --unset {name}` removes it",
                    self.command
                );
                self.note_player_value(&pointer, what);
                continue;
            }
            let (resolved, errors) = value.resolve(self.player.variables);
            for (within, error) in errors {
                let pointer = format!("{pointer}{within}");
                if self.player.tolerates_missing && error.is_unset() {
                    self.note_player_value(&pointer, error.to_string());
                    self.unknown.push(pointer);
                } else {
                    let what = player_fault(&error, &self.command);
                    self.refuse(&self.layers.file_of(name), &pointer, what);
                }
            }
            for variable in value.variables() {
                self.merged.variables.entry(variable).or_default().insert(name.to_owned());
            }
            self.merged.values.insert(name.to_owned(), resolved);
        }
    }

    /// Settings that are missing, and values that are no setting.
    fn check_names(&mut self) {
        let schema = &self.layers.schema;
        let has = |name: &String| self.merged.values.contains_key(name);
        let missing: Vec<&String> = schema.required.iter().filter(|name| !has(name)).collect();
        for name in missing {
            let (file, what) =
                (&self.layers.schema_file, format!("the setting `{name}` is required and not set"));
            match self.player.tolerates_missing {
                true => {
                    self.merged.notes.push(note(self.package.name, file, "/required", what));
                }
                false => {
                    let command = &self.command;
                    let what = match self.layers.packaged.contains_key(name) {
                        true => format!(
                            "{what}; `{command} --import` takes it over from `{CONFIG_FILE}`"
                        ),
                        false => format!("{what}; `{command}` sets it"),
                    };
                    self.refuse(file, "/required", what);
                }
            }
        }
        let is_extra = |name: &&String| !schema.accepts_unlisted && !schema.lists(name);
        let extra: Vec<String> = self.merged.values.keys().filter(is_extra).cloned().collect();
        for name in extra {
            let what = format!("Additional properties are not allowed ('{name}' was unexpected)");
            self.refuse(&self.layers.file_of(&name), "", what);
        }
    }

    fn check_values(&mut self) {
        let unknown: Vec<&str> = self.unknown.iter().map(String::as_str).collect();
        let whole = Value::Object(std::mem::take(&mut self.merged.values));
        for mismatch in self.layers.schema.values.mismatches_masked(&whole, &unknown) {
            let file = self.layers.file_of(&first_part(&mismatch.pointer));
            self.refuse(&file, &mismatch.pointer, mismatch.what);
        }
        if let Value::Object(values) = whole {
            self.merged.values = values;
        }
    }

    fn refuse(&mut self, file: &str, pointer: &str, what: String) {
        self.is_faulty = true;
        self.findings.field(file, pointer, what);
    }

    fn note_player_value(&mut self, pointer: &str, what: String) {
        let file = shown_file(self.layers.player_file.as_ref());
        self.merged.notes.push(note(self.package.name, &file, pointer, what));
    }
}

const TEXT_ONLY: &str =
    "`${…}` stays the text that it is: only the player's own settings read variables";

fn player_fault(error: &SubstitutionError, command: &str) -> String {
    match error {
        SubstitutionError::NotSet { .. } => format!("{error}; `{command}` changes the setting"),
        other => other.to_string(),
    }
}

fn note(package: &str, file: &str, pointer: &str, what: String) -> Problem {
    let (package, file) = (package.to_owned(), Some(file.to_owned()));
    Problem { package, file, field: Some(pointer.to_owned()), what, severity: Severity::Note }
}

/// The name of the setting in a pointer into the configuration.
fn first_part(pointer: &str) -> String {
    let part = pointer.trim_start_matches('/').split('/').next().unwrap_or_default();
    key_of_token(part).into_owned()
}

impl ConfigSchema {
    /// Checks the document against the contract; problems go to `findings`.
    fn parse(file: &str, mut document: Value, findings: &mut ProblemList) -> Option<ConfigSchema> {
        let mismatches = META_SCHEMA.mismatches(&document);
        for mismatch in &mismatches {
            findings.field(file, &mismatch.pointer, &mismatch.what);
        }
        if !mismatches.is_empty() {
            return None;
        }
        let required = document.get("required").and_then(Value::as_array).into_iter().flatten();
        let required = required.filter_map(Value::as_str).map(str::to_owned).collect();
        let accepts_unlisted = document.get("additionalProperties") != Some(&Value::Bool(false));
        let whole = document.clone();
        if let Some(fields) = document.as_object_mut() {
            fields.remove("required");
            fields.remove("additionalProperties");
        }
        match Schema::build(document) {
            Ok(values) => {
                Some(ConfigSchema { document: whole, required, accepts_unlisted, values })
            }
            Err(error) => {
                findings.file(file, error.to_string());
                None
            }
        }
    }

    fn lists(&self, setting: &str) -> bool {
        settings(&self.document).any(|(name, _)| name == setting)
    }
}

fn settings(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// The defaults of a schema. They come from the package.
fn defaults(schema: &Value) -> impl Iterator<Item = (String, PackageValue)> {
    settings(schema).filter_map(|(name, setting)| {
        Some((name.clone(), PackageValue::new(setting.get("default")?.clone())))
    })
}

fn secrets(schema: &Value) -> Vec<String> {
    let mut names: Vec<String> = settings(schema)
        .filter(|(_, setting)| setting.get("secret") == Some(&Value::Bool(true)))
        .map(|(name, _)| name.clone())
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests;
