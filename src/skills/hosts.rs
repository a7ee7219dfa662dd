//! Hosts that a manifest names in `http`, and the test whether a script's request goes to one of them. Pure: resolves
//! no name.
//!
//! A host is named exactly: no wildcard, no case, no dot at the end, no user, no letters beyond ASCII (a name has an
//! `xn--` form for them). An address is an address only in its full form: `127.1` and `2130706433` are names to us and
//! addresses to some resolvers, so they are refused.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// Longest name of a host in DNS.
const NAME_BYTES_MAX: usize = 253;
/// Longest part of a name between two dots.
const LABEL_BYTES_MAX: usize = 63;

/// A host as a request or a manifest names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostName {
    /// A name, lower case.
    Domain(String),
    /// An address. An IPv4 address written as an IPv6 one counts as IPv4.
    Address(IpAddr),
}

/// One entry of `"http": […]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HttpHost {
    pub name: HostName,
    /// `None` stands for the scheme's port, 443 or 80.
    pub port: Option<u16>,
}

/// Why a text names no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostNameError {
    /// Neither a name nor an address.
    #[error(
        "`{text}` is not a host: a name of letters, digits, hyphens and dots, or an address (one of IPv6 in brackets)"
    )]
    NotAHost { text: String },
    #[error("`{text}` has letters that host names have only in their `xn--` form")]
    NotAscii { text: String },
    /// Some resolvers take the text for an address.
    #[error("`{text}` ends as an address does, but is none; write it as four numbers")]
    HalfAddress { text: String },
    /// Not a port.
    #[error("`{text}` has no usable port, which is 1 to 65535")]
    BadPort {
        /// As given.
        text: String,
    },
}

impl HostName {
    /// Reads a name or an address, without a port.
    pub fn parse(text: &str) -> Result<HostName, HostNameError> {
        let given = || text.to_owned();
        if !text.is_ascii() {
            return Err(HostNameError::NotAscii { text: given() });
        }
        if let Some(address) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return match Ipv6Addr::from_str(address) {
                Ok(address) => Ok(HostName::Address(IpAddr::V6(address).to_canonical())),
                Err(_) => Err(HostNameError::NotAHost { text: given() }),
            };
        }
        if let Ok(address) = Ipv4Addr::from_str(text) {
            return Ok(HostName::Address(IpAddr::V4(address)));
        }
        let name = text.to_ascii_lowercase();
        if name.len() > NAME_BYTES_MAX || !name.split('.').all(is_label) {
            return Err(HostNameError::NotAHost { text: given() });
        }
        let last = name.rsplit('.').next().unwrap_or_default();
        let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_number(last) || last.strip_prefix("0x").is_some_and(is_hex) {
            return Err(HostNameError::HalfAddress { text: given() });
        }
        Ok(HostName::Domain(name))
    }

    pub fn is_localhost(&self) -> bool {
        matches!(self, HostName::Domain(name) if name == "localhost")
    }

    /// Returns true for `localhost` and loopback addresses.
    pub fn is_this_machine(&self) -> bool {
        match self {
            HostName::Domain(_) => self.is_localhost(),
            HostName::Address(address) => address.to_canonical().is_loopback(),
        }
    }
}

fn is_label(label: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=LABEL_BYTES_MAX).contains(&label.len())
        && label.bytes().all(plain)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

fn is_hex(digits: &str) -> bool {
    digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl HttpHost {
    /// Parses an entry: a host, and a port after a colon unless it is the scheme's.
    pub fn parse(text: &str) -> Result<HttpHost, HostNameError> {
        // The colons of an IPv6 address are inside its brackets.
        let after_address = text.rfind(']').map_or(0, |at| at + 1);
        let (name, port) = match text[after_address..].find(':') {
            None => (text, None),
            Some(at) => (&text[..after_address + at], Some(&text[after_address + at + 1..])),
        };
        let bad = || HostNameError::BadPort { text: text.to_owned() };
        let digits = |port: &&str| port.bytes().all(|byte| byte.is_ascii_digit());
        let port = match port {
            None => None,
            Some(port) => {
                let port = Some(port).filter(digits).and_then(|port| port.parse().ok());
                Some(port.filter(|port| *port != 0).ok_or_else(bad)?)
            }
        };
        Ok(HttpHost { name: HostName::parse(name)?, port })
    }

    /// Returns true if a request to `name` and `port` goes to this host; `usual` is the port of its scheme.
    pub fn matches(&self, name: &HostName, port: u16, usual: u16) -> bool {
        self.name == *name && self.port.unwrap_or(usual) == port
    }

    /// Returns true if this entry opens everything that `other` opens.
    pub fn covers(&self, other: &HttpHost) -> bool {
        self.name == other.name && self.port.is_none_or(|port| other.port == Some(port))
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostName::Domain(name) => f.write_str(name),
            HostName::Address(IpAddr::V4(address)) => write!(f, "{address}"),
            HostName::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

impl fmt::Display for HttpHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            None => write!(f, "{}", self.name),
            Some(port) => write!(f, "{}:{port}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HostName, HttpHost};

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let result = match HttpHost::parse(text) {
            Ok(host) => host.to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(result, expect);
    }

    #[test]
    fn a_host_is_a_name_or_a_whole_address_and_maybe_a_port() {
        check("api.example.com", "api.example.com");
        check("API.example.com:8443", "api.example.com:8443");
        check("127.0.0.1:80", "127.0.0.1:80");
        check("[::1]:8080", "[::1]:8080");
        check("[0:0::1]", "[::1]");
        check("[::ffff:127.0.0.1]:1", "127.0.0.1:1");
        check("xn--bcher-kva.example", "xn--bcher-kva.example");
    }

    #[test]
    fn a_text_that_only_resembles_a_host_is_refused() {
        let not = |text: &str| {
            format!(
                "`{text}` is not a host: a name of letters, digits, hyphens and dots, or an address (one of IPv6 in brackets)"
            )
        };
        for text in ["", "*.example.com", "example.com.", "a..b", "-a.b", "user@host", "a/b"] {
            check(text, &not(text));
        }
        check("[::1", "`[::1` has no usable port, which is 1 to 65535");
        check("::1", "`::1` has no usable port, which is 1 to 65535");
        check(
            "bücher.example",
            "`bücher.example` has letters that host names have only in their `xn--` form",
        );
        for text in ["127.1", "2130706433", "0x7f.0.0.0x1", "1.2.3.4.5", "example.0x"] {
            let expect =
                format!("`{text}` ends as an address does, but is none; write it as four numbers");
            check(text, &expect);
        }
        for text in ["a:0", "a:65536", "a:", "a:+1", "a:80:80"] {
            check(text, &format!("`{text}` has no usable port, which is 1 to 65535"));
        }
    }

    #[test]
    fn an_entry_without_a_port_opens_the_usual_one_alone() {
        let name = HostName::parse("Example.com").unwrap();
        let is = |entry: &str, port| HttpHost::parse(entry).unwrap().matches(&name, port, 443);
        assert!(is("example.com", 443));
        assert!(!is("example.com", 80));
        assert!(is("example.com:8443", 8443));
        assert!(!is("example.com:8443", 443));
        assert!(!is("www.example.com", 443));
        let covers = |one: &str, other: &str| {
            HttpHost::parse(one).unwrap().covers(&HttpHost::parse(other).unwrap())
        };
        assert!(covers("a.example", "a.example") && covers("a.example", "a.example:81"));
        assert!(!covers("a.example:81", "a.example") && covers("a.example:81", "a.example:81"));
    }
}
