//! Values while a condition is answered. Facts are lent, never copied.

use std::{cmp::Ordering, collections::BTreeMap, ops::Deref, rc::Rc};

use serde_json::Value;

use crate::protocol::Object;

/// What whole numbers may be: those of JSON as our readers take them.
const WHOLE: std::ops::RangeInclusive<i128> = i64::MIN as i128..=u64::MAX as i128;

/// From here on not every whole number is a `f64`.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

#[derive(Debug, Clone)]
pub(super) enum Val<'a> {
    Null,
    Bool(bool),
    /// Always within [`WHOLE`].
    Int(i128),
    Double(f64),
    Text(Text<'a>),
    /// A list of facts.
    Lent(&'a [Value]),
    /// A list that the condition made.
    Made(Rc<Vec<Val<'a>>>),
    /// An object of facts.
    Fields(&'a Object),
    /// An object that the condition made.
    MadeFields(Rc<BTreeMap<&'a str, Val<'a>>>),
}

/// Cheap to copy, whoever made it.
#[derive(Debug, Clone)]
pub(super) enum Text<'a> {
    Lent(&'a str),
    Made(Rc<str>),
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Text::Lent(text) => text,
            Text::Made(text) => text,
        }
    }
}

impl<'a> Val<'a> {
    /// A whole number is one by its value, not by its spelling.
    pub(super) fn of(fact: &'a Value) -> Val<'a> {
        match fact {
            Value::Null => Val::Null,
            Value::Bool(value) => Val::Bool(*value),
            Value::String(text) => Val::Text(Text::Lent(text)),
            Value::Array(items) => Val::Lent(items),
            Value::Object(fields) => Val::Fields(fields),
            Value::Number(number) => {
                let whole = number.as_i64().map(i128::from).or(number.as_u64().map(i128::from));
                match (whole, number.as_f64()) {
                    (Some(whole), _) => Val::Int(whole),
                    (None, Some(double)) if double.fract() == 0.0 && double.abs() <= EXACT_MAX => {
                        Val::Int(double as i128)
                    }
                    (None, double) => Val::Double(double.unwrap_or(f64::NAN)),
                }
            }
        }
    }

    /// A whole number, if it is one that JSON could hold.
    pub(super) fn whole(value: i128) -> Option<Val<'a>> {
        WHOLE.contains(&value).then_some(Val::Int(value))
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            Val::Null => "null",
            Val::Bool(_) => "true or false",
            Val::Int(_) => "a whole number",
            Val::Double(_) => "a fractional number",
            Val::Text(_) => "text",
            Val::Lent(_) | Val::Made(_) => "a list",
            Val::Fields(_) | Val::MadeFields(_) => "an object",
        }
    }

    pub(super) fn as_double(&self) -> Option<f64> {
        match self {
            Val::Int(value) => Some(*value as f64),
            Val::Double(value) => Some(*value),
            _ => None,
        }
    }

    /// Items of a list.
    pub(super) fn len(&self) -> Option<usize> {
        match self {
            Val::Lent(items) => Some(items.len()),
            Val::Made(items) => Some(items.len()),
            Val::Fields(fields) => Some(fields.len()),
            Val::MadeFields(fields) => Some(fields.len()),
            _ => None,
        }
    }

    /// One item of a list.
    pub(super) fn item(&self, at: usize) -> Option<Val<'a>> {
        match self {
            Val::Lent(items) => items.get(at).map(Val::of),
            Val::Made(items) => items.get(at).cloned(),
            _ => None,
        }
    }

    /// One field of an object.
    pub(super) fn field(&self, key: &str) -> Option<Val<'a>> {
        match self {
            Val::Fields(fields) => fields.get(key).map(Val::of),
            Val::MadeFields(fields) => fields.get(key).cloned(),
            _ => None,
        }
    }

    /// Keys of an object.
    pub(super) fn keys(&self) -> Vec<&'a str> {
        match self {
            Val::Fields(fields) => fields.keys().map(String::as_str).collect(),
            Val::MadeFields(fields) => fields.keys().copied().collect(),
            _ => Vec::new(),
        }
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self, Val::Lent(_) | Val::Made(_))
    }

    pub(super) fn is_map(&self) -> bool {
        matches!(self, Val::Fields(_) | Val::MadeFields(_))
    }
}

/// Exact, also where a whole number has no `f64` of its own. None if one of them is no number.
pub(super) fn compare_numbers(left: &Val<'_>, right: &Val<'_>) -> Option<Ordering> {
    match (left, right) {
        (Val::Int(left), Val::Int(right)) => Some(left.cmp(right)),
        (Val::Double(left), Val::Double(right)) => left.partial_cmp(right),
        (Val::Int(left), Val::Double(right)) => compare_mixed(*left, *right),
        (Val::Double(left), Val::Int(right)) => compare_mixed(*right, *left).map(Ordering::reverse),
        _ => None,
    }
}

fn compare_mixed(whole: i128, double: f64) -> Option<Ordering> {
    if double.is_nan() {
        return None;
    }
    // Out of range, `as` gives the nearest `i128`, which is beyond every whole number that we have.
    let floor = double.floor();
    let ordering = whole.cmp(&(floor as i128));
    Some(if ordering == Ordering::Equal && double > floor { Ordering::Less } else { ordering })
}
