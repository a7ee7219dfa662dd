//! Limits the patterns, schemas and components that a package, and all packages together, make the host compile and
//! keep.
//! The sums count, because a thousand small patterns cost as much as one that is too large. Pure.

use super::pattern_cost::{PatternBudget, PatternDialect, PatternFault, PatternSize};

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

/// Rest of the budget for one package, plan or form.
#[derive(Debug, Default)]
pub struct CompileBudget {
    patterns: PatternBudget,
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
