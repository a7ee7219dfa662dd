//! The processor: its kind, its cores, and the instructions without which models are slow.

use std::{env::consts::ARCH, num::NonZeroUsize, thread};

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
    let cores = if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") };
    let with = match here.is_empty() {
        true => String::new(),
        false => format!(", with {}", here.join(", ")),
    };
    let text = format!("{ARCH}, {cores}{with}");
    match missing.is_empty() {
        true => vec![DoctorFinding::ok(text, value)],
        false => {
            let text = format!("{text}; without {} a model is slow", missing.join(", "));
            vec![DoctorFinding::note(text, value, "narratoria run --planner lexical")]
        }
    }
}

/// The instructions with which llama.cpp multiplies matrices fast, and whether they are here.
#[cfg(target_arch = "x86_64")]
fn features() -> Vec<(&'static str, bool)> {
    vec![
        ("AVX2", std::arch::is_x86_feature_detected!("avx2")),
        ("FMA", std::arch::is_x86_feature_detected!("fma")),
        ("F16C", std::arch::is_x86_feature_detected!("f16c")),
    ]
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<(&'static str, bool)> {
    vec![
        ("NEON", std::arch::is_aarch64_feature_detected!("neon")),
        ("DOTPROD", std::arch::is_aarch64_feature_detected!("dotprod")),
    ]
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<(&'static str, bool)> {
    Vec::new()
}
