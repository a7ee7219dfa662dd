//! Text → CEL's syntax tree, within bounds and with errors that fit on a line.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cel::{Env, IdedExpr, ParseErrors, common::ast::operators};

use crate::error::quote;
use narratoria_conditions::{CelOperator, ComprehensionKind};

/// Longest condition, in bytes. A longer decision belongs in a script, and parsing time grows with length.
pub(super) const CONDITION_BYTES_MAX: usize = 1_000;

/// Deepest nesting of a condition. Parsing and evaluation both recurse; people stop at three or four levels.
pub(super) const CONDITION_DEPTH_MAX: usize = 48;

/// Parses a condition. Names are not resolved here.
pub(super) fn parse(text: &str) -> Result<IdedExpr, String> {
    if text.trim().is_empty() {
        return Err(
            "the condition is empty; leave `when` out for a step that always runs".to_owned()
        );
    }
    if text.len() > CONDITION_BYTES_MAX {
        let bytes = text.len();
        return Err(format!(
            "the condition has {bytes} bytes, the limit is {CONDITION_BYTES_MAX}; let a script decide"
        ));
    }
    if nests_too_deep(text) {
        return Err(too_deep());
    }
    // Without macros `has`, `all` and the like stay calls, and the checker can name them in errors. The optional syntax
    // is not part of the CEL standard.
    let parser = Env::default().with_optional_support(false).parser();
    // The parser is generated code that indexes and unwraps as it recovers from errors. No text is known to make it
    // panic, but if one does, a planner's text must not end the host.
    match catch_unwind(AssertUnwindSafe(|| parser.parse(text))) {
        Ok(Ok(expression)) => Ok(expression),
        Ok(Err(errors)) => Err(first_error_line(&errors)),
        Err(_) => Err("the condition is no CEL expression".to_owned()),
    }
}

pub(super) fn too_deep() -> String {
    format!("the condition nests deeper than {CONDITION_DEPTH_MAX} levels")
}

/// Counts everything that makes the parser recurse. Brackets within strings count too, which is harmless.
fn nests_too_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut deepest = 0;
    let mut choices = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'?' => choices += 1,
            _ => {}
        }
    }
    deepest + choices > CONDITION_DEPTH_MAX
}

/// Returns only the first error, because the later ones mostly follow from it.
fn first_error_line(errors: &ParseErrors) -> String {
    let Some(error) = errors.errors.first() else {
        return "the condition is no CEL expression".to_owned();
    };
    let (line, column) = error.pos;
    let what = quote(error.msg.lines().next().unwrap_or_default());
    match (line, column) {
        (1, 1..) => format!("the condition is no CEL expression: column {column}: {what}"),
        (2.., 1..) => {
            format!("the condition is no CEL expression: line {line}, column {column}: {what}")
        }
        _ => format!("the condition is no CEL expression: {what}"),
    }
}

/// Returns the operator for a call of the syntax tree.
pub(super) fn operator(symbol: &str) -> Option<CelOperator> {
    Some(match symbol {
        operators::EQUALS => CelOperator::Equal,
        operators::NOT_EQUALS => CelOperator::NotEqual,
        operators::LESS => CelOperator::Less,
        operators::LESS_EQUALS => CelOperator::LessOrEqual,
        operators::GREATER => CelOperator::Greater,
        operators::GREATER_EQUALS => CelOperator::GreaterOrEqual,
        operators::ADD => CelOperator::Add,
        operators::SUBSTRACT => CelOperator::Subtract,
        operators::MULTIPLY => CelOperator::Multiply,
        operators::DIVIDE => CelOperator::Divide,
        operators::MODULO => CelOperator::Modulo,
        operators::IN => CelOperator::In,
        _ => return None,
    })
}

/// Returns the loop of this name.
pub(super) fn comprehension_kind(name: &str) -> Option<ComprehensionKind> {
    Some(match name {
        "all" => ComprehensionKind::All,
        "exists" => ComprehensionKind::Exists,
        "exists_one" | "existsOne" => ComprehensionKind::ExistsOne,
        "filter" => ComprehensionKind::Filter,
        "map" => ComprehensionKind::Map,
        _ => return None,
    })
}
