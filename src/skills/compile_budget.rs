//! Limits the patterns, schemas and components that a package, and all packages together, make the host compile and
//! keep.
//! The sums count, because a thousand small patterns cost as much as one that is too large. Pure.

use std::collections::BTreeMap;

use regex::{Regex, RegexBuilder};

use super::pattern_cost::{
    PATTERN_BYTES_MAX, PatternBudget, PatternDialect, PatternFault, PatternSize,
};

/// Most parts of all schemas of a package together, references followed. A part takes about a kilobyte.
pub const PACKAGE_SCHEMA_PARTS_MAX: usize = 20_000;

/// Most parts of the schemas of all packages together, those in the program left out.
pub const CATALOG_SCHEMA_PARTS_MAX: usize = 50_000;

/// Most bytes of the patterns of all packages together, those in the program left out. Measured as
/// [`PATTERNS_BYTES_MAX`](crate::PATTERNS_BYTES_MAX) is.
pub const CATALOG_PATTERNS_BYTES_MAX: usize = 8 << 20;

/// Most bytes of the components of all packages together, those in the program left out. They are in memory until they
/// are compiled.
pub const CATALOG_COMPONENTS_BYTES_MAX: usize = 512 << 20;

/// Longest text of the triggers of a package: phrases, patterns and inputs.
pub const TRIGGERS_TEXT_BYTES_MAX: usize = 64 << 10;

/// Longest text of the triggers of all packages together, those in the program left out. The planner compares every
/// sentence with all of them.
pub const CATALOG_TRIGGERS_TEXT_BYTES_MAX: usize = 1 << 20;

/// Most steps of all checks while a package is loaded: of its examples, settings and manifest.
pub const PACKAGE_STEPS_MAX: u64 = 20_000_000;

/// Most steps of all checks while all packages are loaded, those in the program left out.
pub const CATALOG_STEPS_MAX: u64 = 200_000_000;

/// Bytes that `regex` may take for a pattern that was measured: it compiles a pattern forwards and backwards.
const COMPILED_BYTES: usize = 8 * PATTERN_BYTES_MAX;

/// Rest of the budget for one package, plan or form.
#[derive(Debug, Default)]
pub struct CompileBudget {
    patterns: PatternBudget,
    /// The patterns of triggers that are compiled, with their sizes: several triggers often have one.
    trigger_patterns: BTreeMap<String, (PatternSize, Regex)>,
    taken: CompiledSize,
    /// Amounts that the packages before this one took.
    before: CompiledSize,
}

/// Amounts that packages make the host keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CompiledSize {
    schema_parts: usize,
    pattern_bytes: usize,
    trigger_bytes: usize,
    component_bytes: usize,
}

impl CompileBudget {
    /// For a package that shares the limits of a catalog.
    pub(super) fn after(before: CompiledSize) -> CompileBudget {
        CompileBudget { before, ..CompileBudget::default() }
    }

    /// Counts a compiled schema's parts against the budget, or says why they do not fit.
    pub(super) fn take_schema(&mut self, parts: usize) -> Result<(), String> {
        self.taken.schema_parts += parts;
        if self.taken.schema_parts > PACKAGE_SCHEMA_PARTS_MAX {
            return Err(format!(
                "all schemas here together have more than {PACKAGE_SCHEMA_PARTS_MAX} parts"
            ));
        }
        self.check_catalog()
    }

    /// Measures a pattern and counts it against the budget, or says why it does not fit.
    pub fn take_pattern(
        &mut self,
        pattern: &str,
        dialect: PatternDialect,
    ) -> Result<PatternSize, PatternFault> {
        let size = self.patterns.take(pattern, dialect)?;
        self.check_catalog().map_err(|reason| PatternFault::Catalog { reason })?;
        Ok(size)
    }

    /// Measures a pattern of a trigger, counts it and compiles it, or says why that is not possible. A pattern that stands
    /// in several triggers counts each time, and is compiled once.
    pub(super) fn compile_trigger_pattern(&mut self, text: &str) -> Result<Regex, String> {
        if let Some((size, regex)) = self.trigger_patterns.get(text) {
            self.patterns.take_again(text, *size).map_err(|fault| fault.to_string())?;
            self.check_catalog()?;
            return Ok(regex.clone());
        }
        let dialect = PatternDialect::Plain { ignores_case: true };
        let size = self.take_pattern(text, dialect).map_err(|fault| fault.to_string())?;
        let regex = RegexBuilder::new(text)
            .case_insensitive(true)
            .size_limit(COMPILED_BYTES)
            .build()
            .map_err(|error| format!("is not a pattern: {error}"))?;
        self.trigger_patterns.insert(text.to_owned(), (size, regex.clone()));
        Ok(regex)
    }

    /// Nothing is compiled for a package that would be left out.
    fn check_catalog(&self) -> Result<(), String> {
        self.before.with(self.taken()).check_catalog()
    }

    /// Counts the text of a trigger against the budget, or says why it does not fit.
    pub(super) fn take_trigger(&mut self, bytes: usize) -> Result<(), String> {
        self.taken.trigger_bytes += bytes;
        if self.taken.trigger_bytes > TRIGGERS_TEXT_BYTES_MAX {
            return Err(format!(
                "the triggers of the package have more than {TRIGGERS_TEXT_BYTES_MAX} bytes of text"
            ));
        }
        self.check_catalog()
    }

    /// Counts a component that was read against the budget, or says why it does not fit.
    pub(super) fn take_component(&mut self, bytes: usize) -> Result<(), String> {
        self.taken.component_bytes += bytes;
        self.check_catalog()
    }

    pub(super) fn taken(&self) -> CompiledSize {
        CompiledSize { pattern_bytes: self.patterns.bytes_taken(), ..self.taken }
    }
}

impl CompiledSize {
    /// The sum.
    pub(super) fn with(self, other: CompiledSize) -> CompiledSize {
        CompiledSize {
            schema_parts: self.schema_parts + other.schema_parts,
            pattern_bytes: self.pattern_bytes + other.pattern_bytes,
            trigger_bytes: self.trigger_bytes + other.trigger_bytes,
            component_bytes: self.component_bytes + other.component_bytes,
        }
    }

    /// Says which sum of all packages passes its limit.
    fn check_catalog(self) -> Result<(), String> {
        let rows = [
            ("parts of schemas", self.schema_parts, CATALOG_SCHEMA_PARTS_MAX),
            ("bytes of patterns", self.pattern_bytes, CATALOG_PATTERNS_BYTES_MAX),
            ("bytes of triggers", self.trigger_bytes, CATALOG_TRIGGERS_TEXT_BYTES_MAX),
            ("bytes of components", self.component_bytes, CATALOG_COMPONENTS_BYTES_MAX),
        ];
        match rows.into_iter().find(|(_, found, limit)| found > limit) {
            Some((what, found, limit)) => Err(format!(
                "with the packages before this one there are {found} {what}, the limit is {limit}; remove one of them"
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CompileBudget;

    #[test]
    fn a_pattern_of_several_triggers_counts_each_time_and_is_compiled_once() {
        let mut budget = CompileBudget::default();
        let mut taken = Vec::new();
        for text in ["roll (?<n>[0-9]+)", "roll (?<n>[0-9]+)", "throw"] {
            let regex = budget.compile_trigger_pattern(text).unwrap();
            assert_eq!(regex.as_str(), text);
            taken.push(budget.taken().pattern_bytes);
        }
        assert!(taken[0] > 0 && taken[1] == 2 * taken[0] && taken[2] > taken[1], "{taken:?}");
        assert_eq!(budget.trigger_patterns.len(), 2);
        // A pattern that was measured before does not fit either once the budget is used up.
        let fault = std::iter::repeat_with(|| budget.compile_trigger_pattern("throw").err());
        let fault = fault.take(10_000).find_map(|fault| fault);
        assert_eq!(
            fault.as_deref(),
            Some("all patterns here together are larger than 1048576 bytes")
        );
    }
}
