//! Random plans as plain data.

use std::collections::BTreeSet;

use narratoria_sdk::Rng;

/// A plan and everything that happens during its execution.
#[derive(Debug, Clone, Default)]
pub(super) struct RandomPlan {
    pub(super) steps: Vec<RandomStep>,
    pub(super) parallel: bool,
    pub(super) slots: usize,
    pub(super) stop: bool,
    pub(super) plan_ms: u64,
    pub(super) grace_ms: u64,
    pub(super) cancel_at: Option<u64>,
    /// The policy decides without a person: granted or denied.
    pub(super) preset_approval: Option<bool>,
    /// Time, step and decision (approved or not), in order of time.
    pub(super) people: Vec<(u64, usize, bool)>,
    /// Failures of each skill before the plan.
    pub(super) history: Vec<usize>,
    /// Steps whose results are reused, if they succeeded.
    pub(super) reused: BTreeSet<usize>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct RandomStep {
    /// In addition to the needs that the input, the condition and the loop imply.
    pub(super) needs: Vec<usize>,
    pub(super) optional: bool,
    pub(super) is_async: bool,
    pub(super) skip: bool,
    pub(super) approval: bool,
    pub(super) input: RandomInput,
    pub(super) when: Option<RandomCondition>,
    pub(super) each: Option<RandomLoop>,
    /// The smallest `n` that the output may have.
    pub(super) expect: Option<i64>,
    pub(super) by: Vec<RandomCandidate>,
}

#[derive(Debug, Clone)]
pub(super) struct RandomCandidate {
    pub(super) skill: usize,
    pub(super) timeout: u64,
    pub(super) retries: u32,
    pub(super) backoff: u64,
    /// The acts of its attempts, in order.
    pub(super) acts: Vec<(AttemptAct, u64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttemptAct {
    Done,
    GivesUp,
    Traps,
    /// Ignores its limit.
    Hangs,
    Panics,
}

/// The value at `x` of the input.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum RandomInput {
    #[default]
    Nothing,
    Literal(i64),
    Whole(usize),
    /// `.n`
    Field(usize),
    /// `[0].n`
    First(usize),
    Item,
    Index,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum RandomCondition {
    /// `steps.s.n > k`
    More(usize, i64),
    /// `steps.s == null`
    Nothing(usize),
    /// `has(state.total) && state.total > k`
    State(i64),
    /// `input.x != null && input.x > k`, only for inputs that hold a number
    Input(i64),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum RandomLoop {
    Literal(usize),
    /// `.list`, at most so many items
    List(usize, usize),
    /// The whole output.
    Whole(usize),
}

/// A seed gives equal numbers in every version.
struct PlanRng(Rng);

impl PlanRng {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.next_u64() % limit
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick(&mut self, below: usize) -> usize {
        self.below(below as u64) as usize
    }
}

pub(super) const SKILLS: usize = 5;

pub(super) fn random_plan(seed: u64) -> RandomPlan {
    let mut dice = PlanRng(Rng::new(seed));
    // Small plans find faults that are easy to read, large plans find faults that need many steps.
    let steps = match dice.below(4) {
        0 => dice.pick(41),
        1 => dice.pick(20),
        _ => dice.pick(9),
    };
    // Short times make many things happen at once, long times separate them.
    let unit = [1, 7, 100][dice.pick(3)];
    let steps: Vec<RandomStep> = (0..steps).map(|idx| step(&mut dice, idx, unit)).collect();
    let asked: Vec<usize> = (0..steps.len()).filter(|idx| steps[*idx].approval).collect();
    let mut people: Vec<(u64, usize, bool)> = Vec::new();
    for _ in 0..asked.len() * 2 {
        let step = asked[dice.pick(asked.len())];
        people.push((dice.below(60 * unit), step, !dice.one_in(3)));
    }
    people.sort();
    let some = |dice: &mut PlanRng, one_in: u64, below: u64| {
        dice.one_in(one_in).then(|| dice.below(below))
    };
    let reused = if dice.one_in(4) { steps.len() } else { 0 };
    RandomPlan {
        parallel: !dice.one_in(3),
        slots: 1 + dice.pick(4),
        stop: dice.one_in(4),
        plan_ms: some(&mut dice, 3, 120 * unit).unwrap_or(60_000_000),
        grace_ms: dice.below(20 * unit),
        cancel_at: some(&mut dice, 6, 100 * unit),
        preset_approval: dice.one_in(5).then(|| dice.one_in(2)),
        people,
        history: (0..SKILLS).map(|_| if dice.one_in(4) { dice.pick(8) } else { 0 }).collect(),
        reused: (0..reused).filter(|_| !dice.one_in(3)).collect(),
        steps,
    }
}

fn step(dice: &mut PlanRng, idx: usize, unit: u64) -> RandomStep {
    let earlier = |dice: &mut PlanRng| dice.pick(idx);
    let each = match dice.below(12) {
        0 => Some(RandomLoop::Literal(dice.pick(5))),
        1 if idx > 0 => Some(RandomLoop::List(earlier(dice), 1 + dice.pick(4))),
        2 if idx > 0 => Some(RandomLoop::Whole(earlier(dice))),
        _ => None,
    };
    let input = match dice.below(10) {
        0 | 1 if idx > 0 => RandomInput::Whole(earlier(dice)),
        2 | 3 if idx > 0 => RandomInput::Field(earlier(dice)),
        4 if idx > 0 => RandomInput::First(earlier(dice)),
        5 | 6 if each.is_some() => RandomInput::Item,
        7 if each.is_some() => RandomInput::Index,
        8 => RandomInput::Nothing,
        _ => RandomInput::Literal(dice.below(7) as i64),
    };
    let gives_number =
        matches!(input, RandomInput::Literal(_) | RandomInput::Field(_) | RandomInput::First(_));
    let bound = |dice: &mut PlanRng| dice.below(8) as i64 - 1;
    let when = match dice.below(12) {
        0 if idx > 0 => Some(RandomCondition::More(earlier(dice), bound(dice))),
        1 if idx > 0 => Some(RandomCondition::Nothing(earlier(dice))),
        2 => Some(RandomCondition::State(bound(dice))),
        3 if gives_number => Some(RandomCondition::Input(bound(dice))),
        _ => None,
    };
    let count = if dice.one_in(3) { 2 + dice.pick(2) } else { 1 };
    let needs = if idx == 0 { 0 } else { dice.pick(3) };
    RandomStep {
        needs: (0..needs).map(|_| earlier(dice)).collect(),
        optional: dice.one_in(3),
        is_async: !dice.one_in(3),
        skip: dice.one_in(20),
        approval: dice.one_in(8),
        input,
        when,
        each,
        expect: dice.one_in(8).then(|| dice.below(5) as i64),
        by: (0..count).map(|_| candidate(dice, unit)).collect(),
    }
}

fn candidate(dice: &mut PlanRng, unit: u64) -> RandomCandidate {
    let acts = 1 + dice.pick(3);
    let act = |dice: &mut PlanRng| match dice.below(24) {
        0..=4 => AttemptAct::GivesUp,
        5 => AttemptAct::Traps,
        6 if dice.one_in(3) => AttemptAct::Hangs,
        7 if dice.one_in(4) => AttemptAct::Panics,
        _ => AttemptAct::Done,
    };
    RandomCandidate {
        skill: dice.pick(SKILLS),
        timeout: (1 + dice.below(40)) * unit,
        retries: dice.below(4) as u32,
        backoff: dice.below(10) * unit,
        acts: (0..acts).map(|_| (act(dice), (1 + dice.below(25)) * unit)).collect(),
    }
}

/// This plan without limits, and with other latencies, slots and decisions.
pub(super) fn unhurried(mut rough: RandomPlan, seed: u64) -> RandomPlan {
    let mut dice = PlanRng(Rng::new(seed));
    (rough.plan_ms, rough.cancel_at, rough.stop) = (1 << 40, None, false);
    (rough.slots, rough.parallel) = (1 + dice.pick(8), dice.one_in(2));
    rough.people.clear();
    if rough.preset_approval == Some(false) {
        rough.preset_approval = None;
    }
    for by in rough.steps.iter_mut().flat_map(|step| &mut step.by) {
        (by.timeout, by.backoff) = (1 << 20, dice.below(50));
        for (act, ms) in &mut by.acts {
            *ms = 1 + dice.below(60);
            if *act == AttemptAct::Hangs {
                *act = AttemptAct::GivesUp;
            }
        }
    }
    rough
}

impl RandomStep {
    /// All needs, ascending.
    pub(super) fn all_needs(&self) -> BTreeSet<usize> {
        let mut needs: BTreeSet<usize> = self.needs.iter().copied().collect();
        needs.extend(match self.input {
            RandomInput::Whole(step) | RandomInput::Field(step) | RandomInput::First(step) => {
                Some(step)
            }
            _ => None,
        });
        needs.extend(match self.when {
            Some(RandomCondition::More(step, _) | RandomCondition::Nothing(step)) => Some(step),
            _ => None,
        });
        needs.extend(match self.each {
            Some(RandomLoop::List(step, _) | RandomLoop::Whole(step)) => Some(step),
            _ => None,
        });
        needs
    }
}

impl RandomPlan {
    /// This plan without one step, and without the references to it.
    pub(super) fn without(&self, gone: usize) -> RandomPlan {
        let mut less = self.clone();
        less.steps.remove(gone);
        let moved = |step: usize| (step != gone).then(|| if step > gone { step - 1 } else { step });
        for step in &mut less.steps {
            step.needs = step.needs.iter().filter_map(|need| moved(*need)).collect();
            step.input = match step.input {
                RandomInput::Whole(from) => {
                    moved(from).map_or(RandomInput::Nothing, RandomInput::Whole)
                }
                RandomInput::Field(from) => {
                    moved(from).map_or(RandomInput::Literal(1), RandomInput::Field)
                }
                RandomInput::First(from) => {
                    moved(from).map_or(RandomInput::Literal(1), RandomInput::First)
                }
                same => same,
            };
            step.when = step.when.and_then(|when| match when {
                RandomCondition::More(from, k) => {
                    moved(from).map(|from| RandomCondition::More(from, k))
                }
                RandomCondition::Nothing(from) => moved(from).map(RandomCondition::Nothing),
                same => Some(same),
            });
            step.each = step.each.map(|each| match each {
                RandomLoop::List(from, max) => {
                    moved(from).map_or(RandomLoop::Literal(1), |from| RandomLoop::List(from, max))
                }
                RandomLoop::Whole(from) => {
                    moved(from).map_or(RandomLoop::Literal(1), RandomLoop::Whole)
                }
                same => same,
            });
        }
        less.reused = self.reused.iter().filter_map(|step| moved(*step)).collect();
        less.people = self
            .people
            .iter()
            .filter_map(|(at, step, yes)| moved(*step).map(|step| (*at, step, *yes)))
            .collect();
        less
    }
}
