//! Data and text on stdout.

use std::io;

use serde::Serialize;

use super::error::CliError;
use narratoria_ui::{Look, Out, visible_json};

/// Prints one JSON document on stdout.
pub(crate) fn print_document(look: Look, document: &impl Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(document).expect("documents hold only JSON values");
    print_data(look, &format!("{}\n", visible_json(&text)))
}

/// Prints one JSON document as one line of a stream on stdout.
pub(crate) fn print_line(look: Look, document: &impl Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string(document).expect("documents hold only JSON values");
    print_data(look, &format!("{}\n", visible_json(&text)))
}

/// Prints text for people on stdout. A terminal breaks its lines between words.
pub(crate) fn print_text(look: Look, text: &str) -> Result<(), CliError> {
    print(look, |out| out.write(text))
}

/// Prints text of a story on stdout.
pub(crate) fn print_story(look: Look, text: &str) -> Result<(), CliError> {
    print(look, |out| out.tell(text))
}

/// Prints data on stdout, to the byte.
pub(crate) fn print_data(look: Look, text: &str) -> Result<(), CliError> {
    print(look, |out| out.write_as_is(text))
}

fn print(look: Look, write: impl FnOnce(&mut Out)) -> Result<(), CliError> {
    let mut out = Out::stdout(look);
    write(&mut out);
    match out.failure() {
        Some(why) => {
            let why = io::Error::new(why.kind(), why.to_string());
            Err(CliError::Terminal { action: "write to stdout", why })
        }
        None => Ok(()),
    }
}
