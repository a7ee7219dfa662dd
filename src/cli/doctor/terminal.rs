//! The terminal: whether it is one, its size, colours and letters.

use narratoria_ui::{TerminalStreams, streams, terminal_size};
use serde_json::json;

use super::{finding::DoctorFinding, probe::DoctorContext};

/// Columns below which tables are hard to read.
const COLUMNS_MIN: usize = 40;

pub(super) fn look(context: &DoctorContext) -> Vec<DoctorFinding> {
    let TerminalStreams { stdin, stdout, stderr } = streams();
    let (look, size) = (context.settings.terminal.look, terminal_size());
    let size = size.filter(|_| stdout || stderr);
    let value = json!({
        "stdin": stdin,
        "stdout": stdout,
        "stderr": stderr,
        "columns": size.map(|size| size.columns),
        "rows": size.map(|size| size.rows),
        "colours": look.colour_out,
        "utf8": !look.ascii,
    });
    let mut findings = Vec::new();
    let text = match (stdin && stdout, size) {
        (true, Some(size)) => {
            let colours = if look.colour_out { "colours" } else { "no colours" };
            format!("a terminal of {} columns and {} rows, {colours}", size.columns, size.rows)
        }
        (true, None) => "a terminal that does not say its size".to_owned(),
        (false, _) => "no terminal: each line of stdin is a turn, and nobody is asked".to_owned(),
    };
    findings.push(match size {
        Some(size) if stdout && size.columns < COLUMNS_MIN => {
            DoctorFinding::note(format!("{text}; it is narrow"), value, "stty cols 80")
        }
        _ if stdin && stdout && !context.settings.terminal.editable => {
            let text = format!("{text}; by TERM it can draw nothing, so there is no line editor");
            DoctorFinding::note(text, value, "export TERM=xterm-256color")
        }
        _ => DoctorFinding::ok(text, value),
    });
    if look.ascii {
        let text = "the locale has no UTF-8, so other letters than ASCII are left out of lines";
        findings.push(DoctorFinding::note(text, json!(false), "export LC_ALL=C.UTF-8"));
    }
    findings
}
