//! The arguments of `narratoria tick`.

use clap::Args;

use super::options::{CommonArgs, InteractionArgs, PlannerArgs};

#[derive(Debug, Args)]
// A tick has no review and shows no log; the flags stay arguments so that their errors can name the way out.
#[command(mut_arg("review", |flag| flag.hide(true)), mut_arg("logs", |flag| flag.hide(true)))]
pub(crate) struct TickArgs {
    /// Name of the story; a new one begins if there is none of that name
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) story: String,
    /// How many ticks
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=COUNT_MAX))]
    pub(crate) count: u64,
    /// Show the plan of the next tick and change nothing at all
    #[arg(long, conflicts_with_all = ["count", "skip"])]
    pub(crate) dry_run: bool,
    /// Run the plan of `errors/error_N.json` again, as it stands there now; N is the next tick
    #[arg(long, value_name = "N", conflicts_with_all = ["count", "skip"])]
    pub(crate) retry: Option<u64>,
    /// Leave out tick N, which is the next one: the counter advances without a scene
    #[arg(long, value_name = "N", conflicts_with = "count")]
    pub(crate) skip: Option<u64>,
    /// List the ticks that failed, with their error files; nothing runs
    #[arg(long, conflicts_with_all = ["count", "dry_run", "retry", "skip", "pov"])]
    pub(crate) errors: bool,
    /// Tell the scene from the point of view of the character with this id, such as `C1`
    #[arg(long, value_name = "ID", conflicts_with = "skip")]
    pub(crate) pov: Option<String>,
    #[command(flatten)]
    pub(crate) people: InteractionArgs,
    #[command(flatten)]
    pub(crate) planner: PlannerArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Most ticks of one command: as many as a story keeps.
const COUNT_MAX: u64 = 10_000;
