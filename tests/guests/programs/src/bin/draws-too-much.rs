//! Asks for a gigabyte of random bytes, which the host would have to hold.

fn main() {
    #[cfg(target_os = "wasi")]
    std::hint::black_box(wasip2::random::random::get_random_bytes(1 << 30));
}
