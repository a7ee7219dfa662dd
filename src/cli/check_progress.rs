//! How far a check is, as lines of JSON on stderr: `contracts/check-progress.schema.json`. Knows counts of parts; knows neither
//! queues nor packages.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use narratoria_kit::check::{CheckProgress, CheckTarget};
use narratoria_ui::{Look, Out};
use serde::Serialize;

/// The version of a line; a change that would break a reader raises it.
const VERSION: u32 = 1;

/// Parts of a check, by where they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartCounts {
    pub(crate) done: usize,
    pub(crate) running: usize,
    pub(crate) waiting: usize,
    /// Ended without a result.
    pub(crate) given_up: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProgressJson<'p> {
    r#type: &'static str,
    v: u32,
    workers: usize,
    parts: PartCounts,
    packages: Vec<PackageJson<'p>>,
}

#[derive(Serialize)]
struct PackageJson<'p> {
    name: &'p str,
    folder: &'p str,
    parts: PartCounts,
}

struct PackageCounts {
    name: String,
    folder: String,
    path: PathBuf,
    parts: PartCounts,
    /// What the last line said of it.
    said: Option<PartCounts>,
}

/// Writes a line for each change, with the packages that have changed. Clones share what was said.
#[derive(Clone)]
pub(crate) struct CheckProgressLines(Arc<Mutex<ProgressState>>);

struct ProgressState {
    packages: Vec<PackageCounts>,
    workers: usize,
    err: Out,
}

impl CheckProgressLines {
    /// Each package waits, as one part.
    pub(crate) fn begin(look: Look, targets: &[CheckTarget]) -> CheckProgressLines {
        CheckProgressLines::write_to(Out::stderr(look), targets)
    }

    fn write_to(err: Out, targets: &[CheckTarget]) -> CheckProgressLines {
        let package = |target: &CheckTarget| PackageCounts {
            name: target.name.clone(),
            folder: target.display_name.clone(),
            path: target.folder.clone(),
            parts: PartCounts { waiting: 1, ..PartCounts::default() },
            said: None,
        };
        let packages = targets.iter().map(package).collect();
        CheckProgressLines(Arc::new(Mutex::new(ProgressState { packages, workers: 0, err })))
    }

    /// A package that this machine checks, as one part.
    pub(crate) fn show_package(&self, progress: CheckProgress<'_>) {
        let (target, parts) = match progress {
            CheckProgress::Started(target) => {
                (target, PartCounts { running: 1, ..PartCounts::default() })
            }
            CheckProgress::Finished(target) => {
                (target, PartCounts { done: 1, ..PartCounts::default() })
            }
        };
        let found = self.state().packages.iter().position(|it| it.path == target.folder);
        self.show(found.map(|idx| (idx, parts)), 0);
    }

    fn state(&self) -> MutexGuard<'_, ProgressState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the counts of some packages, by their indices, and the number of workers.
    pub(crate) fn show(
        &self,
        counts: impl IntoIterator<Item = (usize, PartCounts)>,
        workers: usize,
    ) {
        let mut state = self.state();
        for (idx, parts) in counts {
            if let Some(package) = state.packages.get_mut(idx) {
                package.parts = parts;
            }
        }
        if let Some(line) = state.line(workers) {
            state.err.write_as_is(&line);
        }
    }
}

impl ProgressState {
    /// The line, if anything has changed.
    fn line(&mut self, workers: usize) -> Option<String> {
        let mut parts = PartCounts::default();
        let mut packages = Vec::new();
        for package in &mut self.packages {
            let PartCounts { done, running, waiting, given_up } = package.parts;
            parts.done += done;
            parts.running += running;
            parts.waiting += waiting;
            parts.given_up += given_up;
            if package.said.replace(package.parts) != Some(package.parts) {
                let PackageCounts { name, folder, parts, .. } = &*package;
                packages.push(PackageJson { name, folder, parts: *parts });
            }
        }
        let is_changed = !packages.is_empty() || workers != self.workers;
        self.workers = workers;
        let line = ProgressJson { r#type: "check.progress", v: VERSION, workers, parts, packages };
        is_changed.then(|| serde_json::to_string(&line).expect("texts and numbers are JSON") + "\n")
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use narratoria_kit::check::{CheckTarget, TargetKind};
    use narratoria_ui::Out;

    use super::{CheckProgressLines, PartCounts};

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_names_the_packages_that_have_changed_and_counts_all_parts() {
        let target = |name: &str| CheckTarget {
            name: name.to_owned(),
            display_name: format!("skills/{name}"),
            folder: name.into(),
            kind: TargetKind::Package,
            signer: None,
        };
        let written = Written::default();
        let out = Out::new(written.clone(), false);
        let lines = CheckProgressLines::write_to(out, &[target("moon"), target("s\u{1b}un")]);
        let counts =
            |done, running, waiting, given_up| PartCounts { done, running, waiting, given_up };
        lines.show([(0, counts(0, 1, 2, 0))], 1);
        lines.show([(0, counts(0, 1, 2, 0))], 1);
        lines.show([(0, counts(2, 0, 0, 1)), (7, counts(1, 1, 1, 1))], 0);
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let expected = r#"
{"type":"check.progress","v":1,"workers":1,"parts":{"done":0,"running":1,"waiting":3,"givenUp":0},"packages":[{"name":"moon","folder":"skills/moon","parts":{"done":0,"running":1,"waiting":2,"givenUp":0}},{"name":"s\u001bun","folder":"skills/s\u001bun","parts":{"done":0,"running":0,"waiting":1,"givenUp":0}}]}
{"type":"check.progress","v":1,"workers":0,"parts":{"done":2,"running":0,"waiting":1,"givenUp":1},"packages":[{"name":"moon","folder":"skills/moon","parts":{"done":2,"running":0,"waiting":0,"givenUp":1}}]}
"#;
        assert_eq!(text, expected.trim_start());
    }
}
