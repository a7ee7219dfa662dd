//! (b) From the player's sentence to the first token of a plan: with nothing read before, with the prompt in
//! memory, and in a fresh process with the prompt's file.

use std::{
    error::Error,
    path::Path,
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use narratoria_model::llm::{Grammar, Model};
use narratoria_narrator::llama::PLAN_TOKENS_MAX;

use crate::{Setup, median, ms};

/// Measures and prints.
pub(crate) fn measure(setup: &Setup) -> Result<(), Box<dyn Error>> {
    let grammar = Grammar { schema: Arc::new(setup.tool_set().plan_schema()) };
    let (mut cold, mut warm, mut restored) = (Vec::new(), Vec::new(), Vec::new());
    let mut prompt = 0;
    for run in 0..setup.runs {
        let folder = setup.folder.path().join(format!("prefixes-{run}"));
        let model = setup.load(Some(&folder))?;
        let (first, tokens) = time(setup, &model, &grammar, "I look around")?;
        prompt = tokens;
        cold.push(first);
        for sentence in ["I open the door", "I talk to the ferryman"] {
            warm.push(time(setup, &model, &grammar, sentence)?.0);
        }
        // It is written when the model has nothing else to do.
        wait_for_file(&folder)?;
        drop(model);
        let model = setup.load(Some(&folder))?;
        restored.push(time(setup, &model, &grammar, "I climb the wall")?.0);
    }
    let (cold, warm, restored) = (median(cold), median(warm), median(restored));
    println!("\n(b) first token of a plan, prompt of {prompt} tokens, medians");
    println!("    cold {cold:.1} ms, in memory {warm:.1} ms, from a file {restored:.1} ms");
    println!(
        "    in memory / cold {:.1} % (aim: at most 5), from a file / cold {:.1} % (aim: at most 8)",
        100.0 * warm / cold,
        100.0 * restored / cold
    );
    Ok(())
}

/// Milliseconds until the first piece of the plan is there, and tokens of the prompt.
fn time(
    setup: &Setup,
    model: &Model,
    grammar: &Grammar,
    sentence: &str,
) -> Result<(f64, usize), Box<dyn Error>> {
    let (sender, receiver) = mpsc::channel();
    let started = Instant::now();
    let chat = setup.planner_chat(model, sentence);
    let job = setup.job(chat, Some(grammar), PLAN_TOKENS_MAX);
    let on_text = Box::new(move |_: &str| {
        // Only the first is looked at.
        let _ = sender.send(Instant::now());
    });
    let written = setup.runtime.block_on(model.generate(job, on_text))?;
    Ok((ms(receiver.try_recv()? - started), written.usage.prompt))
}

fn wait_for_file(folder: &Path) -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(20) {
        let is_there = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .any(|entry| entry.path().extension().is_some_and(|ending| ending == "prefix"));
        if is_there {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err("the prompt was not kept in a file".into())
}
