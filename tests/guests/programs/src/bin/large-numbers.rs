//! Writes whole numbers at the limits of 64 bits, and beyond: those become the nearest double.

use narratoria_guest_programs::say;

fn main() {
    say(
        r#"{"version":"0","type":"done","ok":true,"output":{"most":18446744073709551615,"more":18446744073709551616,"least":-9223372036854775808,"zero":-0.0}}"#,
    );
}
