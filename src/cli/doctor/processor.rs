//! The processor: its kind, its cores, and the instructions that models need.

use std::{env::consts::ARCH, num::NonZeroUsize, thread};

use narratoria_ui::plural;
use serde_json::json;

use super::{finding::DoctorFinding, probe::DoctorContext};

pub(super) fn look(_: &DoctorContext) -> Vec<DoctorFinding> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let features = features();
    let of = |has: bool| {
        let named = features.iter().filter(|(_, is_here)| *is_here == has);
        named.map(|(name, _)| *name).collect::<Vec<&str>>()
    };
    let (here, missing) = (of(true), of(false));
    let value = json!({"architecture": ARCH, "cores": cores, "features": here, "missing": missing});
    let cores = plural(cores, "core");
    let with = match here.is_empty() {
        true => String::new(),
        false => format!(", with {}", here.join(", ")),
    };
    let text = format!("{ARCH}, {cores}{with}");
    match missing.is_empty() {
        true => vec![DoctorFinding::ok(text, value)],
        false => {
            let text = format!("{text}; without {} {WITHOUT}", missing.join(", "));
            vec![DoctorFinding::note(text, value, "narratoria run --planner lexical")]
        }
    }
}

/// What missing instructions mean for a model.
#[cfg(not(target_arch = "aarch64"))]
const WITHOUT: &str = "no model is loaded";
#[cfg(target_arch = "aarch64")]
const WITHOUT: &str = "a model is slow";

#[cfg(not(target_arch = "aarch64"))]
use narratoria_model::instructions::needed_instructions as features;

/// The instructions with which llama.cpp multiplies matrices fast, and whether they are here.
#[cfg(target_arch = "aarch64")]
fn features() -> Vec<(&'static str, bool)> {
    vec![
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        ("dotprod", std::arch::is_aarch64_feature_detected!("dotprod")),
    ]
}
