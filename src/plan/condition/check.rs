//! CEL's syntax tree → [`ConditionNode`]: resolves names, and refuses a condition that could never have an answer.

use std::{collections::BTreeSet, sync::Arc};

use cel::{
    IdedExpr,
    common::ast::{CallExpr, EntryExpr, Expr, LiteralValue, operators},
};

use super::{
    ConditionScope,
    cel_type::{CelType, cel_words, result_types},
    names::{self, INPUT, OUTPUT, STATE, STEPS},
    pattern::ConditionPattern,
    sides::{CheckedSides, check_sides, number_or_zero},
    syntax::{CONDITION_DEPTH_MAX, comprehension_kind, operator, too_deep},
};
use crate::{StepIdx, error::quote};
use narratoria_conditions::{
    CelFunction, CelOperator, Comprehension, ComprehensionKind, ConditionNode, usage_example,
};
use narratoria_skills::{PatternFault, schema_view::TypeSet};

/// The inputs of a condition.
#[derive(Debug, Default)]
pub(super) struct ConditionReads {
    pub(super) steps: BTreeSet<StepIdx>,
    pub(super) reads_state: bool,
}

/// A part and the type of its result; `None` after an error, which [`ConditionChecker::record_error`] has recorded.
type TypedNode<'a> = Option<(ConditionNode, CelType<'a>)>;

pub(super) struct ConditionChecker<'a> {
    scope: &'a dyn ConditionScope,
    /// Variables of the enclosing loops, outermost first.
    locals: Vec<(String, CelType<'a>)>,
    depth: usize,
    reads: ConditionReads,
    errors: Vec<String>,
}

impl<'a> ConditionChecker<'a> {
    pub(super) fn new(scope: &'a dyn ConditionScope) -> ConditionChecker<'a> {
        ConditionChecker {
            scope,
            locals: Vec::new(),
            depth: 0,
            reads: ConditionReads::default(),
            errors: Vec::new(),
        }
    }

    pub(super) fn check(
        mut self,
        root: &IdedExpr,
    ) -> Result<(ConditionNode, ConditionReads), Vec<String>> {
        match self.node(root) {
            Some((node, part_type)) if self.errors.is_empty() => {
                if part_type.types.intersects(TypeSet::BOOLEAN) {
                    return Ok((node, self.reads));
                }
                let types = cel_words(part_type.types);
                Err(vec![format!("the condition gives {types}, it must be true or false")])
            }
            _ => Err(self.errors),
        }
    }

    fn record_error(&mut self, what: String) -> TypedNode<'a> {
        if !self.errors.contains(&what) {
            self.errors.push(what);
        }
        None
    }

    fn node(&mut self, expression: &IdedExpr) -> TypedNode<'a> {
        if self.depth == CONDITION_DEPTH_MAX {
            return self.record_error(too_deep());
        }
        self.depth += 1;
        let checked = match &expression.expr {
            Expr::Literal(literal) => self.literal(literal),
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) if is_steps_variable(&select.operand) => self.step(&select.field),
            Expr::Select(select) => self.field(&select.operand, &select.field),
            Expr::Call(call) => self.call(call),
            Expr::List(list) => {
                let items: Vec<TypedNode<'a>> =
                    list.elements.iter().map(|item| self.node(item)).collect();
                let items: Option<Vec<_>> = items.into_iter().collect();
                items.map(|items| {
                    let nodes = items.into_iter().map(|(node, _)| node).collect();
                    (ConditionNode::List(nodes), CelType::of_types(TypeSet::LIST))
                })
            }
            Expr::Map(map) => self.map(map.entries.iter().map(|entry| &entry.expr)),
            Expr::Struct(_) => {
                self.record_error("a condition cannot make messages of a type".to_owned())
            }
            // Macros are off, so the parser never builds these.
            Expr::Comprehension(_) | Expr::Unspecified => {
                self.record_error("the condition is no CEL expression".to_owned())
            }
        };
        self.depth -= 1;
        checked
    }

    fn literal(&mut self, literal: &LiteralValue) -> TypedNode<'a> {
        let (node, types) = match literal {
            LiteralValue::Null => (ConditionNode::Null, TypeSet::NULL),
            LiteralValue::Boolean(value) => (ConditionNode::Bool(*value.inner()), TypeSet::BOOLEAN),
            LiteralValue::Int(value) => (ConditionNode::Int(*value.inner()), TypeSet::INTEGER),
            LiteralValue::Double(value) => {
                (ConditionNode::Double(*value.inner()), TypeSet::FRACTION)
            }
            LiteralValue::String(value) => {
                (ConditionNode::Text(value.inner().to_owned()), TypeSet::STRING)
            }
            LiteralValue::UInt(value) => {
                let value = value.inner();
                return self.record_error(format!(
                    "write `{value}` without the `u`, JSON has one kind of number"
                ));
            }
            LiteralValue::Bytes(_) => {
                return self
                    .record_error("write text without the `b`, JSON has no bytes".to_owned());
            }
        };
        Some((node, CelType::of_types(types)))
    }

    fn map<'e>(&mut self, entries: impl Iterator<Item = &'e EntryExpr>) -> TypedNode<'a> {
        let mut fields: Vec<(String, ConditionNode)> = Vec::new();
        let mut is_valid = true;
        for entry in entries {
            let EntryExpr::MapEntry(entry) = entry else { continue };
            let Some(key) = string_literal(&entry.key) else {
                self.record_error("a key of an object must be written out as text".to_owned());
                is_valid = false;
                continue;
            };
            if fields.iter().any(|(other, _)| other == key) {
                self.record_error(format!("the key {key:?} stands twice in one object"));
                is_valid = false;
            }
            match self.node(&entry.value) {
                Some((node, _)) => fields.push((key.to_owned(), node)),
                None => is_valid = false,
            }
        }
        is_valid.then(|| (ConditionNode::Map(fields), CelType::of_types(TypeSet::OBJECT)))
    }

    fn variable(&mut self, name: &str) -> TypedNode<'a> {
        if let Some(at) = self.locals.iter().rposition(|(local, _)| local == name) {
            return Some((ConditionNode::Local(name.to_owned(), at), self.locals[at].1.clone()));
        }
        if self.scope.variables().is_some() {
            return match self.scope.variable(name) {
                Some(part_type) => Some((ConditionNode::Variable(name.to_owned()), part_type)),
                None => self.record_error(names::unknown_variable(name, self.scope)),
            };
        }
        match (name, self.scope.own_output_type()) {
            (OUTPUT, Some(output)) => Some((ConditionNode::Output, output)),
            (STATE | STEPS, Some(_)) => self.record_error(names::not_in_a_criterion(name)),
            (STATE, None) => {
                self.reads.reads_state = true;
                Some((ConditionNode::State, CelType::of_types(TypeSet::OBJECT)))
            }
            (INPUT, _) => Some((ConditionNode::Input, self.scope.input_type())),
            (STEPS, None) => self.record_error(
                "`steps` must be followed by a step: `steps.<toolId>` or `steps[\"<toolId>\"]`"
                    .to_owned(),
            ),
            _ => self.record_error(names::unknown_variable(name, self.scope)),
        }
    }

    fn step(&mut self, id: &str) -> TypedNode<'a> {
        if self.scope.variables().is_some() {
            return self.record_error(names::unknown_variable(STEPS, self.scope));
        }
        if self.scope.own_output_type().is_some() {
            return self.record_error(names::not_in_a_criterion(STEPS));
        }
        let Some(step) = self.scope.step(id) else {
            return self.record_error(names::unknown_step(id, self.scope));
        };
        self.reads.steps.insert(step);
        // Any step may be skipped, and then has no output.
        Some((ConditionNode::Step(id.to_owned()), self.scope.output_type(id).or_null()))
    }

    fn field(&mut self, of: &IdedExpr, key: &str) -> TypedNode<'a> {
        let (of, part_type) = self.node(of)?;
        if let Some(names) = part_type.number_names() {
            return match names.spelling(key) {
                Ok(name) => Some((number_or_zero(of, name), CelType::of_types(TypeSet::INTEGER))),
                Err(what) => self.record_error(what),
            };
        }
        match part_type.field(key, &of.to_string()) {
            Ok(field) => Some((ConditionNode::Field(Box::new(of), key.to_owned()), field)),
            Err(what) => self.record_error(what),
        }
    }

    fn call(&mut self, call: &CallExpr) -> TypedNode<'a> {
        let all: Vec<&IdedExpr> = call.target.as_deref().into_iter().chain(&call.args).collect();
        match (call.func_name.as_str(), all.as_slice()) {
            (operators::INDEX, [of, index]) => self.index(of, index),
            (operators::LOGICAL_NOT, [of]) => {
                let of = self.of_type(of, TypeSet::BOOLEAN, "`!`")?.0;
                Some((ConditionNode::Not(Box::new(of)), CelType::of_types(TypeSet::BOOLEAN)))
            }
            (operators::NEGATE, [of]) => {
                let (of, part_type) = self.of_type(of, TypeSet::NUMBER, "`-`")?;
                Some((
                    ConditionNode::Negate(Box::new(of)),
                    CelType::of_types(part_type.types & TypeSet::NUMBER),
                ))
            }
            (operators::LOGICAL_AND, [left, right]) => {
                self.logical("`&&`", left, right, ConditionNode::And)
            }
            (operators::LOGICAL_OR, [left, right]) => {
                self.logical("`||`", left, right, ConditionNode::Or)
            }
            (operators::CONDITIONAL, [test, then, other]) => self.conditional(test, then, other),
            (symbol, [left, right]) if operator(symbol).is_some() => {
                self.binary(operator(symbol)?, left, right)
            }
            ("has", [of]) if call.target.is_none() => self.has(of),
            (name, [range, variable, rest @ ..])
                if call.target.is_some() && comprehension_kind(name).is_some() =>
            {
                self.comprehension(comprehension_kind(name)?, name, range, variable, rest)
            }
            (name, all) => self.function(name, call.target.is_some(), all),
        }
    }

    fn index(&mut self, of: &IdedExpr, index: &IdedExpr) -> TypedNode<'a> {
        if is_steps_variable(of) {
            return match string_literal(index) {
                Some(id) => self.step(id),
                None => self
                    .record_error("a step must be written out: `steps[\"<toolId>\"]`".to_owned()),
            };
        }
        if let Some(key) = string_literal(index) {
            return self.field(of, key);
        }
        let (of, index) = (self.node(of), self.node(index));
        let ((of, of_type), (index, index_type)) = (of?, index?);
        let of_list = of_type.types.intersects(TypeSet::LIST)
            && index_type.types.intersects(TypeSet::INTEGER);
        let of_map = of_type.types.intersects(TypeSet::OBJECT)
            && index_type.types.intersects(TypeSet::STRING);
        if !of_list && !of_map {
            let (types, index_types) = (cel_words(of_type.types), cel_words(index_type.types));
            return self
                .record_error(format!("`{of}` is {types} and cannot be asked for {index_types}"));
        }
        let item = if of_map { CelType::UNKNOWN } else { of_type.item() };
        Some((ConditionNode::Index(Box::new(of), Box::new(index)), item))
    }

    fn has(&mut self, of: &IdedExpr) -> TypedNode<'a> {
        match &of.expr {
            Expr::Select(select) if is_steps_variable(&select.operand) => {
                let id = &select.field;
                self.record_error(format!(
                    "write `steps.{id} != null` to ask whether step `{id}` gave anything"
                ))
            }
            Expr::Select(select) => {
                let (node, _) = self.field(&select.operand, &select.field)?;
                match node {
                    ConditionNode::Field(of, key) => {
                        Some((ConditionNode::Has(of, key), CelType::of_types(TypeSet::BOOLEAN)))
                    }
                    _ => self.record_error(names::number_always_there(&select.field)),
                }
            }
            _ => {
                self.record_error("`has` asks for one field, such as `has(state.door)`".to_owned())
            }
        }
    }

    /// Checks a part that must be able to give one of `types`.
    fn of_type(&mut self, part: &IdedExpr, types: TypeSet, taker: &str) -> TypedNode<'a> {
        let (node, part_type) = self.node(part)?;
        if part_type.types.intersects(types) {
            return Some((node, part_type));
        }
        let (takes, gives) = (cel_words(types), cel_words(part_type.types));
        self.record_error(format!("{taker} takes {takes}, and `{node}` is {gives}"))
    }

    fn logical(
        &mut self,
        taker: &str,
        left: &IdedExpr,
        right: &IdedExpr,
        make: impl FnOnce(Box<ConditionNode>, Box<ConditionNode>) -> ConditionNode,
    ) -> TypedNode<'a> {
        let left = self.of_type(left, TypeSet::BOOLEAN, taker);
        let right = self.of_type(right, TypeSet::BOOLEAN, taker);
        let ((left, _), (right, _)) = (left?, right?);
        Some((make(Box::new(left), Box::new(right)), CelType::of_types(TypeSet::BOOLEAN)))
    }

    fn conditional(&mut self, test: &IdedExpr, then: &IdedExpr, other: &IdedExpr) -> TypedNode<'a> {
        let test = self.of_type(test, TypeSet::BOOLEAN, "`?`");
        let (then, other) = (self.node(then), self.node(other));
        let ((test, _), (then, then_type), (other, other_type)) = (test?, then?, other?);
        let types = then_type.types | other_type.types;
        Some((ConditionNode::Conditional(Box::new([test, then, other])), CelType::of_types(types)))
    }

    fn binary(
        &mut self,
        operator: CelOperator,
        left: &IdedExpr,
        right: &IdedExpr,
    ) -> TypedNode<'a> {
        let (left, right) = (self.node(left), self.node(right));
        let ((left, left_type), (right, right_type)) = match check_sides(operator, left?, right?) {
            Ok(CheckedSides::Sides(left, right)) => (left, right),
            Ok(CheckedSides::Compared(node)) => {
                return Some((node, CelType::of_types(TypeSet::BOOLEAN)));
            }
            Err(faults) => {
                return faults.into_iter().fold(None, |_, what| self.record_error(what));
            }
        };
        let (left_types, right_types) = (left_type.types, right_type.types);
        match result_types(operator, left_types, right_types) {
            Some(types) => Some((
                ConditionNode::Binary(operator, Box::new([left, right])),
                CelType::of_types(types),
            )),
            None => {
                let symbol = operator.symbol();
                let (left_words, right_words) = (cel_words(left_types), cel_words(right_types));
                self.record_error(format!(
                    "`{symbol}` cannot be used between `{left}`, which is {left_words}, and `{right}`, which is {right_words}"
                ))
            }
        }
    }

    fn comprehension(
        &mut self,
        kind: ComprehensionKind,
        name: &str,
        range: &IdedExpr,
        variable: &IdedExpr,
        rest: &[&IdedExpr],
    ) -> TypedNode<'a> {
        let range = self.of_type(range, TypeSet::LIST | TypeSet::OBJECT, &format!("`{name}`"));
        let (filter, body) = match rest {
            [body] => (None, body),
            [filter, body] if kind == ComprehensionKind::Map => (Some(filter), body),
            _ => {
                return self.record_error(format!(
                    "`{name}` takes a variable and an expression, such as `{name}(x, x > 0)`"
                ));
            }
        };
        let variable = match &variable.expr {
            Expr::Ident(name) if !matches!(name.as_str(), STEPS | STATE | INPUT) => name.clone(),
            _ => {
                return self.record_error(format!(
                    "the first argument of `{name}` is a variable of its own, such as `x`"
                ));
            }
        };
        let item = range.as_ref().map_or(CelType::UNKNOWN, |(_, range_type)| range_type.item());
        self.locals.push((variable, item));
        let filter =
            filter.map(|filter| self.of_type(filter, TypeSet::BOOLEAN, &format!("`{name}`")));
        let wanted = if kind == ComprehensionKind::Map { TypeSet::ANY } else { TypeSet::BOOLEAN };
        let body = self.of_type(body, wanted, &format!("`{name}`"));
        self.locals.pop();
        let filter = match filter {
            Some(filter) => Some(filter?.0),
            None => None,
        };
        let ((range, _), (body, _)) = (range?, body?);
        let gives = match kind {
            ComprehensionKind::Filter | ComprehensionKind::Map => TypeSet::LIST,
            ComprehensionKind::All | ComprehensionKind::Exists | ComprehensionKind::ExistsOne => {
                TypeSet::BOOLEAN
            }
        };
        Some((
            ConditionNode::Comprehension(Box::new(Comprehension { kind, range, filter, body })),
            CelType::of_types(gives),
        ))
    }

    fn function(&mut self, name: &str, is_method: bool, all: &[&IdedExpr]) -> TypedNode<'a> {
        if !names::FUNCTIONS.contains(&name) {
            return self.record_error(names::unknown_function(name));
        }
        let countable = TypeSet::STRING | TypeSet::LIST | TypeSet::OBJECT;
        let number = TypeSet::NUMBER | TypeSet::STRING;
        let (function, takes, gives): (_, &[TypeSet], _) = match (name, all.len(), is_method) {
            ("size", 1, _) => (CelFunction::Size, &[countable], TypeSet::INTEGER),
            ("contains", 2, true) => {
                (CelFunction::Contains, &[TypeSet::STRING; 2], TypeSet::BOOLEAN)
            }
            ("startsWith", 2, true) => {
                (CelFunction::StartsWith, &[TypeSet::STRING; 2], TypeSet::BOOLEAN)
            }
            ("endsWith", 2, true) => {
                (CelFunction::EndsWith, &[TypeSet::STRING; 2], TypeSet::BOOLEAN)
            }
            ("int", 1, false) => (CelFunction::Int, &[number], TypeSet::INTEGER),
            ("double", 1, false) => (CelFunction::Double, &[number], TypeSet::FRACTION),
            ("string", 1, false) => {
                (CelFunction::Text, &[number | TypeSet::BOOLEAN], TypeSet::STRING)
            }
            ("matches", 2, _) => {
                if self.scope.variables().is_some() {
                    return self.record_error(names::NO_PATTERNS.to_owned());
                }
                let pattern = self.pattern(all[1])?;
                (CelFunction::Matches(Arc::new(pattern)), &[TypeSet::STRING], TypeSet::BOOLEAN)
            }
            _ => {
                return self.record_error(format!("`{name}` is called as {}", usage_example(name)));
            }
        };
        let parts: Vec<TypedNode<'a>> = all
            .iter()
            .zip(takes)
            .map(|(part, types)| self.of_type(part, *types, &format!("`{name}`")))
            .collect();
        let parts: Option<Vec<_>> = parts.into_iter().collect();
        let nodes = parts?.into_iter().map(|(node, _)| node).collect();
        Some((ConditionNode::Call(function, nodes), CelType::of_types(gives)))
    }

    fn pattern(&mut self, pattern: &IdedExpr) -> Option<ConditionPattern> {
        let Some(pattern) = string_literal(pattern) else {
            self.record_error("the pattern of `matches` must be written out as text".to_owned());
            return None;
        };
        let compiled = match self.scope.take_pattern(pattern) {
            Ok(size) => ConditionPattern::build(pattern, &size),
            Err(PatternFault::Syntax { reason }) => Err(reason),
            Err(fault) => {
                self.record_error(format!("of the pattern `{}`: {fault}", quote(pattern)));
                return None;
            }
        };
        match compiled {
            Ok(pattern) => Some(pattern),
            Err(why) => {
                let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
                let why = quote(why);
                self.record_error(format!(
                    "the pattern `{}` is no regular expression: {why}",
                    quote(pattern)
                ));
                None
            }
        }
    }
}

fn is_steps_variable(expression: &IdedExpr) -> bool {
    matches!(&expression.expr, Expr::Ident(name) if name == STEPS)
}

fn string_literal(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}
