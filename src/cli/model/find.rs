//! `narratoria model find`: models that are there already, on servers of this machine and in folders of other programs.

use std::{
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use narratoria_engine::TurnError;
use narratoria_model::{
    caches::{CachePlace, CacheProgram, FoundModels, find_models},
    files::size_text,
    server::{
        SchemaObedience, ServedModel, ServerAddress, ServerError, ServerReport, Tryout,
        USUAL_PORTS, probe, try_out,
    },
};
use serde_json::{Value, json};

use crate::{
    args::{CommonArgs, Format, ModelFindArgs},
    clock_and_ids,
    environment::raw_variable,
    exit::Exit,
    print_document, print_text,
    settings::CliSettings,
};
use narratoria_ui::render_table;

/// The time in which a server must say what it is.
const PROBE_TIME: Duration = Duration::from_secs(2);

/// The time in which a loaded model must answer its question. A large one reads it on a slow machine.
const ANSWER_TIME: Duration = Duration::from_secs(20);

/// Most ports that are asked.
const PORTS_MAX: usize = 32;

/// A port with a server, or with something else that listens there.
pub(crate) struct ProbedServer {
    pub(crate) address: ServerAddress,
    pub(crate) report: Result<ServerReport, String>,
}

/// The same after its model was asked.
struct FoundServer {
    address: ServerAddress,
    report: Result<ServerReport, String>,
    /// The model that was asked, and how that went; `None` if none is loaded.
    tried: Option<(String, Result<Tryout, String>)>,
}

pub(super) fn find(args: &ModelFindArgs) -> Result<Exit, TurnError> {
    let common = CommonArgs { skills: Vec::new(), format: args.format.format };
    let settings = CliSettings::check(common)?;
    let look = settings.terminal.look;
    let mut ports = if args.port.is_empty() { USUAL_PORTS.to_vec() } else { args.port.clone() };
    ports.truncate(PORTS_MAX);
    let servers = at_once(&ports, find_server);
    let files = find_models(&places());
    match settings.format {
        Format::Json => print_document(look, &document(&servers, &files))?,
        Format::Plain => print_text(look, &text(&ports, &servers, &files, look.width))?,
    }
    Ok(Exit::Done)
}

/// Asks what listens on these ports; loads nothing, and asks no model.
pub(crate) fn probe_servers(ports: &[u16]) -> Vec<ProbedServer> {
    at_once(ports, probe_port)
}

/// Asks all ports at the same time, because one of them may not answer.
fn at_once<T: Send>(ports: &[u16], ask: fn(u16) -> Option<T>) -> Vec<T> {
    thread::scope(|scope| {
        let asked: Vec<_> = ports.iter().map(|port| scope.spawn(move || ask(*port))).collect();
        asked.into_iter().filter_map(|asked| asked.join().ok().flatten()).collect()
    })
}

/// Returns `None` if nothing listens on the port.
fn probe_port(port: u16) -> Option<ProbedServer> {
    let address = ServerAddress::loopback(port);
    match probe(&address, &[], Instant::now() + PROBE_TIME) {
        Err(ServerError::Unreachable { .. }) => None,
        report => Some(ProbedServer { address, report: report.map_err(|error| error.to_string()) }),
    }
}

/// Returns `None` if nothing listens on the port.
fn find_server(port: u16) -> Option<FoundServer> {
    let ProbedServer { address, report } = probe_port(port)?;
    let tried = report.as_ref().ok().and_then(|report| {
        let model = asked_model(report)?;
        let deadline = Instant::now() + ANSWER_TIME;
        let tryout = try_out(report, model, clock_and_ids::draw_seed(), deadline);
        Some((model.name.clone(), tryout))
    });
    Some(FoundServer { address, report, tried })
}

/// The model to ask: one that is loaded, or the only one if the server does not say what is loaded. Asking another
/// would make the server load it.
fn asked_model(report: &ServerReport) -> Option<&ServedModel> {
    let only = || report.models.first().filter(|model| model.is_loaded.is_none());
    report.loaded().or_else(only)
}

/// The folders of other programs, as their documentation names them.
pub(crate) fn places() -> Vec<CachePlace> {
    let path = |name: &str| raw_variable(name).filter(|text| !text.is_empty()).map(PathBuf::from);
    let home = path("HOME").or_else(|| path("USERPROFILE"));
    let at_home = |place: &str| home.as_ref().map(|home| home.join(place));
    let cache = path("XDG_CACHE_HOME").or_else(|| at_home(".cache"));
    let in_cache = |place: &str| cache.as_ref().map(|cache| cache.join(place));
    let ollama = match path("OLLAMA_MODELS") {
        Some(folder) => [Some(folder), None],
        None => {
            // The second is that of its service on Linux.
            let service = PathBuf::from("/usr/share/ollama/.ollama/models");
            [at_home(".ollama/models"), home.is_some().then_some(service)]
        }
    };
    let hub = path("HF_HUB_CACHE").or_else(|| Some(path("HF_HOME")?.join("hub")));
    let places = [
        (CacheProgram::Ollama, ollama.to_vec()),
        (
            CacheProgram::LmStudio,
            vec![at_home(".lmstudio/models"), at_home(".cache/lm-studio/models")],
        ),
        (CacheProgram::LlamaCpp, vec![path("LLAMA_CACHE").or_else(|| in_cache("llama.cpp"))]),
        (CacheProgram::Hub, vec![hub.or_else(|| in_cache("huggingface/hub"))]),
    ];
    let place = |program| move |folder: PathBuf| CachePlace { program, folder };
    places
        .into_iter()
        .flat_map(|(program, folders)| folders.into_iter().flatten().map(place(program)))
        .collect()
}

fn text(
    ports: &[u16],
    servers: &[FoundServer],
    files: &FoundModels,
    width: Option<usize>,
) -> String {
    let rows: Vec<[String; 3]> = servers.iter().flat_map(server_rows).collect();
    let mut text = if rows.is_empty() {
        let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
        format!(
            "no server of models answers on this machine; asked were the ports {}\n",
            ports.join(", ")
        )
    } else {
        render_table(["SERVER AND MODEL", "KIND", "STATE"], &rows, width)
    };
    text.push('\n');
    let rows: Vec<[String; 4]> = files
        .models
        .iter()
        .map(|file| {
            let name = file.known_as.as_ref().or(file.summary.name.as_ref());
            let what = format!("{}: {}", file.program, name.map_or("-", String::as_str));
            let size = size_text(file.summary.bytes);
            [file.path.display().to_string(), size, file.summary.architecture.clone(), what]
        })
        .collect();
    text += &if rows.is_empty() {
        "no model file of another program is here\n".to_owned()
    } else {
        render_table(["FILE", "SIZE", "KIND", "FROM"], &rows, width)
    };
    for file in &files.unusable {
        text += &format!("not usable: {} ({}): {}\n", file.path.display(), file.program, file.why);
    }
    if files.is_cut {
        text += "there are more files than are looked at\n";
    }
    text += "\n`narratoria run --model` takes the first column of either table\n";
    text
}

/// A row for each model of a server.
fn server_rows(server: &FoundServer) -> Vec<[String; 3]> {
    let base = server.address.base();
    let report = match &server.report {
        Err(why) => return vec![[base, "unknown".to_owned(), why.clone()]],
        Ok(report) => report,
    };
    let kind = match &report.version {
        Some(version) => format!("{} {version}", report.kind),
        None => report.kind.to_string(),
    };
    if report.models.is_empty() {
        return vec![[base, kind, "it has no model".to_owned()]];
    }
    let row = |model: &ServedModel| {
        let name = report.address.with_model(&model.name).to_string();
        let tried = server.tried.as_ref().filter(|(name, _)| *name == model.name);
        let state = match (tried, model.is_loaded) {
            (Some((_, Ok(tryout))), _) => tryout_text(tryout),
            (Some((_, Err(why))), _) => format!("gives no answer: {why}"),
            (None, Some(false)) => "not loaded, not asked".to_owned(),
            (None, _) => "not asked".to_owned(),
        };
        [name, kind.clone(), state]
    };
    report.models.iter().map(row).collect()
}

fn tryout_text(tryout: &Tryout) -> String {
    let speed = tryout.tokens_per_second.map(|speed| format!(", {speed:.1} tokens/s"));
    let verdict = match tryout.schema.fault() {
        None => "plans and prose".to_owned(),
        Some(fault) => format!("prose only: {fault}"),
    };
    verdict + &speed.unwrap_or_default()
}

fn document(servers: &[FoundServer], files: &FoundModels) -> Value {
    let servers: Vec<Value> = servers.iter().map(server_document).collect();
    let models: Vec<Value> = files
        .models
        .iter()
        .map(|file| {
            json!({
                "path": file.path.display().to_string(),
                "program": file.program.to_string(),
                "knownAs": file.known_as,
                "name": file.summary.name,
                "architecture": file.summary.architecture,
                "bytes": file.summary.bytes,
            })
        })
        .collect();
    let unusable: Vec<Value> = files
        .unusable
        .iter()
        .map(|file| {
            let path = file.path.display().to_string();
            json!({"path": path, "program": file.program.to_string(), "why": file.why})
        })
        .collect();
    json!({"servers": servers, "files": models, "unusable": unusable, "isCut": files.is_cut})
}

fn server_document(server: &FoundServer) -> Value {
    let report = match &server.report {
        Err(why) => return json!({"address": server.address.base(), "kind": null, "why": why}),
        Ok(report) => report,
    };
    let models: Vec<Value> = report
        .models
        .iter()
        .map(|model| {
            json!({
                "use": report.address.with_model(&model.name).to_string(),
                "name": model.name,
                "loaded": model.is_loaded,
                "architecture": model.architecture,
                "bytes": model.bytes,
                "contextTokens": model.context_tokens,
            })
        })
        .collect();
    let asked = server.tried.as_ref().map(|(model, tryout)| match tryout {
        Ok(tryout) => json!({
            "model": model,
            "obeysSchemas": tryout.schema == SchemaObedience::Obeys,
            "why": tryout.schema.fault(),
            "tokensPerSecond": tryout.tokens_per_second,
        }),
        Err(why) => json!({"model": model, "obeysSchemas": null, "why": why}),
    });
    json!({
        "address": report.address.base(),
        "kind": report.kind.to_string(),
        "version": report.version,
        "models": models,
        "asked": asked,
    })
}
