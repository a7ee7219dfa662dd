//! Reads cargo's JSON messages, as far as they tell which program lies where. Two fields are all that is
//! needed, so there is no JSON parser behind it: a crate that every build waits for has no dependencies.

use std::path::{Path, PathBuf};

/// One program, built.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WasmProgram {
    /// The package that it is a binary of.
    pub package: String,
    /// The binary's name.
    pub bin: String,
    /// The component: a copy in this build script's own `OUT_DIR`, so that no other build overwrites it.
    pub component: PathBuf,
}

/// The programs that cargo says it has built or found fresh.
pub(crate) fn programs(messages: &str) -> Vec<WasmProgram> {
    messages
        .lines()
        .filter_map(|line| {
            // Libraries have `"executable":null`.
            let component = string_field(line, "executable")?;
            let package = package_name(&string_field(line, "package_id")?)?;
            let bin = Path::new(&component).file_stem()?.to_str()?.to_owned();
            Some(WasmProgram { package, bin, component: component.into() })
        })
        .collect()
}

/// The value of a field that holds a string. Inside another string the quotes around the name would be
/// escaped, so the first match is the field itself.
fn string_field(line: &str, name: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!("\"{name}\":\""))?;
    let mut text = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            '"' => return Some(text),
            // In a path only these two are escaped.
            '\\' => text.push(chars.next().filter(|c| matches!(c, '\\' | '"'))?),
            other => text.push(other),
        }
    }
}

/// `path+file:///folder#name@0.1.0`, or `path+file:///name#0.1.0` if the folder has the same name.
fn package_name(package_id: &str) -> Option<String> {
    let (folder, fragment) = package_id.rsplit_once('#')?;
    match fragment.split_once('@') {
        Some((name, _)) => Some(name.to_owned()),
        None => Some(folder.rsplit('/').next()?.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(messages: &str, expect: &[&str]) {
        let found: Vec<String> = programs(messages)
            .iter()
            .map(|p| format!("{} {} {}", p.package, p.bin, p.component.display()))
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn a_program_is_named_with_its_package() {
        check(
            r#"{"reason":"compiler-artifact","package_id":"path+file:///w/skills-wasm/dice-roller#0.1.0","executable":"/t/roll-dice.wasm","fresh":true}"#,
            &["dice-roller roll-dice /t/roll-dice.wasm"],
        );
        check(
            r#"{"reason":"compiler-artifact","package_id":"path+file:///w/tests/guests/programs#guest-programs@0.1.0","executable":"/t/trap.wasm"}"#,
            &["guest-programs trap /t/trap.wasm"],
        );
    }

    #[test]
    fn libraries_and_other_messages_are_passed_over() {
        check(
            r#"{"reason":"compiler-artifact","package_id":"path+file:///w/sdk#0.1.0","executable":null}
{"reason":"build-finished","success":true}"#,
            &[],
        );
    }

    #[test]
    fn a_path_is_unescaped() {
        check(
            r#"{"package_id":"path+file:///w/a#0.1.0","executable":"/t \"x\"/a\\b/roll.wasm"}"#,
            &[r#"a roll /t "x"/a\b/roll.wasm"#],
        );
    }
}
