//! How a package lies in a registry: an image manifest of OCI 1.1 with our `artifactType`, no config, and one layer with the bytes
//! of `narratoria skill pack`. What belongs to it, such as its signature, is a manifest of its own whose `subject` it is. Pure.

use std::collections::BTreeMap;

use narratoria_protocol::{
    JsonBounds, StrictJsonError, read_json_as,
    visible::{clip, visible_word},
};
use narratoria_skills::ARCHIVE_BYTES_MAX;
use serde::{Deserialize, Serialize};

use super::{
    limits::{PACKAGE_LAYOUT_BYTES_MAX, REGISTRY_LIST_BYTES_MAX},
    reference::OciDigest,
};

/// What our packages are.
pub(crate) const PACKAGE_TYPE: &str = "application/vnd.narratoria.skill.v1+tar.gz";

/// The layer: an ordinary archive, so that other tools unpack it too.
pub(crate) const ARCHIVE_TYPE: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// A signature of minisign, as `skill pack --sign` writes it beside the archive.
pub(crate) const SIGNATURE_TYPE: &str = "application/vnd.narratoria.skill.signature.v1+minisign";

pub(crate) const MANIFEST_TYPE: &str = "application/vnd.oci.image.manifest.v1+json";
pub(crate) const LIST_TYPE: &str = "application/vnd.oci.image.index.v1+json";

/// What is taken where a manifest is asked for. Those of docker are named so that they are refused by their name.
pub(crate) const MANIFEST_TYPES: &str = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, \
     application/vnd.docker.distribution.manifest.v2+json, application/vnd.docker.distribution.manifest.list.v2+json";

/// The config of what needs none, as OCI 1.1 has it.
const EMPTY_TYPE: &str = "application/vnd.oci.empty.v1+json";
pub(crate) const EMPTY: &[u8] = b"{}";

/// Annotations.
const TITLE: &str = "org.opencontainers.image.title";
const VERSION: &str = "org.opencontainers.image.version";

/// Why what lies in a registry is no package of ours.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    #[error("its manifest is no JSON of OCI: {0}")]
    NotJson(StrictJsonError),
    #[error("it is a list of images for several platforms, not a package")]
    IsList,
    #[error("it is of the type `{}`, not a package of the type `{PACKAGE_TYPE}`", shown(found))]
    OtherType { found: String },
    #[error("it has {count} layers, a package has one")]
    Layers { count: usize },
    #[error("its layer is of the type `{}`, that of a package is `{ARCHIVE_TYPE}`", shown(found))]
    OtherLayer { found: String },
    #[error("in its manifest, {0}")]
    BadDigest(String),
    #[error("its archive has {size} bytes, a package has at most {ARCHIVE_BYTES_MAX}")]
    TooLarge { size: u64 },
}

/// One file in a registry, as a manifest names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredFile {
    pub(crate) digest: OciDigest,
    pub(crate) size: u64,
}

/// A manifest that has another as its subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Referrer {
    pub(crate) kind: String,
    pub(crate) file: StoredFile,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DescriptorJson {
    media_type: String,
    digest: String,
    size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    artifact_type: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<String, String>,
}

/// A manifest that is read. Fields that this program does not know are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadManifestJson {
    #[serde(default)]
    media_type: Option<String>,
    #[serde(default)]
    artifact_type: Option<String>,
    #[serde(default)]
    config: Option<DescriptorJson>,
    #[serde(default)]
    layers: Option<Vec<DescriptorJson>>,
    #[serde(default)]
    manifests: Option<serde::de::IgnoredAny>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenManifestJson {
    schema_version: u8,
    media_type: &'static str,
    artifact_type: String,
    config: DescriptorJson,
    layers: Vec<DescriptorJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<DescriptorJson>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<String, String>,
}

/// A list of referrers. Entries of others, with whatever annotations they have, stay as they are.
#[derive(Deserialize)]
struct ReferrersJson {
    #[serde(default)]
    manifests: Vec<serde_json::Value>,
}

impl StoredFile {
    pub(crate) fn of(bytes: &[u8]) -> StoredFile {
        StoredFile { digest: OciDigest::of(bytes), size: bytes.len() as u64 }
    }

    fn descriptor(&self, media_type: &str) -> DescriptorJson {
        DescriptorJson {
            media_type: media_type.to_owned(),
            digest: self.digest.to_string(),
            size: self.size,
            artifact_type: None,
            annotations: BTreeMap::new(),
        }
    }
}

/// Writes the manifest of a package.
pub(crate) fn package_manifest(archive: &StoredFile, name: &str, version: &str) -> Vec<u8> {
    let mut layer = archive.descriptor(ARCHIVE_TYPE);
    let file = format!("{name}-{version}{}", narratoria_skills::ARCHIVE_SUFFIX);
    layer.annotations.insert(TITLE.to_owned(), file);
    let annotations = [(TITLE, name), (VERSION, version)];
    written(WrittenManifestJson {
        schema_version: 2,
        media_type: MANIFEST_TYPE,
        artifact_type: PACKAGE_TYPE.to_owned(),
        config: StoredFile::of(EMPTY).descriptor(EMPTY_TYPE),
        layers: vec![layer],
        subject: None,
        annotations: annotations.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
    })
}

/// Writes the manifest of a file that belongs to another manifest.
pub(crate) fn attached_manifest(file: &StoredFile, kind: &str, subject: &StoredFile) -> Vec<u8> {
    written(WrittenManifestJson {
        schema_version: 2,
        media_type: MANIFEST_TYPE,
        artifact_type: kind.to_owned(),
        config: StoredFile::of(EMPTY).descriptor(EMPTY_TYPE),
        layers: vec![file.descriptor(kind)],
        subject: Some(subject.descriptor(MANIFEST_TYPE)),
        annotations: BTreeMap::new(),
    })
}

fn written(manifest: WrittenManifestJson) -> Vec<u8> {
    serde_json::to_vec(&manifest).expect("texts and numbers are JSON")
}

/// Reads the manifest of a package, and returns where its archive is.
pub(crate) fn read_package(bytes: &[u8]) -> Result<StoredFile, LayoutError> {
    let manifest = read_manifest(bytes)?;
    let config = manifest.config.as_ref().map(|config| config.media_type.clone());
    let found = manifest.artifact_type.clone().or(config).unwrap_or_default();
    if found != PACKAGE_TYPE {
        return Err(LayoutError::OtherType { found });
    }
    let (file, media_type) = only_layer(&manifest)?;
    if media_type != ARCHIVE_TYPE {
        return Err(LayoutError::OtherLayer { found: media_type });
    }
    match file.size <= ARCHIVE_BYTES_MAX {
        true => Ok(file),
        false => Err(LayoutError::TooLarge { size: file.size }),
    }
}

/// Reads the manifest of a file that belongs to another manifest, and returns where the file is.
pub(crate) fn read_attached(bytes: &[u8], kind: &str) -> Result<StoredFile, LayoutError> {
    let manifest = read_manifest(bytes)?;
    match manifest.artifact_type.as_deref() {
        Some(found) if found == kind => Ok(only_layer(&manifest)?.0),
        found => Err(LayoutError::OtherType { found: found.unwrap_or_default().to_owned() }),
    }
}

fn read_manifest(bytes: &[u8]) -> Result<ReadManifestJson, LayoutError> {
    let bounds = JsonBounds::of_bytes(PACKAGE_LAYOUT_BYTES_MAX as usize);
    let manifest: ReadManifestJson = read_json_as(bytes, bounds).map_err(LayoutError::NotJson)?;
    let is_list_type =
        |media_type: &str| media_type.contains(".index.") || media_type.contains(".list.");
    // A document that is both a list and a manifest is read as one by some and as the other by others.
    if manifest.manifests.is_some() || manifest.media_type.as_deref().is_some_and(is_list_type) {
        return Err(LayoutError::IsList);
    }
    match &manifest.media_type {
        Some(found) if found != MANIFEST_TYPE => {
            Err(LayoutError::OtherType { found: found.clone() })
        }
        _ => Ok(manifest),
    }
}

fn only_layer(manifest: &ReadManifestJson) -> Result<(StoredFile, String), LayoutError> {
    match manifest.layers.as_deref().unwrap_or_default() {
        [layer] => {
            let digest = layer.digest.parse().map_err(LayoutError::BadDigest)?;
            Ok((StoredFile { digest, size: layer.size }, layer.media_type.clone()))
        }
        layers => Err(LayoutError::Layers { count: layers.len() }),
    }
}

/// Reads a list of referrers. Entries that cannot be used are skipped: anybody who may push can add some.
pub(crate) fn read_referrers(bytes: &[u8]) -> Result<Vec<Referrer>, LayoutError> {
    let used = |entry: serde_json::Value| {
        let entry: DescriptorJson = serde_json::from_value(entry).ok()?;
        let file = StoredFile { digest: entry.digest.parse().ok()?, size: entry.size };
        Some(Referrer { kind: entry.artifact_type?, file })
    };
    Ok(referrers_json(bytes)?.manifests.into_iter().filter_map(used).collect())
}

/// Adds an entry to a list of referrers; `None` if it stands there already.
pub(crate) fn with_referrer(
    list: Option<&[u8]>,
    added: &Referrer,
) -> Result<Option<Vec<u8>>, LayoutError> {
    let mut entries = match list {
        Some(bytes) => referrers_json(bytes)?.manifests,
        None => Vec::new(),
    };
    let mut entry = added.file.descriptor(MANIFEST_TYPE);
    entry.artifact_type = Some(added.kind.clone());
    let entry = serde_json::to_value(entry).expect("texts and numbers are JSON");
    if entries.iter().any(|known| known["digest"] == entry["digest"]) {
        return Ok(None);
    }
    entries.push(entry);
    let list = serde_json::json!({
        "schemaVersion": 2, "mediaType": LIST_TYPE, "manifests": entries,
    });
    Ok(Some(list.to_string().into_bytes()))
}

fn referrers_json(bytes: &[u8]) -> Result<ReferrersJson, LayoutError> {
    let bounds = JsonBounds::of_bytes(REGISTRY_LIST_BYTES_MAX as usize);
    read_json_as(bytes, bounds).map_err(LayoutError::NotJson)
}

fn shown(text: &str) -> String {
    visible_word(&clip(text, 200)).into_owned()
}
