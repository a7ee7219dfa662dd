//! Creates host objects without end, and drops none.

fn main() {
    #[cfg(target_os = "wasi")]
    {
        let mut pollables = Vec::new();
        loop {
            pollables.push(wasip2::clocks::monotonic_clock::subscribe_duration(1));
        }
    }
}
