//! Pictures of campaigns: named in the manifest, judged by their names and sizes.

use std::fs;

use super::{minimal, shown};
use crate::{CAMPAIGN_COVER_BYTES_MAX, CampaignSource, compile, cover_media_type, read_cover};

/// The findings about a campaign with this `cover` and a file of that size.
fn said(cover: &str, file: (&str, u64)) -> String {
    let mut files = minimal();
    let manifest = String::from_utf8(files["manifest.json"].clone()).unwrap();
    let manifest = manifest.replacen('{', &format!("{{ \"cover\": {cover},"), 1);
    files.insert("manifest.json".to_owned(), manifest.into_bytes());
    files.insert(file.0.to_owned(), vec![0; usize::try_from(file.1).unwrap()]);
    shown(&compile(&CampaignSource::in_memory(files), "covered", None))
}

#[test]
fn a_picture_has_a_file_a_type_and_a_size() {
    let cover = |file: &str| format!("{{ \"file\": \"{file}\", \"alt\": \"A bridge.\" }}");
    let most = CAMPAIGN_COVER_BYTES_MAX;
    for (file, there, expected) in [
        ("art/a.png", ("art/a.png", most), ""),
        ("art/a.JPG", ("art/a.JPG", 1), ""),
        ("art/a.webp", ("art/a.webp", 1), ""),
        (
            "art/a.svg",
            ("art/a.svg", 1),
            "`art/a.svg` is no picture: it must end with `.png` or `.jpg` or `.jpeg` or `.webp`",
        ),
        (
            "art/brigde.png",
            ("art/bridge.png", 1),
            "there is no file `art/brigde.png`; did you mean `art/bridge.png`?",
        ),
        (
            "art/a.png",
            ("art/a.png", most + 1),
            "`art/a.png` has 524289 bytes, the limit is 524288: make it smaller",
        ),
    ] {
        let expected = match expected {
            "" => String::new(),
            what => format!("manifest.json:1: warning: `cover`: {what}"),
        };
        assert_eq!(said(&cover(file), there), expected, "{file}");
    }
    let nameless = said("{ \"file\": \"art/a.png\" }", ("art/a.png", 1));
    assert!(nameless.starts_with("manifest.json:1: ") && nameless.contains("alt"), "{nameless}");
}

#[test]
fn a_picture_is_read_from_its_folder_alone_and_up_to_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let campaign = folder.path().join("campaign");
    fs::create_dir_all(campaign.join("art")).unwrap();
    fs::write(folder.path().join("secret.png"), "secret").unwrap();
    fs::write(campaign.join("art/a.png"), "a picture").unwrap();
    let long = vec![0; usize::try_from(CAMPAIGN_COVER_BYTES_MAX).unwrap() + 1];
    fs::write(campaign.join("art/long.png"), long).unwrap();
    assert_eq!(read_cover(&campaign, "art/a.png").unwrap(), b"a picture");
    let refused = ["art/long.png", "art", "art/none.png", "../secret.png", "art/../../secret.png"];
    for path in refused {
        assert!(read_cover(&campaign, path).is_err(), "{path}");
    }
    #[cfg(unix)]
    {
        let link = campaign.join("art/link.png");
        std::os::unix::fs::symlink(folder.path().join("secret.png"), link).unwrap();
        assert!(read_cover(&campaign, "art/link.png").is_err());
    }
    assert_eq!(cover_media_type("art/a"), None);
}
