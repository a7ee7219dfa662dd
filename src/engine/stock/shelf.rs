//! Which skills are ready, which are on their way, and what became of each. Pure: who loads them, and when
//! anybody looks at the packages, is decided elsewhere.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use super::super::{Update, scripts::Readied};
use crate::skills::{Footprints, Loaded, Origin, Problem, Severity, Skill};

/// From here on a skill takes its time to compile. One of Rust or C has 0.1 to 0.3 MB and takes a tenth of a
/// second; one that brings a whole Python or JavaScript has 14 MB and takes many.
pub(super) const LARGE_BYTES: usize = 1 << 20;

/// What a package looked like when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Look {
    origin: Origin,
    print: Option<u64>,
}

/// A skill that can be used.
struct Item {
    skill: Arc<Skill>,
    readied: Readied,
    look: Look,
}

/// A skill that is to be made ready.
pub(in crate::engine) struct Order {
    /// Counted from 1. A later order of the same skill makes this one void.
    ticket: u64,
    pub(super) skill: Arc<Skill>,
    look: Look,
}

impl Order {
    fn bytes(&self) -> usize {
        self.skill.scripts.iter().map(|script| script.component.len()).sum()
    }

    fn is_large(&self) -> bool {
        self.bytes() >= LARGE_BYTES
    }
}

/// How an order is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// In the cache; takes no time to speak of.
    LookUp,
    Compile,
}

/// What happened to a skill.
pub(in crate::engine) enum News {
    Ready {
        skill: Arc<Skill>,
        /// Whether it was there before, as another.
        again: bool,
    },
    Failed {
        package: String,
        problems: Vec<Problem>,
        /// Whether the skill that it was is still used.
        kept: bool,
    },
    Gone {
        skill: String,
    },
    /// Worth knowing when it is new.
    Noted(Problem),
}

/// The skills of a session.
#[derive(Default)]
pub(super) struct Shelf {
    ready: BTreeMap<String, Item>,
    /// The last order of each skill that is on its way.
    coming: BTreeMap<String, Arc<Order>>,
    to_look_up: VecDeque<Arc<Order>>,
    /// Orders that somebody looks up.
    looking_up: usize,
    to_compile: Vec<Arc<Order>>,
    /// What could not be made ready, so that it is not tried again until it is another.
    refused: BTreeMap<String, Look>,
    /// Problems of the last reading, so that each is told once.
    told: BTreeSet<String>,
    tickets: u64,
    news: Vec<News>,
}

impl Shelf {
    /// Takes in what was read: orders what is new or different, takes out what is gone, and tells what is
    /// wrong. What was there before its package went wrong stays.
    pub(super) fn expect(&mut self, loaded: Loaded, prints: &Footprints, before: &Footprints) {
        let Loaded { catalog, problems } = loaded;
        let is_there = |name: &str| catalog.get(name).is_some();
        let is_wrong = |problem: &&Problem| problem.severity == Severity::Skipped;
        let wrong: BTreeSet<String> =
            problems.iter().filter(is_wrong).map(|problem| problem.package.clone()).collect();
        self.coming.retain(|name, _| is_there(name));
        let gone = |name: &&String| !is_there(name) && !wrong.contains(*name);
        let gone: Vec<String> = self.ready.keys().filter(gone).cloned().collect();
        for skill in gone {
            self.ready.remove(&skill);
            self.news.push(News::Gone { skill });
        }
        self.hear(problems, &prints.changed_since(before));
        for skill in catalog.iter() {
            let look = Look { origin: skill.origin.clone(), print: prints.of(&skill.origin) };
            self.order(skill, look);
        }
    }

    /// Tells those problems that are new, and those of packages that somebody has tried to mend.
    fn hear(&mut self, problems: Vec<Problem>, changed: &BTreeSet<String>) {
        let told = std::mem::take(&mut self.told);
        let mut failed: BTreeMap<String, Vec<Problem>> = BTreeMap::new();
        for problem in problems {
            let text = problem.to_string();
            let is_new = !told.contains(&text) || changed.contains(&problem.package);
            self.told.insert(text);
            match problem.severity {
                _ if !is_new => {}
                Severity::Note => self.news.push(News::Noted(problem)),
                Severity::Skipped => {
                    failed.entry(problem.package.clone()).or_default().push(problem);
                }
            }
        }
        for (package, problems) in failed {
            let kept = self.ready.contains_key(&package);
            self.news.push(News::Failed { package, problems, kept });
        }
    }

    fn order(&mut self, skill: &Arc<Skill>, look: Look) {
        let name = &skill.name;
        if self.ready.get(name).is_some_and(|item| item.look == look) {
            // It may have been another in between.
            self.coming.remove(name);
            return;
        }
        let is_coming = self.coming.get(name).is_some_and(|order| order.look == look);
        if is_coming || self.refused.get(name) == Some(&look) {
            return;
        }
        self.tickets += 1;
        let order = Arc::new(Order { ticket: self.tickets, skill: Arc::clone(skill), look });
        self.coming.insert(name.clone(), Arc::clone(&order));
        self.to_look_up.push_back(order);
    }

    /// What is to be done next: look-ups first, then what is part of the program, then the smallest.
    pub(super) fn next(&mut self) -> Option<(Arc<Order>, Pass)> {
        while let Some(order) = self.to_look_up.pop_front() {
            if self.is_wanted(&order) {
                self.looking_up += 1;
                return Some((order, Pass::LookUp));
            }
        }
        let coming = &self.coming;
        self.to_compile.retain(|order| {
            coming.get(&order.skill.name).is_some_and(|last| last.ticket == order.ticket)
        });
        let by_size = |(_, order): &(usize, &Arc<Order>)| {
            (order.skill.origin != Origin::BuiltIn, order.bytes(), order.ticket)
        };
        let (at, _) = self.to_compile.iter().enumerate().min_by_key(by_size)?;
        Some((self.to_compile.swap_remove(at), Pass::Compile))
    }

    /// How many orders nobody has taken.
    pub(super) fn waiting(&self) -> usize {
        self.to_look_up.len() + self.to_compile.len()
    }

    fn is_wanted(&self, order: &Order) -> bool {
        self.coming.get(&order.skill.name).is_some_and(|last| last.ticket == order.ticket)
    }

    /// An order was looked up; without a result it has to be compiled.
    pub(super) fn looked_up(
        &mut self,
        order: Arc<Order>,
        result: Option<Result<Readied, Problem>>,
    ) {
        self.looking_up -= 1;
        match result {
            Some(result) => self.finish(&order, result),
            None => self.to_compile.push(order),
        }
    }

    /// An order is done, for better or worse. One that is void leaves no trace.
    pub(super) fn finish(&mut self, order: &Order, result: Result<Readied, Problem>) {
        if !self.is_wanted(order) {
            return;
        }
        let name = order.skill.name.clone();
        self.coming.remove(&name);
        let look = order.look.clone();
        match result {
            Ok(readied) => {
                self.refused.remove(&name);
                let skill = Arc::clone(&order.skill);
                let item = Item { skill: Arc::clone(&skill), readied, look };
                let again = self.ready.insert(name, item).is_some();
                self.news.push(News::Ready { skill, again });
            }
            Err(problem) => {
                let kept = self.ready.contains_key(&name);
                self.refused.insert(name.clone(), look);
                self.news.push(News::Failed { package: name, problems: vec![problem], kept });
            }
        }
    }

    /// Whether anything may be in the cache that nobody has found there yet.
    pub(super) fn is_looking_up(&self) -> bool {
        self.looking_up > 0 || !self.to_look_up.is_empty()
    }

    /// Whether anything is on its way.
    pub(super) fn awaits_any(&self) -> bool {
        !self.coming.is_empty()
    }

    /// Whether anything is on its way that takes no time to speak of.
    pub(super) fn awaits_small(&self) -> bool {
        self.small().next().is_some()
    }

    /// Names of the skills that are on their way and take no time to speak of.
    pub(super) fn coming_small(&self) -> Vec<String> {
        self.small().cloned().collect()
    }

    fn small(&self) -> impl Iterator<Item = &String> {
        let small = self.coming.iter().filter(|(_, order)| !order.is_large());
        small.map(|(name, _)| name)
    }

    /// Names of the skills that are on their way.
    pub(super) fn coming(&self) -> Vec<String> {
        self.coming.keys().cloned().collect()
    }

    pub(super) fn has_news(&self) -> bool {
        !self.news.is_empty()
    }

    pub(super) fn take_news(&mut self) -> Vec<News> {
        std::mem::take(&mut self.news)
    }

    pub(super) fn skills(&self) -> impl Iterator<Item = Arc<Skill>> {
        self.ready.values().map(|item| Arc::clone(&item.skill))
    }

    /// The scripts of each skill that is ready.
    pub(super) fn readied(&self) -> impl Iterator<Item = (String, Readied)> {
        self.ready.iter().map(|(name, item)| (name.clone(), Arc::clone(&item.readied)))
    }
}

impl News {
    /// What was wrong, for whoever has not begun yet.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        match self {
            News::Failed { problems, .. } => problems,
            News::Noted(problem) => vec![problem],
            News::Ready { .. } | News::Gone { .. } => Vec::new(),
        }
    }

    /// The skill that is not the one it was, or no longer there.
    pub(in crate::engine) fn changed(&self) -> Option<&str> {
        match self {
            News::Ready { skill, again: true } => Some(&skill.name),
            News::Gone { skill } => Some(skill),
            _ => None,
        }
    }

    /// As front ends get it. What is only noted was told when the session began.
    pub(in crate::engine) fn into_update(self) -> Option<Update> {
        Some(match self {
            News::Ready { skill, again } => Update::SkillReady {
                skill: skill.name.clone(),
                version: skill.version.to_string(),
                reloaded: again,
            },
            News::Failed { package, problems, kept } => Update::SkillFailed {
                skill: package,
                problems: problems.iter().map(ToString::to_string).collect(),
                kept,
            },
            News::Gone { skill } => Update::SkillRemoved { skill },
            News::Noted(_) => return None,
        })
    }
}
