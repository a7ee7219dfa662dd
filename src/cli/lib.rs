//! The command line: arguments and environment become settings, settings become work, and the result becomes an exit
//! code. One file for each verb. Knows every crate; draws nothing itself.

mod args;
mod browser;
mod campaign;
mod check_progress;
mod clock_and_ids;
mod compile;
mod completions;
mod config;
mod config_verbs;
mod confirm;
mod doctor;
mod editor;
mod environment;
mod error;
mod eval;
mod exit;
mod files;
mod fleet;
mod hidden_line;
mod hosted;
mod hosted_play;
mod hosted_player;
mod interrupt;
mod line_source;
mod log_file;
mod log_filter;
mod log_setup;
mod man_pages;
mod mcp;
#[cfg(feature = "llama")]
mod meaning;
#[cfg(feature = "llama")]
mod model;
#[cfg(feature = "llama")]
mod model_error;
#[cfg(feature = "llama")]
mod model_record;
#[cfg(feature = "llama")]
mod model_trial;
mod package_loop;
mod path_text;
mod plan;
mod plan_settings;
mod planner;
mod player_line;
mod player_settings;
mod premise;
mod print;
mod request_prompter;
mod review;
mod run;
mod schema;
mod screen;
mod serve;
mod settings;
mod setup;
mod shorthand;
mod skill;
mod story;
mod story_order;
mod system_clock;
#[cfg(feature = "telemetry")]
mod telemetry;
mod tick;
#[cfg(feature = "llama")]
mod words_time;
mod world;

use std::ffi::OsString;

use clap::Parser;
use narratoria_engine::{TurnError, TurnErrorKind};

pub use exit::Exit;
pub(crate) use print::{print_data, print_document, print_line, print_story, print_text};

#[cfg(feature = "telemetry")]
use self::args::TelemetryArgs;
use self::{
    args::{Arguments, CliCommand},
    log_setup::{begin_log, report_log},
    run::RunEnd,
};
use narratoria_protocol::visible::visible;
use narratoria_ui::{Out, report};

/// Prints what clap has to say: help, the version, or an error, which quotes arguments that anybody may have written.
fn print_usage(error: &clap::Error) {
    let styled = error.render();
    let text = styled.to_string();
    let harmless = visible(&text);
    let look = settings::initial_look();
    match (harmless == text, error.use_stderr()) {
        // Help has its colours, and is wrapped already.
        (true, false) => {
            let _ = error.print();
        }
        (true, true) if look.colour_err => Out::stderr(look).write(&styled.ansi().to_string()),
        _ => Out::stderr(look).write(&harmless),
    }
}

/// The whole program.
pub fn main() -> Exit {
    let arguments = match Arguments::try_parse_from(command_line()) {
        Ok(arguments) => arguments,
        Err(error) => {
            // `--help` and `--version` come here too, and are no errors. It is no error either if the reader
            // of stdout has gone.
            print_usage(&error);
            return if error.use_stderr() { Exit::BadInput } else { Exit::Done };
        }
    };
    let look = settings::initial_look();
    let done = begin_log(&arguments).map_err(TurnError::from).and_then(|log| {
        let done = run(
            arguments.verb,
            arguments.log_level.as_deref(),
            #[cfg(feature = "telemetry")]
            arguments.telemetry,
        );
        if let Some(log) = log {
            report_log(&log.summary(), look);
        }
        done
    });
    done.unwrap_or_else(|error| {
        report(&mut Out::stderr(look), &error);
        error.kind.into()
    })
}

/// A process may have 1,024 files open unless it asks for more, and scripts that run at the same time may have
/// four times as many. A process that gets no more goes on with fewer.
#[cfg(unix)]
fn allow_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    const OPEN_FILES: u64 = 16_384;
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = OPEN_FILES.min(maximum.unwrap_or(OPEN_FILES));
    if current.is_some_and(|current| current < wanted)
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum })
    {
        tracing::debug!("no more than {current:?} files may be open: {error}");
    }
}

#[cfg(not(unix))]
fn allow_open_files() {}

/// Runs a command. `log_level` is the flag, for the command that shows where settings come from.
fn run(
    verb: CliCommand,
    log_level: Option<&str>,
    #[cfg(feature = "telemetry")] telemetry: TelemetryArgs,
) -> Result<Exit, TurnError> {
    if matches!(verb, CliCommand::CompileComponent) {
        return compile::compile();
    }
    if let CliCommand::EmbedCompiledSkills { program } = &verb {
        return compile::embed_compiled_skills(program);
    }
    if let CliCommand::ManPages { folder } = &verb {
        return man_pages::man_pages(folder);
    }
    #[cfg(feature = "llama")]
    if let CliCommand::TryModel { purpose, file } = &verb {
        return model_trial::try_model(purpose, file);
    }
    allow_open_files();
    #[cfg(feature = "telemetry")]
    let _telemetry = telemetry::start(&telemetry)?;
    interrupt::hear_signals()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?;
    let done = runtime.block_on(async {
        match verb {
            CliCommand::Run(args) => match run::run(args).await? {
                RunEnd::Exit(exit) => Ok(exit),
                RunEnd::Page(chosen) => serve::show_page(chosen.0, chosen.1).await,
            },
            CliCommand::Serve(args) => serve::serve(args).await,
            CliCommand::Mcp(args) => mcp::mcp(args).await,
            CliCommand::Worker(args) => fleet::worker(args).await,
            CliCommand::TenantWork => fleet::do_orders(),
            CliCommand::Tick(args) => tick::tick(args).await,
            CliCommand::Plan(args) => plan::plan(args.verb).await,
            CliCommand::Skill(args) => skill::skill(args.verb).await,
            #[cfg(feature = "llama")]
            CliCommand::Model(args) => model::model(args.verb).await,
            CliCommand::Eval(args) => eval::eval(args).await,
            CliCommand::Story(args) => story::story(args.verb).await,
            CliCommand::Campaign(args) => campaign::campaign(args.verb).await,
            CliCommand::World(args) => world::world(args.verb).await,
            CliCommand::Config(args) => config_verbs::config(args.verb, log_level),
            CliCommand::Doctor(args) => doctor::doctor(&args),
            CliCommand::Schema(args) => schema::schema(args),
            CliCommand::Completions(args) => completions::completions(&args),
            CliCommand::CompileComponent
            | CliCommand::EmbedCompiledSkills { .. }
            | CliCommand::ManPages { .. } => {
                unreachable!("they need no runtime, and ran above")
            }
            #[cfg(feature = "llama")]
            CliCommand::TryModel { .. } => unreachable!("it needs no runtime, and ran above"),
        }
    });
    // A guest that is still in its slice of time must not delay the end.
    runtime.shutdown_background();
    done
}

/// Returns the arguments as typed. `narratoria` alone is `narratoria run`.
fn command_line() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.len() == 1 {
        arguments.push("run".into());
    }
    arguments
}
