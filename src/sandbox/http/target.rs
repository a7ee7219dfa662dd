//! The host, port and scheme of a request, checked against the grant.

use hyper::{Uri, http::uri::Scheme};
use narratoria_skills::{HostName, HostNameError, HttpHost};

use super::{address, limits::HTTP_URL_BYTES_MAX, refusal::HttpRefusal};

#[derive(Debug, Clone)]
pub(super) struct RequestTarget {
    pub(super) name: HostName,
    pub(super) port: u16,
    pub(super) is_encrypted: bool,
}

impl RequestTarget {
    /// The default port of its scheme.
    pub(super) fn default_port(&self) -> u16 {
        if self.is_encrypted { 443 } else { 80 }
    }

    /// The host as a manifest would name it.
    pub(super) fn host(&self) -> HttpHost {
        HttpHost { name: self.name.clone(), port: self.explicit_port() }
    }

    /// The port, unless it is the default of the scheme.
    pub(super) fn explicit_port(&self) -> Option<u16> {
        (self.port != self.default_port()).then_some(self.port)
    }

    pub(super) fn parse(uri: &Uri) -> Result<RequestTarget, HttpRefusal> {
        let bytes = uri.path_and_query().map_or(0, |path| path.as_str().len());
        let Some(authority) = uri.authority() else {
            return Err(HttpRefusal::NotAHost(HostNameError::NotAHost { text: String::new() }));
        };
        let bytes = bytes + authority.as_str().len();
        if bytes > HTTP_URL_BYTES_MAX {
            return Err(HttpRefusal::UrlTooLong { bytes });
        }
        if authority.as_str().contains('@') {
            // The part before `@` may be a password.
            let authority = format!("…@{}", authority.host());
            return Err(HttpRefusal::NamesUser { authority });
        }
        let name = HostName::parse(authority.host()).map_err(HttpRefusal::NotAHost)?;
        let is_encrypted = uri.scheme() != Some(&Scheme::HTTP);
        let mut target = RequestTarget { name, port: 0, is_encrypted };
        let port = match authority.port() {
            None => Some(target.default_port()),
            Some(port) => Some(port.as_u16()).filter(|port| *port != 0),
        };
        let no_port = || HttpRefusal::NoPort { authority: authority.to_string() };
        target.port = port.ok_or_else(no_port)?;
        Ok(target)
    }

    /// Checks that the manifest names the host and that the scheme is allowed for it. A granted name may still
    /// resolve to an address that is not allowed.
    pub(super) fn check(
        &self,
        granted: &[HttpHost],
        withheld: &[HttpHost],
    ) -> Result<(), HttpRefusal> {
        let is_in = |hosts: &[HttpHost]| {
            hosts.iter().any(|host| host.matches(&self.name, self.port, self.default_port()))
        };
        if !is_in(granted) {
            if is_in(withheld) {
                return Err(HttpRefusal::Withheld { host: self.host() });
            }
            return Err(HttpRefusal::NotGranted { host: self.host(), granted: granted.to_vec() });
        }
        let is_local = match &self.name {
            HostName::Domain(_) => self.name.is_localhost(),
            HostName::Address(address) => !address::is_public(*address),
        };
        if !self.is_encrypted && !is_local {
            return Err(HttpRefusal::Unencrypted { host: self.host() });
        }
        Ok(())
    }
}
