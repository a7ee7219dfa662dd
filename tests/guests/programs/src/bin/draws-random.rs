//! Has the host draw random bytes without end: its own code does next to nothing.

fn main() {
    #[cfg(target_os = "wasi")]
    loop {
        std::hint::black_box(wasip2::random::random::get_random_bytes(64 << 10));
    }
}
