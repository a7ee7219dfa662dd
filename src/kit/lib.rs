//! The tools of skill authors and their CI. Creates packages, builds, runs, checks and inspects them. Knows
//! packages, the sandbox and their limits; draws nothing, and knows nothing of arguments and terminals.
//!
//! [`PackageHarness`] holds one package with every component loaded; [`run_example`] runs one of its examples and
//! compares the result with the expected one. [`inspect()`] describes a package without running it. [`check`] is the
//! gate for CI. [`create_package`] makes a new package from a template, [`add_script()`] adds a script to one, and
//! [`build_package`] builds its components from its sources. [`RunRecorder`] writes a run to a [`RunRecord`], and
//! repeats it.

mod add_script;
mod build;
mod chance;
pub mod check;
mod coverage;
mod example_update;
mod examples;
mod harness;
mod inspect;
mod json_edit;
pub mod junit;
mod manifest_text;
mod new_package;
mod package_name;
mod redactor;
mod remove_script;
mod run_record;
mod schema_update;
mod script_feature;
mod script_service;
mod script_template;
mod signing;
mod template;

pub use add_script::{AddScriptError, NewScript, add_script};
pub use build::{
    BuildTools, BuiltScript, PackageBuildError, PlayBuild, SOURCE_NOT_LOADED, SdkCopy,
    SourceFingerprint, ToolOutput, build_changed, build_digest, build_for_play, build_package,
    compare_sdk, find_toolchain, publish_package, source_fingerprint, stale_components, update_sdk,
};
pub use coverage::{CoveredPart, ExampleCoverage};
pub use example_update::{ExampleUpdateError, updated_example};
pub use examples::{ExampleRun, run_example};
pub use harness::{HarnessCall, HarnessRun, PackageHarness};
pub use inspect::{
    ComponentFacts, GrantFacts, GrantUse, Limit, LimitFacts, MemoryFacts, NameList, ScriptFacts,
    inspect, run_examples,
};
pub use new_package::{NewPackageError, create_empty, create_package, create_prompt_only};
pub use remove_script::{RemoveScriptError, ScriptRemoval, script_removal};
pub use run_record::{
    Difference, RECORD_BYTES_MAX, Replay, RunEventSink, RunRecord, RunRecordError, RunRecorder,
};
pub use schema_update::stale_schemas;
pub use script_feature::ScriptFeature;
pub use signing::{
    NewKeyPair, SECRET_KEY_BYTES_MAX, SigningError, SigningKey, needs_password, new_key_pair,
};
pub use template::{Language, SdkSource};
