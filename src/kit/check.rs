//! The gate: a package is read, run and attacked, and what is wrong with it is data. Knows rules, packages and
//! the bench; draws nothing and decides no exit code.
//!
//! [`check_all`] checks several packages at once, the report is in the order in which they were named. Rules
//! are in [`RULES`], their reasons and ways out in `docs/checking.md`. [`report_json`], [`report_junit`],
//! [`report_sarif`] and [`report_github`] write a report for programs.

mod components;
mod declared_files;
mod example_runs;
mod finding;
mod github;
mod hostile;
mod inputs;
mod json;
mod json_lines;
mod junit;
mod rules;
mod sarif;
mod tree;

pub use declared_files::SKILL_MD_LINES_MAX;
pub use finding::{CheckReport, CheckTarget, Finding, PackageReport};
pub use github::report_github;
pub use hostile::HOSTILE_TIME_MAX;
pub use inputs::HOSTILE_INPUTS_MAX;
pub use json::report_json;
pub use junit::report_junit;
pub use rules::{FindingLevel, RULES, Rule};
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

use self::{finding::FindingCollector, finding::FindingLocation, tree::PackageTree};
use super::PackageHarness;
use narratoria_sandbox::Sandbox;

/// How packages are checked.
pub struct CheckOptions {
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
pub enum CheckProgress<'t> {
    /// A package has begun.
    Started(&'t CheckTarget),
    /// A package is done.
    Finished(&'t CheckTarget),
}

/// Checks all of them and blocks until it is done. `news` is called from several threads.
///
/// Fails only where this machine does, such as a full disk: whatever is wrong with a package is in the report.
pub fn check_all(
    targets: &[CheckTarget],
    options: &CheckOptions,
    news: &(dyn Fn(CheckProgress<'_>) + Sync),
) -> io::Result<CheckReport> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, io::Result<PackageReport>)>> = Mutex::default();
    let work = || {
        loop {
            let idx = next.fetch_add(1, Ordering::Relaxed);
            let Some(target) = targets.get(idx) else { return };
            news(CheckProgress::Started(target));
            let checked = options.runtime.block_on(check_one(target, options));
            news(CheckProgress::Finished(target));
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
    Ok(CheckReport { strict: options.strict, packages })
}

async fn check_one(target: &CheckTarget, options: &CheckOptions) -> io::Result<PackageReport> {
    let mut checked = PackageReport {
        name: target.name.clone(),
        display_name: target.display_name.clone(),
        version: None,
        findings: Vec::new(),
        examples: 0,
        hostile: 0,
    };
    let tree = match PackageTree::read(&target.folder) {
        Ok(tree) => tree,
        Err(error) => {
            let nothing = PackageTree::empty();
            let mut book = FindingCollector::open(&nothing, options.strict);
            let what = format!("cannot be read: {error}");
            book.add(&rules::PACKAGE_UNREADABLE, FindingLocation::whole(), what);
            checked.findings = book.close();
            return Ok(checked);
        }
    };
    let mut book = FindingCollector::open(&tree, options.strict);
    tree.check(&mut book);
    let skill = declared_files::load(target, &tree, options, &mut book).map(Arc::new);
    declared_files::check(&tree, skill.as_deref(), &mut book);
    let mut runs = None;
    if let Some(skill) = &skill {
        checked.version = Some(skill.version.to_string());
        components::check_grants(skill, &mut book);
        let env = skill.granted_env(|name| options.env.get(name).cloned());
        let (rig, errors) = PackageHarness::build_what_loads(
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
            book.add(&rules::PACKAGE_NOT_RUN, FindingLocation::whole(), what);
        }
        Some(rig) => {
            for script_idx in 0..rig.skill().scripts.len() {
                components::check_described(&rig, script_idx, &mut book).await?;
            }
            checked.examples = example_runs::check(&rig, &mut book).await?;
            checked.hostile = hostile::check(&rig, &mut book).await?;
        }
    }
    checked.findings = book.close();
    Ok(checked)
}
