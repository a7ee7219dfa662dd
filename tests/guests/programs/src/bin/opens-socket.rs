//! Tries to open a connection. Outputs the result, and succeeds only if the host refused.

use std::net::{SocketAddr, TcpStream};

use narratoria_guest_programs::{drain_stdin, say_done};
use serde_json::json;

fn main() {
    drain_stdin();
    let got = match TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], 80))) {
        Ok(_) => "connected",
        Err(_) => "refused",
    };
    say_done(got == "refused", &json!({"connect": got}));
}
