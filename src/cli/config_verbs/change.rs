//! Changes one setting in the text of the file. Comments, order and spacing of everything else stay. Pure.

use toml_edit::{Array, DocumentMut, Item, Table, TomlError, Value};

use super::keys::{ConfigKey, ConfigValue};

/// Returns the text with this value, in the place of the old one if there is one.
///
/// # Errors
///
/// Returns an error if the text is not TOML, or `None` if its table is none.
pub(super) fn with_value(
    text: &str,
    key: &ConfigKey,
    value: &ConfigValue,
) -> Result<Option<String>, TomlError> {
    let mut document = text.parse::<DocumentMut>()?;
    let table = document.as_table_mut().entry(key.table).or_insert(Item::Table(Table::new()));
    let Some(table) = table.as_table_like_mut() else { return Ok(None) };
    let mut fresh = toml_value(value);
    match table.get_mut(key.key) {
        Some(Item::Value(old)) => {
            // The comment behind the value is a part of its decoration.
            *fresh.decor_mut() = old.decor().clone();
            *old = fresh;
        }
        _ => _ = table.insert(key.key, Item::Value(fresh)),
    }
    Ok(Some(document.to_string()))
}

/// Returns the text without the setting; `None` if it has none.
///
/// # Errors
///
/// Returns an error if the text is not TOML.
pub(super) fn without(text: &str, key: &ConfigKey) -> Result<Option<String>, TomlError> {
    let mut document = text.parse::<DocumentMut>()?;
    let table = document.as_table_mut().get_mut(key.table).and_then(Item::as_table_like_mut);
    let removed = table.and_then(|table| table.remove(key.key));
    Ok(removed.map(|_| document.to_string()))
}

fn toml_value(value: &ConfigValue) -> Value {
    match value {
        ConfigValue::Text(text) => text.as_str().into(),
        ConfigValue::Number(number) => (*number).into(),
        ConfigValue::Switch(is_on) => (*is_on).into(),
        ConfigValue::Texts(texts) => {
            Value::Array(texts.iter().map(String::as_str).collect::<Array>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{with_value, without};
    use crate::config_verbs::keys::{ConfigKey, config_keys};

    fn key(name: &str) -> ConfigKey {
        config_keys().into_iter().find(|key| key.name() == name).unwrap()
    }

    #[track_caller]
    fn set(text: &str, name: &str, typed: &[&str]) -> String {
        let key = key(name);
        let typed: Vec<String> = typed.iter().map(|text| (*text).to_owned()).collect();
        let value = key.form.parse(&typed).unwrap();
        with_value(text, &key, &value).unwrap().unwrap()
    }

    const KEPT: &str =
        "# mine\n[plan]   # turns\nslots = 2 # two cores\n\n[model]\nuse='x/y/z.gguf'\n";

    #[test]
    fn a_value_is_replaced_where_it_stands_and_its_comment_stays() {
        assert_eq!(set(KEPT, "plan.slots", &["4"]), KEPT.replace("= 2 #", "= 4 #"));
        assert_eq!(
            set(KEPT, "model.use", &["qwen3-1.7b"]),
            KEPT.replace("'x/y/z.gguf'", "\"qwen3-1.7b\"")
        );
    }

    #[test]
    fn a_new_setting_stands_at_the_end_of_its_table_and_a_new_table_at_the_end() {
        assert_eq!(
            set(KEPT, "plan.early", &["off"]),
            KEPT.replace("cores\n", "cores\nearly = false\n")
        );
        assert_eq!(
            set(KEPT, "packages.names", &["weather", "acme-*"]),
            format!("{KEPT}\n[packages]\nnames = [\"weather\", \"acme-*\"]\n")
        );
        assert_eq!(set("", "grants.http", &["false"]), "[grants]\nhttp = false\n");
    }

    #[test]
    fn a_table_may_be_written_in_any_way() {
        assert_eq!(
            set("model = { download = true }\n", "model.download", &["false"]),
            "model = { download = false }\n"
        );
        assert_eq!(
            set("plan.slots = 2\n", "plan.attempts", &["3"]),
            "plan.slots = 2\nplan.attempts = 3\n"
        );
    }

    #[test]
    fn a_setting_that_is_taken_out_leaves_the_rest() {
        assert_eq!(
            without(KEPT, &key("model.use")).unwrap().unwrap(),
            KEPT.replace("use='x/y/z.gguf'\n", "")
        );
        assert_eq!(without(KEPT, &key("model.download")).unwrap(), None);
        assert_eq!(without(KEPT, &key("log.level")).unwrap(), None);
    }

    #[test]
    fn text_that_is_no_toml_or_has_no_such_table_is_not_changed() {
        let value = key("plan.slots").form.parse(&["2".to_owned()]).unwrap();
        assert!(with_value("[plan", &key("plan.slots"), &value).is_err());
        assert_eq!(with_value("plan = 1\n", &key("plan.slots"), &value).unwrap(), None);
    }
}
