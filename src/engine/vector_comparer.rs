//! Compares texts for scripts, by their vectors.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use narratoria_protocol::{TextEmbedder, digest};
use narratoria_sandbox::{TextComparer, TextModelError};
use narratoria_vectors::{EmbedderLoader, TextVector, VectorCache};

/// Loads the embedding model at the first comparison, and keeps every vector.
pub struct VectorComparer {
    load: EmbedderLoader,
    cache_folder: Option<PathBuf>,
    /// The error says why there is no model.
    loaded: OnceLock<Result<LoadedVectors, String>>,
}

struct LoadedVectors {
    embedder: Arc<dyn TextEmbedder>,
    cache: Mutex<VectorCache>,
}

impl fmt::Debug for VectorComparer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorComparer").finish_non_exhaustive()
    }
}

impl VectorComparer {
    /// `cache` is a folder for vectors; without it they are kept in memory.
    pub fn new(load: EmbedderLoader, cache: Option<&Path>) -> VectorComparer {
        VectorComparer { load, cache_folder: cache.map(Path::to_owned), loaded: OnceLock::new() }
    }

    fn loaded(&self) -> Result<&LoadedVectors, TextModelError> {
        let loaded = self.loaded.get_or_init(|| {
            let embedder = (self.load)()?;
            let cache = VectorCache::open(self.cache_folder.as_deref(), embedder.id());
            Ok(LoadedVectors { embedder, cache: Mutex::new(cache) })
        });
        loaded.as_ref().map_err(|why| TextModelError::Unavailable { reason: why.clone() })
    }
}

impl LoadedVectors {
    /// The lock is held for one text, so that two invocations take turns.
    fn vector(&self, text: &str) -> Result<TextVector, TextModelError> {
        let digest = digest::sha256(text.as_bytes());
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        match cache.get(&digest) {
            Some(vector) => Ok(vector),
            None => cache
                .compute(&*self.embedder, &digest, text)
                .map_err(|reason| TextModelError::Failed { reason }),
        }
    }
}

impl TextComparer for VectorComparer {
    fn compare(
        &self,
        text: &str,
        others: &[String],
        time: Duration,
    ) -> Result<Vec<f32>, TextModelError> {
        let deadline = Instant::now() + time;
        let loaded = self.loaded()?;
        let of_text = loaded.vector(text)?;
        let cosine = |other: &String| {
            if Instant::now() >= deadline {
                return Err(TextModelError::TimedOut);
            }
            let cosine = match loaded.vector(other) {
                Ok(vector) => of_text.cosine(&vector),
                // One text without a vector does not hinder the others.
                Err(error) => {
                    tracing::info!("a text is compared with nothing: {error}");
                    0.0
                }
            };
            #[expect(clippy::cast_possible_truncation, reason = "-1 to 1")]
            Ok(cosine as f32)
        };
        others.iter().map(cosine).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts the letters `a` and `b`.
    #[derive(Default)]
    struct LetterEmbedder(AtomicUsize);

    impl TextEmbedder for LetterEmbedder {
        fn id(&self) -> &str {
            "letters"
        }

        fn embed(&self, text: &str) -> Result<Vec<f32>, String> {
            self.0.fetch_add(1, Ordering::Relaxed);
            if text.contains('!') {
                return Err("it shouts".to_owned());
            }
            let count = |letter| f32::from(u8::try_from(text.matches(letter).count()).unwrap());
            Ok(vec![count('a'), count('b')])
        }
    }

    fn comparer(embedder: &Arc<LetterEmbedder>) -> VectorComparer {
        let embedder = Arc::clone(embedder);
        VectorComparer::new(Box::new(move || Ok(Arc::clone(&embedder) as _)), None)
    }

    const TIME: Duration = Duration::from_secs(60);

    #[test]
    fn each_text_gets_its_cosine_and_each_vector_is_computed_once() {
        let embedder = Arc::default();
        let comparer = comparer(&embedder);
        let others = ["aa".to_owned(), "bb".to_owned(), "ab".to_owned(), "aa".to_owned()];
        for _ in 0..2 {
            let cosines = comparer.compare("a", &others, TIME).unwrap();
            let rounded: Vec<f32> = cosines.iter().map(|it| (it * 100.0).round()).collect();
            assert_eq!(rounded, [100.0, 0.0, 71.0, 100.0]);
        }
        assert_eq!(embedder.0.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn a_text_without_a_vector_is_near_to_nothing() {
        let embedder = Arc::default();
        let others = ["a!".to_owned(), "a".to_owned()];
        assert_eq!(comparer(&embedder).compare("a", &others, TIME).unwrap(), [0.0, 1.0]);
    }

    #[test]
    fn what_hinders_a_comparison_has_a_name() {
        let embedder = Arc::default();
        let others = ["b".to_owned()];
        let late = comparer(&embedder).compare("a", &others, Duration::ZERO);
        assert_eq!(late, Err(TextModelError::TimedOut));
        let failed = comparer(&embedder).compare("a!", &others, TIME);
        assert_eq!(failed.unwrap_err().to_string(), "it shouts");
        let none = VectorComparer::new(Box::new(|| Err("there is none".to_owned())), None);
        let reason = "there is none".to_owned();
        let unavailable = Err(TextModelError::Unavailable { reason });
        assert_eq!(none.compare("a", &others, TIME), unavailable);
    }
}
