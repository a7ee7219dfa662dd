//! The report of an evaluation, as tables.

use std::time::Duration;

use narratoria_engine::eval::{
    CaseOutcome, EvalReport, FieldScore, Latency, Miss, Score, SkillScore, TokenCost, TokenStats,
};

use super::{
    Look, Out, render_table,
    text::{cut_line, visible_line},
};

/// Columns of a sentence: enough to recognise it. A sentence may have 64 KiB.
const SENTENCE_COLUMNS_MAX: usize = 60;

/// Columns of the skills that a plan chose, or of its errors.
const CHOICE_COLUMNS_MAX: usize = 60;

/// Shows the progress of an evaluation on a terminal, and nothing elsewhere.
pub struct EvalProgress {
    err: Option<Out>,
    columns_max: usize,
    cases: usize,
    tried: usize,
    valid: usize,
    right: usize,
}

impl EvalProgress {
    pub fn new(look: Look, cases: usize) -> EvalProgress {
        let columns_max = look.live.map_or(0, |area| area.columns.saturating_sub(1));
        let err = look.live.map(|_| Out::stderr(look));
        EvalProgress { err, columns_max, cases, tried: 0, valid: 0, right: 0 }
    }

    /// Counts one case.
    pub fn count(&mut self, is_valid: bool, is_right: bool) {
        self.tried += 1;
        self.valid += usize::from(is_valid);
        self.right += usize::from(is_right);
        let EvalProgress { err, columns_max, cases, tried, valid, right } = self;
        if let Some(err) = err {
            let line = format!("{tried} of {cases} tried, {valid} valid, {right} right");
            err.write_as_is(&format!("\r\u{1b}[K{}\r", cut_line(&line, *columns_max, true)));
        }
    }

    pub fn clear(&mut self) {
        if let Some(err) = &mut self.err {
            err.write_as_is("\r\u{1b}[K");
        }
    }
}

/// The whole report, with at most `misses_max` misses.
pub fn eval_report(report: &EvalReport, misses_max: usize, look: Look) -> String {
    let mut text = heading(report);
    text += &format!("\n{}", scores(report, look));
    if report.fields.expected > 0 {
        text += &format!("\n{}", fields(report.fields, look));
    }
    text += &format!("\n{}", kinds(report, look));
    if !report.skills.is_empty() {
        text += &format!("\n{}", skills(report, look));
    }
    if let Some(latency) = &report.latency {
        text += &format!("\n{}", latency_table(latency, look));
    }
    if let Some(tokens) = &report.tokens {
        text += &format!("\n{}", tokens_table(tokens, look));
    }
    if !report.fallbacks.is_empty() {
        let row = |(why, count): &(String, usize)| [count.to_string(), why.clone()];
        let rows: Vec<[String; 2]> = report.fallbacks.iter().map(row).collect();
        text += &format!("\n{}", render_table(["FALLBACKS", "BECAUSE"], &rows, look.width));
    }
    let shown = report.misses.len().min(misses_max);
    if shown > 0 {
        text += &format!("\n{}", misses(&report.misses[..shown], look));
    }
    if report.misses.len() > shown {
        let more = report.misses.len() - shown;
        text += &format!("not shown: {more}, `--misses {}` shows all\n", report.misses.len());
    }
    text
}

fn heading(report: &EvalReport) -> String {
    let EvalReport { planner, budget, cases, tried, .. } = report;
    let sentences = match (tried, cases) {
        (1, 1) => "1 sentence".to_owned(),
        (tried, cases) if tried == cases => format!("{cases} sentences"),
        (tried, cases) => format!("stopped after {tried} of {cases} sentences"),
    };
    format!("{}, {sentences}, at most {budget:?} each\n", visible_line(planner))
}

fn scores(report: &EvalReport, look: Look) -> String {
    let row = |what: &str, score: Score| {
        let all = share(score.all, score.total, score.rate());
        let (low, high) = score.own_interval();
        let between = format!("{:.1} to {:.1} %", low * 100.0, high * 100.0);
        [what.to_owned(), share(score.own, score.total, score.own_rate()), between, all]
    };
    let rows = [row("valid plans", report.valid), row("right skills", report.right)];
    render_table(["", "BY ITSELF", "95 % SURE", "WITH STAND-IN"], &rows, look.width)
}

/// The fields of inputs: right ones among those of chosen steps, and how many of the expected ones those are.
fn fields(score: FieldScore, look: Look) -> String {
    let FieldScore { right, chosen, expected } = score;
    let row = [share(right, chosen, score.rate()), format!("{chosen} of {expected}")];
    render_table(["RIGHT FIELDS", "OF CHOSEN STEPS"], &[row], look.width)
}

fn share(part: usize, total: usize, rate: f64) -> String {
    format!("{part} of {total} ({:.1} %)", rate * 100.0)
}

fn kinds(report: &EvalReport, look: Look) -> String {
    let rows = report.kinds.iter().map(|score| {
        let (valid, right) = (score.valid, score.right);
        [
            score.kind.clone(),
            valid.total.to_string(),
            valid.own.to_string(),
            right.own.to_string(),
            format!("{:.1} %", right.own_rate() * 100.0),
        ]
    });
    let rows: Vec<[String; 5]> = rows.collect();
    render_table(["KIND", "SENTENCES", "VALID", "RIGHT", ""], &rows, look.width)
}

/// Precision: the part of the plans with a skill that should have it. Recall: the part of the plans that should have it
/// and do.
fn skills(report: &EvalReport, look: Look) -> String {
    let percent = |rate: f64| format!("{:.1} %", rate * 100.0);
    let row = |score: &SkillScore| {
        [
            score.skill.clone(),
            format!("{} of {}", score.fitting, score.used),
            percent(score.precision()),
            format!("{} of {}", score.found, score.needed),
            percent(score.recall()),
        ]
    };
    let rows: Vec<[String; 5]> = report.skills.iter().map(row).collect();
    render_table(["SKILL", "RIGHTLY USED", "PRECISION", "FOUND", "RECALL"], &rows, look.width)
}

fn latency_table(latency: &Latency, look: Look) -> String {
    let Latency { p50, p90, p95, p99, max } = latency;
    let ms = |took: &Duration| format!("{:.1} ms", took.as_secs_f64() * 1e3);
    let row = ["answer".to_owned(), ms(p50), ms(p90), ms(p95), ms(p99), ms(max)];
    render_table(["TIME", "P50", "P90", "P95", "P99", "MAX"], &[row], look.width)
}

fn tokens_table(cost: &TokenCost, look: Look) -> String {
    let row = |what: &str, TokenStats { mean, p50 }: TokenStats| {
        [what.to_owned(), p50.to_string(), format!("{mean:.1}")]
    };
    let rows = [
        row("prompt", cost.prompt),
        row("of it reused", cost.reused),
        row("sampled", cost.sampled),
        row("forced", cost.forced),
    ];
    render_table(["TOKENS A PLAN", "P50", "MEAN"], &rows, look.width)
}

fn misses(misses: &[Miss], look: Look) -> String {
    let set = |skills: &mut dyn Iterator<Item = &String>| {
        let skills: Vec<&str> = skills.map(String::as_str).collect();
        if skills.is_empty() { "nothing".to_owned() } else { skills.join(" + ") }
    };
    let row = |miss: &Miss| {
        let accept: Vec<String> =
            miss.accept.iter().map(|skills| set(&mut skills.iter())).collect();
        let mut chose = match &miss.outcome {
            CaseOutcome::Valid { skills, .. } => set(&mut skills.iter()),
            CaseOutcome::Invalid { errors } => format!("no plan: {}", errors.join("; ")),
        };
        if miss.fallback.is_some() {
            chose = format!("{} in its place: {chose}", miss.planner);
        }
        [
            miss.id.clone(),
            cut_line(&visible_line(&chose), CHOICE_COLUMNS_MAX, look.ascii),
            accept.join(", or "),
            cut_line(&visible_line(&miss.sentence), SENTENCE_COLUMNS_MAX, look.ascii),
        ]
    };
    let rows: Vec<[String; 4]> = misses.iter().map(row).collect();
    render_table(["MISS", "CHOSE", "RIGHT WOULD BE", "SENTENCE"], &rows, look.width)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use narratoria_engine::eval::{
        CaseOutcome, EvalReport, FieldScore, KindScore, Latency, Miss, Score, SkillScore,
        TokenCost, TokenStats,
    };

    use super::{Look, eval_report};

    // Long because the report is shown whole.
    #[test]
    fn a_report_shows_tokens_and_fallbacks() {
        let score = |own, all| Score { own, all, total: 4 };
        let kind = "dice".to_owned();
        let [p50, p90] = [1890, 5001].map(Duration::from_millis);
        let miss = Miss {
            id: "roll".to_owned(),
            kind: kind.clone(),
            sentence: "roll\n\u{1b}[2J it".to_owned(),
            accept: vec![vec!["dice-roller".to_owned()], Vec::new()],
            planner: "lexical".to_owned(),
            fallback: Some("it made no plan in 5s".to_owned()),
            outcome: CaseOutcome::Valid {
                skills: ["storyteller".to_owned()].into(),
                fields: FieldScore::default(),
            },
        };
        let report = EvalReport {
            planner: "llama".to_owned(),
            budget: Duration::from_secs(5),
            cases: 9,
            tried: 4,
            valid: score(3, 4),
            right: score(2, 2),
            fields: FieldScore { right: 2, chosen: 3, expected: 5 },
            kinds: vec![KindScore { kind, valid: score(3, 4), right: score(2, 2) }],
            skills: vec![SkillScore {
                skill: "dice-roller".to_owned(),
                used: 3,
                fitting: 2,
                needed: 4,
                found: 2,
            }],
            latency: Some(Latency { p50, p90, p95: p90, p99: p90, max: p90 }),
            tokens: Some(TokenCost {
                plans: 3,
                prompt: TokenStats { mean: 1204.5, p50: 1201 },
                reused: TokenStats { mean: 1100.0, p50: 1100 },
                sampled: TokenStats { mean: 21.46, p50: 20 },
                forced: TokenStats { mean: 33.0, p50: 31 },
            }),
            fallbacks: vec![("it made no plan in 5s".to_owned(), 1)],
            misses: vec![miss.clone(), miss],
        };
        insta::assert_snapshot!(eval_report(&report, 1, Look::default()), @r"
        llama, stopped after 4 of 9 sentences, at most 5s each

                      BY ITSELF        95 % SURE       WITH STAND-IN
        valid plans   3 of 4 (75.0 %)  30.1 to 95.4 %  4 of 4 (100.0 %)
        right skills  2 of 4 (50.0 %)  15.0 to 85.0 %  2 of 4 (50.0 %)

        RIGHT FIELDS     OF CHOSEN STEPS
        2 of 3 (66.7 %)  3 of 5

        KIND  SENTENCES  VALID  RIGHT
        dice  4          3      2      50.0 %

        SKILL        RIGHTLY USED  PRECISION  FOUND   RECALL
        dice-roller  2 of 3        66.7 %     2 of 4  50.0 %

        TIME    P50        P90        P95        P99        MAX
        answer  1890.0 ms  5001.0 ms  5001.0 ms  5001.0 ms  5001.0 ms

        TOKENS A PLAN  P50   MEAN
        prompt         1201  1204.5
        of it reused   1100  1100.0
        sampled        20    21.5
        forced         31    33.0

        FALLBACKS  BECAUSE
        1          it made no plan in 5s

        MISS  CHOSE                              RIGHT WOULD BE           SENTENCE
        roll  lexical in its place: storyteller  dice-roller, or nothing  roll \u{1b}[2J it
        not shown: 1, `--misses 2` shows all
        ");
    }
}
