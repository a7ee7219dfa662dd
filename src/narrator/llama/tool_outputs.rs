//! The parts of a tool's output that later steps may read: `dice-roller/roll-dice.total`. A model names the tool and the field; the
//! host finds the step. Pure.

use serde_json::{Value, json};

use super::grammar_type::{GrammarField, GrammarType};
use narratoria_plan::wire::ToolJson;
use narratoria_skills::{
    Script,
    schema_view::{SchemaPlace, SchemaType, TypeSet},
};

/// Most fields of one output that a model can name.
const OUTPUT_FIELDS_MAX: usize = 8;
/// Longest name of such a field, in bytes.
const FIELD_NAME_BYTES_MAX: usize = 40;
/// Most words that a condition compares one field with.
const WORDS_MAX: usize = 12;
/// The numbers that a model compares with: `-9999` to `9999`.
const NUMBER_MAX: i64 = 9_999;

/// How a condition compares numbers.
const COMPARISONS: [&str; 5] = [">=", "<=", ">", "<", "=="];
/// How a condition compares anything else.
const IS: &str = "is";
/// The only key of a reference.
const REFERENCE_KEY: &str = "$";

/// A field that every output of a script has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OutputField {
    /// `<skill>/<script>.<field>`.
    pub(super) path: String,
    tool_path: String,
    name: String,
    types: TypeSet,
    /// The only texts that it can have; empty if it can have others.
    words: Vec<String>,
}

/// A value that an earlier step gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OutputReference {
    tool_path: String,
    field: String,
}

/// The condition of a step, on one field of an earlier step's output.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OutputCondition {
    reference: OutputReference,
    operator: &'static str,
    value: Value,
}

/// The fields of the script's output that conditions and references may name: those that are always there, with one
/// simple type and a plain name.
pub(super) fn output_fields(tool_path: &str, script: &Script) -> Vec<OutputField> {
    let Some(schema) = &script.output_schema else { return Vec::new() };
    let document = schema.document();
    let place = SchemaPlace::root(document);
    let required: Vec<&str> = place.objects().iter().flat_map(|it| it.required()).collect();
    let whole = SchemaType::of_schema(document);
    let field = |name: String| {
        let types = whole.field(&name).ok()?.types();
        let is_simple = [TypeSet::NUMBER, TypeSet::STRING, TypeSet::BOOLEAN]
            .iter()
            .any(|simple| !types.is_empty() && types & *simple == types);
        (is_simple && is_plain(&name) && required.contains(&name.as_str())).then(|| OutputField {
            path: format!("{tool_path}.{name}"),
            tool_path: tool_path.to_owned(),
            words: words(document, &name),
            types,
            name,
        })
    };
    whole.fields().into_iter().filter_map(field).take(OUTPUT_FIELDS_MAX).collect()
}

fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    name.len() <= FIELD_NAME_BYTES_MAX
        && letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The texts that the field's own schema lists.
fn words(document: &Value, name: &str) -> Vec<String> {
    let place = SchemaPlace::root(document);
    let property = place.objects().iter().find_map(|keywords| keywords.property(name));
    let Some(property) = property else { return Vec::new() };
    let inner = place.inner(&[property]);
    let lists = inner.objects().iter().flat_map(|keywords| keywords.value_lists());
    let words = lists.flatten().filter_map(Value::as_str).map(str::to_owned);
    words.take(WORDS_MAX + 1).collect()
}

/// The fields that fit the parameter. An optional one takes any field of its type. A required one takes texts, since
/// the player's words can stand in for a text that is not there.
pub(super) fn fitting<'o>(
    field: &GrammarField,
    outputs: &[&'o OutputField],
) -> Vec<&'o OutputField> {
    let takes = match &field.grammar_type {
        GrammarType::Text(text) if text.is_free() => TypeSet::STRING,
        GrammarType::Integer { step: 1, .. } if !field.is_required => TypeSet::INTEGER,
        GrammarType::Decimal { .. } if !field.is_required => TypeSet::NUMBER,
        _ => TypeSet::NONE,
    };
    outputs.iter().copied().filter(|output| output.types & takes == output.types).collect()
}

/// The schema of a reference to one of these fields.
pub(super) fn reference_schema(outputs: &[&OutputField]) -> Value {
    let paths: Vec<&str> = outputs.iter().map(|output| output.path.as_str()).collect();
    json!({
        "type": "object",
        "properties": {REFERENCE_KEY: {"enum": paths}},
        "required": [REFERENCE_KEY],
        "additionalProperties": false,
    })
}

/// The schemas of conditions on these fields; none if no condition can be written.
pub(super) fn condition_schemas(outputs: &[&OutputField]) -> Vec<Value> {
    let of = |types: TypeSet| -> Vec<&str> {
        let fitting = outputs.iter().filter(|output| output.types & types == output.types);
        fitting.map(|output| output.path.as_str()).collect()
    };
    let mut schemas = Vec::new();
    let mut push = |paths: Vec<&str>, operators: &[&str], value: Value| {
        if !paths.is_empty() {
            schemas.push(json!({
                "type": "array",
                "prefixItems": [{"enum": paths}, {"enum": operators}, value],
                "items": false,
                "minItems": 3,
                "maxItems": 3,
            }));
        }
    };
    // Two ranges: in one that crosses zero, llguidance would accept `-0`.
    let number = json!({"anyOf": [
        {"type": "integer", "minimum": -NUMBER_MAX, "maximum": -1},
        {"type": "integer", "minimum": 0, "maximum": NUMBER_MAX},
    ]});
    push(of(TypeSet::NUMBER), &COMPARISONS, number);
    push(of(TypeSet::BOOLEAN), &[IS], json!({"type": "boolean"}));
    for output in outputs.iter().filter(|output| output.has_words()) {
        push(vec![&output.path], &[IS], json!({"enum": output.words}));
    }
    schemas
}

impl OutputField {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn has_words(&self) -> bool {
        self.types == TypeSet::STRING && (1..=WORDS_MAX).contains(&self.words.len())
    }

    pub(super) fn reference(&self) -> OutputReference {
        OutputReference { tool_path: self.tool_path.clone(), field: self.name.clone() }
    }
}

/// Reads a reference. Returns `None` if the value is none. The error quotes a malformed reference.
pub(super) fn read_reference(
    value: &Value,
    find: impl Fn(&str) -> Option<OutputReference>,
) -> Option<Result<OutputReference, String>> {
    let fields = value.as_object().filter(|fields| fields.len() == 1)?;
    let path = fields.get(REFERENCE_KEY)?;
    Some(path.as_str().and_then(find).ok_or_else(|| value.to_string()))
}

/// Reads a condition on one of these outputs.
pub(super) fn read_condition(value: &Value, outputs: &[&OutputField]) -> Option<OutputCondition> {
    let [path, operator, value] = value.as_array()?.as_slice() else { return None };
    let (path, operator) = (path.as_str()?, operator.as_str()?);
    let output = find_output(outputs, path)?;
    let known = COMPARISONS.iter().chain([&IS]).find(|known| **known == operator)?;
    let fits = match *known {
        IS if output.types == TypeSet::BOOLEAN => value.is_boolean(),
        IS => {
            let is_word = |word: &str| output.words.iter().any(|known| known == word);
            output.has_words() && value.as_str().is_some_and(is_word)
        }
        _ => {
            let is_number = output.types & TypeSet::NUMBER == output.types;
            let range = -NUMBER_MAX..=NUMBER_MAX;
            is_number && value.as_i64().is_some_and(|number| range.contains(&number))
        }
    };
    let reference = output.reference();
    fits.then(|| OutputCondition { reference, operator: known, value: value.clone() })
}

pub(super) fn find_output<'o>(outputs: &[&'o OutputField], path: &str) -> Option<&'o OutputField> {
    outputs.iter().copied().find(|output| output.path == path)
}

impl OutputReference {
    /// The last of the earlier steps that gives the value.
    pub(super) fn source<'s>(&self, earlier: &'s [ToolJson]) -> Option<&'s ToolJson> {
        earlier.iter().rev().find(|step| step.tool_path == self.tool_path && !step.skip)
    }

    /// In the notation of Plan JSON.
    pub(super) fn in_plan(&self, source: &ToolJson) -> Value {
        Value::String(format!("${}.{}", source.tool_id, self.field))
    }
}

impl OutputCondition {
    /// The step that the condition asks about.
    pub(super) fn source<'s>(&self, earlier: &'s [ToolJson]) -> Option<&'s ToolJson> {
        self.reference.source(earlier)
    }

    /// The CEL expression of a plan's `when`.
    pub(super) fn in_plan(&self, source: &ToolJson) -> String {
        let operator = if self.operator == IS { "==" } else { self.operator };
        let (step, field) = (&source.tool_id, &self.reference.field);
        format!("steps[\"{step}\"].{field} {operator} {}", self.value)
    }
}
