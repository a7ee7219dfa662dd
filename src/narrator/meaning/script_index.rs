//! The vectors of a catalog's texts.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
    time::{Duration, Instant},
};

use narratoria_protocol::{Object, TextEmbedder, digest};
use narratoria_skills::{Catalog, Script, Skill};
use narratoria_vectors::{EmbedderLoader, TextVector, VectorCache};

use super::{
    PLAIN_SENTENCES,
    head::{LogisticHead, Nearness},
    script_texts::{ScriptTexts, TextKind, catalog_texts},
    sentence_form::SentenceForm,
};

/// Cosines that a mean is taken of.
const NEAREST: usize = 3;

/// Most texts of one catalog: 256 skills with 64 texts each. Further ones are not compared.
const INDEXED_TEXTS_MAX: usize = 16_384;

/// Finds scripts by the meaning of their texts. Clones share the vectors, which a thread computes in the background.
#[derive(Clone)]
pub struct ScriptIndex {
    shared: Arc<IndexShared>,
    /// Digests of texts that do not count in comparisons ([`ScriptIndex::without`]).
    ignored: Arc<HashSet<String>>,
}

struct IndexShared {
    load: EmbedderLoader,
    cache_folder: Option<PathBuf>,
    /// Filled by the thread; `None` if there is no usable model.
    embedder: OnceLock<Option<Arc<dyn TextEmbedder>>>,
    /// Further texts that are looked up later, with their digests.
    expected: Vec<(String, String)>,
    state: Mutex<IndexState>,
    /// Notified when no text waits any more.
    is_filled: Condvar,
}

#[derive(Default)]
struct IndexState {
    /// The skills of the catalog that the texts are of. A skill that is loaded again is another one.
    skills: Vec<Arc<Skill>>,
    scripts: Arc<[ScriptTexts]>,
    /// By the digests of the texts; `None` for a text without a vector.
    vectors: HashMap<String, Option<TextVector>>,
    /// Texts with their digests.
    waiting: VecDeque<(String, String)>,
    is_working: bool,
}

/// A script, and how near its texts are to a sentence.
#[derive(Debug, Clone)]
pub struct NearScript {
    pub skill: Arc<Skill>,
    pub script_idx: usize,
    pub nearness: Nearness,
    /// The logarithm of the odds that the sentence asks for the script.
    pub log_odds: f64,
    /// True if a model's answer is part of the odds.
    pub(crate) model_was_asked: bool,
    /// What a model has read from the sentence for the fields of its input.
    pub(crate) read_input: Object,
}

impl NearScript {
    pub fn script(&self) -> &Script {
        &self.skill.scripts[self.script_idx]
    }
}

impl fmt::Debug for ScriptIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptIndex").finish_non_exhaustive()
    }
}

/// The digests of the plain sentences, with the sentences.
static PLAIN: LazyLock<Vec<(String, &str)>> = LazyLock::new(|| {
    let sentences = PLAIN_SENTENCES.lines().filter(|line| !line.is_empty());
    sentences.map(|sentence| (digest::sha256(sentence.as_bytes()), sentence)).collect()
});

impl ScriptIndex {
    /// An index without vectors. `cache` is a folder that keeps them from one start of the program to the next.
    pub fn new(load: EmbedderLoader, cache: Option<&Path>) -> ScriptIndex {
        ScriptIndex::expecting(load, cache, Vec::new())
    }

    /// An index that computes the vectors of these texts too, because they are going to be looked up.
    pub(super) fn expecting(
        load: EmbedderLoader,
        cache: Option<&Path>,
        texts: Vec<String>,
    ) -> ScriptIndex {
        let digest = |text: String| (digest::sha256(text.as_bytes()), text);
        ScriptIndex {
            shared: Arc::new(IndexShared {
                load,
                cache_folder: cache.map(Path::to_owned),
                embedder: OnceLock::new(),
                expected: texts.into_iter().map(digest).collect(),
                state: Mutex::default(),
                is_filled: Condvar::new(),
            }),
            ignored: Arc::default(),
        }
    }

    /// The index without one text: it counts neither for a script nor as a plain sentence, in whatever case and with
    /// whatever marks it is written.
    pub(super) fn without(&self, text: &str) -> ScriptIndex {
        let state = self.lock();
        let own = state.scripts.iter().flat_map(|script| &script.texts);
        let own = own.map(|text| (text.digest.as_str(), text.text.as_str()));
        let plain = PLAIN.iter().map(|(digest, text)| (digest.as_str(), *text));
        let same = own.chain(plain).filter(|(_, other)| is_same_text(other, text));
        let ignored = same.map(|(digest, _)| digest.to_owned()).collect();
        ScriptIndex { shared: Arc::clone(&self.shared), ignored: Arc::new(ignored) }
    }

    /// Begins to compute the vectors of a catalog's texts, as far as there are none. Returns at once.
    pub fn prepare(&self, catalog: &Catalog) {
        let mut state = self.lock();
        if catalog.consists_of(&state.skills) {
            return;
        }
        state.skills = catalog.iter().cloned().collect();
        state.scripts = catalog_texts(catalog).into();
        state.waiting.clear();
        if state.scripts.is_empty() {
            return;
        }
        let scripts = Arc::clone(&state.scripts);
        let plain = PLAIN.iter().map(|(digest, text)| (digest.as_str(), *text));
        let own = scripts.iter().flat_map(|script| &script.texts);
        let own = own.map(|text| (text.digest.as_str(), text.text.as_str()));
        let mut seen = HashSet::new();
        let expected = self.shared.expected.iter();
        let expected = expected.map(|(digest, text)| (digest.as_str(), text.as_str()));
        for (digest, text) in plain.chain(own.take(INDEXED_TEXTS_MAX)).chain(expected) {
            if seen.insert(digest) && !state.vectors.contains_key(digest) {
                state.waiting.push_back((digest.to_owned(), text.to_owned()));
            }
        }
        state.vectors.retain(|digest, _| seen.contains(digest.as_str()));
        if !state.waiting.is_empty() && !state.is_working {
            let shared = Arc::clone(&self.shared);
            let spawned = thread::Builder::new()
                .name("skill-vectors".to_owned())
                .spawn(move || shared.fill());
            match spawned {
                Ok(_) => state.is_working = true,
                Err(error) => tracing::warn!("skills are found by their words alone: {error}"),
            }
        }
    }

    /// Waits until all vectors are there, for some time. Returns true if they are.
    pub fn wait(&self, most: Duration) -> bool {
        let until = Instant::now() + most;
        let mut state = self.lock();
        while state.is_working {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.shared.is_filled.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting.is_empty() && matches!(self.shared.embedder.get(), Some(Some(_)))
    }

    /// Waits like [`ScriptIndex::wait`], without blocking the thread.
    pub async fn ready(&self, most: Duration) {
        let index = self.clone();
        let waited = tokio::task::spawn_blocking(move || index.wait(most)).await;
        tracing::debug!(?waited, "the texts of the skills have vectors");
    }

    /// The scripts of other than these skills whose texts are nearest to the text, nearest first, at most `most` of them.
    /// None while there are no vectors.
    pub fn nearest(
        &self,
        catalog: &Catalog,
        disabled: &[String],
        text: &str,
        most: usize,
    ) -> Vec<NearScript> {
        self.prepare(catalog);
        let Some(wanted) = self.vector_of(text) else { return Vec::new() };
        let state = self.lock();
        let cosine = |digest: &str| {
            let counts = !self.ignored.contains(digest);
            counts.then(|| state.cosine(digest, &wanted)).flatten()
        };
        let plain = PLAIN.iter().filter_map(|(digest, _)| cosine(digest));
        let Some(plain) = Similarity::of(plain) else { return Vec::new() };
        let usable = state.scripts.iter().filter(|script| !disabled.contains(&script.skill.name));
        let compared = usable.filter_map(|script| {
            let all = script.texts.iter().filter_map(|text| cosine(&text.digest));
            Some((script, Similarity::of(all)?))
        });
        let mut compared: Vec<(&ScriptTexts, Similarity)> = compared.collect();
        compared.sort_by(|(_, one), (_, other)| other.rank().total_cmp(&one.rank()));
        let (form, words) = (SentenceForm::of(text), text.split_whitespace().count());
        let near = compared.iter().take(most).map(|(script, similarity)| {
            let is_other =
                |(other, _): &&(&ScriptTexts, Similarity)| other.skill.name != script.skill.name;
            let rival = compared.iter().find(is_other).map_or(0.0, |(_, other)| other.rank());
            let kind = |kind: TextKind| {
                let own = script.texts.iter().filter(|text| text.kind == kind);
                let cosines = own.filter_map(|text| cosine(&text.digest));
                cosines.reduce(f64::max).unwrap_or(Nearness::NO_TEXT)
            };
            let nearness = Nearness {
                best: similarity.best,
                best_three: similarity.best_three,
                kinds: TextKind::ALL.map(kind),
                plain: plain.best_three,
                plain_best: plain.best,
                lead: similarity.rank() - rival,
                form,
                words,
            };
            NearScript {
                skill: Arc::clone(&script.skill),
                script_idx: script.script_idx,
                log_odds: LogisticHead::of_nearness().log_odds(&nearness.features()),
                model_was_asked: false,
                read_input: Object::new(),
                nearness,
            }
        });
        near.collect()
    }

    /// `None` if there is no usable model.
    fn vector_of(&self, text: &str) -> Option<TextVector> {
        let Some(Some(embedder)) = self.shared.embedder.get() else { return None };
        let known = self.lock().vectors.get(&digest::sha256(text.as_bytes())).cloned().flatten();
        known.or_else(|| {
            let computed = embedder.embed(text);
            let warn = |error: &String| {
                tracing::warn!("skills are found by their words alone: {error}");
            };
            computed.inspect_err(warn).ok().map(|vector| TextVector::of(&vector))
        })
    }

    fn lock(&self) -> MutexGuard<'_, IndexState> {
        self.shared.lock()
    }
}

/// Returns true if texts differ in case, blanks and marks alone.
fn is_same_text(one: &str, other: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = char> {
        text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
    }
    letters(one).eq(letters(other))
}

/// The largest of some cosines.
#[derive(Debug, Clone, Copy)]
struct Similarity {
    best: f64,
    best_three: f64,
}

impl Similarity {
    /// `None` for no cosines.
    fn of(cosines: impl Iterator<Item = f64>) -> Option<Similarity> {
        let mut cosines: Vec<f64> = cosines.collect();
        cosines.sort_by(|one, other| other.total_cmp(one));
        cosines.truncate(NEAREST);
        let best = *cosines.first()?;
        Some(Similarity { best, best_three: cosines.iter().sum::<f64>() / cosines.len() as f64 })
    }

    fn rank(self) -> f64 {
        (self.best + self.best_three) / 2.0
    }
}

impl IndexState {
    fn cosine(&self, digest: &str, wanted: &TextVector) -> Option<f64> {
        self.vectors.get(digest)?.as_ref().map(|vector| vector.cosine(wanted))
    }
}

impl IndexShared {
    fn lock(&self) -> MutexGuard<'_, IndexState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Computes the vectors of all texts that wait.
    fn fill(&self) {
        let embedder = self.embedder.get_or_init(|| match (self.load)() {
            Ok(embedder) => Some(embedder),
            Err(error) => {
                tracing::info!("skills are found by their words alone: {error}");
                None
            }
        });
        let mut open = embedder.as_ref().map(|embedder| {
            (embedder, VectorCache::open(self.cache_folder.as_deref(), embedder.id()))
        });
        loop {
            let mut state = self.lock();
            let next = open.as_mut().zip(state.waiting.pop_front());
            let Some(((embedder, cache), (digest, text))) = next else {
                state.waiting.clear();
                state.is_working = false;
                drop(state);
                self.is_filled.notify_all();
                return;
            };
            drop(state);
            let vector = cache.get(&digest).or_else(|| {
                let computed = cache.compute(&***embedder, &digest, &text);
                let warn = |error: &String| {
                    tracing::warn!("a text of a skill has no vector: {error}");
                };
                computed.inspect_err(warn).ok()
            });
            self.lock().vectors.insert(digest, vector);
        }
    }
}
