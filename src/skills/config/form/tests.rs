//! Forms as strings: values that are set, refused and written.

use std::{collections::BTreeMap, fs};

use tempfile::TempDir;

use super::{PlayerVariables, SettingValue};
use crate::{ConfigForm, HostPolicy, PackageHandle, SettingsFolder};

const SCHEMA: &str = r#"{"type": "object", "required": ["token", "place"], "additionalProperties": false, "properties": {
    "token": {"type": "string", "secret": true, "maxLength": 8, "pattern": "^[a-z0-9]*$"},
    "place": {"type": "string"},
    "units": {"type": "string", "enum": ["metric", "imperial"], "default": "metric"},
    "days": {"type": "integer", "minimum": 1, "default": 3},
    "wind": {"type": "boolean"},
    "scale": {"type": "number"},
    "towns": {"type": "array", "items": {"type": "string", "minLength": 2}, "maxItems": 3, "uniqueItems": true},
    "gates": {"type": "array", "items": {"type": "integer"}}
}}"#;

fn variables(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("s3cret".to_owned()),
        "LONG" => Some("s3cret".repeat(9)),
        _ => None,
    }
}

fn with_variables<T>(run: impl FnOnce(PlayerVariables<'_>) -> T) -> T {
    run(PlayerVariables::new(&variables, &HostPolicy::default()))
}

/// The form of a player whose own file holds this.
fn form(own: &str) -> ConfigForm {
    form_of(own, "")
}

fn form_of(own: &str, packaged: &str) -> ConfigForm {
    let mut files = BTreeMap::from([
        ("skill.json".to_owned(), b"{}".to_vec()),
        ("config-schema.json".to_owned(), SCHEMA.as_bytes().to_vec()),
    ]);
    if !packaged.is_empty() {
        files.insert("config.json".to_owned(), packaged.as_bytes().to_vec());
    }
    let package = PackageHandle::in_memory("sky", files);
    let home = TempDir::new().unwrap();
    let settings = SettingsFolder::new(home.path().to_owned(), home.path().join("skills"));
    if !own.is_empty() {
        fs::write(settings.file("sky", package.origin()).unwrap(), own).unwrap();
    }
    package.config_form(&settings).unwrap()
}

/// The player's file after one change, or why it was refused.
fn set(own: &str, name: &str, words: &[&str]) -> String {
    let mut form = form(own);
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    match with_variables(|variables| form.set(name, &words, variables)) {
        Ok(()) => serde_json::Value::Object(form.document()).to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn words_become_values_of_the_schemas_types() {
    insta::assert_snapshot!(set("", "token", &["s3cret"]), @r#"{"token":"s3cret"}"#);
    insta::assert_snapshot!(set("", "place", &[" Bern "]), @r#"{"place":" Bern "}"#);
    insta::assert_snapshot!(set("", "days", &["7"]), @r#"{"days":7}"#);
    insta::assert_snapshot!(set("", "wind", &["yes"]), @r#"{"wind":true}"#);
    insta::assert_snapshot!(set("", "scale", &["-2.5e3"]), @r#"{"scale":-2500.0}"#);
    insta::assert_snapshot!(set("", "towns", &["Bern", "[Rome"]), @r#"{"towns":["Bern","[Rome"]}"#);
    insta::assert_snapshot!(set("", "towns", &[r#"["Bern", "Rome"]"#]), @r#"{"towns":["Bern","Rome"]}"#);
    insta::assert_snapshot!(set("", "towns", &["[]"]), @r#"{"towns":[]}"#);
    insta::assert_snapshot!(set("", "gates", &["1", "-2"]), @r#"{"gates":[1,-2]}"#);
    insta::assert_snapshot!(set("", "token", &["${TOKEN}"]), @r#"{"token":"${TOKEN}"}"#);
    insta::assert_snapshot!(set("", "token", &["${NOT_HERE}"]), @r#"{"token":"${NOT_HERE}"}"#);
}

#[test]
fn only_values_that_differ_from_the_defaults_are_written_and_in_the_old_order() {
    let kept = r#"{"wind": true, "units": "metric", "place": "Bern", "days": 5}"#;
    insta::assert_snapshot!(set(kept, "scale", &["2"]), @r#"{"wind":true,"place":"Bern","days":5,"scale":2}"#);
    insta::assert_snapshot!(set(kept, "days", &["3"]), @r#"{"wind":true,"place":"Bern"}"#);
    insta::assert_snapshot!(set(kept, "wind", &["no"]), @r#"{"wind":false,"place":"Bern","days":5}"#);
    let mut form = form(r#"{"tokn": "s3cret", "wind": true, "place": "Bern"}"#);
    form.unset("tokn").unwrap();
    form.unset("wind").unwrap();
    form.unset("units").unwrap();
    insta::assert_snapshot!(form.unset("untis").unwrap_err(), @"there is no setting `untis`, did you mean `units`?");
    insta::assert_snapshot!(serde_json::Value::Object(form.document()), @r#"{"place":"Bern"}"#);
}

#[test]
fn a_refusal_names_the_setting_and_the_rule_and_never_the_value() {
    insta::assert_snapshot!(set("", "token", &["much-too-long-a-s3cret"]), @r#"the setting `token` cannot be this: the value is longer than 8 characters; the value does not match "^[a-z0-9]*$""#);
    insta::assert_snapshot!(set("", "token", &["${LONG}"]), @"the setting `token` cannot be this: the value is longer than 8 characters");
    insta::assert_snapshot!(set("", "token", &["${TOKEN"]), @"the setting `token` cannot be this: `${` is never closed; `$${` stands for the text");
    insta::assert_snapshot!(set("", "token", &["${rm -rf}"]), @"the setting `token` cannot be this: `${…}` must name an environment variable: letters, digits and underscores, no digit first");
    insta::assert_snapshot!(set("", "token", &["a", "b"]), @"the setting `token` is no list, it has one value");
    insta::assert_snapshot!(set("", "tokne", &["s3cret"]), @"there is no setting `tokne`, did you mean `token`?");
    insta::assert_snapshot!(set("", "zzz", &["s3cret"]), @"there is no setting `zzz`");
    insta::assert_snapshot!(set("", "units", &["s3cret"]), @r#"the setting `units` cannot be this: the value is not one of "metric" or "imperial""#);
    insta::assert_snapshot!(set("", "days", &["s3cret"]), @"the setting `days` must be a whole number, such as `3`");
    insta::assert_snapshot!(set("", "days", &["0"]), @"the setting `days` cannot be this: the value is less than the minimum of 1");
    insta::assert_snapshot!(set("", "days", &["1e999"]), @"the setting `days` must be a whole number, such as `3`");
    insta::assert_snapshot!(set("", "wind", &["s3cret"]), @"the setting `wind` must be `true` or `false`");
    insta::assert_snapshot!(set("", "towns", &["[s3cret"]), @r#"the setting `towns` must be a list of texts, such as `["a", "b"]`"#);
    insta::assert_snapshot!(set("", "towns", &[r#"["Bern", 7]"#]), @r#"the setting `towns` cannot be this: at /1 the value is not of type "string""#);
    insta::assert_snapshot!(set("", "towns", &["Bern", "Rome", "Bern"]), @"the setting `towns` cannot be this: the value has non-unique elements");
    insta::assert_snapshot!(set("", "towns", &["x"; super::ITEMS_MAX + 1]), @"the setting `towns` was given more than 1000 items");
    insta::assert_snapshot!(set("", "gates", &["1", "two"]), @"the setting `gates` must be a list of whole numbers, such as `[1, 2]`");
}

#[test]
fn a_form_warns_of_values_that_prevent_the_skill_s_use() {
    let told =
        |config: &str| with_variables(|variables| form(config).warnings(variables)).join("\n");
    insta::assert_snapshot!(told(r#"{"token": "${TOKEN}", "place": "Bern"}"#), @"");
    insta::assert_snapshot!(told(r#"{"token": "${NOT_HERE}", "tokn": 7, "days": "s3cret"}"#), @r#"
    the setting `token` reads the environment variable `NOT_HERE`, which is not set here
    the setting `place` is required and not set
    the setting `days` cannot be this: the value is not of type "integer"
    `tokn` is no setting of this package, `--unset tokn` takes it away
    "#);
}

#[test]
fn a_form_that_cannot_be_read_reports_all_problems() {
    let told = |files: &[(&str, &str)]| {
        let files: BTreeMap<String, Vec<u8>> = files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()))
            .collect();
        PackageHandle::in_memory("sky", files)
            .config_form(&SettingsFolder::none())
            .unwrap_err()
            .to_string()
    };
    insta::assert_snapshot!(told(&[]), @"package `sky`: skill.json: there is no such file in the package");
    insta::assert_snapshot!(told(&[("skill.json", "{}")]), @"the package `sky` has no settings: there is no `config-schema.json` in it");
    insta::assert_snapshot!(told(&[("skill.json", r#"{"configSchema": "../x.json"}"#)]), @"package `sky`: skill.json: /configSchema: `../x.json` must name a file inside the package, without `.` or `..`");
    insta::assert_snapshot!(told(&[("skill.json", r#"{"configSchema": "x.json"}"#), ("config.json", "{")]), @"
    package `sky`: x.json: there is no such file in the package
    package `sky`: config.json: is not JSON: EOF while parsing an object at line 1 column 1
    ");
    insta::assert_snapshot!(told(&[("skill.json", "{}"), ("config-schema.json", "{}")]), @r#"
    package `sky`: config-schema.json: "type" is a required property
    package `sky`: config-schema.json: "properties" is a required property
    "#);
    insta::assert_snapshot!(told(&[("skill.json", "{}"), ("config-schema.json", SCHEMA), ("config.json", "[\"s3cret\"]")]), @"package `sky`: config.json: must be an object");
}

#[test]
fn a_secret_default_is_masked_and_a_reference_is_not() {
    let form = form("");
    let token = form.setting("token").unwrap();
    let masked = |text: &str| token.masked(&text.into()).to_string();
    assert_eq!(masked("s3cret"), r#""********""#);
    assert_eq!(masked("${TOKEN}"), r#""${TOKEN}""#);
    assert_eq!(masked("${TOKEN}x"), r#""********""#);
    assert_eq!(masked("${s3 cret}"), r#""********""#);
    let place = form.setting("place").unwrap();
    assert_eq!(place.masked(&"Bern".into()), "Bern");
}

/// An untrusted value becomes the player's only if the player types it, and then the form names its variables.
#[test]
fn values_of_the_package_are_shown_as_such_until_the_player_takes_them_over() {
    let packaged = r#"{"token": "${TOKEN}", "place": "near ${HOME}", "days": 5}"#;
    let mut form = form_of(r#"{"days": 6}"#, packaged);
    let from = |form: &ConfigForm| {
        let mut parts = Vec::new();
        for setting in &form.settings()[..4] {
            let from = match form.value(setting) {
                SettingValue::Player(_) => "player",
                SettingValue::Packaged(_) => "package",
                SettingValue::Default(_) => "default",
                SettingValue::Missing => "missing",
            };
            parts.push(format!("{} {from}", setting.name));
        }
        parts.join(", ")
    };
    assert_eq!(from(&form), "token missing, place package, units default, days player");
    assert_eq!((form.variables(), form.packaged()), (Vec::new(), vec!["place", "token"]));
    form.take_over_packaged();
    assert_eq!(from(&form), "token player, place player, units default, days player");
    let variables: Vec<String> = form.variables().into_iter().map(|(name, _)| name).collect();
    assert_eq!((variables, form.packaged()), (vec!["HOME".to_owned(), "TOKEN".to_owned()], vec![]));
    let document = serde_json::Value::Object(form.document());
    insta::assert_snapshot!(document, @r#"{"days":6,"place":"near ${HOME}","token":"${TOKEN}"}"#);
}

#[cfg(unix)]
#[test]
fn the_player_s_file_is_closed_to_others_and_put_back_as_it_was() {
    use std::os::unix::fs::PermissionsExt;
    let home = TempDir::new().unwrap();
    let folder = home.path().join("settings");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let settings = SettingsFolder::new(folder.clone(), home.path().join("skills"));
    let files = [("skill.json", "{}"), ("config-schema.json", SCHEMA)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let package = PackageHandle::in_memory("sky", files.into());
    let mut form = package.config_form(&settings).unwrap();
    let file = form.file().unwrap().to_owned();
    form.restore().unwrap_err();
    with_variables(|variables| form.set("place", &["Bern".to_owned()], variables)).unwrap();
    assert!(form.write().unwrap());
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no draft is left");
    form.restore().unwrap();
    assert!(!file.exists());
}
