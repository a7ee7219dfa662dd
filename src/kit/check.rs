//! The gate: a package is read, run and attacked, and its faults become data. Knows rules, packages and the harness;
//! draws nothing and decides no exit code.
//!
//! [`check_all`] checks several packages at once, within a time, and reports them in the order of its argument. The
//! rules are in [`RULES`], with reasons and help in `docs/checking.md`. [`report_json`], [`report_junit`],
//! [`report_sarif`] and [`report_github`] write a report for programs, [`report_markdown`] one for a job's page.

mod budget;
mod bundle;
mod components;
mod declared_files;
mod example_runs;
mod finding;
mod github;
mod hostile;
mod hostile_requests;
mod inputs;
mod install_rules;
mod json;
mod json_lines;
mod junit;
mod markdown;
mod meaning;
mod options;
mod ordinary;
mod part;
mod part_report;
mod rules;
mod sarif;
mod state_ground;
mod story;
mod story_under_check;
mod tree;
mod tree_rules;
mod triggered;

pub use budget::TIME_BUDGET_DEFAULT;
pub use bundle::{BUNDLE_BYTES_MAX, BUNDLE_FILES_MAX, BundleError, bundle_package, open_bundle};
pub(crate) use components::{described_schemas, is_same_schema};
pub use declared_files::SKILL_MD_LINES_MAX;
pub use finding::{
    CheckReport, CheckTarget, FINDING_CHARS_MAX, FINDINGS_MAX, Finding, MeaningReport,
    PackageReport, TargetKind,
};
pub use github::report_github;
pub use hostile::HOSTILE_TIME_MAX;
pub use inputs::HOSTILE_INPUTS_MAX;
pub use json::report_json;
pub use junit::report_junit;
pub use markdown::report_markdown;
pub use options::{CheckCampaign, CheckMeaning, CheckOptions};
pub use part::{CheckPart, parts_of};
pub use part_report::{
    PartReportError, lost_part, merge_parts, part_differs, read_part, repeatable_digest,
    undone_part, write_part,
};
pub use rules::{FindingLevel, RULES, Rule};
pub use sarif::report_sarif;
pub use story::CheckStoryCell;

use std::{
    io,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread,
    time::Instant,
};

use self::{
    budget::{CheckBudget, OVERTIME_MAX},
    finding::{FindingCollector, FindingLocation},
    meaning::MeaningChecked,
    story::CheckStory,
    tree::PackageTree,
};
use crate::PackageHarness;
use narratoria_sandbox::ComponentLoadError;
use narratoria_skills::{Script, Skill};

/// Progress of a running check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckProgress<'t> {
    Started(&'t CheckTarget),
    Finished(&'t CheckTarget),
}

/// The check of all packages, shared by its threads.
struct CheckRun {
    targets: Vec<CheckTarget>,
    /// The part of every package that is checked.
    part: CheckPart,
    options: CheckOptions,
    budget: CheckBudget,
    on_progress: Box<dyn Fn(CheckProgress<'_>) + Send + Sync>,
    /// Index of the next package.
    next: AtomicUsize,
    /// The story around the requests.
    story: CheckStoryCell,
    /// Why a package was not looked up by its meaning.
    meaning_left_out: OnceLock<String>,
}

/// A package's index and the end of its check.
type PackageChecked = (usize, io::Result<PackageReport>);

/// Checks all packages and blocks until it is done, at most for the time budget and a moment. Calls `on_progress` from
/// several threads.
///
/// Fails only if this machine does, for example with a full disk: faults of a package are in the report, and so is
/// what the time did not allow.
pub fn check_all(
    targets: Vec<CheckTarget>,
    options: CheckOptions,
    on_progress: impl Fn(CheckProgress<'_>) + Send + Sync + 'static,
) -> io::Result<CheckReport> {
    let story = CheckStoryCell::new();
    check_part_of_all(targets, CheckPart::Whole, options, story, Box::new(on_progress))
}

/// Checks one part of a package, as [`check_all`] checks a whole one. Parts of one check may share the story, which follows from
/// the seed.
pub fn check_part(
    target: CheckTarget,
    part: CheckPart,
    options: CheckOptions,
    story: CheckStoryCell,
) -> io::Result<PackageReport> {
    let report = check_part_of_all(vec![target], part, options, story, Box::new(|_| {}))?;
    report.packages.into_iter().next().ok_or_else(|| io::Error::other("the check has no report"))
}

fn check_part_of_all(
    targets: Vec<CheckTarget>,
    part: CheckPart,
    options: CheckOptions,
    story: CheckStoryCell,
    on_progress: Box<dyn Fn(CheckProgress<'_>) + Send + Sync>,
) -> io::Result<CheckReport> {
    let budget = CheckBudget::begin(options.time_budget);
    let next = AtomicUsize::new(0);
    let meaning_left_out = OnceLock::new();
    let run = Arc::new(CheckRun {
        targets,
        part,
        options,
        budget,
        on_progress,
        next,
        story,
        meaning_left_out,
    });
    let (sender, checked) = mpsc::channel();
    for _ in 0..run.options.jobs.get().min(run.targets.len()) {
        let (run, sender) = (Arc::clone(&run), sender.clone());
        // Not scoped: work that cannot be interrupted must not hold up the report.
        thread::Builder::new().name("check".to_owned()).spawn(move || run.work(&sender))?;
    }
    drop(sender);
    let mut reports: Vec<Option<PackageReport>> = vec![None; run.targets.len()];
    let mut overtime = None;
    loop {
        let wait = match overtime {
            None => budget.left(),
            Some(end) => Instant::saturating_duration_since(&end, Instant::now()),
        };
        match checked.recv_timeout(wait) {
            Ok((idx, report)) => reports[idx] = Some(report?),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if overtime.is_none() => {
                overtime = Some(Instant::now() + OVERTIME_MAX);
                run.options.sandbox.stop_compiling();
            }
            Err(RecvTimeoutError::Timeout) => break,
        }
    }
    let packages = reports.into_iter().zip(&run.targets);
    let packages = packages.map(|(report, target)| {
        report.unwrap_or_else(|| left_out(target, "the check of the package, which did not end"))
    });
    Ok(CheckReport {
        strict: run.options.strict,
        seed: run.options.seed,
        time_budget: run.options.time_budget,
        started: run.options.started.clone(),
        meaning_left_out: run.meaning_left_out.get().cloned(),
        packages: packages.collect(),
    })
}

/// The report of a package of which this part was not checked.
fn left_out(target: &CheckTarget, part: &str) -> PackageReport {
    let nothing = PackageTree::empty();
    let mut findings = FindingCollector::open(&nothing, false);
    findings.leave_out(part);
    PackageReport::unchecked(target).with(findings)
}

/// Returns true if a script can see anything of a story.
fn looks_at_story(skill: &Skill) -> bool {
    let sees = |script: &Script| {
        !script.reads.is_empty() || script.grants.memory || script.grants.campaign
    };
    skill.scripts.iter().any(sees)
}

impl CheckRun {
    /// Checks one package after the other until there are no more.
    fn work(&self, sender: &Sender<PackageChecked>) {
        loop {
            let idx = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(target) = self.targets.get(idx) else { return };
            if self.budget.is_spent() {
                // The receiver is gone if the report is written already.
                let _ = sender.send((idx, Ok(left_out(target, "the whole package"))));
                continue;
            }
            (self.on_progress)(CheckProgress::Started(target));
            let began = Instant::now();
            let checked = self.options.runtime.block_on(self.check_package(target));
            let checked = checked.map(|report| PackageReport { took: began.elapsed(), ..report });
            (self.on_progress)(CheckProgress::Finished(target));
            let _ = sender.send((idx, checked));
        }
    }

    async fn check_package(&self, target: &CheckTarget) -> io::Result<PackageReport> {
        let options = &self.options;
        let mut report = PackageReport::unchecked(target);
        let tree = match PackageTree::read(&target.folder) {
            Ok(tree) => tree,
            Err(error) => {
                let nothing = PackageTree::empty();
                let mut findings = FindingCollector::open(&nothing, options.strict);
                let what = format!("cannot be read: {error}");
                findings.add(&rules::PACKAGE_UNREADABLE, FindingLocation::whole(), what);
                return Ok(report.with(findings));
            }
        };
        let mut findings = FindingCollector::open(&tree, options.strict);
        tree_rules::check(&tree, &mut findings);
        let skill =
            declared_files::load(target, &tree, &options.built_in, &mut findings).map(Arc::new);
        if let CheckPart::Requests { script } = &self.part {
            return self.check_requests(skill, &tree, script, report).await;
        }
        declared_files::check(&tree, skill.as_deref(), &mut findings);
        let mut runs = None;
        if let Some(skill) = &skill {
            report.version = Some(skill.version.to_string());
            install_rules::check_demands(skill, target.kind, &options.built_in, &mut findings);
            install_rules::check_policy(skill, target.kind, &options.policy, &mut findings);
            triggered::check_inputs(skill, &mut findings);
            components::check_grants(skill, &mut findings);
            let (harness, errors) = self.build_harness(skill);
            components::check_loading(skill, &errors, &mut findings);
            runs = Some(harness.with_seed(options.seed)).filter(|_| errors.is_empty());
        }
        match runs {
            None => {
                let what = "its scripts were not run";
                findings.add(&rules::PACKAGE_NOT_RUN, FindingLocation::whole(), what);
            }
            Some(harness) => self.run_scripts(&harness, &mut report, &mut findings).await?,
        }
        if let Some(skill) = &skill {
            report.meaning = self.look_up(skill, &mut findings);
        }
        Ok(report.with(findings))
    }

    fn build_harness(
        &self,
        skill: &Arc<Skill>,
    ) -> (PackageHarness, Vec<(usize, ComponentLoadError)>) {
        let options = &self.options;
        let env = skill.granted_env(|name| options.env.get(name).cloned());
        let (sandbox, scratch) = (&options.sandbox, options.scratch.clone());
        PackageHarness::build_what_loads(Arc::clone(skill), sandbox, env, scratch)
    }

    /// Only the hostile requests to one script. Everything else about the package is another part, which reports it.
    async fn check_requests(
        &self,
        skill: Option<Arc<Skill>>,
        tree: &PackageTree,
        script: &str,
        mut report: PackageReport,
    ) -> io::Result<PackageReport> {
        let mut findings = FindingCollector::open(tree, self.options.strict);
        let Some(skill) = skill else { return Ok(report.with(findings)) };
        report.version = Some(skill.version.to_string());
        let (harness, errors) = self.build_harness(&skill);
        if errors.iter().any(|(_, error)| matches!(error, ComponentLoadError::Stopped)) {
            findings.leave_out(format!("the hostile requests to `{script}`"));
        }
        if errors.is_empty() {
            let harness = harness.with_seed(self.options.seed);
            report.hostile = self.send_requests(&harness, Some(script), &mut findings).await?;
        }
        Ok(report.with(findings))
    }

    /// Sends hostile requests to one script, or to all.
    async fn send_requests(
        &self,
        harness: &PackageHarness,
        only: Option<&str>,
        findings: &mut FindingCollector<'_>,
    ) -> io::Result<usize> {
        let around = match looks_at_story(harness.skill()) {
            true => self.story(findings).await?,
            false => None,
        };
        let seed = self.options.seed;
        hostile::check(harness, only, around, seed, &self.budget, findings).await
    }

    async fn run_scripts(
        &self,
        harness: &PackageHarness,
        report: &mut PackageReport,
        findings: &mut FindingCollector<'_>,
    ) -> io::Result<()> {
        for (script_idx, script) in harness.skill().scripts.iter().enumerate() {
            let described = components::check_described(harness, script_idx, findings);
            match self.budget.run(described).await {
                Some(described) => described?,
                None => findings.leave_out(format!("the schemas that `{}` describes", script.name)),
            }
        }
        report.examples = example_runs::check(harness, &self.budget, findings).await?;
        let fewer = harness.without_optional_grants(&self.options.sandbox);
        // A component that is loaded with a grant is loaded without it.
        if let Some((fewer, _)) = fewer.filter(|(_, errors)| errors.is_empty()) {
            let fewer = fewer.with_seed(self.options.seed);
            example_runs::check_without_optional_grants(&fewer, &self.budget, findings).await?;
        }
        if self.part == CheckPart::Whole {
            report.hostile = self.send_requests(harness, None, findings).await?;
        }
        Ok(())
    }

    /// How sentences find the scripts of a package; `None` if that is not looked up.
    fn look_up(
        &self,
        skill: &Arc<Skill>,
        findings: &mut FindingCollector<'_>,
    ) -> Option<MeaningReport> {
        let CheckOptions { built_in, meaning, .. } = &self.options;
        match meaning::check(skill, built_in, meaning, &self.budget, findings) {
            MeaningChecked::Done(report) => Some(report),
            MeaningChecked::LeftOut(why) => {
                // The first reason stands for all.
                let _ = self.meaning_left_out.set(why);
                None
            }
            MeaningChecked::No => None,
        }
    }

    /// The story of this check; `None` if the time is over before it is played.
    async fn story(&self, findings: &mut FindingCollector<'_>) -> io::Result<Option<&CheckStory>> {
        let story = self.story.play(&self.options);
        match self.budget.run(story).await {
            Some(Ok(story)) => return Ok(Some(story)),
            Some(Err(error)) if !self.budget.is_spent() => return Err(io::Error::other(error)),
            // Its components are no longer compiled then.
            Some(Err(_)) | None => {}
        }
        findings.leave_out("the state of a story around the requests");
        Ok(None)
    }
}
