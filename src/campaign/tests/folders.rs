//! Folders on the disk: links that are not followed, pipes that are not waited for, and files that are not read.

use std::{fs, path::Path};

use super::{minimal, shown};
use crate::{
    CAMPAIGN_TEXT_FILE_BYTES_MAX, CampaignSource, CampaignStartingPoint, compile, create_campaign,
    made_files, write_made,
};

fn write_all(folder: &Path) {
    for (path, bytes) in minimal() {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

fn said(folder: &Path) -> String {
    shown(&compile(&CampaignSource::read_folder(folder).unwrap(), "bridge", None))
}

#[test]
fn a_folder_reads_like_its_files_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path());
    let read = compile(&CampaignSource::read_folder(folder.path()).unwrap(), "bridge", None);
    let memory = compile(&CampaignSource::in_memory(minimal()), "bridge", None);
    assert_eq!(read.campaign.unwrap(), memory.campaign.unwrap());
}

#[cfg(unix)]
#[test]
fn links_pipes_and_hidden_files_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path());
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.md"), "a secret").unwrap();
    let lore = folder.path().join("lore");
    fs::create_dir(&lore).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.md"), lore.join("secret.md")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("art")).unwrap();
    let (kind, mode) =
        (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR);
    rustix::fs::mknodat(rustix::fs::CWD, lore.join("pipe.md"), kind, mode, 0).unwrap();
    fs::write(lore.join(".draft.md"), "\u{0}").unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    insta::assert_snapshot!(said(folder.path()));
}

#[test]
fn what_is_too_large_or_too_deep_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path());
    let size = usize::try_from(CAMPAIGN_TEXT_FILE_BYTES_MAX).unwrap() + 1;
    fs::create_dir_all(folder.path().join("lore/a/b/c/d/e/f")).unwrap();
    fs::write(folder.path().join("lore/long.md"), "x".repeat(size)).unwrap();
    insta::assert_snapshot!(said(folder.path()));
}

#[test]
fn what_is_no_folder_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let error = |name: &str| {
        let error = CampaignSource::read_folder(&folder.path().join(name)).unwrap_err().to_string();
        error.replace(&folder.path().display().to_string(), "…")
    };
    assert_eq!(error("nothing"), "there is no folder `…/nothing`");
    assert_eq!(error("file"), "`…/file` is not a folder");
}

#[test]
fn a_new_campaign_has_no_findings_and_is_made_once() {
    let parent = tempfile::tempdir().unwrap();
    for (name, from) in
        [("small", CampaignStartingPoint::Minimal), ("large", CampaignStartingPoint::Full)]
    {
        let folder = create_campaign(parent.path(), name, from).unwrap();
        let result = compile(&CampaignSource::read_folder(&folder).unwrap(), name, None);
        assert_eq!(result.counts[..2], [0, 0], "{}", shown(&result));
        let again = create_campaign(parent.path(), name, from).unwrap_err().to_string();
        assert!(again.ends_with("is there already, and nothing is overwritten"), "{again}");
    }
    let bad = create_campaign(parent.path(), "My Campaign", CampaignStartingPoint::Minimal);
    assert_eq!(
        bad.unwrap_err().to_string(),
        "`My Campaign` cannot be the name of a campaign: write small letters (a-z), digits and single hyphens"
    );
}

/// `fill` writes the missing files beside the present ones, and the campaign stays the same.
#[test]
fn a_filled_campaign_is_the_campaign_that_was_made() {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in minimal() {
        if ["manifest.json", "world/setting.md", "plot/premise.md"].contains(&path.as_str()) {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
    let profile = folder.path().join("characters/npcs/ida");
    fs::create_dir_all(&profile).unwrap();
    let text =
        r#"{"name": "Ida Lund", "role": "ferry woman", "personality": {"traits": ["calm"]}}"#;
    fs::write(profile.join("profile.json"), text).unwrap();
    let before = compile(&CampaignSource::read_folder(folder.path()).unwrap(), "bridge", None);
    let parts = before.parts.unwrap();
    let written = write_made(folder.path(), &parts).unwrap();
    insta::assert_snapshot!(written.join("\n"));
    let after = compile(&CampaignSource::read_folder(folder.path()).unwrap(), "bridge", None);
    assert_eq!(shown(&after), "");
    assert_eq!(after.parts.as_ref().unwrap().world, parts.world);
    assert!(made_files(&after.parts.unwrap(), &|_| false).is_empty());
    // A second person without a place gets a file beside the first.
    let text = text.replace("Ida Lund", "Tam Oddy");
    fs::create_dir_all(folder.path().join("characters/npcs/tam")).unwrap();
    fs::write(folder.path().join("characters/npcs/tam/profile.json"), text).unwrap();
    let more = compile(&CampaignSource::read_folder(folder.path()).unwrap(), "bridge", None);
    let written = write_made(folder.path(), &more.parts.unwrap()).unwrap();
    assert_eq!(written, ["characters/people_generated2.toml"]);
    let last = compile(&CampaignSource::read_folder(folder.path()).unwrap(), "bridge", None);
    assert_eq!(shown(&last), "");
}
