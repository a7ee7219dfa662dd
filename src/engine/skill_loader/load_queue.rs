//! The skills of a loader: ready, pending or rejected, and the events of each. Pure: the workers load, and the
//! watcher scans.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use super::super::{Update, scripts::ReadyScripts};
use narratoria_skills::{LoadReport, PackageFingerprints, PackageOrigin, Problem, Severity, Skill};

/// A skill of this size takes seconds to compile. One in Rust or C has 0.1 to 0.3 MB and takes a tenth of a
/// second; one with a whole Python or JavaScript in it has 14 MB and takes many seconds.
pub(super) const LARGE_BYTES: usize = 1 << 20;

/// Identifies a package's content when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PackageStamp {
    origin: PackageOrigin,
    fingerprint: Option<u64>,
}

struct ReadySkill {
    skill: Arc<Skill>,
    scripts: ReadyScripts,
    stamp: PackageStamp,
}

/// A skill that must be loaded.
pub(crate) struct LoadJob {
    /// Counted from 1. A later job for the same skill replaces this one.
    ticket: u64,
    pub(super) skill: Arc<Skill>,
    stamp: PackageStamp,
}

impl LoadJob {
    fn bytes(&self) -> usize {
        self.skill.scripts.iter().map(|script| script.component.length()).sum()
    }

    fn is_large(&self) -> bool {
        self.bytes() >= LARGE_BYTES
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoadPass {
    /// Only searches the cache of compiled components, which takes almost no time.
    LookUp,
    Compile,
}

pub(crate) enum SkillEvent {
    Ready {
        skill: Arc<Skill>,
        /// True if it replaces an earlier version.
        reloaded: bool,
    },
    Failed {
        package: String,
        problems: Vec<Problem>,
        /// True if its last valid version is still used.
        still_used: bool,
    },
    Removed {
        skill: String,
    },
    /// A note about a package that is still used.
    Noted(Problem),
}

#[derive(Default)]
pub(super) struct LoadQueue {
    ready: BTreeMap<String, ReadySkill>,
    /// The last job of each skill that is not ready yet.
    pending: BTreeMap<String, Arc<LoadJob>>,
    to_look_up: VecDeque<Arc<LoadJob>>,
    /// The number of jobs that a worker is looking up.
    looking_up: usize,
    to_compile: Vec<Arc<LoadJob>>,
    /// Packages that could not be loaded; they are tried again only after a change.
    rejected: BTreeMap<String, PackageStamp>,
    /// Problems of the last scan, so that each is reported once.
    reported: BTreeSet<String>,
    tickets: u64,
    events: Vec<SkillEvent>,
}

impl LoadQueue {
    /// Applies a scan: queues new and changed skills, removes those whose packages are gone, and reports
    /// problems. A skill whose package became invalid stays.
    pub(super) fn update(
        &mut self,
        loaded: LoadReport,
        prints: &PackageFingerprints,
        before: &PackageFingerprints,
    ) {
        let LoadReport { catalog, problems } = loaded;
        let is_there = |name: &str| catalog.get(name).is_some();
        let is_invalid = |problem: &&Problem| problem.severity == Severity::Skipped;
        let invalid: BTreeSet<String> =
            problems.iter().filter(is_invalid).map(|problem| problem.package.clone()).collect();
        self.pending.retain(|name, _| is_there(name));
        let gone = |name: &&String| !is_there(name) && !invalid.contains(*name);
        let gone: Vec<String> = self.ready.keys().filter(gone).cloned().collect();
        for skill in gone {
            self.ready.remove(&skill);
            self.events.push(SkillEvent::Removed { skill });
        }
        self.report_problems(problems, &prints.changed_since(before));
        for skill in catalog.iter() {
            let stamp = PackageStamp {
                origin: skill.origin.clone(),
                fingerprint: prints.of_origin(&skill.origin),
            };
            self.enqueue(skill, stamp);
        }
    }

    /// Reports new problems, and again those of packages that have changed.
    fn report_problems(&mut self, problems: Vec<Problem>, changed: &BTreeSet<String>) {
        let reported = std::mem::take(&mut self.reported);
        let mut failed: BTreeMap<String, Vec<Problem>> = BTreeMap::new();
        for problem in problems {
            let text = problem.to_string();
            let is_new = !reported.contains(&text) || changed.contains(&problem.package);
            self.reported.insert(text);
            match problem.severity {
                _ if !is_new => {}
                Severity::Note => self.events.push(SkillEvent::Noted(problem)),
                Severity::Skipped => {
                    failed.entry(problem.package.clone()).or_default().push(problem);
                }
            }
        }
        for (package, problems) in failed {
            let still_used = self.ready.contains_key(&package);
            self.events.push(SkillEvent::Failed { package, problems, still_used });
        }
    }

    fn enqueue(&mut self, skill: &Arc<Skill>, stamp: PackageStamp) {
        let name = &skill.name;
        if self.ready.get(name).is_some_and(|ready| ready.stamp == stamp) {
            // The package may have changed and changed back.
            self.pending.remove(name);
            return;
        }
        let is_pending = self.pending.get(name).is_some_and(|job| job.stamp == stamp);
        if is_pending || self.rejected.get(name) == Some(&stamp) {
            return;
        }
        self.tickets += 1;
        let job = Arc::new(LoadJob { ticket: self.tickets, skill: Arc::clone(skill), stamp });
        self.pending.insert(name.clone(), Arc::clone(&job));
        self.to_look_up.push_back(job);
    }

    /// The next job: look-ups first, then built-in skills, then the smallest.
    pub(super) fn next(&mut self) -> Option<(Arc<LoadJob>, LoadPass)> {
        while let Some(job) = self.to_look_up.pop_front() {
            if self.is_current(&job) {
                self.looking_up += 1;
                return Some((job, LoadPass::LookUp));
            }
        }
        let pending = &self.pending;
        self.to_compile.retain(|job| {
            pending.get(&job.skill.name).is_some_and(|last| last.ticket == job.ticket)
        });
        let by_size = |(_, job): &(usize, &Arc<LoadJob>)| {
            (job.skill.origin != PackageOrigin::BuiltIn, job.bytes(), job.ticket)
        };
        let (at, _) = self.to_compile.iter().enumerate().min_by_key(by_size)?;
        Some((self.to_compile.swap_remove(at), LoadPass::Compile))
    }

    /// Counts the jobs that no worker has taken.
    pub(super) fn queued(&self) -> usize {
        self.to_look_up.len() + self.to_compile.len()
    }

    fn is_current(&self, job: &LoadJob) -> bool {
        self.pending.get(&job.skill.name).is_some_and(|last| last.ticket == job.ticket)
    }

    /// Records the result of a look-up. Without a result, the job must be compiled.
    pub(super) fn looked_up(
        &mut self,
        job: Arc<LoadJob>,
        result: Option<Result<ReadyScripts, Problem>>,
    ) {
        self.looking_up -= 1;
        match result {
            Some(result) => self.finish(&job, result),
            None => self.to_compile.push(job),
        }
    }

    /// Records the result of a job. That of a replaced job has no effect.
    pub(super) fn finish(&mut self, job: &LoadJob, result: Result<ReadyScripts, Problem>) {
        if !self.is_current(job) {
            return;
        }
        let name = job.skill.name.clone();
        self.pending.remove(&name);
        let stamp = job.stamp.clone();
        match result {
            Ok(scripts) => {
                self.rejected.remove(&name);
                let skill = Arc::clone(&job.skill);
                let ready = ReadySkill { skill: Arc::clone(&skill), scripts, stamp };
                let reloaded = self.ready.insert(name, ready).is_some();
                self.events.push(SkillEvent::Ready { skill, reloaded });
            }
            Err(problem) => {
                let still_used = self.ready.contains_key(&name);
                self.rejected.insert(name.clone(), stamp);
                self.events.push(SkillEvent::Failed {
                    package: name,
                    problems: vec![problem],
                    still_used,
                });
            }
        }
    }

    /// Returns true if a pending skill may be in the cache.
    pub(super) fn is_looking_up(&self) -> bool {
        self.looking_up > 0 || !self.to_look_up.is_empty()
    }

    pub(super) fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    pub(super) fn has_small_pending(&self) -> bool {
        self.small_pending().next().is_some()
    }

    pub(super) fn small_pending_names(&self) -> Vec<String> {
        self.small_pending().cloned().collect()
    }

    fn small_pending(&self) -> impl Iterator<Item = &String> {
        let small = self.pending.iter().filter(|(_, job)| !job.is_large());
        small.map(|(name, _)| name)
    }

    pub(super) fn pending_names(&self) -> Vec<String> {
        self.pending.keys().cloned().collect()
    }

    pub(super) fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    pub(super) fn take_events(&mut self) -> Vec<SkillEvent> {
        std::mem::take(&mut self.events)
    }

    pub(super) fn skills(&self) -> impl Iterator<Item = Arc<Skill>> {
        self.ready.values().map(|ready| Arc::clone(&ready.skill))
    }

    pub(super) fn ready_scripts(&self) -> impl Iterator<Item = (String, ReadyScripts)> {
        self.ready.iter().map(|(name, ready)| (name.clone(), Arc::clone(&ready.scripts)))
    }
}

impl SkillEvent {
    /// The problems of the event, for a session that has not started yet.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        match self {
            SkillEvent::Failed { problems, .. } => problems,
            SkillEvent::Noted(problem) => vec![problem],
            SkillEvent::Ready { .. } | SkillEvent::Removed { .. } => Vec::new(),
        }
    }

    /// The name of a skill that was replaced or removed.
    pub(crate) fn changed_skill(&self) -> Option<&str> {
        match self {
            SkillEvent::Ready { skill, reloaded: true } => Some(&skill.name),
            SkillEvent::Removed { skill } => Some(skill),
            _ => None,
        }
    }

    /// Returns the update for the event. Notes are reported at the start of the session, not as updates.
    pub(crate) fn into_update(self) -> Option<Update> {
        Some(match self {
            SkillEvent::Ready { skill, reloaded } => Update::SkillReady {
                skill: skill.name.clone(),
                version: skill.version.to_string(),
                reloaded,
            },
            SkillEvent::Failed { package, problems, still_used } => Update::SkillFailed {
                skill: package,
                problems: problems.iter().map(ToString::to_string).collect(),
                still_used,
            },
            SkillEvent::Removed { skill } => Update::SkillRemoved { skill },
            SkillEvent::Noted(_) => return None,
        })
    }
}
