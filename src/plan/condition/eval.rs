//! Answers a condition, on a meter.

use std::{cmp::Ordering, collections::BTreeMap, rc::Rc};

use super::{
    CONDITION_COST_MAX, ConditionBindings,
    node::{CelFunction, CelOperator, Comprehension, ComprehensionKind, ConditionNode},
    value::{CelText, CelValue},
};

/// How much text costs as much as one value.
const TEXT_BYTES_PER_COST: usize = 16;

/// How many keys an error names.
const KEYS_SHOWN_MAX: usize = 12;

/// Why there is no value.
#[derive(Debug)]
pub(super) enum CelError {
    /// A sentence.
    NoValue(String),
    /// The meter has run out; nothing may catch this.
    CostExceeded,
}

type CelResult<'a> = Result<CelValue<'a>, CelError>;

pub(super) struct ConditionEvaluator<'a> {
    bindings: &'a ConditionBindings<'a>,
    /// Of the loops around, outermost first.
    locals: Vec<CelValue<'a>>,
    cost_left: u64,
}

pub(super) fn no_value<T>(what: String) -> Result<T, CelError> {
    Err(CelError::NoValue(what))
}

impl<'a> ConditionEvaluator<'a> {
    pub(super) fn new(facts: &'a ConditionBindings<'a>) -> ConditionEvaluator<'a> {
        ConditionEvaluator { bindings: facts, locals: Vec::new(), cost_left: CONDITION_COST_MAX }
    }

    pub(super) fn spend(&mut self, cost: usize) -> Result<(), CelError> {
        let left = self.cost_left.checked_sub(cost as u64).ok_or(CelError::CostExceeded)?;
        self.cost_left = left;
        Ok(())
    }

    pub(super) fn spend_text(&mut self, text: &str) -> Result<(), CelError> {
        self.spend(text.len() / TEXT_BYTES_PER_COST)
    }

    pub(super) fn value(&mut self, node: &'a ConditionNode) -> CelResult<'a> {
        self.spend(1)?;
        Ok(match node {
            ConditionNode::Null => CelValue::Null,
            ConditionNode::Bool(value) => CelValue::Bool(*value),
            ConditionNode::Int(value) => CelValue::Int(i128::from(*value)),
            ConditionNode::Double(value) => CelValue::Double(*value),
            ConditionNode::Text(text) => CelValue::Text(CelText::Borrowed(text)),
            ConditionNode::List(nodes) => {
                let items = nodes.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?;
                CelValue::SharedList(Rc::new(items))
            }
            ConditionNode::Map(nodes) => {
                let mut fields = BTreeMap::new();
                for (key, node) in nodes {
                    fields.insert(key.as_str(), self.value(node)?);
                }
                CelValue::SharedObject(Rc::new(fields))
            }
            ConditionNode::Step(id) => {
                let facts = self.bindings;
                facts
                    .steps
                    .get(id.as_str())
                    .map_or(CelValue::Null, |output| CelValue::from_json(output))
            }
            ConditionNode::State => CelValue::BorrowedObject(self.bindings.state),
            ConditionNode::Input => CelValue::from_json(self.bindings.input),
            ConditionNode::Local(_, at) => self.locals[*at].clone(),
            ConditionNode::Field(of, key) => {
                let value = self.value(of)?;
                self.field(&value, key, of)?
            }
            ConditionNode::Index(of, index) => self.index(of, index)?,
            ConditionNode::Has(of, key) => match self.value(of)? {
                value if value.is_map() => CelValue::Bool(value.field(key).is_some()),
                value => {
                    return no_value(format!("`{of}` is {} and has no fields", value.type_name()));
                }
            },
            ConditionNode::Not(of) => CelValue::Bool(!self.bool(of)?),
            ConditionNode::Negate(of) => match self.value(of)? {
                CelValue::Int(value) => self.whole(-value)?,
                CelValue::Double(value) => CelValue::Double(-value),
                other => {
                    return no_value(format!(
                        "`{of}` is {} and has no opposite",
                        other.type_name()
                    ));
                }
            },
            ConditionNode::And(left, right) => {
                CelValue::Bool(!self.short_circuit(false, left, right)?)
            }
            ConditionNode::Or(left, right) => {
                CelValue::Bool(self.short_circuit(true, left, right)?)
            }
            ConditionNode::Conditional(parts) => {
                let [test, then, other] = parts.as_ref();
                if self.bool(test)? { self.value(then)? } else { self.value(other)? }
            }
            ConditionNode::Binary(operator, parts) => {
                let [left, right] = parts.as_ref();
                let (left_value, right_value) = (self.value(left)?, self.value(right)?);
                match self.binary(*operator, &left_value, &right_value)? {
                    Some(value) => value,
                    None => {
                        return no_value(format!(
                            "`{}` cannot be used between {} (`{left}`) and {} (`{right}`)",
                            operator.symbol(),
                            left_value.type_name(),
                            right_value.type_name()
                        ));
                    }
                }
            }
            ConditionNode::Call(function, parts) => self.call(function, parts)?,
            ConditionNode::Comprehension(inner) => self.comprehension(inner)?,
        })
    }

    /// `node`, which must come to true or false.
    fn bool(&mut self, node: &'a ConditionNode) -> Result<bool, CelError> {
        match self.value(node)? {
            CelValue::Bool(value) => Ok(value),
            other => no_value(format!("`{node}` is {}, not true or false", other.type_name())),
        }
    }

    /// Whether one of both is `wanted`. As CEL has it, one that is makes up for another without an answer.
    fn short_circuit(
        &mut self,
        wanted: bool,
        left: &'a ConditionNode,
        right: &'a ConditionNode,
    ) -> Result<bool, CelError> {
        let left = self.bool(left);
        if matches!(left, Ok(found) if found == wanted)
            || matches!(left, Err(CelError::CostExceeded))
        {
            return left.map(|_| true);
        }
        match self.bool(right) {
            Ok(right) if right == wanted => Ok(true),
            Err(CelError::CostExceeded) => Err(CelError::CostExceeded),
            right => left.and(right).map(|_| false),
        }
    }

    /// `label` is where `value` came from.
    fn field(&mut self, value: &CelValue<'a>, key: &str, label: &ConditionNode) -> CelResult<'a> {
        if let Some(found) = value.field(key) {
            return Ok(found);
        }
        if matches!(value, CelValue::Null) {
            return no_value(format!("`{label}` is null and has no `{key}`"));
        }
        if !value.is_map() {
            return no_value(format!("`{label}` is {} and has no `{key}`", value.type_name()));
        }
        let keys = value.keys();
        let shown = keys.iter().take(KEYS_SHOWN_MAX).copied().collect::<Vec<_>>().join("`, `");
        let only =
            if keys.is_empty() { "it is empty".to_owned() } else { format!("only `{shown}`") };
        no_value(format!("`{label}` has no `{key}`, {only}"))
    }

    fn index(&mut self, of: &'a ConditionNode, index: &'a ConditionNode) -> CelResult<'a> {
        let (value, at) = (self.value(of)?, self.value(index)?);
        match &at {
            CelValue::Text(key) => self.field(&value, key, of),
            CelValue::Int(at) if value.is_list() => {
                let item = usize::try_from(*at).ok().and_then(|at| value.item(at));
                let length = value.len().unwrap_or_default();
                item.map_or_else(
                    || no_value(format!("`{of}` has no item {at}, it has {length}")),
                    Ok,
                )
            }
            _ => no_value(format!(
                "`{of}` is {} and cannot be asked for {}",
                value.type_name(),
                at.type_name()
            )),
        }
    }

    pub(super) fn whole(&mut self, value: i128) -> CelResult<'a> {
        CelValue::whole(value)
            .map_or_else(|| no_value("a whole number grew too large".to_owned()), Ok)
    }

    /// None if the operator does not know such values.
    fn binary(
        &mut self,
        operator: CelOperator,
        left: &CelValue<'a>,
        right: &CelValue<'a>,
    ) -> Result<Option<CelValue<'a>>, CelError> {
        let ordered = |wanted: fn(Ordering) -> bool, found: Option<Ordering>| {
            found.map(|ordering| CelValue::Bool(wanted(ordering)))
        };
        Ok(match operator {
            CelOperator::Equal => Some(CelValue::Bool(self.equal(left, right)?)),
            CelOperator::NotEqual => Some(CelValue::Bool(!self.equal(left, right)?)),
            CelOperator::Less => ordered(Ordering::is_lt, self.compare(left, right)?),
            CelOperator::LessOrEqual => ordered(Ordering::is_le, self.compare(left, right)?),
            CelOperator::Greater => ordered(Ordering::is_gt, self.compare(left, right)?),
            CelOperator::GreaterOrEqual => ordered(Ordering::is_ge, self.compare(left, right)?),
            CelOperator::In => self.is_in(left, right)?.map(CelValue::Bool),
            CelOperator::Add => self.add(left, right)?,
            CelOperator::Subtract
            | CelOperator::Multiply
            | CelOperator::Divide
            | CelOperator::Modulo => self.arithmetic(operator, left, right)?,
        })
    }

    fn comprehension(&mut self, inner: &'a Comprehension) -> CelResult<'a> {
        let range = self.value(&inner.range)?;
        let keys = if range.is_map() { range.keys() } else { Vec::new() };
        self.spend(keys.len())?;
        let Some(length) = range.len() else {
            let kind = range.type_name();
            return no_value(format!(
                "`{}` is {kind}, a loop needs a list or an object",
                inner.range
            ));
        };
        let (mut kept, mut count, mut first_error) = (Vec::new(), 0_usize, None);
        for at in 0..length {
            let item = match keys.get(at) {
                Some(key) => Some(CelValue::Text(CelText::Borrowed(key))),
                None => range.item(at),
            };
            self.locals.push(item.clone().unwrap_or(CelValue::Null));
            let turn = self.comprehension_item(inner);
            self.locals.pop();
            match (inner.kind, turn) {
                (_, Err(CelError::CostExceeded)) => return Err(CelError::CostExceeded),
                (ComprehensionKind::All, Ok(Some(CelValue::Bool(false)))) => {
                    return Ok(CelValue::Bool(false));
                }
                (ComprehensionKind::Exists, Ok(Some(CelValue::Bool(true)))) => {
                    return Ok(CelValue::Bool(true));
                }
                // As with `&&` and `||`, another item may still decide it.
                (ComprehensionKind::All | ComprehensionKind::Exists, Err(stop)) => {
                    first_error.get_or_insert(stop);
                }
                (_, Err(stop)) => return Err(stop),
                (ComprehensionKind::ExistsOne, Ok(Some(CelValue::Bool(true)))) => count += 1,
                (ComprehensionKind::Filter, Ok(Some(CelValue::Bool(true)))) => kept.extend(item),
                (ComprehensionKind::Map, Ok(made)) => kept.extend(made),
                _ => {}
            }
        }
        match (inner.kind, first_error) {
            (_, Some(stop)) => Err(stop),
            (ComprehensionKind::All, None) => Ok(CelValue::Bool(true)),
            (ComprehensionKind::Exists, None) => Ok(CelValue::Bool(false)),
            (ComprehensionKind::ExistsOne, None) => Ok(CelValue::Bool(count == 1)),
            (ComprehensionKind::Filter | ComprehensionKind::Map, None) => {
                Ok(CelValue::SharedList(Rc::new(kept)))
            }
        }
    }

    /// One turn: what the body gives; nothing where the filter leaves the item out.
    fn comprehension_item(
        &mut self,
        inner: &'a Comprehension,
    ) -> Result<Option<CelValue<'a>>, CelError> {
        if let Some(filter) = &inner.filter
            && !self.bool(filter)?
        {
            return Ok(None);
        }
        let value = match inner.kind {
            ComprehensionKind::Map => self.value(&inner.body)?,
            _ => CelValue::Bool(self.bool(&inner.body)?),
        };
        Ok(Some(value))
    }

    fn call(&mut self, function: &'a CelFunction, parts: &'a [ConditionNode]) -> CelResult<'a> {
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            let value = self.value(part)?;
            match (&value, function) {
                // A pattern may look at each byte many times.
                (CelValue::Text(text), CelFunction::Matches(_)) => self.spend(text.len())?,
                (CelValue::Text(text), _) => self.spend_text(text)?,
                _ => {}
            }
            values.push(value);
        }
        match super::functions::call_function(function, &values) {
            Some(value) => Ok(value),
            None => {
                let kinds: Vec<&str> = values.iter().map(CelValue::type_name).collect();
                let name = super::functions::function_name(function);
                no_value(format!("`{name}` has no answer for {}", kinds.join(" and ")))
            }
        }
    }
}
