//! Configurations as strings: the layer that wins, values from the environment, and refusals.

use std::{fs, path::Path};

use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::AllowList;

/// A player's machine: settings of the package `weather` in the folder of installed packages.
struct PlayerHome {
    folder: TempDir,
    settings: SettingsFolder,
    policy: HostPolicy,
}

impl PlayerHome {
    fn new(own: &str) -> PlayerHome {
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("settings")).unwrap();
        if !own.is_empty() {
            fs::write(at("settings/weather.json"), own).unwrap();
        }
        let settings = SettingsFolder::new(at("settings"), at("skills"));
        PlayerHome { folder, settings, policy: HostPolicy::default() }
    }

    fn load(
        &self,
        files: &[(&str, &str)],
        tolerates_missing: bool,
    ) -> (Option<SkillConfig>, String) {
        let files = files.iter().filter(|(_, text)| !text.is_empty());
        let files = files.map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
        let files = PackageFiles::Memory(files.collect());
        let origin = PackageOrigin::Folder(self.folder.path().join("skills/weather"));
        let package = ConfiguredPackage {
            name: "weather",
            files: &files,
            origin: &origin,
            schema_file: None,
        };
        let variables = PlayerVariables::new(&variable, &self.policy);
        let player = PlayerSide { tolerates_missing, ..PlayerSide::new(&self.settings, variables) };
        let mut findings = ProblemList::for_package("weather");
        let config = load_config(package, &player, &mut findings);
        let problems = findings.into_problems();
        assert_eq!(config.is_none(), !problems.is_empty());
        let notes = config.iter().flat_map(|config| &config.notes);
        let lines = problems.iter().chain(notes).map(|problem| self.shown(&problem.to_string()));
        let lines = lines.collect::<Vec<_>>().join("\n");
        (config, lines)
    }

    fn shown(&self, text: &str) -> String {
        text.replace(&self.folder.path().display().to_string(), "[home]")
    }
}

/// `TOKEN` is `s3cret`, `EMPTY` nothing at all.
fn variable(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("s3cret".to_owned()),
        "EMPTY" => Some(String::new()),
        "NESTED" => Some("${TOKEN}".to_owned()),
        _ => None,
    }
}

/// The schema, the package's `config.json` and the player's file as JSON.
fn show(schema: &str, packaged: &str, own: &str) -> String {
    show_with(&PlayerHome::new(own), schema, packaged, false)
}

fn show_with(home: &PlayerHome, schema: &str, packaged: &str, tolerates_missing: bool) -> String {
    let files = [("config-schema.json", schema), ("config.json", packaged)];
    let (config, lines) = home.load(&files, tolerates_missing);
    match config {
        Some(config) => {
            let values = Value::Object(config.values);
            let text = format!("{values} secret: {:?}\n{lines}", config.secrets);
            text.trim_end().to_owned()
        }
        None => lines,
    }
}

#[test]
fn a_package_may_name_a_schema_and_comment_on_its_values() {
    let packaged =
        r#"{"$schema": "./config-schema.json", "$comment": "for the north", "units": "imperial"}"#;
    insta::assert_snapshot!(show(WEATHER, packaged, r#"{"token": "t"}"#), @r#"{"units":"imperial","token":"t"} secret: ["token"]"#);
    let misspelt = r#"{"$schemas": "./config-schema.json"}"#;
    insta::assert_snapshot!(show(WEATHER, misspelt, r#"{"token": "t"}"#), @"package `weather`: config.json: Additional properties are not allowed ('$schemas' was unexpected)");
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
fn values_come_from_the_player_the_package_and_the_defaults_in_this_order() {
    insta::assert_snapshot!(show("", "", ""), @"{} secret: []");
    insta::assert_snapshot!(show(WEATHER, "", r#"{"token": "a${TOKEN}b$${TOKEN}", "towns": ["${EMPTY}"]}"#), @r#"{"units":"metric","token":"as3cretb${TOKEN}","towns":[""]} secret: ["token"]"#);
    insta::assert_snapshot!(show(WEATHER, r#"{"units": "imperial"}"#, r#"{"token": "${NESTED}"}"#), @r#"{"units":"imperial","token":"${TOKEN}"} secret: ["token"]"#);
    insta::assert_snapshot!(show(WEATHER, r#"{"units": "imperial"}"#, r#"{"token": "t", "units": "metric"}"#), @r#"{"units":"metric","token":"t"} secret: ["token"]"#);
}

#[test]
fn a_package_s_values_are_the_text_that_they_are_and_its_secrets_are_not_used() {
    insta::assert_snapshot!(show(WEATHER, r#"{"token": "${TOKEN}", "towns": ["${TOKEN}", "$${EMPTY}"]}"#, r#"{"token": "mine"}"#), @r#"
    {"towns":["${TOKEN}","$${EMPTY}"],"units":"metric","token":"mine"} secret: ["token"]
    package `weather`: config.json: /towns: `${…}` stays the text that it is: only the player's own settings read variables; `narratoria skill config weather --import` makes it yours
    "#);
    insta::assert_snapshot!(show(WEATHER, r#"{"token": "s3cret"}"#, ""), @"package `weather`: config-schema.json: /required: the setting `token` is required and not set; `narratoria skill config weather --import` takes it over from `config.json`");
    let default = WEATHER
        .replace("\"metric\"}", "\"${TOKEN}\"}")
        .replace("\"enum\": [\"metric\", \"imperial\"], ", "");
    insta::assert_snapshot!(show(&default, "", r#"{"token": "t"}"#), @r#"
    {"units":"${TOKEN}","token":"t"} secret: ["token"]
    package `weather`: config-schema.json: /properties/units/default: `${…}` stays the text that it is: only the player's own settings read variables
    "#);
}

#[test]
fn checking_a_package_does_not_require_its_secrets() {
    let show = |own| show_with(&PlayerHome::new(own), WEATHER, "", true);
    insta::assert_snapshot!(show(""), @r#"
    {"units":"metric"} secret: ["token"]
    package `weather`: config-schema.json: /required: the setting `token` is required and not set
    "#);
    insta::assert_snapshot!(show(r#"{"token": "${NO_SUCH_AND_VERY_LONG}", "units": "${ALSO_NOT}"}"#), @r#"
    {"units":"${ALSO_NOT}","token":"${NO_SUCH_AND_VERY_LONG}"} secret: ["token"]
    package `weather`: [home]/settings/weather.json: /token: the environment variable `NO_SUCH_AND_VERY_LONG` is not set
    package `weather`: [home]/settings/weather.json: /units: the environment variable `ALSO_NOT` is not set
    "#);
    insta::assert_snapshot!(show(r#"{"token": "${NO_SUCH}", "units": "furlongs"}"#), @r#"package `weather`: [home]/settings/weather.json: /units: the value is not one of "metric" or "imperial""#);
    insta::assert_snapshot!(show(r#"{"token": "${NO SUCH}"}"#), @"package `weather`: [home]/settings/weather.json: /token: `${…}` must name an environment variable: letters, digits and underscores, no digit first");
}

#[test]
fn a_problem_names_the_file_and_the_variable_and_never_the_value() {
    let own = |own| show(WEATHER, "", own);
    insta::assert_snapshot!(own(r#"{"token": "${NO_SUCH}", "towns": ["${ALSO_NOT}"]}"#), @"
    package `weather`: [home]/settings/weather.json: /token: the environment variable `NO_SUCH` is not set; `narratoria skill config weather` changes the setting
    package `weather`: [home]/settings/weather.json: /towns/0: the environment variable `ALSO_NOT` is not set; `narratoria skill config weather` changes the setting
    ");
    insta::assert_snapshot!(own(r#"{"token": "${TOKEN}${TOKEN}${TOKEN}${TOKEN}"}"#), @"package `weather`: [home]/settings/weather.json: /token: the value is longer than 20 characters");
    insta::assert_snapshot!(own(r#"{"token": "${TOKEN", "units": "${sh -c}"}"#), @r#"
    package `weather`: [home]/settings/weather.json: /token: `${` is never closed; `$${` stands for the text
    package `weather`: [home]/settings/weather.json: /units: `${…}` must name an environment variable: letters, digits and underscores, no digit first
    package `weather`: [home]/settings/weather.json: /units: the value is not one of "metric" or "imperial"
    "#);
    insta::assert_snapshot!(show(WEATHER, r#"{"units": "s3cret", "tokn": "s3cret"}"#, r#"{"token": "t"}"#), @r#"
    package `weather`: config.json: Additional properties are not allowed ('tokn' was unexpected)
    package `weather`: config.json: /units: the value is not one of "metric" or "imperial"
    "#);
    insta::assert_snapshot!(own(r#"["s3cret"]"#), @"package `weather`: [home]/settings/weather.json: must be an object");
    insta::assert_snapshot!(show(WEATHER, r#"["s3cret"]"#, ""), @"package `weather`: config.json: must be an object");
    insta::assert_snapshot!(show("", r#"{"token": "s3cret"}"#, ""), @"package `weather`: config.json: there is no `config-schema.json` that says what it may hold");
    insta::assert_snapshot!(show(r#"{"type": "object", "properties": {"a": {"type": "object"}}}"#, "", ""), @r#"package `weather`: config-schema.json: /properties/a/type: "object" is not one of "string", "number" or 3 other candidates"#);
}

#[test]
fn the_player_s_policy_on_variables_holds_for_settings() {
    let mut home = PlayerHome::new(r#"{"token": "${TOKEN}"}"#);
    home.policy.file = "config.toml".to_owned();
    home.policy.env = Some(AllowList { line: 7, only: vec!["LANG".to_owned()] });
    let refused = "package `weather`: [home]/settings/weather.json: /token: the environment variable `TOKEN` may not be read: line 7 of `config.toml` does not allow it (`env` in `[grants]`)";
    for tolerates_missing in [false, true] {
        assert_eq!(show_with(&home, WEATHER, "", tolerates_missing), refused);
    }
    home.policy.env = Some(AllowList { line: 7, only: vec!["TOKEN".to_owned()] });
    assert!(show_with(&home, WEATHER, "", false).contains("s3cret"));
    home.policy.refused.insert(crate::Grant::Env, 2);
    assert_eq!(show_with(&home, WEATHER, "", false), refused.replace('7', "2"));
}

#[test]
fn a_file_belongs_to_one_place_and_a_stranger_s_folder_of_that_name_has_another() {
    let home = TempDir::new().unwrap();
    let at = |name: &str| home.path().join(name);
    fs::create_dir_all(at("skills/weather")).unwrap();
    fs::create_dir_all(at("other/weather")).unwrap();
    let settings = SettingsFolder::new(at("settings"), at("skills"));
    let file = |origin: PackageOrigin| {
        let file = settings.file("weather", &origin).unwrap();
        file.strip_prefix(at("settings")).unwrap().to_str().unwrap().to_owned()
    };
    let folder = |path: &Path| file(PackageOrigin::Folder(path.to_owned()));
    assert_eq!(folder(&at("skills/weather")), "weather.json");
    assert_eq!(folder(&at("skills/../skills/weather")), "weather.json");
    assert_eq!(file(PackageOrigin::BuiltIn), "weather@built-in.json");
    let other = folder(&at("other/weather"));
    assert!(other.starts_with("weather@") && other != folder(&at("third/weather")), "{other}");
    let copied = settings.clone().with_copy(&at("third/weather"), &at("other/weather"));
    let origin = PackageOrigin::Folder(at("third/weather"));
    assert_eq!(
        copied.file("weather", &origin),
        settings.file("weather", &PackageOrigin::Folder(at("other/weather")))
    );
    for name in ["", "..", "a/b", "Weather", "weather@built-in"] {
        assert_eq!(settings.file(name, &PackageOrigin::BuiltIn), None, "{name}");
    }
    assert_eq!(SettingsFolder::none().file("weather", &PackageOrigin::BuiltIn), None);
}

/// Text with variables in every form, set and unset, escaped, nested and broken.
fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("${TOKEN}"),
        Just("$${TOKEN}"),
        Just("${NESTED}"),
        Just("$$${TOKEN}"),
        Just("${${TOKEN}}"),
        Just("${TOKEN"),
        Just("${ TOKEN }"),
        Just("%TOKEN%"),
        Just("$TOKEN"),
        Just("{TOKEN}"),
        Just("${NO_SUCH}"),
        Just("\u{ff04}{TOKEN}"),
        Just("x"),
        Just("\\${TOKEN}"),
    ];
    proptest::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat())
}

fn hostile_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        hostile_text().prop_map(Value::from),
        proptest::collection::vec(hostile_text(), 0..4).prop_map(|texts| json!(texts)),
    ]
}

proptest! {
    /// Variables in values of a package are never replaced: the script gets each value as it was written.
    #[test]
    fn no_value_of_a_package_reads_a_variable(
        defaults in proptest::collection::vec(hostile_value(), 0..4),
        packaged in proptest::collection::vec(hostile_value(), 0..4),
        secret in any::<bool>(),
    ) {
        let setting = |value: &Value| match value {
            Value::Array(_) => json!({"type": "array", "items": {"type": "string"}}),
            _ => json!({"type": "string", "secret": secret}),
        };
        let (mut properties, mut values) = (Object::new(), Object::new());
        for (idx, value) in defaults.iter().enumerate() {
            let mut one = setting(value);
            one["default"] = value.clone();
            properties.insert(format!("d{idx}"), one);
        }
        for (idx, value) in packaged.iter().enumerate() {
            properties.insert(format!("p{idx}"), setting(value));
            values.insert(format!("p{idx}"), value.clone());
            // The schema does not list this member at all.
            values.insert(format!("u{idx}"), json!({"deep": [value]}));
        }
        let schema = json!({"type": "object", "properties": properties}).to_string();
        let files = [("config-schema.json", schema.as_str()), ("config.json", &Value::Object(values).to_string())];
        let home = PlayerHome::new("");
        let (config, lines) = home.load(&files, false);
        let config = config.expect("texts fit the schema");
        prop_assert!(!lines.contains("s3cret"), "{lines}");
        let got = Value::Object(config.values.clone()).to_string();
        prop_assert!(!got.contains("s3cret"), "{got}");
        for (idx, value) in defaults.iter().enumerate() {
            prop_assert_eq!(&config.values[&format!("d{idx}")], value);
        }
        for (idx, value) in packaged.iter().enumerate() {
            let is_secret = secret && value.is_string();
            let got = config.values.get(&format!("p{idx}"));
            prop_assert_eq!(got, Some(value).filter(|_| !is_secret));
        }
    }
}
