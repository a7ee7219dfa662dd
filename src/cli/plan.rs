//! `narratoria plan …`: one file for each verb.

mod check;
mod diff;
mod export;
mod list;
mod new;
mod outcome;
mod resume;
mod run;
mod run_record;
mod show;
mod templates;
mod terminal;

use narratoria_engine::TurnError;

use super::{args::PlanCommand, exit::Exit};

pub(super) async fn plan(verb: PlanCommand) -> Result<Exit, TurnError> {
    match verb {
        PlanCommand::New(args) => new::new(args).await,
        PlanCommand::Check(args) => check::check(args),
        PlanCommand::Run(args) => run::run(args).await,
        PlanCommand::List(args) => list::list(args),
        PlanCommand::Show(args) => show::show(args),
        PlanCommand::Diff(args) => diff::diff(args),
        PlanCommand::Export(args) => export::export(args),
        PlanCommand::Resume(args) => resume::resume(args).await,
        PlanCommand::SaveTemplate(args) => templates::save(args),
        PlanCommand::Templates(args) => templates::list(args),
    }
}
