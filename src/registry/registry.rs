//! One repository of a registry: its tags, manifests and files, and the token that it wants to see.
//!
//! A tag is resolved once, by reading its manifest; everything after that goes by digest, so a tag that moves meanwhile changes
//! nothing. Each file is compared with its digest before the caller gets it.

use std::{cell::RefCell, io::Write};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use narratoria_protocol::{digest::Sha256Hasher, visible::visible_line};
use narratoria_skills::SIGNATURE_BYTES_MAX;
use semver::Version;
use ureq::http::{HeaderValue, Method, StatusCode, header};

use super::{
    address::{PackageUrl, UrlError},
    answers::{next_page, read_refusal, read_tags, read_token, secret_header},
    challenge::AuthChallenge,
    client::{WebClient, WebRequest, WebResponse},
    credentials::{Credential, CredentialError, CredentialFiles, DOCKER_HUB},
    fetch::{read_small, status_error, transfer},
    fetch_error::FetchError,
    layout::{
        LayoutError, MANIFEST_TYPE, MANIFEST_TYPES, Referrer, SIGNATURE_TYPE, StoredFile,
        read_attached, read_package, read_referrers, with_referrer,
    },
    limits::{
        PACKAGE_LAYOUT_BYTES_MAX, REFUSAL_BYTES_MAX, REGISTRY_ENTRIES_MAX, REGISTRY_LIST_BYTES_MAX,
        REGISTRY_PAGES_MAX, SIGNATURES_MAX, TOKEN_ANSWER_BYTES_MAX,
    },
    reference::{OciDigest, OciReference, version_of_tag},
};

/// The server behind the name of Docker's registry.
const DOCKER_HUB_SERVER: &str = "registry-1.docker.io";

/// Headers of registries.
const CONTENT_DIGEST: &str = "docker-content-digest";
const SUBJECT: &str = "oci-subject";

/// Who asks for a token with a token.
const CLIENT_ID: &str = "narratoria";

/// The repository of a package in a registry.
pub struct Registry<'c> {
    client: &'c WebClient,
    credentials: &'c CredentialFiles,
    /// All versions of the package.
    reference: OciReference,
    /// Ends with the name of the repository and a slash.
    base: PackageUrl,
    /// What a token has to allow.
    actions: &'static str,
    authorization: RefCell<Option<HeaderValue>>,
}

/// A package in a registry, by its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPackage {
    /// Has a digest, and the tag by which it was found.
    pub reference: OciReference,
    archive: StoredFile,
    manifest: StoredFile,
}

/// Why a registry gives or takes no package. Each is a sentence about the package.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    #[error("{0}")]
    Fetch(FetchError),
    #[error("{0}")]
    Layout(LayoutError),
    #[error("{0}")]
    Credential(CredentialError),
    #[error("there is no `{wanted}` in the registry")]
    Missing { wanted: String },
    #[error("the registry has no tag that names a version")]
    NoVersion,
    #[error("the registry sends something with the digest {found} for {wanted}")]
    WrongDigest { wanted: OciDigest, found: OciDigest },
    #[error(
        "the registry asks who you are, and no file of docker or podman has credentials for it"
    )]
    NoCredentials,
    #[error("the registry does not allow it{}", said_text(said))]
    Denied { said: String },
    #[error("the registry answers with status {status}{}", said_text(said))]
    Refused { status: u16, said: String },
    #[error("the registry's tokens come from an address that is not used: {0}")]
    BadTokenServer(UrlError),
    #[error("the registry's tokens come from this machine, `{at}`, and the registry does not")]
    TokensFromThisMachine { at: String },
    #[error("the server of tokens, `{at}`, {what}")]
    NoToken { at: String, what: String },
    #[error("the registry's list of {of} cannot be used: {why}")]
    BadList { of: &'static str, why: String },
    #[error("the registry sends a list of {of} that has no end")]
    EndlessList { of: &'static str },
    #[error("the registry names no address for the upload")]
    NoUpload,
    #[error(
        "the upload broke {breaks} times, the last time when the registry had {kept} of {size} bytes: {why}"
    )]
    UploadBroken { breaks: u32, kept: u64, size: u64, why: String },
    #[error("it has more than {SIGNATURES_MAX} signatures")]
    ManySignatures,
    #[error("the tag `{tag}` has another package already, {digest}")]
    TagTaken { tag: String, digest: OciDigest },
    #[error("the registry does not give back what it was sent: {what}")]
    NotKept { what: String },
}

impl From<FetchError> for RegistryError {
    fn from(error: FetchError) -> RegistryError {
        RegistryError::Fetch(error)
    }
}

impl From<LayoutError> for RegistryError {
    fn from(error: LayoutError) -> RegistryError {
        RegistryError::Layout(error)
    }
}

fn said_text(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}

impl FoundPackage {
    /// SHA-256 of the archive, in hexadecimal, as its manifest says it.
    pub fn archive_sha256(&self) -> &str {
        self.archive.digest.hex()
    }
}

impl<'c> Registry<'c> {
    /// The registry of a package, for reading.
    pub fn open(
        client: &'c WebClient,
        credentials: &'c CredentialFiles,
        reference: &OciReference,
    ) -> Result<Registry<'c>, RegistryError> {
        let host = reference.host();
        // A registry on this machine has no certificate.
        let scheme = if host.name.is_this_machine() { "http" } else { "https" };
        let server = match host.to_string() {
            name if name == DOCKER_HUB => DOCKER_HUB_SERVER.to_owned(),
            name => name,
        };
        let base = format!("{scheme}://{server}/v2/{}/", reference.repository());
        let failed = |error: UrlError| FetchError::Unreachable { why: error.to_string() };
        Ok(Registry {
            client,
            credentials,
            reference: reference.all_versions(),
            base: PackageUrl::parse(&base).map_err(failed)?,
            actions: "pull",
            authorization: RefCell::default(),
        })
    }

    /// The same for writing too.
    #[must_use]
    pub(crate) fn for_writing(self) -> Registry<'c> {
        Registry { actions: "pull,push", ..self }
    }

    /// Finds a package by its digest, else by its tag, else by the newest version among the tags.
    pub fn find(&self, reference: &OciReference) -> Result<FoundPackage, RegistryError> {
        let reference = match (reference.digest(), reference.tag()) {
            (None, None) => {
                let newest = self.newest()?.ok_or(RegistryError::NoVersion)?;
                let tagged = reference.with_version(&newest);
                tagged.map_err(|_| RegistryError::NoVersion)?
            }
            _ => reference.clone(),
        };
        let by_digest = reference.digest().map(OciDigest::to_string);
        let by = by_digest.as_deref().or(reference.tag()).unwrap_or_default();
        let bytes = self.manifest(by)?;
        let missing = || RegistryError::Missing { wanted: reference.to_string() };
        let bytes = bytes.ok_or_else(missing)?;
        let archive = read_package(&bytes)?;
        let manifest = StoredFile::of(&bytes);
        let reference = reference.with_digest(manifest.digest.clone());
        Ok(FoundPackage { reference, archive, manifest })
    }

    /// Writes the archive of a package into `sink`. Without an error the sink has all of it, with the right digest.
    pub fn download(
        &self,
        package: &FoundPackage,
        sink: &mut impl Write,
    ) -> Result<(), RegistryError> {
        self.blob(&package.archive, package.archive.size, sink)
    }

    /// The texts of the signatures that belong to a package. Nothing is known of them but that they are small.
    pub fn signatures(&self, package: &FoundPackage) -> Result<Vec<Vec<u8>>, RegistryError> {
        let mut referrers = self.referrers(&package.manifest.digest)?;
        referrers.retain(|referrer| referrer.kind == SIGNATURE_TYPE);
        referrers.sort_by(|one, other| one.file.digest.cmp(&other.file.digest));
        referrers.dedup();
        if referrers.len() > SIGNATURES_MAX {
            return Err(RegistryError::ManySignatures);
        }
        let mut signatures = Vec::new();
        for Referrer { file, .. } in &referrers {
            let wanted = file.digest.to_string();
            let missing = || RegistryError::Missing { wanted: wanted.clone() };
            let manifest = self.manifest(&wanted)?.ok_or_else(missing)?;
            let signature = read_attached(&manifest, SIGNATURE_TYPE)?;
            let mut bytes = Vec::new();
            self.blob(&signature, SIGNATURE_BYTES_MAX, &mut bytes)?;
            signatures.push(bytes);
        }
        Ok(signatures)
    }

    /// The newest version among the tags. One before a release counts only if there is no release.
    pub fn newest(&self) -> Result<Option<Version>, RegistryError> {
        let tags = self.tags()?;
        let versions = || tags.iter().filter_map(|tag| version_of_tag(tag));
        let release = versions().filter(|version| version.pre.is_empty()).max();
        Ok(release.or_else(|| versions().max()))
    }

    fn tags(&self) -> Result<Vec<String>, RegistryError> {
        let mut tags = Vec::new();
        self.pages("tags", "tags/list", &mut |bytes| {
            tags.extend(read_tags(bytes).map_err(|error| error.to_string())?);
            Ok(tags.len())
        })?;
        Ok(tags)
    }

    /// What has a manifest as its subject. A registry before OCI 1.1 has no such list; then it is kept under a tag.
    fn referrers(&self, subject: &OciDigest) -> Result<Vec<Referrer>, RegistryError> {
        let mut all = Vec::new();
        let listed = self.pages("referrers", &format!("referrers/{subject}"), &mut |bytes| {
            all.extend(read_referrers(bytes).map_err(|error| error.to_string())?);
            Ok(all.len())
        });
        match listed {
            Err(RegistryError::Missing { .. }) => match self.list_of_referrers(subject)? {
                Some(bytes) => Ok(read_referrers(&bytes)?),
                None => Ok(Vec::new()),
            },
            listed => listed.map(|()| all),
        }
    }

    fn list_of_referrers(&self, subject: &OciDigest) -> Result<Option<Vec<u8>>, RegistryError> {
        self.manifest_up_to(&referrers_tag(subject), REGISTRY_LIST_BYTES_MAX)
    }

    /// Reads each page of a list. `read` returns how many entries there are so far.
    fn pages(
        &self,
        of: &'static str,
        path: &str,
        read: &mut dyn FnMut(&[u8]) -> Result<usize, String>,
    ) -> Result<(), RegistryError> {
        let mut at = self.url(path)?;
        for _ in 0..REGISTRY_PAGES_MAX {
            let response = self.send(&|| WebRequest::get(&at))?;
            if response.status() == StatusCode::NOT_FOUND {
                return Err(RegistryError::Missing { wanted: self.reference.to_string() });
            }
            let response = success(response, &[StatusCode::OK])?;
            let next = response.header(header::LINK.as_str()).and_then(next_page);
            let next = next.map(|location| at.redirected(location)).transpose();
            let bytes = read_small(response, REGISTRY_LIST_BYTES_MAX)?;
            let entries = read(&bytes).map_err(|why| RegistryError::BadList { of, why })?;
            match next.map_err(FetchError::from)? {
                None => return Ok(()),
                Some(next) if next.has_origin_of(&self.base) && entries < REGISTRY_ENTRIES_MAX => {
                    at = next;
                }
                Some(_) => break,
            }
        }
        Err(RegistryError::EndlessList { of })
    }

    /// The manifest of a tag or a digest, if there is one.
    pub(crate) fn manifest(&self, by: &str) -> Result<Option<Vec<u8>>, RegistryError> {
        self.manifest_up_to(by, PACKAGE_LAYOUT_BYTES_MAX)
    }

    fn manifest_up_to(&self, by: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, RegistryError> {
        let url = self.url(&format!("manifests/{by}"))?;
        let accept = header::ACCEPT.as_str();
        let response =
            self.send(&|| WebRequest::get(&url).header(accept, MANIFEST_TYPES.to_owned()))?;
        if response.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        let response = success(response, &[StatusCode::OK])?;
        let named: Option<OciDigest> = by.parse().ok();
        let said = response.header(CONTENT_DIGEST).and_then(|digest| digest.parse().ok());
        let bytes = read_small(response, bytes_max)?;
        let found = OciDigest::of(&bytes);
        match named.or(said).filter(|wanted| *wanted != found) {
            Some(wanted) => Err(RegistryError::WrongDigest { wanted, found }),
            None => Ok(Some(bytes)),
        }
    }

    fn blob(
        &self,
        file: &StoredFile,
        bytes_max: u64,
        sink: &mut impl Write,
    ) -> Result<(), RegistryError> {
        if file.size > bytes_max {
            return Err(FetchError::TooLong { limit: bytes_max }.into());
        }
        let url = self.url(&format!("blobs/{}", file.digest))?;
        let mut hashed = HashedSink { sink, hasher: Sha256Hasher::default() };
        transfer(file.size, Some(file.size), &mut hashed, |resume| {
            self.send(&|| resume.ask(WebRequest::get(&url)))
        })?;
        let (wanted, found) = (file.digest.clone(), OciDigest::so_far(&hashed.hasher));
        match found == wanted {
            true => Ok(()),
            false => Err(RegistryError::WrongDigest { wanted, found }),
        }
    }

    /// Puts a manifest under a tag or its digest. Returns true if the registry lists it among the referrers of its subject.
    pub(crate) fn put_manifest(
        &self,
        by: &str,
        bytes: &[u8],
        media_type: &str,
    ) -> Result<bool, RegistryError> {
        let url = self.url(&format!("manifests/{by}"))?;
        let sent = self.send(&|| WebRequest::new(Method::PUT, &url).body(bytes, media_type))?;
        let sent = success(sent, &[StatusCode::CREATED, StatusCode::ACCEPTED, StatusCode::OK])?;
        Ok(sent.header(SUBJECT).is_some())
    }

    /// Puts the manifest of a file that belongs to another one, and lists it where the registry does not.
    pub(crate) fn put_referrer(
        &self,
        subject: &OciDigest,
        manifest: &[u8],
        kind: &str,
    ) -> Result<(), RegistryError> {
        let referrer = Referrer { kind: kind.to_owned(), file: StoredFile::of(manifest) };
        let by = referrer.file.digest.to_string();
        if self.put_manifest(&by, manifest, MANIFEST_TYPE)? {
            return Ok(());
        }
        let known = self.list_of_referrers(subject)?;
        if let Some(list) = with_referrer(known.as_deref(), &referrer)? {
            self.put_manifest(&referrers_tag(subject), &list, super::layout::LIST_TYPE)?;
        }
        Ok(())
    }

    pub(crate) fn url(&self, path: &str) -> Result<PackageUrl, RegistryError> {
        let url = PackageUrl::parse(&format!("{}{path}", self.base.as_str()));
        url.map_err(|error| FetchError::Unreachable { why: error.to_string() }.into())
    }

    /// Sends a request, and again with the token that the registry then asks for.
    pub(crate) fn send<'b>(
        &self,
        request: &dyn Fn() -> WebRequest<'b>,
    ) -> Result<WebResponse, RegistryError> {
        let mut is_second = false;
        loop {
            let request = request();
            let authorization = self.authorization.borrow().clone();
            let authorization = authorization.filter(|_| request.url().has_origin_of(&self.base));
            let response = self.client.send(&request.authorization(authorization))?;
            let is_challenge = response.status() == StatusCode::UNAUTHORIZED
                && response.url.has_origin_of(&self.base);
            if !is_challenge {
                return match response.status() {
                    StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                        Err(RegistryError::Denied { said: said(response) })
                    }
                    _ => Ok(response),
                };
            }
            if is_second {
                return Err(RegistryError::Denied { said: said(response) });
            }
            is_second = true;
            let authorization = self.authorize(response)?;
            *self.authorization.borrow_mut() = Some(authorization);
        }
    }

    /// What the registry wants to see.
    fn authorize(&self, response: WebResponse) -> Result<HeaderValue, RegistryError> {
        let challenge = AuthChallenge::choose(response.headers(header::WWW_AUTHENTICATE.as_str()));
        let Some(challenge) = challenge else {
            return Err(RegistryError::Denied { said: said(response) });
        };
        let credential =
            self.credentials.find(&self.reference).map_err(RegistryError::Credential)?;
        match (challenge, credential) {
            (AuthChallenge::Basic, Some(Credential::Password { user, password })) => {
                secret_header(&basic(&user, &password)).ok_or(RegistryError::NoCredentials)
            }
            (AuthChallenge::Basic, _) => Err(RegistryError::NoCredentials),
            (AuthChallenge::Bearer { realm, service }, credential) => {
                self.token(&realm, service.as_deref(), credential.as_ref())
            }
        }
    }

    /// Fetches a token. The server of tokens gets the credentials of its registry: whoever runs the one names the other.
    fn token(
        &self,
        realm: &str,
        service: Option<&str>,
        credential: Option<&Credential>,
    ) -> Result<HeaderValue, RegistryError> {
        let mut url = PackageUrl::parse(realm).map_err(RegistryError::BadTokenServer)?;
        if url.is_this_machine() && !self.base.is_this_machine() {
            let at = url.as_str().to_owned();
            return Err(RegistryError::TokensFromThisMachine { at });
        }
        let at = visible_line(url.as_str());
        let scope = format!("repository:{}:{}", self.reference.repository(), self.actions);
        let fields: Vec<(&str, &str)> = service
            .map(|service| ("service", service))
            .into_iter()
            .chain([("scope", scope.as_str())])
            .collect();
        let response = match credential {
            Some(Credential::IdentityToken(token)) => {
                let form = form_urlencoded::Serializer::new(String::new())
                    .extend_pairs(&fields)
                    .append_pair("grant_type", "refresh_token")
                    .append_pair("client_id", CLIENT_ID)
                    .append_pair("refresh_token", token)
                    .finish();
                let request = WebRequest::new(Method::POST, &url)
                    .secret_body(form.as_bytes(), "application/x-www-form-urlencoded");
                self.client.send(&request)?
            }
            credential => {
                for (name, value) in &fields {
                    let longer = url.with_field(name, value);
                    url = longer.map_err(RegistryError::BadTokenServer)?;
                }
                let authorization = match credential {
                    Some(Credential::Password { user, password }) => {
                        secret_header(&basic(user, password))
                    }
                    _ => None,
                };
                self.client.send(&WebRequest::get(&url).authorization(authorization))?
            }
        };
        let no_token = |what: String| RegistryError::NoToken { at: at.clone(), what };
        if response.status() != StatusCode::OK {
            let status = response.status().as_u16();
            let said = said_text(&said(response));
            return Err(no_token(format!("answers with status {status}{said}")));
        }
        let bytes = read_small(response, TOKEN_ANSWER_BYTES_MAX)?;
        read_token(&bytes).ok_or_else(|| no_token("sends no token that can be used".to_owned()))
    }
}

/// Passes bytes on, and makes their digest.
struct HashedSink<'s, W> {
    sink: &'s mut W,
    hasher: Sha256Hasher,
}

impl<W: Write> Write for HashedSink<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.sink.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.sink.flush()
    }
}

fn referrers_tag(subject: &OciDigest) -> String {
    format!("sha256-{}", subject.hex())
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}")))
}

/// Returns the response if it has one of these statuses.
pub(crate) fn success(
    response: WebResponse,
    statuses: &[StatusCode],
) -> Result<WebResponse, RegistryError> {
    match response.status() {
        status if statuses.contains(&status) => Ok(response),
        status @ (StatusCode::NOT_FOUND | StatusCode::GONE) => Err(status_error(status).into()),
        status => Err(RegistryError::Refused { status: status.as_u16(), said: said(response) }),
    }
}

/// The first explanation of a refusal, if there is one.
fn said(response: WebResponse) -> String {
    read_refusal(&read_small(response, REFUSAL_BYTES_MAX).unwrap_or_default())
}
