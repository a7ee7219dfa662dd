//! Polls a list of a hundred thousand equal pollables.

fn main() {
    #[cfg(target_os = "wasi")]
    {
        let ready = wasip2::clocks::monotonic_clock::subscribe_duration(0);
        let many = vec![&ready; 100_000];
        std::hint::black_box(wasip2::io::poll::poll(&many));
    }
}
