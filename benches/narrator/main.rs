//! The cost of planning with a language model, as ratios measured in the same run.
//!
//! `make bench` makes a model of 220 million random weights with the dimensions and the kind of vocabulary of Phi-3.5
//! (once, in `target/models`) and measures: (a) a compact plan against the naive way, which is the whole Plan JSON under
//! llama.cpp's own grammar, token by token; (b) the first token of a plan with the prompt read before, in memory or in a
//! file, against a cold start; (c) the grammar's share of the time for a token; (d) decoding against llama.cpp's own
//! bench tool; (e) how soon a model stops on request.
//!
//! `-- --smoke` does everything once with the smallest model, to check that it works; its figures mean nothing.
//! `-- --model` only makes the model. `--threads N` suits a busy machine, `--runs N` repeats each measurement, and
//! `--only ways`, `first`, `speed` or `stop` selects one.

#![expect(clippy::print_stdout, reason = "what it measures goes to stdout")]
#![expect(unsafe_code, reason = "the naive way calls llama.cpp itself")]

mod first;
mod gbnf;
mod model;
mod plans;
mod raw;
mod speed;
mod stop;
mod ways;

use std::{
    error::Error,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use narratoria_model::llm::{
    CONTEXT_TOKENS_MAX, Chat, GenerateJob, Grammar, Lane, LoadOptions, Model, Sampling,
};
use narratoria_narrator::{
    PlanRequest, RecentTurn,
    llama::{PLAN_TOKENS_MAX, ToolSet, prompt},
};
use narratoria_skills::{self as skills, Catalog};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Shared by all parts.
pub(crate) struct Setup {
    pub(crate) path: PathBuf,
    pub(crate) threads: usize,
    pub(crate) catalog: Catalog,
    /// How often each part measures.
    pub(crate) runs: usize,
    /// Deleted at the end.
    pub(crate) folder: tempfile::TempDir,
    pub(crate) runtime: tokio::runtime::Runtime,
}

fn main() -> Result<(), Box<dyn Error>> {
    let has = |name: &str| std::env::args().any(|argument| argument == name);
    // `cargo test --benches` asks for neither, and must be quick.
    let is_smoke = has("--smoke") || !has("--bench");
    let folder = tempfile::tempdir()?;
    let path = if is_smoke {
        let path = folder.path().join("tiny.gguf");
        narratoria_models::tiny(&path, 1)?;
        path
    } else {
        model::bench_model()?
    };
    if has("--model") {
        println!("{}", path.display());
        return Ok(());
    }
    let number = |name: &str| {
        let value = std::env::args().skip_while(|argument| argument != name).nth(1);
        value.map(|value| value.parse::<NonZeroUsize>()).transpose()
    };
    // The smallest model would only wait for its second thread.
    let cores = std::thread::available_parallelism()?;
    let (threads, runs) = if is_smoke { (1, 1) } else { (cores.get(), 5) };
    let setup = Setup {
        path,
        threads: number("--threads")?.map_or(threads, NonZeroUsize::get),
        catalog: skills::load(&[narratoria_built_in::built_in()]).catalog,
        runs: number("--runs")?.map_or(runs, NonZeroUsize::get),
        folder,
        runtime: tokio::runtime::Builder::new_current_thread().enable_all().build()?,
    };
    println!("narrator: {}, {} threads", setup.path.display(), setup.threads);
    let only = std::env::args().skip_while(|argument| argument != "--only").nth(1);
    let parts: [(&str, NarratorPart); 4] = [
        ("ways", ways::measure),
        ("first", first::measure),
        ("speed", speed::measure),
        ("stop", stop::measure),
    ];
    for (name, measure) in parts {
        if only.as_ref().is_none_or(|only| only == name) {
            measure(&setup)?;
        }
    }
    Ok(())
}

/// Measures something and prints it.
type NarratorPart = fn(&Setup) -> Result<(), Box<dyn Error>>;

impl Setup {
    /// The product's model.
    pub(crate) fn load(&self, prefix_folder: Option<&Path>) -> Result<Model, Box<dyn Error>> {
        let options = LoadOptions {
            threads: NonZeroUsize::new(self.threads).expect("it was one"),
            context_tokens: CONTEXT_TOKENS_MAX,
            prefix_folder: prefix_folder.map(Path::to_owned),
        };
        Ok(Model::load(&self.path, &options)?)
    }

    /// The tools of the built-in skills.
    pub(crate) fn tool_set(&self) -> ToolSet {
        ToolSet::from_catalog(&self.catalog, &[], &|_| Ok(()))
    }

    /// The planner's prompt, as in the product.
    pub(crate) fn chat(
        &self,
        sentence: &str,
        count: &dyn Fn(&str) -> usize,
        tokens_max: usize,
    ) -> Chat {
        let recent = [RecentTurn {
            prompt: "I go down to the harbour".to_owned(),
            narration: "You come to the harbour of Tarn at dusk. The ferry is late.".to_owned(),
        }];
        let state =
            json!({"story": {"mood": "calm", "focus": "the ferry", "scene": "the harbour"}});
        let request = PlanRequest {
            recent_turns: &recent,
            seed: 7,
            ..PlanRequest::first(
                sentence,
                &self.catalog,
                state.as_object().expect("it is an object"),
                String::new(),
                Duration::from_secs(60),
            )
        };
        prompt(&request, &self.tool_set(), count, tokens_max).chat
    }

    /// A job for the product's model, without a deadline that matters.
    pub(crate) fn job(
        &self,
        chat: Chat,
        grammar: Option<&Grammar>,
        tokens_max: usize,
    ) -> GenerateJob {
        GenerateJob {
            client: "planner".to_owned(),
            lane: Lane::Plan,
            chat,
            grammar: grammar.cloned(),
            tokens_max,
            sampling: Sampling::Greedy,
            deadline: Instant::now() + Duration::from_secs(60),
            cancel: CancellationToken::new(),
        }
    }

    /// The planner's prompt with the product's limits.
    pub(crate) fn planner_chat(&self, model: &Model, sentence: &str) -> Chat {
        let room = model.lane_tokens(Lane::Plan).saturating_sub(PLAN_TOKENS_MAX);
        self.chat(sentence, &|text| model.count(text), room)
    }
}

pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

pub(crate) fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
