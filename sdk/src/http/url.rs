//! Web addresses, as far as a request needs them: RFC 3986 without the fragment after `#`.

use std::fmt;

use crate::SkillError;

/// `http://` or `https://`, a host, a path with its query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    pub(super) is_encrypted: bool,
    /// Host, and a port if there is one.
    pub(super) authority: String,
    /// Begins with `/`.
    pub(super) path: String,
}

impl Url {
    pub(super) fn parse(text: &str) -> Result<Url, SkillError> {
        let text = text.split('#').next().unwrap_or_default();
        let wrong = || {
            let message =
                format!("`{text}` is no address that begins with `https://` or `http://`");
            SkillError::new(SkillError::HTTP_FAILED, message)
        };
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        let is_encrypted = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(wrong()),
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if authority.is_empty()
            || text.contains(|letter: char| letter.is_control() || letter == ' ')
        {
            return Err(wrong());
        }
        let slash = if path.starts_with('/') { "" } else { "/" };
        let path = format!("{slash}{path}");
        Ok(Url { is_encrypted, authority: authority.to_owned(), path })
    }

    /// The target of a link in the document at this address.
    pub(super) fn join(&self, link: &str) -> Result<Url, SkillError> {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        let name_end = link.find(['/', '?', '#']).unwrap_or(link.len());
        if link[..name_end].contains(':') {
            return Url::parse(link);
        }
        if let Some(rest) = link.strip_prefix("//") {
            return Url::parse(&format!("{scheme}://{rest}"));
        }
        let here = self.path.split('?').next().unwrap_or("/");
        let path = match link.chars().next() {
            Some('/') => link.to_owned(),
            Some('?') => format!("{here}{link}"),
            None | Some('#') => self.path.clone(),
            Some(_) => {
                let folder = here.rfind('/').map_or("/", |at| &here[..=at]);
                format!("{folder}{link}")
            }
        };
        let (path, query) = match path.find(['?', '#']) {
            Some(at) => path.split_at(at),
            None => (path.as_str(), ""),
        };
        Url::parse(&format!("{scheme}://{}{}{query}", self.authority, without_dots(path)))
    }

    /// Scheme, host and port: a secret is meant for them alone.
    pub(super) fn host(&self) -> (bool, &str) {
        (self.is_encrypted, &self.authority)
    }
}

/// Removes `.` and `..` parts; a `..` at the top goes too.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    for (idx, part) in parts.iter().enumerate() {
        let is_last = idx + 1 == parts.len();
        match *part {
            "." | ".." => {
                if *part == ".." {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            part => kept.push(part),
        }
    }
    format!("/{}", kept.join("/"))
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::Url;

    #[test]
    fn links_lead_where_a_browser_would_go() {
        let base = Url::parse("https://a.example:8443/one/two?three#four").unwrap();
        let check = |link: &str, expect: &str| {
            let target = match base.join(link) {
                Ok(url) => url.to_string(),
                Err(error) => error.message,
            };
            assert_eq!(target, expect, "{link}");
        };
        check("http://b.example", "http://b.example/");
        check("HTTPS://b.example?x=/y", "https://b.example/?x=/y");
        check("//b.example/c", "https://b.example/c");
        check("/c?d#e", "https://a.example:8443/c?d");
        check("c", "https://a.example:8443/one/c");
        check("../c", "https://a.example:8443/c");
        check("../../../c/./d/..", "https://a.example:8443/c/");
        check("?x", "https://a.example:8443/one/two?x");
        check("#x", "https://a.example:8443/one/two?three");
        check("c:8", "`c:8` is no address that begins with `https://` or `http://`");
        check(
            "file:///etc/passwd",
            "`file:///etc/passwd` is no address that begins with `https://` or `http://`",
        );
        check(
            "http://a b/",
            "`http://a b/` is no address that begins with `https://` or `http://`",
        );
    }
}
