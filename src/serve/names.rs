//! The names that the server answers to. A request by another one is refused before anything else is looked at.

use std::{
    collections::BTreeMap,
    fmt,
    net::{IpAddr, SocketAddr},
    str::FromStr,
    sync::Arc,
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

const SCHEMES: [&str; 2] = [DEFAULT_SCHEME, "https"];

/// The scheme of a name without one.
const DEFAULT_SCHEME: &str = "http";

impl ServedName {
    fn scheme(&self) -> &'static str {
        self.scheme.unwrap_or(DEFAULT_SCHEME)
    }

    /// The name as browsers send it to a server with this port.
    fn authority(&self, port: u16) -> String {
        let port = self.port.or_else(|| self.scheme.is_none().then_some(port));
        with_port(&self.host, port, self.scheme())
    }
}

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
        out.write_str(&with_port(&self.host, self.port, self.scheme()))
    }
}

/// The name that a request was sent to. Clones share the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskedName {
    /// What browsers say about a page of this server.
    pub(crate) origin: Arc<str>,
    /// Browsers send the cookie over an encrypted connection alone.
    pub(crate) is_secure: bool,
}

impl AskedName {
    fn new(scheme: &str, host: &str) -> AskedName {
        AskedName { origin: format!("{scheme}://{host}").into(), is_secure: scheme == "https" }
    }
}

/// The names by which this machine calls itself.
const OWN_NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Every name of a server, made once: each request asks for one.
#[derive(Debug, Clone)]
pub(crate) struct ServedNames {
    /// Each name as browsers send it, in small letters.
    known: BTreeMap<String, AskedName>,
    /// The port of the server.
    port: u16,
    /// How a name with this port ends.
    port_ending: String,
    /// The one address that the server listens to, unless it is one of this machine's own.
    address: Option<IpAddr>,
    shown: String,
    urls_for_others: Vec<String>,
}

impl ServedNames {
    pub(crate) fn new(port: u16, listen: Option<IpAddr>, named: &[ServedName]) -> ServedNames {
        let address = listen.filter(|address| !address.is_loopback());
        let named: Vec<(&str, String)> =
            named.iter().map(|name| (name.scheme(), name.authority(port))).collect();
        let mut known = BTreeMap::new();
        for (scheme, host) in &named {
            // Of two with one name the first counts.
            known.entry(host.clone()).or_insert_with(|| AskedName::new(scheme, host));
        }
        // Browsers leave the port of HTTP out, other programs do not.
        let own = OWN_NAMES.iter().flat_map(|name| {
            [format!("{name}:{port}"), with_port(name, Some(port), DEFAULT_SCHEME)]
        });
        let single = address.filter(|address| !address.is_unspecified());
        for host in own.chain(single.map(|address| SocketAddr::new(address, port).to_string())) {
            let name = AskedName::new(DEFAULT_SCHEME, &host);
            known.entry(host).or_insert(name);
        }
        ServedNames {
            known,
            port,
            port_ending: format!(":{port}"),
            address,
            shown: shown(port, address, &named),
            urls_for_others: urls_for_others(port, address, &named),
        }
    }

    /// Returns the name if the server answers to it. `host` is what the request says.
    pub(crate) fn find(&self, host: &str) -> Option<AskedName> {
        let host = host.to_ascii_lowercase();
        if let Some(name) = self.known.get(&host) {
            return Some(name.clone());
        }
        let own = match host.strip_suffix(self.port_ending.as_str()) {
            Some(name) => name,
            None if self.port == 80 => &host,
            None => return None,
        };
        self.is_address(own).then(|| AskedName::new(DEFAULT_SCHEME, &host))
    }

    /// No name resolves to an address, so whoever opens an address of this machine means this machine.
    fn is_address(&self, own: &str) -> bool {
        let inner = own.strip_prefix('[').and_then(|own| own.strip_suffix(']')).unwrap_or(own);
        let Ok(asked) = inner.parse::<IpAddr>() else { return false };
        self.address.is_some_and(|address| address.is_unspecified() || address == asked)
    }

    /// Every name, for people.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// Where others find the page.
    pub(crate) fn urls_for_others(&self) -> &[String] {
        &self.urls_for_others
    }
}

fn shown(port: u16, address: Option<IpAddr>, named: &[(&str, String)]) -> String {
    let own = OWN_NAMES.map(|name| format!("{name}:{port}"));
    let address = address.map(|address| match address.is_unspecified() {
        true => format!("each address of this machine with the port {port}"),
        false => SocketAddr::new(address, port).to_string(),
    });
    let named = named.iter().map(|(_, host)| host.clone());
    own.into_iter().chain(address).chain(named).collect::<Vec<_>>().join(", ")
}

fn urls_for_others(port: u16, address: Option<IpAddr>, named: &[(&str, String)]) -> Vec<String> {
    let address = address.filter(|address| !address.is_unspecified());
    let address = address.map(|address| format!("http://{}/", SocketAddr::new(address, port)));
    let named = named.iter().map(|(scheme, host)| format!("{scheme}://{host}/"));
    address.into_iter().chain(named).collect()
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
    use std::{net::IpAddr, sync::Arc};

    use super::{ServedName, ServedNames};

    /// The origin of a request to this host, with ` secure` behind it if the cookie is.
    fn found(listen: Option<&str>, named: &[&str], host: &str) -> String {
        let listen = listen.map(|text| text.parse::<IpAddr>().unwrap());
        let named: Vec<ServedName> = named.iter().map(|name| name.parse().unwrap()).collect();
        let name = ServedNames::new(7433, listen, &named).find(host);
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
    fn a_name_is_made_once_for_all_requests() {
        let names = ServedNames::new(7433, None, &["tower.local".parse().unwrap()]);
        for host in ["localhost:7433", "tower.local:7433"] {
            let [first, second] = [names.find(host).unwrap(), names.find(host).unwrap()];
            assert!(Arc::ptr_eq(&first.origin, &second.origin), "{host}");
        }
    }

    #[test]
    fn the_port_of_http_may_be_left_out() {
        let names = ServedNames::new(80, "0.0.0.0".parse().ok(), &[]);
        for host in ["localhost", "localhost:80", "192.168.1.5", "192.168.1.5:80"] {
            let origin = names.find(host).map(|name| name.origin.to_string());
            assert_eq!(origin, Some(format!("http://{host}")));
        }
        assert_eq!(names.find("localhost:8080"), None);
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
