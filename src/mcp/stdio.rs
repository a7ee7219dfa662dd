//! The input and output of the process, which are a client's connection.

use tokio::io::{Stdin, Stdout};

/// The connection of a client that has started this process. Nothing else may write to its output.
pub fn stdio() -> (Stdin, Stdout) {
    (tokio::io::stdin(), tokio::io::stdout())
}
