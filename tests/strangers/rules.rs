//! Rules that hold for every untrusted package.

use std::fs;

use narratoria_protocol::visible::visible;
use serde_json::Value;

use crate::player_machine::PlayerMachine;
use crate::strangers::{
    cases,
    package::{NAME, Stranger, Verdict},
    watched::{self, Watched},
};

/// The most memory that the program may have resident.
pub(crate) const RESIDENT_BYTES_MAX: u64 = 256 << 20;

/// The most text that a command may print for a person.
const TEXT_BYTES_MAX: usize = 128 << 10;

/// How much of a refusal the snapshot keeps.
const WORDS_MAX: usize = 200;

/// Fewest cases of the corpus.
const CASES_MIN: usize = 60;

/// An environment variable that no package may read.
const SECRET: (&str, &str) = ("STRANGERS_SECRET", "the treasure is under the oak");

/// The package on a machine of its own, before anything ran.
struct Trial {
    machine: PlayerMachine,
    stranger: Stranger,
    complaints: Vec<String>,
}

impl Trial {
    fn new(stranger: Stranger) -> Trial {
        let machine = PlayerMachine::new();
        stranger.write(&machine.path().join("skills").join(NAME));
        machine.write("script.json", stranger.script());
        Trial { machine, stranger, complaints: Vec::new() }
    }

    /// Runs a command and checks what holds for every command.
    fn command(&mut self, args: &[&str], stdin: &str) -> Watched {
        let mut command = self.machine.command(args);
        command.env(SECRET.0, SECRET.1);
        let ran = watched::run(command, stdin);
        let verb = args[..2.min(args.len())].join(" ");
        let is_for_people = !args.contains(&"json") && args[1] != "run";
        let text = ran.stdout.len() * usize::from(is_for_people) + ran.stderr.len();
        let checks = [
            (
                !matches!(ran.exit, Some(0..=4)),
                format!("exit {:?} after {:?}: {}", ran.exit, ran.took, ran.stderr),
            ),
            (ran.peak_bytes > RESIDENT_BYTES_MAX, format!("{} MiB resident", ran.peak_bytes >> 20)),
            (text > TEXT_BYTES_MAX, format!("{text} bytes of text")),
            (ran.stdout.contains(SECRET.1) || ran.stderr.contains(SECRET.1), "a secret".to_owned()),
            (ran.stderr.contains("panicked"), ran.stderr.clone()),
            (
                [&ran.stdout, &ran.stderr].iter().any(|text| visible(text) != text.as_str()),
                "a text that steers a terminal".to_owned(),
            ),
        ];
        let broken = checks.into_iter().filter(|(is_broken, _)| *is_broken);
        self.complaints.extend(broken.map(|(_, what)| format!("`{verb}`: {what}")));
        ran
    }

    fn complain_if(&mut self, is_wrong: bool, what: impl FnOnce() -> String) {
        if is_wrong {
            self.complaints.push(what());
        }
    }

    /// The package through every command that meets it; returns the complaints, and how the program refuses it.
    fn run(mut self) -> (Vec<String>, String) {
        let checked = self.command(&["skill", "check", "skills/stranger"], "");
        let inspected = self.command(&["skill", "inspect", "skills/stranger"], "");
        let listed = self.command(&["skill", "list", "--skills", "skills", "--format", "json"], "");
        let archive = ["skill", "pack", "skills/stranger", "--output", "stranger.skill.tar.gz"];
        let mut installed = self.command(&archive, "");
        if installed.exit == Some(0) {
            installed = self.command(&["skill", "install", "--yes", archive[4]], "");
        }
        let is_loaded = listed.stdout.contains("\"stranger\"");
        let verdict = self.stranger.verdict;
        self.complain_if(verdict == Verdict::Refused && is_loaded, || "it loads".to_owned());
        self.complain_if(verdict == Verdict::Refused && installed.exit == Some(0), || {
            "it installs".to_owned()
        });
        self.complain_if(verdict == Verdict::Refused && checked.exit == Some(0), || {
            "the gate lets it through".to_owned()
        });
        self.complain_if(verdict == Verdict::Loads && !is_loaded, || {
            format!("it does not load: {}", listed.stderr)
        });
        drop(inspected);
        // Its output is the whole request, settings and all.
        self.command(&["skill", "run", "stranger/act", "--skills", "skills"], "{}");
        self.play();
        let words = match listed.stderr.lines().find(|line| line.starts_with("warning")) {
            Some(line) if !is_loaded => line.chars().take(WORDS_MAX).collect(),
            _ => "loads".to_owned(),
        };
        (self.complaints, words)
    }

    /// A turn with the package, and then one without.
    fn play(&mut self) {
        let with = ["run", "--skills", "skills", "--planner", "scripted:script.json"];
        self.command(&with, "I meet the stranger\n");
        let state = fs::read_dir(self.machine.path().join("kept"));
        self.complain_if(state.is_err(), || "the home is gone".to_owned());
        let played = self.command(
            &["run", "--skills", "skills", "--planner", "lexical", "--format", "json"],
            "I roll 1d20\n",
        );
        let finished = played
            .stdout
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .find(|update| update["type"] == "turn.finished");
        let outcome = finished.map(|update| update["outcome"].clone()).unwrap_or_default();
        self.complain_if(outcome != "told", || {
            format!("the next turn does not play: {outcome} {}", played.stderr)
        });
    }
}

#[test]
fn every_strangers_package_is_survived() {
    let strangers = cases::all();
    assert!(strangers.len() >= CASES_MIN, "{} cases", strangers.len());
    // Packages whose name has this in it; and one in so many of them, for a quick look at every family.
    let wanted = std::env::var("STRANGER").unwrap_or_default();
    let one_in = std::env::var("STRANGERS_ONE_IN").map_or(1, |text| text.parse().unwrap());
    let mut broken = Vec::new();
    let mut words = String::new();
    let chosen = strangers.into_iter().filter(|stranger| stranger.name.contains(&wanted));
    for stranger in chosen.step_by(one_in) {
        let name = stranger.name.clone();
        let began = std::time::Instant::now();
        let (complaints, said) = Trial::new(stranger).run();
        println!("{:>6} ms: {name}", began.elapsed().as_millis());
        broken.extend(complaints.into_iter().map(|what| format!("{name}: {what}")));
        words += &format!("{name}: {said}\n");
    }
    if !wanted.is_empty() {
        println!("{words}");
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    if wanted.is_empty() && one_in == 1 {
        insta::assert_snapshot!("words", words);
    }
}
