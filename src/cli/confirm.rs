//! Asks a person to agree before a change. A terminal asks; a pipe needs `--yes`.

use std::io::{self, BufRead};

use super::{error::CliError, settings::CliSettings};
use narratoria_ui::{Out, visible};

/// Longest answer that is read. An answer of more than one word does not agree.
const ANSWER_BYTES_MAX: u64 = 1_000;

/// The result of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    Agreed,
    Declined,
    /// No person can answer, because there is no terminal.
    NobodyToAsk,
}

/// Asks on a terminal, unless `yes` agrees beforehand. Only `y` and `yes` agree.
pub(super) fn confirm(
    question: &str,
    yes: bool,
    settings: &CliSettings,
    err: &mut Out,
) -> Result<Agreement, CliError> {
    if yes {
        return Ok(Agreement::Agreed);
    }
    if !settings.terminal.is_interactive {
        return Ok(Agreement::NobodyToAsk);
    }
    err.write(&format!("{} [y/N] ", visible(question)));
    let mut answer = Vec::new();
    let failed = |why| CliError::Terminal { action: "read the terminal", why };
    let mut stdin = io::Read::take(io::stdin().lock(), ANSWER_BYTES_MAX);
    stdin.read_until(b'\n', &mut answer).map_err(failed)?;
    let answer = String::from_utf8_lossy(&answer).trim().to_lowercase();
    Ok(match answer.as_str() {
        "y" | "yes" => Agreement::Agreed,
        _ => Agreement::Declined,
    })
}
