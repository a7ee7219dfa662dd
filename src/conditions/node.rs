//! A condition's syntax tree after name resolution.

use std::{fmt, sync::Arc};

/// One node of a checked condition.
#[derive(Debug, Clone)]
pub enum ConditionNode {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Double(f64),
    /// A text.
    Text(String),
    /// `[a, b]`.
    List(Vec<ConditionNode>),
    /// `{'key': a}`.
    Map(Vec<(String, ConditionNode)>),
    /// `steps.<id>`.
    Step(String),
    /// The state of the story.
    State,
    /// The input of the step.
    Input,
    /// The output of the step.
    Output,
    /// A variable of its own name.
    Variable(String),
    /// A loop variable: its name, and its index among the variables of the enclosing loops, outermost first.
    Local(String, usize),
    /// `of.key`.
    Field(Box<ConditionNode>, String),
    /// `of[index]`.
    Index(Box<ConditionNode>, Box<ConditionNode>),
    /// `has(of.key)`.
    Has(Box<ConditionNode>, String),
    /// `!of`.
    Not(Box<ConditionNode>),
    /// `-of`.
    Negate(Box<ConditionNode>),
    /// `left && right`.
    And(Box<ConditionNode>, Box<ConditionNode>),
    /// `left || right`.
    Or(Box<ConditionNode>, Box<ConditionNode>),
    /// `test ? then : other`.
    Conditional(Box<[ConditionNode; 3]>),
    /// Any other operator with two sides.
    Binary(CelOperator, Box<[ConditionNode; 2]>),
    /// A function. The first argument of a method is the value before the dot.
    Call(CelFunction, Vec<ConditionNode>),
    /// A loop.
    Comprehension(Box<Comprehension>),
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CelOperator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `in`
    In,
}

/// CEL's standard functions on JSON values.
#[derive(Debug, Clone)]
pub enum CelFunction {
    /// `size(of)`
    Size,
    /// `text.contains(part)`
    Contains,
    /// `text.startsWith(part)`
    StartsWith,
    /// `text.endsWith(part)`
    EndsWith,
    /// `text.matches(pattern)`
    Matches(Arc<dyn TextPattern>),
    /// `int(of)`
    Int,
    /// `double(of)`
    Double,
    /// `string(of)`
    Text,
}

/// The compiled pattern of a `matches`. The crate that checks conditions has an engine for them.
pub trait TextPattern: fmt::Debug + Send + Sync {
    /// Returns true if the pattern occurs in the text.
    fn is_match(&self, text: &str) -> bool;

    /// Cost of each byte of a text: an engine may visit every state of the pattern.
    fn cost_per_byte(&self) -> usize;
}

/// `range.all(variable, body)`, `exists`, `exists_one`, `filter` or `map`.
#[derive(Debug, Clone)]
pub struct Comprehension {
    /// The macro: it decides what the loop returns.
    pub kind: ComprehensionKind,
    /// The list, or the object with the keys.
    pub range: ConditionNode,
    /// The second argument of a `map` with three: the loop skips items for which it is false.
    pub filter: Option<ConditionNode>,
    /// The expression for each item.
    pub body: ConditionNode,
}

/// The result of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComprehensionKind {
    /// True if the body is true of every item.
    All,
    /// True if the body is true of at least one item.
    Exists,
    /// True if the body is true of exactly one item.
    ExistsOne,
    /// The items of which the body is true.
    Filter,
    /// The body's value for each item.
    Map,
}

impl CelOperator {
    /// All of them.
    pub const ALL: [CelOperator; 12] = [
        CelOperator::Equal,
        CelOperator::NotEqual,
        CelOperator::Less,
        CelOperator::LessOrEqual,
        CelOperator::Greater,
        CelOperator::GreaterOrEqual,
        CelOperator::Add,
        CelOperator::Subtract,
        CelOperator::Multiply,
        CelOperator::Divide,
        CelOperator::Modulo,
        CelOperator::In,
    ];

    /// As it is written.
    pub fn symbol(self) -> &'static str {
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

impl ConditionNode {
    /// How many conditions are joined by `&&`: a condition with more of them is the more specific one.
    pub fn conjuncts(&self) -> usize {
        match self {
            ConditionNode::And(left, right) => left.conjuncts() + right.conjuncts(),
            _ => 1,
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
            ConditionNode::Local(name, _) | ConditionNode::Variable(name) => f.write_str(name),
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

/// Returns true if CEL reads the text as one name.
pub fn is_identifier(text: &str) -> bool {
    let first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    text.bytes().next().is_some_and(first)
        && text.bytes().all(|byte| first(byte) || byte.is_ascii_digit())
}
