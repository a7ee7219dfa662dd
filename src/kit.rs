//! Row 7: what authors of skills and their CI need. Begins packages, builds, tries, checks, looks into and
//! packs them. Knows packages, the sandbox and their limits; draws nothing, and knows nothing of arguments
//! and terminals.
//!
//! [`Rig`] holds one package alone on the bench, every component ready; [`run_example`] runs one of its
//! examples and says how what came out differs from what it expects. [`inspect()`] looks at a package without
//! running any of it. [`check`] is the gate for CI. [`begin_package`] makes a new package from a template, and
//! [`build_package`] its components from its sources. [`Recorder`] writes a run down in a [`Record`], and runs it
//! again.

mod begin;
mod build;
pub mod check;
mod examples;
mod inspect;
mod record;
mod rig;
mod template;
mod veil;

pub use begin::{BeginError, begin_package};
pub use build::{BuildError, BuiltScript, SdkCopy, Tools, build_package, look_at_sdk, renew_sdk};
pub use examples::{ExampleRun, run_example};
pub use inspect::{
    ComponentFacts, GrantFacts, GrantUse, Limit, LimitFacts, MemoryFacts, NAMES_MAX, Names,
    ScriptFacts, inspect, run_examples,
};
pub use record::{Difference, Ear, RECORD_BYTES_MAX, Record, RecordError, Recorder, Replay};
pub use rig::{Ran, Rig, RigCall};
pub use template::{Language, SDK_VERSION};
