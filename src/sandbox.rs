//! Row 4: component + grants + request become events. Alone names wasmtime.

mod outcome;

pub use outcome::{Ending, EventSink, Invocation, Refusal, Usage};
