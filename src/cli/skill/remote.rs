//! What the commands know of servers of packages: whether they may be asked, where credentials lie, and how an error reads.

use std::path::PathBuf;

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::visible::visible_word;
use narratoria_registry::{
    CredentialFiles, FetchError, OciReference, PackageUrl, Registry, RegistryError, WebClient,
};

use crate::environment::raw_variable;

/// Servers of packages.
pub(super) struct Remote {
    pub(super) client: WebClient,
    credentials: CredentialFiles,
}

impl Remote {
    pub(super) fn new(is_offline: bool) -> Remote {
        let client = WebClient::new(is_offline);
        Remote { client, credentials: CredentialFiles::new(credential_files()) }
    }

    /// The registry that a package is in.
    pub(super) fn registry(&self, reference: &OciReference) -> Result<Registry<'_>, TurnError> {
        Registry::open(&self.client, &self.credentials, reference)
            .map_err(|error| registry_failed("fetched", reference, error))
    }
}

/// The files in which podman and docker keep credentials, in podman's order. A file that a variable names is the only one.
fn credential_files() -> Vec<PathBuf> {
    let folder =
        |variable: &str| raw_variable(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
    if let Some(file) = folder("REGISTRY_AUTH_FILE") {
        return vec![file];
    }
    let home = folder("HOME");
    let in_home = |path: &str| home.as_ref().map(|home| home.join(path));
    let files = [
        folder("XDG_RUNTIME_DIR").map(|at| at.join("containers/auth.json")),
        folder("XDG_CONFIG_HOME").or(in_home(".config")).map(|at| at.join("containers/auth.json")),
        folder("DOCKER_CONFIG").or(in_home(".docker")).map(|at| at.join("config.json")),
    ];
    files.into_iter().flatten().collect()
}

/// The error of a download, with the address.
pub(super) fn failed(what: &str, url: &PackageUrl, error: FetchError) -> TurnError {
    let shown = visible_word(url.as_str()).into_owned();
    let text = format!("the {what} `{shown}` is not fetched: {error}");
    with_way_out(TurnError::new(kind_of(&error), text), &error)
}

/// The error of a registry, with the package. `done` says what was to be done.
pub(super) fn registry_failed(
    done: &str,
    reference: &OciReference,
    error: RegistryError,
) -> TurnError {
    let text = format!("the package `{reference}` is not {done}: {error}");
    let host = reference.host();
    match &error {
        RegistryError::Fetch(cause) => with_way_out(TurnError::new(kind_of(cause), text), cause),
        RegistryError::Missing { .. } => TurnError::new(TurnErrorKind::NotFound, text),
        RegistryError::NoCredentials => TurnError::new(TurnErrorKind::Refused, text)
            .hint(format!("`docker login {host}` and `podman login {host}` keep them")),
        RegistryError::Denied { .. } => TurnError::new(TurnErrorKind::Refused, text)
            .hint(format!("`docker login {host}` and `podman login {host}` take another account")),
        RegistryError::TagTaken { .. } => TurnError::new(TurnErrorKind::Refused, text)
            .hint("publish another version; `--force` moves the tag"),
        RegistryError::UploadBroken { .. } => TurnError::new(TurnErrorKind::BadInput, text)
            .hint("the same command again sends the files that the registry has not"),
        RegistryError::WrongDigest { .. } => TurnError::new(TurnErrorKind::Refused, text),
        _ => TurnError::new(TurnErrorKind::BadInput, text),
    }
}

fn kind_of(error: &FetchError) -> TurnErrorKind {
    match error {
        FetchError::NotThere => TurnErrorKind::NotFound,
        FetchError::Offline => TurnErrorKind::Refused,
        _ => TurnErrorKind::BadInput,
    }
}

fn with_way_out(failed: TurnError, error: &FetchError) -> TurnError {
    match error {
        FetchError::Offline => failed.hint("unset NARRATORIA_OFFLINE, or leave out `--offline`"),
        _ => failed,
    }
}
