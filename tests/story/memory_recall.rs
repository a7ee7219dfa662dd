//! How well a search by words finds the right memory among ten thousand, and what it costs.

use std::time::{Duration, Instant};

use narratoria_protocol::{EntityId, EntityKind, Memory, MemoryQuery};
use narratoria_story::{StoreRow, Story, TurnRecord};

use super::{
    memory_dataset::{dataset, fact, numbers},
    open, root, turn,
};

fn add(story: &mut Story, summaries: &[String], from: usize) {
    let rows = summaries.iter().enumerate().map(|(nth, summary)| {
        let id = EntityId::new(EntityKind::Memory, (from + nth) as u64);
        let memory = Memory { summary: summary.clone(), turn: 1, ..Memory::default() };
        StoreRow::entity(id, &memory)
    });
    let record = TurnRecord { store_writes: rows.collect(), ..turn("go", &[]) };
    story.commit(&record).unwrap();
}

fn first_three(story: &Story, question: &str) -> Vec<String> {
    let query = MemoryQuery { words: question.to_owned(), limit: 3, ..MemoryQuery::default() };
    story.search_memories(&query).unwrap().into_iter().map(|hit| hit.memory.summary).collect()
}

/// Words alone, without an embedding model.
#[test]
fn a_search_by_words_finds_the_right_memory_among_ten_thousand() {
    let root = root();
    let mut story = open(root.path());
    let (questions, all) = dataset(10_000);
    add(&mut story, &all, 0);
    let mut missed = Vec::new();
    for (question, fact) in &questions {
        if !first_three(&story, question).contains(fact) {
            missed.push(format!("{question} -> {fact}"));
        }
    }
    let found = questions.len() - missed.len();
    eprintln!("{found} of {} in the first three\n{}", questions.len(), missed.join("\n"));
    assert!(found * 100 >= questions.len() * 90, "{found} of {}", questions.len());
}

/// `cargo test --release -p narratoria-story --test story -- --ignored --nocapture memories_cost`
#[test]
#[ignore = "it measures"]
fn memories_cost_as_much_to_add_with_many_as_with_few() {
    let root = root();
    let mut story = open(root.path());
    let (questions, all) = dataset(100_000);
    let mut count = 0;
    for size in [1_000, 10_000, 100_000] {
        for part in all[count..size].chunks(10_000) {
            add(&mut story, part, count);
            count += part.len();
        }
        let mut searches: Vec<Duration> = questions
            .iter()
            .map(|(question, _)| {
                let started = Instant::now();
                first_three(&story, question);
                started.elapsed()
            })
            .collect();
        searches.sort();
        let mut adds: Vec<Duration> = Vec::new();
        for nth in 0..50 {
            let (fact, _) = fact(nth % 12, &mut numbers(nth as u64 + 50));
            let started = Instant::now();
            // The place of a memory that is there: the count of memories stays what it is.
            add(&mut story, &[format!("{fact} Again.")], nth);
            adds.push(started.elapsed());
        }
        adds.sort();
        eprintln!(
            "{size} memories: search p50 {:?}, p95 {:?}; adding one, median {:?}",
            searches[searches.len() / 2],
            searches[searches.len() * 95 / 100],
            adds[adds.len() / 2]
        );
    }
}
