//! The settings of a package and their values, for people. Secrets are masked.

use narratoria_skills::{ConfigForm, SECRET_MASK, Setting, SettingValue};
use serde_json::Value;

use super::{
    table::render_table,
    text::{cut_line, visible_line},
};

/// Widest value that is shown whole.
const VALUE_COLUMNS_MAX: usize = 40;

/// One line for each setting.
pub fn settings_table(form: &ConfigForm, width: Option<usize>) -> String {
    let mut rows: Vec<[String; 4]> = form
        .settings()
        .iter()
        .map(|setting| {
            let (value, from) = match form.value(setting) {
                SettingValue::Player(value) => (value_text(setting, value), "settings"),
                SettingValue::Packaged(value) => (value_text(setting, value), "config.json"),
                SettingValue::Default(value) => (value_text(setting, value), "default"),
                SettingValue::Missing if setting.required => ("-".to_owned(), "required!"),
                SettingValue::Missing => ("-".to_owned(), "not set"),
            };
            let what = setting.title.as_ref().or(setting.description.as_ref());
            [setting.name.clone(), value, from.to_owned(), what.cloned().unwrap_or_default()]
        })
        .collect();
    // Such a value may be a secret: another version may have listed it as one.
    rows.extend(form.unlisted().map(|name| {
        [name, SECRET_MASK, "settings", "not in the config schema"].map(str::to_owned)
    }));
    render_table(["SETTING", "VALUE", "FROM", "WHAT"], &rows, width)
}

/// Returns a value in a form that may be shown, on one line and not too long.
pub(crate) fn value_text(setting: &Setting, value: &Value) -> String {
    let text = match setting.masked(value) {
        Value::String(text) => visible_line(&text),
        other => visible_line(&other.to_string()),
    };
    cut_line(&text, VALUE_COLUMNS_MAX, false)
}
