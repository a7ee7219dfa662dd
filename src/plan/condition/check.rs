//! CEL's syntax tree → [`Node`]: gives names their meaning, and refuses what could never be answered.

use std::collections::BTreeSet;

use cel::{
    IdedExpr,
    common::ast::{CallExpr, EntryExpr, Expr, LiteralValue, operators},
};
use regex::RegexBuilder;

use super::{
    CONDITION_DEPTH_MAX, ConditionScope, StepIdx,
    kinds::{Kinds, Shape},
    names::{self, INPUT, STATE, STEPS},
    node::{Function, Loop, LoopKind, Node, Operator},
    text::too_deep,
};

/// Ceiling for one compiled pattern, in bytes. Patterns come from planners, and matching may take
/// time that grows with it.
const PATTERN_BYTES_MAX: usize = 1 << 16;

/// What a condition looks at.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) steps: BTreeSet<StepIdx>,
    pub(super) reads_state: bool,
}

/// A part, and what is known of what it gives. Nothing where there was an error, which was pushed.
type Checked = Option<(Node, Shape)>;

pub(super) struct Checker<'a> {
    scope: &'a dyn ConditionScope,
    /// Variables of the loops around, outermost first.
    locals: Vec<(String, Shape)>,
    depth: usize,
    found: Found,
    errors: Vec<String>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(scope: &'a dyn ConditionScope) -> Checker<'a> {
        Checker { scope, locals: Vec::new(), depth: 0, found: Found::default(), errors: Vec::new() }
    }

    pub(super) fn check(mut self, root: &IdedExpr) -> Result<(Node, Found), Vec<String>> {
        match self.node(root) {
            Some((node, shape)) if self.errors.is_empty() => {
                if shape.kinds.meets(Kinds::BOOL) {
                    return Ok((node, self.found));
                }
                let kinds = shape.kinds;
                Err(vec![format!("the condition gives {kinds}, it must be true or false")])
            }
            _ => Err(self.errors),
        }
    }

    fn fail(&mut self, what: String) -> Checked {
        if !self.errors.contains(&what) {
            self.errors.push(what);
        }
        None
    }

    fn node(&mut self, expression: &IdedExpr) -> Checked {
        if self.depth == CONDITION_DEPTH_MAX {
            return self.fail(too_deep());
        }
        self.depth += 1;
        let checked = match &expression.expr {
            Expr::Literal(literal) => self.literal(literal),
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) if is_steps(&select.operand) => self.step(&select.field),
            Expr::Select(select) => self.field(&select.operand, &select.field),
            Expr::Call(call) => self.call(call),
            Expr::List(list) => {
                let items: Vec<Checked> =
                    list.elements.iter().map(|item| self.node(item)).collect();
                let items: Option<Vec<_>> = items.into_iter().collect();
                items.map(|items| {
                    let nodes = items.into_iter().map(|(node, _)| node).collect();
                    (Node::List(nodes), Shape::of(Kinds::LIST))
                })
            }
            Expr::Map(map) => self.map(map.entries.iter().map(|entry| &entry.expr)),
            Expr::Struct(_) => self.fail("a condition cannot make messages of a type".to_owned()),
            // Macros are off, so the parser makes none of these.
            Expr::Comprehension(_) | Expr::Unspecified => {
                self.fail("the condition is no CEL expression".to_owned())
            }
        };
        self.depth -= 1;
        checked
    }

    fn literal(&mut self, literal: &LiteralValue) -> Checked {
        let (node, kinds) = match literal {
            LiteralValue::Null => (Node::Null, Kinds::NULL),
            LiteralValue::Boolean(value) => (Node::Bool(*value.inner()), Kinds::BOOL),
            LiteralValue::Int(value) => (Node::Int(*value.inner()), Kinds::INT),
            LiteralValue::Double(value) => (Node::Double(*value.inner()), Kinds::DOUBLE),
            LiteralValue::String(value) => (Node::Text(value.inner().to_owned()), Kinds::TEXT),
            LiteralValue::UInt(value) => {
                let value = value.inner();
                return self
                    .fail(format!("write `{value}` without the `u`, JSON has one kind of number"));
            }
            LiteralValue::Bytes(_) => {
                return self.fail("write text without the `b`, JSON has no bytes".to_owned());
            }
        };
        Some((node, Shape::of(kinds)))
    }

    fn map<'e>(&mut self, entries: impl Iterator<Item = &'e EntryExpr>) -> Checked {
        let mut fields: Vec<(String, Node)> = Vec::new();
        let mut is_right = true;
        for entry in entries {
            let EntryExpr::MapEntry(entry) = entry else { continue };
            let Some(key) = as_text(&entry.key) else {
                self.fail("a key of an object must be written out as text".to_owned());
                is_right = false;
                continue;
            };
            if fields.iter().any(|(other, _)| other == key) {
                self.fail(format!("the key {key:?} stands twice in one object"));
                is_right = false;
            }
            match self.node(&entry.value) {
                Some((node, _)) => fields.push((key.to_owned(), node)),
                None => is_right = false,
            }
        }
        is_right.then(|| (Node::Map(fields), Shape::of(Kinds::MAP)))
    }

    fn variable(&mut self, name: &str) -> Checked {
        if let Some(at) = self.locals.iter().rposition(|(local, _)| local == name) {
            return Some((Node::Local(name.to_owned(), at), self.locals[at].1.clone()));
        }
        match name {
            STATE => {
                self.found.reads_state = true;
                Some((Node::State, Shape::of(Kinds::MAP)))
            }
            INPUT => {
                let schema = self.scope.input_schema();
                let shape = schema.as_ref().map_or(Shape::UNKNOWN, Shape::from_schema);
                Some((Node::Input, shape))
            }
            STEPS => self.fail(
                "`steps` must be followed by a step: `steps.<toolId>` or `steps[\"<toolId>\"]`"
                    .to_owned(),
            ),
            _ => self.fail(names::unknown_variable(name)),
        }
    }

    fn step(&mut self, id: &str) -> Checked {
        let Some(step) = self.scope.step(id) else {
            return self.fail(names::unknown_step(id, self.scope));
        };
        self.found.steps.insert(step);
        let schema = self.scope.output_schema(id);
        let shape = schema.as_ref().map_or(Shape::UNKNOWN, Shape::from_schema);
        // Any step may be skipped, and then there is no output.
        Some((Node::Step(id.to_owned()), shape.or_null()))
    }

    fn field(&mut self, of: &IdedExpr, key: &str) -> Checked {
        let (of, shape) = self.node(of)?;
        match shape.field(key, &of.to_string()) {
            Ok(shape) => Some((Node::Field(Box::new(of), key.to_owned()), shape)),
            Err(what) => self.fail(what),
        }
    }

    fn call(&mut self, call: &CallExpr) -> Checked {
        let all: Vec<&IdedExpr> = call.target.as_deref().into_iter().chain(&call.args).collect();
        match (call.func_name.as_str(), all.as_slice()) {
            (operators::INDEX, [of, index]) => self.index(of, index),
            (operators::LOGICAL_NOT, [of]) => {
                let of = self.of_kind(of, Kinds::BOOL, "`!`")?.0;
                Some((Node::Not(Box::new(of)), Shape::of(Kinds::BOOL)))
            }
            (operators::NEGATE, [of]) => {
                let (of, shape) = self.of_kind(of, Kinds::NUMBER, "`-`")?;
                Some((Node::Negate(Box::new(of)), Shape::of(shape.kinds & Kinds::NUMBER)))
            }
            (operators::LOGICAL_AND, [left, right]) => self.both("`&&`", left, right, Node::And),
            (operators::LOGICAL_OR, [left, right]) => self.both("`||`", left, right, Node::Or),
            (operators::CONDITIONAL, [test, then, other]) => self.choose(test, then, other),
            (symbol, [left, right]) if operator(symbol).is_some() => {
                self.binary(operator(symbol)?, left, right)
            }
            ("has", [of]) if call.target.is_none() => self.has(of),
            (name, [range, variable, rest @ ..])
                if call.target.is_some() && loop_kind(name).is_some() =>
            {
                self.a_loop(loop_kind(name)?, name, range, variable, rest)
            }
            (name, all) => self.function(name, call.target.is_some(), all),
        }
    }

    fn index(&mut self, of: &IdedExpr, index: &IdedExpr) -> Checked {
        if is_steps(of) {
            return match as_text(index) {
                Some(id) => self.step(id),
                None => self.fail("a step must be written out: `steps[\"<toolId>\"]`".to_owned()),
            };
        }
        if let Some(key) = as_text(index) {
            return self.field(of, key);
        }
        let (of, index) = (self.node(of), self.node(index));
        let ((of, of_shape), (index, index_shape)) = (of?, index?);
        let of_list = of_shape.kinds.meets(Kinds::LIST) && index_shape.kinds.meets(Kinds::INT);
        let of_map = of_shape.kinds.meets(Kinds::MAP) && index_shape.kinds.meets(Kinds::TEXT);
        if !of_list && !of_map {
            let (kinds, index_kinds) = (of_shape.kinds, index_shape.kinds);
            return self.fail(format!("`{of}` is {kinds} and cannot be asked for {index_kinds}"));
        }
        let shape = if of_map { Shape::UNKNOWN } else { of_shape.item() };
        Some((Node::Index(Box::new(of), Box::new(index)), shape))
    }

    fn has(&mut self, of: &IdedExpr) -> Checked {
        match &of.expr {
            Expr::Select(select) if is_steps(&select.operand) => {
                let id = &select.field;
                self.fail(format!(
                    "write `steps.{id} != null` to ask whether step `{id}` gave anything"
                ))
            }
            Expr::Select(select) => {
                let (node, _) = self.field(&select.operand, &select.field)?;
                let Node::Field(of, key) = node else { return None };
                Some((Node::Has(of, key), Shape::of(Kinds::BOOL)))
            }
            _ => self.fail("`has` asks for one field, such as `has(state.door)`".to_owned()),
        }
    }

    /// A part that must be able to give one of `kinds`.
    fn of_kind(&mut self, part: &IdedExpr, kinds: Kinds, taker: &str) -> Checked {
        let (node, shape) = self.node(part)?;
        if shape.kinds.meets(kinds) {
            return Some((node, shape));
        }
        self.fail(format!("{taker} takes {kinds}, and `{node}` is {}", shape.kinds))
    }

    fn both(
        &mut self,
        taker: &str,
        left: &IdedExpr,
        right: &IdedExpr,
        make: impl FnOnce(Box<Node>, Box<Node>) -> Node,
    ) -> Checked {
        let left = self.of_kind(left, Kinds::BOOL, taker);
        let right = self.of_kind(right, Kinds::BOOL, taker);
        let ((left, _), (right, _)) = (left?, right?);
        Some((make(Box::new(left), Box::new(right)), Shape::of(Kinds::BOOL)))
    }

    fn choose(&mut self, test: &IdedExpr, then: &IdedExpr, other: &IdedExpr) -> Checked {
        let test = self.of_kind(test, Kinds::BOOL, "`?`");
        let (then, other) = (self.node(then), self.node(other));
        let ((test, _), (then, shape), (other, other_shape)) = (test?, then?, other?);
        let kinds = shape.kinds | other_shape.kinds;
        Some((Node::Choose(Box::new([test, then, other])), Shape::of(kinds)))
    }

    fn binary(&mut self, operator: Operator, left: &IdedExpr, right: &IdedExpr) -> Checked {
        let (left, right) = (self.node(left), self.node(right));
        let ((left, left_shape), (right, right_shape)) = (left?, right?);
        let (l, r) = (left_shape.kinds, right_shape.kinds);
        match operator.gives(l, r) {
            Some(kinds) => {
                Some((Node::Binary(operator, Box::new([left, right])), Shape::of(kinds)))
            }
            None => {
                let symbol = operator.symbol();
                self.fail(format!("`{symbol}` cannot be used between `{left}`, which is {l}, and `{right}`, which is {r}"))
            }
        }
    }

    fn a_loop(
        &mut self,
        kind: LoopKind,
        name: &str,
        range: &IdedExpr,
        variable: &IdedExpr,
        rest: &[&IdedExpr],
    ) -> Checked {
        let range = self.of_kind(range, Kinds::LIST | Kinds::MAP, &format!("`{name}`"));
        let (filter, body) = match rest {
            [body] => (None, body),
            [filter, body] if kind == LoopKind::Map => (Some(filter), body),
            _ => {
                return self.fail(format!(
                    "`{name}` takes a variable and an expression, such as `{name}(x, x > 0)`"
                ));
            }
        };
        let variable = match &variable.expr {
            Expr::Ident(name) if !matches!(name.as_str(), STEPS | STATE | INPUT) => name.clone(),
            _ => {
                return self.fail(format!(
                    "the first argument of `{name}` is a variable of its own, such as `x`"
                ));
            }
        };
        let item = range.as_ref().map_or(Shape::UNKNOWN, |(_, shape)| shape.item());
        self.locals.push((variable, item));
        let filter = filter.map(|filter| self.of_kind(filter, Kinds::BOOL, &format!("`{name}`")));
        let wanted = if kind == LoopKind::Map { Kinds::ANY } else { Kinds::BOOL };
        let body = self.of_kind(body, wanted, &format!("`{name}`"));
        self.locals.pop();
        let filter = match filter {
            Some(filter) => Some(filter?.0),
            None => None,
        };
        let ((range, _), (body, _)) = (range?, body?);
        let gives = match kind {
            LoopKind::Filter | LoopKind::Map => Kinds::LIST,
            LoopKind::All | LoopKind::Exists | LoopKind::ExistsOne => Kinds::BOOL,
        };
        Some((Node::Loop(Box::new(Loop { kind, range, filter, body })), Shape::of(gives)))
    }

    fn function(&mut self, name: &str, is_method: bool, all: &[&IdedExpr]) -> Checked {
        if !names::FUNCTIONS.contains(&name) {
            return self.fail(names::unknown_function(name));
        }
        let countable = Kinds::TEXT | Kinds::LIST | Kinds::MAP;
        let number = Kinds::NUMBER | Kinds::TEXT;
        let (function, takes, gives): (_, &[Kinds], _) = match (name, all.len(), is_method) {
            ("size", 1, _) => (Function::Size, &[countable], Kinds::INT),
            ("contains", 2, true) => (Function::Contains, &[Kinds::TEXT; 2], Kinds::BOOL),
            ("startsWith", 2, true) => (Function::StartsWith, &[Kinds::TEXT; 2], Kinds::BOOL),
            ("endsWith", 2, true) => (Function::EndsWith, &[Kinds::TEXT; 2], Kinds::BOOL),
            ("int", 1, false) => (Function::Int, &[number], Kinds::INT),
            ("double", 1, false) => (Function::Double, &[number], Kinds::DOUBLE),
            ("string", 1, false) => (Function::Text, &[number | Kinds::BOOL], Kinds::TEXT),
            ("matches", 2, _) => {
                let pattern = self.pattern(all[1])?;
                (Function::Matches(Box::new(pattern)), &[Kinds::TEXT], Kinds::BOOL)
            }
            _ => return self.fail(format!("`{name}` is called as {}", example(name))),
        };
        let parts: Vec<Checked> = all
            .iter()
            .zip(takes)
            .map(|(part, kinds)| self.of_kind(part, *kinds, &format!("`{name}`")))
            .collect();
        let parts: Option<Vec<_>> = parts.into_iter().collect();
        let nodes = parts?.into_iter().map(|(node, _)| node).collect();
        Some((Node::Call(function, nodes), Shape::of(gives)))
    }

    fn pattern(&mut self, pattern: &IdedExpr) -> Option<regex::Regex> {
        let Some(pattern) = as_text(pattern) else {
            self.fail("the pattern of `matches` must be written out as text".to_owned());
            return None;
        };
        match RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build() {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                let error = error.to_string();
                let why = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
                let why = super::quote(why);
                self.fail(format!(
                    "the pattern `{}` is no regular expression: {why}",
                    super::quote(pattern)
                ));
                None
            }
        }
    }
}

fn is_steps(expression: &IdedExpr) -> bool {
    matches!(&expression.expr, Expr::Ident(name) if name == STEPS)
}

fn as_text(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}

fn operator(symbol: &str) -> Option<Operator> {
    Some(match symbol {
        operators::EQUALS => Operator::Equal,
        operators::NOT_EQUALS => Operator::NotEqual,
        operators::LESS => Operator::Less,
        operators::LESS_EQUALS => Operator::LessOrEqual,
        operators::GREATER => Operator::Greater,
        operators::GREATER_EQUALS => Operator::GreaterOrEqual,
        operators::ADD => Operator::Add,
        operators::SUBSTRACT => Operator::Subtract,
        operators::MULTIPLY => Operator::Multiply,
        operators::DIVIDE => Operator::Divide,
        operators::MODULO => Operator::Modulo,
        operators::IN => Operator::In,
        _ => return None,
    })
}

fn loop_kind(name: &str) -> Option<LoopKind> {
    Some(match name {
        "all" => LoopKind::All,
        "exists" => LoopKind::Exists,
        "exists_one" | "existsOne" => LoopKind::ExistsOne,
        "filter" => LoopKind::Filter,
        "map" => LoopKind::Map,
        _ => return None,
    })
}

fn example(name: &str) -> String {
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
