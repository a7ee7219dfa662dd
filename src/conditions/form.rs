//! Nodes as they are kept in documents: a literal as itself, everything else as a list that begins with an operator, such
//! as `["&&", [">=", ["var", "hour"], 18], ["in", "rope", ["var", "carried"]]]`. [`crate::CONDITION_FORM`] is its version.
//!
//! Names of steps, the state and patterns belong to plans, which keep the text of a condition, so they have no form here.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, SeqAccess, Visitor},
    ser::{self, SerializeSeq},
};

use crate::{
    CelFunction, CelOperator, Comprehension, ComprehensionKind, ConditionNode,
    functions::function_name,
};

const VARIABLE: &str = "var";
const LOCAL: &str = "local";
const LIST: &str = "[]";
const MAP: &str = "{}";
const FIELD: &str = ".";
const INDEX: &str = "at";
const HAS: &str = "has";
const NOT: &str = "!";
const NEGATE: &str = "neg";
const AND: &str = "&&";
const OR: &str = "||";
const CONDITIONAL: &str = "?";

const FUNCTIONS: [CelFunction; 7] = [
    CelFunction::Size,
    CelFunction::Contains,
    CelFunction::StartsWith,
    CelFunction::EndsWith,
    CelFunction::Int,
    CelFunction::Double,
    CelFunction::Text,
];

const LOOPS: [(ComprehensionKind, &str); 5] = [
    (ComprehensionKind::All, "all"),
    (ComprehensionKind::Exists, "exists"),
    (ComprehensionKind::ExistsOne, "exists_one"),
    (ComprehensionKind::Filter, "filter"),
    (ComprehensionKind::Map, "map"),
];

impl Serialize for ConditionNode {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            ConditionNode::Null => to.serialize_unit(),
            ConditionNode::Bool(value) => to.serialize_bool(*value),
            ConditionNode::Int(value) => to.serialize_i64(*value),
            ConditionNode::Double(value) if value.is_finite() => to.serialize_f64(*value),
            ConditionNode::Text(text) => to.serialize_str(text),
            ConditionNode::List(items) => list(to, LIST, items),
            ConditionNode::Map(entries) => {
                let mut seq = to.serialize_seq(Some(1 + 2 * entries.len()))?;
                seq.serialize_element(MAP)?;
                for (key, node) in entries {
                    seq.serialize_element(key)?;
                    seq.serialize_element(node)?;
                }
                seq.end()
            }
            ConditionNode::Variable(name) => pair(to, VARIABLE, name),
            ConditionNode::Local(name, at) => triple(to, LOCAL, name, at),
            ConditionNode::Field(of, key) => triple(to, FIELD, of, key),
            ConditionNode::Index(of, index) => triple(to, INDEX, of, index),
            ConditionNode::Has(of, key) => triple(to, HAS, of, key),
            ConditionNode::Not(of) => pair(to, NOT, of),
            ConditionNode::Negate(of) => pair(to, NEGATE, of),
            ConditionNode::And(left, right) => triple(to, AND, left, right),
            ConditionNode::Or(left, right) => triple(to, OR, left, right),
            ConditionNode::Conditional(parts) => list(to, CONDITIONAL, parts.as_slice()),
            ConditionNode::Binary(operator, parts) => list(to, operator.symbol(), parts.as_slice()),
            ConditionNode::Call(CelFunction::Matches(_), _) => refuse("a pattern"),
            ConditionNode::Call(function, parts) => list(to, function_name(function), parts),
            ConditionNode::Comprehension(inner) => comprehension(to, inner),
            ConditionNode::Double(_) => refuse("a number beyond all others"),
            ConditionNode::Step(_)
            | ConditionNode::State
            | ConditionNode::Input
            | ConditionNode::Output => refuse("what only a plan has"),
        }
    }
}

fn refuse<T, E: ser::Error>(what: &str) -> Result<T, E> {
    Err(E::custom(format!("a condition that is kept cannot read {what}")))
}

fn pair<S: Serializer>(to: S, first: &str, second: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut seq = to.serialize_seq(Some(2))?;
    seq.serialize_element(first)?;
    seq.serialize_element(second)?;
    seq.end()
}

fn triple<S: Serializer>(
    to: S,
    first: &str,
    second: &impl Serialize,
    third: &impl Serialize,
) -> Result<S::Ok, S::Error> {
    let mut seq = to.serialize_seq(Some(3))?;
    seq.serialize_element(first)?;
    seq.serialize_element(second)?;
    seq.serialize_element(third)?;
    seq.end()
}

fn list<S: Serializer>(to: S, first: &str, rest: &[ConditionNode]) -> Result<S::Ok, S::Error> {
    let mut seq = to.serialize_seq(Some(1 + rest.len()))?;
    seq.serialize_element(first)?;
    for node in rest {
        seq.serialize_element(node)?;
    }
    seq.end()
}

fn comprehension<S: Serializer>(to: S, inner: &Comprehension) -> Result<S::Ok, S::Error> {
    let name = LOOPS.iter().find(|(kind, _)| *kind == inner.kind).map_or("all", |(_, name)| name);
    let mut seq = to.serialize_seq(Some(if inner.filter.is_some() { 4 } else { 3 }))?;
    seq.serialize_element(name)?;
    seq.serialize_element(&inner.range)?;
    seq.serialize_element(&inner.body)?;
    if let Some(filter) = &inner.filter {
        seq.serialize_element(filter)?;
    }
    seq.end()
}

impl<'de> Deserialize<'de> for ConditionNode {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<ConditionNode, D::Error> {
        from.deserialize_any(NodeVisitor)
    }
}

/// The name of an operator, borrowed from the document if its reader can lend it.
struct Operator<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Operator<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Operator<'de>, D::Error> {
        struct OperatorVisitor;
        impl<'de> Visitor<'de> for OperatorVisitor {
            type Value = Operator<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of an operator")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Operator<'de>, E> {
                Ok(Operator(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Operator<'de>, E> {
                Ok(Operator(Cow::Owned(name.to_owned())))
            }
        }
        from.deserialize_str(OperatorVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = ConditionNode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a literal or a list that begins with an operator")
    }

    fn visit_unit<E>(self) -> Result<ConditionNode, E> {
        Ok(ConditionNode::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<ConditionNode, E> {
        Ok(ConditionNode::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<ConditionNode, E> {
        Ok(ConditionNode::Int(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<ConditionNode, E> {
        let whole = i64::try_from(value).map_err(|_| E::custom("a number of more than 64 bits"))?;
        Ok(ConditionNode::Int(whole))
    }

    fn visit_f64<E>(self, value: f64) -> Result<ConditionNode, E> {
        Ok(ConditionNode::Double(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<ConditionNode, E> {
        Ok(ConditionNode::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<ConditionNode, E> {
        Ok(ConditionNode::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ConditionNode, A::Error> {
        let Operator(first) = next(&mut list)?;
        let node = operation(&first, &mut list)?;
        match list.next_element::<de::IgnoredAny>()? {
            None => Ok(node),
            Some(_) => Err(de::Error::custom(format!("`{first}` has too many parts"))),
        }
    }
}

/// The node of a list whose first item has been read.
fn operation<'de, A: SeqAccess<'de>>(first: &str, list: &mut A) -> Result<ConditionNode, A::Error> {
    Ok(match first {
        VARIABLE => ConditionNode::Variable(next(list)?),
        LOCAL => ConditionNode::Local(next(list)?, next(list)?),
        LIST => ConditionNode::List(rest(list)?),
        MAP => {
            let mut entries = Vec::new();
            while let Some(key) = list.next_element()? {
                entries.push((key, next(list)?));
            }
            ConditionNode::Map(entries)
        }
        FIELD => ConditionNode::Field(next(list)?, next(list)?),
        INDEX => ConditionNode::Index(next(list)?, next(list)?),
        HAS => ConditionNode::Has(next(list)?, next(list)?),
        NOT => ConditionNode::Not(next(list)?),
        NEGATE => ConditionNode::Negate(next(list)?),
        AND => ConditionNode::And(next(list)?, next(list)?),
        OR => ConditionNode::Or(next(list)?, next(list)?),
        CONDITIONAL => {
            ConditionNode::Conditional(Box::new([next(list)?, next(list)?, next(list)?]))
        }
        name => return named_operation(name, list),
    })
}

fn named_operation<'de, A: SeqAccess<'de>>(
    name: &str,
    list: &mut A,
) -> Result<ConditionNode, A::Error> {
    if let Some(operator) = CelOperator::ALL.into_iter().find(|one| one.symbol() == name) {
        return Ok(ConditionNode::Binary(operator, Box::new([next(list)?, next(list)?])));
    }
    if let Some((kind, _)) = LOOPS.iter().find(|(_, word)| *word == name) {
        let (range, body) = (next(list)?, next(list)?);
        let filter = list.next_element()?;
        let inner = Comprehension { kind: *kind, range, filter, body };
        return Ok(ConditionNode::Comprehension(Box::new(inner)));
    }
    match FUNCTIONS.into_iter().find(|function| function_name(function) == name) {
        Some(function) => Ok(ConditionNode::Call(function, rest(list)?)),
        None => Err(de::Error::custom(format!("`{name}` is no operator of a condition"))),
    }
}

fn next<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(list: &mut A) -> Result<T, A::Error> {
    list.next_element()?.ok_or_else(|| de::Error::custom("an operator has too few parts"))
}

fn rest<'de, A: SeqAccess<'de>>(list: &mut A) -> Result<Vec<ConditionNode>, A::Error> {
    let mut nodes = Vec::new();
    while let Some(node) = list.next_element()? {
        nodes.push(node);
    }
    Ok(nodes)
}
