//! Packages in Python and JavaScript, without the SDK: the examples under `sdk/examples` and the templates. They are
//! built with the tools that `scripts/languages.sh` installs, run in the sandbox, attacked and played.
//!
//! Where the tools of a language are not installed, its packages are left out, and `make test` says so at its end.
//! With `NARRATORIA_LANGUAGES=required`, as in `.ci/run`, their absence is an error. Each build is kept by the digest
//! of its sources.

use std::{
    collections::BTreeMap,
    env, fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use narratoria_kit::{HarnessCall, PackageHarness, run_example};
use narratoria_protocol::InvocationEnding;
use narratoria_protocol::{Message, OPERATION_DESCRIBE};
use narratoria_sandbox::{Sandbox, SandboxOptions};
use narratoria_skills::load_package;
use sha2::{Digest, Sha256};

use crate::cli::{
    authoring::{FEATURES, check_passes, give_tools, plays, run_with_tools},
    dev::{DevSession, edit},
};
use crate::player_machine::{PlayerMachine, lock};

/// A language whose tools `scripts/languages.sh` installs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ScriptLanguage {
    Python,
    JavaScript,
}

impl ScriptLanguage {
    /// Its folder under `sdk/examples`.
    fn folder(self) -> &'static str {
        match self {
            ScriptLanguage::Python => "python",
            ScriptLanguage::JavaScript => "javascript",
        }
    }

    /// The folder with its compiler; none where it is not installed.
    fn tools(self) -> Option<PathBuf> {
        let (place, tool) = match self {
            ScriptLanguage::Python => ("venv/bin", "componentize-py"),
            ScriptLanguage::JavaScript => ("node_modules/.bin", "componentize-js"),
        };
        let folder = built_folder().join(place);
        let is_there = folder.join(tool).exists();
        let required = env::var_os("NARRATORIA_LANGUAGES").is_some_and(|value| value == "required");
        assert!(is_there || !required, "`{tool}` is not there: run scripts/languages.sh");
        is_there.then_some(folder)
    }
}

/// The folder of the tools that `make test` installs, and of the builds of these tests.
fn built_folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("languages")
}

/// A package in `skills`, built; false without tools.
#[track_caller]
pub(crate) fn has_built(machine: &PlayerMachine, name: &str, language: ScriptLanguage) -> bool {
    let Some(tools) = language.tools() else { return false };
    // Components are built one after the other: each takes seconds, and two at once take no less.
    let _one_at_a_time = lock(&built_folder().join("lock"));
    let folder = machine.path().join("skills").join(name);
    let kept = built_folder().join("built").join(digest_of(&folder));
    let scripts = folder.join("scripts");
    if !kept.is_dir() {
        let package = format!("skills/{name}");
        let built = run_with_tools(machine, &["skill", "build", "--yes", &package], &[tools]);
        assert_eq!(built.exit, Some(0), "{}", built.transcript());
        fs::create_dir_all(kept.parent().unwrap()).unwrap();
        let fresh = kept.with_extension("fresh");
        copy(&scripts, &fresh);
        fs::rename(fresh, &kept).unwrap();
    }
    copy(&kept, &scripts);
    true
}

/// Everything that a build reads.
fn digest_of(folder: &Path) -> String {
    let mut hasher = Sha256::new();
    for place in ["skill.json", "src", "wit", "requirements.txt", "package.json"] {
        let mut paths = vec![folder.join(place)];
        while let Some(path) = paths.pop() {
            if let Ok(entries) = fs::read_dir(&path) {
                paths.extend(entries.map(|entry| entry.unwrap().path()));
                paths.sort();
            } else if let Ok(bytes) = fs::read(&path) {
                let within = path.strip_prefix(folder).unwrap().display();
                hasher.update(format!("{within} {}\n", bytes.len()));
                hasher.update(bytes);
            }
        }
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let from = entry.unwrap().path();
        let to = to.join(from.file_name().unwrap());
        // Files that authors leave in the folder of a package.
        if [".venv", "node_modules", "scripts", "__pycache__"]
            .iter()
            .any(|name| from.ends_with(name))
        {
            continue;
        }
        match from.is_dir() {
            true => copy(&from, &to),
            false => drop(fs::copy(&from, &to).unwrap()),
        }
    }
}

/// One of the packages under `sdk/examples`, built; none without tools.
fn example_package(language: ScriptLanguage, name: &str) -> Option<PlayerMachine> {
    let machine = PlayerMachine::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("sdk/examples");
    let from = examples.join(language.folder()).join(name);
    copy(&from, &machine.path().join("skills").join(name));
    has_built(&machine, name, language).then_some(machine)
}

/// The package, every component ready.
fn rig(machine: &PlayerMachine, name: &str) -> PackageHarness {
    let skill = load_package(&machine.path().join("skills").join(name)).unwrap();
    // The very one that the program uses: what is compiled here plays at once.
    let cache_folder = Some(machine.path().join("kept/cache/components"));
    let sandbox = Sandbox::open(&SandboxOptions { cache_folder, ..Default::default() }).unwrap();
    let scratch = machine.path().join("scratch");
    PackageHarness::build(Arc::new(skill), &sandbox, BTreeMap::new(), scratch).unwrap()
}

/// Whatever arrives, a proper answer leaves: `error` and `done`, and nothing stops half-way.
const HOSTILE: &[&[u8]] = &[
    b"",
    b"\n",
    b"\xff\xfe",
    b"{",
    b"[]",
    b"null",
    b"NaN",
    b"\"text\"",
    b"{\"input\": 7}",
    b"{\"input\": []}",
    b"{\"input\": {\"nothing\": 1}}",
    b"{\"input\": {\"about\": 7, \"answer\": [], \"bet\": {}}}",
    b"{\"input\": {\"about\": \"\\ud800\", \"answer\": \"\\ud800\", \"bet\": \"\\ud800\"}}",
    b"{\"operation\": \"dance\"}",
    b"{\"operation\": 7}",
    b"{\"seed\": \"seven\"}",
    b"{\"state\": 7, \"seed\": -1}",
];

/// Returns a skill's narration: the paragraphs of one or two sentences. The storyteller's are longer.
fn first_lines(told: &str) -> String {
    told.lines().filter(|line| !line.is_empty() && line.len() < 80).collect::<Vec<_>>().join("\n")
}

/// Runs everything that is true of each of these packages.
async fn check_package(rig: &PackageHarness) {
    let skill = rig.skill();
    for example in &skill.examples {
        let ran = run_example(rig, example).await.unwrap();
        assert!(
            ran.differences.is_empty(),
            "{}: {:?} {:?}",
            example.file,
            ran.differences,
            ran.run
        );
    }
    let call = HarnessCall { operation: OPERATION_DESCRIBE.to_owned(), ..HarnessCall::default() };
    let described = rig.run(0, call).await.unwrap();
    let InvocationEnding::Done { output, .. } = described.invocation.ending else {
        panic!("{described:?}")
    };
    let script = &skill.scripts[0];
    assert_eq!(&output["inputSchema"], script.input_schema.document());
    assert_eq!(&output["outputSchema"], script.output_schema.as_ref().unwrap().document());

    let deep = [b"[".repeat(1 << 20), b"{\"a\":".repeat(1 << 18)].map(Vec::from);
    let long =
        [b"{\"input\": {\"x\": \"".to_vec(), b"\\\"".repeat(1 << 19), b"\"}}".to_vec()].concat();
    let wide =
        [b"{\"state\": [0".to_vec(), b",0".repeat(1 << 19), b"], \"input\": 7}".to_vec()].concat();
    let hostile = HOSTILE.iter().map(|bytes| bytes.to_vec());
    for bytes in hostile.chain(deep).chain([long, wide]) {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        let ran = rig.run_bytes(0, bytes, 0).await.unwrap();
        // A script whose input has nothing required is content with an empty one.
        let is_content = matches!(ran.invocation.ending, InvocationEnding::Done { .. });
        let is_empty = ["", "\n"].contains(&&*shown);
        let gave_up = matches!(ran.invocation.ending, InvocationEnding::Failed { .. });
        assert!(gave_up || (is_content && is_empty), "{shown}: {ran:?}");
        let codes: Vec<String> = ran
            .messages
            .iter()
            .map(Message::to_json)
            .filter_map(|said| Some(said["errorCode"].as_str()?.to_owned()))
            .collect();
        assert!(!codes.contains(&"SCRIPT_FAULT".to_owned()), "{shown}: {ran:?}");
    }
}

#[tokio::test]
async fn the_riddle_keeper_in_python_does_what_it_says() {
    let Some(machine) = example_package(ScriptLanguage::Python, "riddle-keeper") else { return };
    check_package(&rig(&machine, "riddle-keeper")).await;
    check_passes(&machine, "skills/riddle-keeper");
    let play = ["run", "--planner", "lexical", "--seed", "5", "--skills", "skills"];
    let ran = machine.run(&play, "ask me a riddle\nmy answer is a bucket\n");
    insta::assert_snapshot!(first_lines(&ran.stdout), @"
    The longer it stands, the shorter it grows. What is it?
    [riddle-keeper/riddle: riddle_missed]
    No, that is not it.
    ");
}

#[tokio::test]
async fn the_fortune_wheel_in_javascript_does_what_it_says() {
    let Some(machine) = example_package(ScriptLanguage::JavaScript, "fortune-wheel") else {
        return;
    };
    check_package(&rig(&machine, "fortune-wheel")).await;
    check_passes(&machine, "skills/fortune-wheel");
    let play = ["run", "--planner", "lexical", "--seed", "5", "--skills", "skills"];
    let ran = machine.run(&play, "I spin the wheel of fortune\n");
    insta::assert_snapshot!(first_lines(&ran.stdout), @"
    [fortune-wheel/spin: wheel_spun]
    The wheel rattles, slows, and stops at the booby prize.
    ");
}

#[tokio::test]
async fn new_packages_in_python_and_javascript_do_what_they_say() {
    for (lang, language) in [("python", ScriptLanguage::Python), ("js", ScriptLanguage::JavaScript)]
    {
        let machine = PlayerMachine::new();
        let new = ["skill", "new", "demo", "--lang", lang, "--dir", "skills", "--with", "store"];
        machine.run(&new, "");
        if !has_built(&machine, "demo", language) {
            continue;
        }
        check_package(&rig(&machine, "demo")).await;
        check_passes(&machine, "skills/demo");
        plays(&machine);
        let play = ["run", "--planner", "lexical", "--seed", "3", "--skills", "skills"];
        let ran = machine.run(&play, "I count my visits\nI count my visits\n");
        assert!(ran.stdout.contains("This is visit number 2."), "{}", ran.transcript());
    }
}

/// The test of each script runs without a sandbox. Where the language itself is not installed, its packages are left out.
#[test]
fn the_native_tests_of_new_packages_in_python_javascript_and_c_pass() {
    for lang in ["python", "js", "c"] {
        let machine = PlayerMachine::new();
        machine.run(&["skill", "new", "demo", "--lang", lang, "--with", FEATURES], "");
        machine.run(&["skill", "add-script", "look-up", "--package", "demo"], "");
        match lang {
            "python" => {
                let run = ["python3", "-m", "unittest", "discover", "tests"];
                let Some(said) = run_native(&machine, &run) else { continue };
                assert!(said.contains("Ran 15 tests"), "{said}");
            }
            "js" => {
                let tests = native_tests(&machine, ".test.mjs");
                assert_eq!(tests.len(), 9, "{tests:?}");
                let node = ["node", "--test", "--test-reporter=tap"].map(str::to_owned);
                let run: Vec<&str> = node.iter().chain(&tests).map(String::as_str).collect();
                let Some(said) = run_native(&machine, &run) else { continue };
                assert!(said.contains("# pass 15\n# fail 0\n"), "{said}");
            }
            _ => {
                let tests = native_tests(&machine, ".test.c");
                assert_eq!(tests.len(), 9, "{tests:?}");
                let check = machine.path().join("check").display().to_string();
                for test in &tests {
                    let built = ["cc", "-Wall", "-Wextra", "-Werror", "-o", &check, test];
                    let Some(_) = run_native(&machine, &built) else { break };
                    run_native(&machine, &[&check]).unwrap();
                }
            }
        }
    }
}

/// The editor's checks of types: those of what a package shares with others, of each service's script, and of an author's
/// mistake.
#[test]
fn the_types_of_packages_in_javascript_hold_and_find_a_mistake() {
    let Some(tools) = typescript() else { return };
    let check = |folder: &Path| {
        let output = Command::new("node")
            .arg(&tools)
            .args(["-p", "jsconfig.json"])
            .current_dir(folder)
            .output();
        let output = output.unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let example =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("sdk/examples/javascript/fortune-wheel");
    assert_eq!(check(&example), (true, String::new()));

    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "demo", "--lang", "js", "--with", FEATURES], "");
    let folder = machine.path().join("demo");
    assert_eq!(check(&folder), (true, String::new()));

    let omen = folder.join("src/omen.mjs");
    let source = fs::read_to_string(&omen).unwrap();
    fs::write(
        &omen,
        source.replace("host.log(", "host.logg(").replace("OMENS.length)", "\"all\")"),
    )
    .unwrap();
    insta::assert_snapshot!(check(&folder).1, @"
    src/omen.mjs(60,59): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.
    src/omen.mjs(61,8): error TS2551: Property 'logg' does not exist on type 'Host'. Did you mean 'log'?
    ");
}

/// The compiler that checks types; `None` where the tools of JavaScript are not installed.
fn typescript() -> Option<PathBuf> {
    let path = built_folder().join("node_modules/typescript/bin/tsc");
    path.is_file().then_some(path)
}

/// The tests of the package `demo` with this ending, by their paths in it.
fn native_tests(machine: &PlayerMachine, end: &str) -> Vec<String> {
    let names = fs::read_dir(machine.path().join("demo/tests")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut tests: Vec<String> =
        names.filter(|name| name.ends_with(end)).map(|name| format!("tests/{name}")).collect();
    tests.sort();
    tests
}

/// Runs a program in the package `demo`, and returns what it says; `None` if it is not installed.
#[track_caller]
fn run_native(machine: &PlayerMachine, words: &[&str]) -> Option<String> {
    let mut command = machine.isolate(Command::new(words[0]));
    give_tools(&mut command, &[]);
    let output = command.args(&words[1..]).current_dir(machine.path().join("demo")).output();
    let output = match output {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let required =
                env::var_os("NARRATORIA_LANGUAGES").is_some_and(|value| value == "required");
            assert!(!required || words[0] == "cc", "`{}` is not there", words[0]);
            return None;
        }
        output => output.unwrap(),
    };
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{words:?}:\n{said}");
    Some(said)
}

/// `skill dev` plays each change from its source, without the tools of the language, and leaves a component that they made.
#[test]
fn an_edit_in_python_or_javascript_is_played_from_its_source() {
    for (lang, language, source, broken) in [
        ("python", ScriptLanguage::Python, "src/tell.py", ("def run(", "def run[(")),
        ("js", ScriptLanguage::JavaScript, "src/omen.mjs", ("function run(", "function run[(")),
    ] {
        let Some(tools) = language.tools() else { continue };
        let machine = PlayerMachine::new();
        machine.run(&["skill", "new", "demo", "--lang", lang], "");
        let _one_at_a_time = lock(&built_folder().join("lock"));
        let mut session = DevSession::begin(&machine, &[tools]);
        session.ask("the ford");
        let source = machine.path().join("demo").join(source);
        for old in
            ["The water lies still around", "Three crows sit above", "The candle leans away from"]
        {
            edit(&source, old, "Four owls look at");
        }
        edit(
            &machine.path().join("demo/examples/a-fair-sign.json"),
            "The water lies still around",
            "Four owls look at",
        );
        let told = session.ask("the mill");
        assert!(told.contains("Four owls look at the mill:"), "{told}");
        // What does not parse never reaches the story.
        edit(&source, broken.0, broken.1);
        let told = session.ask("the harbour");
        assert!(told.contains("Four owls look at the harbour:"), "{told}");
        edit(&source, broken.1, broken.0);
        session.ask("the tower");
        let (stderr, exit) = session.end();
        assert_eq!(exit, Some(0), "{stderr}");
        for line in [
            "built: tell\n",
            "tested: 2 run, 2 as expected\n",
            " hostile requests, 0 errors, 0 warnings",
            "note: building what was played from its source",
        ] {
            assert!(stderr.contains(line), "{lang}: `{line}` is not in:\n{stderr}");
        }
        let said = stderr.to_lowercase();
        assert!(said.contains("error: ") && said.contains("src/"), "{lang}: {stderr}");
        let component = fs::read(machine.path().join("demo/scripts/tell.wasm")).unwrap();
        let is_base = component.windows(17).any(|bytes| bytes == b"narratoria-source");
        assert!(!is_base, "{lang}: a base is no component for others");
    }
}

/// The shared parts are one text, so that a fix reaches both.
#[test]
fn the_examples_and_the_templates_speak_in_the_same_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    for (example, template) in [
        ("python/riddle-keeper/src/wire.py", "python/wire.py"),
        ("python/riddle-keeper/requirements.txt", "python/requirements.txt"),
        ("python/riddle-keeper/wit/skill.wit", "python/skill.wit"),
        ("python/riddle-keeper/wit/deps/io.wit", "shared/io.wit"),
        ("python/riddle-keeper/wit/deps/cli.wit", "shared/cli.wit"),
        ("javascript/fortune-wheel/src/wire.mjs", "javascript/wire.mjs"),
        ("javascript/fortune-wheel/src/stdio.mjs", "javascript/stdio.mjs"),
        ("javascript/fortune-wheel/jsconfig.json", "javascript/jsconfig.json"),
        ("javascript/fortune-wheel/types/host.d.ts", "javascript/host.d.ts"),
        ("javascript/fortune-wheel/wit/skill.wit", "javascript/skill.wit"),
        ("javascript/fortune-wheel/wit/deps/io.wit", "shared/io.wit"),
        ("javascript/fortune-wheel/wit/deps/cli.wit", "shared/cli.wit"),
    ] {
        let (one, other) =
            (format!("sdk/examples/{example}"), format!("src/kit/template/{template}"));
        assert_eq!(read(&one), read(&other), "{one} and {other}");
    }
    // Their first lines name the script and the skill.
    let tail = |text: String| text.split_once("export const run").unwrap().1.to_owned();
    let spin = read("sdk/examples/javascript/fortune-wheel/src/spin.mjs");
    assert_eq!(tail(spin), tail(read("src/kit/template/javascript/tell.mjs")));
    let tool = |text: String| text.split_once("devDependencies").unwrap().1.to_owned();
    let package = read("sdk/examples/javascript/fortune-wheel/package.json");
    assert_eq!(tool(package), tool(read("src/kit/template/javascript/package.json")));
}
