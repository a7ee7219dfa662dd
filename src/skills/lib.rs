//! Row 2: skill packages. A directory (opened through cap-std) or an embedded package becomes a [`Skill`] in the
//! [`Catalog`]; a faulty package becomes [`Problem`]s and never stops the others. Knows the wire; knows nothing of
//! plans, wasmtime or stories.

mod archive;
mod catalog;
mod config;
mod discover;
mod examples;
mod fingerprint;
mod front_matter;
mod grant;
mod health;
mod host_policy;
mod hosts;
mod manifest;
mod package;
mod problem;
mod schema;
mod schema_cost;
pub mod schema_view;
mod scripts;
mod skill;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod trigger_template;
mod triggers;

pub use archive::{
    ARCHIVE_PATH_BYTES_MAX, ARCHIVE_SUFFIX, ArchiveError, ArchiveFileSink, InstallError,
    InstallOptions, InstallReport, LISTING_FILE, PackError, PackReport, PackageDir, pack,
    read as read_archive,
};
pub use catalog::{
    Catalog, Grants, PackageOrigin, RetryPolicy, SECRET_MASK, Script, ScriptLimits, Skill,
    SkillExample, ToolPathError, Trigger,
};
pub use config::{
    CONFIG_BYTES_MAX, ConfigForm, ConfigFormError, ItemKind, Setting, SettingError, SettingKind,
    SettingValue, VariableLookup,
};
pub use discover::{
    EmbeddedPackage, LoadReport, PACKAGES_MAX, PackageHandle, PackageRoot, find_in_roots, load,
    load_package, load_package_without_secrets, load_with_policy, open_package_folder,
};
pub use examples::EXAMPLES_MAX;
pub use fingerprint::{AUTHOR_FOLDERS, PackageFingerprints, package_fingerprints};
pub use front_matter::{DESCRIPTION_CHARS_MAX, SKILL_NAME_CHARS_MAX};
pub use grant::{Grant, GrantImport};
pub use health::{Health, HealthSignal, HealthTracker, HealthTransition};
pub use host_policy::{AllowList, HostPolicy};
pub use hosts::{HostError, HostName, HttpHost};
pub use manifest::{
    FUEL_DEFAULT, FUEL_MAX, MEMORY_BYTES_DEFAULT, MEMORY_BYTES_MAX, STDOUT_BYTES_DEFAULT,
    STDOUT_BYTES_MAX, TIMEOUT_DEFAULT, TIMEOUT_MAX,
};
pub use package::{EmbeddedFiles, FilesInMemory};
pub use problem::{Problem, Severity};
pub use schema::{Mismatch, Schema, SchemaError};
pub use schema_cost::{SCHEMA_PARTS_MAX, SCHEMA_REFS_DEEP_MAX};
pub use scripts::{COMPONENT_BYTES_MAX, NATIVE_MAGICS};
pub use skill::MANIFEST_BYTES_MAX;
pub use trigger_template::{
    SENTENCE_PLACEHOLDER, TriggerTemplateError, TriggerTemplatePart, parse_trigger_template,
};
pub use triggers::PATTERN_BYTES_MAX;

#[cfg(test)]
mod tests;
