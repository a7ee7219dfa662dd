//! What registries of packages, indices and files of credentials say. The first byte, a letter in the seeds, chooses the reader.

use narratoria_protocol::JsonBounds;
use narratoria_registry::{OciDigest, OciReference, PackageUrl, outside};
use narratoria_skills::PackageIndex;

use super::packages::check_text;

/// Where a page of a list was read.
const PAGE: &str = "https://registry.example/v2/acme/weather/tags/list";

pub(crate) fn check(bytes: &[u8]) {
    let Some((reader, bytes)) = bytes.split_first() else { return };
    match reader {
        b'p' => package(bytes),
        b's' => drop(outside::signature(bytes).map_err(|error| check_text(&error.to_string()))),
        b'r' => referrers(bytes),
        b't' => drop(outside::tags(bytes).map_err(|error| check_text(&error))),
        b'k' => token(bytes),
        b'e' => check_text(&outside::refusal(bytes)),
        b'l' => next_page(bytes),
        b'w' => challenge(bytes),
        b'c' => credentials(bytes),
        b'i' => index(bytes),
        b'o' => reference(bytes),
        _ => {}
    }
}

/// What is read is written so that it is read again.
fn package(bytes: &[u8]) {
    match outside::package(bytes) {
        Ok((digest, size)) => {
            let written = outside::written_package(&digest, size);
            let again = outside::package(&written).expect("the program has written it");
            assert_eq!(again, (digest, size), "another archive is read than was written");
        }
        Err(error) => check_text(&error.to_string()),
    }
}

/// An entry is added once, and the others stay.
fn referrers(bytes: &[u8]) {
    let before = match outside::referrers(bytes) {
        Ok(before) => before,
        Err(error) => return check_text(&error.to_string()),
    };
    let added: OciDigest = format!("sha256:{}", "0".repeat(64)).parse().expect("it is a digest");
    let Some(list) = outside::with_referrer(bytes, &added).expect("it was read") else { return };
    // A list that has become longer than the longest one is refused when it is read, not before.
    let Ok(after) = outside::referrers(&list) else { return };
    assert_eq!(after[..before.len()], before, "an entry of others was lost");
    assert_eq!(after.last().map(|(_, digest)| digest), Some(&added));
    let again = outside::with_referrer(&list, &added).expect("it was read");
    assert!(again.is_none(), "an entry was added twice");
}

fn token(bytes: &[u8]) {
    if let Some(header) = outside::token(bytes) {
        assert!(header.starts_with(b"Bearer ") && header.len() > 7, "a header without a token");
        assert!(!header.iter().any(|byte| b"\r\n\0".contains(byte)), "a header that ends early");
    }
}

/// The next page is never on plain `http`, or on this machine, if the last one was not.
fn next_page(bytes: &[u8]) {
    let Ok(link) = std::str::from_utf8(bytes) else { return };
    let page = PackageUrl::parse(PAGE).expect("it is an address");
    if let Some(next) = outside::next_page(&page, link) {
        assert!(next.as_str().starts_with("https://"), "{}", next.as_str());
        assert!(!next.is_this_machine(), "{}", next.as_str());
    }
}

fn challenge(bytes: &[u8]) {
    let Ok(values) = std::str::from_utf8(bytes) else { return };
    if let Some(Some((realm, service))) = outside::challenge(values) {
        assert!(!realm.is_empty() && service.is_none_or(|service| !service.is_empty()));
    }
}

/// No message has a secret, and a file with one name of a registry says the same of it again.
fn credentials(bytes: &[u8]) {
    for reference in ["oci://a.example/team/weather", "oci://docker.io/acme/weather"] {
        let reference = OciReference::parse(reference).expect("it is a reference");
        match outside::credentials(bytes, &reference) {
            Ok(found) => {
                let again = outside::credentials(bytes, &reference);
                assert_eq!(again.ok(), Some(found), "a file says two things");
            }
            Err(error) => {
                let shown = error.to_string();
                check_text(&shown);
                for secret in secrets(bytes) {
                    assert!(!shown.contains(&secret), "a secret is told: {shown}");
                }
            }
        }
    }
}

/// The values of `auth` and `identitytoken`, of those that no message has by chance.
fn secrets(bytes: &[u8]) -> Vec<String> {
    let bounds = JsonBounds::of_bytes(bytes.len());
    let Ok(document) = narratoria_protocol::read_json(bytes, bounds) else { return Vec::new() };
    let Some(entries) = document.get("auths").and_then(|auths| auths.as_object()) else {
        return Vec::new();
    };
    let of = |entry: &serde_json::Value| {
        ["auth", "identitytoken"].map(|name| entry.get(name)?.as_str().map(str::to_owned))
    };
    let all = entries.values().flat_map(of).flatten();
    let names: String = entries.keys().map(String::as_str).collect::<Vec<_>>().join(" ");
    all.filter(|secret| secret.len() > 12 && !names.contains(secret.as_str())).collect()
}

/// An index that is read is written so that the same one is read again.
fn index(bytes: &[u8]) {
    match PackageIndex::parse(bytes) {
        Ok(index) => {
            let written = index.to_text();
            let again =
                PackageIndex::parse(written.as_bytes()).expect("the program has written it");
            assert_eq!(again, index, "another index is read than was written");
        }
        Err(error) => check_text(&error.to_string()),
    }
}

/// A reference is shown as it is read, and an address too.
fn reference(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match OciReference::parse(text) {
        Ok(reference) => {
            let again = OciReference::parse(&reference.to_string()).expect("it was read");
            assert_eq!(again, reference);
        }
        Err(error) => check_text(&error.to_string()),
    }
    match PackageUrl::parse(text) {
        Ok(url) => {
            let again = PackageUrl::parse(url.as_str()).expect("it was read");
            assert_eq!(again.as_str(), url.as_str());
        }
        Err(error) => check_text(&error.to_string()),
    }
}
