//! The cost of an invocation, as ratios measured in the same run.
//!
//! `make bench` prints, for a silent guest and one that parses and answers:
//!
//! - `one`: a warm invocation against bare wasmtime on the same engine (what our limits, decoding and reports
//!   add), against the same program compiled natively and spawned (what a sandbox saves), and against extism
//!   with a fresh plugin for each call, where it could be built (see `benches/peers`).
//! - `crowd`: 1, 16, 64 and 256 at the same time: throughput against one at a time on one core, and how much longer the
//!   slowest take than a single one usually does, without queueing.
//! - `load`: a component of 300 KB from the cache.
//! - `memory`: the memory of an idle skill, and of an instance that waits.
//! - `allocations`: how often a warm invocation allocates, and how many bytes, beside bare wasmtime. These figures do not
//!   depend on the machine.
//!
//! The compared sides alternate batch by batch, so that a slow moment of the machine hits both; each ratio is the median
//! over the batches. Microseconds hold only for the machine of the day.
//! `cargo bench -p narratoria-sandbox --bench invocation -- crowd load` measures these parts alone.
//!
//! `one` compares the ratio to bare wasmtime with the one in `recorded.json`, and says when it is worse by more than the
//! batches differ among themselves.

#![expect(clippy::print_stdout, reason = "what it measures goes to stdout")]

mod allocations;
mod bare;
mod crowd;
mod job;
mod load;
mod memory;
mod native;
mod one;
mod peer;
mod recorded;

/// Measures something and prints it.
type Part = fn() -> wasmtime::Result<()>;

fn main() -> wasmtime::Result<()> {
    // Cargo adds `--bench`.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let parts: [(&str, Part); 5] = [
        ("one", one::run),
        ("crowd", crowd::run),
        ("load", load::run),
        ("memory", memory::run),
        ("allocations", allocations::run),
    ];
    for (name, part) in parts {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            part()?;
        }
    }
    Ok(())
}

fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    percentile(values, 0.5)
}

/// The value below which this share of all values lies.
fn percentile(values: impl IntoIterator<Item = f64>, part: f64) -> f64 {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() as f64 * part) as usize).min(sorted.len() - 1)]
}
