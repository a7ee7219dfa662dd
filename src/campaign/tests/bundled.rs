//! The campaigns that come with the program have no fault that can be found without playing.

use std::path::Path;

use super::shown;
use crate::{CampaignSource, compile};

#[test]
fn the_bundled_campaigns_have_no_error() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../campaigns");
    let mut count = 0;
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.join("manifest.json").is_file() {
            let source = CampaignSource::read_folder(&path).unwrap();
            let result = compile(&source, "bundled", None);
            println!("{} {:?}\n{}", path.display(), result.counts, shown(&result));
            assert!(result.campaign.is_some(), "{}:\n{}", path.display(), shown(&result));
            count += 1;
        }
    }
    assert!(count >= 4, "{count} campaigns");
}
