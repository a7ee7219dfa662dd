//! Which IP addresses belong to the public internet. Pure.
//!
//! The owner of a name decides which addresses it resolves to. It may be the player's own machine, or the router
//! and the printer beside it. So the host checks addresses, not names.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Blocks of IPv4 that are not public, as first address and prefix length: IANA's special-purpose registry,
/// multicast, and reserved addresses.
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    // Shared by the customers of a provider.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local; among them the metadata service of clouds, which holds a machine's secrets.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Blocks inside [`PUBLIC_V6`] that are not public. Everything outside it is not public either.
const NOT_PUBLIC_V6: [(Ipv6Addr, u32); 4] = [
    // Teredo among others: it contains an IPv4 address, which this module would not check.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4, for the same reason.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// The global unicast addresses of IPv6.
const PUBLIC_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Prefix through which an IPv6-only network reaches IPv4 (RFC 6052). The last four bytes are the IPv4 address,
/// which decides.
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Returns false for the player's own machine, for machines of the same home or provider, and for multicast.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) if is_in_v6(address, NAT64) => {
            let [.., a, b, c, d] = address.octets();
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        IpAddr::V6(address) => {
            is_in_v6(address, PUBLIC_V6)
                && !NOT_PUBLIC_V6.into_iter().any(|block| is_in_v6(address, block))
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_in = |(first, bits): (Ipv4Addr, u32)| {
        (address.to_bits() ^ first.to_bits()) >> (u32::BITS - bits) == 0
    };
    !NOT_PUBLIC_V4.into_iter().any(is_in)
}

fn is_in_v6(address: Ipv6Addr, (first, bits): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ first.to_bits()) >> (u128::BITS - bits) == 0
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn public_addresses_are_distinguished_from_all_others() {
        let public = |text: &str| is_public(text.parse().unwrap());
        for text in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "198.17.255.255",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ] {
            assert!(public(text), "{text}");
        }
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.1.1",
            "198.19.255.255",
            "203.0.113.9",
            "224.0.0.251",
            "239.255.255.250",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
            "64:ff9b::127.0.0.1",
            "64:ff9b::192.168.0.1",
            "64:ff9b:1::1.1.1.1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!public(text), "{text}");
        }
    }
}
