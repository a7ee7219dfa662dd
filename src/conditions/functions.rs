//! Operators and functions on values.

use std::{cmp::Ordering, rc::Rc};

use crate::{
    meter::{CelError, CostMeter},
    node::{CelFunction, CelOperator},
    value::{CelText, CelValue, compare_numbers},
};

/// Values of different types are unequal, except for whole and other numbers.
pub(crate) fn equal<'a>(
    meter: &mut CostMeter,
    left: &CelValue<'a>,
    right: &CelValue<'a>,
) -> Result<bool, CelError> {
    meter.spend(1)?;
    Ok(match (left, right) {
        (CelValue::Null, CelValue::Null) => true,
        (CelValue::Bool(left), CelValue::Bool(right)) => left == right,
        (CelValue::Text(left), CelValue::Text(right)) => {
            if left.len() == right.len() {
                meter.spend_text(left)?;
            }
            **left == **right
        }
        _ if left.is_list() && right.is_list() => {
            if left.len() != right.len() {
                return Ok(false);
            }
            for at in 0..left.len().unwrap_or_default() {
                let items = (left.item(at), right.item(at));
                let (Some(left), Some(right)) = items else { return Ok(false) };
                if !equal(meter, &left, &right)? {
                    return Ok(false);
                }
            }
            true
        }
        _ if left.is_map() && right.is_map() => {
            if left.len() != right.len() {
                return Ok(false);
            }
            for key in left.keys() {
                let (Some(left), Some(right)) = (left.field(key), right.field(key)) else {
                    return Ok(false);
                };
                if !equal(meter, &left, &right)? {
                    return Ok(false);
                }
            }
            true
        }
        _ => compare_numbers(left, right) == Some(Ordering::Equal),
    })
}

/// Returns `None` if the values have no order.
pub(crate) fn compare<'a>(
    meter: &mut CostMeter,
    left: &CelValue<'a>,
    right: &CelValue<'a>,
) -> Result<Option<Ordering>, CelError> {
    Ok(match (left, right) {
        (CelValue::Bool(left), CelValue::Bool(right)) => Some(left.cmp(right)),
        (CelValue::Text(left), CelValue::Text(right)) => {
            meter.spend_text(if left.len() < right.len() { left } else { right })?;
            Some((**left).cmp(&**right))
        }
        _ => compare_numbers(left, right),
    })
}

pub(crate) fn is_in<'a>(
    meter: &mut CostMeter,
    left: &CelValue<'a>,
    right: &CelValue<'a>,
) -> Result<Option<bool>, CelError> {
    if let (CelValue::Text(key), true) = (left, right.is_map()) {
        return Ok(Some(right.field(key).is_some()));
    }
    let (Some(length), true) = (right.len(), right.is_list()) else { return Ok(None) };
    for at in 0..length {
        if let Some(item) = right.item(at)
            && equal(meter, left, &item)?
        {
            return Ok(Some(true));
        }
    }
    Ok(Some(false))
}

pub(crate) fn add<'a>(
    meter: &mut CostMeter,
    left: &CelValue<'a>,
    right: &CelValue<'a>,
) -> Result<Option<CelValue<'a>>, CelError> {
    if let (CelValue::Text(left), CelValue::Text(right)) = (left, right) {
        let both = [&**left, &**right].concat();
        meter.spend_text(&both)?;
        return Ok(Some(CelValue::Text(CelText::Shared(both.into()))));
    }
    if left.is_list() && right.is_list() {
        let mut items = Vec::new();
        for list in [left, right] {
            let length = list.len().unwrap_or_default();
            meter.spend(length)?;
            items.extend((0..length).filter_map(|at| list.item(at)));
        }
        return Ok(Some(CelValue::SharedList(Rc::new(items))));
    }
    arithmetic(meter, CelOperator::Add, left, right)
}

pub(crate) fn arithmetic<'a>(
    meter: &mut CostMeter,
    operator: CelOperator,
    left: &CelValue<'a>,
    right: &CelValue<'a>,
) -> Result<Option<CelValue<'a>>, CelError> {
    if let (CelValue::Int(left), CelValue::Int(right)) = (left, right) {
        let value = match operator {
            CelOperator::Add => left.checked_add(*right),
            CelOperator::Subtract => left.checked_sub(*right),
            CelOperator::Multiply => left.checked_mul(*right),
            CelOperator::Divide | CelOperator::Modulo if *right == 0 => {
                return meter.no_value(|| format!("`{left} {} 0` has no value", operator.symbol()));
            }
            CelOperator::Divide => left.checked_div(*right),
            // CEL refuses it as it refuses the division: the quotient is out of range.
            CelOperator::Modulo if CelValue::whole(left / right).is_none() => None,
            CelOperator::Modulo => left.checked_rem(*right),
            _ => return Ok(None),
        };
        let value = value.and_then(CelValue::whole);
        return match value {
            Some(value) => Ok(Some(value)),
            None => meter.no_value(|| overflow(&format!("{left} {} {right}", operator.symbol()))),
        };
    }
    let (Some(left), Some(right)) = (left.as_double(), right.as_double()) else {
        return Ok(None);
    };
    Ok(match operator {
        CelOperator::Add => Some(CelValue::Double(left + right)),
        CelOperator::Subtract => Some(CelValue::Double(left - right)),
        CelOperator::Multiply => Some(CelValue::Double(left * right)),
        CelOperator::Divide => Some(CelValue::Double(left / right)),
        _ => None,
    })
}

/// Why an operation on whole numbers has no value.
pub(crate) fn overflow(operation: &str) -> String {
    format!("`{operation}` is beyond whole numbers of 64 bits ({} to {})", i64::MIN, i64::MAX)
}

/// None if the function does not take such values.
pub(crate) fn call_function<'a>(
    function: &CelFunction,
    values: &[CelValue<'a>],
) -> Option<CelValue<'a>> {
    let text = |at: usize| match values.get(at) {
        Some(CelValue::Text(text)) => Some(&**text),
        _ => None,
    };
    Some(match function {
        CelFunction::Size => {
            let size = match values.first()? {
                CelValue::Text(text) => text.chars().count(),
                other => other.len()?,
            };
            CelValue::Int(i128::try_from(size).ok()?)
        }
        CelFunction::Contains => CelValue::Bool(text(0)?.contains(text(1)?)),
        CelFunction::StartsWith => CelValue::Bool(text(0)?.starts_with(text(1)?)),
        CelFunction::EndsWith => CelValue::Bool(text(0)?.ends_with(text(1)?)),
        CelFunction::Matches(pattern) => CelValue::Bool(pattern.is_match(text(0)?)),
        CelFunction::Int => match values.first()? {
            CelValue::Int(value) => CelValue::Int(*value),
            // A number out of range saturates, and `whole` refuses it.
            CelValue::Double(value) if !value.is_nan() => CelValue::whole(value.trunc() as i128)?,
            CelValue::Text(text) => CelValue::whole(text.parse().ok()?)?,
            _ => return None,
        },
        CelFunction::Double => match values.first()? {
            CelValue::Text(text) => {
                CelValue::Double(text.parse().ok().filter(|v: &f64| v.is_finite())?)
            }
            other => CelValue::Double(other.as_double()?),
        },
        CelFunction::Text => CelValue::Text(match values.first()? {
            CelValue::Text(text) => text.clone(),
            CelValue::Bool(value) => CelText::Shared(value.to_string().into()),
            CelValue::Int(value) => CelText::Shared(value.to_string().into()),
            CelValue::Double(value) => CelText::Shared(value.to_string().into()),
            _ => return None,
        }),
    })
}

/// The name in a condition's text.
pub(crate) fn function_name(function: &CelFunction) -> &'static str {
    match function {
        CelFunction::Size => "size",
        CelFunction::Contains => "contains",
        CelFunction::StartsWith => "startsWith",
        CelFunction::EndsWith => "endsWith",
        CelFunction::Matches(_) => "matches",
        CelFunction::Int => "int",
        CelFunction::Double => "double",
        CelFunction::Text => "string",
    }
}

/// A call of the function, for the message about a wrong one.
pub fn usage_example(name: &str) -> String {
    match name {
        "has" => "`has(state.door)`".to_owned(),
        "size" => "`size(state.bag)`".to_owned(),
        "int" | "double" | "string" => format!("`{name}(state.gold)`"),
        "all" | "exists" | "exists_one" | "existsOne" | "filter" | "map" => {
            format!("`state.bag.{name}(x, x == \"torch\")`")
        }
        _ => format!("`state.name.{name}(\"text\")`"),
    }
}
