//! Creates one request after the other, each with the longest method that the host accepts, and sends none, until the
//! host stops it.

fn main() {
    narratoria_guest_programs::drain_stdin();
    #[cfg(target_os = "wasi")]
    {
        use wasip2::http::types::{Fields, Method, OutgoingRequest};
        let long = "M".repeat(1 << 20);
        let mut hoard = Vec::new();
        loop {
            let request = OutgoingRequest::new(Fields::new());
            if request.set_method(&Method::Other(long.clone())).is_ok() {
                narratoria_guest_programs::say("a method of a MiB was taken");
            }
            hoard.push(request);
        }
    }
}
