//! `narratoria skill …`: one file for each verb.

mod build;
mod check;
mod config;
mod inspect;
mod install;
mod list;
mod named;
mod new;
mod pack;
mod packages;
mod record;
mod remove;
mod run;
mod test;

use narratoria::{engine::TurnError, sandbox::Usage};
use serde_json::{Value, json};

use super::{args::SkillVerb, exit::Exit};

pub(super) async fn skill(verb: SkillVerb) -> Result<Exit, TurnError> {
    match verb {
        SkillVerb::List(args) => list::list(args),
        SkillVerb::Run(args) => run::run(args).await,
        SkillVerb::New(args) => new::new(args).await,
        SkillVerb::Build(args) => build::build(args).await,
        SkillVerb::Test(args) => test::test(args).await,
        SkillVerb::Check(args) => check::check(args).await,
        SkillVerb::Inspect(args) => inspect::inspect(args).await,
        SkillVerb::Config(args) => config::config(args).await,
        SkillVerb::Pack(args) => pack::pack(args),
        SkillVerb::Install(args) => install::install(args),
        SkillVerb::Remove(args) => remove::remove(args),
    }
}

/// What a run took, for programs. The time to a thousandth of a millisecond.
fn usage_document(usage: &Usage) -> Value {
    let Usage { fuel, memory_bytes_peak, stdout_bytes, elapsed } = usage;
    json!({
        "fuelConsumed": fuel,
        "peakMemoryBytes": memory_bytes_peak,
        "stdoutBytes": stdout_bytes,
        "executionTimeMs": elapsed.as_micros() as f64 / 1e3,
    })
}
