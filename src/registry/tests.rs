//! A registry of this process that keeps what it gets, and does wrong what a test wants it to do wrong.

mod credentials;
mod hostile;
mod publishing;
mod readers;
mod server;
mod uploads;

use semver::Version;
use tempfile::TempDir;

use self::server::FakeRegistry;
use crate::{
    Attachment, AttachmentKind, CredentialFiles, FoundPackage, OciReference, Publication,
    Published, Registry, RegistryError, WebClient,
};

const ARCHIVE: &[u8] = b"the bytes of an archive, which no registry reads";

/// A machine with files of credentials.
struct RegistryVisitor {
    client: WebClient,
    credentials: CredentialFiles,
    _folder: TempDir,
}

impl RegistryVisitor {
    fn stranger() -> RegistryVisitor {
        RegistryVisitor::with("{}")
    }

    /// With this text in the only file of credentials.
    fn with(text: &str) -> RegistryVisitor {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("auth.json");
        std::fs::write(&file, text).unwrap();
        let credentials = CredentialFiles::new(vec![file]);
        RegistryVisitor { client: WebClient::new(true), credentials, _folder: folder }
    }

    fn registry(&self, reference: &OciReference) -> Registry<'_> {
        Registry::open(&self.client, &self.credentials, reference).unwrap()
    }

    fn publish(
        &self,
        server: &FakeRegistry,
        version: &str,
        archive: &[u8],
        signature: Option<&[u8]>,
    ) -> Result<Published, RegistryError> {
        self.publish_in(&server.reference(""), version, archive, signature)
    }

    /// Publishes in a registry by its address.
    fn publish_at(
        &self,
        host: &str,
        version: &str,
        archive: &[u8],
    ) -> Result<Published, RegistryError> {
        let reference = OciReference::parse(&format!("oci://{host}/team/weather")).unwrap();
        self.publish_in(&reference, version, archive, None)
    }

    fn publish_in(
        &self,
        reference: &OciReference,
        version: &str,
        archive: &[u8],
        signature: Option<&[u8]>,
    ) -> Result<Published, RegistryError> {
        let version = Version::parse(version).unwrap();
        let reference = reference.for_publishing(&version).unwrap();
        let signature = signature
            .map(|bytes| Attachment { kind: AttachmentKind::Signature, bytes: bytes.to_vec() });
        let publication = Publication {
            name: "weather",
            version: &version,
            archive,
            attachments: signature.into_iter().collect(),
            replaces: false,
        };
        self.registry(&reference).publish(&reference, &publication)
    }

    /// Finds and downloads, as an installation does. `behind` stands behind the name of the repository.
    fn pull(
        &self,
        server: &FakeRegistry,
        behind: &str,
    ) -> Result<(FoundPackage, Vec<u8>), RegistryError> {
        let reference = server.reference(behind);
        let registry = self.registry(&reference);
        let found = registry.find(&reference)?;
        let mut archive = Vec::new();
        registry.download(&found, &mut archive)?;
        Ok((found, archive))
    }

    /// The error of a pull, as text.
    fn pull_error(&self, server: &FakeRegistry, behind: &str) -> String {
        self.pull(server, behind).unwrap_err().to_string()
    }
}

/// A registry with the package 1.2.0.
fn published() -> (FakeRegistry, RegistryVisitor, Published) {
    let (server, visitor) = (FakeRegistry::start(), RegistryVisitor::stranger());
    let published = visitor.publish(&server, "1.2.0", ARCHIVE, None).unwrap();
    server.forget_requests();
    (server, visitor, published)
}
