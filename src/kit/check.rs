//! The gate: a package is read, run and attacked, and its faults become data. Knows rules, packages and the harness;
//! draws nothing and decides no exit code.
//!
//! [`check_all`] checks several packages at once and reports them in the order of its argument. The rules are in
//! [`RULES`], with reasons and help in `docs/checking.md`. [`report_json`], [`report_junit`], [`report_sarif`] and
//! [`report_github`] write a report for programs.

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
mod options;
mod rules;
mod sarif;
mod tree;
mod tree_rules;

pub use declared_files::SKILL_MD_LINES_MAX;
pub use finding::{CheckReport, CheckTarget, Finding, PackageReport};
pub use github::report_github;
pub use hostile::HOSTILE_TIME_MAX;
pub use inputs::HOSTILE_INPUTS_MAX;
pub use json::report_json;
pub use junit::report_junit;
pub use options::CheckOptions;
pub use rules::{FindingLevel, RULES, Rule};
pub use sarif::report_sarif;
pub use tree::FILES_MAX;

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use self::{finding::FindingCollector, finding::FindingLocation, tree::PackageTree};
use crate::PackageHarness;

/// Progress of a running check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckProgress<'t> {
    Started(&'t CheckTarget),
    Finished(&'t CheckTarget),
}

/// Checks all packages and blocks until it is done. Calls `on_progress` from several threads.
///
/// Fails only if this machine does, for example with a full disk: faults of a package are in the report.
pub fn check_all(
    targets: &[CheckTarget],
    options: &CheckOptions,
    on_progress: &(dyn Fn(CheckProgress<'_>) + Sync),
) -> io::Result<CheckReport> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, io::Result<PackageReport>)>> = Mutex::default();
    let work = || {
        loop {
            let idx = next.fetch_add(1, Ordering::Relaxed);
            let Some(target) = targets.get(idx) else { return };
            on_progress(CheckProgress::Started(target));
            let checked = options.runtime.block_on(check_one(target, options));
            on_progress(CheckProgress::Finished(target));
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
            let mut findings = FindingCollector::open(&nothing, options.strict);
            let what = format!("cannot be read: {error}");
            findings.add(&rules::PACKAGE_UNREADABLE, FindingLocation::whole(), what);
            checked.findings = findings.close();
            return Ok(checked);
        }
    };
    let mut findings = FindingCollector::open(&tree, options.strict);
    tree_rules::check(&tree, &mut findings);
    let skill = declared_files::load(target, &tree, options, &mut findings).map(Arc::new);
    declared_files::check(&tree, skill.as_deref(), &mut findings);
    let mut runs = None;
    if let Some(skill) = &skill {
        checked.version = Some(skill.version.to_string());
        components::check_grants(skill, &mut findings);
        let env = skill.granted_env(|name| options.env.get(name).cloned());
        let (harness, errors) = PackageHarness::build_what_loads(
            Arc::clone(skill),
            &options.sandbox,
            env,
            options.scratch.clone(),
        );
        components::check_loading(skill, &errors, &mut findings);
        runs = Some(harness).filter(|_| errors.is_empty());
    }
    match runs {
        None => {
            let what = "its scripts were not run";
            findings.add(&rules::PACKAGE_NOT_RUN, FindingLocation::whole(), what);
        }
        Some(harness) => {
            for script_idx in 0..harness.skill().scripts.len() {
                components::check_described(&harness, script_idx, &mut findings).await?;
            }
            checked.examples = example_runs::check(&harness, &mut findings).await?;
            checked.hostile = hostile::check(&harness, &mut findings).await?;
        }
    }
    checked.findings = findings.close();
    Ok(checked)
}
