//! Puts a package into a registry. The tag moves last, after everything has been read back: a package that others would find is
//! whole, with its signature.

use narratoria_protocol::{JsonBounds, read_json};
use semver::Version;

use super::{
    layout::{
        EMPTY, MANIFEST_TYPE, SIGNATURE_TYPE, StoredFile, attached_manifest, package_manifest,
    },
    reference::{OciDigest, OciReference, OciReferenceError},
    registry::{Registry, RegistryError},
};

/// A package that is to be published.
#[derive(Debug)]
pub struct Publication<'b> {
    pub name: &'b str,
    pub version: &'b Version,
    /// What `narratoria skill pack` has written.
    pub archive: &'b [u8],
    pub attachments: Vec<Attachment>,
    /// True if the tag may move away from another package.
    pub replaces: bool,
}

/// A file that belongs to a package.
#[derive(Debug)]
pub struct Attachment {
    pub kind: AttachmentKind,
    pub bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachmentKind {
    Signature,
    /// A list of what is in the package.
    CycloneDx,
    Spdx,
}

/// A package that others find from now on.
#[derive(Debug)]
pub struct Published {
    /// Has the tag and the digest.
    pub reference: OciReference,
    /// True if the tag had this very package before.
    pub is_unchanged: bool,
}

impl AttachmentKind {
    /// Returns the kind of a list of parts; `None` if it is in neither of the two known forms.
    pub fn of_sbom(bytes: &[u8]) -> Option<AttachmentKind> {
        let document = read_json(bytes, JsonBounds::of_bytes(bytes.len())).ok()?;
        match document.get("bomFormat").and_then(|format| format.as_str()) {
            Some("CycloneDX") => Some(AttachmentKind::CycloneDx),
            _ => document.get("spdxVersion")?.as_str().map(|_| AttachmentKind::Spdx),
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            AttachmentKind::Signature => SIGNATURE_TYPE,
            AttachmentKind::CycloneDx => "application/vnd.cyclonedx+json",
            AttachmentKind::Spdx => "application/spdx+json",
        }
    }
}

impl OciReference {
    /// The reference under which a version is published: its own tag, else that of the version.
    pub fn for_publishing(&self, version: &Version) -> Result<OciReference, OciReferenceError> {
        match self.tag() {
            Some(_) => Ok(self.clone()),
            None => self.with_version(version),
        }
    }
}

impl Registry<'_> {
    /// Publishes a package under the tag of this reference.
    pub fn publish(
        self,
        reference: &OciReference,
        publication: &Publication<'_>,
    ) -> Result<Published, RegistryError> {
        let registry = self.for_writing();
        let Publication { name, version, archive, attachments, replaces } = publication;
        let tag = reference.tag().unwrap_or_default();
        let file = StoredFile::of(archive);
        let manifest = package_manifest(&file, name, &version.to_string());
        let subject = StoredFile::of(&manifest);
        let known = registry.manifest(tag)?.map(|known| OciDigest::of(&known));
        let is_unchanged = known.as_ref() == Some(&subject.digest);
        if let Some(digest) = known.filter(|_| !is_unchanged && !replaces) {
            return Err(RegistryError::TagTaken { tag: tag.to_owned(), digest });
        }
        registry.upload(EMPTY, &StoredFile::of(EMPTY))?;
        registry.upload(archive, &file)?;
        registry.put_manifest(&subject.digest.to_string(), &manifest, MANIFEST_TYPE)?;
        for Attachment { kind, bytes } in attachments {
            let file = StoredFile::of(bytes);
            registry.upload(bytes, &file)?;
            let attached = attached_manifest(&file, kind.media_type(), &subject);
            registry.put_referrer(&subject.digest, &attached, kind.media_type())?;
        }
        let reference = reference.with_digest(subject.digest);
        registry.check_published(&reference, publication)?;
        if !is_unchanged {
            registry.put_manifest(tag, &manifest, MANIFEST_TYPE)?;
        }
        Ok(Published { reference, is_unchanged })
    }

    /// Reads everything back, as an installation does.
    fn check_published(
        &self,
        reference: &OciReference,
        publication: &Publication<'_>,
    ) -> Result<(), RegistryError> {
        let not_kept = |what: &str| RegistryError::NotKept { what: what.to_owned() };
        let found = self.find(reference)?;
        let mut archive = Vec::new();
        self.download(&found, &mut archive)?;
        if archive != publication.archive {
            return Err(not_kept("another archive"));
        }
        let signatures = self.signatures(&found)?;
        let is_there = |attachment: &Attachment| signatures.contains(&attachment.bytes);
        let is_signature = |one: &&Attachment| one.kind == AttachmentKind::Signature;
        match publication.attachments.iter().filter(is_signature).all(is_there) {
            true => Ok(()),
            false => Err(not_kept("no signature")),
        }
    }
}
