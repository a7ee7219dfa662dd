//! Names of packages in registries, `oci://a.example/team/weather:1.2.0@sha256:…`. Pure.

use std::{fmt, str::FromStr};

use narratoria_protocol::{
    digest::{Sha256Hasher, is_digest, sha256},
    visible::{clip, visible_line, visible_word},
};
use narratoria_skills::HttpHost;
use semver::Version;

const SCHEME: &str = "oci://";

/// Longest path of a repository. Registries allow 255 bytes with the host.
const REPOSITORY_BYTES_MAX: usize = 255;

/// Longest tag: the limit of OCI.
const TAG_BYTES_MAX: usize = 128;

/// The digest of a manifest or a file. SHA-256 is the one that every registry has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OciDigest(String);

/// A package in a registry, or all its versions if neither tag nor digest is named.
///
/// Invariant: its text is read as the same reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OciReference {
    host: HttpHost,
    repository: String,
    tag: Option<String>,
    digest: Option<OciDigest>,
}

/// Why a text names no package in a registry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` names no package in a registry: {why}")]
pub struct OciReferenceError {
    text: String,
    why: String,
}

impl OciDigest {
    pub(crate) fn of(bytes: &[u8]) -> OciDigest {
        OciDigest(sha256(bytes))
    }

    /// The digest of what was hashed so far.
    pub(crate) fn so_far(hasher: &Sha256Hasher) -> OciDigest {
        OciDigest(hasher.hex())
    }

    /// The 64 digits, without the name of the algorithm.
    pub fn hex(&self) -> &str {
        &self.0
    }
}

impl FromStr for OciDigest {
    type Err = String;

    fn from_str(text: &str) -> Result<OciDigest, String> {
        let hex = text.strip_prefix("sha256:").filter(|hex| is_digest(hex));
        hex.map(|hex| OciDigest(hex.to_owned())).ok_or_else(|| {
            format!("`{}` is no digest, which is `sha256:` and 64 digits", shown(text))
        })
    }
}

impl fmt::Display for OciDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.0)
    }
}

impl OciReference {
    /// Returns true if a text is meant as a reference.
    pub fn is_meant(text: &str) -> bool {
        text.get(..SCHEME.len()).is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME))
    }

    pub fn parse(text: &str) -> Result<OciReference, OciReferenceError> {
        let failed = |why: String| OciReferenceError { text: shown(text), why };
        let because = |why: &str| failed(why.to_owned());
        let rest = text.get(SCHEME.len()..).filter(|_| OciReference::is_meant(text));
        let rest = rest.ok_or_else(|| because("it does not begin with `oci://`"))?;
        let (named, digest) = match rest.split_once('@') {
            // What stands before is a user name, and may be a password.
            Some((user, place)) if !user.contains('/') && place.contains('/') => {
                let text = format!("{SCHEME}…@{}", shown(place));
                let why = "it has a user name; credentials stand in the files of docker and podman";
                return Err(OciReferenceError { text, why: why.to_owned() });
            }
            Some((named, digest)) => (named, Some(digest.parse::<OciDigest>().map_err(failed)?)),
            None => (rest, None),
        };
        let (host, path) =
            named.split_once('/').ok_or_else(|| because("it has no `/` behind its host"))?;
        let host =
            HttpHost::parse(host).map_err(|error| failed(shown_error(&error.to_string())))?;
        let (repository, tag) = match path.split_once(':') {
            Some((repository, tag)) => (repository, Some(tag.to_owned())),
            None => (path, None),
        };
        if repository.len() > REPOSITORY_BYTES_MAX || !repository.split('/').all(is_path_part) {
            return Err(failed(format!(
                "`{}` is no name of a repository, which has lower-case letters, digits, `-`, `_` and `.` between `/`",
                shown(repository)
            )));
        }
        if let Some(tag) = tag.as_deref().filter(|tag| !is_tag(tag)) {
            return Err(failed(format!(
                "`{}` is no tag, which has at most {TAG_BYTES_MAX} letters, digits, `-`, `_` and `.`",
                shown(tag)
            )));
        }
        Ok(OciReference { host, repository: repository.to_owned(), tag, digest })
    }

    pub fn host(&self) -> &HttpHost {
        &self.host
    }

    pub fn repository(&self) -> &str {
        &self.repository
    }

    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    pub fn digest(&self) -> Option<&OciDigest> {
        self.digest.as_ref()
    }

    /// The version that the tag names, if it names one.
    pub fn version(&self) -> Option<Version> {
        version_of_tag(self.tag()?)
    }

    /// All versions of this package.
    #[must_use]
    pub fn all_versions(&self) -> OciReference {
        OciReference { tag: None, digest: None, ..self.clone() }
    }

    /// This package with the tag of a version.
    pub fn with_version(&self, version: &Version) -> Result<OciReference, OciReferenceError> {
        let tag = tag_of_version(version);
        if !is_tag(&tag) {
            let why = format!("the version {version} is too long for a tag");
            return Err(OciReferenceError { text: self.to_string(), why });
        }
        Ok(OciReference { tag: Some(tag), ..self.all_versions() })
    }

    /// This package, and this very form of it.
    #[must_use]
    pub fn with_digest(&self, digest: OciDigest) -> OciReference {
        OciReference { digest: Some(digest), ..self.clone() }
    }
}

impl fmt::Display for OciReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OciReference { host, repository, tag, digest } = self;
        write!(f, "{SCHEME}{host}/{repository}")?;
        if let Some(tag) = tag {
            write!(f, ":{tag}")?;
        }
        if let Some(digest) = digest {
            write!(f, "@{digest}")?;
        }
        Ok(())
    }
}

/// The tag of a version. A tag has no `+`; `_`, which no version has, takes its place, as Helm does it.
pub(crate) fn tag_of_version(version: &Version) -> String {
    version.to_string().replace('+', "_")
}

/// The version that a tag names; `None` for others, such as `latest`.
pub(crate) fn version_of_tag(tag: &str) -> Option<Version> {
    Version::parse(&tag.replacen('_', "+", 1)).ok()
}

/// The grammar of OCI: letters and digits, between which stand `.`, `_`, `__` or any number of `-`.
fn is_path_part(part: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit();
    let is_separator =
        |text: &str| matches!(text, "" | "." | "_" | "__") || text.bytes().all(|byte| byte == b'-');
    part.starts_with(is_plain) && part.ends_with(is_plain) && part.split(is_plain).all(is_separator)
}

fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.len() <= TAG_BYTES_MAX
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|byte| is_word(byte) || b".-".contains(&byte))
}

/// The error of a host quotes it as it was given.
fn shown_error(error: &str) -> String {
    visible_line(&clip(error, 300))
}

fn shown(text: &str) -> String {
    visible_word(&clip(text, 200)).into_owned()
}

#[cfg(test)]
mod tests {
    use semver::Version;

    use super::{OciReference, tag_of_version, version_of_tag};

    #[track_caller]
    fn refused(text: &str, words: &str) {
        let error = OciReference::parse(text).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }

    #[test]
    fn a_reference_has_a_host_a_repository_and_maybe_a_tag_and_a_digest() {
        let digest = format!("sha256:{}", "a".repeat(64));
        for text in [
            "oci://a.example/weather",
            "oci://a.example:5000/team/sub/weather:1.2.0",
            "oci://127.0.0.1:5000/we-a__th.er_1:latest",
            "oci://[::1]:5000/weather",
            &format!("oci://localhost/a--b@{digest}"),
            &format!("oci://a.example/weather:1.2.0@{digest}"),
        ] {
            assert_eq!(OciReference::parse(text).unwrap().to_string(), text);
        }
        let whole = format!("OCI://A.example/weather:1.2.0-rc.1_b2@{digest}");
        let reference = OciReference::parse(&whole).unwrap();
        assert_eq!(reference.host().to_string(), "a.example");
        assert_eq!(reference.version(), Some(Version::parse("1.2.0-rc.1+b2").unwrap()));
        assert_eq!(reference.digest().unwrap().to_string(), digest);
        assert_eq!(reference.all_versions().to_string(), "oci://a.example/weather");
    }

    #[test]
    fn a_text_that_is_no_reference_is_refused_with_the_reason() {
        refused("https://a.example/x", "it does not begin with `oci://`");
        refused("oci://weather", "it has no `/` behind its host");
        refused("oci:///weather", "is not a host");
        refused("oci://a.example:0/weather", "has no usable port");
        for path in [
            "", "Weather", "a//b", "/a", "a/", ".a", "a.", "a..b", "a___b", "a+b", "a%2fb", "../x",
            "ä",
        ] {
            refused(&format!("oci://a.example/{path}"), "is no name of a repository");
        }
        refused(&format!("oci://a.example/{}", "a".repeat(256)), "is no name of a repository");
        for tag in ["", ".a", "-a", "a+b", "a/b", "a:b", &"a".repeat(129)] {
            refused(&format!("oci://a.example/x:{tag}"), "is no tag");
        }
        for digest in ["", "sha256:", "sha512:abc", &format!("sha256:{}", "A".repeat(64))] {
            refused(&format!("oci://a.example/x@{digest}"), "is no digest");
        }
        let error = OciReference::parse("oci://zoe:tide@a.example/x").unwrap_err().to_string();
        assert!(error.contains("has a user name") && !error.contains("tide"), "{error}");
    }

    #[test]
    fn a_version_and_its_tag_are_one() {
        for version in ["1.2.0", "1.2.0-rc.1", "1.2.0+build.5", "1.2.0-a.b-c+d-e"] {
            let version = Version::parse(version).unwrap();
            assert_eq!(version_of_tag(&tag_of_version(&version)), Some(version));
        }
        for tag in ["latest", "1.2", "v1.2.0", "1.2.0_a_b"] {
            assert_eq!(version_of_tag(tag), None, "{tag}");
        }
    }
}
