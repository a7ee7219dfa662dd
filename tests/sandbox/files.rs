//! Files as a script sees them: without the date, the machine's order and its numbers.

use std::{fs, path::Path};

use narratoria_protocol::InvocationEnding;
use narratoria_sandbox::{InvocationInput, Preopen};
use serde_json::{Value, json};

use super::{LIMITS, job, prepared};

/// What a script finds in these folders, and which odd names it could make.
async fn output(campaign: &Path, data: &Path) -> Value {
    let folder = |host: &Path, guest: &str, writable| Preopen {
        host: host.to_owned(),
        guest: guest.to_owned(),
        writable,
    };
    let preopens = vec![folder(campaign, "/campaign", false), folder(data, "/data", true)];
    let input = InvocationInput { preopens, ..job(json!({}), LIMITS) };
    let invocation = prepared("looks-at-files").run(input, Box::new(|_| {})).await;
    match invocation.ending {
        InvocationEnding::Done { output, .. } => Value::Object(output),
        other => panic!("{other:?}, stderr: {}", invocation.stderr_tail),
    }
}

/// The names are made in an order that no file system sorts them by, on this one and on a later day.
#[tokio::test]
async fn a_script_sees_neither_the_time_of_a_file_nor_the_order_of_the_machine() {
    let mut found = Vec::new();
    for names in [["b", "a", "é", "Z"], ["Z", "é", "a", "b"]] {
        let (campaign, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in names {
            fs::write(campaign.path().join(name), "text").unwrap();
        }
        for number in 0..40 {
            fs::write(data.path().join(format!("f{:02}", number * 7 % 40)), "x").unwrap();
        }
        found.push(output(campaign.path(), data.path()).await["facts"].take());
    }
    assert_eq!(found[0], found[1]);
    let folders = found[0].as_array().unwrap();
    insta::assert_snapshot!(folders[0], @r#"{"path":"/campaign","changed":0,"files":[["Z",4,1,[0,0,0],1,0],["a",4,1,[0,0,0],2,0],["b",4,1,[0,0,0],3,0],["é",4,1,[0,0,0],4,0]]}"#);
    let names =
        folders[1]["files"].as_array().unwrap().iter().map(|file| file[0].as_str().unwrap());
    let names: Vec<&str> = names.collect();
    assert!(names.is_sorted() && names.len() == 44, "{names:?}");
    assert!(folders[1].to_string().matches("[0,0,0]").count() == 44, "{}", folders[1]);
}

#[tokio::test]
async fn a_script_makes_no_hidden_file_and_no_program() {
    let (campaign, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let output = output(campaign.path(), data.path()).await;
    assert_eq!(output["made"], json!([]));
    let names = fs::read_dir(data.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["alpha", "folder", "one", "zeta"]);
}
