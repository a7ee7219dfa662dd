//! Heavy scripts that run on other machines. Such a script has no grants, so its request and its component are everything that
//! its outcome depends on.

use std::{fmt, future::Future, pin::Pin};

use narratoria_executor::AttemptCall;
use narratoria_protocol::FinishedInvocation;
use narratoria_sandbox::InvocationLimits;
use narratoria_skills::{ComponentFile, Grant, Script};

/// One attempt of a heavy script.
#[derive(Debug, Clone)]
pub struct HeavyInvocation {
    pub component: ComponentFile,
    /// The script's name, by which a component with several picks one.
    pub script: String,
    /// The line of its request.
    pub stdin: Vec<u8>,
    pub seed: u64,
    pub limits: InvocationLimits,
}

/// How another machine did it.
pub type FleetInvocation<'f> =
    Pin<Box<dyn Future<Output = Option<FinishedInvocation>> + Send + 'f>>;

/// Machines that run heavy scripts.
pub trait ScriptFleet: fmt::Debug + Send + Sync {
    /// Runs an attempt to its end, which comes at the limit of its time at the latest; the wait for a machine is a part of
    /// it. `None` if no machine could do it: then the attempt runs here, in the time that is left. Dropping the future takes the attempt back.
    fn run(&self, invocation: HeavyInvocation) -> FleetInvocation<'_>;
}

impl HeavyInvocation {
    /// The attempt as another machine may run it; `None` for one that runs here. A request with a secret of the player
    /// leaves this machine only to whom the player has named, so a skill with secrets runs here.
    pub(super) fn of(
        call: &AttemptCall,
        script: &Script,
        limits: InvocationLimits,
    ) -> Option<HeavyInvocation> {
        let has_grants = Grant::ALL.into_iter().any(|it| it.is_requested_in(&script.grants));
        let may_leave = script.is_heavy && !has_grants && call.skill.secrets.is_empty();
        may_leave.then(|| HeavyInvocation {
            component: script.component.clone(),
            script: script.name.clone(),
            stdin: call.request.to_line(),
            seed: call.request.seed,
            limits,
        })
    }
}
