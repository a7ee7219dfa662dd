//! Learns the heads of the planner: how probable it is that a sentence asks for a script, from sentence vectors alone and with
//! the answer of a model. Writes `src/narrator/data/nearness-head.tsv` and `decision-head.tsv`.
//!
//! ```text
//! cargo bench -p narratoria-narrator-bench --bench heads -- EMBEDDING.gguf MODEL.gguf
//! ```
//!
//! It learns from `contracts/eval/practice.jsonl` and from the part of `narratoria.jsonl` that may be looked at, never from
//! a sentence that planners are measured with.

#![expect(clippy::print_stdout, reason = "a person runs it and reads what it says")]

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use narratoria_model::llm::{CONTEXT_TOKENS_MAX, EmbeddingModel, LoadOptions, Model};
use narratoria_narrator::{
    LexicalPlanner, NearScript, PlanRequest, ScriptIndex, decision_features,
    llama::{ASKED_LOG_ODDS_MIN, ask_whether_asked_for},
};
use narratoria_protocol::{Object, TextEmbedder, digest::sha256};
use narratoria_skills::{Catalog, PackageRoot, load};
use serde_json::Value;

/// Scripts of a part that are learned from, the nearest first, and of those the ones that the model is asked about.
const LEARNED_MAX: usize = 2;
const ASKED_MAX: usize = 1;

/// A feature that varies less is left out.
const DEVIATION_MIN: f64 = 1e-4;

/// How strongly large weights are punished. There are a few hundred examples and twenty weights.
const RIDGE: f64 = 3.0;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let (Some(embedding), model) = (args.next(), args.next()) else {
        println!("usage: heads EMBEDDING.gguf [MODEL.gguf]");
        return;
    };
    let practice = root.join("contracts/eval/practice");
    let catalog = load(&[narratoria_built_in::built_in(), PackageRoot::Folder(practice)]).catalog;
    let loader = {
        let embedding = PathBuf::from(embedding);
        Box::new(move || {
            let model = EmbeddingModel::load(&embedding).map_err(|error| error.to_string())?;
            Ok(Arc::new(model) as Arc<dyn TextEmbedder>)
        })
    };
    let index = ScriptIndex::new(loader, None);
    index.prepare(&catalog);
    assert!(index.wait(Duration::from_secs(600)), "there are no vectors");
    let examples = examples(&root, &catalog, &index);
    println!("{} examples, {} of them asked for", examples.len(), count(&examples));
    let nearness: Vec<Sample> = examples
        .iter()
        .map(|it| Sample { features: it.near.nearness.features(), is_asked_for: it.is_asked_for })
        .collect();
    let data = root.join("src/narrator/data");
    fs::write(data.join("nearness-head.tsv"), learn(&nearness))
        .expect("the folder of the data can be written");
    let Some(model) = model else { return };
    let options = LoadOptions {
        threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        context_tokens: CONTEXT_TOKENS_MAX,
        prefix_folder: None,
    };
    let model = Model::load(Path::new(&model), &options).expect("the model can be loaded");
    let head = narratoria_narrator::LogisticHead::parse(&learn(&nearness))
        .expect("the folder of the data can be written");
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut decisions = Vec::new();
    for Example { text, near, place, is_asked_for } in &examples {
        if *place >= ASKED_MAX || head.log_odds(&near.nearness.features()) < ASKED_LOG_ODDS_MIN {
            continue;
        }
        let deadline = Instant::now() + Duration::from_secs(600);
        let answer = runtime.block_on(ask_whether_asked_for(&model, text, near, deadline));
        let (answer, _) = answer.expect("the model answers");
        let features = decision_features(&near.nearness, answer);
        decisions.push(Sample { features, is_asked_for: *is_asked_for });
    }
    println!("{} decisions", decisions.len());
    fs::write(data.join("decision-head.tsv"), learn(&decisions))
        .expect("the folder of the data can be written");
}

/// A part of a sentence, a script near to it, and whether the sentence asks for it.
struct Example {
    text: String,
    near: NearScript,
    /// 0 for the nearest script of the part.
    place: usize,
    is_asked_for: bool,
}

struct Sample {
    features: Vec<(&'static str, f64)>,
    is_asked_for: bool,
}

fn count(examples: &[Example]) -> usize {
    examples.iter().filter(|example| example.is_asked_for).count()
}

fn examples(root: &Path, catalog: &Catalog, index: &ScriptIndex) -> Vec<Example> {
    let (state, mut planner) = (Object::new(), LexicalPlanner::with_index(index.clone()));
    let mut examples = Vec::new();
    for file in ["practice.jsonl", "narratoria.jsonl"] {
        let text = fs::read_to_string(root.join("contracts/eval").join(file))
            .expect("the dataset is there");
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let case: Value = serde_json::from_str(line).expect("a case is JSON");
            let id = case["id"].as_str().expect("a text, by the schema of cases");
            let is_held_out = sha256(id.as_bytes()).starts_with(['0', '1', '2', '3']);
            let is_odd = case.get("disabled").is_some() || case.get("repeat").is_some();
            if file == "narratoria.jsonl" && (is_held_out || is_odd) {
                continue;
            }
            let sentence = case["sentence"].as_str().expect("a text, by the schema of cases");
            let sets = case["accept"].as_array().expect("a list, by the schema of cases").iter();
            let accepted: BTreeSet<&str> = sets
                .flat_map(|set| set.as_array().expect("a list, by the schema of cases"))
                .filter_map(Value::as_str)
                .collect();
            let request = PlanRequest::first(
                sentence,
                catalog,
                &state,
                "00000000-0000-4000-8000-000000000000".to_owned(),
                Duration::from_secs(5),
            );
            let parts = planner.parts(&request);
            for part in parts.whole.into_iter().chain(parts.clauses) {
                for (place, near) in part.near.into_iter().take(LEARNED_MAX).enumerate() {
                    let is_asked_for = accepted.contains(near.skill.name.as_str());
                    let text = sentence[part.range.clone()].trim().to_owned();
                    examples.push(Example { text, near, place, is_asked_for });
                }
            }
        }
    }
    examples
}

/// The head of these samples as lines of a table.
fn learn(samples: &[Sample]) -> String {
    let names: Vec<&str> = samples[0].features.iter().map(|(name, _)| *name).collect();
    let count = samples.len() as f64;
    let column = |at: usize| samples.iter().map(move |sample| sample.features[at].1);
    let scales: Vec<(f64, f64)> = (0..names.len())
        .map(|at| {
            let mean = column(at).sum::<f64>() / count;
            let square = column(at).map(|value| (value - mean).powi(2)).sum::<f64>() / count;
            (mean, square.sqrt().max(DEVIATION_MIN / 2.0))
        })
        .collect();
    let scaled = |sample: &Sample| -> Vec<f64> {
        let values = sample.features.iter().zip(&scales);
        let values = values.map(|((_, value), (mean, deviation))| (value - mean) / deviation);
        values.chain([1.0]).collect()
    };
    let rows: Vec<(Vec<f64>, f64)> =
        samples.iter().map(|it| (scaled(it), f64::from(u8::from(it.is_asked_for)))).collect();
    let weights = newton(&rows);
    let constant = weights.len() - 1;
    let mut table = format!(
        "# Learned by `make heads` from {} samples, {} of them asked for.\n# feature, mean, deviation, weight\nconstant\t{:.5}\n",
        samples.len(),
        samples.iter().filter(|sample| sample.is_asked_for).count(),
        weights[constant]
    );
    for ((name, (mean, deviation)), weight) in names.iter().zip(&scales).zip(&weights) {
        // Nothing can be learned from what is the same everywhere.
        if *deviation < DEVIATION_MIN {
            continue;
        }
        let _ = writeln!(table, "{name}\t{mean:.5}\t{deviation:.5}\t{weight:.5}");
    }
    let right = rows.iter().filter(|(row, label)| (dot(row, &weights) > 0.0) == (*label > 0.5));
    println!("{} of {} samples are on their side", right.count(), rows.len());
    table
}

/// The weights of a logistic regression with ridge penalty, by Newton's method. The last one is the constant.
fn newton(rows: &[(Vec<f64>, f64)]) -> Vec<f64> {
    let size = rows[0].0.len();
    let mut weights = vec![0.0; size];
    for _ in 0..50 {
        let mut gradient = vec![0.0; size];
        let mut hessian = vec![vec![0.0; size]; size];
        for (row, label) in rows {
            let likely = 1.0 / (1.0 + (-dot(row, &weights)).exp());
            for (at, value) in row.iter().enumerate() {
                gradient[at] += value * (likely - label);
                for (other, second) in row.iter().enumerate() {
                    hessian[at][other] += value * second * likely * (1.0 - likely);
                }
            }
        }
        for at in 0..size {
            let ridge = if at + 1 == size { 1e-6 } else { RIDGE };
            gradient[at] += ridge * weights[at];
            hessian[at][at] += ridge;
        }
        for (weight, step) in weights.iter_mut().zip(solve(hessian, gradient)) {
            *weight -= step;
        }
    }
    weights
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Solves a system of linear equations by elimination; the matrix is positive definite.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for pivot in 0..size {
        for row in pivot + 1..size {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let pivot_row = matrix[pivot].clone();
            for (value, above) in matrix[row].iter_mut().zip(&pivot_row) {
                *value -= factor * above;
            }
            right[row] -= factor * right[pivot];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|at| matrix[row][at] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}
