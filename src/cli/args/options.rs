//! Options that several commands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::plan_settings::PlanSettings;
#[cfg(feature = "llama")]
use crate::words_time::WORDS_MS_MAX;

#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    /// Folder with skill packages. They come before the built-in ones; of two with one name the first wins
    /// [repeatable]
    #[arg(long, value_name = "DIR")]
    pub(crate) skills: Vec<PathBuf>,
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct PlannerArgs {
    #[arg(long, help = PLANNER_HELP, value_name = "PLANNER", default_value = "auto", value_parser = PlannerChoice::parse)]
    pub(crate) planner: PlannerChoice,
    #[cfg(feature = "llama")]
    #[command(flatten)]
    pub(crate) model: ModelChoice,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
}

impl PlannerArgs {
    /// True if the player asks to play offline.
    pub(crate) fn is_offline(&self) -> bool {
        #[cfg(feature = "llama")]
        return self.model.offline.offline;
        #[cfg(not(feature = "llama"))]
        false
    }

    /// The planner that needs no model.
    pub(crate) fn lexical(seed: SeedArgs) -> PlannerArgs {
        PlannerArgs {
            planner: PlannerChoice::Lexical,
            #[cfg(feature = "llama")]
            model: ModelChoice::default(),
            seed,
        }
    }
}

/// The model, and whether it may be fetched.
#[cfg(feature = "llama")]
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ModelChoice {
    /// Which model: `owner/repo/file.gguf`, the short name of a known one, a path, or `http://HOST:PORT/NAME` for one
    /// on a server [default: the one of `config.toml`, else phi-3.5-mini]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) offline: OfflineArgs,
}

/// How long a model may write before a story begins.
#[cfg(feature = "llama")]
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct WordsArgs {
    /// Time for the words of a model before a new story begins, where its world is made from a premise or its campaign
    /// lacks something; 0: none [default: 8000, and 0 with `--seed`; also: `words-ms` in `[model]` of config.toml,
    /// NARRATORIA_WORDS_MS]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=WORDS_MS_MAX))]
    pub(crate) words_ms: Option<u64>,
}

/// Where traces and metrics of turns go. Without an address nothing is collected.
#[cfg(feature = "telemetry")]
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TelemetryArgs {
    /// Send traces and metrics of turns to this collector of OpenTelemetry, such as `http://127.0.0.1:4318`; no text of a
    /// story is in them [also: NARRATORIA_TELEMETRY]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) telemetry: Option<String>,
    /// Put the player's sentences and the messages of scripts into the traces
    #[arg(long, global = true)]
    pub(crate) telemetry_texts: bool,
}

/// Permission to fetch.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct OfflineArgs {
    /// Fetch nothing from anywhere [also: NARRATORIA_OFFLINE]
    #[arg(long)]
    pub(crate) offline: bool,
}

/// How a plan gets its approvals, and the settings of its turn.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct InteractionArgs {
    /// Look at each plan before it runs: change, skip, add or remove steps, ask for another
    #[arg(long)]
    pub(crate) review: bool,
    /// Approve every step that asks for it; otherwise a terminal asks the player, and a pipe approves none
    #[arg(long)]
    pub(crate) yes: bool,
    /// Print every line that skills write into their log; otherwise only warnings and errors are printed
    #[arg(long)]
    pub(crate) logs: bool,
    #[command(flatten)]
    pub(crate) settings: PlanSettings,
}

#[derive(Debug, Args)]
pub(crate) struct SeedArgs {
    /// Seed of all chance; one seed tells one story, to the byte [default: drawn]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

#[cfg(feature = "llama")]
const PLANNERS: &str = "`auto`, `llama`, `lexical` or `scripted:FILE`";
#[cfg(not(feature = "llama"))]
const PLANNERS: &str = "`auto`, `lexical` or `scripted:FILE`";

#[cfg(feature = "llama")]
const PLANNER_HELP: &str =
    "The planner: `auto`, `llama`, `lexical` or `scripted:FILE` with prepared plans";
#[cfg(not(feature = "llama"))]
const PLANNER_HELP: &str = "The planner: `auto`, `lexical` or `scripted:FILE` with prepared plans";

/// Format of stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Plain,
    /// For programs
    Json,
}

/// The planner to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlannerChoice {
    /// The best that is there.
    Auto,
    /// A language model.
    #[cfg(feature = "llama")]
    Llama,
    /// Without a model.
    Lexical,
    /// Prepared plans from a file.
    Scripted(PathBuf),
}

impl PlannerChoice {
    pub(super) fn parse(text: &str) -> Result<PlannerChoice, String> {
        match text.split_once(':') {
            None if text == "auto" => Ok(PlannerChoice::Auto),
            #[cfg(feature = "llama")]
            None if text == "llama" => Ok(PlannerChoice::Llama),
            None if text == "lexical" => Ok(PlannerChoice::Lexical),
            Some(("scripted", file)) if !file.is_empty() => {
                Ok(PlannerChoice::Scripted(file.into()))
            }
            _ => Err(format!("it must be {PLANNERS}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PlannerChoice;

    #[test]
    fn a_planner_is_one_of_three() {
        assert_eq!(PlannerChoice::parse("auto"), Ok(PlannerChoice::Auto));
        assert_eq!(
            PlannerChoice::parse("scripted:a:b.json"),
            Ok(PlannerChoice::Scripted("a:b.json".into()))
        );
        for wrong in ["", "Lexical", "scripted", "scripted:", "llama:x"] {
            assert!(PlannerChoice::parse(wrong).is_err(), "{wrong}");
        }
    }
}
