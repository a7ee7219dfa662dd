//! Traces and metrics of turns for a collector of [OpenTelemetry](https://opentelemetry.io), by OTLP over HTTP. One trace is
//! a turn: its plans, their steps and the attempts of each, with fuel and memory. Knows the updates of a session and the
//! names of spans; nothing of how a turn is played.
//!
//! What the player and the story say is in none of it unless [`Texts::Included`] asks for it.

mod collector;
mod settings;
mod turn_metrics;
mod turn_trace;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use narratoria_engine::{TurnObserver, TurnWatch, Update};
use opentelemetry::{KeyValue, metrics::MeterProvider, trace::TracerProvider};
use opentelemetry_otlp::{MetricExporter, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    metrics::SdkMeterProvider,
    trace::{SdkTracer, SdkTracerProvider},
};

use collector::CollectorClient;
pub use settings::{EXPORT_TIME_MAX, TelemetryError, Texts};
use turn_metrics::TurnMetrics;
use turn_trace::TurnTrace;

/// The paths below the collector's address that OTLP gives to each kind.
const TRACES: &str = "v1/traces";
const METRICS: &str = "v1/metrics";

/// The way to a collector. [`Telemetry::shut_down`] sends what is left.
#[derive(Debug)]
pub struct Telemetry {
    traces: SdkTracerProvider,
    metrics: SdkMeterProvider,
}

impl Telemetry {
    /// Prepares the way to the collector at this address. Nothing is sent yet, and nothing is asked of it: a collector that
    /// is not there costs a warning in the log.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is none.
    pub fn start(address: &str, version: &'static str) -> Result<Telemetry, TelemetryError> {
        let base = collector::base(address)?;
        let client = CollectorClient::new();
        let spans = SpanExporter::builder()
            .with_http()
            .with_http_client(client.clone())
            .with_timeout(EXPORT_TIME_MAX)
            .with_endpoint(format!("{base}{TRACES}"))
            .build()?;
        let metrics = MetricExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_timeout(EXPORT_TIME_MAX)
            .with_endpoint(format!("{base}{METRICS}"))
            .build()?;
        let resource = Resource::builder()
            .with_service_name("narratoria")
            .with_attribute(KeyValue::new("service.version", version))
            .build();
        Ok(Telemetry {
            traces: SdkTracerProvider::builder()
                .with_batch_exporter(spans)
                .with_resource(resource.clone())
                .build(),
            metrics: SdkMeterProvider::builder()
                .with_periodic_exporter(metrics)
                .with_resource(resource)
                .build(),
        })
    }

    /// What a session tells its updates.
    pub fn observer(&self, texts: Texts) -> Arc<dyn TurnObserver> {
        Arc::new(Observer {
            tracer: self.traces.tracer("narratoria"),
            metrics: TurnMetrics::new(&self.metrics.meter("narratoria")),
            texts,
        })
    }

    /// Sends what is left, for at most [`EXPORT_TIME_MAX`] each.
    pub fn shut_down(self) {
        for ended in [
            self.traces.shutdown_with_timeout(EXPORT_TIME_MAX),
            self.metrics.shutdown_with_timeout(EXPORT_TIME_MAX),
        ] {
            if let Err(error) = ended {
                tracing::warn!("the last traces and metrics were not sent: {error}");
            }
        }
    }
}

/// Makes one trace of each turn.
#[derive(Debug)]
struct Observer {
    tracer: SdkTracer,
    metrics: TurnMetrics,
    texts: Texts,
}

impl TurnObserver for Observer {
    fn watch(&self) -> TurnWatch {
        let mut watched = WatchedTurn {
            trace: TurnTrace::new(self.tracer.clone(), self.texts),
            metrics: self.metrics.clone(),
        };
        Box::new(move |update| watched.observe(update))
    }
}

/// A turn that is dropped before its end has failed: the session tells its end only where there is one.
struct WatchedTurn {
    trace: TurnTrace,
    metrics: TurnMetrics,
}

impl WatchedTurn {
    fn observe(&mut self, update: &Update) {
        self.trace.observe(update);
        self.metrics.observe(update);
    }
}

impl Drop for WatchedTurn {
    fn drop(&mut self) {
        if self.trace.fail() {
            self.metrics.count_failure();
        }
    }
}
