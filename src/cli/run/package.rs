//! The package that its author works on during play.

use super::play_session::PlaySession;
use crate::exit::Exit;

impl PlaySession {
    /// Prints the news about the package, if there is one. A line of a pipe waits until the work has caught up with the
    /// disk. Returns false if the player leaves.
    pub(super) async fn await_package(&mut self) -> bool {
        let Some(package) = &self.package else { return true };
        if !self.ignores_failures {
            let leave = self.interrupts.exit_token();
            tokio::select! {
                biased;
                () = leave.cancelled() => {
                    self.exit = Exit::Interrupted;
                    return false;
                }
                () = package.settle() => {}
            }
        }
        package.report(&mut self.err);
        true
    }

    /// Makes the last round count for the exit code, because a pipe sees nothing else.
    pub(super) fn record_package(&mut self) {
        let is_ok = self.package.as_ref().is_none_or(|package| package.is_ok());
        if !is_ok && !self.ignores_failures {
            self.exit = self.exit.max(Exit::Failed);
        }
    }
}
