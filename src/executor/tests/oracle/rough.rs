//! Random plans, as plain data.

use std::collections::BTreeSet;

/// A plan and everything that happens to it.
#[derive(Debug, Clone, Default)]
pub(super) struct Rough {
    pub(super) steps: Vec<RoughStep>,
    pub(super) parallel: bool,
    pub(super) slots: usize,
    pub(super) stop: bool,
    pub(super) plan_ms: u64,
    pub(super) grace_ms: u64,
    pub(super) cancel_at: Option<u64>,
    /// Nobody is asked: granted or denied.
    pub(super) unasked: Option<bool>,
    /// When, which step, approved or denied; in order of time.
    pub(super) people: Vec<(u64, usize, bool)>,
    /// Failures of each skill before the plan.
    pub(super) history: Vec<usize>,
    /// Steps whose results are kept, if they ended well.
    pub(super) kept: BTreeSet<usize>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct RoughStep {
    /// Beside those that the input, the condition and the loop imply.
    pub(super) needs: Vec<usize>,
    pub(super) optional: bool,
    pub(super) is_async: bool,
    pub(super) skip: bool,
    pub(super) approval: bool,
    pub(super) input: Input,
    pub(super) when: Option<When>,
    pub(super) each: Option<Each>,
    /// Least `n` that the output must have.
    pub(super) expect: Option<i64>,
    pub(super) by: Vec<RoughCandidate>,
}

#[derive(Debug, Clone)]
pub(super) struct RoughCandidate {
    pub(super) skill: usize,
    pub(super) timeout: u64,
    pub(super) retries: u32,
    pub(super) backoff: u64,
    /// What its attempts do, in turn.
    pub(super) acts: Vec<(Act, u64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Done,
    GivesUp,
    Traps,
    /// Heeds no limit.
    Hangs,
    Panics,
}

/// What stands at `x`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Input {
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
pub(super) enum When {
    /// `steps.s.n > k`
    More(usize, i64),
    /// `steps.s == null`
    Nothing(usize),
    /// `has(state.total) && state.total > k`
    State(i64),
    /// `input.x != null && input.x > k`, only of inputs that give a number
    Input(i64),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Each {
    Literal(usize),
    /// `.list`, at most so many
    List(usize, usize),
    /// The whole of it.
    Whole(usize),
}

/// splitmix64: the same numbers for the same seed, for ever.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick(&mut self, below: usize) -> usize {
        self.below(below as u64) as usize
    }
}

pub(super) const SKILLS: usize = 5;

pub(super) fn rough(seed: u64) -> Rough {
    let mut dice = Dice(seed);
    // Small ones find faults that are easy to read, large ones those that need many steps.
    let steps = match dice.below(4) {
        0 => dice.pick(41),
        1 => dice.pick(20),
        _ => dice.pick(9),
    };
    // Short times make much happen at once, long ones keep it apart.
    let unit = [1, 7, 100][dice.pick(3)];
    let steps: Vec<RoughStep> = (0..steps).map(|idx| step(&mut dice, idx, unit)).collect();
    let asked: Vec<usize> = (0..steps.len()).filter(|idx| steps[*idx].approval).collect();
    let mut people: Vec<(u64, usize, bool)> = Vec::new();
    for _ in 0..asked.len() * 2 {
        let step = asked[dice.pick(asked.len())];
        people.push((dice.below(60 * unit), step, !dice.one_in(3)));
    }
    people.sort();
    let some =
        |dice: &mut Dice, one_in: u64, below: u64| dice.one_in(one_in).then(|| dice.below(below));
    let kept = if dice.one_in(4) { steps.len() } else { 0 };
    Rough {
        parallel: !dice.one_in(3),
        slots: 1 + dice.pick(4),
        stop: dice.one_in(4),
        plan_ms: some(&mut dice, 3, 120 * unit).unwrap_or(60_000_000),
        grace_ms: dice.below(20 * unit),
        cancel_at: some(&mut dice, 6, 100 * unit),
        unasked: dice.one_in(5).then(|| dice.one_in(2)),
        people,
        history: (0..SKILLS).map(|_| if dice.one_in(4) { dice.pick(8) } else { 0 }).collect(),
        kept: (0..kept).filter(|_| !dice.one_in(3)).collect(),
        steps,
    }
}

fn step(dice: &mut Dice, idx: usize, unit: u64) -> RoughStep {
    let earlier = |dice: &mut Dice| dice.pick(idx);
    let each = match dice.below(12) {
        0 => Some(Each::Literal(dice.pick(5))),
        1 if idx > 0 => Some(Each::List(earlier(dice), 1 + dice.pick(4))),
        2 if idx > 0 => Some(Each::Whole(earlier(dice))),
        _ => None,
    };
    let input = match dice.below(10) {
        0 | 1 if idx > 0 => Input::Whole(earlier(dice)),
        2 | 3 if idx > 0 => Input::Field(earlier(dice)),
        4 if idx > 0 => Input::First(earlier(dice)),
        5 | 6 if each.is_some() => Input::Item,
        7 if each.is_some() => Input::Index,
        8 => Input::Nothing,
        _ => Input::Literal(dice.below(7) as i64),
    };
    let gives_number = matches!(input, Input::Literal(_) | Input::Field(_) | Input::First(_));
    let bound = |dice: &mut Dice| dice.below(8) as i64 - 1;
    let when = match dice.below(12) {
        0 if idx > 0 => Some(When::More(earlier(dice), bound(dice))),
        1 if idx > 0 => Some(When::Nothing(earlier(dice))),
        2 => Some(When::State(bound(dice))),
        3 if gives_number => Some(When::Input(bound(dice))),
        _ => None,
    };
    let count = if dice.one_in(3) { 2 + dice.pick(2) } else { 1 };
    let needs = if idx == 0 { 0 } else { dice.pick(3) };
    RoughStep {
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

fn candidate(dice: &mut Dice, unit: u64) -> RoughCandidate {
    let acts = 1 + dice.pick(3);
    let act = |dice: &mut Dice| match dice.below(24) {
        0..=4 => Act::GivesUp,
        5 => Act::Traps,
        6 if dice.one_in(3) => Act::Hangs,
        7 if dice.one_in(4) => Act::Panics,
        _ => Act::Done,
    };
    RoughCandidate {
        skill: dice.pick(SKILLS),
        timeout: (1 + dice.below(40)) * unit,
        retries: dice.below(4) as u32,
        backoff: dice.below(10) * unit,
        acts: (0..acts).map(|_| (act(dice), (1 + dice.below(25)) * unit)).collect(),
    }
}

/// The same plan without limits, and with other latencies, slots and people.
pub(super) fn unhurried(mut rough: Rough, seed: u64) -> Rough {
    let mut dice = Dice(seed);
    (rough.plan_ms, rough.cancel_at, rough.stop) = (1 << 40, None, false);
    (rough.slots, rough.parallel) = (1 + dice.pick(8), dice.one_in(2));
    rough.people.clear();
    if rough.unasked == Some(false) {
        rough.unasked = None;
    }
    for by in rough.steps.iter_mut().flat_map(|step| &mut step.by) {
        (by.timeout, by.backoff) = (1 << 20, dice.below(50));
        for (act, ms) in &mut by.acts {
            *ms = 1 + dice.below(60);
            if *act == Act::Hangs {
                *act = Act::GivesUp;
            }
        }
    }
    rough
}

impl RoughStep {
    /// All of them, ascending.
    pub(super) fn all_needs(&self) -> BTreeSet<usize> {
        let mut needs: BTreeSet<usize> = self.needs.iter().copied().collect();
        needs.extend(match self.input {
            Input::Whole(step) | Input::Field(step) | Input::First(step) => Some(step),
            _ => None,
        });
        needs.extend(match self.when {
            Some(When::More(step, _) | When::Nothing(step)) => Some(step),
            _ => None,
        });
        needs.extend(match self.each {
            Some(Each::List(step, _) | Each::Whole(step)) => Some(step),
            _ => None,
        });
        needs
    }
}

impl Rough {
    /// The same without one step; what took something from it takes nothing.
    pub(super) fn without(&self, gone: usize) -> Rough {
        let mut less = self.clone();
        less.steps.remove(gone);
        let moved = |step: usize| (step != gone).then(|| if step > gone { step - 1 } else { step });
        for step in &mut less.steps {
            step.needs = step.needs.iter().filter_map(|need| moved(*need)).collect();
            step.input = match step.input {
                Input::Whole(from) => moved(from).map_or(Input::Nothing, Input::Whole),
                Input::Field(from) => moved(from).map_or(Input::Literal(1), Input::Field),
                Input::First(from) => moved(from).map_or(Input::Literal(1), Input::First),
                same => same,
            };
            step.when = step.when.and_then(|when| match when {
                When::More(from, k) => moved(from).map(|from| When::More(from, k)),
                When::Nothing(from) => moved(from).map(When::Nothing),
                same => Some(same),
            });
            step.each = step.each.map(|each| match each {
                Each::List(from, max) => {
                    moved(from).map_or(Each::Literal(1), |from| Each::List(from, max))
                }
                Each::Whole(from) => moved(from).map_or(Each::Literal(1), Each::Whole),
                same => same,
            });
        }
        less.kept = self.kept.iter().filter_map(|step| moved(*step)).collect();
        less.people = self
            .people
            .iter()
            .filter_map(|(at, step, yes)| moved(*step).map(|step| (*at, step, *yes)))
            .collect();
        less
    }
}
