//! Listing, verifying and removing models.

use std::fs;

use tokio_util::sync::CancellationToken;

use narratoria_models::hub::{model, sha256};

use super::{HubFixture, MODEL_BYTES};
use crate::files::{DownloadState, FileError, ModelDir, VerifyResult};

fn verify(fixture: &HubFixture) -> Result<VerifyResult, FileError> {
    fixture.files.verify(&fixture.name, &mut |_| {}, &CancellationToken::new())
}

#[test]
fn a_missing_folder_has_no_models() {
    let fixture = HubFixture::new();
    assert_eq!(fixture.files.list().unwrap(), []);
    assert_eq!(fixture.files.find(&fixture.name), None);
    assert!(matches!(fixture.files.remove(&fixture.name), Err(FileError::NotHere { .. })));
    assert!(matches!(verify(&fixture), Err(FileError::NotHere { .. })));
}

#[test]
fn complete_and_partial_models_are_listed() {
    let fixture = HubFixture::new();
    fixture.fail_partway();
    let [part] = &fixture.files.list().unwrap()[..] else { panic!("one") };
    let DownloadState::Partial { record: Some(record) } = &part.state else {
        panic!("a part: {part:?}")
    };
    assert_eq!((&part.name, part.bytes, record.bytes), (&fixture.name, 100_000, 300_000));
    let path = fixture.fetch().outcome.unwrap();
    // A model that the player put there, and files that are not models.
    let by_hand = fixture.files.folder().join("a/b/sub/c.gguf");
    fs::create_dir_all(by_hand.parent().unwrap()).unwrap();
    fs::write(&by_hand, "GGUF").unwrap();
    fs::write(fixture.files.folder().join("a/stray.gguf"), "GGUF").unwrap();
    fs::write(fixture.files.folder().join("a/b/notes.txt"), "mine").unwrap();
    let listed = fixture.files.list().unwrap();
    let names: Vec<String> = listed.iter().map(|file| file.name.to_string()).collect();
    assert_eq!(names, ["a/b/sub/c.gguf", "zoe/Tiny-GGUF/tiny-Q4.gguf"]);
    assert_eq!(listed[0].state, DownloadState::Complete { record: None });
    assert_eq!((&listed[1].path, listed[1].bytes), (&path, 300_000));
    assert!(matches!(&listed[1].state, DownloadState::Complete { record: Some(_) }));
}

#[test]
fn verifying_finds_changed_files() {
    let fixture = HubFixture::new();
    let path = fixture.fetch().outcome.unwrap();
    let good = model(MODEL_BYTES, 1);
    assert!(
        matches!(verify(&fixture), Ok(VerifyResult::Intact { record }) if record.sha256 == sha256(&good))
    );
    fs::write(&path, &good[1..]).unwrap();
    assert_eq!(
        verify(&fixture).unwrap(),
        VerifyResult::WrongSize { expected: 300_000, found: 299_999 }
    );
    let other = model(MODEL_BYTES, 2);
    fs::write(&path, &other).unwrap();
    let (expected, found) = (sha256(&good), sha256(&other));
    assert_eq!(
        verify(&fixture).unwrap(),
        VerifyResult::WrongDigest { expected, found: found.clone() }
    );
    fs::write(path.with_added_extension("json"), "{").unwrap();
    assert_eq!(verify(&fixture).unwrap(), VerifyResult::NoRecord { found });
    let cancel = CancellationToken::new();
    cancel.cancel();
    let stopped = fixture.files.verify(&fixture.name, &mut |_| {}, &cancel);
    assert!(matches!(stopped, Err(FileError::Cancelled)));
}

#[test]
fn removing_leaves_no_files_or_folders_of_the_model() {
    let fixture = HubFixture::new();
    assert!(fixture.fetch().outcome.is_ok());
    let part = fixture.part();
    fs::write(&part, "half").unwrap();
    assert_eq!(fixture.files.remove(&fixture.name).unwrap(), 300_004);
    assert_eq!(fixture.files.list().unwrap(), []);
    assert!(!fixture.files.folder().join("zoe").exists());
    assert!(fixture.files.folder().exists());
}

#[test]
fn removing_leaves_files_of_other_programs() {
    let fixture = HubFixture::new();
    let path = fixture.fetch().outcome.unwrap();
    fs::write(path.with_file_name("notes.txt"), "mine").unwrap();
    fixture.files.remove(&fixture.name).unwrap();
    assert_eq!(fixture.files_on_disk(), ["notes.txt"]);
}

#[test]
fn a_name_is_a_path_below_the_folder() {
    let files = ModelDir::open("/models");
    let name = crate::files::HubName::parse("a/b/q4/c.gguf").unwrap();
    assert_eq!(files.path(&name), std::path::Path::new("/models/a/b/q4/c.gguf"));
}
