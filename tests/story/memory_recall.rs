//! How well a search by words finds the right memory among ten thousand, and what it costs.

use std::time::{Duration, Instant};

use narratoria_protocol::{EntityId, EntityKind, Memory, MemoryQuery};
use narratoria_story::{StoreRow, Story, TurnRecord};

use super::{open, root, turn};

const NAMES: &str = "Mira Tolk Elena Marcus Bren Sable Iven Oda Ruk Fenna Halden Isolde Jory Kestrel Lune Maro Nessa Orrin \
    Petra Quill Rhea Soren Tamsin Ulric Vesna Wystan Xanthe Yorick Zella Aldous Brisa Corin Dagny Edric Farah Gideon Hester \
    Imre Juno Kaspar Liesl Morgan Niko Ottilie Pavel Ragna Sigrid Teodor Una Viktor Wilma Yara Anselm Beata Cyprian Dunya \
    Emeric Fabian Greta Hanno Ilse Jasper Katya Leopold Mathis Nadia Osric Phoebe Quentin Roswitha";
const PLACES: &str = "archive lighthouse mill cathedral quarry orchard tavern harbour observatory crypt granary bridge chapel \
    foundry market monastery greenhouse barracks aqueduct theatre";
const THINGS: &str = "lantern compass ledger dagger locket flute map mirror seal ring cloak clock chalice goblet key scroll \
    telescope tapestry sabre violin";
const FEARS: &str = "fire wolves water heights spiders thunder crowds darkness ghosts snakes";
const SKILLS: &str = "sail forge dance read heal fence hunt brew juggle pray";
const TIMES: &str = "dawn noon dusk midnight harvest midwinter";
const SECRETS: &str =
    "nightingale amber oleander quicksilver juniper saffron obsidian marigold hemlock cinnabar";

fn pick(list: &str, number: usize) -> &str {
    let words: Vec<&str> = list.split_whitespace().collect();
    words[number % words.len()]
}

/// A fact and a question that it answers; some questions have none of its words but the names.
fn fact(kind: usize, draw: &mut impl FnMut() -> usize) -> (String, String) {
    let (n, m) = (pick(NAMES, draw()), pick(NAMES, draw()));
    let (p, o, t) = (pick(PLACES, draw()), pick(THINGS, draw()), pick(TIMES, draw()));
    let (fear, skill) = (pick(FEARS, draw()), pick(SKILLS, draw()));
    let count = 2 + draw() % 90;
    match kind {
        0 => (format!("{n} keeps the {o} in the {p}."), format!("Where does {n} keep the {o}?")),
        1 => (
            format!("{n} owes {m} {count} silver coins for the {o}."),
            format!("How much money does {n} owe {m} for the {o}?"),
        ),
        2 => (
            format!("{n} is afraid of {fear} since the {p} burned."),
            format!("What has {n} been afraid of since the {p}?"),
        ),
        3 => (
            format!("{n} lost a brother at the {p} at {t}."),
            format!("Which relative did {n} lose at the {p}?"),
        ),
        4 => (
            format!("{n} promised to meet {m} at the {p} at {t}."),
            format!("When is {n} meeting {m} at the {p}, as promised?"),
        ),
        5 => (
            format!("The password that {n} set for the {p} is {}.", pick(SECRETS, draw())),
            format!("What is {n}'s password for the {p}?"),
        ),
        6 => (
            format!("{n} was seen leaving the {p} with a {o}."),
            format!("Who left the {p} carrying the {o}, was it {n}?"),
        ),
        7 => (format!("{n} taught {m} how to {skill}."), format!("What did {n} teach {m}?")),
        8 => (format!("{m} betrayed {n} over the {o}."), format!("Why was {n} betrayed by {m}?")),
        9 => (
            format!("The {o} of {n} was stolen from the {p} at {t}."),
            format!("When did a thief steal {n}'s {o}?"),
        ),
        10 => (
            format!("{n} married {m} in the {p}."),
            format!("Where was the wedding of {n} and {m}?"),
        ),
        _ => (
            format!("{n} carries a scar from a duel over the {o}."),
            format!("How did {n} get that scar from the duel?"),
        ),
    }
}

/// The same numbers each time.
fn numbers(seed: u64) -> impl FnMut() -> usize {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 40).unwrap()
    }
}

fn add(story: &mut Story, summaries: &[String], from: usize) {
    let rows = summaries.iter().enumerate().map(|(nth, summary)| {
        let id = EntityId::new(EntityKind::Memory, (from + nth) as u64);
        let memory = Memory { summary: summary.clone(), turn: 1, ..Memory::default() };
        StoreRow::entity(id, &memory)
    });
    let record = TurnRecord { store_writes: rows.collect(), ..turn("go", &[]) };
    story.commit(&record).unwrap();
}

/// Questions with the texts of the memories that answer them, and all memories.
fn dataset(memories: usize) -> (Vec<(String, String)>, Vec<String>) {
    let mut draw = numbers(7);
    let pairs: Vec<(String, String)> = (0..180).map(|nth| fact(nth % 12, &mut draw)).collect();
    let mut all: Vec<String> = pairs.iter().map(|(fact, _)| fact.clone()).collect();
    let mut draw = numbers(8);
    while all.len() < memories {
        let kind = draw() % 12;
        all.push(fact(kind, &mut draw).0);
    }
    // The right ones lie anywhere among the others.
    let mut order = numbers(9);
    for at in (1..all.len()).rev() {
        all.swap(at, order() % (at + 1));
    }
    let questions = pairs.into_iter().map(|(fact, question)| (question, fact)).collect();
    (questions, all)
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
