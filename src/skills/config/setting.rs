//! One setting: its kind, and how words become its value.

use std::fmt;

use serde_json::{Number, Value};

use super::{
    CONFIG_BYTES_MAX, PlayerValue, PlayerVariables, SubstitutionError,
    form::{ITEMS_MAX, ItemKind, Setting, SettingError, SettingKind, text},
    player::is_variable_name,
};
use crate::{Mismatch, SECRET_MASK, Schema};
use narratoria_protocol::{JsonBounds, read_json};

/// A list, or a number, as typed.
const WORD_BOUNDS: JsonBounds = JsonBounds::of_bytes(CONFIG_BYTES_MAX as usize);

impl Setting {
    /// Builds a setting from its part of the schema, which matches the contract.
    pub(super) fn build(name: &str, part: &Value, required: bool) -> Result<Setting, String> {
        let kind = match part.get("type").and_then(Value::as_str) {
            Some("array") => {
                let item = part.get("items").unwrap_or(&Value::Null);
                SettingKind::List(item_kind(item))
            }
            _ => item_kind(part).as_setting_kind(),
        };
        let build = |part: &Value| Schema::build(part.clone()).map_err(|error| error.to_string());
        let is = |field: &str| part.get(field) == Some(&Value::Bool(true));
        let choices = part.get("enum").or_else(|| part.get("items")?.get("enum"));
        Ok(Setting {
            name: name.to_owned(),
            title: text(part, "title"),
            description: text(part, "description"),
            kind,
            required,
            secret: is("secret"),
            deprecated: is("deprecated"),
            env: text(part, "env"),
            default: part.get("default").cloned(),
            choices: choices.and_then(Value::as_array).cloned().unwrap_or_default(),
            schema: build(part)?,
            items: part.get("items").map(build).transpose()?,
        })
    }

    /// The setting's part of the schema.
    pub fn schema(&self) -> &Value {
        self.schema.document()
    }

    /// Parses the setting's value and checks it against the schema. A single value takes one word; a list takes its
    /// items, or the whole list as JSON.
    pub fn parse(
        &self,
        words: &[String],
        variables: PlayerVariables<'_>,
    ) -> Result<PlayerValue, SettingError> {
        let value = match (self.kind, words) {
            (SettingKind::List(_), [word]) if word.trim_start().starts_with('[') => {
                read_json(word.as_bytes(), WORD_BOUNDS).map_err(|_| self.wrong_kind())?
            }
            (SettingKind::List(_), words) if words.len() > ITEMS_MAX => {
                return Err(SettingError::TooManyItems {
                    name: self.name.clone(),
                    limit: ITEMS_MAX,
                });
            }
            (SettingKind::List(item), words) => {
                let items = words.iter().map(|word| item.as_setting_kind().parse_word(word));
                Value::Array(items.collect::<Option<_>>().ok_or_else(|| self.wrong_kind())?)
            }
            (kind, [word]) => kind.parse_word(word).ok_or_else(|| self.wrong_kind())?,
            _ => return Err(SettingError::NoList { name: self.name.clone() }),
        };
        let value = PlayerValue::typed(value);
        self.check(&value, variables)?;
        Ok(value)
    }

    /// Checks one item of a list by itself.
    pub fn parse_item(
        &self,
        word: &str,
        variables: PlayerVariables<'_>,
    ) -> Result<(), SettingError> {
        let SettingKind::List(item) = self.kind else { return Err(self.wrong_kind()) };
        let value = item.as_setting_kind().parse_word(word).ok_or_else(|| self.wrong_kind())?;
        let value = PlayerValue::typed(value);
        let alone = self.items.as_ref().map(|schema| self.check_against(schema, &value, variables));
        alone.transpose().map(|_| ())
    }

    /// A value as people and logs may see it. A `${VAR}` alone only names a variable and is no secret.
    pub fn masked(&self, value: &Value) -> Value {
        let variable = value.as_str().and_then(|text| text.strip_prefix("${")?.strip_suffix('}'));
        match self.secret && !variable.is_some_and(is_variable_name) {
            true => Value::from(SECRET_MASK),
            false => value.clone(),
        }
    }

    /// Checks the player's value against the schema as the loader will: with `${VAR}` substituted. Returns the
    /// variables that are not set here; a value with an unset variable passes, because it cannot be checked.
    pub(super) fn check(
        &self,
        value: &PlayerValue,
        variables: PlayerVariables<'_>,
    ) -> Result<Vec<String>, SettingError> {
        self.check_against(&self.schema, value, variables)
    }

    /// Checks a value of the package as it is written.
    pub(super) fn check_literal(&self, value: &Value) -> Result<(), SettingError> {
        self.match_schema(&self.schema, value)
    }

    fn check_against(
        &self,
        schema: &Schema,
        value: &PlayerValue,
        variables: PlayerVariables<'_>,
    ) -> Result<Vec<String>, SettingError> {
        let (resolved, errors) = value.resolve(variables);
        let mut unset = Vec::new();
        for (_, error) in errors {
            match error {
                SubstitutionError::NotSet { name } => unset.push(name),
                other => return Err(self.refused(other.to_string())),
            }
        }
        if unset.is_empty() {
            self.match_schema(schema, &resolved)?;
        }
        unset.dedup();
        Ok(unset)
    }

    fn match_schema(&self, schema: &Schema, value: &Value) -> Result<(), SettingError> {
        let mismatches = schema.mismatches_masked(value, &[]);
        if mismatches.is_empty() {
            return Ok(());
        }
        let rule = |mismatch: Mismatch| match mismatch.pointer.as_str() {
            "" => mismatch.what,
            pointer => format!("at {pointer} {}", mismatch.what),
        };
        Err(self.refused(mismatches.into_iter().map(rule).collect::<Vec<_>>().join("; ")))
    }

    fn refused(&self, rule: String) -> SettingError {
        SettingError::Refused { name: self.name.clone(), rule }
    }

    fn wrong_kind(&self) -> SettingError {
        SettingError::WrongKind { name: self.name.clone(), kind: self.kind }
    }
}

fn item_kind(part: &Value) -> ItemKind {
    match part.get("type").and_then(Value::as_str) {
        Some("number") => ItemKind::Number,
        Some("integer") => ItemKind::Integer,
        Some("boolean") => ItemKind::Boolean,
        _ => ItemKind::Text,
    }
}

impl ItemKind {
    fn as_setting_kind(self) -> SettingKind {
        match self {
            ItemKind::Text => SettingKind::Text,
            ItemKind::Number => SettingKind::Number,
            ItemKind::Integer => SettingKind::Integer,
            ItemKind::Boolean => SettingKind::Boolean,
        }
    }
}

impl SettingKind {
    /// The value that a word stands for; `None` for a list, and for a word of another kind.
    fn parse_word(self, word: &str) -> Option<Value> {
        match self {
            SettingKind::Text => Some(Value::from(word)),
            SettingKind::Number => number(word).map(Value::Number),
            SettingKind::Integer => {
                let number = number(word)?;
                // JSON Schema counts 3.0 as an integer, too.
                let whole = number.is_i64()
                    || number.is_u64()
                    || number.as_f64().is_some_and(|float| float.fract() == 0.0);
                whole.then_some(Value::Number(number))
            }
            SettingKind::Boolean => match word.trim().to_lowercase().as_str() {
                "true" | "yes" => Some(Value::Bool(true)),
                "false" | "no" => Some(Value::Bool(false)),
                _ => None,
            },
            SettingKind::List(_) => None,
        }
    }
}

/// A number as JSON writes it: no hexadecimal, no `1_000`, no infinity.
fn number(word: &str) -> Option<Number> {
    match read_json(word.trim().as_bytes(), WORD_BOUNDS).ok()? {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

impl fmt::Display for SettingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SettingKind::Text => "a text",
            SettingKind::Number => "a number, such as `2.5`",
            SettingKind::Integer => "a whole number, such as `3`",
            SettingKind::Boolean => "`true` or `false`",
            SettingKind::List(ItemKind::Text) => "a list of texts, such as `[\"a\", \"b\"]`",
            SettingKind::List(ItemKind::Number) => "a list of numbers, such as `[2.5, 4]`",
            SettingKind::List(ItemKind::Integer) => "a list of whole numbers, such as `[1, 2]`",
            SettingKind::List(ItemKind::Boolean) => "a list of `true` and `false`",
        })
    }
}
