//! Finds memories by their words: SQLite's full-text index gives the candidates by BM25, and the part of the query that
//! each answers is its score. If there is an embedding model, meaning finds others, and both ranks are fused.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    StoryError,
    columns::{DELETED, number, text},
    entity_query::EntityTables,
    words::{mark, stems},
};
use narratoria_protocol::{
    EntityId, EntityKind, MEMORY_LIMIT_MAX, MEMORY_QUERY_BYTES_MAX, Memory, MemoryHit, MemoryQuery,
};

/// Most different words of a query that are searched, the rarest first. The index reads every memory that has one.
const QUERY_WORDS_MAX: usize = 24;

/// Most memories that are read and ranked for one search.
const CANDIDATES_MAX: usize = 64;

/// Most words of the index that are compared with a word that it does not have.
const NEAR_WORDS_MAX: usize = 4_096;

/// The usual offset of reciprocal rank fusion: the first ranks differ, and no single one decides.
const RANK_OFFSET: f64 = 60.0;

/// A word of the query.
struct QueryWord {
    stem: String,
    /// The number of memories that have it.
    memories: u64,
}

impl EntityTables<'_> {
    pub(crate) fn search(self, query: &MemoryQuery) -> Result<Vec<MemoryHit>, StoryError> {
        let limit = query.limit.clamp(1, MEMORY_LIMIT_MAX);
        let words = self.query_words(&query.words)?;
        let marks = marks(query);
        let Some((from, to)) = self.number_range(query)? else { return Ok(Vec::new()) };
        if words.is_empty() && stems(&query.words).is_empty() {
            let mut hits = self.newest(&marks, query.superseded, (from, to), limit)?;
            hits.retain(|hit| hit.score >= query.threshold);
            return Ok(hits);
        }
        let mut hits = match words.is_empty() {
            true => Vec::new(),
            false => {
                let expression = expression(&words, &marks, query.superseded);
                let candidates = self.candidates(&expression, (from, to))?;
                rank(candidates, &words, self.count(EntityKind::Memory)? as u64)
            }
        };
        if let Some(meaning) = self.meaning {
            hits = fuse(hits, meaning.search(self.conn, self.db, query)?);
        }
        hits.retain(|hit| hit.score >= query.threshold);
        hits.truncate(limit);
        Ok(hits)
    }

    /// Returns the words of a query that the index has, exactly or nearly, so that a name with one typo is still found.
    fn query_words(self, words: &str) -> Result<Vec<QueryWord>, StoryError> {
        let bounded = words.len().min(MEMORY_QUERY_BYTES_MAX);
        let unique: BTreeSet<String> =
            stems(&words[..words.floor_char_boundary(bounded)]).into_iter().collect();
        let mut found = Vec::new();
        for stem in unique {
            match self.memories_with(&stem)? {
                0 => found.extend(self.near_word(&stem)?),
                memories => found.push(QueryWord { stem, memories }),
            }
        }
        found.sort_by(|one, other| (one.memories, &one.stem).cmp(&(other.memories, &other.stem)));
        found.dedup_by(|one, other| one.stem == other.stem);
        found.truncate(QUERY_WORDS_MAX);
        Ok(found)
    }

    fn memories_with(self, stem: &str) -> Result<u64, StoryError> {
        let sql = "SELECT doc FROM memory_vocabulary WHERE term = ?1";
        Ok(self.rows(sql, [stem], |row| number(row, "doc"))?.pop().unwrap_or(0))
    }

    /// Returns the word of the index that differs by one letter or by two swapped neighbours; of several, the one that
    /// most memories have.
    fn near_word(self, stem: &str) -> Result<Option<QueryWord>, StoryError> {
        const LETTERS_MIN: usize = 4;
        if stem.chars().count() < LETTERS_MIN || stem.chars().any(|letter| letter.is_numeric()) {
            return Ok(None);
        }
        let first: String = stem.chars().take(1).collect();
        let sql = "SELECT term, doc FROM memory_vocabulary WHERE term >= ?1 AND term < ?2 LIMIT ?3";
        let end = format!("{first}\u{10ffff}");
        let max = i64::try_from(NEAR_WORDS_MAX).unwrap_or(i64::MAX);
        let terms = self.rows(sql, (first, end, max), |row| {
            Ok((text(row, "term")?, number::<u64>(row, "doc")?))
        })?;
        let near = terms.into_iter().filter(|(term, _)| {
            term.chars().count() >= LETTERS_MIN && strsim::damerau_levenshtein(term, stem) == 1
        });
        let near = near.max_by(|one, other| (one.1, &other.0).cmp(&(other.1, &one.0)));
        Ok(near.map(|(stem, memories)| QueryWord { stem, memories }))
    }

    /// Returns the range of the numbers of memories for a range of turns. Numbers grow with the turns.
    fn number_range(self, query: &MemoryQuery) -> Result<Option<(i64, i64)>, StoryError> {
        if query.from_turn.is_none() && query.to_turn.is_none() {
            return Ok(Some((0, i64::MAX)));
        }
        let sql = "SELECT min(number) AS first, max(number) AS last FROM entity_now
                   WHERE kind = 'memory' AND value <> ?1 AND turn BETWEEN ?2 AND ?3";
        let from = i64::try_from(query.from_turn.unwrap_or(0)).unwrap_or(i64::MAX);
        let to = i64::try_from(query.to_turn.unwrap_or(u64::MAX)).unwrap_or(i64::MAX);
        let range = self.rows(sql, (DELETED, from, to), |row| {
            Ok((row.get::<_, Option<i64>>("first")?, row.get::<_, Option<i64>>("last")?))
        })?;
        Ok(range.into_iter().next().and_then(|(first, last)| first.zip(last)))
    }

    /// Returns the memories that have words of a query, best first.
    fn candidates(
        self,
        expression: &str,
        (from, to): (i64, i64),
    ) -> Result<Vec<(EntityId, Memory)>, StoryError> {
        let sql = "SELECT rowid AS number FROM memory_words
                   WHERE memory_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3
                   AND rank MATCH 'bm25(1.0, 1.0, 0.0)' ORDER BY rank, rowid DESC LIMIT ?4";
        let max = i64::try_from(CANDIDATES_MAX).unwrap_or(i64::MAX);
        let numbers: Vec<u64> =
            self.rows(sql, (expression, from, to, max), |row| number(row, "number"))?;
        self.memories(&numbers)
    }

    /// Returns the newest memories with these marks.
    fn newest(
        self,
        marks: &[String],
        superseded: bool,
        (from, to): (i64, i64),
        limit: usize,
    ) -> Result<Vec<MemoryHit>, StoryError> {
        let max = i64::try_from(limit).unwrap_or(i64::MAX);
        let numbers: Vec<u64> = if marks.is_empty() {
            let sql = "SELECT number FROM entity_now
                       WHERE kind = 'memory' AND value <> ?1 AND number BETWEEN ?2 AND ?3
                       AND (?4 OR number NOT IN (SELECT rowid FROM memory_words
                            WHERE memory_words MATCH 'marks : xsuperseded'))
                       ORDER BY number DESC LIMIT ?5";
            self.rows(sql, (DELETED, from, to, superseded, max), |row| number(row, "number"))?
        } else {
            let sql = "SELECT rowid AS number FROM memory_words WHERE memory_words MATCH ?1
                       AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid DESC LIMIT ?4";
            let expression = expression(&[], marks, superseded);
            self.rows(sql, (expression, from, to, max), |row| number(row, "number"))?
        };
        let hit = |(id, memory)| MemoryHit { id, memory, score: 1.0 };
        Ok(self.memories(&numbers)?.into_iter().map(hit).collect())
    }

    fn memories(self, numbers: &[u64]) -> Result<Vec<(EntityId, Memory)>, StoryError> {
        let mut found = Vec::with_capacity(numbers.len());
        for number in numbers {
            let id = EntityId::new(EntityKind::Memory, *number);
            if let Some(text) = self.get(id)? {
                let stored = self.parse::<Memory>((id, text))?;
                found.push((id, stored.value));
            }
        }
        Ok(found)
    }
}

/// Returns the marks that a memory must have, as terms of the index: one of the types, each tag, each entity.
fn marks(query: &MemoryQuery) -> Vec<String> {
    let types: Vec<String> =
        query.entity_types.iter().map(|word| format!("\"{}\"", mark('k', word))).collect();
    let types = (!types.is_empty()).then(|| format!("({})", types.join(" OR ")));
    let tags = query.tags.iter().map(|tag| format!("\"{}\"", mark('t', tag)));
    let entities = query.entities.iter().map(|id| format!("\"{}\"", mark('e', &id.to_string())));
    let pinned = query.pinned.then(|| "xpinned".to_owned());
    types.into_iter().chain(tags).chain(entities).chain(pinned).collect()
}

/// Returns the query in the language of the index. Every word is quoted, and no mark has a quote.
fn expression(words: &[QueryWord], marks: &[String], superseded: bool) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"{}\"", word.stem)).collect();
    let words =
        (!words.is_empty()).then(|| format!("{{summary about}} : ({})", words.join(" OR ")));
    let marks = marks.iter().map(|mark| format!("marks : {mark}"));
    let all: Vec<String> = words.into_iter().chain(marks).collect();
    let all = all.join(" AND ");
    if superseded { all } else { format!("({all}) NOT marks : xsuperseded") }
}

/// Sorts candidates by how much of the query they answer; among equals the order of the index stays. A rare word counts
/// more than a common one.
fn rank(candidates: Vec<(EntityId, Memory)>, words: &[QueryWord], memories: u64) -> Vec<MemoryHit> {
    let weights: BTreeMap<&str, f64> =
        words.iter().map(|word| (word.stem.as_str(), rarity(word.memories, memories))).collect();
    let whole: f64 = weights.values().sum();
    let score = |memory: &Memory| {
        let own = [memory.summary.as_str(), &memory.place].into_iter();
        let own: BTreeSet<String> =
            own.chain(memory.tags.iter().map(String::as_str)).flat_map(stems).collect();
        let answered = weights.iter().filter(|(stem, _)| own.contains(**stem));
        let answered: f64 = answered.map(|(_, weight)| weight).sum();
        if whole > 0.0 { (answered / whole).clamp(0.0, 1.0) } else { 0.0 }
    };
    let mut hits: Vec<MemoryHit> = candidates
        .into_iter()
        .map(|(id, memory)| MemoryHit { score: score(&memory), id, memory })
        .collect();
    hits.sort_by(|one, other| other.score.total_cmp(&one.score));
    hits
}

/// Merges the results of words and meaning by reciprocal ranks: a memory that both have found precedes one that only
/// one has found. The score of a memory is the better of its two.
fn fuse(words: Vec<MemoryHit>, meaning: Vec<MemoryHit>) -> Vec<MemoryHit> {
    if meaning.is_empty() {
        return words;
    }
    let mut fused: BTreeMap<EntityId, (f64, MemoryHit)> = BTreeMap::new();
    for hits in [words, meaning] {
        for (rank, hit) in (0_u32..).zip(hits) {
            let worth = 1.0 / (RANK_OFFSET + f64::from(rank));
            let (sum, known) = fused.entry(hit.id).or_insert_with(|| (0.0, hit.clone()));
            *sum += worth;
            known.score = known.score.max(hit.score);
        }
    }
    let mut fused: Vec<(f64, MemoryHit)> = fused.into_values().collect();
    fused.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.id.cmp(&one.1.id)));
    fused.into_iter().map(|(_, hit)| hit).collect()
}

/// Returns how much a word distinguishes a memory, as in BM25.
fn rarity(with_word: u64, memories: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "some hundred thousand at most")]
    let (with_word, memories) = (with_word as f64, memories.max(with_word) as f64);
    (1.0 + (memories - with_word + 0.5) / (with_word + 0.5)).ln()
}
