//! Rules of the workspace that the compiler cannot check. A planted fault below proves each rule.

use crate::{
    code::{functions, has_word, ident_at, test_mark, without_tests, without_text},
    sources::each_source_file,
};

/// Words, the only places under `src` where they may stand, and what to do instead.
const ONLY_IN: &[(&[&str], &[&str], &str)] = &[
    (&["wasmtime", "wasmtime_wasi"], &["src/sandbox"], "run scripts through `sandbox`"),
    (
        &["rusqlite"],
        &["src/story", "src/vectors", "src/queue", "src/hosting/sqlite_log"],
        "ask `story`",
    ),
    (&["tokio_postgres"], &["src/postgres"], "ask `postgres`"),
    (&["hf_hub"], &["src/model/files"], "ask `model::files`"),
    (
        &["ureq"],
        &["src/model/files", "src/model/server", "src/registry", "src/telemetry/collector"],
        "ask `model::files`, `model::server` or `registry`",
    ),
    (
        &["llama_cpp_2", "llama_cpp_sys_2", "llguidance", "toktrie"],
        &["src/model", "src/narrator/llama"],
        "let `model` do what touches the model",
    ),
    (
        &["cap_std"],
        &["src/sandbox", "src/skills", "src/story", "src/campaign"],
        "packages and files have owners, ask them",
    ),
    (
        &["tokio::spawn", "task::spawn", "JoinSet"],
        // A server and a client of a database have a task for each connection.
        &["src/executor", "src/serve/server", "src/serve/operations", "src/postgres/database"],
        "return a future and let the executor run it",
    ),
    (
        &["println!", "print!", "eprintln!", "eprint!", "io::stdout", "io::stderr"],
        // Build scripts talk to cargo by printing.
        &[
            "src/ui",
            "src/main.rs",
            "src/kit/embed_sdk",
            "src/cli/build.rs",
            "src/serve/build.rs",
            // The output of the process is the connection of a client.
            "src/mcp/stdio",
        ],
        "return data and let `ui` print it",
    ),
    (
        &["env::"],
        &["src/cli", "src/main.rs", "src/kit/embed_sdk", "src/serve/build.rs"],
        "take it as an argument, `cli` reads the environment",
    ),
    (
        &["SystemTime::now", "Timestamp::now", "Zoned::now"],
        &["src/cli"],
        "take the time as an argument, `cli` looks at the clock",
    ),
];

/// Names that say nothing about the content.
const EMPTY_NAMES: &[&str] = &["utils", "common", "types", "manager", "imp"];

/// Folders of one person's machine. Split, so that this file passes its own rule.
const HOME_FOLDERS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];

/// A file beyond this is two files.
const FILE_LINES_MAX: usize = 800;

/// A function beyond this does not fit a screen.
const FUNCTION_LINES_MAX: usize = 70;

/// The words that a comment above a longer function must contain.
const EXCUSE: &str = "Long because";

/// The folders with Rust code.
const ROOTS: &[&str] = &["src", "sdk", "skills-wasm", "scripts", "tests", "benches"];

#[test]
fn the_house_is_tidy() {
    let mut files = Vec::new();
    for root in ROOTS {
        each_source_file(root, &mut |path, text| files.push((path, text)));
    }
    let count = files.len();
    assert!(count > 20, "only {count} files were found: is the working folder the workspace?");
    let faults = faults_of(&files);
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// Everything that is wrong with these files, given as path and text, as `path:line: what`.
fn faults_of(files: &[(String, String)]) -> Vec<String> {
    let tests: Vec<String> =
        files.iter().flat_map(|(path, text)| test_modules(path, &without_text(text))).collect();
    let mut found = Vec::new();
    for (path, text) in files {
        let in_test_folder =
            path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("/testing.rs");
        let is_test = in_test_folder || tests.iter().any(|test| is_within(path, test));
        let code = without_text(text);
        // Tests may look anywhere and take risks.
        let program = if is_test { String::new() } else { without_tests(&code) };
        let mut faults = Faults { path, found: Vec::new() };
        check_name(&mut faults);
        check_lengths(text, &code, &mut faults);
        check_text(text, &code, &mut faults);
        check_unwrap(&program, &mut faults);
        if path.starts_with("src/") {
            check_homes(&program, &mut faults);
        }
        found.extend(faults.found);
    }
    found
}

/// The modules in files of their own that this file declares for tests alone, without the `.rs`.
pub(crate) fn test_modules(path: &str, code: &str) -> Vec<String> {
    let stem = path.trim_end_matches(".rs");
    let folder = ["/lib", "/main"].iter().find_map(|root| stem.strip_suffix(root)).unwrap_or(stem);
    let (mut found, mut rest) = (Vec::new(), code);
    while let Some((_, end)) = test_mark(rest) {
        rest = &rest[end..];
        let Some((before, after)) = rest.split_once("mod ") else { break };
        let name = ident_at(after);
        let alone = ["", "pub", "pub(crate)", "pub(super)"].contains(&before.trim());
        if alone && after[name.len()..].starts_with(';') {
            found.push(format!("{folder}/{name}"));
        }
    }
    found
}

struct Faults<'p> {
    path: &'p str,
    found: Vec<String>,
}

impl Faults<'_> {
    fn add(&mut self, line_idx: usize, what: String) {
        self.found.push(format!("{}:{}: {what}", self.path, line_idx + 1));
    }
}

fn check_name(faults: &mut Faults) {
    let stem = faults.path.trim_end_matches(".rs");
    for name in stem.split('/').filter(|name| EMPTY_NAMES.contains(name)) {
        faults.add(0, format!("a module named `{name}` says nothing: name what it owns"));
    }
    if stem.ends_with("/mod") {
        faults.add(0, "write `name.rs` beside the folder `name`, not `mod.rs` in it".to_owned());
    }
}

fn check_lengths(text: &str, code: &str, faults: &mut Faults) {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() > FILE_LINES_MAX {
        faults.add(0, format!("{} lines, a file has {FILE_LINES_MAX} at most", lines.len()));
    }
    for function in functions(code) {
        let above = lines[..function.line_idx].iter().rev().map(|line| line.trim_start());
        let excused = above
            .take_while(|line| line.starts_with("//") || line.starts_with("#["))
            .any(|line| line.contains(EXCUSE));
        if function.lines > FUNCTION_LINES_MAX && !excused {
            let (name, lines) = (function.name, function.lines);
            faults.add(
                function.line_idx,
                format!("`{name}` has {lines} lines, more than {FUNCTION_LINES_MAX}: a comment above must say `{EXCUSE} …`"),
            );
        }
    }
}

fn check_text(text: &str, code: &str, faults: &mut Faults) {
    for (n, line) in text.lines().enumerate() {
        for folder in HOME_FOLDERS.iter().filter(|folder| line.contains(**folder)) {
            faults.add(n, format!("`{folder}` is a folder of somebody's machine"));
        }
    }
    for (n, line) in code.lines().enumerate() {
        if line.contains("#[allow(") || line.contains("#![allow(") {
            faults.add(n, "write `#[expect(lint, reason = \"…\")]`, not `#[allow]`".to_owned());
        }
        for name in EMPTY_NAMES.iter().filter(|name| has_word(line, &format!("mod {name}"))) {
            faults.add(n, format!("a module named `{name}` says nothing: name what it owns"));
        }
    }
}

fn check_unwrap(program: &str, faults: &mut Faults) {
    for (n, line) in program.lines().enumerate() {
        if line.contains(".unwrap()") {
            let what = "`unwrap` outside tests: `expect(\"why it cannot be\")` or an error";
            faults.add(n, what.to_owned());
        }
    }
}

fn check_homes(program: &str, faults: &mut Faults) {
    for (words, homes, instead) in ONLY_IN {
        if homes.iter().any(|home| is_within(faults.path, home)) {
            continue;
        }
        for (n, line) in program.lines().enumerate() {
            if let Some(word) = words.iter().find(|word| has_word(line, word)) {
                faults.add(n, format!("`{word}` belongs in {}: {instead}", homes.join(" or ")));
            }
        }
    }
}

/// `src/story` is `src/story.rs` and everything in the folder.
pub(crate) fn is_within(path: &str, home: &str) -> bool {
    path.strip_prefix(home).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
}

#[track_caller]
fn check(path: &str, text: &str, expect: &[&str]) {
    assert_eq!(faults_of(&[(path.to_owned(), text.to_owned())]), expect);
}

#[test]
fn what_has_a_home_stays_there() {
    let plan = |code: &str, expect: &str| check("src/plan.rs", code, &[expect]);
    plan(
        "use wasmtime::Engine;",
        "src/plan.rs:1: `wasmtime` belongs in src/sandbox: run scripts through `sandbox`",
    );
    plan(
        "use rusqlite::Row;",
        "src/plan.rs:1: `rusqlite` belongs in src/story or src/vectors or src/queue or src/hosting/sqlite_log: ask `story`",
    );
    plan(
        "use cap_std::fs::Dir;",
        "src/plan.rs:1: `cap_std` belongs in src/sandbox or src/skills or src/story or src/campaign: packages and files have owners, ask them",
    );
    plan(
        "fn a() { tokio::spawn(b) }",
        "src/plan.rs:1: `tokio::spawn` belongs in src/executor or src/serve/server or src/serve/operations or src/postgres/database: return a future and let the executor run it",
    );
    plan(
        "fn a() { eprintln!(); }",
        "src/plan.rs:1: `eprintln!` belongs in src/ui or src/main.rs or src/kit/embed_sdk or src/cli/build.rs or src/serve/build.rs or src/mcp/stdio: return data and let `ui` print it",
    );
    plan(
        "use std::env::var;",
        "src/plan.rs:1: `env::` belongs in src/cli or src/main.rs or src/kit/embed_sdk or src/serve/build.rs: take it as an argument, `cli` reads the environment",
    );
    plan(
        "fn a() { jiff::Timestamp::now() }",
        "src/plan.rs:1: `Timestamp::now` belongs in src/cli: take the time as an argument, `cli` looks at the clock",
    );
    check("src/sandbox/host.rs", "use wasmtime_wasi::WasiCtx;", &[]);
    check("src/ui.rs", "fn a() { println!() }", &[]);
    check(
        "src/uint.rs",
        "fn a() { println!() }",
        &[
            "src/uint.rs:1: `println!` belongs in src/ui or src/main.rs or src/kit/embed_sdk or src/cli/build.rs or src/serve/build.rs or src/mcp/stdio: return data and let `ui` print it",
        ],
    );
}

#[test]
fn tests_comments_and_strings_are_left_alone() {
    check(
        "src/plan.rs",
        "/// See [`crate::engine`]; wasmtime.\nconst A: &str = \"println!(crate::ui)\";\n\
         #[cfg(test)]\nmod tests {\n    use crate::engine::Engine;\n    fn a() { b().unwrap() }\n}",
        &[],
    );
}

#[test]
fn a_file_is_a_test_if_it_is_declared_as_one() {
    let fault = "fn a() { b().unwrap() }".to_owned();
    let files = |parent: &str| {
        [("src/plan.rs".to_owned(), parent.to_owned()), ("src/plan/x.rs".to_owned(), fault.clone())]
    };
    assert_eq!(faults_of(&files("#[cfg(test)]\npub(crate) mod x;")), [""; 0]);
    assert_eq!(
        faults_of(&files("#[cfg(test)]\nuse y;\nmod x;")),
        ["src/plan/x.rs:1: `unwrap` outside tests: `expect(\"why it cannot be\")` or an error"],
    );
}

#[test]
fn a_long_file_is_a_fault() {
    check("sdk/src/lib.rs", &"//\n".repeat(800), &[]);
    check(
        "sdk/src/lib.rs",
        &"//\n".repeat(801),
        &["sdk/src/lib.rs:1: 801 lines, a file has 800 at most"],
    );
}

#[test]
fn a_long_function_needs_an_excuse() {
    let function = format!("fn long() {{{}}}", "\n".repeat(70));
    check(
        "src/plan.rs",
        &format!("\n/// Text.\n{function}"),
        &[
            "src/plan.rs:3: `long` has 71 lines, more than 70: a comment above must say `Long because …`",
        ],
    );
    let excused = format!("// Long because it is one list.\n#[inline]\n{function}");
    check("src/plan.rs", &excused, &[]);
}

#[test]
fn an_empty_name_is_a_fault() {
    check(
        "src/plan/utils.rs",
        "",
        &["src/plan/utils.rs:1: a module named `utils` says nothing: name what it owns"],
    );
    check(
        "src/plan.rs",
        "mod types {}",
        &["src/plan.rs:1: a module named `types` says nothing: name what it owns"],
    );
    check(
        "src/plan/mod.rs",
        "",
        &["src/plan/mod.rs:1: write `name.rs` beside the folder `name`, not `mod.rs` in it"],
    );
}

#[test]
fn folders_of_somebodys_machine_are_a_fault() {
    let text = format!("// {}x", HOME_FOLDERS[0]);
    let expect = format!("src/plan.rs:1: `{}` is a folder of somebody's machine", HOME_FOLDERS[0]);
    check("src/plan.rs", &text, &[&expect]);
}

#[test]
fn silenced_lints_and_unwraps_are_faults() {
    check(
        "tests/turn.rs",
        "#[allow(dead_code)]\nfn a() { b().unwrap() }",
        &["tests/turn.rs:1: write `#[expect(lint, reason = \"…\")]`, not `#[allow]`"],
    );
    check(
        "skills-wasm/dice/src/lib.rs",
        "fn a() { b().unwrap() }",
        &[
            "skills-wasm/dice/src/lib.rs:1: `unwrap` outside tests: `expect(\"why it cannot be\")` or an error",
        ],
    );
}
