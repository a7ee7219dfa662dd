//! Values as programs write them: a text where a list belongs, a number as a text, `null` for nothing. Each deviation gets
//! a note.

use narratoria_protocol::json_kind;
use serde_json::{Map, Value};

use crate::ImportNotes;

/// How a text that stands for a list is split.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListSyntax {
    /// At commas.
    Commas,
    /// It is one item.
    Whole,
}

/// An object whose fields are read, and its name for notes.
pub(crate) struct LooseObject<'v, 'n> {
    fields: Option<&'v Map<String, Value>>,
    pub(crate) path: String,
    pub(crate) notes: &'n mut ImportNotes,
}

impl<'v, 'n> LooseObject<'v, 'n> {
    pub(crate) fn new(value: &'v Value, path: &str, notes: &'n mut ImportNotes) -> Self {
        LooseObject { fields: value.as_object(), path: path.to_owned(), notes }
    }

    pub(crate) fn name(&self, field: &str) -> String {
        if self.path.is_empty() { field.to_owned() } else { format!("{}.{field}", self.path) }
    }

    pub(crate) fn get(&self, field: &str) -> Option<&'v Value> {
        self.fields?.get(field).filter(|value| !value.is_null())
    }

    /// The text of the first of these fields that is there.
    pub(crate) fn text(&mut self, fields: &[&str]) -> String {
        let found = fields.iter().find_map(|field| Some((*field, self.get(field)?)));
        found.map(|(field, value)| self.text_of(&self.name(field), value)).unwrap_or_default()
    }

    fn text_of(&mut self, name: &str, value: &Value) -> String {
        match value {
            Value::Null => String::new(),
            Value::String(text) => text.replace("\r\n", "\n"),
            Value::Bool(_) | Value::Number(_) => {
                self.notes.loose(name, format!("{} where a text belongs", json_kind(value)));
                value.to_string()
            }
            Value::Array(items) => {
                self.notes.loose(name, "a list where a text belongs, its items become lines");
                let lines: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                lines.join("\n")
            }
            Value::Object(_) => {
                self.notes.not_mapped(name, "an object where a text belongs");
                String::new()
            }
        }
    }

    pub(crate) fn texts(&mut self, field: &str, syntax: ListSyntax) -> Vec<String> {
        let Some(value) = self.get(field) else { return Vec::new() };
        let name = self.name(field);
        let items: Vec<String> = match value {
            Value::Array(items) => items.iter().map(|item| self.text_of(&name, item)).collect(),
            Value::Object(items) => {
                self.notes.loose(&name, "an object where a list belongs");
                items.values().map(|item| self.text_of(&name, item)).collect()
            }
            Value::String(text) if text.trim().is_empty() => Vec::new(),
            other => {
                self.notes.loose(&name, format!("{} where a list belongs", json_kind(other)));
                let text = self.text_of(&name, other);
                match syntax {
                    ListSyntax::Whole => vec![text],
                    ListSyntax::Commas => text.split(',').map(str::to_owned).collect(),
                }
            }
        };
        let trimmed = items.into_iter().map(|item| match syntax {
            ListSyntax::Commas => item.trim().to_owned(),
            ListSyntax::Whole => item,
        });
        trimmed.filter(|item| !item.trim().is_empty()).collect()
    }

    pub(crate) fn number(&mut self, field: &str) -> Option<f64> {
        let value = self.get(field)?;
        let name = self.name(field);
        match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) if text.trim().is_empty() => None,
            Value::String(text) => match text.trim().trim_end_matches('%').parse::<f64>() {
                Ok(number) if number.is_finite() => {
                    self.notes.loose(&name, "a text where a number belongs");
                    Some(number)
                }
                _ => {
                    self.notes.not_mapped(&name, format!("`{text}` is no number"));
                    None
                }
            },
            other => {
                let kind = json_kind(other);
                self.notes.not_mapped(&name, format!("{kind} where a number belongs"));
                None
            }
        }
    }

    /// The truth value of a field.
    pub(crate) fn flag(&mut self, field: &str) -> Option<bool> {
        let value = self.get(field)?;
        let name = self.name(field);
        let read = match value {
            Value::Bool(flag) => return Some(*flag),
            Value::Number(number) => number.as_f64().map(|number| number != 0.0),
            Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Some(true),
                "false" | "no" | "off" | "0" | "" => Some(false),
                _ => None,
            },
            _ => None,
        };
        match read {
            Some(_) => {
                self.notes.loose(&name, format!("{} where true or false belongs", json_kind(value)))
            }
            None => self.notes.not_mapped(&name, "neither true nor false"),
        }
        read
    }

    /// Notes each field that `known` does not name.
    pub(crate) fn rest_is_not_mapped(&mut self, known: &[&str], why: &str) {
        let Some(fields) = self.fields else { return };
        for (field, value) in fields {
            if !known.contains(&field.as_str()) && !is_empty(value) {
                self.notes.not_mapped(self.name(field), why);
            }
        }
    }
}

/// Returns true if a value has no content.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().all(is_empty),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
