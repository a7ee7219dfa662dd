//! Joins the memories that the story has found with those that the running plan has added. Pure.

use std::cmp::Reverse;

use narratoria_protocol::{EntityId, Memory, MemoryHit, MemoryQuery};

use crate::story_memory::stems;

/// Ranks both by their scores, newer ones before older equals among the added ones.
pub(super) fn merge_hits(
    query: &MemoryQuery,
    base: Vec<MemoryHit>,
    added: Vec<(EntityId, Memory)>,
) -> Vec<MemoryHit> {
    let wanted = stems(&query.words);
    let mut hits: Vec<MemoryHit> = added
        .into_iter()
        .filter(|(_, memory)| fits(query, memory))
        .map(|(id, memory)| MemoryHit { score: score(&wanted, &memory), id, memory })
        .filter(|hit| hit.score > 0.0 && hit.score >= query.threshold)
        .collect();
    hits.sort_by_key(|hit| Reverse(hit.id));
    // The sort below is stable: what was added comes before what is as good.
    hits.extend(base);
    hits.sort_by(|one, other| other.score.total_cmp(&one.score));
    hits.truncate(query.limit);
    hits
}

fn score(wanted: &[String], memory: &Memory) -> f64 {
    if wanted.is_empty() {
        return 1.0;
    }
    let texts = [memory.summary.as_str(), &memory.place].into_iter();
    let own: Vec<String> =
        texts.chain(memory.tags.iter().map(String::as_str)).flat_map(stems).collect();
    let answered = wanted.iter().filter(|stem| own.contains(stem)).count();
    #[expect(clippy::cast_precision_loss, reason = "a query has some hundred words at most")]
    let score = answered as f64 / wanted.len() as f64;
    score
}

fn fits(query: &MemoryQuery, memory: &Memory) -> bool {
    let has = |words: &[String], word: &String| {
        words.iter().any(|own| own.to_lowercase() == word.to_lowercase())
    };
    (query.entity_types.is_empty()
        || query.entity_types.iter().any(|word| has(&memory.entity_types, word)))
        && query.tags.iter().all(|tag| has(&memory.tags, tag))
        && query.entities.iter().all(|id| memory.entities.contains(id))
        && query.from_turn.is_none_or(|turn| memory.turn >= turn)
        && query.to_turn.is_none_or(|turn| memory.turn <= turn)
        && (!query.pinned || memory.pinned)
        && (query.superseded || memory.superseded_by.is_none())
}
