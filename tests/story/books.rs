//! A story as text, as a page and as a book: what skills write is text there, whatever it looks like.

use std::io::{Cursor, Read};

use narratoria_protocol::{EntityId, EntityKind, Scene};
use narratoria_story::{
    AssetFolder, AssetRow, BookFormat, BookReceipt, BranchName, StoreRow, Story, TurnOutcome,
    TurnRecord,
};
use serde_json::json;
use zip::ZipArchive;

use super::{asset, open, plan, root, turn};

/// The smallest picture.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55\0\0\0\0IEND\xae\x42\x60\x82";

fn book(story: &Story, format: BookFormat) -> (Vec<u8>, BookReceipt) {
    let mut out = Cursor::new(Vec::new());
    let receipt = story.write_book(format, story.head(), &mut out).unwrap();
    (out.into_inner(), receipt)
}

fn text(story: &Story, format: BookFormat) -> String {
    String::from_utf8(book(story, format).0).unwrap()
}

fn hostile_story(root: &std::path::Path) -> Story {
    let mut story = open(root);
    let folder = AssetFolder::create(story.folder()).unwrap();
    let (name, _) = folder.store(&mut &*PNG, "png", 1 << 20).unwrap();
    let picture = AssetRow { path: name.path(), ..asset("p1", "\"><script>alert(2)</script>") };
    let song = AssetRow {
        path: format!("assets/{}.ogg", "0".repeat(64)),
        media_type: "audio/ogg".to_owned(),
        ..asset("p1", "a song that is gone")
    };
    let record = TurnRecord {
        prompt: "open the *door*\n\n# loudly".to_owned(),
        narration:
            "<script>alert(1)</script>\u{1b}[2J & more.\r\n\r\n1. no list\n---\u{0}\u{202e}evil"
                .to_owned(),
        plans: vec![plan("p1")],
        assets: vec![picture, song],
        ..turn("", &[json!({"n": 1})])
    };
    story.commit(&record).unwrap();
    story.commit(&turn("go on", &[])).unwrap();
    story
}

#[test]
fn markdown_quotes_the_player_and_escapes_everything() {
    let root = root();
    let story = hostile_story(root.path());
    insta::assert_snapshot!(text(&story, BookFormat::Markdown));
}

#[test]
fn a_page_has_its_pictures_a_policy_and_no_script() {
    let root = root();
    let story = hostile_story(root.path());
    let (page, receipt) = book(&story, BookFormat::Html);
    assert_eq!(receipt, BookReceipt { turns: 2, files_left_out: 1 });
    let page = String::from_utf8(page).unwrap();
    let style = page.find("<style>").unwrap()..page.find("</style>").unwrap();
    let digest = page.find("sha256-").unwrap()..page.find("'; base-uri").unwrap();
    let mut shown = page.clone();
    shown.replace_range(style, "<style>…");
    shown.replace_range(digest, "sha256-…");
    assert!(!page.contains("<script") && !page.contains("http:") && !page.contains("https:"));
    insta::assert_snapshot!(shown);
}

fn entries(book: &[u8]) -> Vec<(String, String)> {
    let mut archive = ZipArchive::new(Cursor::new(book)).unwrap();
    (0..archive.len())
        .map(|at| {
            let mut entry = archive.by_index(at).unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            (entry.name().unwrap().into_owned(), String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect()
}

#[test]
fn a_book_has_its_chapters_its_contents_and_its_pictures() {
    let root = root();
    let story = hostile_story(root.path());
    let (epub, receipt) = book(&story, BookFormat::Epub);
    assert_eq!(receipt, BookReceipt { turns: 2, files_left_out: 0 });
    // A reader knows the format by these bytes, at this place.
    assert_eq!(&epub[30..58], b"mimetypeapplication/epub+zip");
    assert_eq!(book(&story, BookFormat::Epub).0, epub, "the same story makes the same bytes");
    let all: Vec<String> = entries(&epub)
        .into_iter()
        .filter(|(name, _)| !name.ends_with(".png") && !name.ends_with(".css"))
        .map(|(name, text)| format!("== {name}\n{text}"))
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}

/// A scene that the story told by itself begins with its title, in every form.
#[test]
fn a_scene_begins_with_its_title() {
    let root = root();
    let mut story = open(root.path());
    story.commit(&turn("look around", &[])).unwrap();
    for (tick, title) in [(1, "The <Ring> Bolt"), (2, "All Well")] {
        let text = format!("Scene {tick} is told here.");
        let scene = Scene {
            title: title.to_owned(),
            tick,
            summary: Vec::new(),
            text: text.clone(),
            pov_character: None,
            location: None,
            characters: Vec::new(),
        };
        let record = TurnRecord {
            narration: text,
            outcome: TurnOutcome::Ticked,
            store_writes: vec![StoreRow::entity(EntityId::new(EntityKind::Scene, tick), &scene)],
            ..turn(&format!("tick {tick}"), &[])
        };
        story.commit(&record).unwrap();
    }
    let markdown = text(&story, BookFormat::Markdown);
    let lines: Vec<&str> = markdown.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(lines, ["## The &lt;Ring&gt; Bolt", "## All Well"], "{markdown}");
    assert!(markdown.find("## All Well") < markdown.find("Scene 2 is"), "{markdown}");
    assert!(!markdown.contains("tick 1"), "{markdown}");
    let page = text(&story, BookFormat::Html);
    assert_eq!(page.matches("<h2 dir=\"auto\">").count(), 2, "{page}");
    assert!(page.contains("<h2 dir=\"auto\">The &lt;Ring&gt; Bolt</h2>"), "{page}");
    let book = entries(&book(&story, BookFormat::Epub).0);
    assert!(book.iter().any(|(_, text)| text.contains("<h2 dir=\"auto\">All Well</h2>")));
}

#[test]
fn a_long_story_has_chapters_by_size() {
    let root = root();
    let mut story = open(root.path());
    for n in 0..5 {
        let record = TurnRecord { narration: "word ".repeat(6_000), ..turn(&n.to_string(), &[]) };
        story.commit(&record).unwrap();
    }
    let names: Vec<String> =
        entries(&book(&story, BookFormat::Epub).0).into_iter().map(|(name, _)| name).collect();
    let chapters = names.iter().filter(|name| name.contains("chapter-")).count();
    assert_eq!(chapters, 2, "{names:?}");
}

#[test]
fn a_story_without_turns_is_a_book_too() {
    let root = root();
    let story = open(root.path());
    assert!(text(&story, BookFormat::Html).contains("<h1>quest</h1>"));
    assert_eq!(text(&story, BookFormat::Markdown), "# quest\n");
    assert!(
        entries(&book(&story, BookFormat::Epub).0)
            .iter()
            .any(|(name, _)| name.contains("chapter-0001"))
    );
}

#[test]
fn a_book_reads_one_branch() {
    let root = root();
    let mut story = hostile_story(root.path());
    story.undo(1).unwrap();
    story.create_branch(&BranchName::parse("short").unwrap(), None).unwrap();
    story.commit(&turn("another way", &[])).unwrap();
    let (page, _) = book(&story, BookFormat::Markdown);
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("another way") && !page.contains("go on"));
    let short = story.find_branch(&BranchName::parse("short").unwrap()).unwrap();
    let mut out = Cursor::new(Vec::new());
    story.write_book(BookFormat::Markdown, short.turn, &mut out).unwrap();
    assert!(!String::from_utf8(out.into_inner()).unwrap().contains("another way"));
}

/// `make epubcheck` runs it with the checker.
#[test]
fn epubcheck_is_satisfied() {
    let Some(jar) = std::env::var_os("EPUBCHECK") else {
        return eprintln!(
            "left out: `EPUBCHECK` does not name epubcheck.jar; `make epubcheck` does"
        );
    };
    let root = root();
    let mut story = hostile_story(root.path());
    for n in 0..40 {
        let narration = format!("{}\n\n<b>&amp; {n}", "A long way. ".repeat(900));
        story.commit(&TurnRecord { narration, ..turn("go \u{feff}on", &[]) }).unwrap();
    }
    let empty = super::try_open(root.path(), "empty").unwrap();
    for (name, story) in [("long", &story), ("empty", &empty)] {
        let path = root.path().join(format!("{name}.epub"));
        std::fs::write(&path, book(story, BookFormat::Epub).0).unwrap();
        let checked = std::process::Command::new("java").arg("-jar").arg(&jar).arg(&path).output();
        let checked = checked.unwrap();
        let text = String::from_utf8_lossy(&checked.stdout).into_owned()
            + &String::from_utf8_lossy(&checked.stderr);
        assert!(
            checked.status.success() && text.contains("No errors or warnings"),
            "{name}: {text}"
        );
    }
}
