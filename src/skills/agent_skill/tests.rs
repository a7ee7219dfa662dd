//! Agent Skills of the shapes that others publish, as strings.

use proptest::prelude::*;

use super::{LISTED_FILES_MAX, list_files};
use crate::{EmbeddedPackage, LoadReport, PackageRoot, package::PackageFiles};

fn load(files: &[(&str, &str)]) -> LoadReport {
    let leaked: Vec<(&'static str, &'static [u8])> = files
        .iter()
        .map(|(name, text)| (&*(*name).to_owned().leak(), text.as_bytes().to_vec().leak() as &_))
        .collect();
    let packages: Vec<EmbeddedPackage> = vec![("house-style", leaked.leak())];
    crate::load(&[PackageRoot::BuiltIn(packages.leak())])
}

/// Returns the skill in a line, or its faults.
fn check(skill_md: &str) -> String {
    let loaded = load(&[("SKILL.md", skill_md)]);
    let skills = loaded.catalog.iter().map(|skill| {
        format!(
            "{} {}: {} | {}{}",
            skill.name,
            skill.version,
            skill.description,
            skill.prompt.lines().next().unwrap_or("no prompt"),
            skill.license.as_ref().map(|license| format!(" | {license}")).unwrap_or_default(),
        )
    });
    skills.chain(loaded.problems.iter().map(ToString::to_string)).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_skill_md_alone_is_a_skill_without_scripts() {
    let loaded = load(&[
        ("SKILL.md", "---\nname: house-style\ndescription: Rules.\n---\n# Rules\n\nBe brief.\n"),
        ("scripts/lint.py", "print('never')"),
        ("references/voice.md", "More."),
        ("LICENSE.txt", "MIT"),
    ]);
    assert_eq!(loaded.problems, []);
    let skill = loaded.catalog.get("house-style").unwrap();
    assert!(skill.is_prompt_only());
    assert_eq!((&*skill.prompt, skill.priority), ("# Rules\n\nBe brief.", 50));
}

/// The styles of YAML that published skills are written in.
#[test]
fn published_front_matter_of_every_style_loads() {
    for (style, text) in [
        ("plain", "---\nname: house-style\ndescription: The rules.\n---\nBe brief.\n"),
        ("quoted", "---\nname: \"house-style\"\ndescription: 'The rules.'\n---\nBe brief.\n"),
        ("folded", "---\nname: house-style\ndescription: >\n  The\n  rules.\n---\nBe brief.\n"),
        (
            "folded, stripped",
            "---\nname: house-style\ndescription: >-\n  The\n  rules.\n---\nBe brief.\n",
        ),
        ("literal", "---\nname: house-style\ndescription: |\n  The rules.\n---\nBe brief.\n"),
        ("continued", "---\nname: house-style\ndescription: The\n  rules.\n---\nBe brief.\n"),
        (
            "comments",
            "---\n# who\nname: house-style # us\ndescription: The rules.\n---\nBe brief.\n",
        ),
        ("another order", "---\ndescription: The rules.\nname: house-style\n---\nBe brief.\n"),
        (
            "line ends of Windows",
            "---\r\nname: house-style\r\ndescription: The rules.\r\n---\r\n\r\nBe brief.\r\n",
        ),
        (
            "a byte order mark",
            "\u{feff}---\nname: house-style\ndescription: The rules.\n---\nBe brief.\n",
        ),
        (
            "no line end at the end",
            "---\nname: house-style\ndescription: The rules.\n---\nBe brief.",
        ),
        (
            "blanks behind the fences",
            "--- \nname: house-style\ndescription: The rules.\n---  \nBe brief.",
        ),
        (
            "words for tools",
            "---\nname: house-style\ndescription: The rules.\nallowed-tools: Read Bash(git:*)\n---\nBe brief.",
        ),
        (
            "a list of tools",
            "---\nname: house-style\ndescription: The rules.\nallowed-tools:\n  - Read\n  - Write\n---\nBe brief.",
        ),
        (
            "a flow list of tools",
            "---\nname: house-style\ndescription: The rules.\nallowed-tools: [Read, Write]\n---\nBe brief.",
        ),
        (
            "keys of other programs",
            "---\nname: house-style\ndescription: The rules.\nuser-invocable: true\nmodel: opus\n---\nBe brief.",
        ),
        (
            "nested metadata",
            "---\nname: house-style\ndescription: The rules.\nmetadata: {\"bot\": {\"emoji\": \"🎲\", \"os\": [\"linux\"]}}\n---\nBe brief.",
        ),
        (
            "a compatibility",
            "---\nname: house-style\ndescription: The rules.\ncompatibility: Needs nothing\n---\nBe brief.",
        ),
    ] {
        assert_eq!(check(text), "house-style 0.0.0: The rules. | Be brief.", "{style}");
    }
    let unicode = "---\nname: house-style\ndescription: Règles — ведите себя 礼儀正しく 🎲\n---\nSoyez bref…\n";
    insta::assert_snapshot!(check(unicode), @"house-style 0.0.0: Règles — ведите себя 礼儀正しく 🎲 | Soyez bref…");
    let colon = "---\nname: house-style\ndescription: Use it when: \"always\" # now\nextra: 1\n---\nBe brief.";
    insta::assert_snapshot!(check(colon), @r#"house-style 0.0.0: Use it when: "always" # now | Be brief."#);
    let empty = "---\nname: house-style\ndescription: The rules.\n---";
    insta::assert_snapshot!(check(empty), @"house-style 0.0.0: The rules. | no prompt");
}

#[test]
fn metadata_gives_version_and_author_and_only_a_readable_version_counts() {
    let with = |version: &str| {
        check(&format!(
            "---\nname: house-style\ndescription: d\nlicense: MIT\nmetadata:\n  author: ada\n  version: {version}\n---\np\n"
        ))
    };
    for (text, version) in [
        ("1.2.3", "1.2.3"),
        ("\"1.10\"", "1.10.0"),
        ("1.10", "1.10.0"),
        ("2", "2.0.0"),
        ("v1.0.0-rc.1", "1.0.0-rc.1"),
        ("soon", "0.0.0"),
        ("''", "0.0.0"),
    ] {
        assert_eq!(with(text), format!("house-style {version}: d | p | MIT"), "{text}");
    }
}

#[test]
fn the_rules_of_the_format_are_kept() {
    let named = |name: &str| check(&format!("---\nname: {name}\ndescription: d\n---\np\n"));
    insta::assert_snapshot!(named("other"), @"package `house-style`: SKILL.md: `name` is `other`, it must equal the folder `house-style`");
    insta::assert_snapshot!(named("House-Style"), @"
    package `house-style`: SKILL.md: `name` is `House-Style`: it has lower case letters of any language, digits and single hyphens between them
    package `house-style`: SKILL.md: `name` is `House-Style`, it must equal the folder `house-style`
    ");
    insta::assert_snapshot!(check("---\nname: house-style\n---\np\n"), @"package `house-style`: SKILL.md: the front matter is wrong: missing field `description` at line 2, column 1");
    insta::assert_snapshot!(check("---\nname: house-style\ndescription: ''\n---\np\n"), @"package `house-style`: SKILL.md: `description` is empty");
    insta::assert_snapshot!(check("Be brief."), @"package `house-style`: SKILL.md: must open with a line `---` and the front matter");
    let long = format!(
        "---\nname: house-style\ndescription: {}\ncompatibility: {}\n---\np",
        "d".repeat(1_025),
        "c".repeat(501)
    );
    insta::assert_snapshot!(check(&long), @"
    package `house-style`: SKILL.md: `description` has 1025 characters, at most 1024 are allowed
    package `house-style`: SKILL.md: `compatibility` has 501 characters, at most 500 are allowed
    ");
    let twice = "---\nname: house-style\nname: house-style\ndescription: d\nextra: 1\n---\np";
    assert!(check(twice).contains("stands twice"), "{}", check(twice));
    let huge = format!("---\nname: house-style\ndescription: d\n---\n{}", "x".repeat(64 << 10));
    insta::assert_snapshot!(check(&huge), @"package `house-style`: SKILL.md: is longer than 65536 bytes");
}

/// Its prompt speaks of scripts that no plan could use, and its author wants to know.
#[test]
fn a_package_with_components_has_lost_its_manifest() {
    let loaded = load(&[
        ("SKILL.md", "---\nname: house-style\ndescription: d\n---\np\n"),
        ("scripts/act.wasm", "\0asm"),
    ]);
    let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(problems.join("\n"), @"package `house-style`: skill.json: there is no such file in the package");
}

#[cfg(unix)]
#[test]
fn the_list_of_files_is_bounded_and_follows_no_link() {
    use std::fs;

    let tmp = tempfile::tempdir().unwrap();
    let at = |path: &str| tmp.path().join(path);
    for folder in ["scripts/deep/er/and/deeper", "assets", "elsewhere"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    for file in ["scripts/run.sh", "scripts/deep/one.py", "assets/.hidden", "elsewhere/not-listed"]
    {
        fs::write(at(file), "text").unwrap();
    }
    let list = || {
        let dir = crate::package::open_folder(tmp.path()).unwrap();
        list_files(&PackageFiles::in_folder(dir, tmp.path()))
    };
    assert_eq!(list().paths, ["scripts/deep/one.py", "scripts/run.sh"]);
    assert!(list().is_cut_short, "a folder is too deep");
    fs::remove_dir_all(at("scripts/deep/er")).unwrap();
    assert!(!list().is_cut_short);
    std::os::unix::fs::symlink("/etc", at("references")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", at("assets/passwd")).unwrap();
    assert_eq!((list().paths.len(), list().is_cut_short), (2, true));
    for nth in 0..2 * LISTED_FILES_MAX {
        fs::write(at(&format!("assets/{nth}")), "").unwrap();
    }
    assert_eq!((list().paths.len(), list().is_cut_short), (LISTED_FILES_MAX, true));
}

proptest! {
    /// Any untrusted text gives either a skill or a problem, never both, and never a panic.
    #[test]
    fn any_skill_md_loads_or_says_why(
        front in "(name: house-style\n)?(description: [a-z:'\"\\[{>|]{0,12}\n)?([a-z-]{1,9}: [ -~]{0,20}\n){0,4}",
        body in "\\PC{0,80}",
    ) {
        let loaded = load(&[("SKILL.md", &format!("---\n{front}---\n{body}"))]);
        prop_assert_eq!(loaded.catalog.is_empty(), !loaded.problems.is_empty());
    }
}
