//! What an import writes is a campaign that can be played.

use narratoria_campaign::{CampaignSource, ProblemWeight, compile};

use super::{make::imported, shapes, stories};
use crate::FolderFiles;

#[track_caller]
fn check(what: &str, files: &FolderFiles) {
    let source =
        CampaignSource::in_memory(files.iter().map(|(path, bytes)| (path.clone(), bytes.clone())));
    let result = compile(&source, "imported", None);
    let errors = result.problems.iter().filter(|problem| problem.severity == ProblemWeight::Error);
    let errors: Vec<String> = errors.map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{what}:\n{}", errors.join("\n"));
    assert!(result.campaign.is_some(), "{what}");
}

#[test]
fn each_shape_makes_a_campaign_without_faults() {
    for shape in shapes::all() {
        check(shape.what, &imported(shape.file, &shape.bytes).0);
    }
}

#[test]
fn stories_make_campaigns_without_faults() {
    check("Twee", &imported("a.twee", stories::TWEE.as_bytes()).0);
    check("ink", &imported("a.ink", stories::INK.as_bytes()).0);
    let links: String = (0..40).map(|n| format!("[[Choice {n}->Room {n}]]\n")).collect();
    let rooms: String =
        (0..40).map(|n| format!(":: Room {n}\n{}\n", "It is a long room. ".repeat(200))).collect();
    check("many rooms", &imported("b.twee", format!(":: Start\n{links}\n{rooms}").as_bytes()).0);
}

#[test]
fn everything_at_once_makes_a_campaign_without_faults() {
    let mut files = FolderFiles::new();
    let stories = [
        ("a.twee", stories::TWEE.as_bytes()),
        ("b.ink", stories::INK.as_bytes()),
        ("c.twee", stories::TWEE.as_bytes()),
    ];
    let shapes = shapes::all();
    let shapes = shapes.iter().map(|shape| (shape.file, shape.bytes.as_slice()));
    for (name, bytes) in shapes.chain(stories) {
        let parsed =
            crate::ImportFile::parse(name, bytes, &mut crate::ImportNotes::default()).unwrap();
        files.extend(crate::import(&[parsed], &files, "Robin").files);
    }
    check("everything", &files);
}

/// Books and chats of the largest kind leave room in a campaign.
#[test]
fn the_largest_book_makes_a_campaign_without_faults() {
    let entry = |n: usize| serde_json::json!({ "key": [format!("word {n}")], "content": format!("Entry {n}. {}", "word ".repeat(300)), "comment": "" });
    let book = serde_json::json!({ "entries": (0..4_000).map(entry).collect::<Vec<_>>() });
    check("a large book", &imported("large.json", book.to_string().as_bytes()).0);
}
