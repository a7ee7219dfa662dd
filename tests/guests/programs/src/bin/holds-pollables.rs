//! Has the host keep one thing after another for it, and gives none back.

fn main() {
    #[cfg(target_os = "wasi")]
    {
        let mut kept = Vec::new();
        loop {
            kept.push(wasip2::clocks::monotonic_clock::subscribe_duration(1));
        }
    }
}
