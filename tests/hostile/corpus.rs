//! Each component of the corpus ends as its text says, and the next invocation works.

use std::{collections::BTreeSet, fs, path::PathBuf, time::Duration};

use narratoria_guests::Guest;
use narratoria_protocol::InvocationEnding;
use narratoria_sandbox::{InvocationLimits, Sandbox};
use serde_json::Value;

use super::{
    crafted::{self, CraftedComponent},
    support::{self, LIMITS, ending_text},
};

/// Fewest hostile components of the corpus.
const CORPUS_MIN: usize = 40;

fn text_of_guest(guest: &Guest) -> PathBuf {
    format!("tests/guests/programs/expect/{}.txt", guest.name).into()
}

fn text_of_crafted(crafted: &CraftedComponent) -> PathBuf {
    format!("tests/hostile/expect/{}.txt", crafted.name).into()
}

/// A second for a runaway, and for all others as long as a busy machine may need.
fn limits_for(text: &PathBuf) -> InvocationLimits {
    let expected = fs::read_to_string(text).unwrap_or_default();
    let time = match expected.starts_with("ran past its time limit") {
        true => LIMITS.time,
        false => Duration::from_secs(60),
    };
    InvocationLimits { time, ..LIMITS }
}

/// Returns the difference, if there is one. `BLESS=1` rewrites the text instead.
fn compare(name: &str, text: &PathBuf, found: &str) -> Option<String> {
    if std::env::var_os("BLESS").is_some() {
        fs::write(text, format!("{found}\n")).unwrap();
        return None;
    }
    let Ok(expected) = fs::read_to_string(text) else {
        return Some(format!("{name}: there is no {}", text.display()));
    };
    (found != expected.trim_end())
        .then(|| format!("{name}: expected `{}`, found `{found}`", expected.trim_end()))
}

/// The error of loading the component, or its ending.
async fn end(sandbox: &Sandbox, crafted: &CraftedComponent) -> String {
    match sandbox.load(&crafted.bytes(), &narratoria_guests::host::grants_of(crafted.name)) {
        Err(error) => format!("not loaded: {error}"),
        Ok(component) => {
            let limits = limits_for(&text_of_crafted(crafted));
            ending_text(&support::run(&component, crafted.name, limits).await.ending)
        }
    }
}

#[tokio::test]
async fn every_guest_ends_as_its_text_says_and_the_next_invocation_succeeds() {
    let sandbox = support::sandbox();
    let null = support::load(&sandbox, "null");
    let mut wrong = Vec::new();
    for guest in narratoria_guests::ALL {
        let component = support::load(&sandbox, guest.name);
        let limits = limits_for(&text_of_guest(guest));
        let invocation = support::run(&component, guest.name, limits).await;
        let found = ending_text(&invocation.ending);
        wrong.extend(compare(guest.name, &text_of_guest(guest), &found));
        let after = support::run(&null, "null", LIMITS).await;
        assert_eq!(ending_text(&after.ending), "ok", "after `{}`", guest.name);
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[tokio::test]
async fn every_crafted_component_ends_as_its_text_says() {
    let sandbox = support::sandbox();
    let null = support::load(&sandbox, "null");
    let mut wrong = Vec::new();
    for crafted in crafted::ALL {
        let found = end(&sandbox, crafted).await;
        wrong.extend(compare(crafted.name, &text_of_crafted(crafted), &found));
        let after = support::run(&null, "null", LIMITS).await;
        assert_eq!(ending_text(&after.ending), "ok", "after `{}`", crafted.name);
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// Without a pool other code enforces the limits. The messages may differ, but none may succeed.
#[tokio::test]
async fn without_a_pool_no_crafted_component_succeeds() {
    let options = narratoria_sandbox::SandboxOptions { on_demand: true, ..Default::default() };
    let sandbox = Sandbox::open(&options).unwrap();
    for crafted in crafted::ALL.iter().filter(|crafted| !crafted.name.starts_with("bytes-")) {
        assert_ne!(end(&sandbox, crafted).await, "ok", "{}", crafted.name);
    }
}

#[test]
fn every_text_has_its_component_and_the_corpus_is_large_enough() {
    let crafted: BTreeSet<String> =
        crafted::ALL.iter().map(|crafted| format!("{}.txt", crafted.name)).collect();
    let texts: BTreeSet<String> = fs::read_dir("tests/hostile/expect")
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(crafted, texts);
    let hostile = narratoria_guests::ALL.iter().filter(|guest| guest.expect != "ok").count();
    assert!(hostile + crafted.len() >= CORPUS_MIN, "{hostile} and {}", crafted.len());
}

async fn output_of(name: &str) -> Value {
    let component = support::load(&support::sandbox(), name);
    match support::run(&component, name, LIMITS).await.ending {
        InvocationEnding::Done { output, .. } => Value::Object(output),
        other => panic!("`{name}` ended with {other:?}"),
    }
}

#[tokio::test]
async fn a_whole_number_beyond_64_bits_becomes_the_nearest_double() {
    insta::assert_snapshot!(
        output_of("large-numbers").await,
        @r#"{"most":18446744073709551615,"more":1.8446744073709552e+19,"least":-9223372036854775808,"zero":-0.0}"#
    );
}

#[tokio::test]
async fn there_is_no_way_out_of_a_folder() {
    let attempts = output_of("escapes").await;
    let attempts = attempts.as_object().unwrap();
    assert_eq!(attempts.len(), 15);
    for (what, got) in attempts {
        assert_eq!(got, "refused", "{what}");
    }
}
