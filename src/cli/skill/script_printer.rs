//! Output of a script that runs outside a story: its events, its ending, its usage.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use narratoria_protocol::{InvocationEnding, InvocationOutcome, InvocationOutput, ResourceUsage};
use serde_json::{Value, json};

use super::usage::usage_document;
use crate::args::Format;
use narratoria_ui::{
    Look, Out, Tone, event_line, note, report_lines, usage_line, visible, visible_json,
};

#[derive(Clone)]
pub(super) struct ScriptPrinter {
    out: Arc<Mutex<Out>>,
    format: Format,
    /// True if the time is left out, because it differs between runs.
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
        Box::new(move |output| {
            // The output has the narration too.
            let InvocationOutput::Event(message) = output else { return };
            match printer.format {
                Format::Json => printer.print_json(&message.to_json()),
                Format::Plain => printer.out().write(&format!("{}\n", event_line(message))),
            }
        })
    }

    /// Prints the last lines: the ending and the usage.
    pub(super) fn print_ending(&self, err: &mut Out, invocation: &InvocationOutcome) {
        let InvocationOutcome { ending, usage, stderr_tail, .. } = invocation;
        let usage = match self.is_repeatable {
            true => &ResourceUsage { elapsed: Duration::ZERO, ..*usage },
            false => usage,
        };
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
            return self.print_json(&line);
        }
        if let InvocationEnding::Aborted(refusal) = ending {
            report_lines(err, &format!("the script {refusal} ({})", refusal.code()), &[]);
        }
        for line in stderr_tail.lines() {
            note(err, Tone::Notice, "stderr", line);
        }
        self.out().write(&format!("{}\n", visible(&usage_line(usage))));
    }

    /// Prints a document as one line.
    pub(super) fn print_json(&self, document: &Value) {
        self.out().write_as_is(&format!("{}\n", visible_json(&document.to_string())));
    }
}
