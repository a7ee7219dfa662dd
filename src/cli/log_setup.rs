//! Opens the log at the start of the program and reports at its end what it holds. The flag overrides the variable, the
//! variable the configuration.

use std::sync::Arc;

use tracing_subscriber::EnvFilter;

use super::{
    args::{Arguments, CliCommand},
    config, environment,
    error::CliError,
    log_file::{LogFile, LogSummary, LogWriter},
    log_filter::{LOG_FILTER_DEFAULT, parse_log_filter},
    settings::{self, Home},
};
use narratoria_ui::{Look, Out, Tone, note, open_log, streams};

/// The variable that sets how much is logged.
pub(super) const LOG_VARIABLE: &str = "NARRATORIA_LOG";

/// The filter, and whether a flag or a variable asked for it.
struct ChosenLogFilter {
    filter: EnvFilter,
    is_explicit: bool,
}

/// Opens the log. A terminal gets none of its lines; another stderr gets those that a flag or a variable asks for.
pub(super) fn begin_log(arguments: &Arguments) -> Result<Option<Arc<LogFile>>, CliError> {
    let home = settings::initial_home();
    let ChosenLogFilter { filter, is_explicit } =
        log_filter(arguments.log_level.clone(), home.as_ref())?;
    // The process that compiles a component reports to its parent, and may write no file.
    let is_child = matches!(arguments.verb, CliCommand::CompileComponent);
    // `doctor` changes nothing.
    let writes_file = !is_child && !matches!(arguments.verb, CliCommand::Doctor(_));
    let log = home.filter(|_| writes_file).map(|home| Arc::new(LogFile::new(home.logs())));
    let to_stderr = is_child || (is_explicit && !streams().stderr);
    open_log(filter, log.clone().map(LogWriter), to_stderr);
    Ok(log)
}

/// Reports in one sentence that the log has something to read.
pub(super) fn report_log(log: &LogSummary, look: Look) {
    let LogSummary { path, warnings, has_failed } = log;
    let path = path.display();
    let text = match (*warnings, *has_failed) {
        (0, _) => return,
        (_, true) => format!("the log `{path}` cannot be written"),
        (1, false) => format!("the log has a warning of this run: `{path}`"),
        (several, false) => format!("the log has {several} warnings of this run: `{path}`"),
    };
    note(&mut Out::stderr(look), Tone::Notice, "note", &text);
}

/// Returns the filter of this process.
fn log_filter(flag: Option<String>, home: Option<&Home>) -> Result<ChosenLogFilter, CliError> {
    let variable = environment::variable(LOG_VARIABLE).filter(|value| !value.is_empty());
    let explicit = flag.map(|value| ("--log-level", value));
    if let Some((name, value)) = explicit.or(variable.map(|value| (LOG_VARIABLE, value))) {
        return match parse_log_filter(&value) {
            Ok(filter) => Ok(ChosenLogFilter { filter, is_explicit: true }),
            Err(why) => Err(CliError::BadFilter { name, value, why }),
        };
    }
    let kept = home.and_then(config::log_level);
    let filter = EnvFilter::new(kept.as_deref().unwrap_or(LOG_FILTER_DEFAULT));
    Ok(ChosenLogFilter { filter, is_explicit: false })
}
