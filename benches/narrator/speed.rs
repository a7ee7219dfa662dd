//! (c) The grammar's share of the time for a plan, and (d) the product's speed against llama.cpp alone: its own bench
//! tool, if `scripts/llama-bench.sh` has built it, and the same loop in this process.

use std::{error::Error, path::Path, process::Command, sync::Arc, time::Duration};

use narratoria_model::llm::{
    Chat, ChatMessage, ChatRole, GenerateJob, GenerateUsage, Grammar, MessagePart, Model,
    PrefixLifetime, Sampling,
};
use narratoria_narrator::llama::PLAN_TOKENS_MAX;

use crate::{Setup, median, ms, plans::orders, raw::Raw};

/// Tokens that are written to measure speed; llama.cpp's tool has the same default.
const TOKENS: usize = 128;

/// Tokens that were read before: a planner's prompt is as long.
const DEPTH: usize = 1024;

/// Measures and prints.
pub(crate) fn measure(setup: &Setup) -> Result<(), Box<dyn Error>> {
    let model = setup.load(None)?;
    constraint(setup, &model)?;
    let mut raw = Raw::load(&setup.path, i32::try_from(setup.threads)?)?;
    let mut all: [Vec<f64>; 5] = Default::default();
    let speed = |usage: GenerateUsage| usage.sampled as f64 / usage.decode.as_secs_f64();
    let chat = long_chat(&model);
    for run in 0..=setup.runs {
        let job = setup.job(chat.clone(), None, TOKENS);
        let of_run = [
            Some(speed(write(setup, &model, job.clone())?)),
            Some(speed(write(setup, &model, by_chance(job, run))?)),
            Some(raw.decode_speed(DEPTH, TOKENS)?),
            tool(setup, &["-fa", "0"])?,
            tool(setup, &[])?,
        ];
        // The first warms caches.
        if run > 0 {
            all.iter_mut().zip(of_run).for_each(|(all, one)| all.extend(one));
        }
    }
    let [likeliest, chance, alone, tool, plain] = all;
    let (likeliest, chance, alone) = (median(likeliest), median(chance), median(alone));
    println!("\n(d) decoding {TOKENS} tokens after {DEPTH}, tokens a second, medians");
    println!("    the likeliest token {likeliest:.1}, by chance {chance:.1}");
    println!("    the tool's loop in this process {alone:.1}: {:.3}", likeliest / alone);
    if tool.is_empty() {
        println!("    llama-bench is not built: scripts/llama-bench.sh");
    } else {
        let (tool, plain) = (median(tool), median(plain));
        println!("    llama-bench {tool:.1}: {:.3} (aim: at least 0.97)", likeliest / tool);
        println!("    llama-bench with flash attention {plain:.1}: {:.3}", likeliest / plain);
    }
    Ok(())
}

/// About so many tokens before the text.
fn long_chat(model: &Model) -> Chat {
    let mut text = String::new();
    while model.count(&text) < DEPTH {
        text.push_str("The ferry comes late, and the rain falls on Tarn again. ");
    }
    let part = MessagePart { text, lifetime: PrefixLifetime::Session };
    let end = MessagePart { text: "Tell me more.".to_owned(), lifetime: PrefixLifetime::Job };
    Chat { messages: vec![ChatMessage { role: ChatRole::User, parts: vec![part, end] }] }
}

fn constraint(setup: &Setup, model: &Model) -> Result<(), Box<dyn Error>> {
    let grammar = Grammar { schema: Arc::new(setup.tool_set().plan_schema()) };
    let (mut shares, mut per_token, mut longest) = (Vec::new(), Vec::new(), Duration::ZERO);
    for run in 0..setup.runs {
        for order in orders() {
            let chat = setup.planner_chat(model, order.sentence);
            let job = by_chance(setup.job(chat, Some(&grammar), PLAN_TOKENS_MAX), run);
            let usage = write(setup, model, job)?;
            if usage.sampled == 0 {
                continue;
            }
            shares.push(usage.constraint.as_secs_f64() / usage.decode.as_secs_f64());
            per_token.push(ms(usage.constraint) * 1e3 / usage.sampled as f64);
            longest = longest.max(usage.constraint);
        }
    }
    println!("\n(c) the grammar in {} plans as the model likes them, medians", shares.len());
    println!(
        "    {:.1} us a token, {:.2} % of decoding (aim: at most 2), at most {:.2} ms a plan",
        median(per_token),
        100.0 * median(shares),
        ms(longest)
    );
    Ok(())
}

fn write(setup: &Setup, model: &Model, job: GenerateJob) -> Result<GenerateUsage, Box<dyn Error>> {
    Ok(setup.runtime.block_on(model.generate(job, Box::new(|_| {})))?.usage)
}

/// Another text each time.
fn by_chance(job: GenerateJob, run: usize) -> GenerateJob {
    GenerateJob { sampling: Sampling::Random { temperature: 0.7, seed: run as u64 }, ..job }
}

/// Tokens a second in the words of llama.cpp's own tool.
fn tool(setup: &Setup, more: &[&str]) -> Result<Option<f64>, Box<dyn Error>> {
    let program =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("target/llama-bench/llama-bench");
    if !program.is_file() {
        return Ok(None);
    }
    let (depth, tokens) = (DEPTH.to_string(), TOKENS.to_string());
    let threads = setup.threads.to_string();
    let path = setup.path.to_string_lossy();
    let output = Command::new(program)
        .args(["-m", &*path, "-d", &depth, "-p", "0", "-n", &tokens, "-t", &threads])
        .args(["-r", "1", "-o", "json"])
        .args(more)
        .output()?;
    let measured: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    Ok(measured[0]["avg_ts"].as_f64())
}
