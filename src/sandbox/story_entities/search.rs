//! Merges the memories that the story has found with those that the running plan has added. Pure.

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
        .filter(|(_, memory)| query.allows(memory))
        .map(|(id, memory)| MemoryHit { score: score(&wanted, &memory), id, memory })
        .filter(|hit| hit.score > 0.0 && hit.score >= query.threshold)
        .collect();
    hits.sort_by(|one, other| other.score.total_cmp(&one.score).then(other.id.cmp(&one.id)));
    // The story's order stays, because it depends on more than the scores.
    let mut merged = Vec::with_capacity(hits.len() + base.len());
    let mut added = hits.into_iter().peekable();
    for hit in base {
        while let Some(better) = added.next_if(|one| one.score >= hit.score) {
            merged.push(better);
        }
        merged.push(hit);
    }
    merged.extend(added);
    merged.truncate(query.limit);
    merged
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
