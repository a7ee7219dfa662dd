//! Files at the root that people and other programs look for: they agree with the manifests and with each other.

use std::collections::BTreeSet;

use crate::sources::{names_in, read};

const WORKFLOWS: &str = ".github/workflows";

/// The value of `key = "…"` in a manifest.
#[track_caller]
fn quoted<'m>(manifest: &'m str, key: &str) -> &'m str {
    let line = manifest.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
    line.and_then(|rest| rest.split('"').next()).unwrap_or_else(|| panic!("`{key}` is missing"))
}

/// Each workflow with its name.
fn workflows() -> Vec<(String, String)> {
    let names = names_in(WORKFLOWS);
    assert!(!names.is_empty(), "{WORKFLOWS} is empty");
    names.into_iter().map(|name| (name.clone(), read(&format!("{WORKFLOWS}/{name}")))).collect()
}

/// Returns the text behind each `before`, up to the end of its line.
fn behind<'t>(text: &'t str, before: &str) -> Vec<&'t str> {
    text.lines().filter_map(|line| Some(line.split_once(before)?.1.trim())).collect()
}

/// A published package needs them inside, and a link to a file outside is none everywhere.
#[test]
fn the_package_of_the_sdk_has_the_licences_of_the_project() {
    let manifest = read("sdk/Cargo.toml");
    assert!(manifest.contains("\"/CHANGELOG.md\""), "sdk/Cargo.toml includes CHANGELOG.md");
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        assert_eq!(read(&format!("sdk/{name}")), read(name), "sdk/{name} is a copy of {name}");
        assert!(manifest.contains(&format!("\"/{name}\"")), "sdk/Cargo.toml includes {name}");
    }
    assert!(
        read(&format!("sdk/{}", quoted(&manifest, "readme"))).starts_with("# narratoria-sdk\n")
    );
}

#[test]
fn the_workflows_use_the_oldest_toolchain_that_the_manifest_allows() {
    let manifest = read("Cargo.toml");
    for (name, text) in workflows() {
        let toolchains = behind(&text, "RUST_TOOLCHAIN: ");
        let expect = [format!("\"{}\"", quoted(&manifest, "rust-version"))];
        assert_eq!(toolchains, expect, "{name}");
    }
}

/// A program of `cargo binstall` and one of `install.sh` are the same file.
#[test]
fn binstall_takes_the_archives_that_a_release_has() {
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let archive = "{ repo }/releases/download/v{ version }/narratoria-{ version }-{ target }";
    assert_eq!(binstall["pkg-url"].as_str(), Some(&*format!("{archive}.tar.gz")));
    let windows = &binstall["overrides"]["x86_64-pc-windows-msvc"]["pkg-url"];
    assert_eq!(windows.as_str(), Some(&*format!("{archive}.zip")));
    let settings = read("scripts/dist/settings.sh");
    assert!(settings.contains("name=\"narratoria-$version-$target\""), "{settings}");
    let workflow = read(".github/workflows/release.yml");
    assert!(workflow.contains("target: x86_64-pc-windows-msvc }"), "{workflow}");
}

#[test]
fn the_workflows_call_targets_that_are_there() {
    let makefile = read("Makefile");
    let targets: BTreeSet<&str> =
        makefile.lines().filter_map(|line| Some(line.split_once(':')?.0)).collect();
    for (name, text) in workflows() {
        let called = behind(&text, "run: make ");
        assert!(called.contains(&"setup"), "{name} begins with `make setup`");
        for target in called {
            assert!(targets.contains(target), "{name} calls `make {target}`");
        }
    }
}

/// A tag can be moved to other code, a commit cannot.
#[test]
fn the_workflows_name_actions_by_their_commit() {
    for (name, text) in workflows() {
        for action in behind(&text, "uses: ") {
            let commit = action.split_once('@').map_or("", |(_, rest)| rest);
            let commit = commit.split(' ').next().unwrap_or_default();
            let is_commit = commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_commit && action.contains(" # v"), "{name} uses {action}");
        }
    }
}
