//! A condition once its names are resolved.

use std::fmt;

use regex::Regex;

/// One part of a condition. Nests at most [`super::CONDITION_DEPTH_MAX`] deep.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
    /// `steps.<id>`.
    Step(String),
    State,
    Input,
    /// A loop's variable: its name, and its place among those of the loops around it, outermost first.
    Local(String, usize),
    Field(Box<Node>, String),
    Index(Box<Node>, Box<Node>),
    /// `has(of.key)`.
    Has(Box<Node>, String),
    Not(Box<Node>),
    Negate(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    /// `test ? then : other`.
    Choose(Box<[Node; 3]>),
    Binary(Operator, Box<[Node; 2]>),
    Call(Function, Vec<Node>),
    Loop(Box<Loop>),
}

/// Between two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    In,
}

/// What CEL's standard functions leave once everything that is not JSON is taken away.
#[derive(Debug, Clone)]
pub(super) enum Function {
    Size,
    Contains,
    StartsWith,
    EndsWith,
    Matches(Box<Regex>),
    Int,
    Double,
    Text,
}

/// `range.all(variable, body)` and its sisters.
#[derive(Debug, Clone)]
pub(super) struct Loop {
    pub(super) kind: LoopKind,
    pub(super) range: Node,
    /// Of `map` with three arguments: only items for which it holds.
    pub(super) filter: Option<Node>,
    pub(super) body: Node,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopKind {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
}

impl Operator {
    /// As CEL writes it.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Operator::Equal => "==",
            Operator::NotEqual => "!=",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Modulo => "%",
            Operator::In => "in",
        }
    }
}

/// A way to a value as people write it; other parts are `the value`.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Step(id) if is_identifier(id) => write!(f, "steps.{id}"),
            Node::Step(id) => write!(f, "steps[\"{id}\"]"),
            Node::State => f.write_str("state"),
            Node::Input => f.write_str("input"),
            Node::Local(name, _) => f.write_str(name),
            Node::Field(of, key) if is_identifier(key) => write!(f, "{of}.{key}"),
            Node::Field(of, key) => write!(f, "{of}[{key:?}]"),
            Node::Index(of, index) => write!(f, "{of}[{index}]"),
            Node::Null => f.write_str("null"),
            Node::Bool(value) => value.fmt(f),
            Node::Int(value) => value.fmt(f),
            Node::Double(value) => write!(f, "{value:?}"),
            Node::Text(value) => write!(f, "{value:?}"),
            _ => f.write_str("the value"),
        }
    }
}

pub(super) fn is_identifier(text: &str) -> bool {
    let first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    text.bytes().next().is_some_and(first)
        && text.bytes().all(|byte| first(byte) || byte.is_ascii_digit())
}
