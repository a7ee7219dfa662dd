//! A JSON Schema (2020-12) that has been compiled once and can be asked often.

use jsonschema::{PatternOptions, ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use super::schema_cost::{depth, estimate};

/// A compiled schema and the text it came from.
#[derive(Debug, Clone)]
pub struct Schema {
    document: Value,
    validator: jsonschema::Validator,
    /// Deeper values would cost too much to check.
    depth_max: usize,
}

/// The schema itself is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a usable JSON Schema (2020-12): {reason}")]
pub struct SchemaError {
    /// What the compiler said.
    pub reason: String,
}

/// One thing wrong with an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// JSON pointer into the instance; empty for the whole.
    pub pointer: String,
    /// What is wrong there, with the value.
    pub what: String,
}

/// How many mismatches are worth reading.
const MISMATCHES_MAX: usize = 16;

/// Longest piece of a foreign value quoted in a message.
const QUOTE_CHARS_MAX: usize = 200;

/// Steps that one `pattern` may backtrack. A pattern of a package meets text of a model, and the two
/// together can take for ever; past this the instance counts as a mismatch.
const BACKTRACK_MAX: usize = 100_000;

/// Size of one compiled `pattern`. `\w{1000}{1000}` would otherwise own our memory.
const PATTERN_BYTES_MAX: usize = 1 << 20;

impl Schema {
    /// Compiles a document. References leave the document nowhere: nothing is fetched.
    pub fn build(document: Value) -> Result<Schema, SchemaError> {
        let cost = estimate(&document).map_err(|reason| SchemaError { reason })?;
        let validator = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .with_pattern_options(
                PatternOptions::fancy_regex()
                    .backtrack_limit(BACKTRACK_MAX)
                    .size_limit(PATTERN_BYTES_MAX),
            )
            .offline()
            .build(&document)
            .map_err(|error| {
                let what = shorten(&error.to_string());
                let reason = match error.instance_path().as_str() {
                    "" => what,
                    place => format!("{place}: {what}"),
                };
                SchemaError { reason }
            })?;
        Ok(Schema { document, validator, depth_max: cost.depth_max() })
    }

    /// The schema's own text.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Everything wrong with `instance`, at most a screenful; empty means it fits.
    pub fn mismatches(&self, instance: &Value) -> Vec<Mismatch> {
        self.check(instance, |_| true, |error| error.to_string())
    }

    /// Like [`Schema::mismatches`], for a value that is not whole yet: at `holes` (JSON pointers) something
    /// else will stand, so nothing is told that depends on what stands there now.
    pub fn mismatches_around(&self, instance: &Value, holes: &[&str]) -> Vec<Mismatch> {
        self.check(instance, |error| !depends_on_hole(error, holes), |error| error.to_string())
    }

    /// Like [`Schema::mismatches_around`], without a single value of the instance in the text: for values
    /// that may be secrets.
    pub fn mismatches_masked(&self, instance: &Value, holes: &[&str]) -> Vec<Mismatch> {
        let say = |error: &ValidationError<'_>| error.masked_with("the value").to_string();
        self.check(instance, |error| !depends_on_hole(error, holes), say)
    }

    fn check(
        &self,
        instance: &Value,
        counts: impl Fn(&ValidationError<'_>) -> bool,
        say: impl Fn(&ValidationError<'_>) -> String,
    ) -> Vec<Mismatch> {
        if self.depth_max != usize::MAX && depth(instance) > self.depth_max {
            let what = format!(
                "nests deeper than {} levels, the most for a schema that refers to itself this often",
                self.depth_max
            );
            return vec![Mismatch { pointer: String::new(), what }];
        }
        self.validator
            .iter_errors(instance)
            .filter(counts)
            .take(MISMATCHES_MAX)
            .map(|error| Mismatch {
                pointer: error.instance_path().to_string(),
                what: shorten(&say(&error)),
            })
            .collect()
    }
}

/// Whether what stands at one of these places may be all that is wrong.
fn depends_on_hole(error: &ValidationError<'_>, holes: &[&str]) -> bool {
    let at = error.instance_path().as_str();
    let is_within = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    // Which branch is asked may hang on any part of the value.
    let is_branch = |part: &str| matches!(part, "then" | "else");
    let mut asked_by = error.evaluation_path().as_str().split('/');
    (!holes.is_empty() && asked_by.any(is_branch))
        || holes.iter().any(|hole| {
            is_within(hole, at) || (judges_content(error.kind()) && is_within(at, hole))
        })
}

/// Whether a keyword judges a value by more than its kind, its size and the names of its fields.
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
            let said = check(json!({ "$ref": place }), json!({}));
            assert!(said.starts_with("not a usable JSON Schema (2020-12)"), "{said}");
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends_all_the_same() {
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
        let told: Vec<String> =
            found.iter().map(|one| format!("{}: {}", one.pointer, one.what)).collect();
        assert_eq!(told.join("\n"), expect);
    }

    #[test]
    fn what_may_hang_on_a_hole_is_not_told() {
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
    fn what_is_wrong_beside_a_hole_is_told() {
        let hole = json!({"hole": "$a", "holes": 1});
        let check = |document, expect| check_around(document, hole.clone(), expect);
        check(json!({"required": ["more"]}), r#": "more" is a required property"#);
        check(json!({"type": "array"}), r#": {"hole":"$a","holes":1} is not of type "array""#);
        check(
            json!({"properties": {"hole": true}, "additionalProperties": false}),
            ": Additional properties are not allowed ('holes' was unexpected)",
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
        let said = check(schema, json!("a".repeat(60)));
        assert!(!said.is_empty());
    }

    #[test]
    fn a_schema_that_refers_to_itself_often_takes_no_deep_values() {
        let twice = json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]});
        let schema = json!({"properties": {"a": twice}});
        let deep = (0..30).fold(json!({}), |inner, _| json!({ "a": inner }));
        insta::assert_snapshot!(check(schema.clone(), deep), @": nests deeper than 20 levels, the most for a schema that refers to itself this often");
        assert_eq!(check(schema, json!({"a": {"a": {}}})), "");
    }
}
