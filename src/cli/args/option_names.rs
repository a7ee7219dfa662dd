//! Neither a message nor a page must send anybody to an option that does not exist.

use std::{collections::BTreeSet, fs, path::Path};

use clap::{Command, CommandFactory};
use regex::Regex;

use super::Arguments;

/// Sources whose options belong to other programs.
const APART: &[&str] = &["src/kit/build/", "src/kit/template/", "src/cli/fleet/tenant_process.rs"];

/// Options of the program that are there only if it is built with a feature. The pages say so.
const BEHIND_FEATURES: &[&str] = &["telemetry", "telemetry-texts"];

/// Options that stand alone although their crate does not know its command, and why that is no mistake.
const ALONE: &[(&str, &str, &str)] = &[
    ("src/skills/config/form.rs", "unset", "the form is shown by `skill config` alone"),
    ("src/skills/config.rs", "set", "it is what `skill install` has"),
    ("src/kit/check/rules.rs", "time-budget", "the rule is one of `skill check`"),
    ("src/kit/check/rules.rs", "queue", "the rule is one of `skill check`"),
];

/// Crates that do not know which command they serve: they may name an option only with its whole command.
fn knows_its_command(path: &str) -> bool {
    path.starts_with("src/cli") || path.starts_with("src/ui")
}

fn own_options(command: &Command) -> BTreeSet<String> {
    let named = command.get_arguments().filter_map(|argument| argument.get_long());
    named.chain(["help", "version"]).map(str::to_owned).collect()
}

fn all_options(command: &Command, into: &mut BTreeSet<String>) {
    into.extend(own_options(command));
    command.get_subcommands().for_each(|inner| all_options(inner, into));
}

/// The command that a text begins with, such as `plan run FILE --yes`.
fn command_of<'a>(root: &'a Command, text: &str) -> &'a Command {
    let mut at = root;
    for word in text.split_whitespace() {
        match at.find_subcommand(word) {
            Some(inner) => at = inner,
            None => break,
        }
    }
    at
}

/// Every line of a source that is neither a comment nor a test. The help texts of the arguments are comments.
fn lines(path: &str, text: &str) -> Vec<(usize, String)> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let is_help = path.starts_with("src/cli/args");
    let lines = code.lines().enumerate().map(|(idx, line)| (idx + 1, line.trim().to_owned()));
    lines.filter(|(_, line)| is_help || !line.starts_with("//")).collect()
}

fn sources(root: &Path, folder: &Path, into: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let shown = path.strip_prefix(root).unwrap_or(&path);
        let shown = shown.to_string_lossy().replace('\\', "/");
        if path.is_dir() {
            sources(root, &path, into);
        } else if shown.ends_with(".rs") && !APART.iter().any(|apart| shown.starts_with(apart)) {
            into.push((shown, fs::read_to_string(&path).unwrap()));
        }
    }
}

#[test]
fn no_message_names_an_option_that_does_not_exist() {
    let root = Arguments::command();
    let mut known = BTreeSet::new();
    all_options(&root, &mut known);
    let option = Regex::new(r"(?:^|[^\w-])--([a-z][a-z0-9-]*)").unwrap();
    let command = Regex::new(r"`narratoria ([^`]*)`").unwrap();
    let (mut files, mut faults) = (Vec::new(), Vec::new());
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    sources(&repository, &repository.join("src"), &mut files);
    for (path, text) in &files {
        let is_test = path.contains("/tests") || path.ends_with("option_names.rs");
        for (line_no, line) in lines(path, text).into_iter().filter(|_| !is_test) {
            for found in option.captures_iter(&line) {
                let name = &found[1];
                if !known.contains(name) {
                    faults.push(format!("{path}:{line_no}: no command has `--{name}`"));
                }
                let before = &line[..found.get(0).unwrap().start()];
                // A command may come from a variable.
                let has_command = before.contains("narratoria ") || before.ends_with('}');
                let is_alone =
                    ALONE.iter().any(|(file, option, _)| file == path && *option == name);
                if !knows_its_command(path) && !has_command && !is_alone {
                    faults.push(format!("{path}:{line_no}: of which command is `--{name}`?"));
                }
            }
            for found in command.captures_iter(&line) {
                let inner = command_of(&root, &found[1]);
                let own = own_options(inner);
                for name in option.captures_iter(&found[1]).map(|name| name[1].to_owned()) {
                    if !own.contains(&name) {
                        let verb = inner.get_name();
                        faults.push(format!("{path}:{line_no}: `{verb}` has no `--{name}`"));
                    }
                }
            }
        }
    }
    assert!(files.len() > 200, "{}", files.len());
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The commands that a page shows, each with its line: those of a block, and those within a sentence.
fn commands_of(page: &str) -> Vec<(usize, String)> {
    let command = Regex::new(r"(?:^|[ $(|])narratoria ([a-z\[-].*)$").unwrap();
    let end = Regex::new(r" #| \|| >| <| && |;|\)").unwrap();
    let (mut is_block, mut found) = (false, Vec::new());
    for (idx, line) in page.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_block = !is_block;
            continue;
        }
        let within = || line.split('`').skip(1).step_by(2).collect();
        let code: Vec<&str> = if is_block { vec![line] } else { within() };
        for shown in code.into_iter().filter_map(|code| command.captures(code)) {
            let text = end.split(&shown[1]).next().unwrap_or_default();
            found.push((idx + 1, text.to_owned()));
        }
    }
    found
}

#[test]
fn no_page_shows_a_command_or_an_option_that_does_not_exist() {
    let root = Arguments::command();
    let option = Regex::new(r"(?:^|[^\w-])--([a-z][a-z0-9-]*)").unwrap();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = fs::read_dir(repository.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> =
        docs.filter(|path| path.extension().is_some_and(|it| it == "md")).collect();
    pages.extend(["README.md", "SECURITY.md"].map(|name| repository.join(name)));
    let (mut count, mut faults) = (0, Vec::new());
    for page in pages {
        for (line_no, text) in commands_of(&fs::read_to_string(&page).unwrap()) {
            count += 1;
            let (place, inner) =
                (format!("{}:{line_no}", page.display()), command_of(&root, &text));
            let names: Vec<&str> = text.split_whitespace().collect();
            let at = names.iter().position(|word| *word == inner.get_name()).map_or(0, |at| at + 1);
            let is_word = |word: &str| {
                !word.starts_with('-') && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
            };
            if let Some(word) = names.get(at).filter(|word| is_word(word))
                && inner.has_subcommands()
            {
                faults.push(format!("{place}: there is no command `{word}` in `{text}`"));
            }
            let own = own_options(inner);
            let mut everywhere = own_options(&root);
            everywhere.extend(BEHIND_FEATURES.iter().map(|name| (*name).to_owned()));
            for found in option.captures_iter(&text) {
                if !own.contains(&found[1]) && !everywhere.contains(&found[1]) {
                    faults.push(format!(
                        "{place}: `{}` has no `--{}`",
                        inner.get_name(),
                        &found[1]
                    ));
                }
            }
        }
    }
    assert!(count > 150, "only {count} commands were found");
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn commands_are_found_in_blocks_and_in_sentences() {
    let page = "`narratoria run --x`, `x narratoria` and narratoria b\n```sh\n$ narratoria plan run f.json >g  # why\n\
        echo a | narratoria run | cat\n```\n";
    let found = commands_of(page);
    let found: Vec<(usize, &str)> = found.iter().map(|(at, text)| (*at, text.as_str())).collect();
    assert_eq!(found, [(1, "run --x"), (3, "plan run f.json"), (4, "run")]);
}
