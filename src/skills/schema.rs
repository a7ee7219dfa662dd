//! A JSON Schema (2020-12), compiled once to validate many values.

use std::{
    fmt,
    sync::{Arc, Mutex},
    thread,
};

use jsonschema::{PatternOptions, ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use super::{
    compile_budget::CompileBudget,
    fields_meant::fields_meant,
    pattern_cost::PATTERN_BYTES_MAX,
    schema_cost::{BACKTRACK_MAX, SchemaCost, SchemaCostFault, measure},
    schema_meter::{
        MeteredJson, MeteredNode, StepWeights, VALIDATION_STEPS_MAX, VALIDATION_TIME_MAX,
        ValidationEnded, count_steps, steps_left, take_steps,
    },
    state_values::{StateValueLists, ValueSource, value_sources},
};
use narratoria_protocol::{JsonBounds, read_json};

/// A compiled schema and its document.
#[derive(Clone)]
pub struct Schema {
    pub(super) document: Value,
    validator: jsonschema::Validator<MeteredJson>,
    cost: SchemaCost,
    /// The parts that draw values from the state.
    pub(super) sources: Arc<[ValueSource]>,
    /// The values of one state, if the schema was made for it.
    pub(super) lists: Option<StateValueLists>,
    /// The last result of [`Schema::in_state`], because a turn asks several times for one state.
    pub(super) last_bound: Arc<Mutex<Option<Arc<Schema>>>>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a usable JSON Schema (2020-12): {reason}")]
pub struct SchemaError {
    pub reason: String,
}

/// One rule that an instance breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// JSON pointer into the instance; empty for the whole.
    pub pointer: String,
    /// The broken rule, with the value.
    pub what: String,
}

/// Most mismatches of one instance.
const MISMATCHES_MAX: usize = 16;

/// Longest quotation of an untrusted value in a message.
const QUOTE_CHARS_MAX: usize = 200;

/// Most levels of a schema within levels of a value, multiplied. The validator recurses once for each.
pub const VALIDATION_LEVELS_MAX: usize = 8_192;

/// Levels that fit on the stack of any thread. More get a thread of their own.
const LEVELS_ON_STACK: usize = 64;

/// The stack of such a thread: what [`VALIDATION_LEVELS_MAX`] needs several times over. Only what is used takes memory.
const DEEP_STACK_BYTES: usize = 256 << 20;

impl Schema {
    /// Compiles a document. A reference out of the document is an error: nothing is fetched.
    pub fn build(document: Value) -> Result<Schema, SchemaError> {
        Schema::build_within(document, &mut CompileBudget::default())
    }

    /// Compiles a contract of this program.
    pub fn of_contract(text: &str) -> Schema {
        let document = read_json(text.as_bytes(), JsonBounds::of_bytes(text.len()));
        let document = document.expect("the contract is JSON, a test reads it");
        Schema::build(document).expect("the contract is a schema, a test builds it")
    }

    /// Compiles a document that fits into the rest of a package's budget.
    pub fn build_within(
        document: Value,
        budget: &mut CompileBudget,
    ) -> Result<Schema, SchemaError> {
        let nesting = Shape::of(&document).depth;
        let built = on_stack_for(nesting, || Schema::build_here(document, budget));
        built.map_err(|reason| SchemaError { reason })
    }

    fn build_here(document: Value, budget: &mut CompileBudget) -> Result<Schema, String> {
        let measured = match measure(&document, budget) {
            Err(SchemaCostFault::TooLarge(reason)) => return Err(reason),
            measured => measured,
        };
        if let Ok(cost) = &measured {
            budget.take_schema(cost.parts)?;
        }
        let levels = measured.as_ref().map_or(0, |cost| cost.levels);
        let validator = on_stack_for(levels, || compile(&document))?;
        match measured {
            Ok(cost) => {
                let sources = value_sources(&document)?.into();
                let (lists, last_bound) = (None, Arc::default());
                Ok(Schema { document, validator, cost, sources, lists, last_bound })
            }
            Err(SchemaCostFault::TooLarge(reason) | SchemaCostFault::Unclear(reason)) => {
                Err(reason)
            }
        }
    }

    pub fn document(&self) -> &Value {
        &self.document
    }

    /// The rules that `instance` breaks, at most a screenful; empty if it fits.
    pub fn mismatches(&self, instance: &Value) -> Vec<Mismatch> {
        self.check(instance, |_| true, |error| self.message(error))
    }

    fn message(&self, error: &ValidationError<'_>) -> String {
        self.scope_message(error).unwrap_or_else(|| error.to_string())
    }

    /// Like [`Schema::mismatches`] for an incomplete value: other values will replace those at `holes` (JSON pointers),
    /// so a mismatch that depends on one of them is left out.
    pub fn mismatches_around(&self, instance: &Value, holes: &[&str]) -> Vec<Mismatch> {
        self.check(instance, |error| !depends_on_hole(error, holes), |error| self.message(error))
    }

    /// Like [`Schema::mismatches_around`] for values that may be secrets: the text contains no value of the instance.
    pub fn mismatches_masked(&self, instance: &Value, holes: &[&str]) -> Vec<Mismatch> {
        let say = |error: &ValidationError<'_>| error.masked_with("the value").to_string();
        self.check(instance, |error| !depends_on_hole(error, holes), say)
    }

    fn check(
        &self,
        instance: &Value,
        counts: impl Fn(&ValidationError<'_>) -> bool + Send,
        say: impl Fn(&ValidationError<'_>) -> String + Send + Sync,
    ) -> Vec<Mismatch> {
        let shape = Shape::of(instance);
        let levels = self.cost.levels_in_place.saturating_mul(shape.depth + 1);
        if levels > VALIDATION_LEVELS_MAX {
            let what = format!(
                "nests {} levels, too many for a schema whose parts refer to each other this often",
                shape.depth
            );
            return vec![Mismatch { pointer: String::new(), what }];
        }
        let (weights, steps_max) = (self.weights(shape), steps_left());
        let counted = on_stack_for(levels, || {
            let validate = || {
                self.validator
                    .iter_errors(MeteredNode(instance))
                    .filter(counts)
                    .take(MISMATCHES_MAX)
                    .map(|error| Mismatch {
                        pointer: error.instance_path().to_string(),
                        what: shorten(&say(&error)) + &fields_meant(&self.document, &error),
                    })
                    .collect()
            };
            count_steps(steps_max, weights, validate)
        });
        match counted {
            Ok((mismatches, steps)) => {
                take_steps(steps);
                mismatches
            }
            Err(why) => {
                take_steps(steps_max);
                let what = match why {
                    ValidationEnded::Steps => too_costly(steps_max),
                    ValidationEnded::Time => too_slow(),
                };
                vec![Mismatch { pointer: String::new(), what }]
            }
        }
    }

    /// The steps that checking a value takes, equal on each machine; none beyond [`VALIDATION_STEPS_MAX`].
    pub fn steps_to_check(&self, instance: &Value) -> Option<u64> {
        let shape = Shape::of(instance);
        let levels = self.cost.levels_in_place.saturating_mul(shape.depth + 1);
        if levels > VALIDATION_LEVELS_MAX {
            return None;
        }
        on_stack_for(levels, || {
            let validate = || self.validator.iter_errors(MeteredNode(instance)).count();
            let counted = count_steps(VALIDATION_STEPS_MAX, self.weights(shape), validate);
            counted.ok().map(|(_, steps)| steps)
        })
    }

    /// Mismatches quote paths, so these cost too.
    fn weights(&self, shape: Shape) -> StepWeights {
        let paths = shape.path_bytes + self.cost.path_bytes.saturating_mul(shape.depth + 1);
        let mut weights = self.cost.weights;
        weights.mismatch_bytes = weights.mismatch_bytes.saturating_add(paths as u64);
        weights
    }

    /// Its parts, references followed.
    pub fn parts(&self) -> usize {
        self.cost.parts
    }
}

// Implemented by hand, because the validator has nothing to show.
impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema").field("document", &self.document).finish_non_exhaustive()
    }
}

fn too_slow() -> String {
    let seconds = VALIDATION_TIME_MAX.as_secs();
    format!("takes longer than {seconds} s to check; the schema or the value must be simpler")
}

fn too_costly(steps_max: u64) -> String {
    match steps_max {
        VALIDATION_STEPS_MAX => format!(
            "costs more than {VALIDATION_STEPS_MAX} steps to check; the schema or the value must be simpler"
        ),
        _ => "costs more steps to check than are left for all checks here; the schemas or the values must be simpler"
            .to_owned(),
    }
}

fn compile(document: &Value) -> Result<jsonschema::Validator<MeteredJson>, String> {
    jsonschema::options_for::<MeteredJson>()
        .with_draft(jsonschema::Draft::Draft202012)
        .with_pattern_options(
            PatternOptions::fancy_regex()
                .backtrack_limit(BACKTRACK_MAX)
                .size_limit(PATTERN_BYTES_MAX),
        )
        .offline()
        .build(document)
        .map_err(|error| {
            let what = shorten(&error.to_string());
            match error.instance_path().as_str() {
                "" => what,
                place => format!("{place}: {what}"),
            }
        })
}

/// Runs a task that recurses to this depth, on a larger stack if this one may be too small.
fn on_stack_for<T: Send>(levels: usize, run: impl FnOnce() -> T + Send) -> T {
    if levels <= LEVELS_ON_STACK {
        return run();
    }
    thread::scope(|scope| {
        let spawned = thread::Builder::new()
            .name("schema".to_owned())
            .stack_size(DEEP_STACK_BYTES)
            .spawn_scoped(scope, run);
        match spawned.expect("a thread can be started").join() {
            Ok(done) => done,
            Err(payload) => std::panic::resume_unwind(payload),
        }
    })
}

/// The outline of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Shape {
    /// How deep arrays and objects nest; 0 for a scalar.
    depth: usize,
    /// Bytes of the longest path into it.
    path_bytes: usize,
}

impl Shape {
    fn of(value: &Value) -> Shape {
        let below = |key_bytes: usize, inner: Shape| Shape {
            depth: inner.depth + 1,
            path_bytes: inner.path_bytes + key_bytes + 1,
        };
        let largest = |all: Shape, one: Shape| Shape {
            depth: all.depth.max(one.depth),
            path_bytes: all.path_bytes.max(one.path_bytes),
        };
        let empty = Shape { depth: 1, path_bytes: 0 };
        match value {
            // 8 bytes hold the longest index.
            Value::Array(items) => {
                items.iter().map(|item| below(8, Shape::of(item))).fold(empty, largest)
            }
            Value::Object(fields) => fields
                .iter()
                .map(|(key, field)| below(key.len(), Shape::of(field)))
                .fold(empty, largest),
            _ => Shape::default(),
        }
    }
}

/// Returns true if another value at one of these places might remove the mismatch.
fn depends_on_hole(error: &ValidationError<'_>, holes: &[&str]) -> bool {
    let at = error.instance_path().as_str();
    let is_within = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    // Any part of the value may decide which branch applies.
    let is_branch = |part: &str| matches!(part, "then" | "else");
    let mut keywords = error.evaluation_path().as_str().split('/');
    (!holes.is_empty() && keywords.any(is_branch))
        || holes.iter().any(|hole| {
            is_within(hole, at) || (judges_content(error.kind()) && is_within(at, hole))
        })
}

/// Returns true if a keyword judges more of a value than its type, its size and the names of its fields.
fn judges_content(kind: &ValidationErrorKind) -> bool {
    matches!(
        kind,
        ValidationErrorKind::AnyOf { .. }
            | ValidationErrorKind::OneOfNotValid { .. }
            | ValidationErrorKind::OneOfMultipleValid { .. }
            | ValidationErrorKind::Not { .. }
            | ValidationErrorKind::Constant { .. }
            | ValidationErrorKind::Enum { .. }
            | ValidationErrorKind::Contains
            | ValidationErrorKind::UniqueItems
            | ValidationErrorKind::UnevaluatedItems { .. }
            | ValidationErrorKind::UnevaluatedProperties { .. }
    )
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= QUOTE_CHARS_MAX {
        return text.to_owned();
    }
    let head: String = text.chars().take(QUOTE_CHARS_MAX / 2).collect();
    let tail: Vec<char> = text.chars().rev().take(QUOTE_CHARS_MAX / 2).collect();
    format!("{head} … {}", tail.into_iter().rev().collect::<String>())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Schema;

    fn check(document: Value, instance: Value) -> String {
        match Schema::build(document) {
            Err(error) => error.to_string(),
            Ok(schema) => schema
                .mismatches(&instance)
                .into_iter()
                .map(|mismatch| format!("{}: {}", mismatch.pointer, mismatch.what))
                .collect::<Vec<_>>()
                .join("\n"),
        }
    }

    #[test]
    fn a_reference_never_leaves_the_document() {
        for place in ["https://example.com/x.json", "file:///etc/passwd", "other.json"] {
            let found = check(json!({ "$ref": place }), json!({}));
            assert!(found.starts_with("not a usable JSON Schema (2020-12)"), "{found}");
        }
    }

    #[test]
    fn checking_a_schema_that_refers_to_itself_ends() {
        for document in [
            json!({"$ref": "#"}),
            json!({"allOf": [{"$ref": "#"}]}),
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
            json!({"$dynamicAnchor": "x", "allOf": [{"$dynamicRef": "#x"}]}),
        ] {
            assert_eq!(check(document, json!({})), "");
        }
    }

    /// The hole is at `/hole`.
    #[track_caller]
    fn check_around(document: Value, instance: Value, expect: &str) {
        let found = Schema::build(document).unwrap().mismatches_around(&instance, &["/hole"]);
        let found: Vec<String> =
            found.iter().map(|one| format!("{}: {}", one.pointer, one.what)).collect();
        assert_eq!(found.join("\n"), expect);
    }

    #[test]
    fn a_mismatch_that_depends_on_a_hole_is_left_out() {
        let hole = json!({"hole": "$a", "holes": 1});
        for document in [
            json!({"properties": {"hole": {"type": "integer"}}}),
            json!({"anyOf": [{"properties": {"hole": {"type": "integer"}}}]}),
            json!({"oneOf": [{"properties": {"hole": {"const": 1}}}, {"required": ["x"]}]}),
            json!({"not": {"properties": {"hole": {"type": "string"}}}}),
            json!({"enum": [{"hole": 1, "holes": 1}]}),
            json!({
                "if": {"properties": {"hole": {"const": "x"}}}, "else": {"required": ["more"]}
            }),
            json!({"$defs": {"a": {"type": "integer"}}, "properties": {"hole": {"$ref": "#/$defs/a"}}}),
        ] {
            check_around(document, hole.clone(), "");
        }
        check_around(
            json!({"properties": {"hole": {"items": {"minimum": 3}}}}),
            json!({"hole": [1]}),
            "",
        );
    }

    #[test]
    fn a_mismatch_beside_a_hole_is_reported() {
        let hole = json!({"hole": "$a", "holes": 1});
        let check = |document, expect| check_around(document, hole.clone(), expect);
        check(json!({"required": ["more"]}), r#": "more" is a required property"#);
        check(json!({"type": "array"}), r#": {"hole":"$a","holes":1} is not of type "array""#);
        check(
            json!({"properties": {"hole": true}, "additionalProperties": false}),
            ": Additional properties are not allowed ('holes' was unexpected); did you mean `hole`?",
        );
        check(json!({"maxProperties": 1}), r#": {"hole":"$a","holes":1} has more than 1 property"#);
        check(
            json!({"properties": {"holes": {"anyOf": [{"type": "string"}]}}}),
            r#"/holes: 1 is not valid under any of the schemas listed in the 'anyOf' keyword"#,
        );
    }

    #[test]
    fn a_pattern_that_backtracks_for_ever_is_a_mismatch() {
        let schema = json!({"type": "string", "pattern": "^(a|a|b\\1?)*(?=c)$"});
        let found = check(schema, json!("a".repeat(60)));
        assert!(!found.is_empty());
    }

    /// No try fails in such a pattern, so the limit of tries does not count them.
    #[test]
    fn a_pattern_that_looks_ahead_from_every_letter_takes_no_long_text() {
        for pattern in ["^(?:(?=x*y)x)*y$", "^(?:(?!x*z)x)*y$", "(x)(?<=x)y\\1"] {
            let schema = || json!({"pattern": pattern});
            let of = |letters: usize| json!("x".repeat(letters) + "y");
            assert!(!check(schema(), of(200)).contains("costs more"), "{pattern}");
            assert!(check(schema(), of(120_000)).contains("costs more than"), "{pattern}");
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_takes_deep_values() {
        let tree = json!({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}});
        let deep = |levels| (0..levels).fold(json!({}), |inner, _| json!({ "a": inner }));
        assert_eq!(check(tree, deep(60)), "");
        let twice = json!({"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}});
        assert_eq!(check(twice.clone(), deep(8)), "");
        insta::assert_snapshot!(check(twice, deep(60)), @": costs more than 20000000 steps to check; the schema or the value must be simpler");
    }
}
