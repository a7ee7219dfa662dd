//! A condition's syntax tree after name resolution.

use std::fmt;

use regex::Regex;

/// One node. Nests at most [`super::syntax::CONDITION_DEPTH_MAX`] deep.
#[derive(Debug, Clone)]
pub(super) enum ConditionNode {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    List(Vec<ConditionNode>),
    Map(Vec<(String, ConditionNode)>),
    /// `steps.<id>`.
    Step(String),
    State,
    Input,
    Output,
    /// A loop variable: its name, and its index among the variables of the enclosing loops, outermost first.
    Local(String, usize),
    Field(Box<ConditionNode>, String),
    Index(Box<ConditionNode>, Box<ConditionNode>),
    /// `has(of.key)`.
    Has(Box<ConditionNode>, String),
    Not(Box<ConditionNode>),
    Negate(Box<ConditionNode>),
    And(Box<ConditionNode>, Box<ConditionNode>),
    Or(Box<ConditionNode>, Box<ConditionNode>),
    /// `test ? then : other`.
    Conditional(Box<[ConditionNode; 3]>),
    Binary(CelOperator, Box<[ConditionNode; 2]>),
    Call(CelFunction, Vec<ConditionNode>),
    Comprehension(Box<Comprehension>),
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CelOperator {
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

/// CEL's standard functions on JSON values.
#[derive(Debug, Clone)]
pub(super) enum CelFunction {
    Size,
    Contains,
    StartsWith,
    EndsWith,
    Matches(Box<ConditionPattern>),
    Int,
    Double,
    Text,
}

/// The pattern of a `matches`.
#[derive(Debug, Clone)]
pub(super) struct ConditionPattern {
    pub(super) regex: Regex,
    /// Cost of each byte of a text: an engine may visit every state of the pattern.
    pub(super) cost_per_byte: usize,
}

/// `range.all(variable, body)`, `exists`, `exists_one`, `filter` or `map`.
#[derive(Debug, Clone)]
pub(super) struct Comprehension {
    pub(super) kind: ComprehensionKind,
    pub(super) range: ConditionNode,
    /// The second argument of a `map` with three: the loop skips items for which it is false.
    pub(super) filter: Option<ConditionNode>,
    pub(super) body: ConditionNode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComprehensionKind {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
}

impl CelOperator {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            CelOperator::Equal => "==",
            CelOperator::NotEqual => "!=",
            CelOperator::Less => "<",
            CelOperator::LessOrEqual => "<=",
            CelOperator::Greater => ">",
            CelOperator::GreaterOrEqual => ">=",
            CelOperator::Add => "+",
            CelOperator::Subtract => "-",
            CelOperator::Multiply => "*",
            CelOperator::Divide => "/",
            CelOperator::Modulo => "%",
            CelOperator::In => "in",
        }
    }
}

/// Writes paths and literals as people write them, and every other node as `the value`.
impl fmt::Display for ConditionNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConditionNode::Step(id) if is_identifier(id) => write!(f, "steps.{id}"),
            ConditionNode::Step(id) => write!(f, "steps[\"{id}\"]"),
            ConditionNode::State => f.write_str("state"),
            ConditionNode::Input => f.write_str("input"),
            ConditionNode::Output => f.write_str("output"),
            ConditionNode::Local(name, _) => f.write_str(name),
            ConditionNode::Field(of, key) if is_identifier(key) => write!(f, "{of}.{key}"),
            ConditionNode::Field(of, key) => write!(f, "{of}[{key:?}]"),
            ConditionNode::Index(of, index) => write!(f, "{of}[{index}]"),
            ConditionNode::Null => f.write_str("null"),
            ConditionNode::Bool(value) => value.fmt(f),
            ConditionNode::Int(value) => value.fmt(f),
            ConditionNode::Double(value) => write!(f, "{value:?}"),
            ConditionNode::Text(value) => write!(f, "{value:?}"),
            _ => f.write_str("the value"),
        }
    }
}

pub(super) fn is_identifier(text: &str) -> bool {
    let first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    text.bytes().next().is_some_and(first)
        && text.bytes().all(|byte| first(byte) || byte.is_ascii_digit())
}
