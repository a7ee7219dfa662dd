//! A skill package for people: its description, grants and limits, and the resources that its examples use.

use std::collections::BTreeSet;

use narratoria_kit::{ComponentFacts, ExampleRun, GrantUse, Limit, NameList, ScriptFacts};
use narratoria_protocol::InvocationEnding;
use narratoria_skills::{ConfigForm, Demand, ListedFiles, Skill};

use super::{
    form_table::settings_table,
    table::render_table,
    text::{pad, visible_line},
};

/// Most names of imports and exports that are shown. A Python interpreter imports about thirty.
const NAMES_SHOWN_MAX: usize = 40;

/// Columns of a fact's label.
const LABEL_COLUMNS: usize = 10;

/// Indents each line about a script.
const INDENT: &str = "  ";

/// The facts about a package.
pub struct PackageView<'p> {
    pub skill: &'p Skill,
    /// The origin, as a word or a path.
    pub origin: String,
    pub scripts: &'p [ScriptFacts],
    /// Its demands on the player.
    pub asks_for: &'p BTreeSet<Demand>,
    /// Variables that it would like to have in its settings, a sentence each.
    pub suggested: Vec<String>,
    /// Its other files, which never run.
    pub files: &'p ListedFiles,
    /// The run of each example, if they ran.
    pub runs: Option<&'p [ExampleRun]>,
    /// `None` if the package has no settings.
    pub form: Option<&'p ConfigForm>,
}

pub fn package_view(view: &PackageView<'_>, width: Option<usize>) -> String {
    let skill = view.skill;
    let mut text = format!("{} {}\n", visible_line(&skill.name), skill.version);
    text += &fact("does", &skill.description);
    text += &fact("licence", skill.license.as_deref().unwrap_or("not said"));
    if let Some(author) = &skill.author {
        text += &fact("author", author);
    }
    text += &fact("from", &view.origin);
    if let Some(key) = &skill.signer {
        text += &fact("signed", &format!("by the key {key}"));
    }
    let asks_for = view.asks_for.iter().map(ToString::to_string).chain(view.suggested.clone());
    for (at, demand) in asks_for.enumerate() {
        text += &fact(if at == 0 { "asks" } else { "" }, &demand);
    }
    if skill.is_prompt_only() {
        let prompt =
            format!("{} bytes, for planner and storyteller; no scripts", skill.prompt.len());
        text += &fact("prompt", &prompt);
    }
    for script in view.scripts {
        text += &script_view(script, width);
    }
    text += &listed_files(view.files);
    if !skill.examples.is_empty() {
        text += "\n";
        text += &examples_table(view, width);
    }
    if let Some(form) = view.form {
        text += "\n";
        text += &settings_table(form, width);
    }
    text
}

/// Returns one line. The text is untrusted and escaped.
fn fact(label: &str, what: &str) -> String {
    format!("{INDENT}{}{}\n", pad(label, LABEL_COLUMNS), visible_line(what))
}

fn script_view(script: &ScriptFacts, width: Option<usize>) -> String {
    let width = width.map(|width| width.saturating_sub(INDENT.len()));
    let mut text =
        format!("\nscript {} ({})\n", visible_line(&script.name), visible_line(&script.path));
    text += &fact("bytes", &script.bytes.to_string());
    text += &fact("sha256", &script.sha256);
    match &script.component {
        Ok(component) => text += &component_view(component),
        Err(why) => text += &fact("broken", why),
    }
    let output = match script.output_schema_bytes {
        Some(bytes) => format!("output {bytes} bytes"),
        None => "no output schema".to_owned(),
    };
    text += &fact("schemas", &format!("input {} bytes, {output}", script.input_schema_bytes));
    for source in &script.values_from {
        text += &fact("values", &visible_line(&format!("{} from {}", source.part, source.pointer)));
    }
    let asked: Vec<[String; 3]> = script
        .grants
        .iter()
        .filter(|grant| grant.used != GrantUse::None)
        .map(|grant| {
            let mut granted = match (grant.granted, grant.names.is_empty()) {
                (false, _) => "no".to_owned(),
                (true, true) => "yes".to_owned(),
                (true, false) => grant.names.join(", "),
            };
            if grant.is_optional {
                granted += " (optional)";
            }
            [grant.grant.as_str().to_owned(), granted, use_text(grant.used).to_owned()]
        })
        .collect();
    match asked.is_empty() {
        true => text += &fact("grants", "none, and none needed"),
        false => text += &indented(&render_table(["GRANT", "GRANTED", "USE"], &asked, width)),
    }
    let limits: Vec<[String; 4]> = script
        .limits
        .iter()
        .map(|limit| {
            let amount = |number| amount(limit.what, number);
            let declared = match limit.value == limit.default {
                true => "the default".to_owned(),
                false => amount(limit.value),
            };
            [limit.what.name().to_owned(), declared, amount(limit.default), amount(limit.ceiling)]
        })
        .collect();
    text += &indented(&render_table(["LIMIT", "HOLDS", "DEFAULT", "AT MOST"], &limits, width));
    text
}

fn component_view(component: &ComponentFacts) -> String {
    let plural = |count: u64, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    let mut text = fact(
        "made of",
        &format!(
            "{}, {}, {}",
            plural(component.modules, "core module", "core modules"),
            plural(component.functions, "function", "functions"),
            plural(component.tables, "table", "tables"),
        ),
    );
    if component.memories.is_empty() {
        text += &fact("memory", "none");
    }
    for memory in &component.memories {
        let most = match memory.bytes_max {
            Some(bytes) => format!("at most {}", amount(Limit::Memory, bytes)),
            None => "no ceiling of its own".to_owned(),
        };
        text +=
            &fact("memory", &format!("{} at first, {most}", amount(Limit::Memory, memory.bytes)));
    }
    text += &names("imports", &component.imports);
    text += &names("exports", &component.exports);
    text
}

fn names(label: &str, names: &NameList) -> String {
    if names.count == 0 {
        return fact(label, "none");
    }
    let shown = names.listed.iter().take(NAMES_SHOWN_MAX);
    let mut text = String::new();
    for (at, name) in shown.enumerate() {
        text += &fact(if at == 0 { label } else { "" }, name);
    }
    let more = names.count.saturating_sub(NAMES_SHOWN_MAX as u64);
    if more > 0 {
        text += &fact("", &format!("and {more} more"));
    }
    text
}

/// Lists the files. Their paths are untrusted and escaped.
fn listed_files(files: &ListedFiles) -> String {
    if files.paths.is_empty() && !files.is_cut_short {
        return String::new();
    }
    let mut text = "\nfiles that are never run\n".to_owned();
    for path in files.paths.iter().take(NAMES_SHOWN_MAX) {
        text += &format!("{INDENT}{}\n", visible_line(path));
    }
    let more = files.paths.len().saturating_sub(NAMES_SHOWN_MAX);
    if more > 0 {
        text += &format!("{INDENT}and {more} more\n");
    }
    if files.is_cut_short {
        text += &format!("{INDENT}and others that are not listed\n");
    }
    text
}

fn use_text(used: GrantUse) -> &'static str {
    match used {
        GrantUse::None => "",
        GrantUse::Used => "used",
        GrantUse::Possible => "may be used, most programs import it",
        GrantUse::Unused => "not used: nothing is imported for it",
        GrantUse::Missing => "needed and not granted: it will be refused",
        GrantUse::Withheld => "refused by your settings: the script does without it",
    }
}

/// Returns a number with the unit of its limit.
fn amount(what: Limit, number: u64) -> String {
    match what {
        Limit::Fuel => number.to_string(),
        Limit::Memory | Limit::Stdout if number >= 1 << 20 && number.is_multiple_of(1 << 20) => {
            format!("{} MiB", number >> 20)
        }
        Limit::Memory | Limit::Stdout if number >= 1 << 10 && number.is_multiple_of(1 << 10) => {
            format!("{} KiB", number >> 10)
        }
        Limit::Memory | Limit::Stdout => format!("{number} bytes"),
        Limit::Time => format!("{number} ms"),
    }
}

fn examples_table(view: &PackageView<'_>, width: Option<usize>) -> String {
    let row = |(at, example): (usize, &narratoria_skills::SkillExample)| {
        let run = view.runs.and_then(|runs| runs.get(at));
        let Some(run) = run else {
            let nothing = || "-".to_owned();
            let (file, script) = (example.file.clone(), example.script.clone());
            return [
                file,
                script,
                nothing(),
                nothing(),
                nothing(),
                nothing(),
                "not run".to_owned(),
            ];
        };
        let usage = &run.run.invocation.usage;
        let result = match (&run.run.invocation.ending, run.differences.first()) {
            (InvocationEnding::Aborted(refusal), _) => format!("refused: the script {refusal}"),
            (_, Some(difference)) => format!("differs: {difference}"),
            (_, None) => "ok".to_owned(),
        };
        [
            example.file.clone(),
            example.script.clone(),
            usage.fuel.to_string(),
            format!("{:.1} ms", usage.elapsed.as_secs_f64() * 1e3),
            amount(Limit::Memory, usage.memory_bytes_peak.next_multiple_of(1 << 10)),
            format!("{} bytes", usage.stdout_bytes),
            result,
        ]
    };
    let rows: Vec<[String; 7]> = view.skill.examples.iter().enumerate().map(row).collect();
    let heading = ["EXAMPLE", "SCRIPT", "FUEL", "TIME", "MEMORY", "STDOUT", "RESULT"];
    render_table(heading, &rows, width)
}

fn indented(table: &str) -> String {
    table.lines().map(|line| format!("{INDENT}{line}\n")).collect()
}
