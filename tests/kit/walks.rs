//! A native walk through a campaign against the same walk through the components in the sandbox: what `campaign check` finds
//! is what a player would find.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use narratoria_campaign::{CampaignSource, WalkStep, compile, one_walk};
use narratoria_kit::{HarnessCall, PackageHarness};
use narratoria_protocol::{Event, InvocationEnding, Object, merge};
use narratoria_sandbox::{Sandbox, SandboxOptions};
use serde_json::{Value, json};

/// Turns of each walk that is compared.
const TURNS: usize = 30;

/// The components with one story.
pub(crate) struct Components {
    skills: BTreeMap<&'static str, PackageHarness>,
    campaign: Object,
    state: Object,
}

impl Components {
    pub(crate) fn of(campaign: Object, scratch: &Path) -> Components {
        let catalog = narratoria_skills::load(&[narratoria_built_in::built_in()]).catalog;
        let cache_folder = Some(scratch.join("cache"));
        let sandbox =
            Sandbox::open(&SandboxOptions { cache_folder, ..Default::default() }).unwrap();
        let harness = |name: &'static str| {
            let skill = catalog.iter().find(|skill| skill.name == name).unwrap();
            let folder = scratch.join(name);
            std::fs::create_dir_all(&folder).unwrap();
            let built = PackageHarness::build(Arc::clone(skill), &sandbox, BTreeMap::new(), folder);
            (name, built.unwrap_or_else(|(path, error)| panic!("{path}: {error}")))
        };
        let skills = ["world", "plot"].into_iter().map(harness).collect();
        Components { skills, campaign, state: Object::new() }
    }

    /// Runs a script and merges its patches.
    async fn run(&mut self, skill: &str, script: &str, input: Value, seed: u64) -> Value {
        self.run_counted(skill, script, input, seed).await.0
    }

    /// The same, with the fuel that it took.
    pub(crate) async fn run_counted(
        &mut self,
        skill: &str,
        script: &str,
        input: Value,
        seed: u64,
    ) -> (Value, u64) {
        let harness = &self.skills[skill];
        let scripts = &harness.skill().scripts;
        let idx = scripts.iter().position(|one| one.name == script).unwrap();
        let Value::Object(input) = input else { panic!("an input is an object") };
        let (state, campaign) = (self.state.clone(), self.campaign.clone());
        let call = HarnessCall { input, state, campaign, seed, ..HarnessCall::default() };
        let ran = harness.run(idx, call).await.unwrap();
        for message in &ran.messages {
            if let Event::StatePatch { patch } = &message.event {
                merge(&mut self.state, patch);
            }
        }
        match ran.invocation.ending {
            InvocationEnding::Done { output, .. } => {
                (Value::Object(output), ran.invocation.usage.fuel)
            }
            other => panic!("{skill}/{script}: {other:?}"),
        }
    }

    /// Applies the changes of a turn of the plot elsewhere. It sums up opinions itself: a first impression has a chance
    /// of its own, which a walk leaves out.
    async fn follow(&mut self, turn: &Value) {
        if turn["changes"].as_array().is_some_and(|changes| !changes.is_empty()) {
            self.run("world", "change", json!({ "changes": turn["changes"] }), 0).await;
        }
        let opinions = [
            ("reputation", "reputation", "factions", "faction", "standing"),
            ("feelings", "perception", "people", "person", "perception"),
        ];
        for (list, skill, all, name, part) in opinions {
            for rise in turn[list].as_array().into_iter().flatten() {
                let name = rise[name].as_str().unwrap();
                let was = self
                    .at(&format!("/{skill}/{all}"))
                    .get(name)
                    .map_or(0, |one| one[part].as_i64().unwrap());
                let now = (was + rise["by"].as_i64().unwrap()).clamp(-100, 100);
                let patch = json!({ skill: { all: { name: { part: now } } } });
                merge(&mut self.state, patch.as_object().unwrap());
            }
        }
    }

    fn at(&self, pointer: &str) -> Value {
        Value::Object(self.state.clone()).pointer(pointer).cloned().unwrap_or_default()
    }

    async fn begin(&mut self, seed: u64) {
        self.run("world", "create", json!({ "campaign": true }), 0).await;
        let turn = self.run("plot", "advance", json!({ "begin": true, "seed": seed }), 0).await;
        self.follow(&turn).await;
    }

    async fn step(&mut self, step: &WalkStep, seed: u64) {
        let turn = match &step.choice {
            Some(label) => {
                self.run("plot", "choose", json!({ "choice": label, "seed": seed }), 0).await
            }
            None => {
                let actions = json!({ "actions": [step.action] });
                let act = self.run("world", "act", actions, step.dice).await;
                self.run("plot", "advance", json!({ "act": act, "seed": seed }), 0).await
            }
        };
        self.follow(&turn).await;
    }
}

#[tokio::test]
async fn a_walk_is_what_the_components_do() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("campaigns/every-last-spoon");
    let result = compile(&CampaignSource::read_folder(&folder).unwrap(), "every-last-spoon", None);
    let (parts, campaign) = (result.parts.unwrap(), result.campaign.unwrap());
    let documents = campaign.documents().iter();
    let documents: Object =
        documents.map(|(path, text)| (path.clone(), serde_json::from_str(text).unwrap())).collect();
    for seed in [1, 2, 3] {
        let mut components = Components::of(documents.clone(), scratch.path());
        components.begin(seed).await;
        for (at, step) in one_walk(&parts, seed, TURNS).unwrap().steps.iter().enumerate() {
            components.step(step, seed).await;
            let which = format!("seed {seed}, turn {at}: {:?} {:?}", step.choice, step.action);
            assert_eq!(components.at("/world/view/place"), json!(step.place), "{which}");
            assert_eq!(components.at("/plot/now/qualities"), step.qualities, "{which}");
            assert_eq!(components.at("/plot/now/fired"), json!(step.fired), "{which}");
        }
    }
}

/// A grid of 300 places, a person in every tenth, and 1,000 storylets over twenty decks.
pub(crate) fn large() -> CampaignSource {
    use std::fmt::Write;
    let (mut places, mut people) = (String::new(), String::new());
    let name = |at: usize| format!("place {at}");
    for at in 0..300 {
        let next = [(at + 1, "east"), (at + 299, "west"), (at + 20, "south"), (at + 280, "north")];
        let exits: Vec<String> = next
            .iter()
            .map(|(to, way)| format!("{{ direction = \"{way}\", to = \"{}\" }}", name(to % 300)))
            .collect();
        writeln!(
            places,
            "[[place]]\nname = \"{}\"\ndescription = \"A yard with a pump. Number {at} is painted on the wall.\"\nexits = [{}]",
            name(at),
            exits.join(", ")
        )
        .unwrap();
        if at % 10 == 0 {
            writeln!(
                people,
                "[[person]]\nname = \"Person {at}\"\ndescription = \"Somebody.\"\nplace = \"{}\"\n\
                 topics = [{{ about = [\"pump\"], says = \"It is dry.\", when = \"level >= 'low' && heat < 3\" }}]",
                name(at)
            )
            .unwrap();
        }
    }
    let mut files = vec![
        ("manifest.json".to_owned(), r#"{ "title": "Large", "version": "1.0.0" }"#.to_owned()),
        ("world/setting.md".to_owned(), "Yards.".to_owned()),
        ("plot/premise.md".to_owned(), "Many yards.".to_owned()),
        ("world/places.toml".to_owned(), places),
        ("characters/people.toml".to_owned(), people),
        (
            "characters/player/player.toml".to_owned(),
            "name = \"Ada\"\nplace = \"place 0\"\n".to_owned(),
        ),
        (
            "plot/qualities.toml".to_owned(),
            "[ladder]\nlevel = [\"none\", \"low\", \"high\"]\n[counter]\nheat = { to = 9 }\n"
                .to_owned(),
        ),
    ];
    for deck in 0..20 {
        let mut text = String::new();
        for at in 0..50 {
            let number = deck * 50 + at;
            let condition = match at % 3 {
                0 => format!("at = \"{}\"", name(number % 300)),
                1 => {
                    "when = \"level >= 'low' && heat > 2 && hour >= 6 && !('place 7' in visited)\""
                        .to_owned()
                }
                _ => "on = { verb = \"examine\" }\nchance = 0.2\ncooldown = 5".to_owned(),
            };
            writeln!(
                text,
                "[[storylet]]\nid = \"s{number}\"\n{condition}\ntext = \"A bell rings, for the {number} time, behind the wall.\"\n\
                 raises = {{ heat = 1 }}"
            )
            .unwrap();
        }
        files.push((format!("plot/decks/deck{deck}.toml"), text));
    }
    CampaignSource::in_memory(files)
}

/// Prints how long the scripts of a turn take in the sandbox: `… --test program -- --ignored large_campaign --nocapture`.
#[tokio::test]
#[ignore = "measures"]
async fn a_turn_of_a_large_campaign() {
    let begin = std::time::Instant::now();
    let result = compile(&large(), "large", None);
    let campaign = result.campaign.unwrap_or_else(|| panic!("{:#?}", result.problems));
    eprintln!("compiled in {:?}", begin.elapsed());
    let documents: Object = campaign
        .documents()
        .iter()
        .map(|(path, text)| (path.clone(), serde_json::from_str(text).unwrap()))
        .collect();
    for (path, text) in campaign.documents().iter().filter(|(path, _)| !path.contains('/')) {
        eprintln!("{path}: {} bytes", text.len());
    }
    let scratch = tempfile::tempdir().unwrap();
    let mut components = Components::of(documents, scratch.path());
    components.begin(1).await;
    let mut times: BTreeMap<&str, Vec<std::time::Duration>> = BTreeMap::new();
    for turn in 0..60_u64 {
        let action = match turn % 3 {
            0 => json!({ "action": "go", "direction": "east" }),
            1 => json!({ "action": "look" }),
            _ => json!({ "action": "examine", "target": "pump" }),
        };
        let begin = std::time::Instant::now();
        let act = components.run("world", "act", json!({ "actions": [action] }), turn).await;
        times.entry("world/act").or_default().push(begin.elapsed());
        let begin = std::time::Instant::now();
        components.run("plot", "advance", json!({ "act": act, "seed": 1 }), turn).await;
        times.entry("plot/advance").or_default().push(begin.elapsed());
    }
    for (script, times) in &mut times {
        times.sort();
        eprintln!(
            "{script}: p50 {:?}, p95 {:?}",
            times[times.len() / 2],
            times[times.len() * 95 / 100]
        );
    }
}
