//! Values that the player set for a package, and values that came with it, as two types. `${VAR}` means a variable only in a
//! [`PlayerValue`]; a [`PackageValue`] has no operation that reads the environment. No error ever quotes a value.

use std::fmt;

use serde_json::Value;

use crate::host_policy::HostPolicy;
use narratoria_protocol::{Object, token_of_key};

/// Longest string once `${VAR}` is substituted. Stops a value that names one variable ten thousand times.
const CONFIG_VALUE_BYTES_MAX: usize = 256 << 10;

/// Returns a variable's value; `None` if it is not set.
pub type VariableLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// An untrusted value: the `default` of a schema, or one of a package's own `config.json`. Its text is taken literally.
#[derive(Clone, PartialEq)]
pub(super) struct PackageValue(Value);

/// A value that the player wrote, before `${VAR}` is substituted.
#[derive(Clone, PartialEq)]
pub struct PlayerValue(Value);

/// The player's values for one package, in the order of their file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct PlayerSettings(Vec<(String, PlayerValue)>);

/// The variables that a player's values may read.
#[derive(Clone, Copy)]
pub struct PlayerVariables<'a> {
    lookup: VariableLookup<'a>,
    policy: &'a HostPolicy,
}

/// Why a `${VAR}` cannot be replaced. The error does not quote the text around it, because an unclosed brace may
/// include a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum SubstitutionError {
    #[error("`${{` is never closed; `$${{` stands for the text")]
    NotClosed,
    #[error(
        "`${{…}}` must name an environment variable: letters, digits and underscores, no digit first"
    )]
    NotAName,
    #[error("the environment variable `{name}` is not set")]
    NotSet { name: String },
    #[error(
        "the environment variable `{name}` may not be read: line {line} of `{file}` does not allow it (`env` in `[grants]`)"
    )]
    NotAllowed { name: String, line: usize, file: String },
    #[error("is longer than {limit} bytes once substituted")]
    TooLong { limit: usize },
}

/// A fault of a substitution, with the pointer to its string inside the value.
pub(super) type PlacedError = (String, SubstitutionError);

impl SubstitutionError {
    pub(super) fn is_unset(&self) -> bool {
        matches!(self, SubstitutionError::NotSet { .. })
    }
}

impl PackageValue {
    pub(super) fn new(value: Value) -> PackageValue {
        PackageValue(value)
    }

    /// The value as it is written, which is also what it means.
    pub(super) fn as_written(&self) -> &Value {
        &self.0
    }

    /// The player makes the value their own. From then on `${VAR}` in it is a variable: only after a question.
    pub(super) fn taken_over_by_player(&self) -> PlayerValue {
        PlayerValue(self.0.clone())
    }
}

impl PlayerValue {
    pub(super) fn typed(value: Value) -> PlayerValue {
        PlayerValue(value)
    }

    /// The value as it is written, with `${VAR}` in it.
    pub(super) fn as_written(&self) -> &Value {
        &self.0
    }

    /// The value with `${VAR}` replaced in each string; a string with an error stays as it is written.
    pub(super) fn resolve(&self, variables: PlayerVariables<'_>) -> (Value, Vec<PlacedError>) {
        let (mut value, mut errors) = (self.0.clone(), Vec::new());
        substitute(&mut value, "", &|name| variables.read(name), &mut errors);
        (value, errors)
    }

    /// The variables that it names, each once, in the order of the value.
    pub(super) fn variables(&self) -> Vec<String> {
        let found = std::cell::RefCell::new(Vec::<String>::new());
        let record = |name: &str| {
            let mut found = found.borrow_mut();
            if !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
            Ok(String::new())
        };
        substitute(&mut self.0.clone(), "", &record, &mut Vec::new());
        found.take()
    }
}

impl PlayerSettings {
    /// The values of the player's own file.
    pub(super) fn of_file(document: Object) -> PlayerSettings {
        PlayerSettings(
            document.into_iter().map(|(name, value)| (name, PlayerValue(value))).collect(),
        )
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn get(&self, name: &str) -> Option<&PlayerValue> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Sets a value at its place, or at the end.
    pub(super) fn set(&mut self, name: &str, value: PlayerValue) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// Removes a value; returns whether there was one.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|(known, _)| known != name);
        self.0.len() < before
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &PlayerValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl<'a> PlayerVariables<'a> {
    /// The variables that `lookup` knows and the player's policy allows.
    pub fn new(lookup: VariableLookup<'a>, policy: &'a HostPolicy) -> PlayerVariables<'a> {
        PlayerVariables { lookup, policy }
    }

    /// The policy that decides on variables.
    pub(crate) fn policy(self) -> &'a HostPolicy {
        self.policy
    }

    fn read(self, name: &str) -> Result<String, SubstitutionError> {
        if let Some(line) = self.policy.line_that_refuses_variable(name) {
            let (name, file) = (name.to_owned(), self.policy.file.clone());
            return Err(SubstitutionError::NotAllowed { name, line, file });
        }
        (self.lookup)(name).ok_or_else(|| SubstitutionError::NotSet { name: name.to_owned() })
    }
}

// Implemented by hand: a derived one would print secrets.
impl fmt::Debug for PackageValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PackageValue(…)")
    }
}

impl fmt::Debug for PlayerValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlayerValue(…)")
    }
}

/// Reads one variable, or refuses.
type ReadVariable<'r> = &'r dyn Fn(&str) -> Result<String, SubstitutionError>;

/// Replaces `${VAR}` in every string of `value`; each error goes to `errors`, with the pointer to its string.
fn substitute(
    value: &mut Value,
    pointer: &str,
    read: ReadVariable<'_>,
    errors: &mut Vec<PlacedError>,
) {
    match value {
        Value::String(text) => match expand_variables(text, read) {
            Ok(expanded) => *text = expanded,
            Err(why) => errors.push((pointer.to_owned(), why)),
        },
        Value::Array(items) => {
            for (idx, item) in items.iter_mut().enumerate() {
                substitute(item, &format!("{pointer}/{idx}"), read, errors);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                substitute(field, &format!("{pointer}/{}", token_of_key(name)), read, errors);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// `$${` stands for a literal `${`. A variable's value is not expanded again.
fn expand_variables(text: &str, read: ReadVariable<'_>) -> Result<String, SubstitutionError> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        if let Some(before) = before.strip_suffix('$') {
            expanded.push_str(before);
            expanded.push_str("${");
            rest = after;
            continue;
        }
        expanded.push_str(before);
        let (name, after) = after.split_once('}').ok_or(SubstitutionError::NotClosed)?;
        if !is_variable_name(name) {
            return Err(SubstitutionError::NotAName);
        }
        expanded.push_str(&read(name)?);
        if expanded.len() > CONFIG_VALUE_BYTES_MAX {
            return Err(SubstitutionError::TooLong { limit: CONFIG_VALUE_BYTES_MAX });
        }
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

pub(super) fn is_variable_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Returns true if a reader may take a part of this value for a variable.
pub(super) fn looks_like_variable(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("${"),
        Value::Array(items) => items.iter().any(looks_like_variable),
        Value::Object(fields) => fields.values().any(looks_like_variable),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
