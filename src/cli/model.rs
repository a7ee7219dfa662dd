//! `narratoria model pull | list | find | bench | verify | rm`.

mod bench;
mod context;
mod find;

use std::time::Instant;

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_model::files::{
    DownloadState, FileError, HubName, KNOWN, ModelFile, ModelName, ModelRemoval, PullEvent,
    VerifyResult, size_text,
};
use serde_json::{Value, json};

use super::{
    args::{ModelCommand, ModelListArgs, ModelPullArgs, ModelRmArgs, ModelVerifyArgs},
    exit::Exit,
    interrupt::Interrupts,
    model_error::{file_error, model_name, pull_error},
    model_record::ModelRecord,
    settings::{self, Home},
    system_clock,
};
use context::ModelCommandContext;
pub(super) use find::{ProbedServer, places, probe_servers};
use narratoria_ui::{DownloadLine, Out, Tone, note, render_table};

pub(super) async fn model(verb: ModelCommand) -> Result<Exit, TurnError> {
    match verb {
        ModelCommand::Pull(args) => pull(args).await,
        ModelCommand::List(args) => list(args),
        ModelCommand::Find(args) => find::find(&args),
        ModelCommand::Bench(args) => bench::bench(args).await,
        ModelCommand::Verify(args) => verify(args),
        ModelCommand::Rm(args) => remove(args),
    }
}

async fn pull(args: ModelPullArgs) -> Result<Exit, TurnError> {
    let context = ModelCommandContext::open(args.format)?;
    let name = match &args.name {
        Some(text) => hub_name(text)?,
        None => on_hub(context.in_use())?,
    };
    let mut err = Out::stderr(context.look);
    let was_here = context.files.find(&name).is_some();
    if was_here {
        note(&mut err, Tone::Notice, "note", "it was here already");
    } else if settings::is_offline(args.offline.offline) {
        let error = format!("`{name}` is not on this machine, and nothing may be fetched");
        return Err(TurnError::new(TurnErrorKind::Refused, error)
            .hint("leave out `--offline` and unset NARRATORIA_OFFLINE"));
    }
    let interrupts = Interrupts::listen(context.look);
    let running = interrupts.begin_turn(None);
    let mut line = DownloadLine::new(name.file_name(), context.look);
    let fetched = {
        let mut on_news = |news: PullEvent| show(&mut line, &mut err, &news);
        let (hub, at) = (settings::hub(), system_clock::now());
        context.files.fetch(&name, &hub, at, &mut on_news, &running.cancel).await
    };
    line.erase(&mut err);
    let path = match fetched {
        Ok(path) => path,
        Err(error) if error.is_cancelled() => {
            note(&mut err, Tone::Notice, "note", "what has come is kept; pull again to go on");
            return Ok(Exit::Interrupted);
        }
        Err(error) => return Err(pull_error(error)),
    };
    let record = context.files.record(&name);
    let bytes = record.as_ref().map(|record| record.bytes);
    let document = json!({
        "name": name.to_string(),
        "path": path.display().to_string(),
        "bytes": bytes,
        "sha256": record.as_ref().map(|record| &record.sha256),
        "commit": record.as_ref().map(|record| &record.commit),
        "wasHere": was_here,
    });
    let size = bytes.map(|bytes| format!(", {}", size_text(bytes))).unwrap_or_default();
    context.print(&document, &format!("{name}{size}\n{}\n", path.display()))?;
    Ok(Exit::Done)
}

/// Shows one event of a download on stderr.
fn show(line: &mut DownloadLine, err: &mut Out, news: &PullEvent) {
    let text = match news {
        PullEvent::Progress(progress) => return line.show(err, Instant::now(), progress),
        PullEvent::Finishing => return,
        PullEvent::Waiting => "another process is fetching it; waiting for that".to_owned(),
        PullEvent::Resuming { bytes, total } => {
            format!("going on at {} of {}", size_text(*bytes), size_text(*total))
        }
        PullEvent::Restarting { why } => format!("beginning again: {why}"),
        PullEvent::Retrying { why, after } => {
            format!("{why}; trying again in {:.1} s", after.as_secs_f64())
        }
    };
    line.erase(err);
    note(err, Tone::Notice, "note", &text);
}

fn list(args: ModelListArgs) -> Result<Exit, TurnError> {
    let context = ModelCommandContext::open(args.format)?;
    let files = context.files.list().map_err(file_error)?;
    let home = context.settings.home()?;
    let in_use = context.in_use();
    let is_in_use = |name: &str| in_use.to_string() == name;
    let mut documents: Vec<Value> =
        files.iter().map(|file| document(home, file, is_in_use(&file.name.to_string()))).collect();
    let mut rows: Vec<[String; 4]> = files
        .iter()
        .map(|file| {
            let name = file.name.to_string();
            let speed = record_of(home, file).and_then(|record| record.speed);
            let speed = speed.map(|it| format!(", {}", it.short_text())).unwrap_or_default();
            let state = state(file) + &speed + in_use_mark(is_in_use(&name));
            [name.clone(), alias(&name).unwrap_or("-").to_owned(), size_text(file.bytes), state]
        })
        .collect();
    let is_here = |name: &str| files.iter().any(|file| file.name.to_string() == name);
    for known in KNOWN.iter().filter(|known| !is_here(known.name)) {
        let in_use = is_in_use(known.name);
        documents.push(json!({
            "name": known.name, "alias": known.alias, "state": "absent", "inUse": in_use,
            "bytesAbout": known.bytes, "licence": known.licence, "what": known.what,
        }));
        let size = format!("~{}", size_text(known.bytes));
        let state = "not here".to_owned() + in_use_mark(in_use);
        rows.push([known.name.to_owned(), known.alias.to_owned(), size, state]);
    }
    let heading = ["NAME", "SHORT", "SIZE", "STATE"];
    let mut text = render_table(heading, &rows, context.look.width);
    if let ModelName::Path(_) | ModelName::Server(_) = &in_use {
        text += &format!("in use: {in_use}\n");
    }
    context.print(&json!(documents), &text)?;
    Ok(Exit::Done)
}

fn in_use_mark(in_use: bool) -> &'static str {
    if in_use { ", in use" } else { "" }
}

fn alias(name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|known| known.name == name).map(|known| known.alias)
}

fn state(file: &ModelFile) -> String {
    match &file.state {
        DownloadState::Complete { record: Some(_) } => "here".to_owned(),
        DownloadState::Complete { record: None } => "here, unchecked".to_owned(),
        DownloadState::Partial { record: Some(of) } => format!("half: of {}", size_text(of.bytes)),
        DownloadState::Partial { record: None } => "half".to_owned(),
    }
}

fn document(home: &Home, file: &ModelFile, in_use: bool) -> Value {
    let name = file.name.to_string();
    let (state, record) = match &file.state {
        DownloadState::Complete { record } => ("whole", record),
        DownloadState::Partial { record: of } => ("part", of),
    };
    json!({
        "name": name,
        "alias": alias(&name),
        "state": state,
        "inUse": in_use,
        "path": file.path.display().to_string(),
        "bytes": file.bytes,
        "recorded": record,
        "measured": record_of(home, file),
    })
}

fn verify(args: ModelVerifyArgs) -> Result<Exit, TurnError> {
    let context = ModelCommandContext::open(args.format)?;
    let names: Vec<HubName> = if args.names.is_empty() {
        let files = context.files.list().map_err(file_error)?;
        let whole =
            files.into_iter().filter(|file| matches!(file.state, DownloadState::Complete { .. }));
        whole.map(|file| file.name).collect()
    } else {
        args.names.iter().map(|text| hub_name(text)).collect::<Result<_, _>>()?
    };
    let mut err = Out::stderr(context.look);
    let interrupts = Interrupts::listen(context.look);
    let running = interrupts.begin_turn(None);
    let (mut documents, mut text, mut exit) = (Vec::new(), String::new(), Exit::Done);
    for name in &names {
        let mut line = DownloadLine::new(name.file_name(), context.look);
        let verdict = context.files.verify(
            name,
            &mut |progress| line.show(&mut err, Instant::now(), &progress),
            &running.cancel,
        );
        line.erase(&mut err);
        let verdict = match verdict {
            Err(FileError::Cancelled) => return Ok(Exit::Interrupted),
            verdict => verdict.map_err(file_error)?,
        };
        let (word, why) = verdict_text(&verdict);
        if matches!(verdict, VerifyResult::WrongSize { .. } | VerifyResult::WrongDigest { .. }) {
            exit = Exit::Failed;
        }
        text += &format!(
            "{name}: {word}{}\n",
            why.as_deref().map(|why| format!(", {why}")).unwrap_or_default()
        );
        documents.push(json!({"name": name.to_string(), "verdict": word, "why": why}));
    }
    if names.is_empty() {
        text += "there are no models yet; `narratoria model pull` fetches one\n";
    }
    context.print(&json!(documents), &text)?;
    Ok(exit)
}

/// Returns the result in a word, and its explanation if it needs one.
fn verdict_text(verdict: &VerifyResult) -> (&'static str, Option<String>) {
    match verdict {
        VerifyResult::Intact { .. } => ("good", None),
        VerifyResult::WrongSize { expected, found } => {
            ("damaged", Some(format!("it has {found} bytes and had {expected}")))
        }
        VerifyResult::WrongDigest { expected, found } => {
            ("damaged", Some(format!("its SHA-256 is {found} and was {expected}")))
        }
        VerifyResult::NoRecord { found } => {
            ("unknown", Some(format!("nothing was recorded of it; its SHA-256 is {found}")))
        }
    }
}

/// Removes models. Checks all names before it removes anything, so that a misspelt one costs nothing.
fn remove(args: ModelRmArgs) -> Result<Exit, TurnError> {
    let context = ModelCommandContext::open(args.format)?;
    let mut names: Vec<HubName> = Vec::new();
    for text in &args.names {
        let name = hub_name(text)?;
        // A short name and a long one may name the same model.
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let are_several = names.len() > 1;
    let removals: Vec<ModelRemoval> = names
        .iter()
        .map(|name| context.files.begin_removal(name))
        .collect::<Result<_, _>>()
        .map_err(|error| {
            let failed = match error {
                // The error's own hint says how to download the model, which is no help to a player who removes it.
                FileError::NotHere { .. } => TurnError::new(TurnErrorKind::NotFound, error)
                    .hint("`narratoria model list` shows what is here"),
                error => file_error(error),
            };
            if are_several { failed.hint("nothing was removed") } else { failed }
        })?;
    let (mut documents, mut text) = (Vec::new(), String::new());
    for (name, removal) in names.iter().zip(removals) {
        let bytes = removal.finish().map_err(file_error)?;
        text += &format!("removed {name}, {} are free\n", size_text(bytes));
        documents.push(json!({"name": name.to_string(), "bytes": bytes}));
    }
    context.print(&json!(documents), &text)?;
    Ok(Exit::Done)
}

fn record_of(home: &Home, file: &ModelFile) -> Option<ModelRecord> {
    ModelRecord::read(home, &file.path.display().to_string(), file.bytes)
}

/// Reads a name of a model on the hub, for verbs that need one.
fn hub_name(text: &str) -> Result<HubName, TurnError> {
    on_hub(model_name(text)?)
}

fn on_hub(name: ModelName) -> Result<HubName, TurnError> {
    match name {
        ModelName::Hub(name) => Ok(name),
        ModelName::Path(_) | ModelName::Server(_) => {
            let what = if matches!(name, ModelName::Path(_)) { "a path" } else { "on a server" };
            let error = format!("`{name}` is {what}, it is not fetched from a hub");
            Err(TurnError::new(TurnErrorKind::BadInput, error)
                .hint("on the hub a model is called `owner/repo/file.gguf`"))
        }
    }
}
