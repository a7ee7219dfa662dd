//! The address of the project and the key of its releases stand in `Cargo.toml` alone; the examples of pages follow the address.
//!
//! `BLESS=1 cargo test -p narratoria-house address` writes the address of the manifest into the pages.

use std::fs;

use crate::{
    docs::pages,
    sources::{at, names_in, read},
};

/// What stands before the address in a link, and behind it in the name of the action.
const HOST: &str = "https://github.com/";
const ACTION: &str = "/scripts/github@";

/// `OWNER/NAME` of `repository` in the manifest of the workspace.
fn project() -> String {
    let manifest = read("Cargo.toml");
    let lines: Vec<&str> =
        manifest.lines().filter_map(|line| line.strip_prefix("repository = \"")).collect();
    let [line] = lines[..] else { panic!("`repository` stands once in Cargo.toml: {lines:?}") };
    let address = line.strip_suffix('"').and_then(|address| address.strip_prefix(HOST));
    let address = address.expect("`repository` is a project on GitHub");
    assert_eq!(address.split('/').count(), 2, "{address}");
    address.to_owned()
}

fn is_part_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_./".contains(c)
}

/// The first two folders of a path.
fn two_folders(path: &str) -> &str {
    let end = path.match_indices('/').nth(1).map_or(path.len(), |(at, _)| at);
    &path[..end]
}

/// The addresses of this project in a text, by the position where they begin.
fn addresses(text: &str) -> Vec<(usize, &str)> {
    let links = text.match_indices(HOST).map(|(at, _)| {
        let from = at + HOST.len();
        let rest = &text[from..];
        let end = rest.find(|c| !is_part_of_a_name(c)).unwrap_or(rest.len());
        (from, two_folders(&rest[..end]))
    });
    let actions = text.match_indices(ACTION).map(|(at, _)| {
        let from = text[..at].rfind(|c| !is_part_of_a_name(c)).map_or(0, |before| before + 1);
        (from, &text[from..at])
    });
    let mut found: Vec<_> =
        links.chain(actions).filter(|(_, address)| address.ends_with("/narratoria")).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The text with this address in the place of others.
fn with_address(text: &str, project: &str) -> String {
    let mut out = text.to_owned();
    for (at, found) in addresses(text).into_iter().rev() {
        out.replace_range(at..at + found.len(), project);
    }
    out
}

#[test]
fn the_pages_have_the_address_of_the_manifest() {
    let project = project();
    let mut count = 0;
    for page in pages() {
        let text = read(&page);
        count += addresses(&text).len();
        let right = with_address(&text, &project);
        if right != text && std::env::var_os("BLESS").is_some() {
            fs::write(at(&page), right).unwrap();
        } else {
            assert!(right == text, "{page} has another address than {project}");
        }
    }
    assert!(count > 0, "no page has an address");
}

#[test]
fn an_address_is_found_in_links_and_in_the_name_of_the_action() {
    let text = "uses: A/narratoria/scripts/github@v1 <https://github.com/B/narratoria/releases>, \
                https://github.com/astral-sh/uv";
    assert_eq!(addresses(text), [(6, "A/narratoria"), (57, "B/narratoria")]);
    let renewed = "uses: C/narratoria/scripts/github@v1 <https://github.com/C/narratoria/releases>, \
                   https://github.com/astral-sh/uv";
    assert_eq!(with_address(text, "C/narratoria"), renewed);
}

/// Scripts and workflows read both from the manifest, or from where they run.
#[test]
fn no_script_and_no_workflow_has_an_address_or_a_key_of_its_own() {
    let manifest = read("Cargo.toml");
    let key = manifest.lines().find_map(|line| line.strip_prefix("pubkey = \"")).unwrap();
    let key = key.trim_end_matches('"');
    for folder in ["scripts", "scripts/dist", "scripts/ci", "scripts/github", ".github/workflows"] {
        for name in names_in(folder) {
            let path = format!("{folder}/{name}");
            if at(&path).is_file() {
                let text = read(&path);
                assert!(addresses(&text).is_empty(), "{path} has an address of the project");
                let is_tested = path == "scripts/dist/install-test.sh";
                assert!(is_tested || !text.contains(key), "{path} has the key of releases");
            }
        }
    }
}
