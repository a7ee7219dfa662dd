//! Files at the root that people and other programs look for: they agree with the manifests and with each other.

use crate::sources::read;

/// The value of `key = "…"` in a manifest.
#[track_caller]
fn quoted<'m>(manifest: &'m str, key: &str) -> &'m str {
    let line = manifest.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
    line.and_then(|rest| rest.split('"').next()).unwrap_or_else(|| panic!("`{key}` is missing"))
}

/// A published package needs them inside, and a link to a file outside is none everywhere.
#[test]
fn the_package_of_the_sdk_has_the_licences_of_the_project() {
    let manifest = read("sdk/Cargo.toml");
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        assert_eq!(read(&format!("sdk/{name}")), read(name), "sdk/{name} is a copy of {name}");
        assert!(manifest.contains(&format!("\"/{name}\"")), "sdk/Cargo.toml includes {name}");
    }
    assert!(
        read(&format!("sdk/{}", quoted(&manifest, "readme"))).starts_with("# narratoria-sdk\n")
    );
}
