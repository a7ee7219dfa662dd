//! The campaigns that come with the program: each folder beside this file, as it is. The build script lists their files.

/// A campaign of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BundledCampaign {
    /// The name of its folder.
    pub name: &'static str,
    /// Paths within the folder, with `/`, and the bytes of the files.
    pub files: &'static [(&'static str, &'static [u8])],
}

include!(concat!(env!("OUT_DIR"), "/campaigns.rs"));

/// Every campaign of the program, by name.
pub fn bundled() -> &'static [BundledCampaign] {
    CAMPAIGNS
}

#[cfg(test)]
mod tests {
    use super::bundled;

    #[test]
    fn every_campaign_has_a_manifest_and_a_name_of_its_own() {
        for campaign in bundled() {
            assert!(campaign.files.iter().any(|(path, _)| *path == "manifest.json"));
            assert_eq!(bundled().iter().filter(|one| one.name == campaign.name).count(), 1);
        }
    }
}
