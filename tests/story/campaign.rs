//! The campaign of a story: stored once, untouched by undo, and part of every copy.

use std::{collections::BTreeMap, io::Cursor};

use narratoria_protocol::CompiledCampaign;
use narratoria_story::{ImportChecks, Story, StoryName, import};
use rusqlite::Connection;
use serde_json::json;

use super::{at, db, export_lines::NO_CHECKS, message, open, root, state, turn};

fn campaign() -> CompiledCampaign {
    let documents = [
        ("world.json", r#"{"title": "The Hut"}"#),
        ("texts/quay.json", "[]"),
        ("lore.json", "[{\"text\": \"Salt \u{1}\\n\"}]"),
    ];
    let documents: BTreeMap<String, String> =
        documents.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    CompiledCampaign::build("hut", "1.2.0", "The Hut", documents).unwrap()
}

fn story_with_campaign(root: &std::path::Path) -> Story {
    let mut story = open(root);
    assert_eq!(story.campaign().unwrap(), None);
    story.set_campaign(&campaign()).unwrap();
    story
}

#[test]
fn a_campaign_stays_as_it_was_stored_whatever_is_undone() {
    let root = root();
    let mut story = story_with_campaign(root.path());
    story.commit(&turn("enter", &[json!({"world": {"campaign": true}})])).unwrap();
    story.undo(1).unwrap();
    assert_eq!((state(&story), story.turns()), (json!({}), 0));
    assert_eq!(open(root.path()).campaign().unwrap(), Some(campaign()));
    let heading = open(root.path()).campaign_heading().unwrap().unwrap();
    assert_eq!((heading.name.as_str(), heading.title.as_str()), ("hut", "The Hut"));
    assert_eq!(story.title().unwrap(), "The Hut");
    let listed = narratoria_story::list(root.path()).unwrap().stories;
    assert_eq!(listed[0].summary.as_ref().unwrap().title.as_deref(), Some("The Hut"));
    assert_eq!(story.verify().unwrap(), Vec::<String>::new());
}

#[test]
fn only_a_new_story_takes_a_campaign_and_only_one() {
    let root = root();
    let mut story = story_with_campaign(root.path());
    let error = story.set_campaign(&campaign()).unwrap_err();
    insta::assert_snapshot!(message(root.path(), &error), @"the story `quest` has begun, and a campaign begins a story; `narratoria campaign play NAME --story ANOTHER` begins one under another name");
    let root = super::root();
    let mut story = open(root.path());
    story.commit(&turn("enter", &[])).unwrap();
    story.undo(1).unwrap();
    assert!(story.set_campaign(&campaign()).is_err());
    assert_eq!(story.campaign().unwrap(), None);
    assert_eq!(story.title().unwrap(), "quest");
}

#[test]
fn a_campaign_goes_there_and_back_as_lines() {
    let root = root();
    let mut story = story_with_campaign(root.path());
    story.commit(&turn("enter", &[])).unwrap();
    let mut lines = Vec::new();
    story.export_lines(&mut lines).unwrap();
    let name = StoryName::parse("again").unwrap();
    import(root.path(), Some(&name), &mut Cursor::new(&lines), at(99), NO_CHECKS).unwrap();
    let again = Story::open_existing(root.path(), &name).unwrap();
    assert_eq!(again.campaign().unwrap(), Some(campaign()));

    // The readers of the documents decide whether it can be played.
    let checks = ImportChecks {
        campaign: &|campaign| Some(format!("{} cannot begin", campaign.title())),
        ..NO_CHECKS
    };
    let name = StoryName::parse("unread").unwrap();
    let error = import(root.path(), Some(&name), &mut Cursor::new(&lines), at(99), checks);
    assert_eq!(
        error.unwrap_err().to_string(),
        "the export is no whole story: The Hut cannot begin"
    );
    assert!(!root.path().join("unread").exists());

    // A line with another text is no whole story, whatever the last line says about the lines.
    let text = String::from_utf8(lines).unwrap().replace("The Hut\\", "The Inn\\");
    let digest = |text: &str| narratoria_protocol::digest::sha256(text.as_bytes());
    let (body, last) = text.trim_end().rsplit_once('\n').unwrap();
    let body = format!("{body}\n");
    let mut last: serde_json::Value = serde_json::from_str(last).unwrap();
    last["sha256"] = digest(&body).into();
    let forged = format!("{body}{last}\n");
    let name = StoryName::parse("forged").unwrap();
    let error = import(root.path(), Some(&name), &mut Cursor::new(forged), at(99), NO_CHECKS);
    insta::assert_snapshot!(error.unwrap_err(), @"the export is no whole story: the document `world.json` of its campaign has another text than when it was stored");
}

#[test]
fn a_changed_document_is_damage_and_verify_names_it() {
    let root = root();
    let story = story_with_campaign(root.path());
    let conn = Connection::open(db(root.path())).unwrap();
    let sql = "UPDATE campaign_documents SET text = '{}' WHERE document = 'world.json'";
    conn.execute(sql, []).unwrap();
    let said = "the document `world.json` of its campaign has another text than when it was stored";
    assert_eq!(story.verify().unwrap(), [said]);
    assert!(story.campaign().unwrap_err().to_string().contains(said));
    conn.execute("DELETE FROM campaign", []).unwrap();
    let none = "it has documents of a campaign and no campaign";
    assert_eq!(story.verify().unwrap(), [said, none]);
}

#[test]
fn a_story_of_version_6_comes_along_with_a_copy_and_has_no_campaign() {
    let root = root();
    open(root.path()).commit(&turn("enter", &[json!({"hp": 3})])).unwrap();
    let conn = Connection::open(db(root.path())).unwrap();
    let older = "ALTER TABLE turns DROP COLUMN digest;
                 DROP TABLE campaign; DROP TABLE campaign_documents; PRAGMA user_version = 6;";
    conn.execute_batch(older).unwrap();
    drop(conn);
    let story = open(root.path());
    assert_eq!((state(&story), story.campaign().unwrap()), (json!({"hp": 3}), None));
    let copy = Connection::open(root.path().join("quest/story.version-6.db")).unwrap();
    let version: i64 = copy.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 6);
}
