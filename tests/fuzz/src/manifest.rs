//! Packages. The bytes are files, each after a line `=== PATH`; a file that is not among them is that of a
//! small good package, so that a change in one place meets a package that is good in all others.

use narratoria_skills::{
    FilesInMemory, PackageHandle, PlayerSide, PlayerVariables, SettingsFolder,
};

/// The good package.
const GOOD: [(&str, &[u8]); 5] = [
    ("skill.json", include_bytes!("../seeds/good/skill.json")),
    ("SKILL.md", include_bytes!("../seeds/good/SKILL.md")),
    ("config-schema.json", include_bytes!("../seeds/good/config-schema.json")),
    ("schemas/in.json", br#"{"type": "object"}"#),
    ("scripts/act.wasm", b"\0asm\x0d\0\x01\0"),
];

/// A secret that no message may ever hold.
const SECRET: &str = "s3cret-of-the-player";

pub(crate) fn check(bytes: &[u8]) {
    let files = files(bytes);
    let name = name_of(&files);
    let found = PackageHandle::in_memory(&name, files);
    // Nothing of the package is the player's, so no variable is ever read for it.
    let env = |name: &str| (name == "TOKEN").then(|| SECRET.to_owned());
    let (settings, policy) = (SettingsFolder::none(), Default::default());
    let variables = PlayerVariables::new(&env, &policy);
    match found.load_with_notes(&PlayerSide::new(&settings, variables)) {
        Ok((skill, notes)) => {
            assert_eq!(skill.name, name, "a package may not choose its name");
            let shown = format!("{:?} {skill:?} {notes:?}", skill.config);
            assert!(!shown.contains(SECRET), "a stranger has read a variable: {shown}");
            assert!(skill.setting_variables.is_empty(), "a stranger has named a variable");
            notes.iter().for_each(|note| check_text(&note.to_string()));
            narratoria_skills::demands(&skill, &narratoria_skills::Catalog::default());
        }
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a word");
            problems.iter().for_each(|problem| check_text(&problem.to_string()));
        }
    }
    if let Ok(form) = found.config_form(&settings) {
        form.warnings(variables).iter().for_each(|warning| assert!(!warning.contains(SECRET)));
        assert_eq!(form.variables(), []);
    }
}

pub(crate) fn check_text(shown: &str) {
    assert!(!shown.contains(char::is_control), "a terminal would obey: {shown:?}");
    assert!(!shown.contains(SECRET), "a secret is told: {shown}");
}

pub(crate) fn files(bytes: &[u8]) -> FilesInMemory {
    let good = GOOD.iter().map(|(name, text)| ((*name).to_owned(), text.to_vec()));
    good.chain(sections(bytes)).collect()
}

/// Paths and contents in their order; bytes before the first path are dropped.
pub(crate) fn sections(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let header = line.strip_prefix(b"=== ").and_then(|rest| std::str::from_utf8(rest).ok());
        match (header, found.last_mut()) {
            (Some(path), _) => found.push((path.trim_end().to_owned(), Vec::new())),
            (None, Some((_, content))) => content.extend_from_slice(line),
            (None, None) => {}
        }
    }
    found
}

/// The folder: what the manifest says, so that the seeds need not say it twice.
fn name_of(files: &FilesInMemory) -> String {
    let manifest: Option<serde_json::Value> =
        files.get("skill.json").and_then(|text| serde_json::from_slice(text).ok());
    let name = manifest.as_ref().and_then(|manifest| manifest["name"].as_str());
    name.unwrap_or("act").to_owned()
}
