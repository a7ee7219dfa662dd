//! The picture of a campaign: the file that its manifest names, if a picture is in it.

use narratoria_campaign::{CAMPAIGN_COVER_BYTES_MAX, CampaignSource, cover_media_type, read_cover};
use narratoria_engine::{TurnError, content_fault};

use super::source::{self, CampaignCard, CampaignPlace, FoundCampaign, MANIFEST};

/// A picture that a page may show.
#[derive(Debug)]
pub(crate) struct CampaignCover {
    /// The path in the folder of the campaign.
    pub(crate) file: String,
    pub(crate) media_type: &'static str,
    pub(crate) bytes: Vec<u8>,
}

/// Reads the picture that the manifest names. The error says what is wrong with it, or that there is none.
pub(crate) fn cover(found: &FoundCampaign) -> Result<CampaignCover, String> {
    let CampaignCard { cover, .. } = found.card();
    let file = cover.ok_or("the campaign has no picture")?.file;
    let media_type =
        cover_media_type(&file).ok_or_else(|| format!("`{file}` has no ending of a picture"))?;
    let bytes = match &found.place {
        CampaignPlace::Bundled(campaign) => {
            let bytes = campaign.files.iter().find(|(path, _)| *path == file);
            let (_, bytes) = bytes.ok_or_else(|| format!("`{file}` is not there"))?;
            bytes.to_vec()
        }
        CampaignPlace::Folder(folder) => read_cover(folder, &file)
            .map_err(|error| format!("`{file}` cannot be read: {error}"))?,
    };
    match content_fault(&bytes, &file, media_type) {
        None => Ok(CampaignCover { file, media_type, bytes }),
        Some(fault) => Err(fault),
    }
}

/// Reads the files of a campaign for its author, with a warning of a picture that is none.
pub(super) fn read_checked(found: &FoundCampaign) -> Result<CampaignSource, TurnError> {
    let mut source = source::read(found)?;
    check(found, &mut source);
    Ok(source)
}

/// Warns of a picture whose name and size are fine, and whose content is not.
fn check(found: &FoundCampaign, source: &mut CampaignSource) {
    let Some(card) = found.card().cover else { return };
    let bytes = source.media.get(&card.file).copied();
    let is_judged = bytes.is_some_and(|bytes| bytes <= CAMPAIGN_COVER_BYTES_MAX)
        && cover_media_type(&card.file).is_some();
    if let (true, Err(fault)) = (is_judged, cover(found)) {
        source.problems.warning(MANIFEST, None, format!("`cover`: {fault}"));
    }
}

#[cfg(test)]
mod tests {
    use narratoria_bundled_campaigns::bundled;

    use super::{CampaignPlace, FoundCampaign, cover};

    #[test]
    fn every_campaign_of_the_program_has_a_small_picture() {
        for campaign in bundled() {
            let place = CampaignPlace::Bundled(campaign);
            let found = FoundCampaign { name: campaign.name.to_owned(), place };
            let picture = cover(&found).unwrap_or_else(|why| panic!("{}: {why}", campaign.name));
            assert_eq!(picture.media_type, "image/png");
            assert!(picture.bytes.len() < 10_000, "{}: {}", campaign.name, picture.bytes.len());
        }
    }
}
