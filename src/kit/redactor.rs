//! Replaces secrets in a record by their names, and puts them back. Pure.

use serde_json::Value;

/// Shorter secrets are not replaced: a text has `1` and `on` in many places.
const SECRET_CHARS_MIN: usize = 4;

/// Replaces each secret in a text by the secret's name. A script that repeats a secret therefore does not write it
/// into a record, and a person who has the secrets can repeat the run.
pub(super) struct Redactor {
    /// Placeholder and secret. The longest secret first, because one may contain another.
    secrets: Vec<(String, String)>,
}

impl Redactor {
    /// Takes names and secrets.
    pub(super) fn new<'a>(secrets: impl Iterator<Item = (String, &'a str)>) -> Redactor {
        let long = secrets.filter(|(_, secret)| secret.chars().count() >= SECRET_CHARS_MIN);
        let mut secrets: Vec<(String, String)> =
            long.map(|(name, secret)| (format!("⟦{name}⟧"), secret.to_owned())).collect();
        secrets.sort_by(|(one_name, one), (other_name, other)| {
            other.len().cmp(&one.len()).then((one, one_name).cmp(&(other, other_name)))
        });
        secrets.dedup_by(|(_, one), (_, other)| one == other);
        Redactor { secrets }
    }

    pub(super) fn redact_text(&self, text: &str) -> String {
        let secrets = self.secrets.iter();
        secrets.fold(text.to_owned(), |text, (name, secret)| text.replace(secret, name))
    }

    pub(super) fn restore_text(&self, text: &str) -> String {
        let secrets = self.secrets.iter();
        secrets.fold(text.to_owned(), |text, (name, secret)| text.replace(name, secret))
    }

    /// Redacts every text in a value, names of fields too.
    pub(super) fn redact(&self, value: &mut Value) {
        each_text(value, &|text| self.redact_text(text));
    }

    /// Restores every text in a value, names of fields too.
    pub(super) fn restore(&self, value: &mut Value) {
        each_text(value, &|text| self.restore_text(text));
    }
}

fn each_text(value: &mut Value, change: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, change)),
        Value::Object(fields) => {
            let changed = std::mem::take(fields).into_iter().map(|(name, mut field)| {
                each_text(&mut field, change);
                (change(&name), field)
            });
            *fields = changed.collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Redactor;

    #[test]
    fn a_secret_is_redacted_everywhere_and_restored() {
        let secrets = [("one", "hush"), ("two", "hush-hush"), ("three", "on"), ("four", "hush")];
        let redactor =
            Redactor::new(secrets.map(|(name, secret)| (name.to_owned(), secret)).into_iter());
        let plain = json!({"a": ["it is hush-hush", {"hush": "so hush"}], "on": 1});
        let mut value = plain.clone();
        redactor.redact(&mut value);
        assert_eq!(value, json!({"a": ["it is ⟦two⟧", {"⟦four⟧": "so ⟦four⟧"}], "on": 1}));
        redactor.restore(&mut value);
        assert_eq!(value, plain);
    }
}
