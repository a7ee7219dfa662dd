//! (a) The same plans written in every way: naively, and as compact plans with and without batches of forced tokens. The
//! model reads every token, but the bench decides which token comes next. Then plans of the model's own choice, by the
//! product and by the naive way.

use std::{error::Error, sync::Arc};

use narratoria_model::llm::{Chat, Grammar, PrefixLifetime};
use narratoria_narrator::llama::PLAN_TOKENS_MAX;

use crate::{
    Setup,
    gbnf::{Extent, plan_grammar},
    ms,
    plans::{Order, orders},
    raw::{Cost, Raw},
};

/// Measures and prints.
pub(crate) fn measure(setup: &Setup) -> Result<(), Box<dyn Error>> {
    let mut raw = Raw::load(&setup.path, i32::try_from(setup.threads)?)?;
    let orders = orders();
    let chats: Vec<Chat> = orders
        .iter()
        .map(|order| setup.chat(order.sentence, &|text| raw.tokens(text).len(), PROMPT_TOKENS_MAX))
        .collect();
    let prefix = raw.tokens(&text(&chats[0], |keep| keep > PrefixLifetime::Job));
    raw.read(&prefix, 0)?;
    println!(
        "\n(a) {} plans to order, {} tokens of prompt read before, means",
        orders.len(),
        prefix.len()
    );
    let tool_set = setup.tool_set();
    let naive = |extent| Way::Naive { extent, grammar: plan_grammar(&setup.catalog, extent) };
    let compact = |is_batched| Way::Compact { is_batched, schema: tool_set.plan_schema() };
    let ways = [
        ("whole Plan JSON, naive", naive(Extent::Whole)),
        ("without ids and defaults, naive", naive(Extent::Lean)),
        ("compact", compact(false)),
        ("compact, forced in batches", compact(true)),
    ];
    let mut sums = vec![Cost::default(); ways.len()];
    let runs = setup.runs.min(RUNS_MAX);
    for _ in 0..runs {
        for (order, chat) in orders.iter().zip(&chats) {
            let turn = text(chat, |keep| keep == PrefixLifetime::Job);
            // The ways alternate, so that a slow moment hits all of them.
            for ((_, way), sum) in ways.iter().zip(&mut sums) {
                sum.add(way.write(&mut raw, prefix.len(), &turn, order, setup)?);
            }
        }
    }
    let count = (orders.len() * runs) as f64;
    for ((name, _), sum) in ways.iter().zip(&sums) {
        print(name, *sum, count);
    }
    let ours = &sums[sums.len() - 1];
    for (at, aim) in [(0, " (aims: 6 and 5)"), (1, "")] {
        let fewer = sums[at].sampled as f64 / ours.sampled as f64;
        let faster = sums[at].wall.as_secs_f64() / ours.wall.as_secs_f64();
        let (other, our) = (ways[at].0, ways[ways.len() - 1].0);
        println!("    {other} / {our}: sampled {fewer:.1}, time {faster:.1}{aim}");
    }
    as_the_model_likes(setup, &mut raw, &orders)
}

/// Plans of the model's own choice. Random weights write long texts, which only the grammar ends.
fn as_the_model_likes(
    setup: &Setup,
    raw: &mut Raw,
    orders: &[Order],
) -> Result<(), Box<dyn Error>> {
    let model = setup.load(None)?;
    let grammar = Grammar { schema: Arc::new(setup.tool_set().plan_schema()) };
    let naive_grammar = plan_grammar(&setup.catalog, Extent::Whole);
    let (mut ours, mut naive, mut ended) = (Cost::default(), Cost::default(), 0);
    let some = &orders[..orders.len().min(LIKED)];
    for order in some {
        let chat = setup.planner_chat(&model, order.sentence);
        let prompt = raw.tokens(&text(&chat, |_| true));
        let job = setup.job(chat, Some(&grammar), PLAN_TOKENS_MAX);
        let usage = setup.runtime.block_on(model.generate(job, Box::new(|_| {})))?.usage;
        ours.add(Cost {
            sampled: usage.sampled,
            forced: usage.forced,
            wall: usage.decode,
            constraint: usage.constraint,
        });
        raw.read(&prompt, 0)?;
        let (plan, cost) = raw.naive(&naive_grammar, prompt.len(), None)?;
        ended += usize::from(serde_json::from_str::<serde_json::Value>(&plan).is_ok());
        naive.add(cost);
    }
    println!(
        "\n    {LIKED} plans as the model likes them, naively {ended} of them came to their end"
    );
    let count = some.len() as f64;
    print("whole Plan JSON, naive", naive, count);
    print("ours", ours, count);
    Ok(())
}

fn print(name: &str, sum: Cost, count: f64) {
    println!(
        "{name:>35}: sampled {:>6.1}, forced {:>5.1}, {:>7.1} ms, of them grammar {:>6.1} ms",
        sum.sampled as f64 / count,
        sum.forced as f64 / count,
        ms(sum.wall) / count,
        ms(sum.constraint) / count
    );
}

/// Each takes a minute or two.
const RUNS_MAX: usize = 2;

/// Plans as the model likes them; each takes the naive way many seconds.
const LIKED: usize = 4;

/// The tokens of the product's plan lane, less those for the plan itself.
const PROMPT_TOKENS_MAX: usize = 3072 - PLAN_TOKENS_MAX;

/// Joins the parts of a prompt with these lifetimes.
fn text(chat: &Chat, stays: impl Fn(PrefixLifetime) -> bool) -> String {
    let parts = chat.messages.iter().flat_map(|message| &message.parts);
    parts.filter(|part| stays(part.lifetime)).map(|part| part.text.as_str()).collect()
}

enum Way {
    Naive { extent: Extent, grammar: String },
    Compact { is_batched: bool, schema: serde_json::Value },
}

impl Way {
    /// Reads this turn's part of the prompt, which is not measured, and writes the plan.
    fn write(
        &self,
        raw: &mut Raw,
        prefix: usize,
        turn: &str,
        order: &Order,
        setup: &Setup,
    ) -> Result<Cost, Box<dyn Error>> {
        let turn = raw.tokens(turn);
        raw.read(&turn, prefix)?;
        let from = prefix + turn.len();
        match self {
            Way::Naive { extent, grammar } => {
                let target = order.naive(&setup.catalog, *extent);
                let (text, cost) = raw.naive(grammar, from, Some(&target))?;
                if text == target {
                    Ok(cost)
                } else {
                    Err(format!("{text} is not {target}").into())
                }
            }
            Way::Compact { is_batched, schema } => {
                let target = order.compact(&setup.catalog);
                raw.constrained(schema, from, &target, *is_batched)
            }
        }
    }
}
