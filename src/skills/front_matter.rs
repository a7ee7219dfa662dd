//! `SKILL.md` by the rules of Agent Skills: YAML front matter between two lines of `---`, then the
//! behavioural prompt. Pure.
//!
//! Beside a manifest the rules are strict. Without one the file is the whole skill, and others published it: then the host
//! reads what it needs and forgives the rest, and `skill check` names it.

use std::collections::BTreeMap;

use narratoria_protocol::visible::{clip, is_harmless};
use semver::Version;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;
use serde_saphyr::{Error as YamlError, budget::BudgetBreach};

use super::strict_yaml::user_message;

/// The file.
pub(super) const SKILL_MD: &str = "SKILL.md";

/// The names of the file in a plain Agent Skill, the usual one first. Other readers take both.
pub(super) const SKILL_MD_NAMES: [&str; 2] = [SKILL_MD, "skill.md"];

/// Longest prompt, front matter included.
pub(super) const SKILL_PROMPT_BYTES_MAX: u64 = 64 << 10;
/// Longest `name`.
pub const SKILL_NAME_CHARS_MAX: usize = 64;
/// Longest `description` in `SKILL.md`.
pub const DESCRIPTION_CHARS_MAX: usize = 1024;
/// Longest `name` in bytes: a folder and its settings are named after it.
const SKILL_NAME_BYTES_MAX: usize = 200;
/// Longest `compatibility`.
const COMPATIBILITY_CHARS_MAX: usize = 500;

/// Most values of the front matter, aliases followed. A long one has thirty.
pub const FRONT_MATTER_VALUES_MAX: usize = 2_000;
/// Most bytes of these values.
pub const FRONT_MATTER_BYTES_MAX: usize = 64 << 10;
/// How deep they nest.
pub const FRONT_MATTER_DEPTH_MAX: usize = 16;
/// Most aliases, and most anchors.
pub const FRONT_MATTER_ALIASES_MAX: usize = 64;

/// Version of a skill whose front matter names none.
const NO_VERSION: Version = Version::new(0, 0, 0);

/// The rule for names, for an author.
const NAME_RULE: &str =
    "it has lower case letters of any language, digits and single hyphens between them";

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

/// The front matter for a lenient reader: it ignores other keys, and checks the form only of the keys that the host
/// uses.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct ForgivenFrontMatter {
    name: String,
    description: String,
    license: Option<LooseText>,
    compatibility: Option<LooseText>,
}

/// A text, or a value of another form, which is ignored.
#[derive(Deserialize)]
#[serde(untagged)]
enum LooseText {
    Text(String),
    Other(IgnoredAny),
}

/// A `SKILL.md` that is a whole skill: there is no manifest beside it.
#[derive(Debug, PartialEq)]
pub(super) struct AgentSkillMd {
    pub(super) description: String,
    pub(super) license: Option<String>,
    pub(super) author: Option<String>,
    /// `metadata.version`, as far as it is one; else 0.0.0.
    pub(super) version: Version,
    pub(super) prompt: String,
}

/// Returns the prompt below the front matter, or every fault of the file. `folder` is the name that the front matter
/// must repeat.
pub(super) fn parse_skill_md(text: &str, folder: &str) -> Result<String, Vec<String>> {
    let (yaml, body) = split(text).map_err(|fault| vec![fault])?;
    let front = parse_yaml(yaml)?;
    let faults = faults_of(&front, folder);
    if faults.is_empty() { Ok(body.trim().to_owned()) } else { Err(faults) }
}

/// Reads a `SKILL.md` that is a whole skill, or returns every fault that keeps it from being one. A deviation that only
/// a strict reader refuses, such as an unknown key, is no fault here: see [`agent_skill_remarks`].
pub(super) fn parse_agent_skill(text: &str, folder: &str) -> Result<AgentSkillMd, Vec<String>> {
    let (yaml, body) = split(text).map_err(|fault| vec![fault])?;
    let front = match parse_yaml(yaml) {
        Ok(front) => front,
        Err(strict) => forgive(yaml).ok_or(strict)?,
    };
    let mut faults = faults_of(&front, folder);
    if !is_skill_name(&front.name) && front.name.chars().count() <= SKILL_NAME_CHARS_MAX {
        faults.insert(0, format!("`name` is `{}`: {NAME_RULE}", front.name));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let metadata = front.metadata.unwrap_or_default();
    Ok(AgentSkillMd {
        description: front.description.trim().to_owned(),
        license: front.license,
        author: metadata.get("author").cloned(),
        version: metadata.get("version").map_or(NO_VERSION, |text| loose_version(text)),
        prompt: body.trim().to_owned(),
    })
}

/// Faults that a strict reader of Agent Skills refuses in a `SKILL.md` that loads here.
pub fn agent_skill_remarks(text: &str) -> Vec<String> {
    match split(text) {
        Ok((yaml, _)) => parse_yaml(yaml).err().unwrap_or_default(),
        Err(fault) => vec![fault],
    }
}

/// The front matter as its author wrote it. Returns `None` if a reader of Agent Skills could not read it.
pub(super) fn read_front_matter(text: &str) -> Option<Value> {
    let (yaml, _) = split(text).ok()?;
    serde_saphyr::from_str_with_options(yaml, yaml_options()).ok().filter(Value::is_object)
}

/// The name in the front matter, if it could be the name of a skill.
pub(super) fn name_in_skill_md(text: &str) -> Option<String> {
    let (yaml, _) = split(text).ok()?;
    let front = parse_yaml(yaml).ok().or_else(|| forgive(yaml))?;
    is_skill_name(&front.name).then_some(front.name)
}

/// Returns true for a name of at most [`SKILL_NAME_CHARS_MAX`] characters that follows [`NAME_RULE`]. A manifest allows
/// ASCII alone, because paths of scripts have its name.
pub(super) fn is_skill_name(name: &str) -> bool {
    // A letter without case is its own lower case.
    let is_plain =
        |char: char| char.is_alphanumeric() && char.to_lowercase().eq([char]) && is_harmless(char);
    name.len() <= SKILL_NAME_BYTES_MAX
        && name.chars().count() <= SKILL_NAME_CHARS_MAX
        && name.split('-').all(|part| !part.is_empty() && part.chars().all(is_plain))
}

/// A text of the front matter of which ` #` has left only the beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutText {
    pub key: &'static str,
    /// The line of the sign, from 1.
    pub line: usize,
    /// What is left.
    pub left: String,
}

/// The descriptive texts that a ` #` ends: YAML takes the sign and the rest of its line for a remark.
pub fn texts_cut_by_remarks(text: &str) -> Vec<CutText> {
    let Ok((yaml, _)) = split(text) else { return Vec::new() };
    let Some(front) = parse_yaml(yaml).ok().or_else(|| forgive(yaml)) else { return Vec::new() };
    let texts = [("description", Some(front.description)), ("compatibility", front.compatibility)];
    let cut = texts.into_iter().filter_map(|(key, left)| {
        let line = line_of_remark(yaml, key)?;
        Some(CutText { key, line, left: left?.trim().to_owned() })
    });
    cut.collect()
}

/// The line on which a remark ends the value of a key, if the value has neither quotation marks nor the form of a block.
fn line_of_remark(yaml: &str, key: &str) -> Option<usize> {
    let mut lines = yaml.lines().enumerate().skip_while(|(_, line)| {
        !line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'))
    });
    let (first_idx, first) = lines.next()?;
    let (_, value) = first.split_once(':')?;
    if value.trim_start().starts_with(['"', '\'', '|', '>', '[', '{', '&', '*', '!']) {
        return None;
    }
    let more = lines.take_while(|(_, line)| line.starts_with([' ', '\t']));
    let mut lines = [(first_idx, value)].into_iter().chain(more);
    let found = lines.find(|(_, line)| line.contains(" #") || line.contains("\t#"));
    found.map(|(idx, _)| idx + 1)
}

/// An alias repeats what its anchor holds, so a few lines can stand for gigabytes: every sum is of the text as expanded.
fn yaml_options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_documents: 1,
            max_depth: FRONT_MATTER_DEPTH_MAX,
            max_nodes: FRONT_MATTER_VALUES_MAX,
            max_events: 4 * FRONT_MATTER_VALUES_MAX,
            max_aliases: FRONT_MATTER_ALIASES_MAX,
            max_anchors: FRONT_MATTER_ALIASES_MAX,
            max_total_scalar_bytes: FRONT_MATTER_BYTES_MAX,
        },
    }
}

fn parse_yaml(yaml: &str) -> Result<FrontMatter, Vec<String>> {
    serde_saphyr::from_str_with_options(yaml, yaml_options())
        .map_err(|error| vec![format!("the front matter is wrong: {}", yaml_fault(yaml, &error))])
}

/// Words the parser's error for an author, and adds the key of the line where the parser names none.
fn yaml_fault(yaml: &str, error: &YamlError) -> String {
    let mut original = error;
    while let YamlError::AliasError { error, .. } | YamlError::WithSnippet { error, .. } = original
    {
        original = error;
    }
    if let YamlError::Budget { breach, .. } = original {
        return match breach {
            BudgetBreach::Aliases { .. } | BudgetBreach::Anchors { .. } => {
                format!("it has more than {FRONT_MATTER_ALIASES_MAX} anchors or aliases")
            }
            BudgetBreach::Depth { .. } => {
                format!("it nests deeper than {FRONT_MATTER_DEPTH_MAX} levels")
            }
            BudgetBreach::Nodes { .. } | BudgetBreach::Events { .. } => {
                format!("it has more than {FRONT_MATTER_VALUES_MAX} values")
            }
            BudgetBreach::Documents { .. } => "it holds more than one document".to_owned(),
            _ => format!(
                "its values have more than {FRONT_MATTER_BYTES_MAX} bytes, aliases followed"
            ),
        };
    }
    let text = user_message(error);
    let Some(place) = text.strip_prefix("expected string scalar") else { return text };
    let line = error.location().and_then(|it| usize::try_from(it.line()).ok()).unwrap_or_default();
    let line = yaml.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    match line.split_once(':') {
        Some((key, _)) => {
            let key = clip(key.trim(), SKILL_NAME_CHARS_MAX);
            format!("the value at `{key}` must be text{place}")
        }
        None => format!("a value must be text{place}"),
    }
}

/// Reads front matter with unknown keys, with values of another form, or with a colon in a text without quotation marks.
fn forgive(yaml: &str) -> Option<FrontMatter> {
    let read = |yaml: &str| -> Option<ForgivenFrontMatter> {
        serde_saphyr::from_str_with_options(yaml, yaml_options()).ok()
    };
    let front = read(yaml).or_else(|| read(&quote_plain_texts(yaml)))?;
    let text = |value: Option<LooseText>| match value {
        Some(LooseText::Text(text)) => Some(text),
        Some(LooseText::Other(_)) | None => None,
    };
    Some(FrontMatter {
        name: front.name,
        description: front.description,
        license: text(front.license),
        compatibility: text(front.compatibility),
        metadata: None,
        allowed_tools: None,
    })
}

/// Puts quotation marks around the texts of one line that have none. The commonest fault of published skills is a
/// description such as `Use this when: …`.
fn quote_plain_texts(yaml: &str) -> String {
    let quoted = |line: &str| {
        let (key, text) = line.split_once(": ")?;
        let is_known = ["name", "description", "license", "compatibility"].contains(&key);
        let is_plain =
            !text.trim_start().starts_with(['"', '\'', '|', '>', '[', '{', '&', '*', '#']);
        let text = text.trim().replace('\\', "\\\\").replace('"', "\\\"");
        (is_known && is_plain).then(|| format!("{key}: \"{text}\"\n"))
    };
    yaml.lines().map(|line| quoted(line).unwrap_or_else(|| format!("{line}\n"))).collect()
}

/// `1.2.3`, or the forms `1`, `1.2` and `v1.2` that people write.
fn loose_version(text: &str) -> Version {
    let plain = text.trim().trim_start_matches('v');
    [plain.to_owned(), format!("{plain}.0"), format!("{plain}.0.0")]
        .iter()
        .find_map(|text| Version::parse(text).ok())
        .unwrap_or(NO_VERSION)
}

fn faults_of(front: &FrontMatter, folder: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let name = clip(&front.name, SKILL_NAME_CHARS_MAX);
    if front.name != folder {
        faults.push(format!("`name` is `{name}`, it must equal the folder `{folder}`"));
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
    faults
}

/// The front matter and the body. The front matter begins with the end of the first line, so that its lines count as
/// those of the file.
fn split(text: &str) -> Result<(&str, &str), String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != "---" {
        return Err("must open with a line `---` and the front matter".to_owned());
    }
    let start = first.trim_end().len();
    let mut end = first.len();
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

    use super::{is_skill_name, parse_skill_md, texts_cut_by_remarks};

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
        insta::assert_snapshot!(show("---\nname: dice\n---\n"), @"the front matter is wrong: missing field `description` at line 2, column 1");
        insta::assert_snapshot!(show("---\nname: dice\ndescription: d\nauthor: me\n---\n"), @"the front matter is wrong: unknown field `author`, expected one of name, description, license, compatibility, metadata, allowed-tools at line 4, column 1");
        insta::assert_snapshot!(show("---\nname: dice\nname: dice\ndescription: d\n---\n"), @"the front matter is wrong: the key \"name\" stands twice in one object at line 3 column 1");
        insta::assert_snapshot!(show("---\nname: [dice\n---\n"), @"the front matter is wrong: the value at `name` must be text at line 2, column 7");
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
        insta::assert_snapshot!(show("---\nname: dice\ndescription: d\nmetadata: {a: {b: c}}\n---\n"), @"the front matter is wrong: the value at `metadata` must be text at line 4, column 15");
        insta::assert_snapshot!(show("---\nname: dice\ndescription: ' '\n---\n"), @"`description` is empty");
    }

    #[test]
    fn a_remark_that_cuts_a_text_is_found_with_what_is_left() {
        let cut = |front: &str| {
            let found = texts_cut_by_remarks(&format!("---\nname: dice\n{front}\n---\n"));
            let shown = found.iter().map(|it| format!("{}:{} {}", it.key, it.line, it.left));
            shown.collect::<Vec<_>>().join("; ")
        };
        assert_eq!(cut("description: Style for tale #7 and more"), "description:3 Style for tale");
        assert_eq!(cut("description: Style\n  for tale #7"), "description:4 Style for tale");
        for whole in [
            "description: Style for tale#7",
            "description: 'Style for tale #7'",
            "description: >\n  Style for tale #7",
            "description: Style\nlicense: MIT # as SPDX has it",
        ] {
            assert_eq!(cut(whole), "", "{whole}");
        }
    }

    /// As the reference validator of Agent Skills has it.
    #[test]
    fn a_name_has_lower_case_letters_of_any_language() {
        for name in ["dice", "würfel-2", "кости", "骰子", "d20"] {
            assert!(is_skill_name(name), "{name}");
        }
        let long = "骰".repeat(67);
        for name in [
            "",
            "Dice",
            "Würfel",
            "-dice",
            "dice-",
            "di--ce",
            "di ce",
            "di_ce",
            "dice\u{3164}",
            &long,
        ] {
            assert!(!is_skill_name(name), "{name}");
        }
    }

    #[test]
    fn aliases_and_nesting_are_bounded_by_what_they_stand_for() {
        let front =
            |more: &str| format!("---\nname: dice\ndescription: d\nmetadata:\n{more}\n---\n");
        let doubling: String =
            (1..24).map(|at| format!("  a{at}: &a{at} [*a{0}, *a{0}]\n", at - 1)).collect();
        let many: String = (0..3_000).map(|at| format!("  k{at}: v\n")).collect();
        let aliases: String = (0..100).map(|at| format!("  k{at}: *a\n")).collect();
        let long = format!("  a: &a {}\n{}", "x".repeat(20_000), "  b: *a\n  c: *a\n  d: *a\n");
        let families = [
            format!("  a0: &a0 x\n{doubling}"),
            many,
            format!("  a: &a x\n{aliases}"),
            long,
            format!("  a: {}{}", "[".repeat(40), "]".repeat(40)),
        ];
        for more in families {
            let found = show(&front(&more));
            let is_plain = !found.contains('{');
            assert!(found.starts_with("the front matter is wrong: ") && is_plain, "{found}");
        }
        assert_eq!(show(&front("  a: &a x\n  b: *a")), "ok: ");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(---\n)?(\\PC|[\\n\\t&*!|>{}\\[\\]:-]){0,80}(\n---\n)?") {
            let _ = parse_skill_md(&text, "dice");
        }
    }
}
