//! An export returns every value that was imported.

use serde_json::Value;

use super::{
    make::{imported, lines},
    shapes::{self, FileShape},
};
use crate::{
    ExportForm, FolderFiles, ImportContent, ImportFile, ImportNotes, export, source::decode,
};

fn form_of(content: &ImportContent) -> ExportForm {
    match content {
        ImportContent::Card(_) => ExportForm::Card,
        ImportContent::Book(_) => ExportForm::Book,
        ImportContent::Chat(_) => ExportForm::Chat,
        ImportContent::Story(_) => ExportForm::Twee,
    }
}

fn parse(shape: &FileShape) -> ImportFile {
    ImportFile::parse(shape.file, &shape.bytes, &mut ImportNotes::default())
        .unwrap_or_else(|error| panic!("{}: {error}", shape.what))
}

fn values(bytes: &[u8], form: ExportForm) -> Value {
    let text = std::str::from_utf8(bytes).unwrap();
    match form {
        ExportForm::Chat => {
            text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect()
        }
        _ => serde_json::from_str(text).unwrap(),
    }
}

#[test]
fn thirty_shapes_come_out_as_they_went_in() {
    let shapes = shapes::all();
    assert!(shapes.len() >= 30, "{}", shapes.len());
    for shape in &shapes {
        let form = form_of(&parse(shape).content);
        let (files, _) = imported(shape.file, &shape.bytes);
        let exported =
            export(&files, form, None).unwrap_or_else(|error| panic!("{}: {error}", shape.what));
        assert_eq!(values(&exported.bytes, form), shape.kept, "{}", shape.what);
        assert!(exported.notes.list().is_empty(), "{}: {}", shape.what, lines(&exported.notes));
    }
}

#[test]
fn what_is_exported_is_imported_again_without_loss() {
    for shape in shapes::all() {
        let form = form_of(&parse(&shape).content);
        let (files, _) = imported(shape.file, &shape.bytes);
        let once = export(&files, form, None).unwrap();
        let (files, _) = imported(&once.file_name, &once.bytes);
        let twice = export(&files, form, None).unwrap();
        assert_eq!(values(&twice.bytes, form), shape.kept, "{}", shape.what);
    }
}

/// The texts of a picture by their names.
fn card_in(png: &[u8], keyword: &str) -> Value {
    let picture = crate::PngPicture::parse(png).unwrap();
    let (texts, _) = picture.texts(|name| name == keyword).unwrap();
    assert_eq!(texts.len(), 1, "`{keyword}`");
    serde_json::from_slice(&decode(&texts[0].text).unwrap()).unwrap()
}

#[test]
fn a_card_stands_in_a_picture_for_old_programs_and_for_new_ones() {
    for shape in shapes::all() {
        let parsed = parse(&shape);
        let ImportContent::Card(card) = parsed.content else { continue };
        let (files, _) = imported(shape.file, &shape.bytes);
        let png = export(&files, ExportForm::Png, None).unwrap().bytes;
        let (old, new) = (card_in(&png, "chara"), card_in(&png, "ccv3"));
        let kept = match card.card.format {
            crate::CardFormat::V3 => &new,
            _ => &old,
        };
        assert_eq!(*kept, shape.kept, "{}", shape.what);
        assert_eq!(new["spec"], "chara_card_v3", "{}", shape.what);
        let read = ImportFile::parse("again.png", &png, &mut ImportNotes::default()).unwrap();
        let ImportContent::Card(again) = read.content else { panic!("{}", shape.what) };
        assert_eq!(again.card.fields.name, card.card.fields.name, "{}", shape.what);
        assert_eq!(again.png_assets, card.png_assets, "{}", shape.what);
        // The pixels are those of the picture that was imported.
        if card.picture.is_some() {
            assert_eq!(again.picture, card.picture, "{}", shape.what);
        }
    }
}

#[test]
fn an_archive_keeps_every_file() {
    for shape in shapes::all() {
        let ImportContent::Card(card) = parse(&shape).content else { continue };
        let (files, _) = imported(shape.file, &shape.bytes);
        let archive = export(&files, ExportForm::Charx, None).unwrap().bytes;
        let mut notes = ImportNotes::default();
        let read = ImportFile::parse("again.charx", &archive, &mut notes).unwrap();
        let ImportContent::Card(again) = read.content else { panic!("{}", shape.what) };
        for (path, bytes) in &card.files {
            assert_eq!(again.files.get(path), Some(bytes), "{}: {path}", shape.what);
        }
        if !card.files.is_empty() {
            assert_eq!(again.card.original, shape.kept, "{}", shape.what);
        }
        // A second export of the folder returns equal bytes.
        assert_eq!(export(&files, ExportForm::Charx, None).unwrap().bytes, archive);
    }
}

#[test]
fn a_second_import_takes_nothing_away() {
    let mut files = FolderFiles::new();
    for shape in shapes::all() {
        let parsed = parse(&shape);
        let made = crate::import(&[parsed], &files, "");
        let shared = ["characters/people.toml", "plot/qualities.toml", "plot/endings.toml"];
        for (path, bytes) in made.files {
            let before = files.insert(path.clone(), bytes);
            assert!(
                before.is_none() || shared.contains(&path.as_str()),
                "{}: {path} was there",
                shape.what
            );
        }
    }
    let people: toml::Table = super::make::text(&files, "characters/people.toml").parse().unwrap();
    let people = people["person"].as_array().unwrap();
    let names: std::collections::BTreeSet<&str> =
        people.iter().map(|person| person["name"].as_str().unwrap()).collect();
    // Some shapes are the same file, and the second is noticed.
    assert!(people.len() > 12 && names.len() == people.len(), "{names:?}");
    assert!(names.contains("Mina Holt 2"));
}
