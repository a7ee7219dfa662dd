//! Which skills are ready, which are on their way, and what became of each. Pure: who loads them, and when
//! anybody looks at the packages, is decided elsewhere.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use super::super::{Update, scripts::ReadyScripts};
use narratoria_skills::{LoadReport, PackageFingerprints, PackageOrigin, Problem, Severity, Skill};

/// From here on a skill takes its time to compile. One of Rust or C has 0.1 to 0.3 MB and takes a tenth of a
/// second; one that brings a whole Python or JavaScript has 14 MB and takes many.
pub(super) const LARGE_BYTES: usize = 1 << 20;

/// What a package looked like when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PackageStamp {
    origin: PackageOrigin,
    fingerprint: Option<u64>,
}

/// A skill that can be used.
struct ReadySkill {
    skill: Arc<Skill>,
    scripts: ReadyScripts,
    stamp: PackageStamp,
}

/// A skill that is to be made ready.
pub(crate) struct LoadJob {
    /// Counted from 1. A later order of the same skill makes this one void.
    ticket: u64,
    pub(super) skill: Arc<Skill>,
    stamp: PackageStamp,
}

impl LoadJob {
    fn bytes(&self) -> usize {
        self.skill.scripts.iter().map(|script| script.component.len()).sum()
    }

    fn is_large(&self) -> bool {
        self.bytes() >= LARGE_BYTES
    }
}

/// How an order is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoadPass {
    /// In the cache; takes no time to speak of.
    LookUp,
    Compile,
}

/// What happened to a skill.
pub(crate) enum SkillEvent {
    Ready {
        skill: Arc<Skill>,
        /// Whether it was there before, as another.
        reloaded: bool,
    },
    Failed {
        package: String,
        problems: Vec<Problem>,
        /// Whether the skill that it was is still used.
        still_used: bool,
    },
    Removed {
        skill: String,
    },
    /// Worth knowing when it is new.
    Noted(Problem),
}

/// The skills of a session.
#[derive(Default)]
pub(super) struct LoadQueue {
    ready: BTreeMap<String, ReadySkill>,
    /// The last order of each skill that is on its way.
    pending: BTreeMap<String, Arc<LoadJob>>,
    to_look_up: VecDeque<Arc<LoadJob>>,
    /// Orders that somebody looks up.
    looking_up: usize,
    to_compile: Vec<Arc<LoadJob>>,
    /// What could not be made ready, so that it is not tried again until it is another.
    rejected: BTreeMap<String, PackageStamp>,
    /// Problems of the last reading, so that each is told once.
    reported: BTreeSet<String>,
    tickets: u64,
    events: Vec<SkillEvent>,
}

impl LoadQueue {
    /// Takes in what was read: orders what is new or different, takes out what is gone, and tells what is
    /// wrong. What was there before its package went wrong stays.
    pub(super) fn update(
        &mut self,
        loaded: LoadReport,
        prints: &PackageFingerprints,
        before: &PackageFingerprints,
    ) {
        let LoadReport { catalog, problems } = loaded;
        let is_there = |name: &str| catalog.get(name).is_some();
        let is_wrong = |problem: &&Problem| problem.severity == Severity::Skipped;
        let wrong: BTreeSet<String> =
            problems.iter().filter(is_wrong).map(|problem| problem.package.clone()).collect();
        self.pending.retain(|name, _| is_there(name));
        let gone = |name: &&String| !is_there(name) && !wrong.contains(*name);
        let gone: Vec<String> = self.ready.keys().filter(gone).cloned().collect();
        for skill in gone {
            self.ready.remove(&skill);
            self.events.push(SkillEvent::Removed { skill });
        }
        self.report_problems(problems, &prints.changed_since(before));
        for skill in catalog.iter() {
            let look = PackageStamp {
                origin: skill.origin.clone(),
                fingerprint: prints.of_origin(&skill.origin),
            };
            self.enqueue(skill, look);
        }
    }

    /// Tells those problems that are new, and those of packages that somebody has tried to mend.
    fn report_problems(&mut self, problems: Vec<Problem>, changed: &BTreeSet<String>) {
        let told = std::mem::take(&mut self.reported);
        let mut failed: BTreeMap<String, Vec<Problem>> = BTreeMap::new();
        for problem in problems {
            let text = problem.to_string();
            let is_new = !told.contains(&text) || changed.contains(&problem.package);
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
            let kept = self.ready.contains_key(&package);
            self.events.push(SkillEvent::Failed { package, problems, still_used: kept });
        }
    }

    fn enqueue(&mut self, skill: &Arc<Skill>, look: PackageStamp) {
        let name = &skill.name;
        if self.ready.get(name).is_some_and(|item| item.stamp == look) {
            // It may have been another in between.
            self.pending.remove(name);
            return;
        }
        let is_coming = self.pending.get(name).is_some_and(|order| order.stamp == look);
        if is_coming || self.rejected.get(name) == Some(&look) {
            return;
        }
        self.tickets += 1;
        let order =
            Arc::new(LoadJob { ticket: self.tickets, skill: Arc::clone(skill), stamp: look });
        self.pending.insert(name.clone(), Arc::clone(&order));
        self.to_look_up.push_back(order);
    }

    /// What is to be done next: look-ups first, then what is part of the program, then the smallest.
    pub(super) fn next(&mut self) -> Option<(Arc<LoadJob>, LoadPass)> {
        while let Some(order) = self.to_look_up.pop_front() {
            if self.is_wanted(&order) {
                self.looking_up += 1;
                return Some((order, LoadPass::LookUp));
            }
        }
        let coming = &self.pending;
        self.to_compile.retain(|order| {
            coming.get(&order.skill.name).is_some_and(|last| last.ticket == order.ticket)
        });
        let by_size = |(_, order): &(usize, &Arc<LoadJob>)| {
            (order.skill.origin != PackageOrigin::BuiltIn, order.bytes(), order.ticket)
        };
        let (at, _) = self.to_compile.iter().enumerate().min_by_key(by_size)?;
        Some((self.to_compile.swap_remove(at), LoadPass::Compile))
    }

    /// How many orders nobody has taken.
    pub(super) fn queued(&self) -> usize {
        self.to_look_up.len() + self.to_compile.len()
    }

    fn is_wanted(&self, order: &LoadJob) -> bool {
        self.pending.get(&order.skill.name).is_some_and(|last| last.ticket == order.ticket)
    }

    /// An order was looked up; without a result it has to be compiled.
    pub(super) fn looked_up(
        &mut self,
        order: Arc<LoadJob>,
        result: Option<Result<ReadyScripts, Problem>>,
    ) {
        self.looking_up -= 1;
        match result {
            Some(result) => self.finish(&order, result),
            None => self.to_compile.push(order),
        }
    }

    /// An order is done, for better or worse. One that is void leaves no trace.
    pub(super) fn finish(&mut self, order: &LoadJob, result: Result<ReadyScripts, Problem>) {
        if !self.is_wanted(order) {
            return;
        }
        let name = order.skill.name.clone();
        self.pending.remove(&name);
        let look = order.stamp.clone();
        match result {
            Ok(readied) => {
                self.rejected.remove(&name);
                let skill = Arc::clone(&order.skill);
                let item = ReadySkill { skill: Arc::clone(&skill), scripts: readied, stamp: look };
                let again = self.ready.insert(name, item).is_some();
                self.events.push(SkillEvent::Ready { skill, reloaded: again });
            }
            Err(problem) => {
                let kept = self.ready.contains_key(&name);
                self.rejected.insert(name.clone(), look);
                self.events.push(SkillEvent::Failed {
                    package: name,
                    problems: vec![problem],
                    still_used: kept,
                });
            }
        }
    }

    /// Whether anything may be in the cache that nobody has found there yet.
    pub(super) fn is_looking_up(&self) -> bool {
        self.looking_up > 0 || !self.to_look_up.is_empty()
    }

    /// Whether anything is on its way.
    pub(super) fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether anything is on its way that takes no time to speak of.
    pub(super) fn has_small_pending(&self) -> bool {
        self.small_pending().next().is_some()
    }

    /// Names of the skills that are on their way and take no time to speak of.
    pub(super) fn small_pending_names(&self) -> Vec<String> {
        self.small_pending().cloned().collect()
    }

    fn small_pending(&self) -> impl Iterator<Item = &String> {
        let small = self.pending.iter().filter(|(_, order)| !order.is_large());
        small.map(|(name, _)| name)
    }

    /// Names of the skills that are on their way.
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
        self.ready.values().map(|item| Arc::clone(&item.skill))
    }

    /// The scripts of each skill that is ready.
    pub(super) fn ready_scripts(&self) -> impl Iterator<Item = (String, ReadyScripts)> {
        self.ready.iter().map(|(name, item)| (name.clone(), Arc::clone(&item.scripts)))
    }
}

impl SkillEvent {
    /// What was wrong, for whoever has not begun yet.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        match self {
            SkillEvent::Failed { problems, .. } => problems,
            SkillEvent::Noted(problem) => vec![problem],
            SkillEvent::Ready { .. } | SkillEvent::Removed { .. } => Vec::new(),
        }
    }

    /// The skill that is not the one it was, or no longer there.
    pub(crate) fn changed_skill(&self) -> Option<&str> {
        match self {
            SkillEvent::Ready { skill, reloaded: true } => Some(&skill.name),
            SkillEvent::Removed { skill } => Some(skill),
            _ => None,
        }
    }

    /// As front ends get it. What is only noted was told when the session began.
    pub(crate) fn into_update(self) -> Option<Update> {
        Some(match self {
            SkillEvent::Ready { skill, reloaded: again } => Update::SkillReady {
                skill: skill.name.clone(),
                version: skill.version.to_string(),
                reloaded: again,
            },
            SkillEvent::Failed { package, problems, still_used: kept } => Update::SkillFailed {
                skill: package,
                problems: problems.iter().map(ToString::to_string).collect(),
                kept,
            },
            SkillEvent::Removed { skill } => Update::SkillRemoved { skill },
            SkillEvent::Noted(_) => return None,
        })
    }
}
