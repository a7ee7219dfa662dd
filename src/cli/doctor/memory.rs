//! Memory: how much there is, and whether a model fits.

use narratoria_model::memory::{memory_available, memory_total};
use serde_json::json;

use super::{finding::DoctorFinding, probe::DoctorContext};
use crate::story::list::size_text;

/// Free memory with which the default model can be used: its file, and what it computes with.
const MODEL_BYTES: u64 = 3_500_000_000;

pub(super) fn look(_: &DoctorContext) -> Vec<DoctorFinding> {
    let (total, available) = (memory_total(), memory_available());
    let value = json!({"totalBytes": total, "availableBytes": available});
    vec![match (total, available) {
        (Some(total), Some(available)) => {
            let text = format!("{} of {} are free", size_text(available), size_text(total));
            match available < MODEL_BYTES {
                true => {
                    let text = format!(
                        "{text}; the default model takes {}, so choose a smaller one or none",
                        size_text(MODEL_BYTES)
                    );
                    DoctorFinding::note(text, value, "narratoria run --planner lexical")
                }
                false => DoctorFinding::ok(text, value),
            }
        }
        _ => DoctorFinding::ok("this system does not say how much there is", value),
    }]
}
