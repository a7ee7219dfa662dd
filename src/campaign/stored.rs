//! Reads the documents of a compiled campaign that came with a story from elsewhere, as the scripts of a turn read them.

use narratoria_protocol::{
    CompiledCampaign, LORE_DOCUMENT, LoreEntry, PEOPLE_DOCUMENT, PersonEntry, StrictJsonError,
};
use narratoria_story_view::{CONDITIONS_DOCUMENT, CompiledConditions};
use plot_skill::document::{
    GATES_DOCUMENT, GatesDocument, PLOT_DOCUMENT, PlotDocument, TextsDocument, texts_document,
};
use serde::de::DeserializeOwned;
use understanding::wordings::check_world;
use world_model::definition::WorldDefinition;

use crate::compile::WORLD_DOCUMENT;

/// Checks that a story can be played with a compiled campaign. The error is a sentence about one document.
pub fn check_stored(campaign: &CompiledCampaign) -> Result<(), String> {
    let world = read::<WorldDefinition>(campaign, WORLD_DOCUMENT)?
        .ok_or_else(|| format!("its campaign has no `{WORLD_DOCUMENT}`"))?;
    if world.places.is_empty() {
        return Err(format!("`{WORLD_DOCUMENT}` of its campaign has no place"));
    }
    if let Some(fault) = check_world(&world).err().into_iter().flatten().next() {
        return Err(format!("`{WORLD_DOCUMENT}` of its campaign: {}", fault.message));
    }
    read::<CompiledConditions>(campaign, CONDITIONS_DOCUMENT)?;
    read::<PlotDocument>(campaign, PLOT_DOCUMENT)?;
    campaign.start().map_err(|error| unreadable(PLOT_DOCUMENT, &error))?;
    read::<Vec<LoreEntry>>(campaign, LORE_DOCUMENT)?;
    read::<Vec<PersonEntry>>(campaign, PEOPLE_DOCUMENT)?;
    let gates = read::<GatesDocument>(campaign, GATES_DOCUMENT)?.unwrap_or_default();
    if gates.storylets.iter().any(|storylet| storylet.deck >= gates.decks.len()) {
        return Err(format!("a storylet in `{GATES_DOCUMENT}` of its campaign has no deck"));
    }
    for deck in &gates.decks {
        let path = texts_document(&deck.id);
        read::<TextsDocument>(campaign, &path)?
            .ok_or_else(|| format!("its campaign has no `{path}`"))?;
    }
    Ok(())
}

fn read<T: DeserializeOwned>(campaign: &CompiledCampaign, path: &str) -> Result<Option<T>, String> {
    campaign.read(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &str, error: &StrictJsonError) -> String {
    format!("`{path}` of its campaign cannot be read: {error}")
}
