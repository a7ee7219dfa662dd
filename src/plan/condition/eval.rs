//! Answers a condition, on a meter.

use std::{cmp::Ordering, collections::BTreeMap, rc::Rc};

use super::{
    CONDITION_COST_MAX, Facts,
    node::{Function, Loop, LoopKind, Node, Operator},
    value::{Text, Val},
};

/// How much text costs as much as one value.
const TEXT_BYTES_PER_COST: usize = 16;

/// How many keys an error names.
const KEYS_SHOWN_MAX: usize = 12;

/// Why there is no value.
#[derive(Debug)]
pub(super) enum Stop {
    /// A sentence.
    NoAnswer(String),
    /// The meter has run out; nothing may catch this.
    TooCostly,
}

type Answer<'a> = Result<Val<'a>, Stop>;

pub(super) struct Evaluator<'a> {
    facts: &'a Facts<'a>,
    /// Of the loops around, outermost first.
    locals: Vec<Val<'a>>,
    cost_left: u64,
}

pub(super) fn no_answer<T>(what: String) -> Result<T, Stop> {
    Err(Stop::NoAnswer(what))
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(facts: &'a Facts<'a>) -> Evaluator<'a> {
        Evaluator { facts, locals: Vec::new(), cost_left: CONDITION_COST_MAX }
    }

    pub(super) fn spend(&mut self, cost: usize) -> Result<(), Stop> {
        let left = self.cost_left.checked_sub(cost as u64).ok_or(Stop::TooCostly)?;
        self.cost_left = left;
        Ok(())
    }

    pub(super) fn spend_text(&mut self, text: &str) -> Result<(), Stop> {
        self.spend(text.len() / TEXT_BYTES_PER_COST)
    }

    pub(super) fn value(&mut self, node: &'a Node) -> Answer<'a> {
        self.spend(1)?;
        Ok(match node {
            Node::Null => Val::Null,
            Node::Bool(value) => Val::Bool(*value),
            Node::Int(value) => Val::Int(i128::from(*value)),
            Node::Double(value) => Val::Double(*value),
            Node::Text(text) => Val::Text(Text::Lent(text)),
            Node::List(nodes) => {
                let items = nodes.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?;
                Val::Made(Rc::new(items))
            }
            Node::Map(nodes) => {
                let mut fields = BTreeMap::new();
                for (key, node) in nodes {
                    fields.insert(key.as_str(), self.value(node)?);
                }
                Val::MadeFields(Rc::new(fields))
            }
            Node::Step(id) => {
                let facts = self.facts;
                facts.steps.get(id.as_str()).map_or(Val::Null, |output| Val::of(output))
            }
            Node::State => Val::Fields(self.facts.state),
            Node::Input => Val::of(self.facts.input),
            Node::Local(_, at) => self.locals[*at].clone(),
            Node::Field(of, key) => {
                let value = self.value(of)?;
                self.field(&value, key, of)?
            }
            Node::Index(of, index) => self.index(of, index)?,
            Node::Has(of, key) => match self.value(of)? {
                value if value.is_map() => Val::Bool(value.field(key).is_some()),
                value => return no_answer(format!("`{of}` is {} and has no fields", value.kind())),
            },
            Node::Not(of) => Val::Bool(!self.bool(of)?),
            Node::Negate(of) => match self.value(of)? {
                Val::Int(value) => self.whole(-value)?,
                Val::Double(value) => Val::Double(-value),
                other => {
                    return no_answer(format!("`{of}` is {} and has no opposite", other.kind()));
                }
            },
            Node::And(left, right) => Val::Bool(!self.either(false, left, right)?),
            Node::Or(left, right) => Val::Bool(self.either(true, left, right)?),
            Node::Choose(parts) => {
                let [test, then, other] = parts.as_ref();
                if self.bool(test)? { self.value(then)? } else { self.value(other)? }
            }
            Node::Binary(operator, parts) => {
                let [left, right] = parts.as_ref();
                let (left_value, right_value) = (self.value(left)?, self.value(right)?);
                match self.binary(*operator, &left_value, &right_value)? {
                    Some(value) => value,
                    None => {
                        return no_answer(format!(
                            "`{}` cannot be used between {} (`{left}`) and {} (`{right}`)",
                            operator.symbol(),
                            left_value.kind(),
                            right_value.kind()
                        ));
                    }
                }
            }
            Node::Call(function, parts) => self.call(function, parts)?,
            Node::Loop(inner) => self.run(inner)?,
        })
    }

    /// `node`, which must come to true or false.
    fn bool(&mut self, node: &'a Node) -> Result<bool, Stop> {
        match self.value(node)? {
            Val::Bool(value) => Ok(value),
            other => no_answer(format!("`{node}` is {}, not true or false", other.kind())),
        }
    }

    /// Whether one of both is `wanted`. As CEL has it, one that is makes up for another without an answer.
    fn either(&mut self, wanted: bool, left: &'a Node, right: &'a Node) -> Result<bool, Stop> {
        let left = self.bool(left);
        if matches!(left, Ok(found) if found == wanted) || matches!(left, Err(Stop::TooCostly)) {
            return left.map(|_| true);
        }
        match self.bool(right) {
            Ok(right) if right == wanted => Ok(true),
            Err(Stop::TooCostly) => Err(Stop::TooCostly),
            right => left.and(right).map(|_| false),
        }
    }

    /// `label` is where `value` came from.
    fn field(&mut self, value: &Val<'a>, key: &str, label: &Node) -> Answer<'a> {
        if let Some(found) = value.field(key) {
            return Ok(found);
        }
        if matches!(value, Val::Null) {
            return no_answer(format!("`{label}` is null and has no `{key}`"));
        }
        if !value.is_map() {
            return no_answer(format!("`{label}` is {} and has no `{key}`", value.kind()));
        }
        let keys = value.keys();
        let shown = keys.iter().take(KEYS_SHOWN_MAX).copied().collect::<Vec<_>>().join("`, `");
        let only =
            if keys.is_empty() { "it is empty".to_owned() } else { format!("only `{shown}`") };
        no_answer(format!("`{label}` has no `{key}`, {only}"))
    }

    fn index(&mut self, of: &'a Node, index: &'a Node) -> Answer<'a> {
        let (value, at) = (self.value(of)?, self.value(index)?);
        match &at {
            Val::Text(key) => self.field(&value, key, of),
            Val::Int(at) if value.is_list() => {
                let item = usize::try_from(*at).ok().and_then(|at| value.item(at));
                let length = value.len().unwrap_or_default();
                item.map_or_else(
                    || no_answer(format!("`{of}` has no item {at}, it has {length}")),
                    Ok,
                )
            }
            _ => no_answer(format!(
                "`{of}` is {} and cannot be asked for {}",
                value.kind(),
                at.kind()
            )),
        }
    }

    pub(super) fn whole(&mut self, value: i128) -> Answer<'a> {
        Val::whole(value).map_or_else(|| no_answer("a whole number grew too large".to_owned()), Ok)
    }

    /// None if the operator does not know such values.
    fn binary(
        &mut self,
        operator: Operator,
        left: &Val<'a>,
        right: &Val<'a>,
    ) -> Result<Option<Val<'a>>, Stop> {
        let ordered = |wanted: fn(Ordering) -> bool, found: Option<Ordering>| {
            found.map(|ordering| Val::Bool(wanted(ordering)))
        };
        Ok(match operator {
            Operator::Equal => Some(Val::Bool(self.equal(left, right)?)),
            Operator::NotEqual => Some(Val::Bool(!self.equal(left, right)?)),
            Operator::Less => ordered(Ordering::is_lt, self.compare(left, right)?),
            Operator::LessOrEqual => ordered(Ordering::is_le, self.compare(left, right)?),
            Operator::Greater => ordered(Ordering::is_gt, self.compare(left, right)?),
            Operator::GreaterOrEqual => ordered(Ordering::is_ge, self.compare(left, right)?),
            Operator::In => self.is_in(left, right)?.map(Val::Bool),
            Operator::Add => self.add(left, right)?,
            Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Modulo => {
                self.arithmetic(operator, left, right)?
            }
        })
    }

    fn run(&mut self, inner: &'a Loop) -> Answer<'a> {
        let range = self.value(&inner.range)?;
        let keys = if range.is_map() { range.keys() } else { Vec::new() };
        self.spend(keys.len())?;
        let Some(length) = range.len() else {
            let kind = range.kind();
            return no_answer(format!(
                "`{}` is {kind}, a loop needs a list or an object",
                inner.range
            ));
        };
        let (mut kept, mut count, mut first_error) = (Vec::new(), 0_usize, None);
        for at in 0..length {
            let item = match keys.get(at) {
                Some(key) => Some(Val::Text(Text::Lent(key))),
                None => range.item(at),
            };
            self.locals.push(item.clone().unwrap_or(Val::Null));
            let turn = self.turn(inner);
            self.locals.pop();
            match (inner.kind, turn) {
                (_, Err(Stop::TooCostly)) => return Err(Stop::TooCostly),
                (LoopKind::All, Ok(Some(Val::Bool(false)))) => return Ok(Val::Bool(false)),
                (LoopKind::Exists, Ok(Some(Val::Bool(true)))) => return Ok(Val::Bool(true)),
                // As with `&&` and `||`, another item may still decide it.
                (LoopKind::All | LoopKind::Exists, Err(stop)) => {
                    first_error.get_or_insert(stop);
                }
                (_, Err(stop)) => return Err(stop),
                (LoopKind::ExistsOne, Ok(Some(Val::Bool(true)))) => count += 1,
                (LoopKind::Filter, Ok(Some(Val::Bool(true)))) => kept.extend(item),
                (LoopKind::Map, Ok(made)) => kept.extend(made),
                _ => {}
            }
        }
        match (inner.kind, first_error) {
            (_, Some(stop)) => Err(stop),
            (LoopKind::All, None) => Ok(Val::Bool(true)),
            (LoopKind::Exists, None) => Ok(Val::Bool(false)),
            (LoopKind::ExistsOne, None) => Ok(Val::Bool(count == 1)),
            (LoopKind::Filter | LoopKind::Map, None) => Ok(Val::Made(Rc::new(kept))),
        }
    }

    /// One turn: what the body gives; nothing where the filter leaves the item out.
    fn turn(&mut self, inner: &'a Loop) -> Result<Option<Val<'a>>, Stop> {
        if let Some(filter) = &inner.filter
            && !self.bool(filter)?
        {
            return Ok(None);
        }
        let value = match inner.kind {
            LoopKind::Map => self.value(&inner.body)?,
            _ => Val::Bool(self.bool(&inner.body)?),
        };
        Ok(Some(value))
    }

    fn call(&mut self, function: &'a Function, parts: &'a [Node]) -> Answer<'a> {
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            let value = self.value(part)?;
            match (&value, function) {
                // A pattern may look at each byte many times.
                (Val::Text(text), Function::Matches(_)) => self.spend(text.len())?,
                (Val::Text(text), _) => self.spend_text(text)?,
                _ => {}
            }
            values.push(value);
        }
        match super::functions::apply(function, &values) {
            Some(value) => Ok(value),
            None => {
                let kinds: Vec<&str> = values.iter().map(Val::kind).collect();
                let name = super::functions::name(function);
                no_answer(format!("`{name}` has no answer for {}", kinds.join(" and ")))
            }
        }
    }
}
