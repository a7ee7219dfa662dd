//! The addresses of resources. Names may have letters of any language and blanks, which an address cannot have.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

pub(crate) const STORIES: &str = "narratoria://stories";
pub(crate) const SKILL_SCHEME: &str = "skill://";

/// The file that makes a package an Agent Skill.
pub(crate) const SKILL_MD: &str = "SKILL.md";

/// What is no part of an address as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

pub(crate) fn story_uri(story: &str) -> String {
    format!("{STORIES}/{}", encoded(story))
}

/// The address of a file of a skill, by its path inside the package.
pub(crate) fn skill_file_uri(skill: &str, path: &str) -> String {
    let path: Vec<String> = path.split('/').map(encoded).collect();
    format!("{SKILL_SCHEME}{}/{}", encoded(skill), path.join("/"))
}
