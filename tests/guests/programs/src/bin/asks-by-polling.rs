//! Asks, reads stdin without waiting, then waits until stdin is ready and reads the answer, as a program with an
//! event loop does.

use narratoria_guest_programs::{ASK, drain_stdin, say, say_done};
use serde_json::json;

fn main() {
    drain_stdin();
    say(ASK);
    let (early, line) = poll();
    let line: serde_json::Value = serde_json::from_slice(&line).unwrap_or_default();
    say_done(true, &json!({"early": early, "answer": line["answer"]}));
}

/// The number of bytes that were available at once, and the line that arrived later.
#[cfg(target_os = "wasi")]
fn poll() -> (usize, Vec<u8>) {
    let stdin = wasip2::cli::stdin::get_stdin();
    let early = stdin.read(1_000).unwrap_or_default().len();
    let ready = stdin.subscribe();
    ready.block();
    (early, stdin.read(1_000).unwrap_or_default())
}

#[cfg(not(target_os = "wasi"))]
fn poll() -> (usize, Vec<u8>) {
    (0, Vec::new())
}
