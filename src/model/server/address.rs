//! The address of a server and the name of a model there, `http://127.0.0.1:11434/qwen3:4b`. Pure.

use std::{
    fmt,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
};

use narratoria_skills::is_this_machine;

/// Longest name of a model, in bytes. The longest that a server makes of a file's path is shorter.
pub(super) const MODEL_NAME_BYTES_MAX: usize = 512;

/// Longest name of a host, in bytes: the limit of the name system.
const HOST_BYTES_MAX: usize = 253;

/// An address of a server, with the name of a model there or without one.
///
/// Invariant: the host is an IP address or letters, digits, dots and hyphens; the name has neither blanks nor control
/// characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServerAddress {
    is_secure: bool,
    /// Without the brackets of IPv6.
    host: String,
    port: u16,
    model: Option<String>,
}

/// Why a text is no address of a model on a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It begins with neither scheme.
    #[error("`{text}` does not begin with `http://` or `https://`")]
    Scheme { text: String },
    #[error("`{host}` in `{text}` is no name of a host and no IP address")]
    Host { text: String, host: String },
    #[error("`{port}` in `{text}` is no port, which is a number from 1 to 65535")]
    Port { text: String, port: String },
    /// Such as `user:password@host`. Where such a text leads to is not where it seems to.
    #[error("`{text}` has a user name before its host, which no server of models wants")]
    UserName { text: String },
    #[error(
        "the name of the model in `{text}` has a blank, a control character, `?`, `#` or more than {MODEL_NAME_BYTES_MAX} bytes"
    )]
    Model { text: String },
}

impl ServerAddress {
    /// Returns true if a text is meant as an address: it begins with `http://` or `https://`.
    pub fn is_meant(text: &str) -> bool {
        scheme(text).is_some()
    }

    /// Reads `http://HOST:PORT/NAME`. Without a port it is that of the scheme. Without a name it is the server's only model.
    /// A `/v1` before the name is skipped: other programs want it there.
    pub fn parse(text: &str) -> Result<ServerAddress, AddressError> {
        let shown = || text.to_owned();
        let (is_secure, rest) =
            scheme(text).ok_or_else(|| AddressError::Scheme { text: shown() })?;
        let (authority, name) = rest.split_once('/').unwrap_or((rest, ""));
        if authority.contains('@') {
            return Err(AddressError::UserName { text: shown() });
        }
        let (host, port) = split_port(authority);
        let host = checked_host(host)
            .ok_or_else(|| AddressError::Host { text: shown(), host: host.to_owned() })?;
        let port = match port {
            None if is_secure => 443,
            None => 80,
            Some(digits) => digits
                .parse()
                .ok()
                .filter(|port| *port != 0 && digits.bytes().all(|byte| byte.is_ascii_digit()))
                .ok_or_else(|| AddressError::Port { text: shown(), port: digits.to_owned() })?,
        };
        let name = name
            .strip_prefix("v1")
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))
            .unwrap_or(name);
        let name = name.trim_matches('/');
        let is_bad = |c: char| c.is_whitespace() || c.is_control() || c == '?' || c == '#';
        if name.len() > MODEL_NAME_BYTES_MAX || name.contains(is_bad) {
            return Err(AddressError::Model { text: shown() });
        }
        let model = (!name.is_empty()).then(|| name.to_owned());
        Ok(ServerAddress { is_secure, host, port, model })
    }

    /// The server on a port of this machine.
    pub fn loopback(port: u16) -> ServerAddress {
        let host = Ipv4Addr::LOCALHOST.to_string();
        ServerAddress { is_secure: false, host, port, model: None }
    }

    /// The host, without the brackets of IPv6.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The name of the model there; `None` for the server's only one.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// This server with another model.
    #[must_use]
    pub fn with_model(&self, model: &str) -> ServerAddress {
        ServerAddress { model: Some(model.to_owned()), ..self.clone() }
    }

    /// This server without a model.
    #[must_use]
    pub fn without_model(&self) -> ServerAddress {
        ServerAddress { model: None, ..self.clone() }
    }

    /// Returns true if the server can only be on this machine. Of names that is `localhost` alone: where others lead to is
    /// decided elsewhere.
    pub fn is_loopback(&self) -> bool {
        is_this_machine(&self.host)
    }

    /// The address without the model, such as `http://127.0.0.1:8080`.
    pub fn base(&self) -> String {
        let scheme = if self.is_secure { "https" } else { "http" };
        match self.host.parse::<Ipv6Addr>() {
            Ok(address) => format!("{scheme}://{}", SocketAddr::from((address, self.port))),
            Err(_) => format!("{scheme}://{}:{}", self.host, self.port),
        }
    }
}

/// Whether the scheme is `https`, and what follows it.
fn scheme(text: &str) -> Option<(bool, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    match scheme.to_ascii_lowercase().as_str() {
        "http" => Some((false, rest)),
        "https" => Some((true, rest)),
        _ => None,
    }
}

fn split_port(authority: &str) -> (&str, Option<&str>) {
    // The colons of IPv6 stand in brackets.
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

/// The host in lower case, without brackets.
fn checked_host(host: &str) -> Option<String> {
    if let Some(inner) = host.strip_prefix('[') {
        let address: Ipv6Addr = inner.strip_suffix(']')?.parse().ok()?;
        return Some(address.to_string());
    }
    let is_name = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    let is_host = is_name && (1..=HOST_BYTES_MAX).contains(&host.len());
    is_host.then(|| host.to_ascii_lowercase())
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.base())?;
        match &self.model {
            Some(model) => write!(out, "/{model}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ServerAddress;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let result = match ServerAddress::parse(text) {
            Ok(address) => {
                let place = if address.is_loopback() { "here" } else { "elsewhere" };
                format!("{} | {} | {place}", address.base(), address.model().unwrap_or("-"))
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(result, expect, "{text}");
    }

    #[test]
    fn an_address_has_a_host_a_port_and_the_name_of_a_model() {
        check("http://127.0.0.1:11434/qwen3:4b", "http://127.0.0.1:11434 | qwen3:4b | here");
        check(
            "http://localhost:11434/hf.co/unsloth/Qwen3-4B-GGUF:Q4_K_M",
            "http://localhost:11434 | hf.co/unsloth/Qwen3-4B-GGUF:Q4_K_M | here",
        );
        check("HTTP://LocalHost:8080/", "http://localhost:8080 | - | here");
        check("http://127.0.0.1:1234/v1", "http://127.0.0.1:1234 | - | here");
        check("http://127.0.0.1:1234/v1/qwen", "http://127.0.0.1:1234 | qwen | here");
        check("http://127.0.0.1:1234/v1.5-chat", "http://127.0.0.1:1234 | v1.5-chat | here");
        check("http://[::1]:8080", "http://[::1]:8080 | - | here");
        check("https://box.local/m", "https://box.local:443 | m | elsewhere");
        check("http://box", "http://box:80 | - | elsewhere");
    }

    #[test]
    fn a_host_is_loopback_only_if_it_can_be_no_other() {
        for text in ["http://127.9.8.7:1", "http://[::ffff:127.0.0.1]:1"] {
            assert!(ServerAddress::parse(text).unwrap().is_loopback(), "{text}");
        }
        for text in [
            "http://0.0.0.0:1",
            "http://192.168.1.2:1",
            "http://127.1:1",
            "http://2130706433:1",
            "http://localhost.example.com:1",
            "http://127.0.0.1.example.com:1",
            "http://[fe80::1]:1",
        ] {
            assert!(!ServerAddress::parse(text).unwrap().is_loopback(), "{text}");
        }
    }

    #[test]
    fn an_error_names_the_part_that_is_wrong() {
        check("ftp://x", "`ftp://x` does not begin with `http://` or `https://`");
        check("http://", "`` in `http://` is no name of a host and no IP address");
        check("http://a_b:1", "`a_b` in `http://a_b:1` is no name of a host and no IP address");
        check(
            "http://[::1:8080",
            "`[::1` in `http://[::1:8080` is no name of a host and no IP address",
        );
        check("http://a:0", "`0` in `http://a:0` is no port, which is a number from 1 to 65535");
        check("http://a:+8", "`+8` in `http://a:+8` is no port, which is a number from 1 to 65535");
        check(
            "http://127.0.0.1:80@example.com/m",
            "`http://127.0.0.1:80@example.com/m` has a user name before its host, which no server of models wants",
        );
        let name = "the name of the model in `http://a:1/b c` has a blank, a control character, `?`, `#` or more than 512 bytes";
        check("http://a:1/b c", name);
    }
}
