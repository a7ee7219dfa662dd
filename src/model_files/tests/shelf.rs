//! What lies in the folder.

use std::fs;

use tokio_util::sync::CancellationToken;

use super::{
    Desk, MODEL_BYTES,
    server::{model, sha256},
};
use crate::model_files::{FileError, Held, ModelFiles, Verdict};

fn verify(desk: &Desk) -> Result<Verdict, FileError> {
    desk.files.verify(&desk.name, &mut |_| {}, &CancellationToken::new())
}

#[test]
fn a_folder_that_is_not_there_holds_nothing() {
    let desk = Desk::new();
    assert_eq!(desk.files.list().unwrap(), []);
    assert_eq!(desk.files.find(&desk.name), None);
    assert!(matches!(desk.files.remove(&desk.name), Err(FileError::NotHere { .. })));
    assert!(matches!(verify(&desk), Err(FileError::NotHere { .. })));
}

#[test]
fn what_is_here_is_listed() {
    let desk = Desk::new();
    desk.break_off();
    let [part] = &desk.files.list().unwrap()[..] else { panic!("one") };
    let Held::Part { of: Some(of) } = &part.held else { panic!("a part: {part:?}") };
    assert_eq!((&part.name, part.bytes, of.bytes), (&desk.name, 100_000, 300_000));
    let path = desk.fetch().outcome.unwrap();
    // What somebody put there, and what is none of ours.
    let by_hand = desk.files.folder().join("a/b/sub/c.gguf");
    fs::create_dir_all(by_hand.parent().unwrap()).unwrap();
    fs::write(&by_hand, "GGUF").unwrap();
    fs::write(desk.files.folder().join("a/stray.gguf"), "GGUF").unwrap();
    fs::write(desk.files.folder().join("a/b/notes.txt"), "mine").unwrap();
    let listed = desk.files.list().unwrap();
    let names: Vec<String> = listed.iter().map(|file| file.name.to_string()).collect();
    assert_eq!(names, ["a/b/sub/c.gguf", "zoe/Tiny-GGUF/tiny-Q4.gguf"]);
    assert_eq!(listed[0].held, Held::Whole { record: None });
    assert_eq!((&listed[1].path, listed[1].bytes), (&path, 300_000));
    assert!(matches!(&listed[1].held, Held::Whole { record: Some(_) }));
}

#[test]
fn what_became_of_a_file_is_seen() {
    let desk = Desk::new();
    let path = desk.fetch().outcome.unwrap();
    let good = model(MODEL_BYTES, 1);
    assert!(
        matches!(verify(&desk), Ok(Verdict::Good { record }) if record.sha256 == sha256(&good))
    );
    fs::write(&path, &good[1..]).unwrap();
    assert_eq!(verify(&desk).unwrap(), Verdict::WrongSize { expected: 300_000, found: 299_999 });
    let other = model(MODEL_BYTES, 2);
    fs::write(&path, &other).unwrap();
    let (expected, found) = (sha256(&good), sha256(&other));
    assert_eq!(verify(&desk).unwrap(), Verdict::WrongDigest { expected, found: found.clone() });
    fs::write(path.with_added_extension("json"), "{").unwrap();
    assert_eq!(verify(&desk).unwrap(), Verdict::NoRecord { found });
    let cancel = CancellationToken::new();
    cancel.cancel();
    let stopped = desk.files.verify(&desk.name, &mut |_| {}, &cancel);
    assert!(matches!(stopped, Err(FileError::Cancelled)));
}

#[test]
fn what_is_removed_leaves_nothing() {
    let desk = Desk::new();
    assert!(desk.fetch().outcome.is_ok());
    let part = desk.part();
    fs::write(&part, "half").unwrap();
    assert_eq!(desk.files.remove(&desk.name).unwrap(), 300_004);
    assert_eq!(desk.files.list().unwrap(), []);
    assert!(!desk.files.folder().join("zoe").exists());
    assert!(desk.files.folder().exists());
}

#[test]
fn what_others_put_there_stays() {
    let desk = Desk::new();
    let path = desk.fetch().outcome.unwrap();
    fs::write(path.with_file_name("notes.txt"), "mine").unwrap();
    desk.files.remove(&desk.name).unwrap();
    assert_eq!(desk.lying(), ["notes.txt"]);
}

#[test]
fn names_are_places() {
    let files = ModelFiles::open("/models");
    let name = crate::model_files::HubName::parse("a/b/q4/c.gguf").unwrap();
    assert_eq!(files.path(&name), std::path::Path::new("/models/a/b/q4/c.gguf"));
}
