//! Packages in real folders: links, pipes, folders that are not there, and who wins.

use std::{fs, io, path::Path};

use narratoria_skills::{
    EmbeddedPackage, PackageOrigin, PackageRoot, PlayerSide, SettingsFolder, load, load_for_player,
};

const SCHEMA: &str = r#"{"type": "object"}"#;
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

/// A good package of that name and version.
fn write_package(root: &Path, name: &str, version: &str) -> io::Result<()> {
    let folder = root.join(name);
    fs::create_dir_all(folder.join("scripts"))?;
    let manifest = format!(
        r#"{{"name": "{name}", "description": "d", "version": "{version}",
            "scripts": [{{"name": "go", "path": "scripts/go.wasm", "description": "d", "inputSchema": "in.json"}}]}}"#
    );
    fs::write(folder.join("skill.json"), manifest)?;
    fs::write(folder.join("in.json"), SCHEMA)?;
    fs::write(folder.join("prompt.md"), "Go.")?;
    fs::write(folder.join("scripts/go.wasm"), COMPONENT)
}

/// Returns the result of loading the roots, with the temporary folder called `/tmp`.
fn outcome(tmp: &Path, roots: &[PackageRoot]) -> String {
    outcome_for(tmp, roots, &SettingsFolder::none())
}

fn outcome_for(tmp: &Path, roots: &[PackageRoot], settings: &SettingsFolder) -> String {
    let mut player: PlayerSide<'_> = PlayerSide::none();
    player.settings = settings;
    let loaded = load_for_player(roots, &player);
    let mut lines: Vec<String> = loaded
        .catalog
        .iter()
        .map(|skill| format!("loaded {} {} from {}", skill.name, skill.version, skill.origin))
        .collect();
    lines
        .extend(loaded.problems.iter().map(|problem| format!("{:?}: {problem}", problem.severity)));
    lines.join("\n").replace(&tmp.display().to_string(), "/tmp")
}

fn built_in(name: &'static str) -> PackageRoot {
    let manifest = format!(
        r#"{{"name": "{name}", "description": "d", "version": "0.1.0",
            "scripts": [{{"name": "go", "path": "scripts/go.wasm", "description": "d", "inputSchema": "in.json"}}]}}"#
    );
    let files: Vec<(&'static str, &'static [u8])> = vec![
        ("skill.json", manifest.leak().as_bytes()),
        ("in.json", SCHEMA.as_bytes()),
        ("prompt.md", b"Go."),
        ("scripts/go.wasm", COMPONENT),
    ];
    let packages: Vec<EmbeddedPackage> = vec![(name, files.leak())];
    PackageRoot::BuiltIn(packages.leak())
}

#[test]
fn earlier_folders_win_over_later_ones_and_over_what_is_built_in_where_the_player_agreed() {
    let tmp = tempfile::tempdir().unwrap();
    let (one, two) = (tmp.path().join("one"), tmp.path().join("two"));
    write_package(&one, "dice", "1.0.0").unwrap();
    write_package(&two, "dice", "2.0.0").unwrap();
    write_package(&two, "cards", "2.0.0").unwrap();
    let place = PackageOrigin::Folder(one.join("dice"));
    let roots =
        [built_in("dice"), built_in("story"), PackageRoot::Folder(one), PackageRoot::Folder(two)];
    insta::assert_snapshot!(outcome(tmp.path(), &roots), @"
    loaded cards 2.0.0 from `/tmp/two/cards`
    loaded dice 0.1.0 from the built-in one
    loaded story 0.1.0 from the built-in one
    Note: package `dice`: `/tmp/one/dice` is not used: a package takes the place of a built-in skill only if you agree to that; `narratoria skill install` asks
    Note: package `dice`: `/tmp/two/dice` is not used: a package takes the place of a built-in skill only if you agree to that; `narratoria skill install` asks
    ");
    let settings = SettingsFolder::new(tmp.path().join("settings"), tmp.path().join("installed"));
    settings.agree_to_replacement("dice", &place).unwrap();
    insta::assert_snapshot!(outcome_for(tmp.path(), &roots, &settings), @"
    loaded cards 2.0.0 from `/tmp/two/cards`
    loaded dice 1.0.0 from `/tmp/one/dice`
    loaded story 0.1.0 from the built-in one
    Note: package `dice`: `/tmp/two/dice` is not used, `/tmp/one/dice` comes first
    Note: package `dice`: the built-in one is not used, `/tmp/one/dice` comes first
    ");
}

/// A plain Agent Skill, and one whose manifest is broken: neither is asked about, so neither takes a name.
#[test]
fn nothing_that_merely_lies_in_a_folder_takes_the_place_of_a_built_in_skill() {
    let tmp = tempfile::tempdir().unwrap();
    let guide = tmp.path().join("dice");
    fs::create_dir(&guide).unwrap();
    fs::write(guide.join("SKILL.md"), "---\nname: dice\ndescription: A guide.\n---\nNo.\n")
        .unwrap();
    // It brings an agreement of its own, in every place that it can name.
    for file in ["dice.replaces-built-in", "settings/dice.replaces-built-in", ".replaces-built-in"]
    {
        fs::create_dir_all(guide.join(file).parent().unwrap()).unwrap();
        fs::write(guide.join(file), "").unwrap();
    }
    let settings = SettingsFolder::new(tmp.path().join("settings"), tmp.path().to_owned());
    let roots = [PackageRoot::Folder(tmp.path().to_owned()), built_in("dice")];
    insta::assert_snapshot!(outcome_for(tmp.path(), &roots, &settings), @"
    loaded dice 0.1.0 from the built-in one
    Note: package `dice`: `/tmp/dice` is not used: a package takes the place of a built-in skill only if you agree to that; `narratoria skill install` asks
    ");
    let place = PackageOrigin::Folder(guide);
    settings.agree_to_replacement("dice", &place).unwrap();
    assert!(
        outcome_for(tmp.path(), &roots, &settings).starts_with("loaded dice 0.0.0 from `/tmp/")
    );
    settings.remove("dice", &place).unwrap();
    assert!(!settings.agrees_to_replacement("dice", &place));
}

#[test]
fn a_broken_package_wins_over_nothing() {
    let tmp = tempfile::tempdir().unwrap();
    write_package(tmp.path(), "dice", "1.0").unwrap();
    let roots = [PackageRoot::Folder(tmp.path().to_owned()), built_in("dice")];
    let kept = tempfile::tempdir().unwrap();
    let settings = SettingsFolder::new(kept.path().join("settings"), tmp.path().to_owned());
    let place = PackageOrigin::Folder(tmp.path().join("dice"));
    settings.agree_to_replacement("dice", &place).unwrap();
    insta::assert_snapshot!(outcome_for(tmp.path(), &roots, &settings), @r#"
    loaded dice 0.1.0 from the built-in one
    Skipped: package `dice`: skill.json: /version: must be three numbers with points, such as 1.0.0; it is "1.0"
    "#);
}

/// A number looks like a version, and its zeros would be gone.
#[test]
fn a_version_without_quotes_is_refused_with_the_form_that_is_meant() {
    for version in ["0", "1.0"] {
        let tmp = tempfile::tempdir().unwrap();
        write_package(tmp.path(), "dice", "1.0.0").unwrap();
        let path = tmp.path().join("dice/skill.json");
        let text = fs::read_to_string(&path).unwrap();
        let bare = text.replace("\"1.0.0\"", version);
        assert_ne!(text, bare);
        fs::write(&path, bare).unwrap();
        let told = outcome(tmp.path(), &[PackageRoot::Folder(tmp.path().to_owned())]);
        let expected =
            format!("/version: must be a text in quotes, such as \"1.0.0\"; it is {version}");
        assert!(told.contains(&expected), "{told}");
    }
}

#[test]
fn a_folder_may_be_a_package_itself() {
    let tmp = tempfile::tempdir().unwrap();
    write_package(tmp.path(), "dice", "1.0.0").unwrap();
    let roots = [PackageRoot::Folder(tmp.path().join("dice/../dice"))];
    insta::assert_snapshot!(outcome(tmp.path(), &roots), @"loaded dice 1.0.0 from `/tmp/dice/../dice`");
}

#[test]
fn a_root_that_is_not_there_is_a_problem_by_name_and_no_more() {
    let tmp = tempfile::tempdir().unwrap();
    write_package(tmp.path(), "dice", "1.0.0").unwrap();
    fs::write(tmp.path().join("README.md"), "plain files are nobody's package").unwrap();
    fs::create_dir(tmp.path().join(".git")).unwrap();
    fs::create_dir(tmp.path().join("empty")).unwrap();
    let roots = [
        PackageRoot::Folder(tmp.path().join("nowhere")),
        PackageRoot::Folder(tmp.path().join("README.md")),
        PackageRoot::Folder(tmp.path().to_owned()),
    ];
    insta::assert_snapshot!(outcome(tmp.path(), &roots), @"
    loaded dice 1.0.0 from `/tmp/dice`
    Skipped: package `/tmp/nowhere`: there is no such folder
    Skipped: package `/tmp/README.md`: is not a folder
    Skipped: package `empty`: skill.json: there is no such file in the package
    ");
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_a_package() {
    use std::os::unix::fs::symlink;

    let tmp = tempfile::tempdir().unwrap();
    let root = tmp.path().join("skills");
    let outside = tmp.path().join("outside");
    write_package(&outside, "other", "1.0.0").unwrap();
    fs::write(outside.join("secret.json"), r#"{"type": "object"}"#).unwrap();

    // A file that is a link to the outside, by a relative and by an absolute path.
    for (name, target) in [
        ("climbs", Path::new("../../outside/secret.json").to_owned()),
        ("absolute", outside.join("secret.json")),
    ] {
        write_package(&root, name, "1.0.0").unwrap();
        fs::remove_file(root.join(name).join("in.json")).unwrap();
        symlink(target, root.join(name).join("in.json")).unwrap();
    }
    // A folder in the middle of a path.
    write_package(&root, "folder", "1.0.0").unwrap();
    fs::remove_dir_all(root.join("folder/scripts")).unwrap();
    symlink(outside.join("other/scripts"), root.join("folder/scripts")).unwrap();
    // A whole package, and one that leads nowhere.
    symlink(outside.join("other"), root.join("whole")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    // A link that stays inside is fine.
    write_package(&root, "inside", "1.0.0").unwrap();
    fs::rename(root.join("inside/in.json"), root.join("inside/real.json")).unwrap();
    symlink("real.json", root.join("inside/in.json")).unwrap();

    insta::assert_snapshot!(outcome(tmp.path(), &[PackageRoot::Folder(root)]), @"
    loaded inside 1.0.0 from `/tmp/skills/inside`
    Skipped: package `dangling`: is a link that leads nowhere
    Skipped: package `whole`: is a link that leads out of the folder
    Skipped: package `absolute`: in.json: leads out of the package
    Skipped: package `climbs`: in.json: leads out of the package
    Skipped: package `folder`: scripts/go.wasm: leads out of the package
    Skipped: package `folder`: scripts: is a link that leads out of the package, or nowhere
    ");
}

#[cfg(unix)]
#[test]
fn nothing_but_regular_files_is_read() {
    let tmp = tempfile::tempdir().unwrap();
    write_package(tmp.path(), "dice", "1.0.0").unwrap();
    fs::remove_file(tmp.path().join("dice/prompt.md")).unwrap();
    fs::remove_file(tmp.path().join("dice/in.json")).unwrap();
    fs::create_dir(tmp.path().join("dice/in.json")).unwrap();
    // A socket: opening it would fail in its own words, opening a pipe would wait for ever.
    let _socket =
        std::os::unix::net::UnixListener::bind(tmp.path().join("dice/prompt.md")).unwrap();
    insta::assert_snapshot!(outcome(tmp.path(), &[PackageRoot::Folder(tmp.path().to_owned())]), @"
    Skipped: package `dice`: prompt.md: is not a regular file
    Skipped: package `dice`: in.json: is not a regular file
    ");
}

#[test]
fn nothing_is_read_past_its_ceiling() {
    let tmp = tempfile::tempdir().unwrap();
    write_package(tmp.path(), "dice", "1.0.0").unwrap();
    let long = format!("{}{}", SCHEMA, " ".repeat(300_000));
    fs::write(tmp.path().join("dice/in.json"), long).unwrap();
    fs::write(tmp.path().join("dice/prompt.md"), "p".repeat(70_000)).unwrap();
    insta::assert_snapshot!(outcome(tmp.path(), &[PackageRoot::Folder(tmp.path().to_owned())]), @"
    Skipped: package `dice`: prompt.md: is longer than 65536 bytes
    Skipped: package `dice`: in.json: is longer than 262144 bytes
    ");
}

/// `skill check` refuses such files by the same rule.
#[test]
fn a_package_with_a_file_that_no_package_may_hold_is_not_loaded() {
    let elf = b"\x7fELF\x02\x01";
    let cases: [(&str, &[u8], &str); 9] = [
        ("assets/map.png", elf, "is native code"),
        ("tools/deep/er/helper", elf, "is native code"),
        ("scripts/other.wasm", elf, "is native code"),
        ("assets/story.txt", b"#!/bin/sh\n", "is a script that a system runs without a sandbox"),
        ("references/Setup.BAT", b"x", "is a script that a system runs without a sandbox"),
        ("src/tool", elf, ""),
        (".git/hooks/commit", b"#!/bin/sh\n", ""),
        ("build.sh", b"#!/bin/sh\n", ""),
        ("scripts/tool.py", b"#!/usr/bin/env python3\n", ""),
    ];
    for (path, content, what) in cases {
        let tmp = tempfile::tempdir().unwrap();
        write_package(tmp.path(), "dice", "1.0.0").unwrap();
        let file = tmp.path().join("dice").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
        let found = outcome(tmp.path(), &[PackageRoot::Folder(tmp.path().to_owned())]);
        let expect = match what {
            "" => "loaded dice 1.0.0 from `/tmp/dice`".to_owned(),
            what => format!("Skipped: package `dice`: {path}: {what}"),
        };
        assert_eq!(found, expect);
    }
}

#[test]
fn files_of_windows_editors_are_read() {
    let tmp = tempfile::tempdir().unwrap();
    write_package(tmp.path(), "dice", "1.0.0").unwrap();
    for file in ["skill.json", "in.json", "prompt.md"] {
        let path = tmp.path().join("dice").join(file);
        let text = fs::read_to_string(&path).unwrap().replace('\n', "\r\n");
        fs::write(&path, format!("\u{feff}{text}")).unwrap();
    }
    let loaded = load(&[PackageRoot::Folder(tmp.path().to_owned())]);
    assert_eq!(loaded.problems, []);
    assert_eq!(loaded.catalog.iter().next().unwrap().prompt, "Go.");
    let wide: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(tmp.path().join("dice/in.json"), wide).unwrap();
    insta::assert_snapshot!(outcome(tmp.path(), &[PackageRoot::Folder(tmp.path().to_owned())]), @"Skipped: package `dice`: in.json: is UTF-16; save it as UTF-8");
}
