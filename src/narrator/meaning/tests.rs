//! Finding scripts by vectors, with an embedder that knows a few synonyms.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use narratoria_plan::wire::PlanJson;
use narratoria_protocol::{Object, TextEmbedder};
use narratoria_skills::{Catalog, PackageRoot, load};
use narratoria_vectors::EmbedderLoader;

use super::{HeldOutLookup, ScriptIndex};
use crate::{LexicalPlanner, PlanRequest};

/// Words that mean the same.
const SYNONYMS: [&[&str]; 4] = [
    &["sharpen", "hone", "grind", "edge", "keen"],
    &["sword", "blade", "knife", "dagger"],
    &["dream", "slept", "nightmare"],
    &["write", "record", "journal", "diary"],
];

const NUMBERS: usize = 256;

/// A text is the sum of its words; synonyms are one word.
#[derive(Default)]
struct Synonyms {
    texts: AtomicUsize,
}

impl TextEmbedder for Synonyms {
    fn id(&self) -> &str {
        "synonyms"
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, String> {
        self.texts.fetch_add(1, Ordering::Relaxed);
        let mut vector = vec![0.0; NUMBERS];
        for word in text.to_lowercase().split(|letter: char| !letter.is_alphanumeric()) {
            let known = SYNONYMS.iter().position(|words| words.contains(&word));
            let place = known.unwrap_or_else(|| {
                let sum: usize =
                    word.bytes().map(usize::from).enumerate().map(|(at, it)| (at + 1) * it).sum();
                SYNONYMS.len() + sum % (NUMBERS - SYNONYMS.len())
            });
            vector[place] += if known.is_some() { 3.0 } else { 0.2 };
        }
        Ok(vector)
    }
}

fn loader(embedder: &Arc<Synonyms>) -> EmbedderLoader {
    let embedder = Arc::clone(embedder);
    Box::new(move || Ok(Arc::clone(&embedder) as Arc<dyn TextEmbedder>))
}

/// A catalog of two packages, whose triggers know one phrase each.
fn catalog(folder: &Path) -> Catalog {
    let package = |name: &str, script: &str, description: &str, phrase: &str| {
        let dir = folder.join(name);
        fs::create_dir_all(dir.join("schemas")).unwrap();
        fs::create_dir_all(dir.join("scripts")).unwrap();
        let manifest = serde_json::json!({
            "name": name, "displayName": name, "description": description, "version": "0.1.0",
            "triggers": [{"script": script, "phrases": [phrase], "input": {}}],
            "scripts": [{"name": script, "path": "scripts/act.wasm", "description": description,
                "inputSchema": "schemas/input.json"}],
        });
        let input = serde_json::json!({"type": "object", "properties": {}});
        fs::write(dir.join("skill.json"), manifest.to_string()).unwrap();
        fs::write(dir.join("schemas/input.json"), input.to_string()).unwrap();
        let prompt = format!("---\nname: {name}\ndescription: {description}\n---\nUse it.\n");
        fs::write(dir.join("SKILL.md"), prompt).unwrap();
        let component =
            include_bytes!("../../../contracts/eval/hostile-skills/oracle/scripts/act.wasm");
        fs::write(dir.join("scripts/act.wasm"), component).unwrap();
    };
    package("smith", "sharpen", "Sharpens a blade.", "sharpen the sword");
    package("diary", "write", "Keeps a record of a dream.", "write the dream in the diary");
    let report = load(&[narratoria_built_in::built_in(), PackageRoot::Folder(folder.to_owned())]);
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    report.catalog
}

/// The paths of the nearest scripts.
fn nearest(index: &ScriptIndex, catalog: &Catalog, disabled: &[String], text: &str) -> Vec<String> {
    let near = index.nearest(catalog, disabled, text, 4);
    near.iter().map(|near| format!("{}/{}", near.skill.name, near.script().name)).collect()
}

fn filled(index: &ScriptIndex, catalog: &Catalog) {
    index.prepare(catalog);
    assert!(index.wait(Duration::from_secs(60)));
}

#[test]
fn the_script_is_nearest_whose_texts_mean_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (catalog, embedder) = (catalog(folder.path()), Arc::new(Synonyms::default()));
    let index = ScriptIndex::new(loader(&embedder), None);
    filled(&index, &catalog);
    let found = |text: &str| nearest(&index, &catalog, &[], text);
    assert_eq!(found("hone my dagger"), ["smith/sharpen", "diary/write"]);
    assert_eq!(found("record my nightmare"), ["diary/write", "smith/sharpen"]);
    let disabled = ["smith".to_owned()];
    assert_eq!(nearest(&index, &catalog, &disabled, "hone my dagger"), ["diary/write"]);
}

/// Plans a sentence with the vectors of the two packages.
fn planned(sentence: &str) -> PlanJson {
    let folder = tempfile::tempdir().unwrap();
    let (catalog, embedder) = (catalog(folder.path()), Arc::new(Synonyms::default()));
    let index = ScriptIndex::new(loader(&embedder), None);
    filled(&index, &catalog);
    let state = Object::new();
    let id = "00000000-0000-4000-8000-000000000000".to_owned();
    let request = PlanRequest::first(sentence, &catalog, &state, id, Duration::from_secs(5));
    LexicalPlanner::with_index(index).plan(&request).unwrap()
}

/// S0 FR-005.
#[test]
fn a_plan_has_the_skill_that_is_asked_for_in_other_words_and_says_how_sure_it_is() {
    let steps = |sentence: &str| planned(sentence).tools;
    let found = steps("please hone the blade, give it a keen edge");
    let paths: Vec<&str> = found.iter().map(|step| step.tool_path.as_str()).collect();
    assert_eq!(paths, ["smith/sharpen", "storyteller/narrate"]);
    let reason = found[0].reason.as_deref().unwrap();
    assert!(reason.contains("mean what it does, with a probability of 0."), "{reason}");
    let plain = steps("I sit down by the fire and look at the stars");
    let paths: Vec<&str> = plain.iter().map(|step| step.tool_path.as_str()).collect();
    assert_eq!(paths, ["storyteller/narrate"]);
}

#[test]
fn a_plan_names_the_scripts_that_were_considered_and_how_probable_each_was() {
    let considered = |sentence: &str| {
        let plan = planned(sentence);
        let rows = plan.metadata.extra.get("considered").cloned().unwrap_or_default();
        let rows = rows.as_array().cloned().unwrap_or_default();
        let row =
            |row: &serde_json::Value| format!("{} {} {}", row["tool"], row["by"], row["chosen"]);
        rows.iter().map(row).collect::<Vec<_>>().join("; ")
    };
    let hone = considered("please hone the blade, give it a keen edge");
    assert!(hone.starts_with(r#""smith/sharpen" "vectors" true"#), "{hone}");
    let plain = considered("I sit down by the fire and look at the stars");
    assert!(!plain.contains("true"), "{plain}");
    // Words of a trigger need no vectors.
    assert_eq!(considered("sharpen the sword"), "");
}

#[test]
fn vectors_are_computed_once_and_kept_for_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let cache = tempfile::tempdir().unwrap();
    let (catalog, embedder) = (catalog(folder.path()), Arc::new(Synonyms::default()));
    let index = ScriptIndex::new(loader(&embedder), Some(cache.path()));
    filled(&index, &catalog);
    let computed = embedder.texts.load(Ordering::Relaxed);
    assert!(computed > 500, "{computed}");
    filled(&index, &catalog);
    let again = ScriptIndex::new(loader(&embedder), Some(cache.path()));
    filled(&again, &catalog);
    assert_eq!(embedder.texts.load(Ordering::Relaxed), computed);
}

#[test]
fn without_a_model_nothing_is_near_and_nobody_waits() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = catalog(folder.path());
    let index = ScriptIndex::new(Box::new(|| Err("there is none".to_owned())), None);
    index.prepare(&catalog);
    assert!(!index.wait(Duration::from_secs(60)));
    assert!(nearest(&index, &catalog, &[], "hone my dagger").is_empty());
}

/// What comes of the sentences of a package when each is held out: `text: probability`, with `found`, or the script that
/// would be started.
fn held_out(scripts: &[(&str, &str, &[&str])], plain: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    package_of_scripts(folder.path(), scripts);
    let mut report = load(&[PackageRoot::Folder(folder.path().to_owned())]);
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    let skill = report.catalog.remove("smith").unwrap();
    let built_in = load(&[narratoria_built_in::built_in()]).catalog;
    let embedder = Arc::new(Synonyms::default());
    let mut lookup = HeldOutLookup::new(&built_in, skill, loader(&embedder), None);
    assert!(lookup.wait(Duration::from_secs(60)));
    let computed = embedder.texts.load(Ordering::Relaxed);
    let mut lines = Vec::new();
    for sentence in lookup.sentences() {
        let result = lookup.look_up(sentence);
        let end = match (result.is_found, result.taken_for) {
            (true, _) => "found".to_owned(),
            (false, Some(other)) => format!("taken for {other}"),
            (false, None) => "missed".to_owned(),
        };
        lines.push(format!("{}: {end}, {:.1}", sentence.text, result.probability));
    }
    assert_eq!(embedder.texts.load(Ordering::Relaxed), computed, "each vector is known before");
    for plain in plain {
        let started = lookup.started_by(plain);
        let started = started.iter().map(|it| match it.probability {
            Some(probability) => format!("{} {probability:.1}", it.script),
            None => format!("{} by its words", it.script),
        });
        let started = started.collect::<Vec<_>>().join(", ");
        lines.push(format!("{plain} -> {started}").trim_end().to_owned());
    }
    lines.join("\n")
}

/// A package `smith` of scripts, each with its description and the phrases of its trigger.
fn package_of_scripts(folder: &Path, scripts: &[(&str, &str, &[&str])]) {
    let dir = folder.join("smith");
    fs::create_dir_all(dir.join("schemas")).unwrap();
    fs::create_dir_all(dir.join("scripts")).unwrap();
    let entry = |(name, description, _): &(&str, &str, &[&str])| {
        serde_json::json!({"name": name, "path": "scripts/act.wasm", "description": description,
            "inputSchema": "schemas/input.json"})
    };
    let trigger = |(name, _, phrases): &(&str, &str, &[&str])| serde_json::json!({"script": name, "phrases": phrases, "input": {}});
    let manifest = serde_json::json!({
        "name": "smith", "displayName": "smith", "description": "A smith.", "version": "0.1.0",
        "triggers": scripts.iter().map(trigger).collect::<Vec<_>>(),
        "scripts": scripts.iter().map(entry).collect::<Vec<_>>(),
    });
    let input = serde_json::json!({"type": "object", "properties": {}});
    fs::write(dir.join("skill.json"), manifest.to_string()).unwrap();
    fs::write(dir.join("schemas/input.json"), input.to_string()).unwrap();
    let prompt = "---\nname: smith\ndescription: A smith.\n---\nUse it.\n";
    fs::write(dir.join("SKILL.md"), prompt).unwrap();
    let component =
        include_bytes!("../../../contracts/eval/hostile-skills/oracle/scripts/act.wasm");
    fs::write(dir.join("scripts/act.wasm"), component).unwrap();
}

#[test]
fn a_sentence_is_looked_up_without_itself_among_the_other_texts_of_its_package() {
    let scripts: [(&str, &str, &[&str]); 2] = [
        (
            "sharpen",
            "Sharpens a blade.",
            &[
                "please hone the blade for me, it needs a keen edge",
                "could you grind the dagger so that it has an edge again",
                "gild a cup",
            ],
        ),
        (
            "record",
            "Keeps a record of a dream.",
            &[
                "please whet the sword, it needs a keen edge",
                "Please whet the sword: it needs a keen edge!",
            ],
        ),
    ];
    insta::assert_snapshot!(held_out(&scripts, &[]), @"
    please hone the blade for me, it needs a keen edge: found, 0.7
    could you grind the dagger so that it has an edge again: found, 0.5
    gild a cup: missed, 0.2
    please whet the sword, it needs a keen edge: taken for sharpen, 0.1
    Please whet the sword: it needs a keen edge!: taken for sharpen, 0.1
    ");
}

#[test]
fn a_plain_sentence_starts_a_script_by_its_meaning_or_by_the_words_of_a_trigger() {
    let phrases: &[&str] = &["please hone the blade for me, it needs a keen edge", "pet the cat"];
    let plain = ["pet the cat", "could you whet a knife, it has lost its edge", "who lives here?"];
    insta::assert_snapshot!(held_out(&[("sharpen", "Sharpens a blade.", phrases)], &plain), @"
    please hone the blade for me, it needs a keen edge: missed, 0.1
    pet the cat: missed, 0.0
    pet the cat -> sharpen by its words
    could you whet a knife, it has lost its edge -> sharpen 0.7
    who lives here? ->
    ");
}

#[test]
fn a_skill_of_the_program_and_a_package_without_sentences_are_not_looked_up() {
    let built_in = load(&[narratoria_built_in::built_in()]).catalog;
    assert!(!HeldOutLookup::applies_to(built_in.get("dice-roller").unwrap()));
    let folder = tempfile::tempdir().unwrap();
    package_of_scripts(folder.path(), &[("sharpen", "Sharpens a blade.", &[])]);
    let mut bare = load(&[PackageRoot::Folder(folder.path().to_owned())]).catalog;
    assert!(!HeldOutLookup::applies_to(&bare.remove("smith").unwrap()));
}
