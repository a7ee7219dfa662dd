//! Writes nothing to stdout, again and again without end: each call costs the host and no byte is counted.

fn main() {
    #[cfg(target_os = "wasi")]
    {
        let stdout = wasip2::cli::stdout::get_stdout();
        loop {
            let _ = stdout.write(&[]);
            let _ = stdout.flush();
        }
    }
    #[cfg(not(target_os = "wasi"))]
    loop {
        narratoria_guest_programs::write(b"");
    }
}
