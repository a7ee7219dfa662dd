//! Addresses that packages may come from. Pure.

use std::str::FromStr;

use narratoria_protocol::visible::{clip, visible_word};
use narratoria_skills::{WebOrigin, is_this_machine, redirect_target};
use ureq::http::Uri;

/// An address of a file.
///
/// Invariant: its scheme is `https`, or `http` and its host is this machine. It has no user name and no fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageUrl {
    text: String,
    uri: Uri,
}

/// Why a text is no address that packages may come from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("`{text}` is no address: {why}")]
    NotAnAddress { text: String, why: String },
    #[error("`{text}` is not `https`, and only this machine may be asked without")]
    NotSecure { text: String },
    #[error("`{text}` has a user name, and packages are fetched without one")]
    UserName { text: String },
}

/// Why a redirect is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RedirectError {
    #[error("it redirects to an address that is not followed: {0}")]
    BadAddress(UrlError),
    #[error("it redirects from another machine to this one, `{to}`")]
    ToThisMachine { to: String },
}

impl PackageUrl {
    /// Returns true if a text is meant as an address.
    pub fn is_meant(text: &str) -> bool {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        scheme.is_some_and(|scheme| scheme == "http" || scheme == "https")
    }

    pub fn parse(text: &str) -> Result<PackageUrl, UrlError> {
        let shown = || visible_word(&clip(text, 200)).into_owned();
        let bad = |why: String| UrlError::NotAnAddress { text: shown(), why };
        let text_without_fragment = text.split('#').next().unwrap_or_default();
        let uri = Uri::from_str(text_without_fragment).map_err(|error| bad(error.to_string()))?;
        let authority = uri.authority().ok_or_else(|| bad("it names no host".to_owned()))?;
        if authority.as_str().contains('@') {
            // The text may have a password, which no message repeats.
            return Err(UrlError::UserName { text: uri.host().unwrap_or_default().to_owned() });
        }
        let url = PackageUrl { text: text_without_fragment.to_owned(), uri: uri.clone() };
        match uri.scheme_str() {
            Some("https") => Ok(url),
            Some("http") if url.is_this_machine() => Ok(url),
            Some("http") => Err(UrlError::NotSecure { text: shown() }),
            _ => Err(bad("it begins with neither `https://` nor `http://`".to_owned())),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }

    pub fn ends_with_slash(&self) -> bool {
        self.uri.path().ends_with('/')
    }

    /// Returns true if the server can only be on this machine.
    pub fn is_this_machine(&self) -> bool {
        self.uri.host().is_some_and(is_this_machine)
    }

    /// Returns true if the same server answers at both addresses.
    pub(crate) fn has_origin_of(&self, other: &PackageUrl) -> bool {
        let origin = WebOrigin::of(&self.text);
        origin.is_some() && origin == WebOrigin::of(&other.text)
    }

    /// The address of a file beside this one: `path` takes the place of the last part.
    pub fn beside(&self, path: &str) -> Result<PackageUrl, UrlError> {
        let whole = self.uri.path();
        let folder = whole.rsplit_once('/').map_or("", |(folder, _)| folder);
        PackageUrl::parse(&format!("{}{folder}/{path}", self.server()))
    }

    /// The address of a file whose name is that of this one and an ending.
    pub fn with_suffix(&self, suffix: &str) -> Result<PackageUrl, UrlError> {
        let query = self.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        PackageUrl::parse(&format!("{}{}{suffix}{query}", self.server(), self.uri.path()))
    }

    /// This address with one more field in its query.
    pub(crate) fn with_field(&self, name: &str, value: &str) -> Result<PackageUrl, UrlError> {
        let mark = if self.uri.query().is_some() { '&' } else { '?' };
        let field: String =
            form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish();
        PackageUrl::parse(&format!("{}{mark}{field}", self.text))
    }

    /// Scheme, host and port, without a slash at the end.
    fn server(&self) -> String {
        let scheme = self.uri.scheme_str().unwrap_or("https");
        let authority = self.uri.authority().map_or("", |authority| authority.as_str());
        format!("{scheme}://{authority}")
    }

    /// The address that a response to this one names in `Location`, if it may be followed.
    pub(crate) fn redirected(&self, location: &str) -> Result<PackageUrl, RedirectError> {
        let not_an_address = || {
            let why = "it names no host".to_owned();
            RedirectError::BadAddress(UrlError::NotAnAddress { text: String::new(), why })
        };
        let address = redirect_target(&self.text, location).ok_or_else(not_an_address)?;
        let to = PackageUrl::parse(&address).map_err(RedirectError::BadAddress)?;
        if to.is_this_machine() && !self.is_this_machine() {
            return Err(RedirectError::ToThisMachine { to: to.text });
        }
        let is_secure = |url: &PackageUrl| url.uri.scheme_str() == Some("https");
        match is_secure(self) && !is_secure(&to) {
            true => Err(RedirectError::BadAddress(UrlError::NotSecure { text: to.text })),
            false => Ok(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PackageUrl, UrlError};

    fn parse(text: &str) -> Result<String, UrlError> {
        PackageUrl::parse(text).map(|url| url.as_str().to_owned())
    }

    #[test]
    fn an_address_is_secure_or_on_this_machine() {
        for text in [
            "https://a.example/x.skill.tar.gz",
            "https://a.example:8443/x?y=z",
            "http://127.0.0.1:80/x",
            "http://localhost/x",
            "http://[::1]:80/x",
        ] {
            assert_eq!(parse(text), Ok(text.to_owned()));
        }
        for text in [
            "http://a.example/x",
            "http://192.168.1.1/x",
            "http://localhost.a.example/x",
            "http://127.0.0.1.a.example/x",
            "http://0.0.0.0/x",
        ] {
            assert_eq!(parse(text), Err(UrlError::NotSecure { text: text.to_owned() }));
        }
        for text in ["", "x.skill.tar.gz", "/x", "ftp://a.example/x", "file:///etc/passwd"] {
            assert!(matches!(parse(text), Err(UrlError::NotAnAddress { .. })), "{text}");
        }
    }

    /// A password in an address would end in messages and in the record of the package.
    #[test]
    fn an_address_with_a_user_name_is_refused_without_its_password() {
        let error = parse("https://zoe:tide@a.example/x").unwrap_err().to_string();
        assert_eq!(error, "`a.example` has a user name, and packages are fetched without one");
    }

    #[test]
    fn a_signature_and_the_files_of_an_index_lie_beside_it() {
        let url = PackageUrl::parse("https://a.example/packages/index.json?token=1").unwrap();
        assert_eq!(
            url.beside("dice/dice-1.0.0.skill.tar.gz").unwrap().as_str(),
            "https://a.example/packages/dice/dice-1.0.0.skill.tar.gz"
        );
        assert_eq!(
            url.with_suffix(".minisig").unwrap().as_str(),
            "https://a.example/packages/index.json.minisig?token=1"
        );
    }

    #[test]
    fn a_redirect_stays_secure_and_does_not_come_to_this_machine() {
        let redirected = |from: &str, location: &str| {
            let to = PackageUrl::parse(from).unwrap().redirected(location);
            to.map(|to| to.as_str().to_owned()).map_err(|error| error.to_string())
        };
        let (far, here) = ("https://a.example/p/x", "http://127.0.0.1:80/p/x");
        for (from, location, to) in [
            (far, "https://b.example/y", "https://b.example/y"),
            (far, "//b.example/y", "https://b.example/y"),
            (far, "/y", "https://a.example/y"),
            (far, "y", "https://a.example/p/y"),
            (here, "/y", "http://127.0.0.1:80/y"),
            (here, "https://b.example/y", "https://b.example/y"),
        ] {
            assert_eq!(redirected(from, location), Ok(to.to_owned()), "{location}");
        }
        for location in ["http://a.example/y", "http://127.0.0.1/y", "https://[::1]/y", "ftp://a/y"]
        {
            assert!(redirected(far, location).is_err(), "{location}");
        }
        assert!(redirected(here, "http://b.example/y").is_err());
    }
}
