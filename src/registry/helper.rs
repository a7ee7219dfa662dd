//! Helpers of docker and podman, `docker-credential-NAME`, which keep credentials in a keychain. Each reads the name of a registry
//! and writes a JSON document.

use std::{
    io::{Read, Write},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
};

use narratoria_protocol::{JsonBounds, read_json_as};
use serde::Deserialize;

use super::limits::{HELPER_ANSWER_BYTES_MAX, HELPER_TIME_MAX};

/// What helpers say on stdout if they know no credentials.
const NOT_FOUND: &str = "credentials not found";

/// Why a helper gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum HelperError {
    /// It would be a program at some other place.
    #[error("`{name}` is no name of one")]
    BadName { name: String },
    #[error("`{program}` cannot be run: {why}")]
    NotRun { program: String, why: std::io::Error },
    #[error("`{program}` gives no answer in {} seconds", HELPER_TIME_MAX.as_secs())]
    TimedOut { program: String },
    #[error("`{program}` fails")]
    Failed { program: String },
    #[error("`{program}` writes no credentials")]
    NotUnderstood { program: String },
}

#[derive(Deserialize)]
struct HelperAnswerJson {
    #[serde(rename = "Username")]
    user: String,
    #[serde(rename = "Secret")]
    secret: String,
}

/// Asks a helper for the user name and the secret of a registry; `None` if it knows none.
pub(crate) fn ask_helper(
    name: &str,
    registry: &str,
) -> Result<Option<(String, String)>, HelperError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_plain) {
        return Err(HelperError::BadName { name: name.to_owned() });
    }
    let program = format!("docker-credential-{name}");
    let not_run = |why| HelperError::NotRun { program: program.clone(), why };
    let mut child = Command::new(&program)
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(not_run)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A helper that has left already says why below.
        let _ = stdin.write_all(registry.as_bytes());
    }
    let Some(answer) = answer_of(&mut child) else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(HelperError::TimedOut { program });
    };
    let is_done = child.wait().map_err(not_run)?.success();
    if !is_done && String::from_utf8_lossy(&answer).contains(NOT_FOUND) {
        return Ok(None);
    }
    if !is_done {
        return Err(HelperError::Failed { program });
    }
    let bounds = JsonBounds::of_bytes(HELPER_ANSWER_BYTES_MAX as usize);
    match read_json_as::<HelperAnswerJson>(&answer, bounds) {
        Ok(HelperAnswerJson { user, secret }) => Ok(Some((user, secret))),
        // The reason could quote the secret.
        Err(_) => Err(HelperError::NotUnderstood { program }),
    }
}

/// Everything that a helper writes; `None` if it takes too long.
fn answer_of(child: &mut Child) -> Option<Vec<u8>> {
    let stdout = child.stdout.take()?;
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut answer = Vec::new();
        let _ = stdout.take(HELPER_ANSWER_BYTES_MAX).read_to_end(&mut answer);
        let _ = send.send(answer);
    });
    receive.recv_timeout(HELPER_TIME_MAX).ok()
}
