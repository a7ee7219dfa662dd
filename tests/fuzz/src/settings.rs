//! Settings: a package's schema and values in the form of the target `manifest`, and the player's own file in the
//! section `player.json`.

use std::fs;

use narratoria_skills::{
    Grant, HostPolicy, PackageHandle, PlayerSide, PlayerVariables, SettingsFolder,
};
use tempfile::TempDir;

use super::packages::{check_text, files};

/// The value of the player's variable.
const VARIABLE: &str = "v4lue-of-the-player";

pub(crate) fn check(bytes: &[u8]) {
    // A package that has the value itself proves nothing; fuzzers find it in the comparisons below.
    if bytes.windows(VARIABLE.len()).any(|window| window == VARIABLE.as_bytes()) {
        return;
    }
    let mut files = files(bytes);
    let own = files.remove("player.json").unwrap_or_default();
    let package = PackageHandle::in_memory("act", files);
    let home = TempDir::new().expect("the machine has room");
    let settings = SettingsFolder::new(home.path().join("settings"), home.path().join("skills"));
    let file = settings.file("act", package.origin()).expect("it is a name");
    fs::create_dir_all(file.parent().expect("a folder")).expect("the machine has room");
    fs::write(&file, &own).expect("the machine has room");
    let may_read = String::from_utf8_lossy(&own).contains("${") || own.contains(&b'\\');
    check_player(&package, &settings, &HostPolicy::default(), may_read);
    let strict = HostPolicy { refused: [(Grant::Env, 1)].into(), ..HostPolicy::default() };
    check_player(&package, &settings, &strict, false);
    if let Ok(mut form) = package.config_form(&settings) {
        form.take_over_packaged();
        let document = form.document();
        if form.write().is_ok() {
            let again = package.config_form(&settings).expect("it was written by the form");
            assert_eq!(again.document(), document, "another form is read than was written");
        }
    }
}

/// Loads the package; a variable's value is in the configuration only if `may_read`, and never in a message.
fn check_player(
    package: &PackageHandle,
    settings: &SettingsFolder,
    policy: &HostPolicy,
    may_read: bool,
) {
    let lookup = |name: &str| (name == "TOKEN").then(|| VARIABLE.to_owned());
    let variables = PlayerVariables::new(&lookup, policy);
    for player in [
        PlayerSide::new(settings, variables),
        PlayerSide::new(settings, variables).tolerating_missing(),
    ] {
        let problems = match package.load_with_notes(&player) {
            Ok((skill, notes)) => {
                let has_value = format!("{:?}", skill.config).contains(VARIABLE);
                assert!(may_read || !has_value, "a variable was read that the player did not name");
                notes
            }
            Err(problems) => problems,
        };
        for problem in problems {
            let shown = problem.to_string();
            check_text(&shown);
            assert!(!shown.contains(VARIABLE), "a variable's value is told: {shown}");
        }
    }
    if let Ok(form) = package.config_form(settings) {
        for warning in form.warnings(variables) {
            assert!(!warning.contains(VARIABLE), "a variable's value is told: {warning}");
        }
    }
}
