//! A JSON Schema (2020-12), compiled once to validate many values.

use jsonschema::{PatternOptions, ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use super::schema_cost::{depth, estimate};

/// A compiled schema and its document.
#[derive(Debug, Clone)]
pub struct Schema {
    document: Value,
    validator: jsonschema::Validator,
    /// A deeper value would cost too much to check.
    depth_max: usize,
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

/// Most steps that one `pattern` may backtrack; beyond them the instance is a mismatch. A package's pattern on a
/// model's text could otherwise take for ever.
const BACKTRACK_MAX: usize = 100_000;

/// Largest compiled `pattern`, in bytes. `\w{1000}{1000}` would otherwise exhaust our memory.
const PATTERN_BYTES_MAX: usize = 1 << 20;

impl Schema {
    /// Compiles a document. A reference out of the document is an error: nothing is fetched.
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

    pub fn document(&self) -> &Value {
        &self.document
    }

    /// The rules that `instance` breaks, at most a screenful; empty if it fits.
    pub fn mismatches(&self, instance: &Value) -> Vec<Mismatch> {
        self.check(instance, |_| true, |error| error.to_string())
    }

    /// Like [`Schema::mismatches`] for an incomplete value: other values will replace those at `holes` (JSON pointers),
    /// so a mismatch that depends on one of them is left out.
    pub fn mismatches_around(&self, instance: &Value, holes: &[&str]) -> Vec<Mismatch> {
        self.check(instance, |error| !depends_on_hole(error, holes), |error| error.to_string())
    }

    /// Like [`Schema::mismatches_around`] for values that may be secrets: the text contains no value of the instance.
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
        let found = check(schema, json!("a".repeat(60)));
        assert!(!found.is_empty());
    }

    #[test]
    fn a_schema_that_refers_to_itself_often_refuses_deep_values() {
        let twice = json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]});
        let schema = json!({"properties": {"a": twice}});
        let deep = (0..30).fold(json!({}), |inner, _| json!({ "a": inner }));
        insta::assert_snapshot!(check(schema.clone(), deep), @": nests deeper than 20 levels, the most for a schema that refers to itself this often");
        assert_eq!(check(schema, json!({"a": {"a": {}}})), "");
    }
}
