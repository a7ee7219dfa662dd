//! Servers of models: those of this machine, and the one in use.

use std::time::{Duration, Instant};

use narratoria_model::{
    files::ModelName,
    server::{ServerReport, USUAL_PORTS, probe},
};
use narratoria_ui::plural;
use serde_json::{Value, json};

use super::{finding::DoctorFinding, probe::DoctorContext};
use crate::{
    config::UserConfig,
    model::{ProbedServer, probe_servers},
};

/// The time in which the server in use must say what it is.
const PROBE_TIME: Duration = Duration::from_secs(5);

pub(super) fn look(context: &DoctorContext) -> Vec<DoctorFinding> {
    let config = context.home.as_ref().and_then(|home| UserConfig::load(home).ok());
    let mut findings: Vec<DoctorFinding> = config.as_ref().and_then(in_use).into_iter().collect();
    let found = probe_servers(&USUAL_PORTS);
    if found.is_empty() {
        let ports: Vec<String> = USUAL_PORTS.iter().map(u16::to_string).collect();
        let text = format!(
            "no server of models answers on this machine; asked were the ports {}",
            ports.join(", ")
        );
        findings.push(DoctorFinding::ok(text, json!([])));
    }
    findings.extend(found.iter().map(about));
    findings
}

fn about(server: &ProbedServer) -> DoctorFinding {
    let base = server.address.base();
    match &server.report {
        Ok(report) => DoctorFinding::ok(
            format!("{} at {base}: {}", report.kind, models(report)),
            json!({
                "address": base,
                "kind": report.kind.to_string(),
                "version": report.version,
                "models": report.models.iter().map(|model| json!(model.name)).collect::<Vec<Value>>(),
            }),
        ),
        Err(why) => {
            let text =
                format!("what listens at {base} is no server of models that is known: {why}");
            DoctorFinding::note(text, json!({"address": base}), "narratoria model find")
        }
    }
}

fn models(report: &ServerReport) -> String {
    match report.models.len() {
        0 => "it has no model".to_owned(),
        count => plural(count, "model"),
    }
}

/// The server of `use` in `[model]`, which must answer.
fn in_use(config: &UserConfig) -> Option<DoctorFinding> {
    let Some(ModelName::Server(address)) = &config.model else { return None };
    let error = probe(address, &config.server_hosts, Instant::now() + PROBE_TIME).err()?;
    let text = format!("the model in use is on a server that cannot be used: {error}");
    let command = "narratoria config unset model.use";
    Some(DoctorFinding::fault(text, json!({"address": address.base()}), command))
}
