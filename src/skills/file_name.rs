//! Names that a file can have on every system. The one rule for packages, archives and the gate. Pure.

/// Names that Windows keeps for devices, with any ending.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// Those with a digit behind them.
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// Why a path (with `/` between folders) cannot name a file on every system, if it cannot.
pub(super) fn portable_fault(path: &str) -> Option<String> {
    path.split('/').find_map(part_fault)
}

fn part_fault(part: &str) -> Option<String> {
    let cannot = |why: String| Some(format!("`{part}` cannot be a name on every system: {why}"));
    if let Some(letter) = part.chars().find(|letter| r#"<>:"|?*\"#.contains(*letter)) {
        return cannot(format!("`{letter}` has a meaning of its own on Windows"));
    }
    if part.chars().any(char::is_control) {
        return cannot("it has a control character".to_owned());
    }
    if part.ends_with(['.', ' ']) && !matches!(part, "." | "..") {
        return cannot("Windows drops a dot or a space at the end".to_owned());
    }
    let stem = part.split('.').next().unwrap_or(part).trim_end().to_ascii_lowercase();
    let is_numbered = NUMBERED_DEVICES.iter().any(|device| {
        let digit = stem.strip_prefix(device).map(|rest| rest.chars().collect::<Vec<_>>());
        matches!(digit.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']))
    });
    if is_numbered || DEVICES.contains(&stem.as_str()) {
        return cannot(format!("`{stem}` is a device on Windows"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::portable_fault;

    #[test]
    fn a_name_that_windows_cannot_hold_is_told_with_its_reason() {
        let table = ["examples/a:b.json", "a\tb", "a/b. /c", "NUL.txt", "lpt9", "Com¹.json", "x?"]
            .map(|path| portable_fault(path).unwrap_or_default());
        insta::assert_snapshot!(table.join("\n"), @r"
        `a:b.json` cannot be a name on every system: `:` has a meaning of its own on Windows
        `a	b` cannot be a name on every system: it has a control character
        `b. ` cannot be a name on every system: Windows drops a dot or a space at the end
        `NUL.txt` cannot be a name on every system: `nul` is a device on Windows
        `lpt9` cannot be a name on every system: `lpt9` is a device on Windows
        `Com¹.json` cannot be a name on every system: `com¹` is a device on Windows
        `x?` cannot be a name on every system: `?` has a meaning of its own on Windows
        ");
        for path in ["skill.json", "a/b c/d.e", "console.json", "com10", "lpt", "naïve.txt", ".x"]
        {
            assert_eq!(portable_fault(path), None, "{path}");
        }
    }
}
