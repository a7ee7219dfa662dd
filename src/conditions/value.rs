//! Values during evaluation. Facts are borrowed, never copied.

use std::{cmp::Ordering, collections::BTreeMap, ops::Deref, rc::Rc};

use serde_json::{Map, Value};

/// The whole numbers that an operation may give: CEL's `int`. A fact may be larger, up to `u64::MAX`, and can be compared.
const WHOLE: std::ops::RangeInclusive<i128> = i64::MIN as i128..=i64::MAX as i128;

/// Above this, `f64` cannot hold every whole number.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

#[derive(Debug, Clone)]
pub(crate) enum CelValue<'a> {
    Null,
    Bool(bool),
    /// Within [`WHOLE`], or a larger fact.
    Int(i128),
    Double(f64),
    Text(CelText<'a>),
    /// A list from the facts.
    BorrowedList(&'a [Value]),
    /// A list that the condition built.
    SharedList(Rc<Vec<CelValue<'a>>>),
    /// An object from the facts.
    BorrowedObject(&'a Map<String, Value>),
    /// An object that the condition built.
    SharedObject(Rc<BTreeMap<&'a str, CelValue<'a>>>),
}

/// Text that is cheap to clone.
#[derive(Debug, Clone)]
pub(crate) enum CelText<'a> {
    Borrowed(&'a str),
    Shared(Rc<str>),
}

impl Deref for CelText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            CelText::Borrowed(text) => text,
            CelText::Shared(text) => text,
        }
    }
}

impl<'a> CelValue<'a> {
    /// `15.0` becomes a whole number, because the value decides and not the spelling.
    pub(crate) fn from_json(fact: &'a Value) -> CelValue<'a> {
        match fact {
            Value::Null => CelValue::Null,
            Value::Bool(value) => CelValue::Bool(*value),
            Value::String(text) => CelValue::Text(CelText::Borrowed(text)),
            Value::Array(items) => CelValue::BorrowedList(items),
            Value::Object(fields) => CelValue::BorrowedObject(fields),
            Value::Number(number) => {
                let whole = number.as_i64().map(i128::from).or(number.as_u64().map(i128::from));
                match (whole, number.as_f64()) {
                    (Some(whole), _) => CelValue::Int(whole),
                    (None, Some(double)) if double.fract() == 0.0 && double.abs() <= EXACT_MAX => {
                        CelValue::Int(double as i128)
                    }
                    (None, double) => CelValue::Double(double.unwrap_or(f64::NAN)),
                }
            }
        }
    }

    /// The result of an operation; `None` outside [`WHOLE`].
    pub(crate) fn whole(value: i128) -> Option<CelValue<'a>> {
        WHOLE.contains(&value).then_some(CelValue::Int(value))
    }

    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            CelValue::Null => "null",
            CelValue::Bool(_) => "true or false",
            CelValue::Int(_) => "a whole number",
            CelValue::Double(_) => "a fractional number",
            CelValue::Text(_) => "text",
            CelValue::BorrowedList(_) | CelValue::SharedList(_) => "a list",
            CelValue::BorrowedObject(_) | CelValue::SharedObject(_) => "an object",
        }
    }

    pub(crate) fn as_double(&self) -> Option<f64> {
        match self {
            CelValue::Int(value) => Some(*value as f64),
            CelValue::Double(value) => Some(*value),
            _ => None,
        }
    }

    /// How many items a list or fields an object has.
    pub(crate) fn len(&self) -> Option<usize> {
        match self {
            CelValue::BorrowedList(items) => Some(items.len()),
            CelValue::SharedList(items) => Some(items.len()),
            CelValue::BorrowedObject(fields) => Some(fields.len()),
            CelValue::SharedObject(fields) => Some(fields.len()),
            _ => None,
        }
    }

    pub(crate) fn item(&self, at: usize) -> Option<CelValue<'a>> {
        match self {
            CelValue::BorrowedList(items) => items.get(at).map(CelValue::from_json),
            CelValue::SharedList(items) => items.get(at).cloned(),
            _ => None,
        }
    }

    pub(crate) fn field(&self, key: &str) -> Option<CelValue<'a>> {
        match self {
            CelValue::BorrowedObject(fields) => fields.get(key).map(CelValue::from_json),
            CelValue::SharedObject(fields) => fields.get(key).cloned(),
            _ => None,
        }
    }

    pub(crate) fn keys(&self) -> Vec<&'a str> {
        match self {
            CelValue::BorrowedObject(fields) => fields.keys().map(String::as_str).collect(),
            CelValue::SharedObject(fields) => fields.keys().copied().collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self, CelValue::BorrowedList(_) | CelValue::SharedList(_))
    }

    pub(crate) fn is_map(&self) -> bool {
        matches!(self, CelValue::BorrowedObject(_) | CelValue::SharedObject(_))
    }
}

/// Compares numbers exactly, even if no `f64` equals the whole number. Returns `None` unless both are numbers.
pub(crate) fn compare_numbers(left: &CelValue<'_>, right: &CelValue<'_>) -> Option<Ordering> {
    match (left, right) {
        (CelValue::Int(left), CelValue::Int(right)) => Some(left.cmp(right)),
        (CelValue::Double(left), CelValue::Double(right)) => left.partial_cmp(right),
        (CelValue::Int(left), CelValue::Double(right)) => compare_mixed(*left, *right),
        (CelValue::Double(left), CelValue::Int(right)) => {
            compare_mixed(*right, *left).map(Ordering::reverse)
        }
        _ => None,
    }
}

fn compare_mixed(whole: i128, double: f64) -> Option<Ordering> {
    if double.is_nan() {
        return None;
    }
    // Out of range, `as` gives the nearest `i128`, which lies beyond every number of `WHOLE`.
    let floor = double.floor();
    let ordering = whole.cmp(&(floor as i128));
    Some(if ordering == Ordering::Equal && double > floor { Ordering::Less } else { ordering })
}
