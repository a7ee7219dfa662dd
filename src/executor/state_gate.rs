//! Decides whether the patches of a step become part of the state, before its turn is committed. Pure.
//!
//! A patch must not change what another skill claims, and the state must stay below its limits. The sums follow the
//! plan's order: a step fits if it fits after all steps before it, whenever they run.
//!
//! Steps may end in another order. If an earlier step has not ended when a later one does, the later one is accepted if
//! it fits beside [`STATE_STEP_BYTES_MAX`](narratoria_protocol::STATE_STEP_BYTES_MAX) bytes of each earlier one;
//! otherwise it waits until they have ended. In return, a step that writes more than that must leave as many bytes for
//! each later step that may end before it.
//!
//! A reused result has run, and running it again could repeat its effects. So it precedes the steps that still run:
//! they fail if the whole does not fit. Results that do not fit together run again.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Attempt, ReusedResults, StateRefusal, StateRules, StepTrace};
use narratoria_plan::{Plan, StepIdx};
use narratoria_protocol::{Object, STATE_DEPTH_MAX, StateAccount, StoryState, is_deeper_than};

/// A patch and the skill that wrote it.
pub(crate) type SkillPatch<'t> = (&'t str, &'t Object);

/// The patches of a step, in the order written.
pub(crate) type StepPatches<'t> = Vec<SkillPatch<'t>>;

#[derive(Debug, PartialEq)]
pub(crate) enum GateVerdict {
    Accepted,
    Refused(StateRefusal),
    /// The decision depends on an earlier step that has not ended.
    Undecided,
}

pub(crate) struct StateGate<'a> {
    plan: &'a Plan,
    start: &'a StoryState,
    rules: &'a StateRules,
    /// The state after the settled steps. Created at the first patch.
    account: Option<StateAccount>,
    /// The number of steps at the start of the plan that have ended.
    settled: usize,
    /// Accepted steps after the settled ones: the most that each skill's patches add.
    accepted: BTreeMap<StepIdx, BTreeMap<String, usize>>,
    /// Reused results after the settled steps.
    reused: BTreeSet<StepIdx>,
}

impl<'a> StateGate<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        start: &'a StoryState,
        rules: &'a StateRules,
    ) -> StateGate<'a> {
        StateGate {
            plan,
            start,
            rules,
            account: None,
            settled: 0,
            accepted: BTreeMap::new(),
            reused: BTreeSet::new(),
        }
    }

    /// Returns the number of steps at the start of the plan that have ended.
    pub(crate) fn settled(&self) -> StepIdx {
        StepIdx(self.settled)
    }

    /// Checks everything that depends on the patches of an attempt alone.
    pub(crate) fn check_attempt(&self, patches: &[SkillPatch<'_>]) -> Result<(), StateRefusal> {
        for (skill, patch) in patches {
            self.rules.claims.check(skill, patch)?;
            if patch.values().any(|value| is_deeper_than(STATE_DEPTH_MAX - 1, value)) {
                return Err(StateRefusal::TooDeep { limit: STATE_DEPTH_MAX });
            }
        }
        Ok(())
    }

    /// Admits the reused results that fit together, and returns the others, which run again with the steps that need
    /// them.
    pub(crate) fn admit_reused(&mut self, reused: &mut ReusedResults) -> Vec<StepIdx> {
        if reused.values().all(|trace| step_patches(trace).is_empty()) {
            return Vec::new();
        }
        let mut account = self.account().clone();
        let mut refused = BTreeSet::new();
        for (idx, trace) in reused.iter() {
            let Some(step) = self.plan.steps().get(idx.0) else { continue };
            let patches = step_patches(trace);
            let needs_refused = step.needs.iter().any(|need| refused.contains(need));
            let mut after = account.scoped(patches.iter().map(|(_, patch)| *patch));
            if needs_refused
                || self.check_attempt(&patches).is_err()
                || self.apply_checked(&mut after, &patches).is_err()
            {
                refused.insert(*idx);
                continue;
            }
            patches.iter().for_each(|(skill, patch)| account.apply(skill, patch));
            self.accepted.insert(*idx, growth_max(&patches));
            self.reused.insert(*idx);
        }
        refused.iter().for_each(|idx| _ = reused.remove(idx));
        refused.into_iter().collect()
    }

    /// Advances past the steps at the start of the plan that have ended. `finished` returns the trace of a step that
    /// has ended.
    pub(crate) fn settle<'t>(&mut self, finished: impl Fn(StepIdx) -> Option<&'t StepTrace>) {
        while self.settled < self.plan.steps().len()
            && let Some(trace) = finished(StepIdx(self.settled))
        {
            let patches = step_patches(trace);
            if !patches.is_empty() {
                self.account();
            }
            if let Some(account) = &mut self.account {
                patches.iter().for_each(|(skill, patch)| account.apply(skill, patch));
            }
            self.accepted.remove(&StepIdx(self.settled));
            self.reused.remove(&StepIdx(self.settled));
            self.settled += 1;
        }
    }

    /// Decides about the patches of a step that has just succeeded. [`StateGate::settle`] must be called before.
    pub(crate) fn judge<'t>(
        &mut self,
        idx: StepIdx,
        patches: &[SkillPatch<'_>],
        finished: impl Fn(StepIdx) -> Option<&'t StepTrace>,
    ) -> GateVerdict {
        if patches.is_empty() {
            return GateVerdict::Accepted;
        }
        self.account();
        let verdict = match idx == self.settled() {
            true => match self.check_exactly(idx, patches, &finished) {
                Ok(()) => GateVerdict::Accepted,
                Err(why) => GateVerdict::Refused(why),
            },
            false if self.fits_surely(idx, patches, &finished) => GateVerdict::Accepted,
            false => GateVerdict::Undecided,
        };
        if verdict == GateVerdict::Accepted {
            self.accepted.insert(idx, growth_max(patches));
        }
        verdict
    }

    fn account(&mut self) -> &StateAccount {
        self.account.get_or_insert_with(|| StateAccount::of(self.start))
    }

    /// Checks a step after all steps before it have ended. Reused results after it keep their place.
    fn check_exactly<'t>(
        &self,
        idx: StepIdx,
        patches: &[SkillPatch<'_>],
        finished: &impl Fn(StepIdx) -> Option<&'t StepTrace>,
    ) -> Result<(), StateRefusal> {
        let Some(account) = &self.account else { return Ok(()) };
        let later = self.reused.range(StepIdx(idx.0 + 1)..);
        let later: Vec<StepPatches<'_>> =
            later.filter_map(|idx| finished(*idx)).map(step_patches).collect();
        let all = patches.iter().chain(later.iter().flatten()).map(|(_, patch)| *patch);
        let mut account = account.scoped(all);
        self.apply_checked(&mut account, patches)?;
        later.iter().try_for_each(|patches| self.apply_checked(&mut account, patches))?;
        if growth_max(patches).values().sum::<usize>() > self.rules.limits.step {
            self.check_room(idx, patches, &account)?;
        }
        Ok(())
    }

    /// Checks that a large step leaves enough bytes for the later ones that may be accepted before it.
    fn check_room(
        &self,
        idx: StepIdx,
        patches: &[SkillPatch<'_>],
        account: &StateAccount,
    ) -> Result<(), StateRefusal> {
        let limits = &self.rules.limits;
        let mut room: BTreeMap<&str, usize> = BTreeMap::new();
        for later in self.independent_after(idx) {
            for candidate in &self.plan.step(later).candidates {
                let room = room.entry(&candidate.skill.name).or_default();
                *room = (*room + limits.step).min(limits.skill);
            }
        }
        for (skill, _) in patches {
            let (bytes, room) = (account.bytes_of(skill), room.get(skill).copied().unwrap_or(0));
            if bytes + room > limits.skill {
                let (skill, limit) = ((*skill).to_owned(), limits.skill.saturating_sub(room));
                return Err(StateRefusal::SkillTooLarge { skill, bytes, limit });
            }
        }
        self.check_whole(account, patches, room.values().sum())
    }

    /// Returns the later steps that may run before this one has ended.
    fn independent_after(&self, idx: StepIdx) -> Vec<StepIdx> {
        if !self.plan.parallel() {
            return Vec::new();
        }
        let mut dependents = BTreeSet::from([idx]);
        let later = (idx.0 + 1..self.plan.steps().len()).map(StepIdx);
        let is_independent = |later: &StepIdx| {
            let depends = self.plan.step(*later).needs.iter().any(|need| dependents.contains(need));
            if depends {
                dependents.insert(*later);
            }
            !depends && !self.reused.contains(later)
        };
        later.filter(is_independent).collect()
    }

    /// Returns true if the patches fit whatever the unfinished steps before them write.
    fn fits_surely<'t>(
        &self,
        idx: StepIdx,
        patches: &[SkillPatch<'_>],
        finished: &impl Fn(StepIdx) -> Option<&'t StepTrace>,
    ) -> bool {
        let Some(account) = &self.account else { return false };
        let unfinished: Vec<StepIdx> = (self.settled..idx.0)
            .map(StepIdx)
            .filter(|idx| finished(*idx).is_none() && !self.accepted.contains_key(idx))
            .collect();
        let (own, limits) = (growth_max(patches), &self.rules.limits);
        if own.values().sum::<usize>() > limits.step {
            return false;
        }
        let accepted = || self.accepted.values();
        let whole = account.bytes()
            + accepted().flat_map(BTreeMap::values).sum::<usize>()
            + unfinished.len() * limits.step
            + own.values().sum::<usize>();
        let skill_fits = |(skill, bytes): (&String, &usize)| {
            let may_write = |idx: &&StepIdx| {
                let mut candidates = self.plan.step(**idx).candidates.iter();
                candidates.any(|candidate| candidate.skill.name == *skill)
            };
            let steps = unfinished.iter().filter(may_write).count();
            let before = accepted().filter_map(|of| of.get(skill)).sum::<usize>();
            account.bytes_of(skill) + before + steps * limits.step + bytes <= limits.skill
        };
        whole <= limits.whole - limits.built_in && own.iter().all(skill_fits)
    }

    /// Applies the patches of one step. Returns an error if a skill or the whole state has grown beyond its limit; an
    /// amount that already exceeds a limit may stay as large as it is.
    fn apply_checked(
        &self,
        account: &mut StateAccount,
        patches: &[SkillPatch<'_>],
    ) -> Result<(), StateRefusal> {
        let limits = &self.rules.limits;
        let skills: BTreeSet<&str> = patches.iter().map(|(skill, _)| *skill).collect();
        let before: Vec<usize> = skills.iter().map(|skill| account.bytes_of(skill)).collect();
        let whole_before = account.bytes();
        patches.iter().for_each(|(skill, patch)| account.apply(skill, patch));
        for (skill, before) in skills.iter().zip(before) {
            let bytes = account.bytes_of(skill);
            if bytes > before && bytes > limits.skill {
                let (skill, limit) = ((*skill).to_owned(), limits.skill);
                return Err(StateRefusal::SkillTooLarge { skill, bytes, limit });
            }
        }
        if account.bytes() <= whole_before {
            return Ok(());
        }
        self.check_whole(account, patches, 0)
    }

    /// Checks the whole state, in which `room` bytes must be left. Built-in skills have their share whatever the
    /// others have written.
    fn check_whole(
        &self,
        account: &StateAccount,
        patches: &[SkillPatch<'_>],
        room: usize,
    ) -> Result<(), StateRefusal> {
        let limits = &self.rules.limits;
        let built_in = self.rules.built_in_bytes(account);
        let is_built_in = patches.iter().all(|(skill, _)| self.rules.built_in.contains(*skill));
        if is_built_in && built_in <= limits.built_in {
            return Ok(());
        }
        // The part of their share that the built-in skills have not used yet stays free for them.
        let limit = limits.whole - limits.built_in.saturating_sub(built_in);
        match account.bytes() + room > limit {
            true => {
                let limit = limit.saturating_sub(room);
                Err(StateRefusal::Full { bytes: account.bytes(), limit })
            }
            false => Ok(()),
        }
    }
}

/// Returns the patches that count, with their skills.
fn step_patches(trace: &StepTrace) -> StepPatches<'_> {
    trace.skill_patches().collect()
}

/// Returns the patches of successful attempts, with their skills.
pub(crate) fn attempt_patches(attempts: &[Attempt]) -> StepPatches<'_> {
    let successful = attempts.iter().filter(|attempt| attempt.failure.is_none());
    successful.flat_map(Attempt::skill_patches).collect()
}

fn growth_max(patches: &[SkillPatch<'_>]) -> BTreeMap<String, usize> {
    let mut sums = BTreeMap::new();
    for (skill, patch) in patches {
        *sums.entry((*skill).to_owned()).or_default() += StateAccount::growth_max(skill, patch);
    }
    sums
}
