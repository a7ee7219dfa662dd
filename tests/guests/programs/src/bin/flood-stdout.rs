//! Writes valid lines without end. They are long, so that it exceeds the limit of bytes before that of events.

use narratoria_guest_programs::say;

fn main() {
    let message = "still here ".repeat(6000);
    let line = format!(r#"{{"version":"0","type":"log","level":"info","message":"{message}"}}"#);
    loop {
        say(&line);
    }
}
