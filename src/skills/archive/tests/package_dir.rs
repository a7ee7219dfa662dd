//! Packages that are packed, installed, replaced and removed.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use tempfile::TempDir;

use super::{ONE, TarBuilder, read_result};
use crate::{PlayerSide, SettingsFolder, archive::*};

/// A package in a folder of its own; `turn` rotates the order in which its files are written.
struct TestPackage(TempDir);

const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

impl TestPackage {
    fn new(version: &str, turn: usize) -> TestPackage {
        let source = TestPackage(TempDir::new().unwrap());
        let manifest = serde_json::json!({
            "name": "weather", "description": "Says what the sky is doing.", "version": version,
            "scripts": [{
                "name": "look-up", "path": "scripts/look-up.wasm", "description": "Looks up.",
                "inputSchema": "schemas/in.json",
            }],
        });
        let mut files: Vec<(&str, Vec<u8>)> = vec![
            ("skill.json", manifest.to_string().into_bytes()),
            ("SKILL.md", b"---\nname: weather\ndescription: d\n---\nLook up.\n".to_vec()),
            ("scripts/look-up.wasm", COMPONENT.to_vec()),
            ("schemas/in.json", b"{\"type\": \"object\"}".to_vec()),
            (
                "examples/one.json",
                b"{\"script\": \"look-up\", \"input\": {}, \"expect\": {}}".to_vec(),
            ),
            ("references/clouds/kinds.md", b"Many.\n".to_vec()),
            ("assets/sun.svg", b"<svg/>".to_vec()),
            ("README.md", b"Weather.\n".to_vec()),
            ("LICENSE-MIT", b"MIT\n".to_vec()),
            // These are no part of it.
            ("src/main.rs", b"fn main() {}".to_vec()),
            ("Cargo.toml", b"[package]".to_vec()),
            ("assets/.DS_Store", b"x".to_vec()),
            (".env", b"TOKEN=1".to_vec()),
        ];
        files.rotate_left(turn);
        for (path, content) in files {
            source.write(path, content);
        }
        source
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("weather")
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.folder().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn pack(&self) -> Result<(PackReport, Vec<u8>), PackError> {
        let mut archive = Vec::new();
        let packed = pack(&self.folder(), &mut archive)?;
        Ok((packed, archive))
    }

    fn archive(&self) -> Vec<u8> {
        self.pack().unwrap().1
    }

    /// Why it cannot be packed.
    fn fault(&self) -> String {
        match self.pack().unwrap_err() {
            PackError::InvalidPackage(problems) => {
                problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
            }
            error => error.to_string(),
        }
    }
}

#[test]
fn an_archive_holds_the_package_s_own_files_and_no_others() {
    let (packed, archive) = TestPackage::new("0.1.0", 0).pack().unwrap();
    assert_eq!((packed.files.len(), packed.bytes), (9, archive.len() as u64));
    insta::assert_snapshot!(read_result(&archive), @"ok: MANIFEST.sha256 LICENSE-MIT README.md SKILL.md assets/sun.svg examples/one.json references/clouds/kinds.md schemas/in.json scripts/look-up.wasm skill.json");
}

/// The digest is fixed on every machine: if it changes, the compressor or the format has changed, and no program can make
/// published archives again.
#[test]
fn equal_packages_give_equal_bytes() {
    let source = TestPackage::new("0.1.0", 0);
    let (packed, archive) = source.pack().unwrap();
    insta::assert_snapshot!(packed.sha256, @"dec6556a0ce08fe7faee27992aad7372467716291ba98af0c936e96a1c079f47");
    assert_eq!(source.archive(), archive);
    for turn in 1..5 {
        let other = TestPackage::new("0.1.0", turn);
        let file = File::options().write(true).open(other.folder().join("README.md")).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 30)).unwrap();
        #[cfg(unix)]
        for (path, mode) in [("SKILL.md", 0o600), ("scripts/look-up.wasm", 0o755)] {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(other.folder().join(path), mode).unwrap();
        }
        assert!(other.archive() == archive, "written in turn {turn}");
    }
    // Neither a name nor a time in gzip's header, and no system.
    assert_eq!(archive[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
}

#[test]
fn a_package_that_cannot_be_loaded_is_not_packed() {
    let source = TestPackage::new("0.1.0", 0);
    source.write("scripts/look-up.wasm", "#!/bin/sh");
    source.write("schemas/in.json", "{");
    insta::assert_snapshot!(source.fault(), @"
    package `weather`: scripts/look-up.wasm: is not wasm, a script must be a wasm component (target wasm32-wasip2)
    package `weather`: schemas/in.json: is not JSON: EOF while parsing an object at line 1 column 1
    ");
}

/// A package with a required token can be packed without one, and the author's token is not packed.
#[test]
fn the_author_s_settings_are_neither_needed_nor_packed() {
    let source = TestPackage::new("0.1.0", 0);
    let schema = r#"{"type": "object", "required": ["token"],
        "properties": {"token": {"type": "string", "secret": true}}}"#;
    source.write("config-schema.json", schema);
    let without = source.archive();
    source.write("config.json", r#"{"token": "${TOKEN}"}"#);
    assert!(source.archive() == without);
    assert!(read_result(&without).contains(" config-schema.json "), "{}", read_result(&without));
    assert!(!read_result(&without).contains("config.json "), "{}", read_result(&without));
}

#[cfg(unix)]
#[test]
fn a_link_is_not_packed_wherever_it_leads() {
    use std::os::unix::fs::symlink;
    let source = TestPackage::new("0.1.0", 0);
    symlink("sun.svg", source.folder().join("assets/moon.svg")).unwrap();
    insta::assert_snapshot!(source.fault(), @"the package cannot be packed: `assets/moon.svg` is a link, an archive holds regular files only");
    let source = TestPackage::new("0.1.0", 0);
    fs::rename(source.folder().join("schemas"), source.folder().join("forms")).unwrap();
    symlink("forms", source.folder().join("schemas")).unwrap();
    insta::assert_snapshot!(source.fault(), @"the package cannot be packed: `schemas` is a link, an archive holds regular files only");
    let source = TestPackage::new("0.1.0", 0);
    source.write("assets/Sun.svg", "<svg/>");
    insta::assert_snapshot!(source.fault(), @"the package cannot be packed: `assets/sun.svg` and `assets/Sun.svg` are the same on a machine that does not tell case apart, or one is a folder of the other");
}

/// A package folder in a temporary folder.
struct TestPackageDir(TempDir);

impl TestPackageDir {
    fn new() -> TestPackageDir {
        TestPackageDir(TempDir::new().unwrap())
    }

    fn package_dir(&self) -> PackageDir {
        PackageDir::new(self.0.path().join("skills"))
    }

    fn place(&self) -> PathBuf {
        self.0.path().join("skills/weather")
    }

    /// Writes the player's own settings of the package.
    fn set(&self, settings: &str) {
        fs::create_dir_all(self.0.path().join("settings")).unwrap();
        fs::write(self.0.path().join("settings/weather.json"), settings).unwrap();
    }

    fn install(&self, archive: &[u8], force: bool) -> String {
        let options = InstallOptions { force, ..InstallOptions::default() };
        let settings =
            SettingsFolder::new(self.0.path().join("settings"), self.0.path().join("skills"));
        let player = PlayerSide { settings: &settings, ..PlayerSide::none() };
        match self.package_dir().install(archive, options, &player) {
            Ok(InstallReport {
                name,
                version,
                previous_version,
                is_unchanged,
                config_problems,
                ..
            }) => {
                let before = previous_version.map(|version| version.to_string());
                let problems = config_problems.iter().map(|problem| format!("; {problem}"));
                let problems = problems.collect::<String>();
                format!("{name} {version} before {before:?} unchanged {is_unchanged}{problems}")
            }
            Err(error) => error.to_string(),
        }
    }

    /// Unpacks and checks a package, then stops like a process that ends.
    fn crash_before_the_swap(&self, archive: &[u8]) {
        let staged: StagedPackage =
            self.package_dir().stage(archive, InstallOptions::default()).unwrap();
        drop(staged);
    }

    fn version(&self) -> String {
        let manifest = fs::read(self.place().join("skill.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
        manifest["version"].as_str().unwrap().to_owned()
    }

    /// Other entries of the package folder.
    fn leftovers(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path().join("skills")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != "weather" && name != ".lock").collect()
    }
}

#[test]
fn an_installed_package_equals_the_packed_one() {
    let (target, source) = (TestPackageDir::new(), TestPackage::new("0.1.0", 0));
    let archive = source.archive();
    insta::assert_snapshot!(target.install(&archive, false), @"weather 0.1.0 before None unchanged false");
    let again = TestPackage::new("0.1.0", 0);
    fs::remove_dir_all(again.folder()).unwrap();
    fs::rename(target.place(), again.folder()).unwrap();
    assert!(again.archive() == archive, "packed again it is another archive");
    assert_eq!(target.leftovers(), [""; 0]);
}

#[test]
fn only_a_newer_version_replaces_another() {
    let target = TestPackageDir::new();
    let [old, same, new] = ["0.9.0", "0.9.0", "0.10.0"].map(|version| TestPackage::new(version, 0));
    same.write("README.md", "Another.\n");
    insta::assert_snapshot!(target.install(&old.archive(), false), @"weather 0.9.0 before None unchanged false");
    insta::assert_snapshot!(target.install(&old.archive(), false), @r#"weather 0.9.0 before Some("0.9.0") unchanged true"#);
    insta::assert_snapshot!(target.install(&same.archive(), false), @"`weather` 0.9.0 is installed, and 0.9.0 is not newer");
    insta::assert_snapshot!(target.install(&new.archive(), false), @r#"weather 0.10.0 before Some("0.9.0") unchanged false"#);
    insta::assert_snapshot!(target.install(&old.archive(), false), @"`weather` 0.10.0 is installed, and 0.9.0 is not newer");
    assert_eq!(target.version(), "0.10.0");
    insta::assert_snapshot!(target.install(&old.archive(), true), @r#"weather 0.9.0 before Some("0.10.0") unchanged false"#);
    assert_eq!((target.version().as_str(), target.leftovers()), ("0.9.0", Vec::new()));
}

/// A version that needs a setting which is not there replaces none that can be used.
#[test]
fn an_upgrade_that_lacks_a_setting_leaves_the_version_that_works() {
    let target = TestPackageDir::new();
    let schema = |required: &str| {
        format!(
            r#"{{"type": "object", "required": ["{required}"], "properties":
            {{"token": {{"type": "string"}}, "town": {{"type": "string"}}}}}}"#
        )
    };
    let [old, new, newer] =
        [("0.1.0", "token"), ("0.2.0", "town"), ("0.3.0", "town")].map(|(version, required)| {
            let source = TestPackage::new(version, 0);
            source.write("config-schema.json", schema(required));
            source.archive()
        });
    insta::assert_snapshot!(target.install(&old, false), @"weather 0.1.0 before None unchanged false; package `weather`: config-schema.json: /required: the setting `token` is required and not set; `narratoria skill config weather` sets it");
    // Neither of the two can be used.
    insta::assert_snapshot!(target.install(&new, false), @r#"weather 0.2.0 before Some("0.1.0") unchanged false; package `weather`: config-schema.json: /required: the setting `town` is required and not set; `narratoria skill config weather` sets it"#);
    insta::assert_snapshot!(target.install(&old, true), @r#"weather 0.1.0 before Some("0.2.0") unchanged false; package `weather`: config-schema.json: /required: the setting `token` is required and not set; `narratoria skill config weather` sets it"#);
    target.set(r#"{"token": "t"}"#);
    insta::assert_snapshot!(target.install(&new, false), @"`weather` 0.2.0 needs other settings, and 0.1.0 stays in its place");
    assert_eq!((target.version().as_str(), target.leftovers()), ("0.1.0", Vec::new()));
    target.set(r#"{"token": "t", "town": "Bern"}"#);
    insta::assert_snapshot!(target.install(&new, false), @r#"weather 0.2.0 before Some("0.1.0") unchanged false"#);
    target.set("{}");
    insta::assert_snapshot!(target.install(&newer, true), @r#"weather 0.3.0 before Some("0.2.0") unchanged false; package `weather`: config-schema.json: /required: the setting `town` is required and not set; `narratoria skill config weather` sets it"#);
}

/// The player's file is not the package's, so an upgrade neither reads nor loses a `config.json` of older programs.
#[test]
fn a_config_of_an_older_program_stays_until_the_player_takes_it_over() {
    let target = TestPackageDir::new();
    let [old, new] = ["0.1.0", "0.2.0"].map(|version| {
        let source = TestPackage::new(version, 0);
        source.write(
            "config-schema.json",
            r#"{"type": "object", "properties": {"town": {"type": "string"}}}"#,
        );
        source.archive()
    });
    target.install(&old, false);
    fs::write(target.place().join("config.json"), r#"{"town": "Bern"}"#).unwrap();
    target.install(&new, false);
    let kept = fs::read_to_string(target.place().join("config.json")).unwrap();
    assert_eq!((target.version().as_str(), kept.as_str()), ("0.2.0", r#"{"town": "Bern"}"#));
}

#[test]
fn an_installed_package_remembers_its_archive() {
    let (target, archive) = (TestPackageDir::new(), TestPackage::new("0.1.0", 0).archive());
    let source = InstallSource {
        archive: "/there/weather.skill.tar.gz".to_owned(),
        index: Some("/there".to_owned()),
    };
    let options = InstallOptions { source: Some(&source), ..InstallOptions::default() };
    let report =
        target.package_dir().install(archive.as_slice(), options, &PlayerSide::none()).unwrap();
    let origin = read_origin(&target.place()).unwrap();
    assert_eq!((origin.source, origin.sha256, origin.pinned), (source, report.sha256, None));
    for text in ["", "{}", r#"{"version": 2, "archive": "a", "sha256": "b"}"#, "[[[[[["] {
        fs::write(target.place().join(".origin.json"), text).unwrap();
        assert_eq!(read_origin(&target.place()), None, "{text}");
    }
}

#[test]
fn a_bad_archive_or_a_crash_in_the_middle_leaves_the_old_one() {
    let target = TestPackageDir::new();
    let (old, new) =
        (TestPackage::new("0.1.0", 0).archive(), TestPackage::new("0.2.0", 0).archive());
    target.install(&old, false);
    // The last file is whole and its digest right, but the end of the archive is missing.
    insta::assert_snapshot!(target.install(&new[..new.len() - 4], false), @"the archive cannot be used: it ends too early: it was cut short");
    assert_eq!((target.version().as_str(), target.leftovers()), ("0.1.0", Vec::new()));
    target.crash_before_the_swap(&new);
    assert_eq!(
        (target.version().as_str(), target.leftovers()),
        ("0.1.0", vec![".stage".to_owned()])
    );
    insta::assert_snapshot!(target.install(&new, false), @r#"weather 0.2.0 before Some("0.1.0") unchanged false"#);
    // Without an exchange in one step, the old folder is set aside first; the process ends there.
    fs::rename(target.place(), target.place().with_file_name(".aside-weather")).unwrap();
    insta::assert_snapshot!(target.install(&old, false), @"`weather` 0.2.0 is installed, and 0.1.0 is not newer");
    assert_eq!((target.version().as_str(), target.leftovers()), ("0.2.0", Vec::new()));
}

#[test]
fn an_archive_without_a_package_is_not_installed() {
    let target = TestPackageDir::new();
    insta::assert_snapshot!(target.install(&TarBuilder::of(ONE).zip(), false), @"the archive holds no package: there is neither `skill.json` nor `SKILL.md` in it");
    let named = |name: &str| {
        let manifest = format!(r#"{{"name": "{name}"}}"#);
        TarBuilder::of(&[("skill.json", manifest.as_str())]).zip()
    };
    insta::assert_snapshot!(target.install(&named("../weather"), false), @"the archive holds no package: its `skill.json` has no name for a folder");
    insta::assert_snapshot!(target.install(&named("weather"), false), @"the package `weather` in the archive cannot be loaded");
    let pinned = InstallOptions { sha256: Some("00"), ..InstallOptions::default() };
    let archive = TestPackage::new("0.1.0", 0).archive();
    let error =
        target.package_dir().install(archive.as_slice(), pinned, &PlayerSide::none()).unwrap_err();
    assert!(error.to_string().starts_with("the archive's digest is "), "{error}");
    assert!(!target.place().exists());
    assert_eq!(target.leftovers(), [""; 0]);
}

#[test]
fn a_folder_that_is_no_package_is_replaced_only_by_force() {
    let (target, archive) = (TestPackageDir::new(), TestPackage::new("0.1.0", 0).archive());
    fs::create_dir_all(target.place()).unwrap();
    fs::write(target.place().join("skill.json"), "{").unwrap();
    let message = target.install(&archive, false);
    assert!(
        message.ends_with("is in the way: it is no package that could be replaced"),
        "{message}"
    );
    insta::assert_snapshot!(target.install(&archive, true), @"weather 0.1.0 before None unchanged false");
    assert_eq!((target.version().as_str(), target.leftovers()), ("0.1.0", Vec::new()));
}

#[test]
fn a_removed_package_is_gone() {
    let (target, archive) = (TestPackageDir::new(), TestPackage::new("0.1.0", 0).archive());
    target.install(&archive, false);
    target.package_dir().remove("weather").unwrap();
    assert!(!target.place().exists() && target.leftovers().is_empty());
    for name in ["weather", "..", ".stage", ""] {
        let error = target.package_dir().remove(name).unwrap_err();
        assert_eq!(error.to_string(), format!("there is no installed package `{name}`"));
    }
    assert!(Path::new(target.0.path()).exists());
}
