//! Characters, places, relationships, scenes, loops and memories: as of the head, after undo, on branches, within limits.

use narratoria_protocol::{
    Character, ENTITY_OWNER, Entity, EntityId, EntityKind, Importance, Location, LoopStatus,
    Memory, MemoryQuery, Novel, OpenLoop, Relationship, Scene, TickRecord,
};
use narratoria_story::{
    BranchName, MemoryEdit, StoreRow, Story, StoryError, TurnOutcome, TurnRecord,
};
use proptest::prelude::*;

use super::{message, open, root, turn};

fn id(text: &str) -> EntityId {
    text.parse().unwrap()
}

fn with(rows: Vec<StoreRow>) -> TurnRecord {
    TurnRecord { store_writes: rows, ..turn("go", &[]) }
}

fn put<T: Entity>(at: &str, value: &T) -> StoreRow {
    StoreRow::entity(id(at), value)
}

fn character(name: &str) -> Character {
    Character { name: name.to_owned(), ..Character::default() }
}

fn memory(summary: &str, turn: u64) -> Memory {
    Memory { summary: summary.to_owned(), turn, ..Memory::default() }
}

fn relationship(one: &str, other: &str) -> Relationship {
    Relationship {
        character_a: id(one),
        character_b: id(other),
        relationship_type: "mentor".to_owned(),
        status: "strained".to_owned(),
        intensity: 7,
        perspective_a: "He hides something.".to_owned(),
        perspective_b: "She is not ready.".to_owned(),
        history: Vec::new(),
    }
}

fn found(story: &Story, query: &MemoryQuery) -> String {
    let hits = story.search_memories(query).unwrap();
    let hits = hits.iter().map(|hit| format!("{} {:.2} {}", hit.id, hit.score, hit.memory.summary));
    hits.collect::<Vec<_>>().join("\n")
}

fn words(words: &str) -> MemoryQuery {
    MemoryQuery { words: words.to_owned(), limit: 9, ..MemoryQuery::default() }
}

/// Everything that the story has, one line each.
fn all(story: &Story) -> String {
    let names: Vec<String> = story
        .entities::<Character>()
        .unwrap()
        .into_iter()
        .map(|one| format!("{} {}", one.id, one.value.name))
        .collect();
    let memories = found(story, &MemoryQuery { limit: 32, ..MemoryQuery::default() });
    format!("{}\n{memories}", names.join(", "))
}

/// S4 "open loops", "Context builder gathers all necessary information": what the context of a tick reads.
#[test]
fn a_story_keeps_people_places_relationships_scenes_and_loops() {
    let root = root();
    let mut story = open(root.path());
    assert_eq!(story.novel().unwrap(), Novel::default());
    let elena = Character { role: "cartographer".to_owned(), ..character("Elena") };
    let archive = Location { name: "Archive".to_owned(), ..Location::default() };
    story
        .commit(&with(vec![
            put("C0", &elena),
            put("C1", &character("Marcus")),
            put("L0", &archive),
        ]))
        .unwrap();
    let scene = Scene { title: "The map".to_owned(), tick: 1, ..Scene::default() };
    let open_loop = |text: &str, importance, created_tick| OpenLoop {
        description: text.to_owned(),
        category: "mystery".to_owned(),
        importance,
        status: LoopStatus::Open,
        created_in_scene: Some(id("S001")),
        created_tick,
        resolved_in_scene: None,
        resolution: None,
        characters: vec![id("C0")],
    };
    let novel = Novel { current_tick: 12, active_character: Some(id("C0")), ..Novel::default() };
    let tick = TickRecord {
        scene: Some(id("S001")),
        plan_file: "{}\n".to_owned(),
        ..TickRecord::default()
    };
    let rows = vec![
        put("R0", &relationship("C0", "C1")),
        put("S001", &scene),
        put("OL0", &open_loop("Who tore the map?", Importance::Medium, 0)),
        put("OL1", &open_loop("Where is father?", Importance::High, 3)),
        put("OL2", &open_loop("The bell", Importance::Medium, 11)),
        put("N0", &novel),
        put("T12", &tick),
    ];
    let ticked = TurnRecord { outcome: TurnOutcome::Ticked, ..with(rows) };
    story.commit(&ticked).unwrap();

    let story = open(root.path());
    assert_eq!(story.entity::<Character>(id("C0")).unwrap(), Some(elena));
    assert_eq!(story.entity_named(EntityKind::Character, "ELENA").unwrap(), Some(id("C0")));
    let of_marcus = story.relationships_of(id("C1")).unwrap();
    assert_eq!(of_marcus[0].value.other(id("C1")), Some(id("C0")));
    assert_eq!(of_marcus[0].value.perspective(id("C1")), "She is not ready.");
    assert_eq!(story.scene_of_tick(1).unwrap().unwrap().id, id("S001"));
    assert_eq!(story.novel().unwrap(), novel);
    assert_eq!(story.last_entities::<TickRecord>(1).unwrap()[0].value, tick);
    // Ageing: the medium loop of tick 0 outweighs the medium one of tick 11, and the high one outweighs both.
    let loops = story.open_loops().unwrap();
    let loops: Vec<String> =
        loops.iter().map(|(one, weight)| format!("{} {weight}", one.id)).collect();
    assert_eq!(loops, ["OL1 39", "OL0 32", "OL2 21"]);
    assert_eq!(story.next_entity_id(EntityKind::Scene).unwrap(), id("S002"));
    assert_eq!(story.next_entity_id(EntityKind::Memory).unwrap(), id("M0"));
    assert_eq!(story.log(story.head(), 1).unwrap()[0].outcome, TurnOutcome::Ticked);
    assert_eq!(story.verify().unwrap(), Vec::<String>::new());
}

#[test]
fn what_cannot_be_right_is_refused_and_changes_nothing() {
    let root = root();
    let mut story = open(root.path());
    story.commit(&with(vec![put("C0", &character("Elena"))])).unwrap();
    let raw = |key: &str, text: &str| StoreRow {
        skill: ENTITY_OWNER.to_owned(),
        key: key.to_owned(),
        value: Some(text.to_owned()),
    };
    let wrong = [
        raw("Elena", "{}"),
        raw("C1", "{}"),
        raw("C1", "no JSON"),
        put("C1", &character("ELENA")),
        put("R0", &relationship("C0", "C9")),
        put("M0", &memory(&"long ".repeat(4_000), 1)),
    ];
    let errors: Vec<String> = wrong
        .into_iter()
        .map(|row| message(root.path(), &story.commit(&with(vec![row])).unwrap_err()))
        .collect();
    insta::assert_snapshot!(errors.join("\n"));
    assert_eq!((story.turns(), all(&story)), (1, "C0 Elena\n".to_owned()));
}

/// docs/stories.md, "Going back": undo rewinds everything together.
#[test]
fn memories_and_people_go_back_and_forth_with_the_turns() {
    let root = root();
    let mut story = open(root.path());
    let mut seen = vec![all(&story)];
    let turns = [
        vec![put("C0", &character("Elena")), put("M0", &memory("Elena found a brass key.", 1))],
        vec![put("M1", &memory("The key opens the old tower.", 2))],
        vec![StoreRow::entity_deleted(id("M0")), put("C0", &character("Elena Voss"))],
    ];
    for rows in turns {
        story.commit(&with(rows)).unwrap();
        seen.push(all(&story));
    }
    for back in 1..=3 {
        story.undo(1).unwrap();
        assert_eq!(all(&story), seen[3 - back]);
        assert_eq!(story.verify().unwrap(), Vec::<String>::new());
    }
    assert_eq!(found(&story, &words("key")), "");
    story.redo(3).unwrap();
    assert_eq!(all(&story), seen[3]);
    // Another branch has its own memories, and gives the same ids again.
    story.create_branch(&BranchName::parse("other").unwrap(), None).unwrap();
    story.undo(2).unwrap();
    story.commit(&with(vec![put("M1", &memory("The key is a toy.", 2))])).unwrap();
    assert_eq!(
        found(&story, &words("toy key")),
        "M1 1.00 The key is a toy.\nM0 0.21 Elena found a brass key."
    );
    story.switch(&BranchName::parse("other").unwrap()).unwrap();
    assert_eq!(all(&open(root.path())), seen[3]);
    assert_eq!(found(&story, &words("toy")), "");
    // An id is not given twice on one line.
    assert_eq!(story.next_entity_id(EntityKind::Memory).unwrap(), id("M2"));
}

/// S4 "memory.search": also by the kind of what a memory concerns, and up to a limit.
#[test]
fn a_search_takes_words_and_filters() {
    let root = root();
    let mut story = open(root.path());
    let people = vec![put("C0", &character("Mira")), put("C1", &character("Tolk"))];
    story.commit(&with(people)).unwrap();
    let mut rows = Vec::new();
    for (number, summary, entity, tags, turn) in [
        (0, "Mira keeps the ferry.", "C0", vec!["person"], 2),
        (1, "The ferry leaves at dawn.", "C0", vec!["time", "ferry"], 3),
        (2, "The ferryman's name is Tolk.", "C1", vec!["person"], 3),
        (3, "Mira owes Tolk a song.", "C1", vec!["debt"], 4),
        (4, "It rains in the valley.", "C0", vec![], 5),
        (5, "Mira owes Tolk two songs.", "C1", vec!["debt"], 6),
    ] {
        let memory = Memory {
            entities: vec![id(entity)],
            entity_types: vec!["character".to_owned()],
            tags: tags.into_iter().map(str::to_owned).collect(),
            pinned: number == 4,
            superseded_by: (number == 3).then(|| id("M5")),
            ..memory(summary, turn)
        };
        rows.push(put(&format!("M{number}"), &memory));
    }
    story.commit(&with(rows)).unwrap();
    let mut text = String::new();
    let mut show = |what: &str, query: &MemoryQuery| {
        text += &format!("{what}\n{}\n\n", found(&story, query));
    };
    show("rare words first", &words("Who is Mira of the ferries?"));
    show("stems", &words("raining"));
    show("a slip in a name", &words("Mria"));
    show("no such word", &words("dragons"));
    show("no word: the newest", &MemoryQuery { limit: 2, ..words("the") });
    show("superseded too", &MemoryQuery { superseded: true, ..words("owes a song") });
    show("tag", &MemoryQuery { tags: vec!["PERSON".to_owned()], ..words("ferry tolk") });
    show("type", &MemoryQuery { entity_types: vec!["location".to_owned()], ..words("ferry") });
    show("entity", &MemoryQuery { entities: vec![id("C1")], ..words("") });
    show("turns", &MemoryQuery { from_turn: Some(3), to_turn: Some(4), ..words("ferry") });
    show("threshold", &MemoryQuery { threshold: 0.9, ..words("ferry dawn") });
    show("pinned", &MemoryQuery { pinned: true, ..words("") });
    insta::assert_snapshot!(text);
    let pinned = story.pinned_memories().unwrap();
    assert_eq!(pinned.iter().map(|one| one.id).collect::<Vec<_>>(), [id("M4")]);
}

#[test]
fn the_player_changes_memories_and_undo_takes_it_back() {
    let root = root();
    let mut story = open(root.path());
    story.commit(&with(vec![put("M0", &memory("Mira keeps the ferry.", 1))])).unwrap();
    story.edit_memory(id("M0"), &MemoryEdit::Pin(true), super::at(3)).unwrap();
    story.edit_memory(id("M0"), &MemoryEdit::Reword("Mira sold the ferry."), super::at(4)).unwrap();
    assert_eq!(story.pinned_memories().unwrap()[0].value.summary, "Mira sold the ferry.");
    assert_eq!(story.log(story.head(), 1).unwrap()[0].outcome, TurnOutcome::Edited);
    story.edit_memory(id("M0"), &MemoryEdit::Forget, super::at(5)).unwrap();
    assert_eq!(all(&story), "\n");
    story.undo(3).unwrap();
    assert_eq!(all(&story), "\nM0 1.00 Mira keeps the ferry.");
    assert!(story.pinned_memories().unwrap().is_empty());
    let error = story.edit_memory(id("M7"), &MemoryEdit::Forget, super::at(6)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the entity `M7` cannot be stored: there is no such memory; `/memory` lists them"
    );
}

#[test]
fn a_full_memory_says_what_to_do() {
    let error = StoryError::TooManyEntities { kind: "memory", count: 100_001, limit: 100_000 };
    insta::assert_snapshot!(error.to_string());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Whatever is played, undone and played again, the tables are what the turns have written.
    #[test]
    fn any_way_through_the_tree_leaves_what_its_turns_have_written(
        moves in prop::collection::vec((0..4_u8, 0..6_u64, "[x-z]{2}"), 1..14),
    ) {
        let root = root();
        let mut story = open(root.path());
        for (kind, number, word) in moves {
            let at = format!("M{number}");
            match kind {
                0 => drop(story.commit(&with(vec![put(&at, &memory(&word, 1))])).unwrap()),
                1 => drop(story.commit(&with(vec![StoreRow::entity_deleted(id(&at))])).unwrap()),
                2 if story.turns() > 0 => drop(story.undo(1).unwrap()),
                3 if story.redoable().unwrap() > 0 => drop(story.redo(1).unwrap()),
                _ => {}
            }
            prop_assert_eq!(story.verify().unwrap(), Vec::<String>::new());
            for hit in story.search_memories(&words(&word)).unwrap() {
                prop_assert!(hit.memory.summary == word || hit.score < 1.0);
            }
        }
    }
}
