//! `narratoria skill run`: one script, once, outside any story.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use narratoria_engine::{ScriptCall, TurnError};
use narratoria_protocol::OPERATION_RUN;
use narratoria_protocol::{InvocationEnding, InvocationOutcome, InvocationOutput, ResourceUsage};
use serde_json::{Value, json};

use super::{record, usage_document};
use crate::{
    cli::{
        args::{Format, InteractionArgs, SkillRunArgs},
        exit::Exit,
        files,
        interrupt::Interrupts,
        settings::CliSettings,
        setup,
    },
    ui::{Look, Out, Tone, event_line, note, report_lines, usage_line, visible, visible_json},
};

pub(super) async fn run(args: SkillRunArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    if let Some(path) = &args.replay {
        return record::replay(&settings, path, args.script.as_deref()).await;
    }
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let state = args.state.map(|path| files::read_object(&path, "state")).transpose()?;
    let inputs = args.inputs.map(|path| files::read_object(&path, "inputs")).transpose()?;
    let kit = setup::load_skills_without_model(&settings, None, &mut err)?;
    kit.warn(&mut err);
    let seed = args.seed.seed;
    let call = ScriptCall {
        tool_path: args.script.as_deref().unwrap_or_default(),
        operation: OPERATION_RUN,
        input: files::read_object(files::stdin(), "input")?,
        state: state.unwrap_or_default(),
        inputs: inputs.unwrap_or_default(),
        seed: seed.unwrap_or_else(setup::draw_seed),
        answers: args.answers,
    };
    let interrupts = Interrupts::listen(look)?;
    let running = interrupts.begin_turn(None);
    let printer = ScriptPrinter::new(look, settings.format, seed.is_some());
    let bare = kit.without_story(setup::options(&settings, InteractionArgs::default()));
    let bare = bare.repeatable(seed);
    let stage = bare.stage();
    let on_event = printer.event_sink();
    let work = async {
        match &args.record {
            Some(path) => record::record(&settings, stage, call, path, on_event, &mut err).await,
            None => {
                let mut on_event = on_event;
                stage.run_script(call, Box::new(move |said| on_event(&said))).await
            }
        }
    };
    let invocation = tokio::select! {
        biased;
        () = running.cancel.cancelled() => return Ok(Exit::Interrupted),
        ran = work => ran?,
    };
    printer.print_ending(&mut Out::stderr(look), &invocation);
    let ok = matches!(invocation.ending, InvocationEnding::Done { .. });
    Ok(if ok { Exit::Done } else { Exit::Failed })
}

/// Prints the events of a script that runs alone.
#[derive(Clone)]
pub(super) struct ScriptPrinter {
    out: Arc<Mutex<Out>>,
    format: Format,
    /// How long it took is different each time.
    is_repeatable: bool,
}

impl ScriptPrinter {
    pub(super) fn new(look: Look, format: Format, is_repeatable: bool) -> ScriptPrinter {
        ScriptPrinter { out: Arc::new(Mutex::new(Out::stdout(look))), format, is_repeatable }
    }

    pub(super) fn out(&self) -> MutexGuard<'_, Out> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints each event as it arrives.
    pub(super) fn event_sink(&self) -> narratoria_kit::RunEventSink {
        let printer = self.clone();
        Box::new(move |said| {
            // Narration returns as part of the output.
            let InvocationOutput::Event(message) = said else { return };
            printer.out().write(&match printer.format {
                Format::Json => format!("{}\n", visible_json(&message.to_json().to_string())),
                Format::Plain => format!("{}\n", event_line(message)),
            });
        })
    }

    /// Prints the last lines: the ending and the usage.
    pub(super) fn print_ending(&self, err: &mut Out, invocation: &InvocationOutcome) {
        let InvocationOutcome { ending, usage, stderr_tail, .. } = invocation;
        let usage = match self.is_repeatable {
            true => &ResourceUsage { elapsed: std::time::Duration::ZERO, ..*usage },
            false => usage,
        };
        let mut out = self.out();
        if self.format == Format::Json {
            let refusal = match ending {
                InvocationEnding::Aborted(refusal) => {
                    json!({"code": refusal.code(), "message": refusal.to_string()})
                }
                _ => Value::Null,
            };
            let line = json!({
                "type": "invocation",
                "ok": matches!(ending, InvocationEnding::Done { .. }),
                "refusal": refusal,
                "usage": usage_document(usage),
                "stderr": stderr_tail,
            });
            out.write(&format!("{}\n", visible_json(&line.to_string())));
            return;
        }
        if let InvocationEnding::Aborted(refusal) = ending {
            report_lines(err, &format!("the script {refusal} ({})", refusal.code()), &[]);
        }
        for line in stderr_tail.lines() {
            note(err, Tone::Notice, "stderr", line);
        }
        out.write(&format!("{}\n", visible(&usage_line(usage))));
    }
}
