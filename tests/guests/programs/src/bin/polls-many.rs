//! Polls a list of a thousand equal pollables, without end.

fn main() {
    #[cfg(target_os = "wasi")]
    {
        let ready = wasip2::clocks::monotonic_clock::subscribe_duration(0);
        let many = vec![&ready; 1_000];
        loop {
            std::hint::black_box(wasip2::io::poll::poll(&many));
        }
    }
}
