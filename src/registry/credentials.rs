//! Credentials for registries, in the files of docker and podman: `config.json` and `auth.json`. Reads the files that it is given,
//! and asks the helpers that they name; keeps nothing.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use narratoria_protocol::{JsonBounds, StrictJsonError, read_json_as};
use narratoria_skills::{OutsideFileError, read_outside};
use serde::Deserialize;

use super::{
    helper::{HelperError, ask_helper},
    limits::CREDENTIAL_FILE_BYTES_MAX,
    reference::OciReference,
};

/// The registry of Docker, by the name that people write, and the names under which its credentials are kept.
pub(crate) const DOCKER_HUB: &str = "docker.io";
const DOCKER_HUB_KEYS: &[&str] =
    &["https://index.docker.io/v1/", "index.docker.io", "registry-1.docker.io"];

/// The user name that a helper gives with a token in place of a password.
const TOKEN_USER: &str = "<token>";

/// The files that may have credentials. The first one that has some for a registry counts.
#[derive(Debug, Clone, Default)]
pub struct CredentialFiles(Vec<PathBuf>);

/// What a registry gets to know who asks.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Credential {
    Password {
        user: String,
        password: String,
    },
    /// Is exchanged for a token of each request.
    IdentityToken(String),
}

/// Why credentials cannot be had. Going on without would look like a registry that does not know its user.
#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    #[error("the file of credentials `{}` {why}", path.display())]
    Unreadable { path: PathBuf, why: OutsideFileError },
    #[error("the file of credentials `{}` cannot be used: {why}", path.display())]
    NotJson { path: PathBuf, why: String },
    /// The value is a secret, so no message repeats it.
    #[error("`auth` of `{key}` in `{}` is not a name and a password in base64", path.display())]
    BadEntry { path: PathBuf, key: String },
    #[error("the file of credentials `{}` names a helper, and {why}", path.display())]
    Helper { path: PathBuf, why: HelperError },
}

/// The document; both programs write it in this form.
#[derive(Deserialize)]
struct CredentialFileJson {
    #[serde(default)]
    auths: BTreeMap<String, AuthEntryJson>,
    #[serde(default, rename = "credHelpers")]
    helpers: BTreeMap<String, String>,
    #[serde(rename = "credsStore")]
    store: Option<String>,
}

/// Empty where the program keeps the credentials elsewhere.
#[derive(Deserialize)]
struct AuthEntryJson {
    auth: Option<String>,
    #[serde(rename = "identitytoken")]
    identity_token: Option<String>,
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Credential::Password { user, .. } => write!(f, "Password {{ user: {user:?} }}"),
            Credential::IdentityToken(_) => write!(f, "IdentityToken"),
        }
    }
}

impl CredentialFiles {
    pub fn new(files: Vec<PathBuf>) -> CredentialFiles {
        CredentialFiles(files)
    }

    /// Returns what to show the registry of a package; `None` if no file has anything.
    pub(crate) fn find(
        &self,
        reference: &OciReference,
    ) -> Result<Option<Credential>, CredentialError> {
        let keys = keys_of(reference);
        for path in &self.0 {
            if let Some(found) = find_in_file(path, &keys)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// The names under which a file may have the credentials, the most exact first: podman's files name repositories too.
pub(crate) fn keys_of(reference: &OciReference) -> Vec<String> {
    let host = reference.host().to_string();
    let path = format!("{host}/{}", reference.repository());
    let mut keys = vec![path.clone()];
    keys.extend(path.rmatch_indices('/').map(|(at, _)| path[..at].to_owned()));
    keys.extend(["https://", "http://"].map(|scheme| format!("{scheme}{host}")));
    if host == DOCKER_HUB {
        keys.extend(DOCKER_HUB_KEYS.iter().map(|key| (*key).to_owned()));
    }
    keys
}

/// What a helper of this name answers about a registry.
pub(crate) type AskHelper<'a> =
    &'a dyn Fn(&str, &str) -> Result<Option<(String, String)>, HelperError>;

fn find_in_file(path: &Path, keys: &[String]) -> Result<Option<Credential>, CredentialError> {
    let bytes = match read_outside(path, CREDENTIAL_FILE_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(OutsideFileError::Missing) => return Ok(None),
        Err(why) => return Err(CredentialError::Unreadable { path: path.to_owned(), why }),
    };
    find_in_text(path, &bytes, keys, &ask_helper)
}

/// Looks credentials up in the text of a file; `path` is for errors.
pub(crate) fn find_in_text(
    path: &Path,
    bytes: &[u8],
    keys: &[String],
    ask: AskHelper<'_>,
) -> Result<Option<Credential>, CredentialError> {
    let bounds = JsonBounds::of_bytes(CREDENTIAL_FILE_BYTES_MAX as usize);
    let file: CredentialFileJson = read_json_as(bytes, bounds).map_err(|error| {
        let why = match error {
            // The error would quote the value in the wrong place, which may be a secret.
            StrictJsonError::Shape { .. } => {
                "its form is not the one of docker and podman".to_owned()
            }
            error => error.to_string(),
        };
        CredentialError::NotJson { path: path.to_owned(), why }
    })?;
    let found_in = |name: &str, key: &str| -> Result<Option<Credential>, CredentialError> {
        let failed = |why| CredentialError::Helper { path: path.to_owned(), why };
        let answer = ask(name, key).map_err(failed)?;
        Ok(answer.map(|(user, secret)| match user.as_str() {
            TOKEN_USER => Credential::IdentityToken(secret),
            _ => Credential::Password { user, password: secret },
        }))
    };
    let helped = keys.iter().find_map(|key| file.helpers.get_key_value(key));
    if let Some((key, helper)) = helped {
        return found_in(helper, key);
    }
    let entry = keys.iter().find_map(|key| file.auths.get_key_value(key));
    if let Some(store) = file.store.as_deref().filter(|store| !store.is_empty()) {
        // The store knows a registry under the name that `docker login` was given, which stands among the entries too.
        let host = keys.iter().find(|key| !key.contains('/')).map_or("", String::as_str);
        let key = entry.map_or(host, |(key, _)| key);
        if let Some(found) = found_in(store, key)? {
            return Ok(Some(found));
        }
    }
    match entry {
        Some((key, entry)) => entry
            .credential()
            .map_err(|()| CredentialError::BadEntry { path: path.to_owned(), key: key.clone() }),
        None => Ok(None),
    }
}

impl AuthEntryJson {
    fn credential(&self) -> Result<Option<Credential>, ()> {
        let is_given = |text: &&String| !text.is_empty();
        if let Some(token) = self.identity_token.as_ref().filter(is_given) {
            return Ok(Some(Credential::IdentityToken(token.clone())));
        }
        let Some(auth) = self.auth.as_ref().filter(is_given) else { return Ok(None) };
        let bytes = BASE64_STANDARD.decode(auth).map_err(|_| ())?;
        let text = String::from_utf8(bytes).map_err(|_| ())?;
        let (user, password) = text.split_once(':').ok_or(())?;
        // Docker once wrote a zero at the end.
        let (user, password) = (user.to_owned(), password.trim_end_matches('\0').to_owned());
        Ok(Some(Credential::Password { user, password }))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use base64::{Engine as _, prelude::BASE64_STANDARD};
    use serde_json::json;
    use tempfile::TempDir;

    use super::{CredentialFiles, keys_of};
    use crate::OciReference;

    /// What these files say about a package, in their order.
    fn found(files: &[&str], reference: &str) -> String {
        let folder = TempDir::new().unwrap();
        let paths = files.iter().enumerate().map(|(at, text)| {
            let path = folder.path().join(format!("{at}.json"));
            fs::write(&path, text).unwrap();
            path
        });
        let mut paths: Vec<_> = paths.collect();
        paths.insert(0, folder.path().join("missing.json"));
        let files = CredentialFiles::new(paths);
        let found = files.find(&OciReference::parse(reference).unwrap());
        let place = folder.path().display().to_string();
        match found {
            Ok(Some(super::Credential::Password { user, password })) => {
                format!("{user} {password}")
            }
            Ok(Some(super::Credential::IdentityToken(token))) => format!("token {token}"),
            Ok(None) => "none".to_owned(),
            Err(error) => error.to_string().replace(&place, "[folder]"),
        }
    }

    fn auth(user: &str) -> serde_json::Value {
        json!({"auth": BASE64_STANDARD.encode(format!("{user}:ti:de"))})
    }

    #[test]
    fn the_most_exact_entry_of_the_first_file_that_has_one_counts() {
        let first = json!({"auths": {"b.example": auth("ben")}}).to_string();
        let second = json!({"auths": {
            "a.example": auth("ann"), "a.example/team": auth("team"), "https://c.example": auth("cy"),
            "https://index.docker.io/v1/": auth("dot"), "b.example": auth("other"),
            "d.example": {"identitytoken": "long-lived"}, "e.example": {},
        }, "HttpHeaders": {}, "credsStore": ""})
        .to_string();
        let found = |reference: &str| found(&[&first, &second], reference);
        assert_eq!(found("oci://a.example/weather"), "ann ti:de");
        assert_eq!(found("oci://a.example/team/weather"), "team ti:de");
        assert_eq!(found("oci://a.example/teams/weather"), "ann ti:de");
        assert_eq!(found("oci://b.example/weather"), "ben ti:de");
        assert_eq!(found("oci://c.example/weather"), "cy ti:de");
        assert_eq!(found("oci://docker.io/acme/weather"), "dot ti:de");
        assert_eq!(found("oci://d.example/weather"), "token long-lived");
        for none in ["oci://e.example/x", "oci://a.example:5000/x", "oci://b.a.example/x"] {
            assert_eq!(found(none), "none", "{none}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named_and_no_message_has_a_secret() {
        let one = |text: &str| found(&[text], "oci://a.example/x");
        assert!(one("{").starts_with("the file of credentials `[folder]/0.json` cannot be used: "));
        assert_eq!(
            one(r#"{"auths": {"a.example": "dGlkZQ=="}}"#),
            "the file of credentials `[folder]/0.json` cannot be used: its form is not the one of docker and podman"
        );
        for bad in ["%%%", "dGlkZQ=="] {
            let text = one(&json!({"auths": {"a.example": {"auth": bad}}}).to_string());
            let expect =
                "`auth` of `a.example` in `[folder]/0.json` is not a name and a password in base64";
            assert_eq!(text, expect);
        }
        let helper = json!({"credHelpers": {"a.example": "../../bin/sh"}}).to_string();
        assert_eq!(
            one(&helper),
            "the file of credentials `[folder]/0.json` names a helper, and `../../bin/sh` is no name of one"
        );
        let missing = json!({"credsStore": "narratoria-has-none"}).to_string();
        let text = one(&missing);
        assert!(text.contains("`docker-credential-narratoria-has-none` cannot be run: "), "{text}");
        let shown = format!(
            "{:?}",
            super::Credential::Password { user: "zoe".to_owned(), password: "tide".to_owned() }
        );
        assert!(!shown.contains("tide"), "{shown}");
    }

    #[test]
    fn repositories_are_looked_up_before_their_host() {
        let keys = keys_of(&OciReference::parse("oci://a.example:5000/b/c").unwrap());
        let expect = ["a.example:5000/b/c", "a.example:5000/b", "a.example:5000"];
        assert_eq!(keys[..3], expect);
    }
}
