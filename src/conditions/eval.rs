//! Evaluates a condition under a cost limit.

use std::{cmp::Ordering, collections::BTreeMap, rc::Rc};

use crate::{
    ConditionFacts,
    functions::{add, arithmetic, call_function, compare, equal, function_name, is_in, overflow},
    meter::{CONVERSION_COST, CelError, CostMeter},
    node::{CelFunction, CelOperator, Comprehension, ComprehensionKind, ConditionNode},
    value::{CelText, CelValue},
};

/// How many keys an error names.
const KEYS_SHOWN_MAX: usize = 12;

type CelResult<'a> = Result<CelValue<'a>, CelError>;

pub(crate) struct ConditionEvaluator<'a> {
    facts: &'a dyn ConditionFacts<'a>,
    /// Variables of the enclosing loops, outermost first.
    locals: Vec<CelValue<'a>>,
    meter: CostMeter,
}

impl<'a> ConditionEvaluator<'a> {
    pub(crate) fn new(facts: &'a dyn ConditionFacts<'a>) -> ConditionEvaluator<'a> {
        ConditionEvaluator { facts, locals: Vec::new(), meter: CostMeter::new() }
    }

    #[cfg(test)]
    pub(crate) fn spent(&self) -> u64 {
        self.meter.spent()
    }

    pub(crate) fn value(&mut self, node: &'a ConditionNode) -> CelResult<'a> {
        self.meter.spend(1)?;
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
            ConditionNode::Step(id) => or_null(self.facts.step(id)),
            ConditionNode::State => {
                self.facts.state().map_or(CelValue::Null, CelValue::BorrowedObject)
            }
            ConditionNode::Input => or_null(self.facts.input()),
            ConditionNode::Output => or_null(self.facts.output()),
            ConditionNode::Variable(name) => or_null(self.facts.variable(name)),
            // The checker counts loops; a node that was read from a document may be wrong about them.
            ConditionNode::Local(_, at) => self.locals.get(*at).cloned().unwrap_or(CelValue::Null),
            ConditionNode::Field(of, key) => {
                let value = self.value(of)?;
                self.field(&value, key, of)?
            }
            ConditionNode::Index(of, index) => self.index(of, index)?,
            ConditionNode::Has(of, key) => self.has(of, key)?,
            ConditionNode::Not(of) => CelValue::Bool(!self.bool(of)?),
            ConditionNode::Negate(of) => self.negate(of)?,
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
            ConditionNode::Binary(operator, parts) => self.binary(*operator, parts)?,
            ConditionNode::Call(function, parts) => self.call(function, parts)?,
            ConditionNode::Comprehension(inner) => self.comprehension(inner)?,
        })
    }

    /// Evaluates a node that must be true or false.
    fn bool(&mut self, node: &'a ConditionNode) -> Result<bool, CelError> {
        match self.value(node)? {
            CelValue::Bool(value) => Ok(value),
            other => self
                .meter
                .no_value(|| format!("`{node}` is {}, not true or false", other.type_name())),
        }
    }

    /// Returns true if either side equals `wanted`. As in CEL, such a side decides even if the other one has no value.
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

    /// `label` is the node that gave `value`, for messages.
    fn field(&mut self, value: &CelValue<'a>, key: &str, label: &ConditionNode) -> CelResult<'a> {
        if let Some(found) = value.field(key) {
            return Ok(found);
        }
        self.meter.no_value(|| {
            if matches!(value, CelValue::Null) {
                return format!("`{label}` is null and has no `{key}`");
            }
            if !value.is_map() {
                return format!("`{label}` is {} and has no `{key}`", value.type_name());
            }
            let keys = value.keys();
            let shown = keys.iter().take(KEYS_SHOWN_MAX).copied().collect::<Vec<_>>().join("`, `");
            match keys.is_empty() {
                true => format!("`{label}` has no `{key}`, it is empty"),
                false => format!("`{label}` has no `{key}`, only `{shown}`"),
            }
        })
    }

    fn index(&mut self, of: &'a ConditionNode, index: &'a ConditionNode) -> CelResult<'a> {
        let (value, at) = (self.value(of)?, self.value(index)?);
        match &at {
            CelValue::Text(key) => self.field(&value, key, of),
            CelValue::Int(at) if value.is_list() => {
                let item = usize::try_from(*at).ok().and_then(|at| value.item(at));
                let length = value.len().unwrap_or_default();
                match item {
                    Some(item) => Ok(item),
                    None => {
                        self.meter.no_value(|| format!("`{of}` has no item {at}, it has {length}"))
                    }
                }
            }
            _ => self.meter.no_value(|| {
                let (value, at) = (value.type_name(), at.type_name());
                format!("`{of}` is {value} and cannot be asked for {at}")
            }),
        }
    }

    fn has(&mut self, of: &'a ConditionNode, key: &str) -> CelResult<'a> {
        match self.value(of)? {
            value if value.is_map() => Ok(CelValue::Bool(value.field(key).is_some())),
            value => {
                self.meter.no_value(|| format!("`{of}` is {} and has no fields", value.type_name()))
            }
        }
    }

    fn negate(&mut self, of: &'a ConditionNode) -> CelResult<'a> {
        match self.value(of)? {
            CelValue::Int(value) => match CelValue::whole(-value) {
                Some(value) => Ok(value),
                None => self.meter.no_value(|| overflow(&format!("-({value})"))),
            },
            CelValue::Double(value) => Ok(CelValue::Double(-value)),
            other => self
                .meter
                .no_value(|| format!("`{of}` is {} and has no opposite", other.type_name())),
        }
    }

    fn binary(&mut self, operator: CelOperator, parts: &'a [ConditionNode; 2]) -> CelResult<'a> {
        let [left_node, right_node] = parts;
        let (left, right) = (self.value(left_node)?, self.value(right_node)?);
        match self.apply(operator, &left, &right)? {
            Some(value) => Ok(value),
            None => self.meter.no_value(|| {
                format!(
                    "`{}` cannot be used between {} (`{left_node}`) and {} (`{right_node}`)",
                    operator.symbol(),
                    left.type_name(),
                    right.type_name()
                )
            }),
        }
    }

    /// None if the operator does not take such values.
    fn apply(
        &mut self,
        operator: CelOperator,
        left: &CelValue<'a>,
        right: &CelValue<'a>,
    ) -> Result<Option<CelValue<'a>>, CelError> {
        let meter = &mut self.meter;
        let mut ordered = |wanted: fn(Ordering) -> bool| {
            let ordering = compare(meter, left, right)?;
            Ok(ordering.map(|ordering| CelValue::Bool(wanted(ordering))))
        };
        match operator {
            CelOperator::Equal => Ok(Some(CelValue::Bool(equal(meter, left, right)?))),
            CelOperator::NotEqual => Ok(Some(CelValue::Bool(!equal(meter, left, right)?))),
            CelOperator::Less => ordered(Ordering::is_lt),
            CelOperator::LessOrEqual => ordered(Ordering::is_le),
            CelOperator::Greater => ordered(Ordering::is_gt),
            CelOperator::GreaterOrEqual => ordered(Ordering::is_ge),
            CelOperator::In => Ok(is_in(meter, left, right)?.map(CelValue::Bool)),
            CelOperator::Add => add(meter, left, right),
            CelOperator::Subtract
            | CelOperator::Multiply
            | CelOperator::Divide
            | CelOperator::Modulo => arithmetic(meter, operator, left, right),
        }
    }

    fn comprehension(&mut self, inner: &'a Comprehension) -> CelResult<'a> {
        let range = self.value(&inner.range)?;
        let keys = if range.is_map() { range.keys() } else { Vec::new() };
        self.meter.spend(keys.len())?;
        let Some(length) = range.len() else {
            let kind = range.type_name();
            return self.meter.no_value(|| {
                format!("`{}` is {kind}, a loop needs a list or an object", inner.range)
            });
        };
        let (mut collected, mut count, mut first_error) = (Vec::new(), 0_usize, None);
        for at in 0..length {
            let item = match keys.get(at) {
                Some(key) => Some(CelValue::Text(CelText::Borrowed(key))),
                None => range.item(at),
            };
            self.locals.push(item.clone().unwrap_or(CelValue::Null));
            let result = self.comprehension_item(inner);
            self.locals.pop();
            match (inner.kind, result) {
                (_, Err(CelError::CostExceeded)) => return Err(CelError::CostExceeded),
                (ComprehensionKind::All, Ok(Some(CelValue::Bool(false)))) => {
                    return Ok(CelValue::Bool(false));
                }
                (ComprehensionKind::Exists, Ok(Some(CelValue::Bool(true)))) => {
                    return Ok(CelValue::Bool(true));
                }
                // As with `&&` and `||`, another item may still decide it.
                (ComprehensionKind::All | ComprehensionKind::Exists, Err(error)) => {
                    first_error.get_or_insert(error);
                }
                (_, Err(error)) => return Err(error),
                (ComprehensionKind::ExistsOne, Ok(Some(CelValue::Bool(true)))) => count += 1,
                (ComprehensionKind::Filter, Ok(Some(CelValue::Bool(true)))) => {
                    collected.extend(item)
                }
                (ComprehensionKind::Map, Ok(made)) => collected.extend(made),
                _ => {}
            }
        }
        match (inner.kind, first_error) {
            (_, Some(error)) => Err(error),
            (ComprehensionKind::All, None) => Ok(CelValue::Bool(true)),
            (ComprehensionKind::Exists, None) => Ok(CelValue::Bool(false)),
            (ComprehensionKind::ExistsOne, None) => Ok(CelValue::Bool(count == 1)),
            (ComprehensionKind::Filter | ComprehensionKind::Map, None) => {
                Ok(CelValue::SharedList(Rc::new(collected)))
            }
        }
    }

    /// Returns the body's value for the current item. Returns `None` if the filter skips the item.
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
        if matches!(function, CelFunction::Int | CelFunction::Double | CelFunction::Text) {
            self.meter.spend(CONVERSION_COST)?;
        }
        for part in parts {
            let value = self.value(part)?;
            match (&value, function) {
                (CelValue::Text(text), CelFunction::Matches(pattern)) => {
                    self.meter.spend(text.len().saturating_mul(pattern.cost_per_byte()))?;
                }
                (CelValue::Text(text), _) => self.meter.spend_text(text)?,
                _ => {}
            }
            values.push(value);
        }
        match call_function(function, &values) {
            Some(value) => Ok(value),
            None => {
                let name = function_name(function);
                self.meter.no_value(|| {
                    let types: Vec<&str> = values.iter().map(CelValue::type_name).collect();
                    format!("`{name}` has no answer for {}", types.join(" and "))
                })
            }
        }
    }
}

fn or_null<'a>(fact: Option<&'a serde_json::Value>) -> CelValue<'a> {
    fact.map_or(CelValue::Null, CelValue::from_json)
}
