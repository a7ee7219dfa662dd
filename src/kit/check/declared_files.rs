//! The rules about manifest, front matter, configuration and the files that they name. Problems that the host reports
//! when it loads the package become findings here.

use narratoria_protocol::token_of_key;
use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    finding::{CheckTarget, FindingCollector, FindingLocation},
    rules::{self, FindingLevel, Rule},
    tree::PackageTree,
};
use narratoria_skills::{
    self as skills, Catalog, CutText, ForbiddenFile, PROMPT_CHARS_SAFE, PlayerSide, Problem,
    Severity, Skill,
};

const MANIFEST: &str = "skill.json";
const SKILL_MD: &str = "SKILL.md";
/// The name that other readers of Agent Skills take too.
const SKILL_MD_LOWER: &str = "skill.md";
const CONFIG: &str = "config.json";
const CONFIG_SCHEMA: &str = "config-schema.json";

/// Longest body of `SKILL.md` that Agent Skills recommend.
pub const SKILL_MD_LINES_MAX: usize = 500;

/// Loads the package as the host does beside its built-in skills; the host's problems go to `findings`.
pub(super) fn load(
    target: &CheckTarget,
    tree: &PackageTree,
    built_in: &Catalog,
    findings: &mut FindingCollector<'_>,
) -> Option<Skill> {
    // Without any settings of a player, so that a check is the same on each machine.
    let player = PlayerSide::none().tolerating_missing();
    let loaded = skills::open_package_folder(&target.folder)
        .map_err(|problem| vec![problem])
        .and_then(|package| package.load_with_notes(&player));
    let (skill, mut problems) = match loaded {
        Ok((skill, notes)) => (Some(Skill { signer: target.signer.clone(), ..skill }), notes),
        Err(problems) => (None, problems),
    };
    problems.extend(skill.as_ref().and_then(|skill| built_in.claim_conflict(skill)));
    let named = NamedFiles::read(tree);
    for problem in &problems {
        report_problem(problem, &named, findings);
    }
    skill
}

/// Checks everything that needs no run.
pub(super) fn check(
    tree: &PackageTree,
    skill: Option<&Skill>,
    findings: &mut FindingCollector<'_>,
) {
    let named = NamedFiles::read(tree);
    if let Some(manifest) = &named.manifest {
        let lacks = |field: &str| manifest.get(field).is_none();
        for (rule, field) in [
            (&rules::MANIFEST_NO_LICENSE, "license"),
            (&rules::MANIFEST_NO_AUTHOR, "author"),
            (&rules::MANIFEST_NO_HOMEPAGE, "homepage"),
        ] {
            if lacks(field) {
                findings.add(
                    rule,
                    FindingLocation::field(MANIFEST, ""),
                    format!("`{field}` is not there"),
                );
            }
        }
        check_unused(tree, &named, findings);
    }
    let file = skill_md_of(tree);
    match tree.text(file) {
        Some(text) => {
            let is_prompt_only = skill.is_some_and(Skill::is_prompt_only);
            if is_prompt_only {
                report_remarks(&text, file, &named, findings);
            }
            check_skill_md(&text, file, is_prompt_only, findings);
        }
        None if tree.has("prompt.md") => {
            let what = "there is no `SKILL.md` beside it";
            findings.add(&rules::SKILL_MD_PROMPT_ONLY, FindingLocation::file("prompt.md"), what);
        }
        None => {}
    }
}

/// The file with the prompt: beside a manifest it has one name, in a plain Agent Skill one of two.
fn skill_md_of(tree: &PackageTree) -> &'static str {
    match !tree.has(SKILL_MD) && !tree.has(MANIFEST) && tree.has(SKILL_MD_LOWER) {
        true => SKILL_MD_LOWER,
        false => SKILL_MD,
    }
}

/// The files that the manifest names, as far as it can be read.
#[derive(Default)]
struct NamedFiles {
    manifest: Option<Value>,
    components: BTreeSet<String>,
    schemas: BTreeSet<String>,
    prompt: Option<String>,
    config_schema: String,
}

impl NamedFiles {
    fn read(tree: &PackageTree) -> NamedFiles {
        let manifest = tree.json(MANIFEST).filter(Value::is_object);
        let text = |value: &Value, field: &str| Some(value.get(field)?.as_str()?.to_owned());
        let mut named = NamedFiles {
            config_schema: CONFIG_SCHEMA.to_owned(),
            manifest,
            ..NamedFiles::default()
        };
        let Some(manifest) = &named.manifest else { return named };
        named.prompt = text(manifest, "prompt");
        if let Some(file) = text(manifest, "configSchema") {
            named.config_schema = file;
        }
        for script in manifest.get("scripts").and_then(Value::as_array).into_iter().flatten() {
            named.components.extend(text(script, "path"));
            named.schemas.extend(text(script, "inputSchema"));
            named.schemas.extend(text(script, "outputSchema"));
        }
        named
    }
}

/// The rules about files that no package may hold, which are checked before.
static FORBIDDEN: [&Rule; 5] = [
    &rules::FILES_LINK_OUT,
    &rules::FILES_ODD,
    &rules::FILES_NATIVE,
    &rules::FILES_SCRIPT,
    &rules::FILES_NAME,
];

/// Adds one problem of the host under its rule. The text stays the host's; the rule follows from the file, the place
/// and the first words, and the faulty packages of the tests hold both together.
fn report_problem(problem: &Problem, named: &NamedFiles, findings: &mut FindingCollector<'_>) {
    let Problem { file, field, what, .. } = problem;
    let Some(file) = file.as_deref() else {
        if *what == ForbiddenFile::TooMany.to_string() {
            return;
        }
        let rule = match what.starts_with("has neither") {
            true => &rules::SKILL_MD_MISSING,
            false => &rules::PACKAGE_UNREADABLE,
        };
        return findings.add(rule, FindingLocation::whole(), what);
    };
    let pointer = field.as_deref().unwrap_or_default();
    let rule = rule_of(file, pointer, what, named);
    let is_told = |rule: &&Rule| findings.has(rule, file);
    // The host says it of the file too.
    if field.is_none() && FORBIDDEN.iter().any(is_told) {
        return;
    }
    match (line_in_message(what), unknown_field(what)) {
        (Some((what, line)), _) => findings.add(rule, FindingLocation::line(file, line), what),
        (None, Some(field)) => {
            let field = token_of_key(field);
            findings.add(rule, FindingLocation::field(file, format!("{pointer}/{field}")), what);
        }
        (None, None) => findings.add(rule, FindingLocation::field(file, pointer), what),
    }
}

fn rule_of(file: &str, pointer: &str, what: &str, named: &NamedFiles) -> &'static Rule {
    let is_missing = what.starts_with("there is no such file");
    let is_prompt = named.prompt.as_deref() == Some(file) || file == "prompt.md";
    match file {
        _ if what.starts_with("leads out of the package") => &rules::FILES_LINK_OUT,
        MANIFEST if is_missing => &rules::MANIFEST_MISSING,
        MANIFEST if is_unread(what) && pointer.is_empty() => &rules::MANIFEST_JSON,
        MANIFEST if pointer == "/name" && what.contains("must equal") => &rules::MANIFEST_NAME,
        MANIFEST if pointer.starts_with("/requires") => &rules::MANIFEST_REQUIRES,
        MANIFEST if pointer.starts_with("/triggers/") => &rules::MANIFEST_TRIGGER,
        MANIFEST if what.contains(" is claimed by the skill ") => &rules::MANIFEST_CLAIMED,
        MANIFEST => &rules::MANIFEST_SCHEMA,
        SKILL_MD | SKILL_MD_LOWER if is_too_long(what) => &rules::SKILL_MD_TOO_LARGE,
        _ if is_prompt && is_too_long(what) => &rules::SKILL_MD_TOO_LARGE,
        SKILL_MD | SKILL_MD_LOWER if what.contains("unknown field") => &rules::SKILL_MD_UNKNOWN_KEY,
        SKILL_MD | SKILL_MD_LOWER if what.starts_with("`name` is `") => &rules::SKILL_MD_NAME,
        SKILL_MD | SKILL_MD_LOWER if what.starts_with('`') => &rules::SKILL_MD_LENGTH,
        SKILL_MD | SKILL_MD_LOWER if is_missing => &rules::SKILL_MD_MISSING,
        SKILL_MD | SKILL_MD_LOWER => &rules::SKILL_MD_FRONT_MATTER,
        _ if is_prompt => &rules::SKILL_MD_MISSING,
        CONFIG if what.starts_with("is a secret") => &rules::CONFIG_SECRET,
        _ if what.starts_with("`${…}` stays the text") => &rules::CONFIG_VARIABLE,
        _ if what.ends_with("is required and not set") => &rules::CONFIG_UNSET,
        CONFIG => &rules::CONFIG_VALUES,
        _ if file == named.config_schema => &rules::CONFIG_SCHEMA,
        _ if named.components.contains(file) && is_missing => &rules::COMPONENT_MISSING,
        _ if named.components.contains(file) => &rules::COMPONENT_INVALID,
        _ if file.starts_with("examples") && pointer == "/script" => &rules::EXAMPLE_UNKNOWN_SCRIPT,
        _ if file.starts_with("examples") && pointer.starts_with("/input") => &rules::EXAMPLE_INPUT,
        _ if file.starts_with("examples") => &rules::EXAMPLE_SCHEMA,
        _ if is_missing => &rules::SCHEMA_MISSING,
        _ => &rules::SCHEMA_INVALID,
    }
}

/// Returns true for the message about a text that is no JSON document, or one that two readers could read differently.
fn is_unread(what: &str) -> bool {
    ["is not", "is empty", "is UTF-16", "cannot be used"].iter().any(|it| what.starts_with(it))
}

/// Returns true for the message about a file beyond the host's limit.
fn is_too_long(what: &str) -> bool {
    what.starts_with("is longer than")
}

/// A JSON or YAML parser's message with the column alone, and the line, which a finding names before its message.
fn line_in_message(what: &str) -> Option<(String, usize)> {
    let parsers = ["is not JSON", "cannot be used: the ", "the front matter is"];
    let is_parsers = parsers.iter().any(|begin| what.starts_with(begin));
    let (before, place) = what.rsplit_once(" at line ").filter(|_| is_parsers)?;
    let digits = place.bytes().take_while(u8::is_ascii_digit).count();
    let (line, rest) = place.split_at(digits);
    let column = rest.trim_start_matches([',', ' ']);
    Some((format!("{before} at {column}"), line.parse().ok()?))
}

/// The single unknown field in a message about a closed schema.
fn unknown_field(what: &str) -> Option<&str> {
    let rest = what.strip_prefix("Additional properties are not allowed ('")?;
    rest.split_once("' was unexpected)").map(|(field, _)| field)
}

/// Reports files in known folders that the host does not read.
fn check_unused(tree: &PackageTree, named: &NamedFiles, findings: &mut FindingCollector<'_>) {
    for path in tree.in_folder("scripts").filter(|path| path.ends_with(".wasm")) {
        if !named.components.contains(path) {
            let what = "no script of `skill.json` names this component";
            findings.add(&rules::FILES_UNUSED_COMPONENT, FindingLocation::file(path), what);
        }
    }
    for path in tree.in_folder("schemas") {
        if !named.schemas.contains(path) && path != named.config_schema {
            let what = "no script of `skill.json` names this schema";
            findings.add(&rules::FILES_UNUSED_SCHEMA, FindingLocation::file(path), what);
        }
    }
    for path in tree.in_folder("examples") {
        let name = path.trim_start_matches("examples/");
        if name.contains('/') || !name.ends_with(".json") || name.starts_with('.') {
            let what = "is no example that the host reads";
            findings.add(&rules::FILES_IGNORED, FindingLocation::file(path), what);
        }
    }
}

/// Reports deviations of a plain Agent Skill that the host accepts and other readers refuse.
fn report_remarks(text: &str, file: &str, named: &NamedFiles, findings: &mut FindingCollector<'_>) {
    for what in skills::agent_skill_remarks(text) {
        let (package, file) = (String::new(), Some(file.to_owned()));
        let problem = Problem { package, file, field: None, what, severity: Severity::Note };
        report_problem(&problem, named, findings);
    }
}

/// Warns if a planner may cut the prompt, and names the line where it may do so (S0 FR-004). Headings do not count, because
/// a planner does not read them.
fn check_prompt_length(text: &str, body_starts: usize, findings: &mut FindingCollector<'_>) {
    let body = text.lines().enumerate().skip(body_starts);
    let read = body.filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let (mut chars, mut cut_at) = (0, None);
    for (idx, line) in read {
        chars += line.trim().chars().count() + 1;
        if chars > PROMPT_CHARS_SAFE {
            cut_at = cut_at.or(Some(idx + 1));
        }
    }
    if let Some(line) = cut_at {
        let what = format!(
            "the prompt has {chars} characters; a planner is sure to read {PROMPT_CHARS_SAFE}, which end here"
        );
        findings.add(&rules::SKILL_MD_CUT, FindingLocation::line(SKILL_MD, line), what);
    }
}

/// Checks rules of Agent Skills that this host does not enforce. In a plain Agent Skill the length is only advice: every
/// plan of the host has a fixed share for it.
fn check_skill_md(
    text: &str,
    file: &str,
    is_prompt_only: bool,
    findings: &mut FindingCollector<'_>,
) {
    for CutText { key, line, left } in skills::texts_cut_by_remarks(text) {
        let what = format!("` #` ends the `{key}`, \"{left}\" is what is left");
        findings.add(&rules::SKILL_MD_CUT_TEXT, FindingLocation::line(file, line), what);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut fences =
        text.lines().enumerate().filter(|(_, line)| line.trim_end() == "---").map(|(idx, _)| idx);
    let (Some(0), Some(end)) = (fences.next(), fences.next()) else { return };
    let lines = text.lines().count().saturating_sub(end + 1);
    if lines >= SKILL_MD_LINES_MAX {
        let what =
            format!("the body has {lines} lines, it should have fewer than {SKILL_MD_LINES_MAX}");
        let place = FindingLocation::line(file, end + 2);
        match is_prompt_only {
            true => findings.add_at(&rules::SKILL_MD_TOO_LONG, FindingLevel::Note, place, what),
            false => findings.add(&rules::SKILL_MD_TOO_LONG, place, what),
        }
    }
    // A plain Agent Skill has a share of its own, and no planner chooses it.
    if !is_prompt_only {
        check_prompt_length(text, end + 1, findings);
    }
    let yaml: Vec<&str> = text.lines().take(end).skip(1).collect();
    let front: Option<Value> = serde_saphyr::from_str(&yaml.join("\n")).ok();
    if front.is_some_and(|front| front.get("allowed-tools").is_some_and(Value::is_array)) {
        let at = yaml.iter().position(|line| line.trim_start().starts_with("allowed-tools"));
        let what = "`allowed-tools` is a list";
        let place = FindingLocation::line(file, at.unwrap_or(0) + 2);
        findings.add(&rules::SKILL_MD_ALLOWED_TOOLS, place, what);
    }
}
