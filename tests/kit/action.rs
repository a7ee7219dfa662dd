//! The action for GitHub: its text is correct, and the test runs its check as a runner would.

use std::{fs, path::Path};

use serde_json::Value;

fn action() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/github/action.yml");
    serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn every_input_is_declared_with_a_description_and_a_default_and_used() {
    let action = action();
    assert_eq!(action["runs"]["using"], "composite");
    let text = action["runs"]["steps"].to_string();
    let used = regex::Regex::new(r"inputs\.([a-z-]+)").unwrap();
    let used: std::collections::BTreeSet<&str> =
        used.captures_iter(&text).map(|found| found.get(1).unwrap().as_str()).collect();
    let declared = action["inputs"].as_object().unwrap();
    assert_eq!(used, declared.keys().map(String::as_str).collect());
    for (name, input) in declared {
        assert!(input["description"].is_string() && input["default"].is_string(), "{name}");
    }
}

/// Input of the action reaches a script as a variable only: in the script's text it would run.
#[test]
fn no_script_holds_an_expression() {
    for step in action()["runs"]["steps"].as_array().unwrap() {
        let script = step["run"].as_str().unwrap_or_default();
        assert!(!script.contains("${{"), "{script}");
    }
}

/// A tag or a branch may move, and the program of its cache would stay.
#[test]
fn the_cache_is_known_by_the_sources_of_the_program() {
    let action = action();
    let mut steps = action["runs"]["steps"].as_array().unwrap().iter();
    let cache = steps.find(|step| step["id"] == "cache").unwrap()["with"].to_string();
    assert!(!cache.contains("action_ref") && !cache.contains("inputs."), "{cache}");
    assert!(cache.contains("steps.sources.outputs.digest"), "{cache}");
}

#[cfg(unix)]
mod runs {
    use std::{
        collections::BTreeMap,
        env, fs,
        path::{Path, PathBuf},
        process::Command,
    };

    use serde_json::Value;

    use super::action;
    use crate::kit::recipe::{CheckFixture, NAME};

    const REPOSITORY: &str = env!("CARGO_MANIFEST_DIR");

    /// A job of GitHub: its folder, the inputs of the action, and the outcome of its steps.
    struct ActionJob<'t> {
        home: &'t Path,
        folder: PathBuf,
        inputs: BTreeMap<&'static str, &'t str>,
        output: String,
        exit: Option<i32>,
    }

    impl ActionJob<'_> {
        /// Runs the steps that are scripts, as a runner would, until one fails.
        fn run(&mut self) {
            for step in action()["runs"]["steps"].as_array().unwrap() {
                let condition = step["if"].as_str().unwrap_or("");
                let Some(script) = step["run"].as_str().filter(|_| self.holds(condition)) else {
                    continue;
                };
                let mut command = Command::new("bash");
                command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
                give_machine(&mut command, self.home);
                command.current_dir(&self.folder);
                command.env("GITHUB_OUTPUT", self.home.join("outputs"));
                command.env("GITHUB_STEP_SUMMARY", self.home.join("summary.md"));
                for (name, value) in step["env"].as_object().into_iter().flatten() {
                    command.env(name, self.fill(value.as_str().unwrap()));
                }
                let ran = command.output().unwrap();
                for text in [ran.stdout, ran.stderr] {
                    self.output += &String::from_utf8(text).unwrap();
                }
                self.exit = ran.status.code();
                if self.exit != Some(0) {
                    return;
                }
            }
        }

        /// The value of an expression of this action.
        fn value(&self, expression: &str) -> String {
            let defaults = &action()["inputs"];
            match expression {
                "runner.temp" => self.home.display().to_string(),
                "github.action_path" => format!("{REPOSITORY}/scripts/github"),
                "github.action_ref" => "main".to_owned(),
                "steps.cache.outputs.cache-hit" | "steps.release.outputs.taken" => String::new(),
                _ => {
                    let input = expression.strip_prefix("inputs.").expect(expression);
                    let default = || defaults[input]["default"].as_str().unwrap();
                    self.inputs.get(input).copied().unwrap_or_else(default).to_owned()
                }
            }
        }

        fn fill(&self, text: &str) -> String {
            let expression = regex::Regex::new(r"\$\{\{ ([a-z._-]+) \}\}").unwrap();
            expression
                .replace_all(text, |found: &regex::Captures<'_>| self.value(&found[1]))
                .into_owned()
        }

        /// Conditions of this action: comparisons with a text.
        fn holds(&self, condition: &str) -> bool {
            condition.split(" && ").filter(|part| part.contains("==") || part.contains("!=")).all(
                |part| {
                    let (name, is_equal, text) = match part.split_once(" == ") {
                        Some((name, text)) => (name, true, text),
                        None => {
                            part.split_once(" != ").map(|(name, text)| (name, false, text)).unwrap()
                        }
                    };
                    (self.value(name) == text.trim_matches('\'')) == is_equal
                },
            )
        }
    }

    /// The tools of this machine; nothing is fetched, and what one test builds the next one finds.
    fn give_machine(command: &mut Command, home: &Path) {
        let languages = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("languages");
        let path = env::var_os("PATH").unwrap();
        // The last one has a `wasm-opt`, which clang calls where it can.
        let first =
            [home.join("bin"), languages.join("venv/bin"), languages.join("node_modules/.bin")];
        let path = env::join_paths(first.into_iter().chain(env::split_paths(&path))).unwrap();
        command.env_clear().env("PATH", path).env("CARGO_NET_OFFLINE", "true");
        command.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("authoring"));
        command.env("NARRATORIA_HOME", home.join("kept"));
        for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "WASI_SDK_PATH"] {
            if let Some(value) = env::var_os(name) {
                command.env(name, value);
            }
        }
    }

    fn git(folder: &Path, args: &[&str]) {
        let identity = [
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@example.com",
            "-c",
            "init.defaultBranch=main",
        ];
        let done =
            Command::new("git").args(identity).args(args).current_dir(folder).output().unwrap();
        assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    /// A fresh clone of a repository with new packages, `(name, arguments)` each.
    fn clone_of_new_packages(bench: &CheckFixture, packages: &[(&str, &[&str])]) -> PathBuf {
        let (origin, clone) = (bench.path().join("origin"), bench.path().join("clone"));
        fs::create_dir(&origin).unwrap();
        for (name, args) in packages {
            let made = bench.run(&[&["skill", "new", name, "--dir", "origin"], *args].concat());
            assert_eq!(made.exit, Some(0), "{}", made.transcript());
        }
        git(&origin, &["init", "--quiet"]);
        git(&origin, &["add", "."]);
        git(&origin, &["commit", "--quiet", "--message", "new"]);
        git(bench.path(), &["clone", "--quiet", "origin", "clone"]);
        for (name, _) in packages {
            assert!(!clone.join(name).join("scripts/tell.wasm").exists(), "components are in git");
        }
        clone
    }

    /// Runs the step that takes a release, for an action that is named by `tag`, with releases in a folder. Returns the
    /// step's exit code, its words and its outputs.
    fn take_release(home: &Path, tag: &str) -> (Option<i32>, String, String) {
        let action = action();
        let mut steps = action["runs"]["steps"].as_array().unwrap().iter();
        let step = steps.find(|step| step["id"] == "release").unwrap();
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c"]);
        command.arg(step["run"].as_str().unwrap());
        give_machine(&mut command, home);
        let outputs = home.join("outputs");
        fs::write(&outputs, "").unwrap();
        command.env("GITHUB_OUTPUT", &outputs);
        command.env("ACTION", format!("{REPOSITORY}/scripts/github"));
        command.env("NARRATORIA_ROOT", home.join("root"));
        command.env("NARRATORIA_RELEASES", format!("file://{}/releases", home.display()));
        // Nobody has the secret half of this one.
        command.env("NARRATORIA_RELEASE_KEY", format!("RW{}", "A".repeat(54)));
        command.env("NAMED", "auto").env("TAG", tag);
        let ran = command.output().unwrap();
        let said = [ran.stdout, ran.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
        (ran.status.code(), said, fs::read_to_string(outputs).unwrap())
    }

    #[test]
    fn the_action_of_a_tag_takes_its_release_and_that_of_a_branch_none() {
        let home = tempfile::tempdir().unwrap();
        let nothing = (Some(0), String::new(), String::new());
        assert_eq!(take_release(home.path(), "main"), nothing);
        let (exit, said, outputs) = take_release(home.path(), "v9.9.9");
        assert_eq!((exit, &*outputs), (Some(0), ""), "{said}");
        assert!(said.contains("::notice::the release 9.9.9 cannot be had here"), "{said}");
    }

    /// A job that quietly builds in place of a forged release would hide the forgery.
    #[test]
    fn a_release_without_the_signature_of_the_project_fails_the_job() {
        if !["minisign", "openssl"].iter().any(|tool| Command::new(tool).arg("-v").output().is_ok())
        {
            eprintln!("left out: neither minisign nor openssl is here");
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let release = home.path().join("releases/download/v9.9.9");
        fs::create_dir_all(&release).unwrap();
        fs::write(release.join("SHA256SUMS"), "").unwrap();
        let signature =
            format!("untrusted comment: x\n{0}\ntrusted comment: x\n{0}\n", "A".repeat(100));
        fs::write(release.join("SHA256SUMS.minisig"), signature).unwrap();
        let (exit, said, outputs) = take_release(home.path(), "v9.9.9");
        assert_eq!((exit, &*outputs), (Some(1), ""), "{said}");
        assert!(said.contains("::error::the release 9.9.9 is refused"), "{said}");
        assert!(!home.path().join("root").exists(), "nothing is written");
    }

    fn program() -> String {
        crate::program().display().to_string()
    }

    #[test]
    fn its_check_fails_the_job_and_leaves_a_report() {
        let bench = CheckFixture::from_recipe("base plain brave brittle\ndrop skill.json /license");
        let (program, packages) = (program(), format!("{NAME} {NAME}/."));
        let run = |strict: &str| {
            let inputs = [
                ("program", &*program),
                ("packages", &packages),
                ("strict", strict),
                ("build", "false"),
            ];
            let (home, folder) = (bench.path(), bench.path().to_owned());
            let mut job = ActionJob {
                home,
                folder,
                inputs: inputs.into(),
                output: String::new(),
                exit: None,
            };
            job.run();
            let report = fs::read(bench.path().join("skill-check.sarif")).unwrap();
            let sarif: Value = serde_json::from_slice(&report).unwrap();
            let level = sarif["runs"][0]["results"][0]["level"].as_str().unwrap().to_owned();
            (job.exit, job.output, level)
        };
        let (exit, said, level) = run("true");
        assert_eq!((exit, &*level), (Some(1), "error"), "{said}");
        assert!(said.starts_with("::error file=dice-roller/skill.json,"), "{said}");
        let (exit, said, level) = run("false");
        assert_eq!((exit, &*level), (Some(0), "warning"), "{said}");
        let summary = fs::read_to_string(bench.path().join("summary.md")).unwrap();
        assert!(summary.contains("dice-roller"), "{summary}");
    }

    /// The component of a package is not in git, so the action has to build it.
    #[test]
    fn a_fresh_clone_of_new_packages_is_built_and_passes() {
        let bench = CheckFixture::new();
        let folder =
            clone_of_new_packages(&bench, &[("demo", &[]), ("house-rules", &["--prompt-only"])]);
        let program = program();
        let inputs = [("program", &*program)].into();
        let mut job =
            ActionJob { home: bench.path(), folder, inputs, output: String::new(), exit: None };
        job.run();
        assert_eq!(job.exit, Some(0), "{}", job.output);
        let summary = fs::read_to_string(bench.path().join("summary.md")).unwrap();
        for name in ["demo", "house-rules"] {
            let row = summary.lines().find(|line| line.starts_with(&format!("| {name} ")));
            assert!(
                row.is_some_and(|row| row.contains("ok") && !row.contains("not ok")),
                "{summary}"
            );
        }
    }

    /// The recipe for GitLab, with the program and the script of its image.
    #[test]
    fn the_recipe_for_gitlab_builds_and_checks_a_fresh_clone() {
        let text = fs::read_to_string(format!("{REPOSITORY}/scripts/gitlab/skills.yml")).unwrap();
        let recipe: Value = serde_saphyr::from_str(&text).unwrap();
        for language in languages() {
            run_recipe(&recipe, language);
        }
    }

    fn run_recipe(recipe: &Value, language: &str) {
        let bench = CheckFixture::new();
        let folder = clone_of_new_packages(&bench, &[("demo", &["--lang", language])]);
        let bin = bench.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let link = std::os::unix::fs::symlink::<PathBuf, PathBuf>;
        link(format!("{REPOSITORY}/scripts/ci/skills.sh").into(), bin.join("check-skills"))
            .unwrap();
        link(program().into(), bin.join("narratoria")).unwrap();
        for line in recipe["skills"]["script"].as_array().unwrap() {
            let mut command = Command::new("bash");
            command.args(["-eo", "pipefail", "-c", line.as_str().unwrap()]);
            give_machine(&mut command, bench.path());
            for (name, value) in recipe["skills"]["variables"].as_object().unwrap() {
                command.env(name, value.as_str().unwrap());
            }
            let ran = command.current_dir(&folder).output().unwrap();
            assert!(
                ran.status.success(),
                "{language}: {}{}",
                String::from_utf8_lossy(&ran.stdout),
                String::from_utf8_lossy(&ran.stderr)
            );
        }
        let junit = fs::read_to_string(folder.join("skills.xml")).unwrap();
        assert!(junit.contains("demo") && junit.contains(r#"failures="0""#), "{junit}");
    }

    /// The languages of packages; without the tools that `make languages` installs, those that need none of them.
    fn languages() -> Vec<&'static str> {
        let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("languages");
        let is_required =
            env::var_os("NARRATORIA_LANGUAGES").is_some_and(|value| value == "required");
        let has = |tool: &str| {
            let is_there = tools.join(tool).exists();
            assert!(is_there || !is_required, "`{tool}` is not there: run `make languages`");
            is_there
        };
        let mut languages = vec!["rust", "c"];
        languages.extend(has("node_modules/.bin/componentize-js").then_some("js"));
        languages.extend(has("venv/bin/componentize-py").then_some("python"));
        languages
    }

    #[test]
    fn a_fresh_clone_in_every_language_is_built_and_passes() {
        for language in languages() {
            let bench = CheckFixture::new();
            let folder = clone_of_new_packages(&bench, &[("demo", &["--lang", language])]);
            let program = program();
            let inputs = [("program", &*program)].into();
            let mut job =
                ActionJob { home: bench.path(), folder, inputs, output: String::new(), exit: None };
            job.run();
            assert_eq!(job.exit, Some(0), "{language}: {}", job.output);
        }
    }

    /// No image is built here. Cargo finds all members of the workspace in a folder that holds what the image copies.
    #[test]
    fn what_the_container_file_copies_is_the_whole_workspace() {
        let dir = tempfile::tempdir().unwrap();
        let text = fs::read_to_string(format!("{REPOSITORY}/scripts/ci/Containerfile")).unwrap();
        let copies = text.lines().filter(|line| line.starts_with("COPY "));
        // The second stage takes the program from the first one.
        for line in copies.take_while(|line| !line.contains("--from")) {
            let parts: Vec<&str> = line.split(' ').skip(1).collect();
            for part in &parts[..parts.len() - 1] {
                let from = Path::new(REPOSITORY).join(part);
                std::os::unix::fs::symlink(from, dir.path().join(part)).unwrap();
            }
        }
        let cargo = std::process::Command::new(env!("CARGO"))
            .args(["metadata", "--offline", "--locked", "--no-deps", "--format-version", "1"])
            .current_dir(dir.path())
            .output()
            .unwrap();
        assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
        // The sources of the program decide which cached program the action takes.
        let action = fs::read_to_string(format!("{REPOSITORY}/scripts/github/action.yml")).unwrap();
        for folder in ["campaigns", "contracts", "sdk", "skills-wasm", "src"] {
            assert!(text.contains(&format!("COPY {folder} {folder}\n")), "{folder}");
            let digest = action.lines().find(|line| line.contains("digest=$(find")).unwrap();
            assert!(digest.contains(&format!(" {folder} ")), "{folder}");
        }
    }

    /// A build folder of some gigabytes would be sent to the engine before anything is copied.
    #[test]
    fn what_git_ignores_is_not_sent_to_the_engine_that_builds_the_image() {
        let lines = |name: &str| fs::read_to_string(format!("{REPOSITORY}/{name}")).unwrap();
        let left_out = lines(".dockerignore");
        for ignored in lines(".gitignore").lines() {
            let pattern = match ignored.strip_prefix('/') {
                Some(path) => path.trim_end_matches('/').to_owned(),
                None => format!("**/{ignored}"),
            };
            assert!(left_out.lines().any(|line| line == pattern), "{pattern}");
        }
    }

    /// The paths that the image copies exist, and its last command is the script that the other variants run.
    #[test]
    fn the_container_file_copies_what_is_there_and_runs_the_same_script() {
        let text = fs::read_to_string(format!("{REPOSITORY}/scripts/ci/Containerfile")).unwrap();
        let mut copied = 0;
        for line in
            text.lines().filter(|line| line.starts_with("COPY ") && !line.contains("--from"))
        {
            let mut parts: Vec<&str> = line.split(' ').skip(1).collect();
            parts.pop();
            for part in parts {
                assert!(Path::new(REPOSITORY).join(part).exists(), "{line}");
                copied += 1;
            }
        }
        assert!(copied > 8, "{text}");
        assert!(text.contains("COPY scripts/ci/skills.sh /usr/local/bin/check-skills\n"), "{text}");
        assert!(text.ends_with("ENTRYPOINT [\"check-skills\"]\n"), "{text}");
    }
}
