//! Passes a name of eight megabytes to the host, which would have to copy it.

fn main() {
    #[cfg(target_os = "wasi")]
    {
        let network = wasip2::sockets::instance_network::instance_network();
        let name = "n".repeat(8 << 20);
        let _ = wasip2::sockets::ip_name_lookup::resolve_addresses(&network, &name);
    }
}
