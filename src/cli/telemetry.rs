//! The collector of the whole process: opened at its start if a flag or a variable names one, told the turns of every
//! session, and sent the rest at its end.

use std::sync::{Arc, OnceLock};

use narratoria_engine::{TurnError, TurnErrorKind, TurnObserver};
use narratoria_telemetry::{Telemetry, Texts};

use super::{args::TelemetryArgs, environment};

/// The variable in place of `--telemetry`.
const VARIABLE: &str = "NARRATORIA_TELEMETRY";

static OBSERVER: OnceLock<Arc<dyn TurnObserver>> = OnceLock::new();

/// Sends what is left when the process ends.
pub(super) struct OpenTelemetry(Option<Telemetry>);

impl Drop for OpenTelemetry {
    fn drop(&mut self) {
        if let Some(telemetry) = self.0.take() {
            telemetry.shut_down();
        }
    }
}

/// Opens the way to the collector, if there is to be one.
pub(super) fn start(args: &TelemetryArgs) -> Result<OpenTelemetry, TurnError> {
    let variable = || environment::variable(VARIABLE).filter(|value| !value.is_empty());
    let Some(address) = args.telemetry.clone().or_else(variable) else {
        return Ok(OpenTelemetry(None));
    };
    let telemetry = Telemetry::start(&address, env!("CARGO_PKG_VERSION"))
        .map_err(|error| TurnError::new(TurnErrorKind::BadInput, error))?;
    let texts = if args.telemetry_texts { Texts::Included } else { Texts::LeftOut };
    OBSERVER.get_or_init(|| telemetry.observer(texts));
    Ok(OpenTelemetry(Some(telemetry)))
}

/// What a session tells its updates; `None` without a collector.
pub(super) fn observer() -> Option<Arc<dyn TurnObserver>> {
    OBSERVER.get().cloned()
}
