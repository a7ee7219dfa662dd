//! Whether the model of this machine is a help for plans: it is asked once, and the answer is kept.

use std::time::{Duration, Instant};

use narratoria_model::llm::Model;
use narratoria_narrator::llama::{APTITUDE_MIN, measure_aptitude};
use tokio_util::sync::CancellationToken;

use crate::{model_record::ModelRecord, settings::CliSettings};

/// How long a model may take for the known questions. One that needs longer is used as far as there is time.
const TIME_MAX: Duration = Duration::from_secs(120);

/// Has a model that was never asked before answer the known questions. The error says that it is no help for plans. A model
/// that cannot be asked passes.
pub(super) fn try_model(
    settings: &CliSettings,
    location: &str,
    model: &Model,
    stop: &CancellationToken,
) -> Result<(), String> {
    let known = known(settings, location, model);
    let aptitude = known.or_else(|| measure(settings, location, model, stop));
    match aptitude.filter(|aptitude| *aptitude < APTITUDE_MIN) {
        Some(aptitude) => Err(unapt_text(model, aptitude)),
        None => Ok(()),
    }
}

/// What was measured before.
pub(super) fn known(settings: &CliSettings, location: &str, model: &Model) -> Option<f64> {
    let record = ModelRecord::read(settings.home().ok()?, location, model.info().file_bytes)?;
    record.aptitude
}

fn measure(
    settings: &CliSettings,
    location: &str,
    model: &Model,
    stop: &CancellationToken,
) -> Option<f64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let measured = runtime.block_on(async {
        tokio::select! {
            measured = measure_aptitude(model, Instant::now() + TIME_MAX) => Some(measured),
            () = stop.cancelled() => None,
        }
    });
    match measured? {
        Ok(aptitude) => {
            let record = ModelRecord {
                location: location.to_owned(),
                bytes: model.info().file_bytes,
                aptitude: Some(aptitude),
                speed: None,
            };
            if let Some(Err(why)) = settings.home().ok().map(|home| record.write(home)) {
                tracing::warn!("the model will be tried again at the next start: {why}");
            }
            Some(aptitude)
        }
        Err(error) => {
            tracing::info!("the model could not be tried: {error}");
            None
        }
    }
}

/// Says that a model is not asked for plans.
pub(super) fn unapt_text(model: &Model, aptitude: f64) -> String {
    format!(
        "`{}` understands too little for plans: it told {:.0} of 100 pairs of known questions apart, and {:.0} are needed; it \
         writes prose alone, and plans are made without it",
        model.info().name,
        aptitude * 100.0,
        APTITUDE_MIN * 100.0
    )
}
