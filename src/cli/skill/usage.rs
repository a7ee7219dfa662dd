//! The resource usage of an invocation, for `--format json`.

use narratoria_protocol::ResourceUsage;
use serde_json::{Value, json};

/// Returns the resource usage of a run as JSON. The time has a resolution of a microsecond.
pub(super) fn usage_document(usage: &ResourceUsage) -> Value {
    let ResourceUsage { fuel, memory_bytes_peak, stdout_bytes, elapsed, .. } = usage;
    json!({
        "fuelConsumed": fuel,
        "peakMemoryBytes": memory_bytes_peak,
        "stdoutBytes": stdout_bytes,
        "executionTimeMs": elapsed.as_micros() as f64 / 1e3,
    })
}
