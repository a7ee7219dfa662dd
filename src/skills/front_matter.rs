//! `SKILL.md` by the rules of Agent Skills: YAML front matter between two lines of `---`, then the
//! behavioural prompt. Pure.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Longest `name`.
pub const SKILL_NAME_CHARS_MAX: usize = 64;
/// Longest `description` in `SKILL.md`.
pub const DESCRIPTION_CHARS_MAX: usize = 1024;
/// Longest `compatibility`.
const COMPATIBILITY_CHARS_MAX: usize = 500;

/// The front matter. Any other key is an error.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct FrontMatter {
    name: String,
    description: String,
    license: Option<String>,
    compatibility: Option<String>,
    metadata: Option<BTreeMap<String, String>>,
    allowed_tools: Option<AllowedTools>,
}

/// The rules of Agent Skills want one string of words, but many authors write a list. Only the form is checked, because
/// `grants` in `skill.json` decide what a script may do.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum AllowedTools {
    Words(String),
    List(Vec<String>),
}

/// Returns the prompt below the front matter, or every fault of the file. `folder` is the name that the front matter
/// must repeat.
pub(super) fn parse_skill_md(text: &str, folder: &str) -> Result<String, Vec<String>> {
    let (yaml, body) = split(text).map_err(|fault| vec![fault])?;
    let options = serde_saphyr::options! { with_snippet: false };
    let front: FrontMatter = serde_saphyr::from_str_with_options(yaml, options)
        .map_err(|error| vec![format!("the front matter is wrong: {error}")])?;
    let mut faults = Vec::new();
    if front.name != folder {
        faults.push(format!("`name` is `{}`, it must equal the folder `{folder}`", front.name));
    }
    let mut limit = |field: &str, value: &str, limit: usize| {
        let chars = value.chars().count();
        if chars > limit {
            faults.push(format!("`{field}` has {chars} characters, at most {limit} are allowed"));
        }
        if value.trim().is_empty() {
            faults.push(format!("`{field}` is empty"));
        }
    };
    limit("name", &front.name, SKILL_NAME_CHARS_MAX);
    limit("description", &front.description, DESCRIPTION_CHARS_MAX);
    if let Some(compatibility) = &front.compatibility {
        limit("compatibility", compatibility, COMPATIBILITY_CHARS_MAX);
    }
    if faults.is_empty() { Ok(body.trim().to_owned()) } else { Err(faults) }
}

fn split(text: &str) -> Result<(&str, &str), String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != "---" {
        return Err("must open with a line `---` and the front matter".to_owned());
    }
    let start = first.len();
    let mut end = start;
    for line in lines {
        if line.trim_end() == "---" {
            return Ok((&text[start..end], &text[end + line.len()..]));
        }
        end += line.len();
    }
    Err("the front matter has no closing line `---`".to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::parse_skill_md;

    fn show(text: &str) -> String {
        match parse_skill_md(text, "dice") {
            Ok(prompt) => format!("ok: {prompt}"),
            Err(faults) => faults.join("\n"),
        }
    }

    /// S0 FR-004: the body is the behavioural prompt.
    #[test]
    fn the_body_is_the_prompt() {
        let text = "---\nname: dice\ndescription: >-\n  Rolls\n  dice.\nlicense: MIT\nmetadata:\n  version: 1.0\nallowed-tools: Read Write\n---\n\n# Dice\n\nRoll when luck decides.\n";
        insta::assert_snapshot!(show(text), @"
        ok: # Dice

        Roll when luck decides.
        ");
    }

    #[test]
    fn every_fault_is_named() {
        insta::assert_snapshot!(show("# Dice"), @"must open with a line `---` and the front matter");
        insta::assert_snapshot!(show("---\nname: dice\n"), @"the front matter has no closing line `---`");
        insta::assert_snapshot!(show("---\nname: dice\n---\n"), @"the front matter is wrong: missing field `description` at line 1, column 1");
        insta::assert_snapshot!(show("---\nname: dice\ndescription: d\nauthor: me\n---\n"), @"the front matter is wrong: unknown field `author`, expected one of name, description, license, compatibility, metadata, allowed-tools at line 3, column 1");
        insta::assert_snapshot!(show("---\nname: dice\nname: dice\ndescription: d\n---\n"), @"the front matter is wrong: duplicate mapping key: name, set DuplicateKeyPolicy in Options if acceptable at line 2, column 1");
        insta::assert_snapshot!(show("---\nname: [dice\n---\n"), @"the front matter is wrong: expected string scalar at line 1, column 7");
        let long = format!(
            "---\nname: cards\ndescription: {}\ncompatibility: {}\n---\n",
            "d".repeat(1025),
            "c".repeat(501)
        );
        insta::assert_snapshot!(show(&long), @"
        `name` is `cards`, it must equal the folder `dice`
        `description` has 1025 characters, at most 1024 are allowed
        `compatibility` has 501 characters, at most 500 are allowed
        ");
        insta::assert_snapshot!(show("---\nname: dice\ndescription: d\nmetadata: {a: {b: c}}\n---\n"), @"the front matter is wrong: expected string scalar at line 3, column 15");
        insta::assert_snapshot!(show("---\nname: dice\ndescription: ' '\n---\n"), @"`description` is empty");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(---\n)?(\\PC|[\\n\\t&*!|>{}\\[\\]:-]){0,80}(\n---\n)?") {
            let _ = parse_skill_md(&text, "dice");
        }
    }
}
