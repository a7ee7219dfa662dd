//! Runs the probes side by side, each on a thread of its own that nobody waits for longer than its time.

use std::{
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::finding::DoctorFinding;
use crate::settings::{CliSettings, Home};

/// What a probe may look at.
#[derive(Debug, Clone)]
pub(super) struct DoctorContext {
    pub(super) settings: CliSettings,
    /// The place of the home folder, whatever is there; `None` if no variable says where it is.
    pub(super) home: Option<Home>,
}

/// Looks at one part of the machine.
pub(super) struct Probe {
    pub(super) part: &'static str,
    /// The time after which it counts as hanging.
    pub(super) time: Duration,
    pub(super) run: fn(&DoctorContext) -> Vec<DoctorFinding>,
}

/// Returns the findings of all probes, in the order of the probes.
pub(super) fn run_probes(probes: &'static [Probe], context: DoctorContext) -> Vec<DoctorFinding> {
    let (begun, context) = (Instant::now(), Arc::new(context));
    let running: Vec<_> = probes
        .iter()
        .map(|probe| {
            let (send, findings) = mpsc::channel();
            let context = Arc::clone(&context);
            let work = move || {
                // Nobody listens any more if it took too long.
                let _ = send.send((probe.run)(&context));
            };
            // Without a thread the sender is dropped, which is reported below.
            let _ = thread::Builder::new().name(probe.part.to_owned()).spawn(work);
            (probe, findings)
        })
        .collect();
    let mut all = Vec::new();
    for (probe, findings) in running {
        let left = probe.time.saturating_sub(begun.elapsed());
        let found = match findings.recv_timeout(left) {
            Ok(found) => found,
            Err(why) => vec![not_known(probe, why)],
        };
        all.extend(found.into_iter().map(|it| DoctorFinding { part: probe.part, ..it }));
    }
    all
}

fn not_known(probe: &Probe, why: mpsc::RecvTimeoutError) -> DoctorFinding {
    let text = match why {
        mpsc::RecvTimeoutError::Timeout => {
            format!("it gave no answer within {} s", probe.time.as_secs_f64())
        }
        mpsc::RecvTimeoutError::Disconnected => "it could not be looked at".to_owned(),
    };
    DoctorFinding::fault(text, json!(null), "narratoria --log-level debug doctor")
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use serde_json::json;

    use super::{DoctorContext, Probe, run_probes};
    use crate::{doctor::finding::DoctorFinding, settings::CliSettings};

    const SHORT: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_secs(300);

    /// Waits for something that never comes.
    fn hang(_: &DoctorContext) -> Vec<DoctorFinding> {
        let (_kept, never) = mpsc::channel::<()>();
        let _ = never.recv();
        Vec::new()
    }

    fn answer(_: &DoctorContext) -> Vec<DoctorFinding> {
        vec![DoctorFinding::ok("here", json!(true))]
    }

    fn fail(_: &DoctorContext) -> Vec<DoctorFinding> {
        panic!("a probe of this test fails")
    }

    static PROBES: [Probe; 3] = [
        Probe { part: "slow", time: SHORT, run: hang },
        Probe { part: "good", time: LONG, run: answer },
        Probe { part: "bad", time: LONG, run: fail },
    ];

    #[test]
    fn a_probe_that_hangs_or_panics_is_a_fault_and_the_others_answer() {
        let context = DoctorContext { settings: CliSettings::bare().unwrap(), home: None };
        let found = run_probes(&PROBES, context);
        let shown: Vec<String> = found
            .iter()
            .map(|it| format!("{} {} {}", it.part, it.state.as_str(), it.text))
            .collect();
        assert_eq!(
            shown,
            [
                "slow fault it gave no answer within 0.001 s",
                "good ok here",
                "bad fault it could not be looked at"
            ]
        );
    }
}
