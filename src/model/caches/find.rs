//! Searches the places of all programs.

use super::{CachePlace, CacheProgram, FoundModels, cache_search::CacheSearch, folder, ollama};

/// Searches these places, which are read and never written.
pub fn find_models(places: &[CachePlace]) -> FoundModels {
    let mut search = CacheSearch::default();
    for CachePlace { program, folder } in places {
        match program {
            CacheProgram::Ollama => ollama::search(folder, &mut search),
            program => folder::search(folder, *program, &mut search),
        }
    }
    search.found
}
