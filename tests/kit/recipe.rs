//! A folder with packages, the real binary in it, and recipes that spoil a good package.
//!
//! A recipe is a text, one order a line:
//!
//! ```text
//! base dice-roller             the good package to begin with: one that is built in …
//! base plain NAME GUEST        … or the smallest one, with a script NAME that is this guest
//! args --strict                more arguments for `skill check`
//! set FILE POINTER JSON        a value in a JSON file
//! drop FILE POINTER            a value in a JSON file taken away
//! replace FILE OLD => NEW      text of a file
//! write FILE TEXT              a whole file; `\n` is a line end
//! lines FILE N TEXT            the same line N times at the end of a file
//! bytes FILE HEX               a whole file, in hexadecimal
//! wat FILE TEXT                a component or module from its text
//! guest FILE GUEST             a component of `tests/guests`
//! remove FILE                  a file
//! rename FILE FILE             a file
//! link FILE TARGET             a symbolic link
//! ```

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use narratoria_built_in::built_in;
use narratoria_skills::{PackageOrigin, PackageRoot, SettingsFolder};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::player_machine::share_compiled_skills;

/// How long anything may take before a test gives up; not how long it is expected to take.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Name of the package in every recipe.
pub(crate) const NAME: &str = "dice-roller";

pub(crate) struct CheckFixture {
    folder: TempDir,
    args: Vec<String>,
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct CheckOutput {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: Option<i32>,
}

impl CheckOutput {
    /// The whole outcome as one value.
    pub(crate) fn transcript(&self) -> String {
        let CheckOutput { stdout, stderr, exit } = self;
        let exit = exit.map_or_else(|| "signal".to_owned(), |code| code.to_string());
        format!("{stdout}--- stderr\n{stderr}--- exit {exit}\n")
    }
}

impl CheckFixture {
    pub(crate) fn new() -> CheckFixture {
        let folder = TempDir::new().unwrap();
        share_compiled_skills(&folder.path().join("kept"));
        fs::create_dir(folder.path().join("tmp")).unwrap();
        CheckFixture { folder, args: Vec::new() }
    }

    /// The package that a recipe makes.
    pub(crate) fn from_recipe(recipe: &str) -> CheckFixture {
        let mut bench = CheckFixture::new();
        for line in recipe.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (order, rest) = line.split_once(' ').unwrap_or_else(|| panic!("{line}"));
            bench.apply(order, rest);
        }
        bench.agree_to_its_name();
        bench
    }

    /// The package has the name of a built-in skill, and is played in its place.
    fn agree_to_its_name(&self) {
        let home = self.path().join("kept");
        let settings = SettingsFolder::new(home.join("settings"), home.join("skills"));
        let package = PackageOrigin::Folder(self.path().join(NAME));
        settings.agree_to_replacement(NAME, &package).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    fn package(&self) -> PathBuf {
        self.path().join(NAME)
    }

    /// Arguments that the recipe adds.
    pub(crate) fn args(&self) -> Vec<&str> {
        self.args.iter().map(String::as_str).collect()
    }

    fn apply(&mut self, order: &str, rest: &str) {
        let (file, more) = rest.split_once(' ').unwrap_or((rest, ""));
        let path = self.package().join(file);
        match order {
            "base" if file == "plain" => {
                let (script, guest) = more.split_once(' ').unwrap();
                self.plain(script, guest);
            }
            "base" => self.built_in(file),
            "args" => self.args.extend(rest.split(' ').map(str::to_owned)),
            "set" => {
                let (pointer, value) = more.split_once(' ').unwrap();
                change(&path, pointer, Some(serde_json::from_str(value).unwrap()));
            }
            "drop" => change(&path, more, None),
            "replace" => {
                let (old, new) = more.split_once(" => ").unwrap();
                let text = fs::read_to_string(&path).unwrap();
                assert!(text.contains(old), "`{old}` is not in {file}");
                fs::write(&path, text.replace(old, new)).unwrap();
            }
            "write" => put(&path, more.replace("\\n", "\n")),
            "lines" => {
                let (count, text) = more.split_once(' ').unwrap();
                let old = fs::read_to_string(&path).unwrap_or_default();
                let more = format!("{text}\n").repeat(count.parse().unwrap());
                put(&path, old + &more);
            }
            "bytes" => {
                let pairs = more.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
                let bytes = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap());
                put(&path, bytes.collect::<Vec<u8>>());
            }
            "wat" => put(&path, wat::parse_str(more).unwrap()),
            "guest" => put(&path, component(more)),
            "remove" => fs::remove_file(&path).unwrap(),
            "rename" => fs::rename(&path, self.package().join(more)).unwrap(),
            #[cfg(unix)]
            "link" => std::os::unix::fs::symlink(more, &path).unwrap(),
            _ => panic!("nobody knows the order `{order}`"),
        }
    }

    /// Lays out a skill that is built in.
    pub(crate) fn built_in(&self, name: &str) {
        let PackageRoot::BuiltIn(packages) = built_in() else { panic!("they are built in") };
        let (_, files) = packages.iter().find(|(known, _)| *known == name).unwrap();
        for (within, content) in *files {
            put(&self.path().join(name).join(within), content);
        }
    }

    /// The smallest package without faults, except for the behaviour of its guest.
    fn plain(&self, script: &str, guest: &str) {
        let manifest = json!({
            "name": NAME, "description": "A test.", "version": "1.0.0", "license": "MIT",
            "author": "Ada", "homepage": "https://example.com/",
            "scripts": [{
                "name": script, "path": "scripts/act.wasm", "description": "A test.",
                "inputSchema": "schemas/act.json", "timeout": 20_000, "limits": {"fuel": 50_000_000},
            }],
        });
        let schema = json!({
            "type": "object", "required": ["n"],
            "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 9}},
        });
        let example = json!({"script": script, "input": {"n": 3}, "expect": {}});
        let write =
            |file: &str, value: &Value| put(&self.package().join(file), format!("{value:#}\n"));
        write("skill.json", &manifest);
        write("schemas/act.json", &schema);
        write("examples/three.json", &example);
        let front = format!("---\nname: {NAME}\ndescription: A test.\n---\nA test.\n");
        put(&self.package().join("SKILL.md"), front);
        put(&self.package().join("scripts/act.wasm"), component(guest));
    }

    /// The real binary, in a world that says nothing about the machine it runs on.
    pub(crate) fn run(&self, args: &[&str]) -> CheckOutput {
        self.run_with_input(args, "")
    }

    /// Runs the command with a text on stdin.
    pub(crate) fn run_with_input(&self, args: &[&str], stdin: &str) -> CheckOutput {
        self.run_in(args, stdin, &[])
    }

    /// Runs it with these environment variables.
    pub(crate) fn run_with_env(&self, args: &[&str], env: &[(&str, &str)]) -> CheckOutput {
        self.run_in(args, "", env)
    }

    fn run_in(&self, args: &[&str], stdin: &str, env: &[(&str, &str)]) -> CheckOutput {
        let mut command = Command::new(crate::program());
        command.current_dir(self.path()).env_clear();
        command.env("NARRATORIA_HOME", self.path().join("kept")).args(args);
        command.env("TMPDIR", self.path().join("tmp")).envs(env.iter().copied());
        let mut command = assert_cmd::Command::from_std(command);
        let output = command.write_stdin(stdin).timeout(TIMEOUT).output().unwrap();
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            text.replace(&self.path().display().to_string(), "[bench]")
        };
        let stderr = text(output.stderr);
        // A busy machine takes long enough for lines about the progress.
        let stderr = stderr.split_inclusive('\n').filter(|line| {
            !line.starts_with("checking: ") && !line.starts_with("note: compiling ")
        });
        CheckOutput {
            stdout: text(output.stdout),
            stderr: stderr.collect(),
            exit: output.status.code(),
        }
    }
}

fn component(guest: &str) -> &'static [u8] {
    narratoria_guests::find(guest).unwrap_or_else(|| panic!("no guest `{guest}`")).component
}

fn put(path: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn change(path: &Path, pointer: &str, value: Option<Value>) {
    let mut document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(parent).unwrap_or_else(|| panic!("no `{parent}`"));
    let fields = parent.as_object_mut().unwrap();
    match value {
        Some(value) => drop(fields.insert(name.to_owned(), value)),
        None => drop(fields.shift_remove(name).unwrap_or_else(|| panic!("no `{name}`"))),
    }
    fs::write(path, format!("{document:#}\n")).unwrap();
}
