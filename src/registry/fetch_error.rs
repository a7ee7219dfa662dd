//! Why a request or a download fails.

use std::io;

use super::{
    address::RedirectError,
    limits::{REDIRECTS_MAX, TRANSFER_TIME_MAX, WAIT_SECONDS_MAX, WAITS_MAX},
};

/// Why a file is not downloaded. Each is a sentence about the file or its server.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("the program is offline")]
    Offline,
    #[error("there is no such file on the server")]
    NotThere,
    #[error("the server answers with status {status}")]
    Status { status: u16 },
    /// 429 and 503.
    #[error("the server has no time (status {status}){}", wait_text(*asked))]
    Busy { status: u16, asked: Option<u64> },
    #[error("{why}")]
    BadRedirect { why: String },
    #[error("it redirects more than {REDIRECTS_MAX} times")]
    TooManyRedirects,
    #[error("it has more than {limit} bytes")]
    TooLong { limit: u64 },
    #[error("the server says that it has {given} bytes, and it has {size}")]
    WrongLength { given: u64, size: u64 },
    #[error("the connection ended after {received} bytes{}", length_text(*length))]
    CutOff { received: u64, length: Option<u64> },
    #[error("its time of {} seconds is over", TRANSFER_TIME_MAX.as_secs())]
    TimedOut,
    #[error("the server cannot be reached: {why}")]
    Unreachable { why: String },
    #[error("it cannot be kept: {0}")]
    Unkept(#[source] io::Error),
}

impl From<RedirectError> for FetchError {
    fn from(error: RedirectError) -> FetchError {
        FetchError::BadRedirect { why: error.to_string() }
    }
}

fn wait_text(asked: Option<u64>) -> String {
    match asked {
        None => String::new(),
        Some(seconds) => format!(
            " and asks to wait {seconds} seconds; a request waits {WAITS_MAX} times and {WAIT_SECONDS_MAX} seconds at most"
        ),
    }
}

fn length_text(length: Option<u64>) -> String {
    length.map(|length| format!(" of {length}")).unwrap_or_default()
}
