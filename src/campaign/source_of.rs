//! Campaigns that no folder holds: one of a premise alone, and one with its made parts written down.

use serde_json::json;

use crate::{CampaignSource, compile::CampaignParts, fill, write::made_files};

/// The files of a campaign that has nothing but a premise. Its title follows from the premise and the seed.
pub fn campaign_of_premise(premise: &str, seed: u64) -> CampaignSource {
    let manifest = json!({"title": fill::title(premise, seed), "version": "1.0.0"});
    CampaignSource::in_memory([
        ("manifest.json", manifest.to_string()),
        ("world/setting.md", premise.to_owned()),
        ("plot/premise.md", premise.to_owned()),
    ])
}

/// The campaign as it is once its made parts have been written into its folder.
pub fn campaign_with_made(source: &CampaignSource, parts: &CampaignParts) -> CampaignSource {
    let files = made_files(parts, &|path| source.texts.contains_key(path));
    let mut whole = source.clone();
    whole.texts.extend(files.into_iter().map(|(path, text)| (path, text.into_bytes())));
    whole
}
