//! Reads environment variables and arguments. Outputs them, and succeeds only if there are none.

use narratoria_guest_programs::{drain_stdin, say_done};
use serde_json::json;

fn main() {
    drain_stdin();
    let vars: Vec<String> =
        std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    let args: Vec<String> =
        std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    say_done(vars.is_empty() && args.is_empty(), &json!({"vars": vars, "args": args}));
}
