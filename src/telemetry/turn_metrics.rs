//! Counters and histograms over all turns. Their labels are words of the host and names of skills, never texts, so that
//! their number is bounded by what is installed.

use narratoria_engine::{StepEvent, Update};
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Histogram, Meter},
};

#[derive(Debug, Clone)]
pub(crate) struct TurnMetrics {
    turns: Counter<u64>,
    turn_seconds: Histogram<f64>,
    turn_attempts: Histogram<u64>,
    steps: Counter<u64>,
    step_seconds: Histogram<f64>,
    step_fuel: Histogram<u64>,
    step_memory: Histogram<u64>,
    failed_turns: Counter<u64>,
}

impl TurnMetrics {
    pub(crate) fn new(meter: &Meter) -> TurnMetrics {
        TurnMetrics {
            turns: meter
                .u64_counter("narratoria.turns")
                .with_description("Turns by outcome")
                .build(),
            turn_seconds: meter.f64_histogram("narratoria.turn.duration").with_unit("s").build(),
            turn_attempts: meter
                .u64_histogram("narratoria.turn.attempts")
                .with_description("Plans made in a turn")
                .build(),
            steps: meter.u64_counter("narratoria.steps").with_description("Steps by state").build(),
            step_seconds: meter.f64_histogram("narratoria.step.duration").with_unit("s").build(),
            step_fuel: meter.u64_histogram("narratoria.step.fuel").build(),
            step_memory: meter.u64_histogram("narratoria.step.memory").with_unit("By").build(),
            failed_turns: meter
                .u64_counter("narratoria.turns.failed")
                .with_description("Turns in which the host could not do its job")
                .build(),
        }
    }

    pub(crate) fn count_failure(&self) {
        self.failed_turns.add(1, &[]);
    }

    pub(crate) fn observe(&self, update: &Update) {
        match update {
            Update::TurnFinished { outcome, attempts, elapsed_ms, .. } => {
                self.turns.add(1, &[KeyValue::new("outcome", outcome.as_str())]);
                self.turn_seconds.record(seconds(*elapsed_ms), &[]);
                self.turn_attempts.record(u64::from(*attempts), &[]);
            }
            Update::Step(step) => {
                let StepEvent::Finished {
                    state,
                    execution_time_ms,
                    fuel_consumed,
                    peak_memory_bytes,
                    ..
                } = &step.event
                else {
                    return;
                };
                let state = [KeyValue::new("state", state.as_str())];
                self.steps.add(1, &state);
                self.step_seconds.record(seconds(*execution_time_ms), &state);
                self.step_fuel.record(*fuel_consumed, &state);
                self.step_memory.record(*peak_memory_bytes, &state);
            }
            _ => {}
        }
    }
}

fn seconds(ms: u64) -> f64 {
    std::time::Duration::from_millis(ms).as_secs_f64()
}
