//! The findings of `skill check` and the results of `skill test`, for people.

use std::{
    fmt::Write,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use narratoria_kit::{
    ExampleCoverage, ExampleRun,
    check::{CheckProgress, CheckReport, Finding, FindingLevel, MeaningReport, PackageReport},
};
use narratoria_protocol::InvocationEnding;

use super::{
    Look, Out, Tone, event_line, note,
    text::{visible, visible_line},
    usage_line,
};

/// Most lines of a script's output that are shown below a difference: about half a screen.
const OUTPUT_LINES_MAX: usize = 12;

/// Most names in a line about parts that no example shows; `--format json` has all.
const MISSING_MAX: usize = 8;

/// Shows the progress of a check: on a terminal as a bar, elsewhere as a line from time to time.
pub struct CheckBar {
    bar: Option<ProgressBar>,
    lines: Option<CheckLines>,
}

/// How often a check says how far it is where no bar can be drawn. A short check says nothing.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// The progress of a check as lines on stderr, from a thread of its own.
struct CheckLines {
    shared: Arc<(Mutex<CheckLinesState>, Condvar)>,
}

#[derive(Default)]
struct CheckLinesState {
    running: Vec<String>,
    done: usize,
    is_over: bool,
}

impl CheckLines {
    fn start(look: Look, packages: usize) -> CheckLines {
        let shared: Arc<(Mutex<CheckLinesState>, Condvar)> = Arc::default();
        let lines = CheckLines { shared: Arc::clone(&shared) };
        let print = move || {
            let (mut err, began) = (Out::stderr(look), Instant::now());
            let (state, over) = &*shared;
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                let waited = over.wait_timeout_while(state, LINE_INTERVAL, |state| !state.is_over);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                if state.is_over {
                    return;
                }
                let text = state.text(packages, began.elapsed());
                note(&mut err, Tone::Notice, "checking", &text);
            }
        };
        // Without a thread the check says nothing until its end.
        let _ = thread::Builder::new().name("progress".to_owned()).spawn(print);
        lines
    }

    fn change(&self, change: impl FnOnce(&mut CheckLinesState)) {
        let (state, over) = &*self.shared;
        change(&mut state.lock().unwrap_or_else(PoisonError::into_inner));
        over.notify_all();
    }
}

impl CheckLinesState {
    /// `omens; 2 of 5 packages checked after 20 s`
    fn text(&self, packages: usize, elapsed: Duration) -> String {
        let (running, done, seconds) = (self.running.join(", "), self.done, elapsed.as_secs());
        format!("{running}; {done} of {} checked after {seconds} s", plural(packages, "package"))
    }
}

impl CheckBar {
    pub fn new(look: Look, packages: usize) -> CheckBar {
        let bar = look.live.map(|_| {
            let bar =
                ProgressBar::with_draw_target(Some(packages as u64), ProgressDrawTarget::stderr());
            let template = "{bar:24} {pos} of {len} checked  {msg}";
            let style = ProgressStyle::with_template(template);
            let style = style.expect("the template is a fixed text that a test draws");
            bar.set_style(if look.ascii { style.progress_chars("=> ") } else { style });
            bar
        });
        let lines = bar.is_none().then(|| CheckLines::start(look, packages));
        CheckBar { bar, lines }
    }

    pub fn show(&self, progress: CheckProgress<'_>) {
        if let Some(bar) = &self.bar {
            match progress {
                CheckProgress::Started(target) => bar.set_message(visible_line(&target.name)),
                CheckProgress::Finished(_) => bar.inc(1),
            }
        }
        if let Some(lines) = &self.lines {
            lines.change(|state| match progress {
                CheckProgress::Started(target) => state.running.push(visible_line(&target.name)),
                CheckProgress::Finished(target) => {
                    let name = visible_line(&target.name);
                    state.running.retain(|running| *running != name);
                    state.done += 1;
                }
            });
        }
    }

    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if let Some(lines) = &self.lines {
            lines.change(|state| state.is_over = true);
        }
    }
}

/// The report, a paragraph for each package and a line at the end.
pub fn check_report(report: &CheckReport, look: Look) -> String {
    let colour = look.colour_out;
    let mut text = String::new();
    for package in &report.packages {
        text += &heading(package, colour);
        text += &package.meaning.map(meaning_text).unwrap_or_default();
        for finding in &package.findings {
            text += &finding_text(finding, colour);
        }
    }
    let packages = &report.packages;
    let good = packages.iter().filter(|package| package.is_ok()).count();
    let strict = if report.strict { ", warnings counted as errors" } else { "" };
    let _ = writeln!(
        text,
        "{}: {good} ok, {} not; {}{strict}",
        plural(packages.len(), "package"),
        packages.len() - good,
        counts(
            [FindingLevel::Error, FindingLevel::Warning, FindingLevel::Note]
                .map(|level| report.count(level))
        ),
    );
    if !report.is_complete() {
        let seconds = report.time_budget.as_secs_f64();
        let _ = writeln!(text, "not complete: the time budget of {seconds} s is spent");
    }
    if let Some(why) = &report.meaning_left_out {
        let why = visible(why);
        let _ = writeln!(text, "left out: which sentences find the scripts, because {why}");
    }
    let failed = packages.iter().filter(|package| !package.is_ok());
    // Only examples and hostile runs depend on the seed.
    if failed.map(|package| package.examples + package.hostile).sum::<usize>() > 0 {
        let _ = writeln!(text, "repeat this check with `--seed {}`", report.seed);
    }
    text
}

/// Returns the parts that no example of a package shows; empty if they show everything.
pub fn coverage_text(coverage: &ExampleCoverage, look: Look) -> String {
    let ExampleCoverage { scripts, triggers, output_fields } = coverage;
    let parts = [("script", scripts), ("trigger", triggers), ("output field", output_fields)];
    let mut text = String::new();
    for (what, part) in parts.iter().filter(|(_, part)| !part.missing.is_empty()) {
        let named: Vec<String> =
            part.missing.iter().take(MISSING_MAX).map(|name| visible_line(name)).collect();
        let more = match part.missing.len().saturating_sub(MISSING_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let note = Tone::Notice.paint("note:", look.colour_out);
        let missing = plural(part.missing.len(), what);
        let named = named.join(", ");
        let _ =
            writeln!(text, "{note} no example shows {missing} of {}: {named}{more}", part.total);
    }
    text
}

fn heading(package: &PackageReport, colour: bool) -> String {
    let shown = if package.display_name == "." { &package.name } else { &package.display_name };
    let version = package.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    let name = Tone::Strong.paint(&format!("{}{version}", visible_line(shown)), colour);
    let ran = match package.examples + package.hostile {
        0 => String::new(),
        _ => format!(
            " ({}, {})",
            plural(package.examples, "example"),
            plural(package.hostile, "hostile request")
        ),
    };
    let verdict = match package.is_ok() {
        true => Tone::Added.paint("ok", colour),
        false => Tone::Error.paint("not ok", colour),
    };
    format!("{name}: {verdict}{ran}\n")
}

/// How the sentences of a package find its scripts.
fn meaning_text(meaning: MeaningReport) -> String {
    let MeaningReport { found, held_out, false_alarms, plain } = meaning;
    format!(
        "  by meaning: {found} of {} find their script; {false_alarms} of {} start one\n",
        plural(held_out, "held-out sentence"),
        plural(plain, "plain sentence"),
    )
}

fn finding_text(finding: &Finding, colour: bool) -> String {
    let tone = match finding.level {
        FindingLevel::Error => Tone::Error,
        FindingLevel::Warning => Tone::Warning,
        FindingLevel::Note => Tone::Notice,
    };
    let word = tone.paint(&format!("{}:", finding.level.as_str()), colour);
    let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
    let place = match (&finding.file, &finding.pointer) {
        (None, _) => String::new(),
        (Some(file), None) => format!("{file}{line}: "),
        (Some(file), Some(pointer)) => format!("{file}{line}: {pointer}: "),
    };
    let what = format!("{}{}", visible(&place), visible(&finding.what));
    let rule = Tone::Notice.paint(&format!("[{}]", finding.rule.id), colour);
    let hint = Tone::Hint.paint("hint:", colour);
    format!("  {word} {what} {rule}\n    {hint} {}\n", finding.rule.help)
}

fn counts([errors, warnings, notes]: [usize; 3]) -> String {
    format!(
        "{}, {}, {}",
        plural(errors, "error"),
        plural(warnings, "warning"),
        plural(notes, "note")
    )
}

/// A count of things: `1 note`, `2 notes`.
pub fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// One example: a line if it succeeded; otherwise also the differences and the script's output.
pub fn example_text(skill: &str, file: &str, run: &ExampleRun, look: Look) -> String {
    let colour = look.colour_out;
    let invocation = &run.run.invocation;
    let name = format!("{}/{}", visible_line(skill), visible_line(file));
    let used = Tone::Notice.paint(&visible_line(&usage_line(&invocation.usage)), colour);
    if run.differences.is_empty() {
        return format!("{} {name}  {used}\n", Tone::Added.paint("ok", colour));
    }
    let mut text = format!("{} {name}  {used}\n", Tone::Error.paint("differs", colour));
    for difference in &run.differences {
        let _ = writeln!(text, "  {}", visible_line(difference));
    }
    let events: Vec<String> = run.run.messages.iter().map(event_line).collect();
    let output: Vec<&str> = events.iter().flat_map(|event| event.lines()).collect();
    for line in output.iter().take(OUTPUT_LINES_MAX) {
        let _ = writeln!(text, "    {} {}", Tone::Notice.paint("said:", colour), visible(line));
    }
    if output.len() > OUTPUT_LINES_MAX {
        let _ = writeln!(text, "    and {} more", plural(output.len() - OUTPUT_LINES_MAX, "line"));
    }
    if output.is_empty() && !matches!(invocation.ending, InvocationEnding::Aborted(_)) {
        let _ = writeln!(text, "    it said nothing");
    }
    for line in invocation.stderr_tail.lines().filter(|line| !line.trim().is_empty()) {
        let _ = writeln!(text, "    {} {}", Tone::Notice.paint("stderr:", colour), visible(line));
    }
    text
}

#[cfg(test)]
mod tests {
    use narratoria_kit::check::{
        CheckReport, CheckTarget, Finding, FindingLevel, MeaningReport, PackageReport, Rule,
        TargetKind,
    };

    use super::{CheckBar, CheckLinesState, Duration, check_report};
    use crate::{Look, TerminalSize};

    #[test]
    fn a_check_on_a_pipe_says_how_far_it_is() {
        let running = vec!["omens".to_owned(), "mill".to_owned()];
        let state = CheckLinesState { running, done: 2, is_over: false };
        assert_eq!(
            state.text(5, Duration::from_secs(20)),
            "omens, mill; 2 of 5 packages checked after 20 s"
        );
    }

    fn report() -> CheckReport {
        let rule = |id| Rule::find(id).unwrap();
        let checked = |name: &str, findings| {
            let (name, display_name) = (name.to_owned(), format!("skills/{name}"));
            let target = CheckTarget {
                name,
                display_name,
                folder: "skills".into(),
                kind: TargetKind::Package,
                signer: None,
            };
            PackageReport {
                version: Some("1.0.0".to_owned()),
                findings,
                examples: 1,
                hostile: 120,
                ..PackageReport::unchecked(&target)
            }
        };
        let findings = vec![
            Finding {
                rule: rule("files/link"),
                level: FindingLevel::Warning,
                file: Some("a".to_owned()),
                pointer: None,
                line: None,
                what: "is a link".to_owned(),
            },
            Finding {
                rule: rule("grants/unused"),
                level: FindingLevel::Error,
                file: Some("skill.json".to_owned()),
                pointer: Some("/scripts/0/grants/llm".to_owned()),
                line: Some(7),
                what: "`scripts/a.wasm` does not import `narratoria:host/llm`".to_owned(),
            },
        ];
        CheckReport {
            strict: false,
            seed: 77,
            time_budget: Duration::from_secs(60),
            started: "2026-11-22T17:34:27".to_owned(),
            meaning_left_out: None,
            packages: vec![checked("good", vec![]), checked("bad", findings)],
        }
    }

    #[test]
    fn a_report_names_each_fault_its_place_and_its_fix() {
        insta::assert_snapshot!(check_report(&report(), Look::default()), @"
        skills/good 1.0.0: ok (1 example, 120 hostile requests)
        skills/bad 1.0.0: not ok (1 example, 120 hostile requests)
          warning: a: is a link [files/link]
            hint: replace the link by a copy of the file
          error: skill.json:7: /scripts/0/grants/llm: `scripts/a.wasm` does not import `narratoria:host/llm` [grants/unused]
            hint: remove it from `grants`
        2 packages: 1 ok, 1 not; 1 error, 1 warning, 0 notes
        repeat this check with `--seed 77`
        ");
    }

    #[test]
    fn a_report_says_how_sentences_find_scripts_or_why_that_is_left_out() {
        let mut report = report();
        report.packages.truncate(1);
        let meaning = MeaningReport { found: 7, held_out: 9, false_alarms: 0, plain: 500 };
        report.packages[0].meaning = Some(meaning);
        insta::assert_snapshot!(check_report(&report, Look::default()), @"
        skills/good 1.0.0: ok (1 example, 120 hostile requests)
          by meaning: 7 of 9 held-out sentences find their script; 0 of 500 plain sentences start one
        1 package: 1 ok, 0 not; 0 errors, 0 warnings, 0 notes
        ");
        report.packages[0].meaning = None;
        report.meaning_left_out = Some("there is no model".to_owned());
        insta::assert_snapshot!(check_report(&report, Look::default()), @"
        skills/good 1.0.0: ok (1 example, 120 hostile requests)
        1 package: 1 ok, 0 not; 0 errors, 0 warnings, 0 notes
        left out: which sentences find the scripts, because there is no model
        ");
    }

    #[test]
    fn the_bar_can_be_drawn() {
        let live = Some(TerminalSize { columns: 80, rows: 24 });
        for ascii in [false, true] {
            let bar = CheckBar::new(Look { live, ascii, ..Look::default() }, 2);
            assert!(bar.bar.is_some());
            bar.clear();
        }
        assert!(CheckBar::new(Look::default(), 2).bar.is_none());
    }
}
