//! The model of sentence vectors, which finds memories and skills by their meaning: one of this machine, or the one that
//! the program carries. None is ever downloaded unasked.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use narratoria_engine::{TurnError, VectorComparer};
use narratoria_kit::check::CheckMeaning;
use narratoria_model::{
    files::{ModelDir, ModelName, default_embedding_model},
    llm::{EmbeddingModel, ModelPurpose},
};
use narratoria_narrator::ScriptIndex;
use narratoria_protocol::TextEmbedder;
use narratoria_sandbox::TextComparer;
use narratoria_skills::read_outside;
use narratoria_story::Story;
use narratoria_vectors::EmbedderLoader;

use super::{
    config::{EmbeddingChoice, UserConfig},
    model_trial,
    settings::CliSettings,
};

/// The model that `make build` puts into the program; empty in a build without it.
#[cfg(has_embedding_model)]
const EMBEDDED_MODEL: &[u8] = include_bytes!(env!("NARRATORIA_EMBEDDING_MODEL_FILE"));
#[cfg(not(has_embedding_model))]
const EMBEDDED_MODEL: &[u8] = &[];

/// The name of its copy.
const EMBEDDED_FILE: &str = "all-MiniLM-L6-v2.gguf";

/// Why no text has a vector.
const NO_MODEL: &str = "this program was built without a model of sentence vectors, and there is none on this machine; \
     `narratoria model pull all-minilm-l6-v2` fetches one";

/// A loaded model, which all that need it share, and its file.
type LoadedEmbedder = (PathBuf, Arc<dyn TextEmbedder>);

static LOADED: Mutex<Option<LoadedEmbedder>> = Mutex::new(None);

/// Makes searches of a story's memories use the embedding model, if there is one. The first search loads it.
pub(super) fn search_by_meaning(
    settings: &CliSettings,
    story: &mut Story,
) -> Result<(), TurnError> {
    let home = settings.home()?;
    if let Some(load) = embedder_loader(settings)? {
        story.search_by_meaning(load, Some(&home.vector_cache()));
    }
    Ok(())
}

/// The index that finds skills by the meaning of their texts; `None` if there is no model for it.
pub(super) fn script_index(settings: &CliSettings) -> Result<Option<ScriptIndex>, TurnError> {
    let Some(load) = embedder_loader(settings)? else { return Ok(None) };
    Ok(Some(ScriptIndex::new(load, Some(&settings.home()?.vector_cache()))))
}

/// How `skill check` looks up sentences. A check needs no settings of a player, so what is wrong with them is a reason to
/// leave this part out.
pub(super) fn check_meaning(settings: &CliSettings) -> CheckMeaning {
    let found =
        embedder_loader(settings).and_then(|load| Ok((load, settings.home()?.vector_cache())));
    match found {
        Ok((Some(load), cache)) => CheckMeaning::Model { load: Arc::new(load), cache: Some(cache) },
        Ok((None, _)) => CheckMeaning::Absent { why: NO_MODEL.to_owned() },
        Err(error) => CheckMeaning::Absent { why: error.to_string() },
    }
}

/// Compares texts for scripts; `None` if there is no model for it.
pub(super) fn text_comparer(
    settings: &CliSettings,
) -> Result<Option<Arc<dyn TextComparer>>, TurnError> {
    let Some(load) = embedder_loader(settings)? else { return Ok(None) };
    let cache = settings.home()?.vector_cache();
    Ok(Some(Arc::new(VectorComparer::new(load, Some(&cache)))))
}

/// A model on this machine.
enum ModelPlace {
    File(PathBuf),
    /// In the program, to be copied into this folder: llama.cpp reads files.
    Embedded {
        folder: PathBuf,
    },
}

fn embedder_loader(settings: &CliSettings) -> Result<Option<EmbedderLoader>, TurnError> {
    let Some(place) = model_place(settings)? else { return Ok(None) };
    let trial = model_trial::of(settings);
    let load = move || {
        let (path, trial) = match &place {
            ModelPlace::File(path) => (path.clone(), trial.as_ref()),
            ModelPlace::Embedded { folder } => (copied(folder)?, None),
        };
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, model)) = loaded.as_ref().filter(|(of, _)| *of == path) {
            return Ok(Arc::clone(model));
        }
        let checked = trial.map_or(Ok(()), |it| it.check(&path, ModelPurpose::Embeddings));
        let model = checked.and_then(|()| EmbeddingModel::load(&path));
        let model = model.map_err(|error| error.to_string())?;
        let model: Arc<dyn TextEmbedder> = Arc::new(model);
        *loaded = Some((path, Arc::clone(&model)));
        Ok(model)
    };
    Ok(Some(Box::new(load)))
}

fn model_place(settings: &CliSettings) -> Result<Option<ModelPlace>, TurnError> {
    let home = settings.home()?;
    let name = match UserConfig::load(home)?.embedding {
        EmbeddingChoice::Off => return Ok(None),
        EmbeddingChoice::Model(ModelName::Path(path)) => return Ok(Some(ModelPlace::File(path))),
        EmbeddingChoice::Model(ModelName::Hub(name)) => name,
        // The configuration refuses one.
        EmbeddingChoice::Model(ModelName::Server(_)) => return Ok(None),
        EmbeddingChoice::Default if EMBEDDED_MODEL.is_empty() => default_embedding_model(),
        EmbeddingChoice::Default => {
            return Ok(Some(ModelPlace::Embedded { folder: home.embedded_models() }));
        }
    };
    let found = ModelDir::open(home.models()).find(&name).map(ModelPlace::File);
    if found.is_none() {
        tracing::info!("{NO_MODEL}");
    }
    Ok(found)
}

/// The file with the embedded model, which is written if it is not there or damaged.
fn copied(folder: &Path) -> Result<PathBuf, String> {
    let path = folder.join(EMBEDDED_FILE);
    if read_outside(&path, EMBEDDED_MODEL.len() as u64).is_ok_and(|bytes| bytes == EMBEDDED_MODEL) {
        return Ok(path);
    }
    let write = || {
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(EMBEDDED_MODEL)?;
        file.persist(&path).map_err(|error| error.error)?;
        Ok::<_, std::io::Error>(())
    };
    write().map_err(|error| format!("`{}` cannot be written: {error}", path.display()))?;
    Ok(path)
}
