//! Who signs an index. The first signature that is seen is kept, as it is for packages; another one, or none, is refused.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_skills::{PackageDir, PinnedKey};
use narratoria_ui::{Out, Tone, note, visible};

use super::{
    install_error::install_error,
    named_archive::{IndexPlace, SignedIndex},
};

/// The signer is the one that the player knows. Returns the key that is kept.
pub(super) fn check_signer(
    packages: &PackageDir,
    place: &IndexPlace,
    index: &SignedIndex,
) -> Result<Option<PinnedKey>, TurnError> {
    let known = packages.index_key(&place.text()).map_err(install_error)?;
    let Some(PinnedKey { key, since }) = &known else { return Ok(None) };
    let place = place.text();
    let now = match &index.signer {
        Some(signer) if signer == key => return Ok(known),
        Some(signer) => format!("is signed by another key, {signer}"),
        None => "is not signed".to_owned(),
    };
    let what =
        format!("the index of `{}` {now}; it was by {key}, first seen at {since}", visible(&place));
    Err(TurnError::new(TurnErrorKind::Refused, what)
        .hint("ask who offers it why; `narratoria skill install --accept-key-change` agrees to it"))
}

/// The same, and keeps the key of an index that is signed for the first time, or by another key to which the player agrees.
pub(super) fn learn_signer(
    packages: &PackageDir,
    place: &IndexPlace,
    index: &SignedIndex,
    agrees: bool,
    now: &str,
    err: &mut Out,
) -> Result<(), TurnError> {
    match check_signer(packages, place, index) {
        Ok(Some(_)) => return Ok(()),
        Ok(None) if index.signer.is_none() => return Ok(()),
        Err(error) if !agrees => return Err(error),
        _ => {}
    }
    let pinned = index.signer.clone().map(|key| PinnedKey { key, since: now.to_owned() });
    packages.keep_index_key(&place.text(), pinned).map_err(install_error)?;
    if let Some(key) = &index.signer {
        let shown = place.text();
        let what = format!(
            "the index of `{}` is signed by the key {key}, which is first seen now; another one will be refused",
            visible(&shown)
        );
        note(err, Tone::Notice, "note", &what);
    }
    Ok(())
}
