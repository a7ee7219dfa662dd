//! The names that a condition may use, and the messages for all others.

use super::scope::ConditionScope;
use crate::error::quote;
use narratoria_conditions::is_identifier;
use narratoria_protocol::nearest::nearest;

pub(super) const STEPS: &str = "steps";
pub(super) const STATE: &str = "state";
pub(super) const INPUT: &str = "input";
/// Exists only in an acceptance criterion.
pub(super) const OUTPUT: &str = "output";

/// Functions and macros that a condition may call.
pub(super) const FUNCTIONS: [&str; 15] = [
    "all",
    "contains",
    "double",
    "endsWith",
    "exists",
    "exists_one",
    "existsOne",
    "filter",
    "has",
    "int",
    "map",
    "matches",
    "size",
    "startsWith",
    "string",
];

/// Returns the error for a name that only `when` may read.
pub(super) fn not_in_a_criterion(name: &str) -> String {
    format!("a criterion reads `{OUTPUT}` and `{INPUT}`, not `{}`", quote(name))
}

/// Most variables that a message lists.
const VARIABLES_SHOWN_MAX: usize = 30;

pub(super) fn unknown_variable(name: &str, scope: &dyn ConditionScope) -> String {
    let shown = quote(name);
    if let Some(known) = scope.variables() {
        return match nearest(name, &known) {
            Some(near) => format!("there is no variable `{shown}`; did you mean `{near}`?"),
            None => {
                let listed = known.iter().take(VARIABLES_SHOWN_MAX).map(String::as_str);
                let listed = listed.collect::<Vec<_>>().join(", ");
                format!("there is no variable `{shown}`; a condition here knows {listed}")
            }
        };
    }
    if matches!(name, "item" | "index") {
        return format!(
            "`{shown}` is not known to a condition, which is answered once, before the loop begins"
        );
    }
    let known = [STEPS, STATE, INPUT].map(str::to_owned);
    match nearest(name, &known) {
        Some(near) => format!("there is no variable `{shown}`; did you mean `{near}`?"),
        None => format!(
            "there is no variable `{shown}`; a condition knows `steps.<toolId>`, `state` and `input`"
        ),
    }
}

/// The error for `matches` in a campaign's condition, which must be answered by a host without an engine for patterns.
pub(super) const NO_PATTERNS: &str =
    "`matches` is not known to a condition here; use `contains`, `startsWith` or `endsWith`";

pub(super) fn number_always_there(name: &str) -> String {
    format!("`{}` always has a number, 0 at first; compare it instead of asking `has`", quote(name))
}

pub(super) fn unknown_step(id: &str, scope: &dyn ConditionScope) -> String {
    let ids = scope.ids();
    let shown = quote(id);
    // CEL reads `steps.a-b` as a subtraction and `steps.a.b` as a field.
    let meant = ids
        .iter()
        .find(|other| other.strip_prefix(id).is_some_and(|rest| rest.starts_with(['-', '.'])));
    if let Some(meant) = meant {
        return format!(
            "there is no step `{shown}`; write `steps[\"{meant}\"]` for step `{meant}`"
        );
    }
    match nearest(id, &ids) {
        Some(near) => {
            format!("there is no step `{shown}`; did you mean `{}`?", step_path(&near))
        }
        None => format!("there is no step `{shown}` in the plan"),
    }
}

pub(super) fn unknown_function(name: &str) -> String {
    let shown = quote(name);
    let known = FUNCTIONS.map(str::to_owned);
    match nearest(name, &known) {
        Some(near) => format!("there is no function `{shown}`; did you mean `{near}`?"),
        None => {
            format!("there is no function `{shown}`; a condition can call {}", FUNCTIONS.join(", "))
        }
    }
}

fn step_path(id: &str) -> String {
    if is_identifier(id) { format!("steps.{id}") } else { format!("steps[\"{id}\"]") }
}
