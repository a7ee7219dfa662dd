//! `narratoria doctor`: what is there, what is wrong, and what to type. Changes nothing, works with a broken home, and ends
//! in time whatever hangs.

mod access;
mod built_in_skills;
mod code_cache;
mod config_file;
mod disk;
mod finding;
mod home;
mod memory;
#[cfg(feature = "llama")]
mod models;
mod probe;
mod processor;
#[cfg(feature = "llama")]
mod servers;
mod stories;
mod terminal;
mod toolchains;

use std::time::Duration;

use narratoria_engine::TurnError;
use serde_json::{Value, json};

use super::{
    args::{DoctorArgs, Format},
    exit::Exit,
    print_document, print_text,
    settings::{self, CliSettings},
};
use finding::{DoctorFinding, FindingState};
use narratoria_ui::{plural, visible_line};
use probe::{DoctorContext, Probe, run_probes};

/// The time of most probes. Each reads some files; those of a slow disk take seconds.
const USUAL_TIME: Duration = Duration::from_secs(20);

/// The time of the probes that wait for other programs.
const PROGRAM_TIME: Duration = Duration::from_secs(30);

/// What is looked at, in the order of the report. All begin at the same time, so the longest time is that of the command.
const PROBES: &[Probe] = &[
    Probe { part: "processor", time: USUAL_TIME, run: processor::look },
    Probe { part: "memory", time: USUAL_TIME, run: memory::look },
    Probe { part: "terminal", time: USUAL_TIME, run: terminal::look },
    Probe { part: "home", time: USUAL_TIME, run: home::look },
    Probe { part: "disk", time: USUAL_TIME, run: disk::look },
    Probe { part: "configuration", time: USUAL_TIME, run: config_file::look },
    Probe { part: "stories", time: USUAL_TIME, run: stories::look },
    Probe { part: "built-in-skills", time: USUAL_TIME, run: built_in_skills::look },
    Probe { part: "code-cache", time: USUAL_TIME, run: code_cache::look },
    #[cfg(feature = "llama")]
    Probe { part: "models", time: USUAL_TIME, run: models::look },
    #[cfg(feature = "llama")]
    Probe { part: "servers", time: USUAL_TIME, run: servers::look },
    Probe { part: "rust", time: PROGRAM_TIME, run: toolchains::rust },
    Probe { part: "c", time: PROGRAM_TIME, run: toolchains::c },
    Probe { part: "javascript", time: PROGRAM_TIME, run: toolchains::javascript },
    Probe { part: "python", time: PROGRAM_TIME, run: toolchains::python },
];

pub(super) fn doctor(args: &DoctorArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::bare()?;
    let look = settings.terminal.look;
    let context = DoctorContext { settings, home: settings::initial_home() };
    let findings = run_probes(PROBES, context);
    match args.format {
        Format::Json => print_document(look, &document(&findings))?,
        Format::Plain => print_text(look, &text(&findings))?,
    }
    match count(&findings, FindingState::Fault) {
        0 => Ok(Exit::Done),
        _ => Ok(Exit::Failed),
    }
}

fn count(findings: &[DoctorFinding], state: FindingState) -> usize {
    findings.iter().filter(|finding| finding.state == state).count()
}

/// Returns a document of `doctor-report.schema.json`.
fn document(findings: &[DoctorFinding]) -> Value {
    let rows: Vec<Value> = findings.iter().map(DoctorFinding::document).collect();
    json!({
        "program": env!("CARGO_PKG_VERSION"),
        "faults": count(findings, FindingState::Fault),
        "notes": count(findings, FindingState::Note),
        "findings": rows,
    })
}

/// Each finding on a line, the way out below it.
fn text(findings: &[DoctorFinding]) -> String {
    const STATE_COLUMNS: usize = 5;
    let part_columns = findings.iter().map(|finding| finding.part.len()).max().unwrap_or_default();
    let indent = STATE_COLUMNS + part_columns + 4;
    let mut text = String::new();
    for DoctorFinding { part, state, text: what, way_out, .. } in findings {
        let (state, what) = (state.as_str(), visible_line(what));
        text += &format!("{state:STATE_COLUMNS$}  {part:part_columns$}  {what}\n");
        if let Some(command) = way_out {
            text += &format!("{:indent$}type: {}\n", "", visible_line(command));
        }
    }
    let (faults, notes) =
        (count(findings, FindingState::Fault), count(findings, FindingState::Note));
    text + &format!("\n{}, {}\n", plural(faults, "fault"), plural(notes, "note"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{DoctorFinding, FindingState, text};

    #[test]
    fn a_report_has_a_line_for_each_finding_and_the_way_out_below_it() {
        let mut good = DoctorFinding::ok("x86_64, 2 cores", json!(2));
        let mut bad = DoctorFinding::fault("`h` is \u{1b}[2J a file", json!("h"), "mv h h.aside");
        (good.part, bad.part) = ("processor", "home");
        assert_eq!((good.state, bad.state), (FindingState::Ok, FindingState::Fault));
        insta::assert_snapshot!(text(&[good, bad]), @r"
        ok     processor  x86_64, 2 cores
        fault  home       `h` is \u{1b}[2J a file
                          type: mv h h.aside

        1 fault, 0 notes
        ");
    }
}
