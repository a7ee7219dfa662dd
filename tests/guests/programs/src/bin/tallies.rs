//! Counts its runs in its skill's store, adds `input.id` to a list there, computes for `input.work` rounds with a
//! deterministic result, and writes all of it in a patch.

use std::{hint::black_box, process::ExitCode};

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Entry {
    id: String,
    #[serde(default)]
    work: u64,
}

fn tally(ctx: &mut Ctx, input: Entry) -> Result<Done<Value>, SkillError> {
    let mut store = ctx.store();
    let count = store.get::<u64>("count")?.unwrap_or(0) + 1;
    store.set("count", count)?;
    let mut list = store.get::<Vec<String>>("list")?.unwrap_or_default();
    list.push(input.id.clone());
    store.set("list", &list)?;
    // Odd numbers multiplied: each round needs the one before it.
    let end = (0..input.work).fold(1_u32, |end, round| {
        black_box(end.wrapping_mul(2_654_435_761).wrapping_add((round as u32) << 1))
    });
    ctx.patch(json!({ "tallies": { input.id: { "count": count, "end": end } } }));
    Ok(Done::ok().output(json!({ "count": count, "end": end, "list": list })))
}

fn main() -> ExitCode {
    narratoria_sdk::run(tally)
}
