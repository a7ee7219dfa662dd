//! The heavy scripts of a tenant's process.

use std::{path::Path, sync::mpsc};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::{FinishedInvocation, InvocationOutput};
use narratoria_sandbox::{LoadedComponent, Sandbox};
use narratoria_skills::{COMPONENT_BYTES_MAX, Grants, read_outside};
use tokio::{runtime::Handle, task::block_in_place};

use super::step_request::StepRequest;

/// Runs heavy scripts. Keeps the component that it ran last: a step is often one of many like it.
pub(super) struct StepRunner {
    sandbox: Sandbox,
    /// The digest that the order names, and the component.
    last: Option<(String, LoadedComponent)>,
}

impl StepRunner {
    pub(super) fn new(sandbox: Sandbox) -> StepRunner {
        StepRunner { sandbox, last: None }
    }

    /// Runs one step; `file` is its component.
    pub(super) fn run(
        &mut self,
        file: &Path,
        request: &str,
    ) -> Result<FinishedInvocation, TurnError> {
        let bad = |why: String| TurnError::new(TurnErrorKind::BadInput, format!("a step {why}"));
        let request = StepRequest::read(request).map_err(bad)?;
        let component = match self.last.take().filter(|(digest, _)| *digest == request.component) {
            Some((_, component)) => component,
            None => {
                let wasm = read_outside(file, COMPONENT_BYTES_MAX)
                    .map_err(|why| bad(format!("has no component: {why}")))?;
                let loaded = self.sandbox.load(&wasm, &Grants::default());
                loaded.map_err(|error| bad(format!("has an unusable component: {error}")))?
            }
        };
        let (sender, events) = mpsc::channel();
        let sink = move |output| {
            if let InvocationOutput::Event(event) = output {
                // The receiver lives until the script has ended.
                let _ = sender.send(event);
            }
        };
        let running = component.run(request.input(), Box::new(sink));
        let outcome = block_in_place(|| Handle::current().block_on(running));
        self.last = Some((request.component, component));
        Ok(FinishedInvocation {
            events: events.try_iter().collect(),
            ending: outcome.ending,
            usage: outcome.usage,
            stderr_tail: outcome.stderr_tail,
        })
    }
}
