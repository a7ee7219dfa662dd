//! The numbers of an evaluation.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use super::{
    case_result::{CaseOutcome, CaseResult},
    field_score::{FieldScore, rate},
};
use narratoria_narrator::PlanTokens;

#[derive(Debug, Clone, PartialEq)]
pub struct EvalReport {
    /// The planner that was asked.
    pub planner: String,
    /// The time for one plan.
    pub budget: Duration,
    /// Cases of the dataset.
    pub cases: usize,
    /// Cases that were tried; fewer than all when the evaluation was stopped.
    pub tried: usize,
    /// Cases with a plan that can run, in time (S0 SC-001).
    pub valid: Score,
    /// Cases with a plan that uses the right skills (S0 SC-002).
    pub right: Score,
    /// How many fields of inputs are right.
    pub fields: FieldScore,
    /// Both for each kind of sentence, in the dataset's order.
    pub kinds: Vec<KindScore>,
    /// How each skill was chosen, by name.
    pub skills: Vec<SkillScore>,
    /// `None` when no case was tried.
    pub latency: Option<Latency>,
    /// `None` when no model made a plan.
    pub tokens: Option<TokenCost>,
    /// Why another planner answered, and how often, the most frequent first.
    pub fallbacks: Vec<(String, usize)>,
    /// Every case without the right plan, in the dataset's order.
    pub misses: Vec<Miss>,
}

/// A count of tried cases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Hits of the planner that was asked.
    pub own: usize,
    /// Hits including those of its replacement.
    pub all: usize,
    pub total: usize,
}

/// The scores of one kind of sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindScore {
    pub kind: String,
    /// See [`EvalReport::valid`].
    pub valid: Score,
    /// See [`EvalReport::right`].
    pub right: Score,
}

/// How one skill was chosen, in plans that can run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillScore {
    pub skill: String,
    /// Plans that use the skill.
    pub used: usize,
    /// Those of these plans whose case accepts it.
    pub fitting: usize,
    /// Cases that accept no plan without the skill.
    pub needed: usize,
    /// Those of these cases whose plan uses it.
    pub found: usize,
}

impl SkillScore {
    /// The part of its uses that fit, 0 to 1; 1 when it was never used.
    pub fn precision(&self) -> f64 {
        if self.used == 0 { 1.0 } else { rate(self.fitting, self.used) }
    }

    /// The part of the cases that need it whose plan has it, 0 to 1; 1 when no case needs it.
    pub fn recall(&self) -> f64 {
        if self.needed == 0 { 1.0 } else { rate(self.found, self.needed) }
    }

    fn all_of(all: &[CaseResult<'_>]) -> Vec<SkillScore> {
        let mut scores: BTreeMap<&str, SkillScore> = BTreeMap::new();
        for tried in all {
            let accept = &tried.case.accept;
            let used = match &tried.outcome {
                CaseOutcome::Valid { skills, .. } => Some(skills),
                CaseOutcome::Invalid { .. } => None,
            };
            let named: BTreeSet<&str> = accept
                .iter()
                .flatten()
                .chain(used.into_iter().flatten())
                .map(String::as_str)
                .collect();
            for skill in named {
                let is_used = used.is_some_and(|used| used.contains(skill));
                let is_accepted = accept.iter().any(|set| set.contains(skill));
                let is_needed = accept.iter().all(|set| set.contains(skill));
                let score = scores.entry(skill).or_default();
                score.used += usize::from(is_used);
                score.fitting += usize::from(is_used && is_accepted);
                score.needed += usize::from(is_needed);
                score.found += usize::from(is_used && is_needed);
            }
        }
        let named = scores.into_iter();
        named.map(|(skill, score)| SkillScore { skill: skill.to_owned(), ..score }).collect()
    }
}

/// Nearest-rank percentiles over the tried cases: each is the time of some case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latency {
    pub p50: Duration,
    pub p90: Duration,
    pub p95: Duration,
    pub p99: Duration,
    pub max: Duration,
}

/// The cost of the plans that a model made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenCost {
    pub plans: usize,
    /// Tokens of the prompt.
    pub prompt: TokenStats,
    /// Prompt tokens that the model had read before.
    pub reused: TokenStats,
    /// Tokens that the model chose, one pass each.
    pub sampled: TokenStats,
    /// Tokens that the grammar forced.
    pub forced: TokenStats,
}

/// Tokens a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenStats {
    pub mean: f64,
    pub p50: usize,
}

/// A case without the right plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    pub id: String,
    pub kind: String,
    pub sentence: String,
    /// Each set of skills that would have been right.
    pub accept: Vec<Vec<String>>,
    /// The planner that made the plan.
    pub planner: String,
    /// Why another planner answered.
    pub fallback: Option<String>,
    pub outcome: CaseOutcome,
}

impl Score {
    /// The planner's own hits, 0 to 1; 0 when no case was tried.
    pub fn own_rate(self) -> f64 {
        rate(self.own, self.total)
    }

    /// The hits that the player gets, 0 to 1; 0 when no case was tried.
    pub fn rate(self) -> f64 {
        rate(self.all, self.total)
    }

    /// The interval that holds the true rate of the planner's own hits with 95 %, after Wilson.
    pub fn own_interval(self) -> (f64, f64) {
        wilson_interval(self.own, self.total)
    }

    fn add(&mut self, is_hit: bool, is_own: bool) {
        self.total += 1;
        self.all += usize::from(is_hit);
        self.own += usize::from(is_hit && is_own);
    }
}

/// The number of standard deviations that holds 95 % of a normal distribution.
const Z: f64 = 1.959_964;

/// The score interval of a rate, after Wilson (1927), 0 to 1. It says little about few cases: that is its point.
fn wilson_interval(part: usize, whole: usize) -> (f64, f64) {
    if whole == 0 {
        return (0.0, 1.0);
    }
    let (n, p) = (whole as f64, part as f64 / whole as f64);
    let middle = p + Z * Z / (2.0 * n);
    let reach = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    (((middle - reach) / scale).max(0.0), ((middle + reach) / scale).min(1.0))
}

impl EvalReport {
    pub(super) fn of(
        planner: &str,
        budget: Duration,
        cases: usize,
        all: &[CaseResult<'_>],
    ) -> EvalReport {
        let (mut valid, mut right) = (Score::default(), Score::default());
        let mut fields = FieldScore::default();
        let mut kinds: Vec<KindScore> = Vec::new();
        let mut fallbacks: BTreeMap<&str, usize> = BTreeMap::new();
        for tried in all {
            let (is_valid, is_right, is_own) = (tried.is_valid(), tried.is_right(), tried.is_own());
            let at = kinds.iter().position(|score| score.kind == tried.case.kind);
            let at = at.unwrap_or_else(|| {
                let (kind, zero) = (tried.case.kind.clone(), Score::default());
                kinds.push(KindScore { kind, valid: zero, right: zero });
                kinds.len() - 1
            });
            for score in [&mut valid, &mut kinds[at].valid] {
                score.add(is_valid, is_own);
            }
            for score in [&mut right, &mut kinds[at].right] {
                score.add(is_right, is_own);
            }
            fields.add(tried.fields());
            if let Some(fallback) = &tried.fallback {
                *fallbacks.entry(&fallback.why).or_default() += 1;
            }
        }
        let mut fallbacks: Vec<(String, usize)> =
            fallbacks.into_iter().map(|(why, count)| (why.to_owned(), count)).collect();
        fallbacks.sort_by_key(|(_, count)| usize::MAX - count);
        EvalReport {
            planner: planner.to_owned(),
            budget,
            cases,
            tried: all.len(),
            valid,
            right,
            fields,
            kinds,
            skills: SkillScore::all_of(all),
            latency: Latency::of(all.iter().map(|tried| tried.took).collect()),
            tokens: TokenCost::of(all.iter().filter_map(|tried| tried.tokens).collect()),
            fallbacks,
            misses: all.iter().filter(|tried| !tried.is_right()).map(Miss::of).collect(),
        }
    }

    /// How often another planner answered.
    pub fn fallbacks_count(&self) -> usize {
        self.fallbacks.iter().map(|(_, count)| count).sum()
    }
}

impl Miss {
    fn of(tried: &CaseResult<'_>) -> Miss {
        let case = tried.case;
        Miss {
            id: case.id.clone(),
            kind: case.kind.clone(),
            sentence: case.sentence.clone(),
            accept: case.accept.iter().map(|set| set.iter().cloned().collect()).collect(),
            planner: tried.planner.clone(),
            fallback: tried.fallback.as_ref().map(|fallback| fallback.why.clone()),
            outcome: tried.outcome.clone(),
        }
    }
}

/// The smallest value that `percent` of a hundred values do not exceed; `None` for no values.
fn nearest_rank<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

impl Latency {
    fn of(mut took: Vec<Duration>) -> Option<Latency> {
        took.sort_unstable();
        Some(Latency {
            p50: nearest_rank(&took, 50)?,
            p90: nearest_rank(&took, 90)?,
            p95: nearest_rank(&took, 95)?,
            p99: nearest_rank(&took, 99)?,
            max: nearest_rank(&took, 100)?,
        })
    }
}

impl TokenCost {
    fn of(all: Vec<PlanTokens>) -> Option<TokenCost> {
        let cost = |part: fn(&PlanTokens) -> usize| TokenStats::of(all.iter().map(part).collect());
        Some(TokenCost {
            plans: all.len(),
            prompt: cost(|tokens| tokens.prompt)?,
            reused: cost(|tokens| tokens.reused)?,
            sampled: cost(|tokens| tokens.sampled)?,
            forced: cost(|tokens| tokens.forced)?,
        })
    }
}

impl TokenStats {
    fn of(mut all: Vec<usize>) -> Option<TokenStats> {
        all.sort_unstable();
        let sum: usize = all.iter().sum();
        Some(TokenStats { p50: nearest_rank(&all, 50)?, mean: sum as f64 / all.len() as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::{nearest_rank, wilson_interval};

    #[test]
    fn the_interval_of_a_rate_is_that_of_wilson() {
        // The values of a table: 8 of 10, and none of 10.
        let shown = |part, whole| {
            let (low, high) = wilson_interval(part, whole);
            format!("{low:.4} {high:.4}")
        };
        assert_eq!(shown(8, 10), "0.4902 0.9433");
        assert_eq!(shown(0, 10), "0.0000 0.2775");
        assert_eq!(shown(0, 0), "0.0000 1.0000");
    }

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let values: Vec<u32> = (1..=200).collect();
        for (percent, expect) in [(0, 1), (1, 2), (50, 100), (95, 190), (99, 198), (100, 200)] {
            assert_eq!(nearest_rank(&values, percent), Some(expect), "{percent}");
        }
        assert_eq!(nearest_rank(&[7], 99), Some(7));
        assert_eq!(nearest_rank::<u32>(&[], 50), None);
    }
}
