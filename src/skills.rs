//! Row 2: skill packages. A directory (opened through cap-std) or an embedded package becomes a
//! [`Skill`] in the [`Catalog`]; what is wrong with a package becomes a [`Problem`], never a failure of
//! the others. Knows the wire; knows nothing of plans, wasmtime or stories.

mod built_in;
mod catalog;
mod config;
mod discover;
mod examples;
mod front_matter;
mod health;
mod manifest;
mod package;
mod problem;
mod schema;
mod schema_cost;
mod scripts;
mod skill;
mod template;
mod triggers;

pub use built_in::built_in;
pub(crate) use catalog::nearest;
pub use catalog::{
    Catalog, Example, Grants, Origin, RetryPolicy, SECRET_MASK, Script, ScriptLimits, Skill,
    ToolPathError, Trigger,
};
pub use config::{CONFIG_BYTES_MAX, CONFIG_VALUE_BYTES_MAX, Lookup};
pub use discover::{EmbeddedPackage, Loaded, PACKAGES_MAX, Root, load};
pub use examples::{EXAMPLE_BYTES_MAX, EXAMPLES_MAX};
pub use front_matter::{COMPATIBILITY_CHARS_MAX, DESCRIPTION_CHARS_MAX, NAME_CHARS_MAX};
pub use health::{FAILURES_IN_A_ROW, Health, HealthBook, Signal, Transition};
pub use manifest::{
    FUEL_DEFAULT, FUEL_MAX, MEMORY_BYTES_DEFAULT, MEMORY_BYTES_MAX, STDOUT_BYTES_DEFAULT,
    STDOUT_BYTES_MAX, TIMEOUT_DEFAULT,
};
pub use package::{ENTRIES_MAX, EmbeddedFiles, PATH_BYTES_MAX};
pub use problem::{Problem, Severity};
pub use schema::{Mismatch, Schema, SchemaError};
pub use schema_cost::{SCHEMA_PARTS_MAX, SCHEMA_REFS_DEEP_MAX};
pub use scripts::{COMPONENT_BYTES_MAX, COMPONENTS_BYTES_MAX, SCHEMA_BYTES_MAX};
pub use skill::{MANIFEST_BYTES_MAX, PROMPT_BYTES_MAX};
pub use template::{Piece, SENTENCE_PLACEHOLDER, TemplateError, parse_template};
pub use triggers::PATTERN_BYTES_MAX;

#[cfg(test)]
mod tests;
