//! Skill packages. A directory (opened through cap-std) or an embedded package becomes a [`Skill`] in the
//! [`Catalog`]; a faulty package becomes [`Problem`]s and never stops the others. Knows the wire; knows nothing of
//! plans, wasmtime or stories.

mod agent_skill;
mod archive;
mod catalog;
mod catch_all;
mod claim_conflicts;
mod claims;
mod compile_budget;
mod component_file;
mod config;
mod demand;
mod discover;
mod examples;
mod fields_meant;
mod fingerprint;
mod forbidden;
mod front_matter;
mod grant;
mod guidance;
mod guide;
mod health;
mod host_policy;
mod hosts;
mod manifest;
mod odd_text;
mod outside_file;
mod package;
mod package_index;
mod pattern_cost;
mod problem;
mod schema;
mod schema_cost;
mod schema_in_state;
mod schema_meter;
pub mod schema_view;
mod scripts;
mod signer_key;
mod skill;
mod state_values;
mod strict_yaml;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod trigger_template;
mod triggers;
mod web_address;

pub use agent_skill::{LISTED_FILES_MAX, LISTED_FOLDERS, ListedFiles};
pub use archive::{
    ARCHIVE_BYTES_MAX, ARCHIVE_PATH_BYTES_MAX, ARCHIVE_SUFFIX, ArchiveError, ArchiveFileSink,
    ArchiveSignature, BlockedUpgrade, IndexClaims, InstallError, InstallOptions, InstallOrigin,
    InstallReport, InstallSource, LISTING_FILE, PackError, PackReport, PackageDir, PinnedKey,
    RemovedPackage, SIGNATURE_BYTES_MAX, SIGNATURE_SUFFIX, SignatureError, SignedClaims,
    StagedPackage, is_zip, pack, read as read_archive, read_origin, unzip_package,
};
pub use catalog::{
    Catalog, ExampleAnswer, ExampleMemory, ExampleServices, FollowUp, PackageOrigin, RetryPolicy,
    SECRET_MASK, Script, ScriptLimits, Skill, SkillExample, ToolPathError, Trigger, WriteClaim,
};
pub use compile_budget::{
    CATALOG_COMPONENTS_BYTES_MAX, CATALOG_PATTERNS_BYTES_MAX, CATALOG_SCHEMA_PARTS_MAX,
    CATALOG_STEPS_MAX, CATALOG_TRIGGERS_TEXT_BYTES_MAX, CompileBudget, PACKAGE_SCHEMA_PARTS_MAX,
    PACKAGE_STEPS_MAX, TRIGGERS_TEXT_BYTES_MAX,
};
pub use component_file::{ComponentFile, ComponentReadError};
pub use config::{
    CONFIG_BYTES_MAX, ConfigForm, ConfigFormError, ItemKind, PlayerSide, PlayerValue,
    PlayerVariables, Setting, SettingError, SettingKind, SettingValue, SettingsFolder,
    VariableLookup, create_private, write_private,
};
pub use demand::{
    Demand, DemandKind, demands, dropped_approvals, other_author, other_signer, replaced_built_in,
};
pub use discover::{
    EmbeddedPackage, LoadReport, PACKAGES_MAX, PackageHandle, PackageRoot, find_in_roots,
    is_package_folder, load, load_for_player, load_package, open_package_folder,
};
pub use examples::EXAMPLES_MAX;
pub use fingerprint::{PackageFingerprints, package_fingerprints};
pub use forbidden::{ForbiddenFile, PACKAGE_FILES_MAX, PACKAGE_FOLDERS_DEEP_MAX};
pub use front_matter::{
    CutText, DESCRIPTION_CHARS_MAX, FRONT_MATTER_ALIASES_MAX, FRONT_MATTER_BYTES_MAX,
    FRONT_MATTER_DEPTH_MAX, FRONT_MATTER_VALUES_MAX, SKILL_NAME_CHARS_MAX, agent_skill_remarks,
    texts_cut_by_remarks,
};
pub use grant::{Grant, GrantImport, Grants};
pub use guidance::{
    GUIDANCE_CHARS_MAX, GUIDES_MAX, PROMPT_CHARS_MAX, PROMPT_CHARS_SAFE, StoryGuidance,
    prompt_paragraphs,
};
pub use guide::{GUIDE_BYTES_MAX, GUIDE_FILES_MAX, GuideFile, SkillGuide};
pub use health::{Health, HealthSignal, HealthTracker, HealthTransition};
pub use host_policy::{AllowList, Ceiling, HostPolicy, PolicyBreach, PolicyEffect};
pub use hosts::{HostName, HostNameError, HttpHost};
pub use manifest::{
    FUEL_DEFAULT, FUEL_MAX, MEMORY_BYTES_DEFAULT, MEMORY_BYTES_MAX, STDOUT_BYTES_DEFAULT,
    STDOUT_BYTES_MAX, TIMEOUT_DEFAULT, TIMEOUT_MAX,
};
pub use outside_file::{OutsideFileError, open_outside, open_regular, read_outside};
pub use package::{AUTHOR_FOLDERS, EmbeddedFiles, FilesInMemory};
pub use package_index::{INDEX_BYTES_MAX, INDEX_FILE, IndexEntry, IndexError, PackageIndex};
pub use pattern_cost::{
    PATTERN_BYTES_MAX, PATTERNS_BYTES_MAX, PATTERNS_TEXT_BYTES_MAX, PatternBudget, PatternDialect,
    PatternFault, PatternSize,
};
pub use problem::{
    PROBLEM_CHARS_MAX, PROBLEMS_FOUND_MAX, PROBLEMS_OF_ALL_MAX, PROBLEMS_REPORTED_MAX, Problem,
    Severity,
};
pub use schema::{Mismatch, Schema, SchemaError, VALIDATION_LEVELS_MAX};
pub use schema_cost::{SCHEMA_LEVELS_MAX, SCHEMA_PARTS_MAX, SCHEMA_REFS_DEEP_MAX};
pub use schema_in_state::SchemaInState;
pub use schema_meter::{VALIDATION_STEPS_MAX, VALIDATION_TIME_MAX, limit_steps};
pub use scripts::COMPONENT_BYTES_MAX;
pub use signer_key::{SignerKey, SignerKeyError};
pub use skill::MANIFEST_BYTES_MAX;
pub use state_values::{
    OPEN_WITHOUT_LIST, REFERENCE_ONLY, STATE_VALUE_BYTES_MAX, STATE_VALUES_BYTES_MAX,
    STATE_VALUES_MAX, StateValueLists, StateValues, VALUE_SOURCES_MAX, VALUES_BOUND_TO,
    VALUES_FROM, VALUES_POINTER_BYTES_MAX, ValueSource, nearest_values, state_at,
};
pub use strict_yaml::{StrictYamlError, read_yaml};
pub use trigger_template::{
    SENTENCE_PLACEHOLDER, TriggerTemplateError, TriggerTemplatePart, parse_trigger_template,
};

pub use triggers::referenced_step;
pub use web_address::{WebOrigin, is_this_machine, redirect_target};

#[cfg(test)]
mod tests;
