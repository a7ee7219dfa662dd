//! Gives back everything that it was sent, its configuration among it.

use narratoria_guest_programs::{read_request, say_done};
use serde_json::json;

fn main() {
    say_done(true, &json!({ "request": read_request() }));
}
