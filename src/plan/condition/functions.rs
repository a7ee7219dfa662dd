//! What operators and functions make of values.

use std::{cmp::Ordering, rc::Rc};

use super::{
    eval::{Evaluator, Stop, no_answer},
    node::{Function, Operator},
    value::{Text, Val, compare_numbers},
};

impl<'a> Evaluator<'a> {
    /// Values of different kinds are unequal, numbers apart.
    pub(super) fn equal(&mut self, left: &Val<'a>, right: &Val<'a>) -> Result<bool, Stop> {
        self.spend(1)?;
        Ok(match (left, right) {
            (Val::Null, Val::Null) => true,
            (Val::Bool(left), Val::Bool(right)) => left == right,
            (Val::Text(left), Val::Text(right)) => {
                if left.len() == right.len() {
                    self.spend_text(left)?;
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
                    if !self.equal(&left, &right)? {
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
                    if !self.equal(&left, &right)? {
                        return Ok(false);
                    }
                }
                true
            }
            _ => compare_numbers(left, right) == Some(Ordering::Equal),
        })
    }

    /// None where there is no order.
    pub(super) fn compare(
        &mut self,
        left: &Val<'a>,
        right: &Val<'a>,
    ) -> Result<Option<Ordering>, Stop> {
        Ok(match (left, right) {
            (Val::Bool(left), Val::Bool(right)) => Some(left.cmp(right)),
            (Val::Text(left), Val::Text(right)) => {
                self.spend_text(if left.len() < right.len() { left } else { right })?;
                Some((**left).cmp(&**right))
            }
            _ => compare_numbers(left, right),
        })
    }

    pub(super) fn is_in(&mut self, left: &Val<'a>, right: &Val<'a>) -> Result<Option<bool>, Stop> {
        if let (Val::Text(key), true) = (left, right.is_map()) {
            return Ok(Some(right.field(key).is_some()));
        }
        let (Some(length), true) = (right.len(), right.is_list()) else { return Ok(None) };
        for at in 0..length {
            if let Some(item) = right.item(at)
                && self.equal(left, &item)?
            {
                return Ok(Some(true));
            }
        }
        Ok(Some(false))
    }

    pub(super) fn add(&mut self, left: &Val<'a>, right: &Val<'a>) -> Result<Option<Val<'a>>, Stop> {
        if let (Val::Text(left), Val::Text(right)) = (left, right) {
            let both = [&**left, &**right].concat();
            self.spend_text(&both)?;
            return Ok(Some(Val::Text(Text::Made(both.into()))));
        }
        if left.is_list() && right.is_list() {
            let mut items = Vec::new();
            for list in [left, right] {
                let length = list.len().unwrap_or_default();
                self.spend(length)?;
                items.extend((0..length).filter_map(|at| list.item(at)));
            }
            return Ok(Some(Val::Made(Rc::new(items))));
        }
        self.arithmetic(Operator::Add, left, right)
    }

    pub(super) fn arithmetic(
        &mut self,
        operator: Operator,
        left: &Val<'a>,
        right: &Val<'a>,
    ) -> Result<Option<Val<'a>>, Stop> {
        if let (Val::Int(left), Val::Int(right)) = (left, right) {
            let value = match operator {
                Operator::Add => left.checked_add(*right),
                Operator::Subtract => left.checked_sub(*right),
                Operator::Multiply => left.checked_mul(*right),
                Operator::Divide | Operator::Modulo if *right == 0 => {
                    return no_answer(format!("`{left} {} 0` has no value", operator.symbol()));
                }
                Operator::Divide => left.checked_div(*right),
                Operator::Modulo => left.checked_rem(*right),
                _ => return Ok(None),
            };
            let value = value.and_then(Val::whole);
            return value.map_or_else(
                || no_answer("a whole number grew too large".to_owned()),
                |v| Ok(Some(v)),
            );
        }
        let (Some(left), Some(right)) = (left.as_double(), right.as_double()) else {
            return Ok(None);
        };
        Ok(match operator {
            Operator::Add => Some(Val::Double(left + right)),
            Operator::Subtract => Some(Val::Double(left - right)),
            Operator::Multiply => Some(Val::Double(left * right)),
            Operator::Divide => Some(Val::Double(left / right)),
            _ => None,
        })
    }
}

/// None where the function has no answer for such values.
pub(super) fn apply<'a>(function: &Function, values: &[Val<'a>]) -> Option<Val<'a>> {
    let text = |at: usize| match values.get(at) {
        Some(Val::Text(text)) => Some(&**text),
        _ => None,
    };
    Some(match function {
        Function::Size => {
            let size = match values.first()? {
                Val::Text(text) => text.chars().count(),
                other => other.len()?,
            };
            Val::Int(i128::try_from(size).ok()?)
        }
        Function::Contains => Val::Bool(text(0)?.contains(text(1)?)),
        Function::StartsWith => Val::Bool(text(0)?.starts_with(text(1)?)),
        Function::EndsWith => Val::Bool(text(0)?.ends_with(text(1)?)),
        Function::Matches(pattern) => Val::Bool(pattern.is_match(text(0)?)),
        Function::Int => match values.first()? {
            Val::Int(value) => Val::Int(*value),
            // Out of range and not a number end outside of what is whole.
            Val::Double(value) if !value.is_nan() => Val::whole(value.trunc() as i128)?,
            Val::Text(text) => Val::whole(text.parse().ok()?)?,
            _ => return None,
        },
        Function::Double => match values.first()? {
            Val::Text(text) => Val::Double(text.parse().ok().filter(|v: &f64| v.is_finite())?),
            other => Val::Double(other.as_double()?),
        },
        Function::Text => Val::Text(match values.first()? {
            Val::Text(text) => text.clone(),
            Val::Bool(value) => Text::Made(value.to_string().into()),
            Val::Int(value) => Text::Made(value.to_string().into()),
            Val::Double(value) => Text::Made(value.to_string().into()),
            _ => return None,
        }),
    })
}

/// As conditions write it.
pub(super) fn name(function: &Function) -> &'static str {
    match function {
        Function::Size => "size",
        Function::Contains => "contains",
        Function::StartsWith => "startsWith",
        Function::EndsWith => "endsWith",
        Function::Matches(_) => "matches",
        Function::Int => "int",
        Function::Double => "double",
        Function::Text => "string",
    }
}
