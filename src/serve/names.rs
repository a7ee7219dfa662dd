//! The names that the server answers to. A request by another one is refused before anything else is looked at.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    str::FromStr,
};

use axum::http::uri::Authority;

/// A name by which others reach the server, as their browsers have it: `tower.local`, or `https://tales.example.org` if a
/// proxy with a certificate is in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedName {
    host: String,
    /// `None` is the port of the server for a name alone, and the one of its scheme for an address.
    port: Option<u16>,
    scheme: Option<&'static str>,
}

/// Why a text is no such name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "it must be a name such as `tower.local`, or an address such as `https://tales.example.org`"
)]
pub struct ServedNameError;

const SCHEMES: [&str; 2] = ["http", "https"];

impl FromStr for ServedName {
    type Err = ServedNameError;

    fn from_str(text: &str) -> Result<ServedName, ServedNameError> {
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => {
                let known = SCHEMES.into_iter().find(|known| known.eq_ignore_ascii_case(scheme));
                (Some(known.ok_or(ServedNameError)?), rest.strip_suffix('/').unwrap_or(rest))
            }
            None => (None, text),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
        let authority = Authority::from_str(rest).map_err(|_| ServedNameError)?;
        let host = authority.host().to_ascii_lowercase();
        let has_odd_port = authority.port().is_none() && rest.len() != authority.host().len();
        if host.is_empty() || !rest.chars().all(is_plain) || has_odd_port {
            return Err(ServedNameError);
        }
        Ok(ServedName { host, port: authority.port_u16(), scheme })
    }
}

impl fmt::Display for ServedName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.scheme.unwrap_or("http");
        out.write_str(&with_port(&self.host, self.port, scheme))
    }
}

/// The name that a request was sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskedName {
    /// What browsers say about a page of this server.
    pub(crate) origin: String,
    /// Browsers send the cookie over an encrypted connection alone.
    pub(crate) is_secure: bool,
}

/// Every name of a server.
#[derive(Debug, Clone)]
pub(crate) struct ServedNames {
    port: u16,
    /// The one address that the server listens to, unless it is one of this machine's own.
    address: Option<IpAddr>,
    named: Vec<ServedName>,
}

impl ServedNames {
    pub(crate) fn new(port: u16, listen: Option<IpAddr>, named: Vec<ServedName>) -> ServedNames {
        ServedNames { port, address: listen.filter(|address| !address.is_loopback()), named }
    }

    /// Returns the name if the server answers to it. `host` is what the request says.
    pub(crate) fn find(&self, host: &str) -> Option<AskedName> {
        let host = host.to_ascii_lowercase();
        for name in &self.named {
            let scheme = name.scheme.unwrap_or("http");
            if self.authority(name) == host {
                let origin = format!("{scheme}://{host}");
                return Some(AskedName { origin, is_secure: scheme == "https" });
            }
        }
        let own = match host.strip_suffix(&format!(":{}", self.port)) {
            Some(name) => name,
            // Browsers leave this one out.
            None if self.port == 80 => &host,
            None => return None,
        };
        let is_own = ["127.0.0.1", "localhost", "[::1]"].contains(&own) || self.is_address(own);
        is_own.then(|| AskedName { origin: format!("http://{host}"), is_secure: false })
    }

    /// No name resolves to an address, so whoever opens an address of this machine means this machine.
    fn is_address(&self, own: &str) -> bool {
        let inner = own.strip_prefix('[').and_then(|own| own.strip_suffix(']')).unwrap_or(own);
        let Ok(asked) = inner.parse::<IpAddr>() else { return false };
        self.address.is_some_and(|address| address.is_unspecified() || address == asked)
    }

    /// Every name, for people.
    pub(crate) fn shown(&self) -> String {
        let port = self.port;
        let own = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
        let address = self.address.map(|address| match address.is_unspecified() {
            true => format!("each address of this machine with the port {port}"),
            false => SocketAddr::new(address, port).to_string(),
        });
        let named = self.named.iter().map(|name| self.authority(name));
        own.into_iter().chain(address).chain(named).collect::<Vec<_>>().join(", ")
    }

    /// Where others find the page.
    pub(crate) fn urls_for_others(&self) -> Vec<String> {
        let address = self.address.filter(|address| !address.is_unspecified());
        let address =
            address.map(|address| format!("http://{}/", SocketAddr::new(address, self.port)));
        let named = self
            .named
            .iter()
            .map(|name| format!("{}://{}/", name.scheme.unwrap_or("http"), self.authority(name)));
        address.into_iter().chain(named).collect()
    }

    /// The name as browsers send it.
    fn authority(&self, name: &ServedName) -> String {
        let port = name.port.or_else(|| name.scheme.is_none().then_some(self.port));
        with_port(&name.host, port, name.scheme.unwrap_or("http"))
    }
}

/// A name with its port, unless the port is the one of the scheme, which browsers leave out.
fn with_port(host: &str, port: Option<u16>, scheme: &str) -> String {
    let of_scheme = if scheme == "https" { 443 } else { 80 };
    match port.filter(|port| *port != of_scheme) {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::{ServedName, ServedNames};

    /// The origin of a request to this host, with ` secure` behind it if the cookie is.
    fn found(listen: Option<&str>, named: &[&str], host: &str) -> String {
        let listen = listen.map(|text| text.parse::<IpAddr>().unwrap());
        let named = named.iter().map(|name| name.parse().unwrap()).collect();
        let name = ServedNames::new(7433, listen, named).find(host);
        name.map_or("refused".to_owned(), |name| {
            format!("{}{}", name.origin, if name.is_secure { " secure" } else { "" })
        })
    }

    #[test]
    fn a_name_is_found_as_browsers_send_it() {
        let named = ["tower.local", "https://Tales.Example.org", "http://proxy:8080"];
        for (host, expected) in [
            ("127.0.0.1:7433", "http://127.0.0.1:7433"),
            ("LOCALHOST:7433", "http://localhost:7433"),
            ("tower.local:7433", "http://tower.local:7433"),
            ("tower.local", "refused"),
            ("tales.example.org", "https://tales.example.org secure"),
            ("tales.example.org:7433", "refused"),
            ("proxy:8080", "http://proxy:8080"),
            ("evil.example:7433", "refused"),
            ("192.168.1.5:7433", "refused"),
            ("", "refused"),
        ] {
            assert_eq!(found(None, &named, host), expected, "{host}");
        }
    }

    #[test]
    fn an_address_is_a_name_of_the_server_that_listens_to_it() {
        assert_eq!(found(Some("192.168.1.5"), &[], "192.168.1.5:7433"), "http://192.168.1.5:7433");
        assert_eq!(found(Some("192.168.1.5"), &[], "192.168.1.6:7433"), "refused");
        assert_eq!(found(Some("0.0.0.0"), &[], "192.168.1.6:7433"), "http://192.168.1.6:7433");
        assert_eq!(found(Some("::"), &[], "[fd00::7]:7433"), "http://[fd00::7]:7433");
        assert_eq!(found(Some("0.0.0.0"), &[], "tower.local:7433"), "refused");
        assert_eq!(found(Some("0.0.0.0"), &[], "192.168.1.6:80"), "refused");
    }

    #[test]
    fn a_text_that_is_no_name_is_refused() {
        for text in ["", "https://", "ftp://a", "a/b", "a@b", "https://a/b", "a b", "a:99999", "*"]
        {
            assert!(text.parse::<ServedName>().is_err(), "{text}");
        }
        assert!("https://tales.example.org/".parse::<ServedName>().is_ok());
    }
}
