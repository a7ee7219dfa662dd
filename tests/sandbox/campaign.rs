//! The campaign of a story: a script reads it, and nothing that it does changes it.

use std::{fs, path::Path, time::SystemTime};

use narratoria_protocol::InvocationEnding;
use narratoria_sandbox::{DISK_ENTRIES_MAX, InvocationInput, Preopen};
use serde_json::{Value, json};

use super::{LIMITS, job, prepared};

/// Each file below a folder with its content and its time.
fn files(folder: &Path) -> Vec<(String, Vec<u8>, SystemTime)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => {
                let modified = path.metadata().unwrap().modified().unwrap();
                found.push((path.display().to_string(), fs::read(&path).unwrap(), modified));
            }
        }
    }
    found.sort();
    found
}

async fn output_with(preopens: Vec<Preopen>) -> Value {
    let input = InvocationInput { preopens, ..job(json!({}), LIMITS) };
    let invocation = prepared("alters-the-campaign").run(input, Box::new(|_| {})).await;
    match invocation.ending {
        InvocationEnding::Done { output, .. } => Value::Object(output),
        other => panic!("{other:?}, stderr: {}", invocation.stderr_tail),
    }
}

#[tokio::test]
async fn a_script_reads_the_campaign_and_changes_nothing_of_it() {
    let (campaign, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(campaign.path().join("world.json"), r#"{"title":"The Hut"}"#).unwrap();
    fs::create_dir(campaign.path().join("texts")).unwrap();
    fs::write(campaign.path().join("texts/harbour.json"), "[]").unwrap();
    // More than a script may have in its own folders.
    for number in 0..=DISK_ENTRIES_MAX {
        fs::write(campaign.path().join(format!("texts/d{number}.json")), "").unwrap();
    }
    let before = files(campaign.path());
    let folder = |host: &Path, guest: &str, writable| Preopen {
        host: host.to_owned(),
        guest: guest.to_owned(),
        writable,
    };
    let output = output_with(vec![
        folder(campaign.path(), "/campaign", false),
        folder(data.path(), "/data", true),
    ])
    .await;
    assert_eq!(output, json!({"world": r#"{"title":"The Hut"}"#, "deck": "[]", "done": []}));
    assert_eq!(files(campaign.path()), before);
    // Its own folder has room left, however much the campaign has.
    assert_eq!(fs::read_to_string(data.path().join("mine")).unwrap(), "forged");
}

#[tokio::test]
async fn a_story_without_a_campaign_has_no_such_folder() {
    let output = output_with(Vec::new()).await;
    assert_eq!(output, json!({"world": null, "deck": null, "done": []}));
}
