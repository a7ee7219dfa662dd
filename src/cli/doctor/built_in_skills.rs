//! The skills that the program carries, and whether their native code works on this machine.

use std::collections::BTreeSet;

use narratoria_protocol::digest::sha256;
use narratoria_sandbox::{Sandbox, SandboxOptions};
use narratoria_skills::{Grants, Severity, load};
use serde_json::json;

use super::{finding::DoctorFinding, probe::DoctorContext};
use crate::compile::embedded_code;

pub(super) fn look(_: &DoctorContext) -> Vec<DoctorFinding> {
    let loaded = load(&[narratoria_built_in::built_in()]);
    let broken =
        |what: String| vec![DoctorFinding::fault(what, json!(null), "narratoria --version")];
    if let Some(problem) = loaded.problems.iter().find(|problem| problem.severity != Severity::Note)
    {
        return broken(format!("this program is damaged: {problem}"));
    }
    // Without a folder for a cache, the sandbox only reads.
    let options = SandboxOptions { embedded_code: embedded_code(), ..SandboxOptions::default() };
    let sandbox = match Sandbox::open(&options) {
        Ok(sandbox) => sandbox,
        Err(error) => return broken(format!("no script can run on this machine: {error}")),
    };
    let (mut seen, mut ready, mut skills) = (BTreeSet::new(), 0_usize, 0_usize);
    for skill in loaded.catalog.iter() {
        skills += 1;
        for script in &skill.scripts {
            let Ok(component) = script.component.read() else {
                return broken(format!("this program is damaged: `{}` cannot be read", skill.name));
            };
            // Several scripts may be one component.
            if seen.insert(sha256(&component)) {
                // An error about grants comes after the code was loaded.
                ready += usize::from(sandbox.load_cached(&component, &Grants::default()).is_some());
            }
        }
    }
    let value = json!({"skills": skills, "components": seen.len(), "native": ready});
    let text = format!("{skills} skills come with the program");
    vec![match ready {
        0 => {
            let text = format!(
                "{text}, without native code for this machine: the first start compiles them"
            );
            DoctorFinding::note(text, value, "narratoria skill list")
        }
        ready if ready < seen.len() => {
            let text = format!(
                "{text}, and the native code of {} of {} components is damaged: install the program again",
                seen.len() - ready,
                seen.len()
            );
            DoctorFinding::fault(text, value, "narratoria --version")
        }
        _ => DoctorFinding::ok(format!("{text}, and their native code works"), value),
    }]
}
