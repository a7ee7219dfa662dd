//! The picture of a campaign, which lists show. The manifest names its file, and says what is to be seen on it. Knows the
//! name and the size of the file; what is in it is judged where pictures are shown.

use std::{io, path::Path};

use narratoria_protocol::nearest::nearest;

use crate::{
    documents::CampaignDocuments,
    files::{CampaignSource, read_below},
    kinds::FileKind,
    problem::CampaignProblems,
    walk::spots,
};

/// Longest picture of a campaign, in bytes. A list shows many of them, each as wide as a card.
pub const CAMPAIGN_COVER_BYTES_MAX: u64 = 512 << 10;

/// Endings of pictures that lists show, with their media types. A drawing in SVG may hold a script, so it is none of them.
const COVER_TYPES: [(&str, &str); 4] =
    [("png", "image/png"), ("jpg", "image/jpeg"), ("jpeg", "image/jpeg"), ("webp", "image/webp")];

/// Returns the media type of a picture by the ending of its name. Returns `None` for a file that no list shows.
pub fn cover_media_type(path: &str) -> Option<&'static str> {
    let (_, ending) = path.rsplit_once('.')?;
    let known = COVER_TYPES.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known));
    known.map(|(_, media_type)| *media_type)
}

/// Reads the picture of a campaign in a folder. No link leads out of the folder, and a file that is too long is an error.
pub fn read_cover(folder: &Path, path: &str) -> io::Result<Vec<u8>> {
    let bytes = read_below(folder, path, CAMPAIGN_COVER_BYTES_MAX)?;
    if bytes.len() as u64 > CAMPAIGN_COVER_BYTES_MAX {
        return Err(io::Error::other(format!("it has more than {CAMPAIGN_COVER_BYTES_MAX} bytes")));
    }
    Ok(bytes)
}

/// Warns of a picture that no list can show. The campaign can be played without it.
pub(crate) fn check_cover(
    source: &CampaignSource,
    documents: &CampaignDocuments,
    problems: &mut CampaignProblems,
) {
    for document in documents.of(FileKind::Manifest).filter(|document| document.fits) {
        for spot in spots(&document.node, "cover.file") {
            if let Some(what) = spot.node.text().and_then(|path| fault(source, path)) {
                problems.warning(&document.path, Some(spot.node.line), format!("`cover`: {what}"));
            }
        }
    }
}

fn fault(source: &CampaignSource, path: &str) -> Option<String> {
    if cover_media_type(path).is_none() {
        let endings: Vec<String> =
            COVER_TYPES.iter().map(|(ending, _)| format!("`.{ending}`")).collect();
        return Some(format!("`{path}` is no picture: it must end with {}", endings.join(" or ")));
    }
    match source.media.get(path) {
        None => {
            let meant = nearest(path, source.media.keys().map(String::as_str));
            let meant = meant.map(|near| format!("; did you mean `{near}`?"));
            Some(format!("there is no file `{path}`{}", meant.unwrap_or_default()))
        }
        Some(bytes) if *bytes > CAMPAIGN_COVER_BYTES_MAX => Some(format!(
            "`{path}` has {bytes} bytes, the limit is {CAMPAIGN_COVER_BYTES_MAX}: make it smaller"
        )),
        Some(_) => None,
    }
}
