//! The JSON form of a report (`contracts/eval-report.schema.json`).
//!
//! Version 1.

use std::time::Duration;

use serde::Serialize;

use super::{
    CaseOutcome, EvalReport, FieldScore, KindScore, Latency, Miss, Score, SkillScore, TokenCost,
    TokenStats,
};
use narratoria_protocol::millis;

const VERSION: u32 = 1;

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EvalReportJson {
    version: u32,
    planner: String,
    budget_ms: u64,
    cases: usize,
    tried: usize,
    valid_plans: ScoreJson,
    right_skills: ScoreJson,
    fields: FieldScoreJson,
    kinds: Vec<KindScoreJson>,
    skills: Vec<SkillScoreJson>,
    latency_ms: Option<LatencyJson>,
    tokens: Option<TokenCostJson>,
    fallbacks: Vec<FallbackJson>,
    misses: Vec<MissJson>,
    misses_left_off: usize,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct ScoreJson {
    of: usize,
    by_itself: usize,
    by_itself_rate: f64,
    by_itself_interval: [f64; 2],
    with_stand_in: usize,
    with_stand_in_rate: f64,
}

#[derive(Debug, Clone, Serialize)]
struct FieldScoreJson {
    right: usize,
    chosen: usize,
    expected: usize,
    rate: f64,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct KindScoreJson {
    kind: String,
    valid_plans: ScoreJson,
    right_skills: ScoreJson,
}

#[derive(Debug, Clone, Serialize)]
struct SkillScoreJson {
    skill: String,
    used: usize,
    fitting: usize,
    precision: f64,
    needed: usize,
    found: usize,
    recall: f64,
}

#[derive(Debug, Clone, Serialize)]
struct LatencyJson {
    p50: f64,
    p90: f64,
    p95: f64,
    p99: f64,
    max: f64,
}

#[derive(Debug, Clone, Serialize)]
struct TokenCostJson {
    plans: usize,
    prompt: TokenStatsJson,
    reused: TokenStatsJson,
    sampled: TokenStatsJson,
    forced: TokenStatsJson,
}

#[derive(Debug, Clone, Serialize)]
struct TokenStatsJson {
    mean: f64,
    p50: usize,
}

#[derive(Debug, Clone, Serialize)]
struct FallbackJson {
    reason: String,
    count: usize,
}

#[derive(Debug, Clone, Serialize)]
struct MissJson {
    id: String,
    kind: String,
    sentence: String,
    accept: Vec<Vec<String>>,
    planner: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    instead: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skills: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<String>,
}

impl EvalReportJson {
    /// Creates the report with at most `misses_max` misses; `misses_left_off` counts the others.
    pub fn new(report: &EvalReport, misses_max: usize) -> EvalReportJson {
        let EvalReport { planner, budget, cases, tried, valid, right, .. } = report;
        let shown = report.misses.len().min(misses_max);
        let fallback = |(reason, count): &(String, usize)| FallbackJson {
            reason: reason.clone(),
            count: *count,
        };
        EvalReportJson {
            version: VERSION,
            planner: planner.clone(),
            budget_ms: millis(*budget),
            cases: *cases,
            tried: *tried,
            valid_plans: valid.into(),
            right_skills: right.into(),
            fields: (&report.fields).into(),
            kinds: report.kinds.iter().map(KindScoreJson::from).collect(),
            skills: report.skills.iter().map(SkillScoreJson::from).collect(),
            latency_ms: report.latency.as_ref().map(LatencyJson::from),
            tokens: report.tokens.as_ref().map(TokenCostJson::from),
            fallbacks: report.fallbacks.iter().map(fallback).collect(),
            misses: report.misses[..shown].iter().map(MissJson::from).collect(),
            misses_left_off: report.misses.len() - shown,
        }
    }
}

impl From<&Score> for ScoreJson {
    fn from(score: &Score) -> ScoreJson {
        let (low, high) = score.own_interval();
        ScoreJson {
            of: score.total,
            by_itself: score.own,
            by_itself_rate: rounded(score.own_rate(), 4),
            by_itself_interval: [rounded(low, 4), rounded(high, 4)],
            with_stand_in: score.all,
            with_stand_in_rate: rounded(score.rate(), 4),
        }
    }
}

impl From<&FieldScore> for FieldScoreJson {
    fn from(score: &FieldScore) -> FieldScoreJson {
        let FieldScore { right, chosen, expected } = *score;
        FieldScoreJson { right, chosen, expected, rate: rounded(score.rate(), 4) }
    }
}

impl From<&KindScore> for KindScoreJson {
    fn from(score: &KindScore) -> KindScoreJson {
        let KindScore { kind, valid, right } = score;
        KindScoreJson { kind: kind.clone(), valid_plans: valid.into(), right_skills: right.into() }
    }
}

impl From<&SkillScore> for SkillScoreJson {
    fn from(score: &SkillScore) -> SkillScoreJson {
        SkillScoreJson {
            skill: score.skill.clone(),
            used: score.used,
            fitting: score.fitting,
            precision: rounded(score.precision(), 4),
            needed: score.needed,
            found: score.found,
            recall: rounded(score.recall(), 4),
        }
    }
}

impl From<&Latency> for LatencyJson {
    fn from(latency: &Latency) -> LatencyJson {
        let ms = |took: Duration| rounded(took.as_secs_f64() * 1000.0, 3);
        LatencyJson {
            p50: ms(latency.p50),
            p90: ms(latency.p90),
            p95: ms(latency.p95),
            p99: ms(latency.p99),
            max: ms(latency.max),
        }
    }
}

impl From<&TokenCost> for TokenCostJson {
    fn from(cost: &TokenCost) -> TokenCostJson {
        let one =
            |TokenStats { mean, p50 }: TokenStats| TokenStatsJson { mean: rounded(mean, 2), p50 };
        TokenCostJson {
            plans: cost.plans,
            prompt: one(cost.prompt),
            reused: one(cost.reused),
            sampled: one(cost.sampled),
            forced: one(cost.forced),
        }
    }
}

impl From<&Miss> for MissJson {
    fn from(miss: &Miss) -> MissJson {
        let (skills, errors) = match &miss.outcome {
            CaseOutcome::Valid { skills, .. } => {
                (Some(skills.iter().cloned().collect()), Vec::new())
            }
            CaseOutcome::Invalid { errors } => (None, errors.clone()),
        };
        MissJson {
            id: miss.id.clone(),
            kind: miss.kind.clone(),
            sentence: miss.sentence.clone(),
            accept: miss.accept.clone(),
            planner: miss.planner.clone(),
            instead: miss.fallback.clone(),
            skills,
            errors,
        }
    }
}

/// Rounds to enough digits to compare, without noise.
fn rounded(number: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (number * scale).round() / scale
}
