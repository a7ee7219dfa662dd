//! `narratoria skill run --record` and `--replay`: records a run of a script, and runs it again.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use narratoria_engine::{ScriptCall, ScriptRequest, StandaloneRunner, TurnError, TurnErrorKind};
use narratoria_kit::{
    Difference, RECORD_BYTES_MAX, Replay, RunEventSink, RunRecord, RunRecordError, RunRecorder,
};
use narratoria_protocol::InvocationOutcome;
use narratoria_sandbox::LoadedComponent;
use narratoria_skills::Skill;
use serde_json::json;
use tempfile::TempDir;

use super::{packages, script_printer::ScriptPrinter};
use crate::{
    args::{Format, InteractionArgs},
    environment,
    exit::Exit,
    files,
    interrupt::Interrupts,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{Out, Tone, note, report_lines, visible};

/// Word for records in messages.
const RECORD: &str = "record";

/// Runs a script and records the run.
pub(super) async fn record(
    settings: &CliSettings,
    stage: StandaloneRunner<'_>,
    call: ScriptCall<'_>,
    path: &Path,
    on_event: RunEventSink,
    err: &mut Out,
) -> Result<InvocationOutcome, TurnError> {
    let answers = call.answers.clone();
    let ScriptRequest { skill, script_idx, request } = stage.script_request(call)?;
    let studio = RecordingSetup::open(settings, skill, script_idx, err)?;
    let recorder = studio.recorder();
    let (record, invocation) =
        recorder.record(&request, answers, on_event).await.map_err(record_error)?;
    files::write(path, RECORD, record.render())?;
    Ok(invocation)
}

/// Runs a record again. `wanted` is the script that the player named, if any.
pub(super) async fn replay(
    settings: &CliSettings,
    path: &Path,
    wanted: Option<&str>,
) -> Result<Exit, TurnError> {
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let record =
        RunRecord::parse(&files::read(path, RECORD, RECORD_BYTES_MAX)?).map_err(record_error)?;
    if let Some(wanted) = wanted.filter(|wanted| *wanted != record.tool) {
        let error = format!("the record is of `{}`, not of `{wanted}`", record.tool);
        return Err(TurnError::new(TurnErrorKind::BadInput, error)
            .hint("leave the script out: the record knows which one it is"));
    }
    let folders = setup::GrantedFolders::default();
    let skill_set = setup::load_script(settings, &record.tool, folders, &mut err)?;
    let bare = skill_set.without_story(setup::options(settings, InteractionArgs::default())?);
    let stage = bare.stage();
    let (skill, script_idx) = stage.script(&record.tool)?;
    let studio = RecordingSetup::open(settings, skill, script_idx, &mut err)?;
    let recorder = studio.recorder();
    let interrupts = Interrupts::listen(look);
    let running = interrupts.begin_turn(None);
    let printer = ScriptPrinter::new(look, settings.format, true);
    let replay = tokio::select! {
        biased;
        () = running.grace_over() => return Ok(Exit::Interrupted),
        replay = recorder.replay(&record, printer.event_sink()) => replay.map_err(record_error)?,
    };
    printer.print_ending(&mut err, &replay.invocation);
    Ok(report_comparison(settings, &printer, &mut err, &replay))
}

/// Reports that the output is the same, or the first difference.
fn report_comparison(
    settings: &CliSettings,
    printer: &ScriptPrinter,
    err: &mut Out,
    replay: &Replay,
) -> Exit {
    let Replay { is_other_component, notes, difference, .. } = replay;
    if *is_other_component {
        let text = "the component is not the one that was recorded";
        note(err, Tone::Warning, "note", text);
    }
    for text in notes {
        note(err, Tone::Warning, "note", text);
    }
    if settings.format == Format::Json {
        let difference = difference.as_ref().map(|difference| {
            let Difference { what, recorded, replayed } = difference;
            json!({"what": what, "recorded": recorded, "replayed": replayed})
        });
        let line = json!({
            "type": "replay",
            "same": difference.is_none(),
            "otherComponent": is_other_component,
            "notes": notes,
            "difference": difference,
        });
        printer.print_json(&line);
    } else {
        match difference {
            None => printer.out().write("the same as recorded\n"),
            Some(Difference { what, recorded, replayed }) => {
                let text = format!("{what} is not as recorded");
                report_lines(err, &text, &[]);
                err.write(&format!("  recorded: {}\n", visible(recorded)));
                err.write(&format!("  replayed: {}\n", visible(replayed)));
            }
        }
    }
    if difference.is_none() { Exit::Done } else { Exit::Failed }
}

/// Everything that a recorder needs.
struct RecordingSetup {
    skill: Arc<Skill>,
    script_idx: usize,
    prepared: LoadedComponent,
    env: BTreeMap<String, String>,
    /// Holds the folders of one run.
    scratch: TempDir,
}

impl RecordingSetup {
    fn open(
        settings: &CliSettings,
        skill: Arc<Skill>,
        script_idx: usize,
        err: &mut Out,
    ) -> Result<RecordingSetup, TurnError> {
        let script = &skill.scripts[script_idx];
        let prepared = setup::sandbox(settings, err)?.load_file(&script.component, &script.grants);
        let prepared = prepared.map_err(|error| TurnError::new(TurnErrorKind::BadInput, error))?;
        let env = skill.granted_env(environment::variable);
        Ok(RecordingSetup {
            skill,
            script_idx,
            prepared,
            env,
            scratch: packages::scratch_folder()?,
        })
    }

    fn recorder(&self) -> RunRecorder<'_> {
        let RecordingSetup { skill, script_idx, prepared, env, scratch } = self;
        RunRecorder { skill, script_idx: *script_idx, prepared, env, scratch: scratch.path() }
    }
}

fn record_error(error: RunRecordError) -> TurnError {
    let kind = match &error {
        RunRecordError::Folder { .. } => TurnErrorKind::Internal,
        _ => TurnErrorKind::BadInput,
    };
    TurnError::new(kind, error)
}
