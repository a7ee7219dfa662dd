//! Every reader of what registries, and files of docker and podman, say, from bytes to what it makes of them: for `tests/fuzz`,
//! which knows the rules that hold of each. The program itself goes through [`Registry`](crate::Registry).

use std::path::Path;

use crate::{
    LayoutError, OciDigest, OciReference, PackageUrl, answers,
    challenge::AuthChallenge,
    credentials::{Credential, CredentialError, find_in_text, keys_of},
    layout::{self, Referrer, SIGNATURE_TYPE, StoredFile},
};

/// Reads the manifest of a package: the digest and the size of its archive.
pub fn package(bytes: &[u8]) -> Result<(OciDigest, u64), LayoutError> {
    layout::read_package(bytes).map(|file| (file.digest, file.size))
}

/// The manifest that this program writes for such an archive.
pub fn written_package(digest: &OciDigest, size: u64) -> Vec<u8> {
    let file = StoredFile { digest: digest.clone(), size };
    layout::package_manifest(&file, "weather", "1.2.0")
}

/// Reads the manifest of a signature.
pub fn signature(bytes: &[u8]) -> Result<(OciDigest, u64), LayoutError> {
    layout::read_attached(bytes, SIGNATURE_TYPE).map(|file| (file.digest, file.size))
}

/// Reads a list of referrers: the type and the digest of each that can be used.
pub fn referrers(bytes: &[u8]) -> Result<Vec<(String, OciDigest)>, LayoutError> {
    let found = layout::read_referrers(bytes)?;
    Ok(found.into_iter().map(|Referrer { kind, file }| (kind, file.digest)).collect())
}

/// Adds a signature with this digest to a list of referrers; `None` if it stands there already.
pub fn with_referrer(list: &[u8], digest: &OciDigest) -> Result<Option<Vec<u8>>, LayoutError> {
    let file = StoredFile { digest: digest.clone(), size: 1 };
    layout::with_referrer(Some(list), &Referrer { kind: SIGNATURE_TYPE.to_owned(), file })
}

/// Reads a page of tags. The error is a text.
pub fn tags(bytes: &[u8]) -> Result<Vec<String>, String> {
    answers::read_tags(bytes).map_err(|error| error.to_string())
}

/// Reads the answer of a server of tokens: the header that shows it.
pub fn token(bytes: &[u8]) -> Option<Vec<u8>> {
    answers::read_token(bytes).map(|header| header.as_bytes().to_vec())
}

/// Reads the explanation of a refusal, as it is shown.
pub fn refusal(bytes: &[u8]) -> String {
    answers::read_refusal(bytes)
}

/// Reads a header `Link`: where the next page is, from this one.
pub fn next_page(from: &PackageUrl, link: &str) -> Option<PackageUrl> {
    from.redirected(answers::next_page(link)?).ok()
}

/// Reads `WWW-Authenticate`, a value a line: the server of tokens and its service, or neither for a password.
pub fn challenge(values: &str) -> Option<Option<(String, Option<String>)>> {
    match AuthChallenge::choose(values.lines())? {
        AuthChallenge::Basic => Some(None),
        AuthChallenge::Bearer { realm, service } => Some(Some((realm, service))),
    }
}

/// Reads a file of docker or podman: what it has for a package, the secret last. Helpers answer that they know nothing.
pub fn credentials(
    bytes: &[u8],
    reference: &OciReference,
) -> Result<Option<(String, String)>, CredentialError> {
    let found = find_in_text(Path::new("auth.json"), bytes, &keys_of(reference), &|_, _| Ok(None))?;
    Ok(found.map(|found| match found {
        Credential::Password { user, password } => (user, password),
        Credential::IdentityToken(token) => (String::new(), token),
    }))
}
