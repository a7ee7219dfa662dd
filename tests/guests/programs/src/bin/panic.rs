//! Panics; the message goes to stderr.

fn main() {
    let items: Vec<u32> = Vec::new();
    let wanted = std::env::vars().count() + 1;
    // The host sends no variables. An index out of bounds is how most skills will panic.
    narratoria_guest_programs::say(&items[wanted].to_string());
}
