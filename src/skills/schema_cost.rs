//! Limits the cost of a schema. References can double the work at every step (`a` refers to `b` twice, `b` to `c`
//! twice, …), and a validator follows all of them: a schema of one page could block the host for ever. This module
//! walks the schema as the validator does, every reference followed by the validator's own resolver, and refuses one
//! that is too large. The cost of checking a value is counted during the check: see [`super::schema_meter`].

use std::collections::BTreeMap;

use jsonschema::{Draft, Registry};
use referencing::{Resolver, uri};
use serde_json::{Map, Value};

use super::{
    compile_budget::CompileBudget,
    pattern_cost::{PatternDialect, PatternFault, PatternSize},
    schema_meter::StepWeights,
};

/// Most parts of a schema after every reference is replaced by its target. A hand-written schema has a few hundred.
pub const SCHEMA_PARTS_MAX: usize = 10_000;

/// Longest chain of references.
pub const SCHEMA_REFS_DEEP_MAX: usize = 32;

/// How deep the parts of a schema nest, every reference followed. The validator recurses once for each level.
pub const SCHEMA_LEVELS_MAX: usize = 256;

/// Bytes of a part's path that count as another part: the validator writes the path of each part down.
const PATH_BYTES_PER_PART: usize = 256;

/// Most tries of one pattern that looks around or refers to its groups, on one text; beyond them the value is a
/// mismatch. A package's pattern on a model's text could otherwise take for ever.
pub(super) const BACKTRACK_MAX: usize = 20_000;

/// Steps that such a pattern costs on each text.
const BACKTRACK_STEPS: u64 = BACKTRACK_MAX as u64 / 2;

/// States of a pattern that cost a step on each byte: an engine may visit all of them.
const STATES_PER_STEP: u64 = 8;

/// The base address of a schema without an `$id` of its own.
const BASE_URI: &str = "json-schema:///";

/// The only dialect. A part in an older one would mean something else by the same words.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Keywords whose schemas judge the value itself.
const SAME_VALUE: [&str; 10] = [
    "not",
    "if",
    "then",
    "else",
    "allOf",
    "anyOf",
    "oneOf",
    "dependentSchemas",
    // Compiled, and not asked.
    "contentSchema",
    // Keywords of older dialects.
    "dependencies",
];
/// Keywords whose schemas judge the parts of the value.
const INNER_VALUES: [&str; 10] = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "unevaluatedItems",
    "contains",
    // Keywords of older dialects.
    "additionalItems",
];
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Nothing follows them but references.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// Keywords that read the value at least once.
const READING: [&str; 14] = [
    "type",
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "maxProperties",
];

/// The measure of one schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SchemaCost {
    /// The parts, references followed.
    pub(super) parts: usize,
    /// How deep they nest.
    pub(super) levels: usize,
    /// How many of them may nest while they judge one value.
    pub(super) levels_in_place: usize,
    /// Longest path to a part, in bytes.
    pub(super) path_bytes: usize,
    pub(super) weights: StepWeights,
}

/// Why a schema has no measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SchemaCostFault {
    TooLarge(String),
    /// It is no schema, or refers to no part of itself. The validator's own message is better if it has one.
    Unclear(String),
}

/// Walks the document and follows its references.
pub(super) fn measure(
    document: &Value,
    budget: &mut CompileBudget,
) -> Result<SchemaCost, SchemaCostFault> {
    let unclear = |error: referencing::Error| SchemaCostFault::Unclear(error.to_string());
    let base = match document.get("$id").and_then(Value::as_str) {
        Some(id) if id.trim_end_matches('#').contains('#') => {
            return Err(SchemaCostFault::TooLarge("has an `$id` with a fragment".to_owned()));
        }
        Some(id) => id.trim_end_matches('#'),
        None => BASE_URI,
    };
    let base = uri::from_str(base).map_err(unclear)?;
    let registry = Registry::new()
        .draft(Draft::Draft202012)
        .add(base.as_str(), Draft::Draft202012.create_resource_ref(document))
        .and_then(|builder| builder.prepare())
        .map_err(unclear)?;
    let mut walk = SchemaWalk {
        budget,
        measured: BTreeMap::new(),
        open: vec![address(document)],
        local_levels: BTreeMap::new(),
        parts: 0,
        levels: 0,
        path_bytes: 0,
        silent_parts: 0,
        longest_text: 0,
        weights: StepWeights::default(),
        unclear: None,
    };
    walk.enter(document, &registry.resolver(base), SchemaSpot { path_bytes: 0, levels: 0 })?;
    walk.finish()
}

/// Current place of the walk.
#[derive(Debug, Clone, Copy)]
struct SchemaSpot {
    path_bytes: usize,
    levels: usize,
}

/// Cost of judging one value by one schema, the parts of the value left out.
#[derive(Debug, Clone, Copy, Default)]
struct InPlaceCost {
    silent_parts: u64,
    /// How deep schemas nest, references left out.
    levels: usize,
}

type Walked<T> = Result<T, SchemaCostFault>;

struct SchemaWalk<'p> {
    budget: &'p mut CompileBudget,
    /// The validator compiles each pattern once.
    measured: BTreeMap<String, PatternSize>,
    /// Addresses of the schemas that references have led into, outermost first.
    open: Vec<usize>,
    /// How deep schemas nest in the targets of references, by address. A value may meet all of them, each within
    /// another.
    local_levels: BTreeMap<usize, usize>,
    parts: usize,
    levels: usize,
    path_bytes: usize,
    silent_parts: u64,
    longest_text: usize,
    weights: StepWeights,
    unclear: Option<String>,
}

impl SchemaWalk<'_> {
    /// A schema that judges a value of its own.
    fn enter<'r>(
        &mut self,
        node: &'r Value,
        resolver: &Resolver<'r>,
        spot: SchemaSpot,
    ) -> Walked<()> {
        let found = self.schema(node, resolver, spot)?;
        self.silent_parts = self.silent_parts.max(found.silent_parts);
        let entry = self.local_levels.entry(0).or_default();
        *entry = (*entry).max(found.levels);
        Ok(())
    }

    fn finish(self) -> Walked<SchemaCost> {
        if let Some(reason) = self.unclear {
            return Err(SchemaCostFault::Unclear(reason));
        }
        let weights = StepWeights {
            silent_parts: self.silent_parts,
            mismatch_bytes: self.longest_text as u64,
            ..self.weights
        };
        Ok(SchemaCost {
            parts: self.parts,
            levels: self.levels,
            levels_in_place: self.local_levels.values().sum(),
            path_bytes: self.path_bytes,
            weights,
        })
    }

    fn count(&mut self, spot: SchemaSpot) -> Walked<()> {
        self.path_bytes = self.path_bytes.max(spot.path_bytes);
        self.levels = self.levels.max(spot.levels);
        self.parts += 1 + spot.path_bytes / PATH_BYTES_PER_PART;
        if self.parts > SCHEMA_PARTS_MAX {
            let what = format!("has more than {SCHEMA_PARTS_MAX} parts, its references followed");
            return Err(SchemaCostFault::TooLarge(what));
        }
        if spot.levels > SCHEMA_LEVELS_MAX {
            let what =
                format!("nests deeper than {SCHEMA_LEVELS_MAX} levels, its references followed");
            return Err(SchemaCostFault::TooLarge(what));
        }
        Ok(())
    }

    fn schema<'r>(
        &mut self,
        node: &'r Value,
        resolver: &Resolver<'r>,
        spot: SchemaSpot,
    ) -> Walked<InPlaceCost> {
        self.count(spot)?;
        let Value::Object(fields) = node else {
            return Ok(InPlaceCost { silent_parts: 1, levels: 1 });
        };
        // The document itself is always read in the one dialect, even if it names another.
        if spot.levels > 0 {
            refuse_other_dialect(fields)?;
            refuse_own_id(fields)?;
        }
        let resolver = match resolver.in_subresource(Draft::Draft202012.create_resource_ref(node)) {
            Ok(inner) => inner,
            Err(error) => {
                self.unclear = Some(error.to_string());
                return Ok(InPlaceCost::default());
            }
        };
        let mut all = InPlaceCost::default();
        // A keyword that reads the value is counted when it does.
        let mut is_silent = true;
        for (keyword, value) in fields {
            let inner = spot.below(keyword);
            let found = match keyword.as_str() {
                name if REFERENCES.contains(&name) => self.reference(value, &resolver, inner)?,
                name if SAME_VALUE.contains(&name) => {
                    self.same_value(name, value, &resolver, inner)?
                }
                name if INNER_VALUES.contains(&name) => {
                    is_silent &= value.as_object().is_none_or(Map::is_empty);
                    self.inner_values(name, value, &resolver, inner)?;
                    InPlaceCost::default()
                }
                name if DEFINITIONS.contains(&name) => InPlaceCost::default(),
                name => {
                    is_silent &= !READING.contains(&name);
                    self.data(name, value, inner)?;
                    InPlaceCost::default()
                }
            };
            all.silent_parts += found.silent_parts;
            all.levels = all.levels.max(found.levels);
        }
        all.silent_parts += u64::from(is_silent);
        all.levels += 1;
        Ok(all)
    }

    /// One schema, a list of them or an object of them, all for the value itself.
    fn same_value<'r>(
        &mut self,
        keyword: &str,
        value: &'r Value,
        resolver: &Resolver<'r>,
        spot: SchemaSpot,
    ) -> Walked<InPlaceCost> {
        let is_map = matches!(keyword, "dependentSchemas" | "dependencies");
        let mut all = InPlaceCost::default();
        for (schema, spot) in schemas_in(value, is_map, spot) {
            let found = self.schema(schema, resolver, spot)?;
            all.silent_parts += found.silent_parts;
            all.levels = all.levels.max(found.levels);
        }
        Ok(all)
    }

    fn inner_values<'r>(
        &mut self,
        keyword: &str,
        value: &'r Value,
        resolver: &Resolver<'r>,
        spot: SchemaSpot,
    ) -> Walked<()> {
        let is_map = matches!(keyword, "properties" | "patternProperties");
        if keyword == "patternProperties" {
            for pattern in value.as_object().into_iter().flat_map(Map::keys) {
                let size = self.pattern(pattern)?;
                self.weights.key += size.flat_steps(pattern);
                self.weights.key_byte += size.steps_per_byte();
                self.weights.key_rereads += u64::from(size.backtracks);
            }
        }
        for (schema, spot) in schemas_in(value, is_map, spot) {
            self.enter(schema, resolver, spot)?;
        }
        Ok(())
    }

    fn reference<'r>(
        &mut self,
        value: &'r Value,
        resolver: &Resolver<'r>,
        spot: SchemaSpot,
    ) -> Walked<InPlaceCost> {
        self.count(spot)?;
        let Some(place) = value.as_str() else { return Ok(InPlaceCost::default()) };
        let target = match resolver.lookup(place) {
            Ok(target) => target,
            Err(error) => {
                self.unclear = Some(error.to_string());
                return Ok(InPlaceCost::default());
            }
        };
        let address = address(target.contents());
        if self.open.contains(&address) {
            return Ok(InPlaceCost { silent_parts: 1, levels: 1 });
        }
        if self.open.len() >= SCHEMA_REFS_DEEP_MAX {
            let what = format!("chains more than {SCHEMA_REFS_DEEP_MAX} references");
            return Err(SchemaCostFault::TooLarge(what));
        }
        self.open.push(address);
        let (contents, inner, _) = target.into_inner();
        let found = self.schema(contents, &inner, spot);
        self.open.pop();
        let found = found?;
        let known = self.local_levels.entry(address).or_default();
        *known = (*known).max(found.levels);
        Ok(InPlaceCost { silent_parts: found.silent_parts, levels: 1 })
    }

    /// A value of the schema that is no schema. It is compared or quoted.
    fn data(&mut self, keyword: &str, value: &Value, spot: SchemaSpot) -> Walked<()> {
        self.count(spot)?;
        match value {
            Value::String(text) => {
                self.longest_text = self.longest_text.max(text.len());
                if keyword == "pattern" {
                    let size = self.pattern(text)?;
                    self.weights.text = self.weights.text.max(size.flat_steps(text));
                    self.weights.text_byte = self.weights.text_byte.max(size.steps_per_byte());
                    let rereads = u64::from(size.backtracks);
                    self.weights.text_rereads = self.weights.text_rereads.max(rereads);
                }
            }
            // The fields of an example or a default are no keywords.
            Value::Array(items) => {
                for (idx, item) in items.iter().enumerate() {
                    self.data("", item, spot.below_item(idx))?;
                }
            }
            Value::Object(fields) => {
                for (name, field) in fields {
                    self.data("", field, spot.below(name))?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        Ok(())
    }

    fn pattern(&mut self, pattern: &str) -> Walked<PatternSize> {
        if let Some(size) = self.measured.get(pattern) {
            return Ok(*size);
        }
        let size = match self.budget.take_pattern(pattern, PatternDialect::Ecma) {
            Ok(size) => size,
            Err(fault @ PatternFault::Syntax { .. }) => {
                self.unclear = Some(format!("the pattern `{pattern}` {fault}"));
                PatternSize::default()
            }
            Err(fault) => return Err(SchemaCostFault::TooLarge(fault.to_string())),
        };
        self.measured.insert(pattern.to_owned(), size);
        Ok(size)
    }
}

impl SchemaSpot {
    fn below(self, key: &str) -> SchemaSpot {
        SchemaSpot { path_bytes: self.path_bytes + 1 + key.len(), levels: self.levels + 1 }
    }

    fn below_item(self, idx: usize) -> SchemaSpot {
        self.below(&idx.to_string())
    }
}

impl PatternSize {
    fn flat_steps(self, pattern: &str) -> u64 {
        let tries = if self.backtracks { BACKTRACK_STEPS } else { 0 };
        // A list of words is compared word by word, without an engine.
        tries + pattern.len() as u64 / 8
    }

    fn steps_per_byte(self) -> u64 {
        let tries = if self.backtracks { BACKTRACK_STEPS / 64 } else { 0 };
        1 + self.states as u64 / STATES_PER_STEP + tries
    }
}

fn address(schema: &Value) -> usize {
    std::ptr::from_ref(schema) as usize
}

/// The schemas that a keyword holds.
fn schemas_in(
    value: &Value,
    is_map: bool,
    spot: SchemaSpot,
) -> Box<dyn Iterator<Item = (&Value, SchemaSpot)> + '_> {
    match value {
        Value::Array(items) => {
            Box::new(items.iter().enumerate().map(move |(idx, it)| (it, spot.below_item(idx))))
        }
        Value::Object(fields) if is_map => {
            Box::new(fields.iter().map(move |(name, it)| (it, spot.below(name))))
        }
        other => Box::new(std::iter::once((other, spot))),
    }
}

/// Refuses a schema of another dialect, in which the same words would mean something else.
fn refuse_other_dialect(fields: &Map<String, Value>) -> Walked<()> {
    match fields.get("$schema").and_then(Value::as_str) {
        Some(dialect) if dialect.trim_end_matches('#') != DIALECT => {
            let what = format!("has a part of another dialect than {DIALECT}");
            Err(SchemaCostFault::TooLarge(what))
        }
        _ => Ok(()),
    }
}

/// A part with an `$id` is a document within the document. The validator compiles what such parts refer to again for each
/// way that leads there: twenty of them that refer to each other would take hours.
fn refuse_own_id(fields: &Map<String, Value>) -> Walked<()> {
    match fields.get("$id") {
        Some(Value::String(_)) => {
            let what = "has a part with an `$id` of its own; only the schema itself may have one, `$defs` and `$anchor` name parts";
            Err(SchemaCostFault::TooLarge(what.to_owned()))
        }
        _ => Ok(()),
    }
}
