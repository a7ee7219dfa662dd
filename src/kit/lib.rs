//! Row 7: what authors of skills and their CI need. Begins packages, builds, tries, checks, looks into and
//! packs them. Knows packages, the sandbox and their limits; draws nothing, and knows nothing of arguments
//! and terminals.
//!
//! [`Rig`] holds one package alone on the bench, every component ready; [`run_example`] runs one of its
//! examples and says how what came out differs from what it expects. [`inspect()`] looks at a package without
//! running any of it. [`check`] is the gate for CI. [`begin_package`] makes a new package from a template, and
//! [`build_package`] its components from its sources. [`Recorder`] writes a run down in a [`Record`], and runs it
//! again.

mod build;
pub mod check;
mod examples;
mod harness;
mod inspect;
mod new_package;
mod redactor;
mod run_record;
mod template;

pub use build::{
    BuildTools, BuiltScript, PackageBuildError, SdkCopy, build_package, compare_sdk, update_sdk,
};
pub use examples::{ExampleRun, run_example};
pub use harness::{HarnessCall, HarnessRun, PackageHarness};
pub use inspect::{
    ComponentFacts, GrantFacts, GrantUse, Limit, LimitFacts, MemoryFacts, NAMES_MAX, NameList,
    ScriptFacts, inspect, run_examples,
};
pub use new_package::{NewPackageError, create_package};
pub use run_record::{
    Difference, RECORD_BYTES_MAX, Replay, RunEventSink, RunRecord, RunRecordError, RunRecorder,
};
pub use template::{Language, SDK_VERSION};
