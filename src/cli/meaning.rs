//! The model that finds memories by their meaning. Only a model on this machine is used; none is ever downloaded
//! unasked.

use std::{path::PathBuf, sync::Arc};

use narratoria_engine::TurnError;
use narratoria_model::{
    files::{ModelDir, ModelName, default_embedding_model},
    llm::EmbeddingModel,
};
use narratoria_protocol::TextEmbedder;
use narratoria_story::Story;

use super::{
    config::{EmbeddingChoice, UserConfig},
    settings::CliSettings,
};

/// Makes searches of a story's memories use the embedding model, if there is one. The first search loads it.
pub(super) fn search_by_meaning(
    settings: &CliSettings,
    story: &mut Story,
) -> Result<(), TurnError> {
    let home = settings.home()?;
    let Some(path) = model_path(settings)? else { return Ok(()) };
    let load = Box::new(move || {
        let model = EmbeddingModel::load(&path).map_err(|error| error.to_string())?;
        Ok(Arc::new(model) as Arc<dyn TextEmbedder>)
    });
    story.search_by_meaning(load, Some(&home.vector_cache()));
    Ok(())
}

fn model_path(settings: &CliSettings) -> Result<Option<PathBuf>, TurnError> {
    let home = settings.home()?;
    let name = match UserConfig::load(home)?.embedding {
        EmbeddingChoice::Off => return Ok(None),
        EmbeddingChoice::Model(ModelName::Path(path)) => return Ok(Some(path)),
        EmbeddingChoice::Model(ModelName::Hub(name)) => name,
        EmbeddingChoice::Default => default_embedding_model(),
    };
    Ok(ModelDir::open(home.models()).find(&name))
}
