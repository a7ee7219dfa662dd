//! What a package, and all packages together, may make the host compile and keep: patterns and schemas. The sums count,
//! because a thousand small patterns cost as much as one that is too large. Pure.

use super::pattern_cost::PatternBudget;

/// Most parts of all schemas of a package together, references followed. A part takes about a kilobyte.
pub const PACKAGE_SCHEMA_PARTS_MAX: usize = 20_000;

/// Most parts of the schemas of all packages together, those in the program left out.
pub const CATALOG_SCHEMA_PARTS_MAX: usize = 50_000;

/// Most bytes of the patterns of all packages together, those in the program left out. Measured as
/// [`PATTERNS_BYTES_MAX`](crate::PATTERNS_BYTES_MAX) is.
pub const CATALOG_PATTERNS_BYTES_MAX: usize = 8 << 20;

/// Longest text of the triggers of a package: phrases, patterns and inputs.
pub const TRIGGERS_TEXT_BYTES_MAX: usize = 64 << 10;

/// Longest text of the triggers of all packages together, those in the program left out. The planner compares every
/// sentence with all of them.
pub const CATALOG_TRIGGERS_TEXT_BYTES_MAX: usize = 1 << 20;

/// What is left for one package.
#[derive(Debug, Default)]
pub(super) struct CompileBudget {
    pub(super) patterns: PatternBudget,
    taken: CompiledSize,
}

/// What packages make the host keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CompiledSize {
    schema_parts: usize,
    pattern_bytes: usize,
    trigger_bytes: usize,
}

impl CompileBudget {
    /// Takes a compiled schema's parts from what is left, or says why not.
    pub(super) fn take_schema(&mut self, parts: usize) -> Result<(), String> {
        self.taken.schema_parts += parts;
        if self.taken.schema_parts > PACKAGE_SCHEMA_PARTS_MAX {
            return Err(format!(
                "all schemas here together have more than {PACKAGE_SCHEMA_PARTS_MAX} parts"
            ));
        }
        Ok(())
    }

    /// Takes the text of a trigger from what is left, or says why not.
    pub(super) fn take_trigger(&mut self, bytes: usize) -> Result<(), String> {
        self.taken.trigger_bytes += bytes;
        if self.taken.trigger_bytes > TRIGGERS_TEXT_BYTES_MAX {
            return Err(format!(
                "the triggers of the package have more than {TRIGGERS_TEXT_BYTES_MAX} bytes of text"
            ));
        }
        Ok(())
    }

    pub(super) fn taken(&self) -> CompiledSize {
        CompiledSize { pattern_bytes: self.patterns.bytes_taken(), ..self.taken }
    }
}

impl CompiledSize {
    /// Adds a package to those before it, or says which sum would pass its limit.
    pub(super) fn add(&mut self, package: CompiledSize) -> Result<(), String> {
        let sum = CompiledSize {
            schema_parts: self.schema_parts + package.schema_parts,
            pattern_bytes: self.pattern_bytes + package.pattern_bytes,
            trigger_bytes: self.trigger_bytes + package.trigger_bytes,
        };
        let rows = [
            ("parts of schemas", sum.schema_parts, CATALOG_SCHEMA_PARTS_MAX),
            ("bytes of patterns", sum.pattern_bytes, CATALOG_PATTERNS_BYTES_MAX),
            ("bytes of triggers", sum.trigger_bytes, CATALOG_TRIGGERS_TEXT_BYTES_MAX),
        ];
        for (what, found, limit) in rows {
            if found > limit {
                return Err(format!(
                    "is left out: with the packages before it there are {found} {what}, the limit is {limit}; remove \
                     one of them"
                ));
            }
        }
        *self = sum;
        Ok(())
    }
}
