//! The gate: a package is read, run and attacked, and what is wrong with it is data. Knows rules, packages and
//! the bench; draws nothing and decides no exit code.
//!
//! [`check_all`] checks several packages at once, the report is in the order in which they were named. Rules
//! are in [`RULES`], their reasons and ways out in `docs/checking.md`. [`report_json`], [`report_junit`],
//! [`report_sarif`] and [`report_github`] write a report for programs.

mod components;
mod finding;
mod github;
mod hostile;
mod inputs;
mod json;
mod junit;
mod lines;
mod played;
mod reading;
mod rules;
mod sarif;
mod tree;

pub use finding::{Checked, Finding, Report, Target};
pub use github::report_github;
pub use hostile::HOSTILE_TIME_MAX;
pub use inputs::HOSTILE_INPUTS_MAX;
pub use json::report_json;
pub use junit::report_junit;
pub use reading::SKILL_MD_LINES_MAX;
pub use rules::{Level, RULES, Rule};
pub use sarif::report_sarif;
pub use tree::FILES_MAX;

use std::{
    collections::BTreeMap,
    io,
    num::NonZeroUsize,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use tokio::runtime::Handle;

use self::{finding::Book, finding::Place, tree::Tree};
use super::Rig;
use crate::sandbox::Sandbox;

/// How packages are checked.
pub struct Options {
    /// Runs their scripts.
    pub sandbox: Arc<Sandbox>,
    /// Runs what waits.
    pub runtime: Handle,
    /// Environment variables: for `${VAR}` in a `config.json`, and for scripts that are granted some.
    pub env: BTreeMap<String, String>,
    /// A folder for what the runs write; each run takes its own away.
    pub scratch: PathBuf,
    /// Whether warnings are errors.
    pub strict: bool,
    /// How many packages are checked at the same time.
    pub jobs: NonZeroUsize,
}

/// News of a check that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress<'t> {
    /// A package has begun.
    Begun(&'t Target),
    /// A package is done.
    Finished(&'t Target),
}

/// Checks all of them and blocks until it is done. `news` is called from several threads.
///
/// Fails only where this machine does, such as a full disk: whatever is wrong with a package is in the report.
pub fn check_all(
    targets: &[Target],
    options: &Options,
    news: &(dyn Fn(Progress<'_>) + Sync),
) -> io::Result<Report> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, io::Result<Checked>)>> = Mutex::default();
    let work = || {
        loop {
            let idx = next.fetch_add(1, Ordering::Relaxed);
            let Some(target) = targets.get(idx) else { return };
            news(Progress::Begun(target));
            let checked = options.runtime.block_on(check_one(target, options));
            news(Progress::Finished(target));
            done.lock().unwrap_or_else(PoisonError::into_inner).push((idx, checked));
        }
    };
    thread::scope(|scope| {
        for _ in 0..options.jobs.get().min(targets.len()) {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(idx, _)| *idx);
    let packages = done.into_iter().map(|(_, checked)| checked).collect::<io::Result<_>>()?;
    Ok(Report { strict: options.strict, packages })
}

async fn check_one(target: &Target, options: &Options) -> io::Result<Checked> {
    let mut checked = Checked {
        name: target.name.clone(),
        shown: target.shown.clone(),
        version: None,
        findings: Vec::new(),
        examples: 0,
        hostile: 0,
    };
    let tree = match Tree::read(&target.folder) {
        Ok(tree) => tree,
        Err(error) => {
            let nothing = Tree::empty();
            let mut book = Book::open(&nothing, options.strict);
            let what = format!("cannot be read: {error}");
            book.add(&rules::PACKAGE_UNREADABLE, Place::whole(), what);
            checked.findings = book.close();
            return Ok(checked);
        }
    };
    let mut book = Book::open(&tree, options.strict);
    tree.check(&mut book);
    let skill = reading::load(target, &tree, options, &mut book).map(Arc::new);
    reading::check(&tree, skill.as_deref(), &mut book);
    let mut runs = None;
    if let Some(skill) = &skill {
        checked.version = Some(skill.version.to_string());
        components::check_grants(skill, &mut book);
        let env = skill.granted_env(|name| options.env.get(name).cloned());
        let (rig, errors) = Rig::build_what_loads(
            Arc::clone(skill),
            &options.sandbox,
            env,
            options.scratch.clone(),
        );
        components::check_loading(skill, &errors, &mut book);
        runs = Some(rig).filter(|_| errors.is_empty());
    }
    match runs {
        None => {
            let what = "its scripts were not run";
            book.add(&rules::PACKAGE_NOT_RUN, Place::whole(), what);
        }
        Some(rig) => {
            for script_idx in 0..rig.skill().scripts.len() {
                components::check_described(&rig, script_idx, &mut book).await?;
            }
            checked.examples = played::check(&rig, &mut book).await?;
            checked.hostile = hostile::check(&rig, &mut book).await?;
        }
    }
    checked.findings = book.close();
    Ok(checked)
}
