//! How well the scripts of one package are found by sentences that are none of its texts, and which plain sentences start
//! them. Knows vectors and triggers; judges nothing.

use std::{path::Path, sync::Arc, time::Duration};

use narratoria_protocol::Object;
use narratoria_skills::{Catalog, Skill};
use narratoria_vectors::EmbedderLoader;

use super::{
    NearScript, PLAIN_SENTENCES, ScriptIndex, SentenceParts,
    head::probability,
    script_texts::{TextKind, catalog_texts},
};
use crate::{LexicalPlanner, PlanRequest, words::split_clauses};

/// Most sentences of a package that are looked up, in the order of its scripts. Each costs a few milliseconds.
const HELD_OUT_MAX: usize = 256;

/// The sentences of a package and the plain ones, each to be looked up as if nobody had written it.
#[derive(Debug)]
pub struct HeldOutLookup {
    /// The package beside the skills of the program.
    catalog: Catalog,
    skill: Arc<Skill>,
    sentences: Vec<HeldOutSentence>,
    index: ScriptIndex,
    planner: LexicalPlanner,
}

/// A phrase of a trigger, or the sentence of an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldOutSentence {
    /// The name of the script that it is for.
    pub script: String,
    pub text: String,
}

/// What the other texts make of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutResult {
    /// Whether its script would be started.
    pub is_found: bool,
    /// How probably the sentence asks for its script, 0 to 1; 0 if other scripts are nearer.
    pub probability: f64,
    /// The script of the package that would be started in its place.
    pub taken_for: Option<String>,
}

/// A script that a plain sentence starts.
#[derive(Debug, Clone, PartialEq)]
pub struct StartedScript {
    /// Its name.
    pub script: String,
    /// How probably the sentence asks for it; `None` if it has the words of a trigger.
    pub probability: Option<f64>,
}

impl HeldOutLookup {
    /// Returns true if the package has sentences, and its scripts are looked for by their meaning.
    pub fn applies_to(skill: &Arc<Skill>) -> bool {
        !own_sentences(skill).is_empty()
    }

    /// Begins to compute the vectors, in the background. `cache` is a folder that keeps them.
    pub fn new(
        built_in: &Catalog,
        skill: Arc<Skill>,
        load: EmbedderLoader,
        cache: Option<&Path>,
    ) -> HeldOutLookup {
        let sentences = own_sentences(&skill);
        let mut catalog = built_in.clone();
        catalog.insert_shared(Arc::clone(&skill));
        let own = sentences.iter().flat_map(|sentence| clauses_of(&sentence.text));
        let looked_up = own.chain(HeldOutLookup::plain_sentences().flat_map(clauses_of));
        let index = ScriptIndex::expecting(load, cache, looked_up.collect());
        index.prepare(&catalog);
        let planner = LexicalPlanner::new();
        HeldOutLookup { catalog, skill, sentences, index, planner }
    }

    /// Waits until all vectors are there, for some time. Returns true if they are.
    pub fn wait(&self, most: Duration) -> bool {
        self.index.wait(most)
    }

    /// The sentences of the package, each once.
    pub fn sentences(&self) -> &[HeldOutSentence] {
        &self.sentences
    }

    /// The sentences of players that ask for no installed skill.
    pub fn plain_sentences() -> impl Iterator<Item = &'static str> {
        PLAIN_SENTENCES.lines().filter(|line| !line.is_empty())
    }

    /// What the vectors make of a sentence of the package, without itself. Triggers do not count.
    pub fn look_up(&self, sentence: &HeldOutSentence) -> HeldOutResult {
        let (text, index) = (sentence.text.as_str(), self.index.without(&sentence.text));
        let state = Object::new();
        let parts =
            SentenceParts::of(&index, &request(text, &self.catalog, &state), text, |_| false);
        let near = parts.whole.iter().chain(&parts.clauses).flat_map(|part| &part.near);
        let is_own = |near: &&NearScript| {
            near.skill.name == self.skill.name && near.script().name == sentence.script
        };
        let own = near.filter(is_own);
        let log_odds = own.map(|near| near.log_odds).reduce(f64::max);
        let chosen = parts.chosen();
        let is_found = chosen.iter().any(|(_, near)| is_own(near));
        let other = chosen.first().filter(|_| !is_found);
        HeldOutResult {
            is_found,
            probability: log_odds.map_or(0.0, probability),
            taken_for: other.map(|(_, near)| near.script().name.clone()),
        }
    }

    /// The scripts of the package that a plain sentence would start in a new story, by its meaning or by a trigger.
    pub fn started_by(&mut self, plain: &str) -> Vec<StartedScript> {
        self.planner.set_index(self.index.without(plain));
        let state = Object::new();
        let request = request(plain, &self.catalog, &state);
        let started = self.planner.started_scripts(&request, &self.skill);
        let started =
            started.into_iter().map(|(script, probability)| StartedScript { script, probability });
        started.collect()
    }
}

/// The parts of a sentence that are looked up beside the whole.
fn clauses_of(sentence: &str) -> Vec<String> {
    let clauses = split_clauses(sentence).into_iter().map(|at| sentence[at].trim().to_owned());
    clauses.filter(|clause| !clause.is_empty()).collect()
}

fn request<'a>(sentence: &'a str, catalog: &'a Catalog, state: &'a Object) -> PlanRequest<'a> {
    PlanRequest::first(sentence, catalog, state, String::new(), Duration::MAX)
}

/// The phrases and examples of the scripts that are looked for by their meaning, each text once.
fn own_sentences(skill: &Arc<Skill>) -> Vec<HeldOutSentence> {
    let mut alone = Catalog::default();
    alone.insert_shared(Arc::clone(skill));
    let mut sentences: Vec<HeldOutSentence> = Vec::new();
    for script in catalog_texts(&alone) {
        let name = &skill.scripts[script.script_idx].name;
        let own = script.texts.iter();
        let own = own.filter(|it| matches!(it.kind, TextKind::TriggerPhrase | TextKind::Example));
        for text in own {
            if sentences.iter().all(|known| known.text != text.text) {
                sentences.push(HeldOutSentence { script: name.clone(), text: text.text.clone() });
            }
        }
    }
    sentences.truncate(HELD_OUT_MAX);
    sentences
}
