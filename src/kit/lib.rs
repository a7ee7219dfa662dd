//! Row 7: the tools of skill authors and their CI. Creates packages, builds, runs, checks and inspects them. Knows
//! packages, the sandbox and their limits; draws nothing, and knows nothing of arguments and terminals.
//!
//! [`PackageHarness`] holds one package with every component loaded; [`run_example`] runs one of its examples and
//! compares the result with the expected one. [`inspect()`] describes a package without running it. [`check`] is the
//! gate for CI. [`create_package`] makes a new package from a template, and [`build_package`] builds its components
//! from its sources. [`RunRecorder`] writes a run to a [`RunRecord`], and repeats it.

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
    ComponentFacts, GrantFacts, GrantUse, Limit, LimitFacts, MemoryFacts, NameList, ScriptFacts,
    inspect, run_examples,
};
pub use new_package::{NewPackageError, create_package};
pub use run_record::{
    Difference, RECORD_BYTES_MAX, Replay, RunEventSink, RunRecord, RunRecordError, RunRecorder,
};
pub use template::Language;
