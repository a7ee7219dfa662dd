//! How probable it is that a sentence asks for the script whose texts are nearest. Pure.

use std::{collections::BTreeMap, sync::LazyLock};

use super::{script_texts::TextKind, sentence_form::SentenceForm};

/// What `make heads` learns: a line for each feature with its name, mean, deviation and weight, and one for the constant.
const NEARNESS_WEIGHTS: &str = include_str!("../data/nearness-head.tsv");
/// The same for vectors and model together.
const DECISION_WEIGHTS: &str = include_str!("../data/decision-head.tsv");

/// The comparison of a sentence with the texts of the nearest script and with plain sentences. Cosines are -1 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness {
    /// The largest cosine with any text of the script.
    pub best: f64,
    /// The mean of the three largest.
    pub best_three: f64,
    /// The largest cosine with each kind of text; [`Nearness::NO_TEXT`] if there is none.
    pub(super) kinds: [f64; TextKind::COUNT],
    /// The mean of the three largest cosines with plain sentences.
    pub plain: f64,
    /// The largest of them.
    pub plain_best: f64,
    /// How much nearer the script is than the best one of another skill.
    pub lead: f64,
    pub(super) form: SentenceForm,
    pub(super) words: usize,
}

impl Nearness {
    /// Stands for the cosine with a text that a script does not have.
    pub(super) const NO_TEXT: f64 = -0.1;

    /// The features by name, in the order of the head.
    pub fn features(&self) -> Vec<(&'static str, f64)> {
        let flag = |is: bool| f64::from(u8::from(is));
        let SentenceForm { negation, report, past, supposition, comparison, request } = self.form;
        vec![
            ("best", self.best),
            ("best-three", self.best_three),
            ("trigger-phrase", self.kinds[TextKind::TriggerPhrase as usize]),
            ("example", self.kinds[TextKind::Example as usize]),
            ("script-description", self.kinds[TextKind::ScriptDescription as usize]),
            ("skill-description", self.kinds[TextKind::SkillDescription as usize]),
            ("field-description", self.kinds[TextKind::FieldDescription as usize]),
            ("plain", self.plain),
            ("plain-best", self.plain_best),
            ("lead", self.lead),
            ("beyond-plain", self.best - self.plain),
            ("negation", flag(negation)),
            ("report", flag(report)),
            ("past", flag(past)),
            ("supposition", flag(supposition)),
            ("comparison", flag(comparison)),
            ("request", flag(request)),
            ("words", self.words.min(30) as f64 / 10.0),
        ]
    }
}

/// The features of a decision: what the vectors and a model say of it, and the form of the words.
pub fn decision_features(nearness: &Nearness, answer: f64) -> Vec<(&'static str, f64)> {
    let mut features = nearness.features();
    features.push(("model", answer));
    features
}

/// A logistic regression: the logarithm of the odds is a weighted sum of features.
#[derive(Debug, Clone, PartialEq)]
pub struct LogisticHead {
    features: BTreeMap<String, FeatureWeight>,
    constant: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct FeatureWeight {
    mean: f64,
    deviation: f64,
    weight: f64,
}

static NEARNESS: LazyLock<LogisticHead> =
    LazyLock::new(|| LogisticHead::parse(NEARNESS_WEIGHTS).expect("a test reads the weights"));
static DECISION: LazyLock<LogisticHead> =
    LazyLock::new(|| LogisticHead::parse(DECISION_WEIGHTS).expect("a test reads the weights"));

impl LogisticHead {
    /// Says by [`Nearness::features`] how probable it is that a sentence asks for a script.
    pub fn of_nearness() -> &'static LogisticHead {
        &NEARNESS
    }

    /// Says it by [`decision_features`], after a model was asked.
    pub fn of_decisions() -> &'static LogisticHead {
        &DECISION
    }

    /// Reads the lines of a head. The error names the first bad one.
    pub fn parse(text: &str) -> Result<LogisticHead, String> {
        let mut head = LogisticHead { features: BTreeMap::new(), constant: 0.0 };
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let mut cells = line.split('\t');
            let name = cells.next().unwrap_or_default();
            let numbers: Option<Vec<f64>> = cells.map(|cell| cell.parse().ok()).collect();
            match numbers.as_deref() {
                Some([constant]) if name == "constant" => head.constant = *constant,
                Some([mean, deviation, weight]) if *deviation > 0.0 => {
                    let weight =
                        FeatureWeight { mean: *mean, deviation: *deviation, weight: *weight };
                    head.features.insert(name.to_owned(), weight);
                }
                _ => return Err(format!("the line `{line}` is no weight")),
            }
        }
        Ok(head)
    }

    /// The logarithm of the odds. A feature that the head does not know counts nothing.
    pub fn log_odds(&self, features: &[(&'static str, f64)]) -> f64 {
        let weighted = features.iter().filter_map(|(name, value)| {
            let FeatureWeight { mean, deviation, weight } = self.features.get(*name)?;
            Some((value - mean) / deviation * weight)
        });
        self.constant + weighted.sum::<f64>()
    }
}

/// The probability, 0 to 1, of these log-odds.
pub(crate) fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use super::{DECISION, LogisticHead, NEARNESS, probability};

    #[test]
    fn the_weights_of_the_program_can_be_read() {
        assert!(NEARNESS.features.contains_key("best"));
        assert!(DECISION.features["model"].weight > 0.0);
    }

    #[test]
    fn a_line_that_is_no_weight_is_named() {
        let error = LogisticHead::parse("best\t0.3\t0\t1").unwrap_err();
        assert!(error.contains("best"), "{error}");
    }

    #[test]
    fn log_odds_are_a_weighted_sum_of_scaled_features() {
        let head = LogisticHead::parse("# a comment\nconstant\t0.5\nbest\t0.4\t0.2\t3\n").unwrap();
        let odds = head.log_odds(&[("best", 0.6), ("unknown", 9.0)]);
        assert!((odds - 3.5).abs() < 1e-9, "{odds}");
    }

    #[test]
    fn even_odds_are_a_half() {
        assert_eq!(probability(0.0), 0.5);
        assert!(probability(4.0) > 0.98 && probability(-4.0) < 0.02);
    }
}
