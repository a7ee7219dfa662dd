//! Row 2: skill packages. A directory (opened through cap-std) or an embedded package becomes a
//! [`Skill`] in the [`Catalog`]; what is wrong with a package becomes a [`Problem`], never a failure of
//! the others. Knows the wire; knows nothing of plans, wasmtime or stories.

mod archive;
mod built_in;
mod catalog;
mod ceilings;
mod config;
mod discover;
mod examples;
mod footprint;
mod front_matter;
mod grant;
mod health;
mod hosts;
mod manifest;
mod package;
mod problem;
mod schema;
mod schema_cost;
mod scripts;
mod skill;
mod template;
mod triggers;

pub use archive::{
    ARCHIVE_BYTES_MAX, ARCHIVE_DEPTH_MAX, ARCHIVE_FILE_BYTES_MAX, ARCHIVE_FILES_MAX,
    ARCHIVE_PATH_BYTES_MAX, ARCHIVE_SUFFIX, ArchiveError, InstallError, InstallOptions, Installed,
    Keep as KeepFile, LISTING_BYTES_MAX, LISTING_FILE, PackError, Packed, Shelf, pack,
    read as read_archive,
};
pub use built_in::built_in;
pub use catalog::{
    Catalog, Example, Grants, Origin, RetryPolicy, SECRET_MASK, Script, ScriptLimits, Skill,
    ToolPathError, Trigger,
};
pub use ceilings::{Allowed, Ceilings};
pub use config::{
    CONFIG_BYTES_MAX, CONFIG_VALUE_BYTES_MAX, ConfigForm, ConfigFormError, ITEMS_MAX, ItemKind,
    Kept, Lookup, Setting, SettingError, SettingKind,
};
pub use discover::{
    EmbeddedPackage, Found, Loaded, PACKAGES_MAX, Root, find, load, load_package,
    load_package_without_secrets, load_within, open_one,
};
pub use examples::{EXAMPLE_BYTES_MAX, EXAMPLES_MAX};
pub use footprint::{AUTHOR_FOLDERS, FOOTPRINT_FILES_MAX, Footprints, footprints};
pub use front_matter::{COMPATIBILITY_CHARS_MAX, DESCRIPTION_CHARS_MAX, NAME_CHARS_MAX};
pub use grant::{Grant, Opens};
pub use health::{FAILURES_IN_A_ROW, Health, HealthBook, Signal, Transition};
pub use hosts::{Host, HostError, HostName};
pub use manifest::{
    FUEL_DEFAULT, FUEL_MAX, MEMORY_BYTES_DEFAULT, MEMORY_BYTES_MAX, STDOUT_BYTES_DEFAULT,
    STDOUT_BYTES_MAX, TIMEOUT_DEFAULT, TIMEOUT_MAX,
};
pub use package::{ENTRIES_MAX, EmbeddedFiles, FilesInMemory, PATH_BYTES_MAX};
pub use problem::{Problem, Severity};
pub use schema::{Mismatch, Schema, SchemaError};
pub use schema_cost::{SCHEMA_PARTS_MAX, SCHEMA_REFS_DEEP_MAX};
pub(crate) use scripts::NATIVE_MAGICS;
pub use scripts::{COMPONENT_BYTES_MAX, COMPONENTS_BYTES_MAX, SCHEMA_BYTES_MAX};
pub use skill::{MANIFEST_BYTES_MAX, PROMPT_BYTES_MAX};
pub use template::{Piece, SENTENCE_PLACEHOLDER, TemplateError, parse_template};
pub use triggers::PATTERN_BYTES_MAX;

#[cfg(test)]
mod tests;
