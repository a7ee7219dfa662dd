//! The parts of a check that different processes may do. Each is repeated exactly by its seed, whatever the others do.

use std::path::Path;

use narratoria_skills::{PlayerSide, open_package_folder};

/// A part of the check of a package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckPart {
    /// Everything.
    Whole,
    /// Files, rules and examples.
    Package,
    /// The hostile requests to one script.
    Requests { script: String },
}

impl CheckPart {
    /// The part as a word: `package`, or `requests:SCRIPT`.
    pub fn name(&self) -> String {
        match self {
            CheckPart::Whole => "whole".to_owned(),
            CheckPart::Package => "package".to_owned(),
            CheckPart::Requests { script } => format!("requests:{script}"),
        }
    }

    /// Reads what [`CheckPart::name`] writes.
    pub fn parse(name: &str) -> Option<CheckPart> {
        match name.split_once(':') {
            Some(("requests", script)) => Some(CheckPart::Requests { script: script.to_owned() }),
            None if name == "package" => Some(CheckPart::Package),
            None if name == "whole" => Some(CheckPart::Whole),
            _ => None,
        }
    }
}

/// The parts that make up the check of a package. A package that the host does not load has one.
pub fn parts_of(folder: &Path) -> Vec<CheckPart> {
    let loaded = open_package_folder(folder)
        .ok()
        .and_then(|package| package.load_with_notes(&PlayerSide::none().tolerating_missing()).ok());
    let scripts = loaded.into_iter().flat_map(|(skill, _)| skill.scripts);
    let requests = scripts.map(|script| CheckPart::Requests { script: script.name });
    [CheckPart::Package].into_iter().chain(requests).collect()
}

#[cfg(test)]
mod tests {
    use super::CheckPart;

    #[test]
    fn a_part_is_read_as_it_is_written() {
        let requests = CheckPart::Requests { script: "roll:twice".to_owned() };
        for part in [CheckPart::Whole, CheckPart::Package, requests] {
            assert_eq!(CheckPart::parse(&part.name()), Some(part));
        }
        assert_eq!(CheckPart::parse("else"), None);
    }
}
