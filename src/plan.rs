//! Row 3: a plan's text becomes a [`Plan`] that can run, or a list of everything wrong with it. Pure:
//! knows the wire and the catalog; knows nothing of wasmtime, timers or stories.

mod model;
pub mod wire;

pub use model::{Plan, Step, StepIdx};
pub use wire::PlanJson;
