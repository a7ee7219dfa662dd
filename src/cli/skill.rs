//! `narratoria skill …`: one file for each verb.

mod build;
mod build_consent;
mod build_tools;
mod check;
mod config;
mod consent;
mod dev;
mod dev_bench;
mod find_package;
mod index;
mod index_signer;
mod inspect;
mod install;
mod install_error;
mod list;
mod named_archive;
mod new;
mod outdated;
mod pack;
mod packages;
mod packed_archive;
mod push;
mod record;
mod remote;
mod remove;
mod remove_script;
mod run;
mod run_folder;
mod script_printer;
mod signed_archive;
mod signing_key;
mod test;
mod test_report;
mod unbuilt;
mod usage;

use narratoria_engine::TurnError;

use super::{args::SkillCommand, exit::Exit};

pub(super) use build_tools::build_tools as skill_build_tools;
pub(super) use list::skills_document;
pub(super) use packages::{built_in_skills, check_campaigns, scratch_folder};

pub(super) async fn skill(verb: SkillCommand) -> Result<Exit, TurnError> {
    match verb {
        SkillCommand::List(args) => list::list(args),
        SkillCommand::Run(args) => run::run(args).await,
        SkillCommand::New(args) => new::new(args).await,
        SkillCommand::AddScript(args) => new::add(args).await,
        SkillCommand::RemoveScript(args) => remove_script::remove_script(args),
        SkillCommand::Dev(args) => dev::dev(args).await,
        SkillCommand::Build(args) => build::build(args).await,
        SkillCommand::Test(args) => test::test(args).await,
        SkillCommand::Check(args) => check::check(args).await,
        SkillCommand::Inspect(args) => inspect::inspect(args).await,
        SkillCommand::Config(args) => config::config(args).await,
        SkillCommand::Pack(args) => pack::pack(args).await,
        SkillCommand::Key(args) => signing_key::key(args.verb),
        SkillCommand::Push(args) => push::push(args),
        SkillCommand::Index(args) => index::index(args),
        SkillCommand::Install(args) => install::install(args),
        SkillCommand::Remove(args) => remove::remove(args),
        SkillCommand::Outdated(args) => outdated::outdated(args),
    }
}
