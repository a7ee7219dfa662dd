//! `narratoria skill push`: publishes an archive in a registry, with its signature and a list of its parts.

use std::path::Path;

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::digest::sha256;
use narratoria_registry::{Attachment, AttachmentKind, OciReference, Publication, Published};
use narratoria_skills::{SIGNATURE_BYTES_MAX, SignedClaims, read_outside};
use narratoria_ui::{Out, Tone, note};
use serde_json::json;

use super::{
    named_archive::bad_reference,
    packed_archive::PackedArchive,
    remote::{Remote, registry_failed},
    signed_archive::{OpenedArchive, SIGNATURE, read_opened, signature_path, untrusted},
};
use crate::{
    args::{Format, SkillPushArgs},
    error::CliError,
    exit::Exit,
    files, print_document, print_text,
    settings::{CliSettings, is_offline},
};

/// Word for lists of parts in messages.
const SBOM: &str = "list of parts";

/// Longest list of parts. One of a package with 500 crates has 400 kB.
const SBOM_BYTES_MAX: usize = 4 << 20;

pub(super) fn push(args: SkillPushArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let named = OciReference::parse(&args.to).map_err(bad_reference)?;
    if named.digest().is_some() {
        let what = format!("`{named}` has a digest, which the registry gives to what it gets");
        return Err(TurnError::new(TurnErrorKind::BadInput, what)
            .hint(format!("name the tag alone, or none: {}", named.all_versions())));
    }
    let OpenedArchive { file, signed } =
        OpenedArchive::open(&args.archive, &signature_path(&args.archive))?;
    let archive = read_opened(file, &args.archive)?;
    let packed = PackedArchive::read(&args.archive, &archive)?;
    let reference = named.for_publishing(&packed.version).map_err(bad_reference)?;
    check_names(&args.archive, &reference, &packed, signed.as_ref())?;
    let attachments = attachments(&args.archive, signed.is_some(), args.sbom.as_deref())?;
    let publication = Publication {
        name: &packed.name,
        version: &packed.version,
        archive: &archive,
        attachments,
        replaces: args.force,
    };
    let remote = Remote::new(is_offline(args.offline.offline));
    let published = remote.registry(&reference)?.publish(&reference, &publication);
    let Published { reference, is_unchanged } =
        published.map_err(|error| registry_failed("published", &reference, error))?;
    if settings.format == Format::Json {
        let document = json!({
            "reference": reference.to_string(),
            "digest": reference.digest().map(ToString::to_string),
            "sha256": sha256(&archive),
            "name": packed.name,
            "version": packed.version.to_string(),
            "key": signed.as_ref().map(|signed| signed.key.as_str()),
            "sbom": args.sbom.as_ref().map(|file| file.display().to_string()),
            "changed": !is_unchanged,
        });
        print_document(look, &document)?;
        return Ok(Exit::Done);
    }
    print_text(look, &format!("{reference}\n"))?;
    if signed.is_none() {
        let what = "it is not signed, so only those who name its digest can install it";
        note(&mut err, Tone::Notice, "note", what);
    }
    Ok(Exit::Done)
}

/// The tag and the signature are for this package. The installation of any other one would be refused.
fn check_names(
    archive: &Path,
    reference: &OciReference,
    packed: &PackedArchive,
    signed: Option<&SignedClaims>,
) -> Result<(), TurnError> {
    let PackedArchive { name, version } = packed;
    if let Some(tagged) = reference.version().filter(|tagged| tagged != version) {
        let what = format!("the tag is for the version {tagged}, and the archive has {version}");
        return Err(TurnError::new(TurnErrorKind::BadInput, what));
    }
    let checked = signed.map_or(Ok(()), |signed| signed.check_package(name, version));
    checked.map_err(|error| untrusted(&signature_path(archive), &error))
}

/// The files that go with the archive.
fn attachments(
    archive: &Path,
    is_signed: bool,
    sbom: Option<&Path>,
) -> Result<Vec<Attachment>, TurnError> {
    let mut attachments = Vec::new();
    if is_signed {
        let path = signature_path(archive);
        let bytes = read_outside(&path, SIGNATURE_BYTES_MAX)
            .map_err(|error| CliError::outside_file(SIGNATURE, &path, error))?;
        attachments.push(Attachment { kind: AttachmentKind::Signature, bytes });
    }
    if let Some(path) = sbom {
        let bytes = files::read(path, SBOM, SBOM_BYTES_MAX)?;
        let Some(kind) = AttachmentKind::of_sbom(&bytes) else {
            let what = format!("`{}` is no list of parts", path.display());
            return Err(TurnError::new(TurnErrorKind::BadInput, what)
                .hint("a document of CycloneDX or SPDX in JSON is one"));
        };
        attachments.push(Attachment { kind, bytes });
    }
    Ok(attachments)
}
