//! Addresses on the web: which hosts are this machine, who answers at an address, and where a redirect leads. Pure: resolves no
//! name and judges nothing.

use std::net::Ipv6Addr;

use crate::hosts::HostName;

/// Who answers at an address. What belongs to one server, such as a token, goes to no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebOrigin {
    is_secure: bool,
    host: String,
    port: u16,
}

impl WebOrigin {
    /// Reads an address of `http` or `https`; `None` for any other text.
    pub fn of(address: &str) -> Option<WebOrigin> {
        let WebParts { scheme, authority, .. } = WebParts::of(address)?;
        let is_secure = scheme.eq_ignore_ascii_case("https");
        if !is_secure && !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
        // The colons of an IPv6 address are inside its brackets.
        let after_address = place.rfind(']').map_or(0, |at| at + 1);
        let (host, port) = match place[after_address..].rfind(':') {
            None => (place, if is_secure { 443 } else { 80 }),
            Some(at) => {
                let (host, port) = place.split_at(after_address + at);
                (host, port[1..].parse().ok()?)
            }
        };
        let host = host.to_ascii_lowercase();
        (!host.is_empty()).then_some(WebOrigin { is_secure, host, port })
    }
}

/// Returns true if a host can only be this machine: `localhost`, or a loopback address in its full form. Where any other name
/// leads, and what `127.1` is, is decided elsewhere. An address of IPv6 may stand in brackets.
pub fn is_this_machine(host: &str) -> bool {
    match host.parse::<Ipv6Addr>() {
        Ok(address) => HostName::Address(address.into()).is_this_machine(),
        Err(_) => HostName::parse(host).is_ok_and(|host| host.is_this_machine()),
    }
}

/// Returns the address to which a response of `from` redirects with this `Location`; `None` if `from` names no host.
pub fn redirect_target(from: &str, location: &str) -> Option<String> {
    let WebParts { scheme, authority, path } = WebParts::of(from)?;
    let is_scheme = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_alphabetic())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    Some(match location {
        text if text.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme)) => {
            text.to_owned()
        }
        text if text.starts_with("//") => format!("{scheme}:{text}"),
        text if text.starts_with('/') => format!("{scheme}://{authority}{text}"),
        text if text.starts_with('?') => format!("{scheme}://{authority}{path}{text}"),
        text => {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{scheme}://{authority}{folder}/{text}")
        }
    })
}

struct WebParts<'t> {
    scheme: &'t str,
    authority: &'t str,
    /// Without query and fragment.
    path: &'t str,
}

impl WebParts<'_> {
    fn of(address: &str) -> Option<WebParts<'_>> {
        let (scheme, rest) = address.split_once("://")?;
        let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let path = rest.split(['?', '#']).next().unwrap_or_default();
        (!authority.is_empty()).then_some(WebParts { scheme, authority, path })
    }
}

#[cfg(test)]
mod tests {
    use super::{WebOrigin, is_this_machine, redirect_target};

    #[test]
    fn a_host_is_this_machine_only_if_it_can_be_no_other() {
        for host in [
            "127.0.0.1",
            "127.9.8.7",
            "localhost",
            "LocalHost",
            "::1",
            "[::1]",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "",
            "0.0.0.0",
            "192.168.1.1",
            "127.1",
            "2130706433",
            "0x7f.0.0.1",
            "[::]",
            "[fe80::1]",
            "localhost.",
            "localhost.a.example",
            "127.0.0.1.a.example",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn a_redirect_is_read_from_the_address_that_answered() {
        let from = "https://a.example:8443/packages/x.tgz?token=1#part";
        for (location, expect) in [
            ("https://b.example/y", "https://b.example/y"),
            ("HTTP://b.example/y", "HTTP://b.example/y"),
            ("//b.example/y", "https://b.example/y"),
            ("/y?z", "https://a.example:8443/y?z"),
            ("y", "https://a.example:8443/packages/y"),
            ("?part=2", "https://a.example:8443/packages/x.tgz?part=2"),
            // Only what stands before the first colon can be a scheme.
            ("y?to=https://b.example", "https://a.example:8443/packages/y?to=https://b.example"),
        ] {
            assert_eq!(redirect_target(from, location).as_deref(), Some(expect), "{location}");
        }
        assert_eq!(
            redirect_target("https://a.example", "y").as_deref(),
            Some("https://a.example/y")
        );
        assert_eq!(redirect_target("a.example/x", "y"), None);
    }

    #[test]
    fn another_scheme_host_or_port_is_another_origin() {
        let of = |address: &str| WebOrigin::of(address).unwrap();
        assert_eq!(of("https://a.example/x?y"), of("HTTPS://zoe:tide@A.example:443"));
        assert_eq!(of("http://[::1]/x"), of("http://[::1]:80"));
        for other in [
            "http://a.example",
            "http://a.example:443",
            "https://a.example:8443",
            "https://b.example",
            "https://a.example.b.example",
        ] {
            assert_ne!(of("https://a.example"), of(other), "{other}");
        }
        for text in ["", "a.example", "https://", "ftp://a.example", "https://a.example:port/"] {
            assert_eq!(WebOrigin::of(text), None, "{text}");
        }
    }
}
