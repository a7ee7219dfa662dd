//! A stranger's skill fills the people, places and memories of a story. Each step that passes a limit fails by itself, the
//! built-in skills go on, and there are ways back.

use std::collections::BTreeSet;

use narratoria_engine::{Session, SessionSetup};
use narratoria_protocol::{
    Character, ENTITIES_BYTES_MAX, ENTITIES_MAX, Entity, EntityId, EntityKind, EntityReader,
    Location, PINNED_MAX, Relationship, TickRecord,
};
use narratoria_sandbox::PINNED_OF_SKILL_MAX;
use narratoria_skills::{self as skills, PackageRoot};
use narratoria_story::{
    RepairRequest, StoreRow, Story, StoryName, StoryRepair, TurnOutcome, TurnRecord,
};
use serde_json::{Value, json};

use super::support::{
    TurnStage, clock_and_ids, narrated, open_story, options, plans_of, play, prepare, scripted,
    tool, with,
};

/// The part of each limit that strangers cannot use is an eighth.
const fn for_strangers(limit: usize) -> usize {
    limit - limit / 8
}

fn stage() -> TurnStage {
    let grants = json!({"scripts": [{"grants": {"memory": true}, "timeout": 60_000}]});
    TurnStage::new(&[("stranger", "populates", grants)])
}

/// A session over the built-in skills and those of the stage. Each plan is that of a turn.
fn session(stage: &TurnStage, plans: &[Vec<Value>]) -> Session {
    let roots =
        [narratoria_built_in::built_in(), PackageRoot::Folder(stage.skills.path().to_owned())];
    let loaded = skills::load(&roots);
    assert!(loaded.problems.is_empty(), "{:#?}", loaded.problems);
    let mut catalog = loaded.catalog;
    let story = open_story(stage.home.path());
    let scripts = prepare(&mut catalog, &story);
    let plans: Vec<Value> = plans.iter().map(|steps| narrated(json!(steps), "Told.")).collect();
    Session::open(SessionSetup {
        catalog,
        problems: Vec::new(),
        scripts,
        planner: Box::new(scripted(json!(plans))),
        story,
        clock_and_ids: clock_and_ids(),
        options: options(),
    })
}

/// A step that may fail.
fn step(id: &str, path: &str, input: Value) -> Value {
    with(tool(id, path, &[]), json!({"input": input, "required": false}))
}

/// The stranger makes so many, the first with this number in its name.
fn makes(id: &str, kind: &str, from: usize, count: usize, bytes: usize) -> Value {
    let batch = json!({"kind": kind, "from": from, "count": count, "bytes": bytes});
    step(id, "stranger/populates", json!({ "make": [batch] }))
}

fn pins(id: &str, count: usize) -> Value {
    let batch = json!({"kind": "memory", "count": count, "pinned": true});
    step(id, "stranger/populates", json!({ "make": [batch] }))
}

/// As many pins in steps that do not know of each other: one step pins no more than the share of its skill.
fn pins_in_steps(count: usize) -> Vec<Value> {
    let starts = (0..count).step_by(PINNED_OF_SKILL_MAX);
    let step = |from: usize| pins(&format!("most-{from}"), PINNED_OF_SKILL_MAX.min(count - from));
    starts.map(step).collect()
}

fn remembers(id: &str) -> Value {
    step(id, "memory/remember", json!({"summary": format!("The bell rang: {id}."), "pinned": true}))
}

/// Plays a turn, which must be told, and returns how its steps that failed ended.
async fn failures(session: &mut Session) -> Vec<String> {
    let (turn, _) = play(session, "I go on").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 1));
    let rows = plans_of(session);
    let results = rows[0].result.as_ref().unwrap()["toolResults"].as_array().unwrap().clone();
    let failed = results.iter().filter(|result| result["error"].is_object());
    let line = |result: &Value| {
        let (id, error) = (result["toolId"].as_str().unwrap(), &result["error"]);
        let [code, message] = ["code", "message"].map(|field| error[field].as_str().unwrap());
        format!("{id}: {code}: {message}")
    };
    failed.map(line).collect()
}

fn pinned(session: &Session) -> usize {
    session.story().entity_access().unwrap().amounts().unwrap().pinned
}

fn commit(story: &mut Story, store_writes: Vec<StoreRow>) {
    let time = jiff::Timestamp::from_second(1_700_000_000).unwrap();
    let record = TurnRecord {
        prompt: "I go on".to_owned(),
        narration: String::new(),
        outcome: TurnOutcome::Narrated,
        choices: Vec::new(),
        patches: Vec::new(),
        plans: Vec::new(),
        assets: Vec::new(),
        store_writes,
        seed: 7,
        started_at: time,
        finished_at: time,
    };
    story.commit(&record).unwrap();
}

/// Fills a story before a session begins.
pub(super) fn fill<T: Entity>(
    stage: &TurnStage,
    kind: EntityKind,
    count: usize,
    each: impl Fn(u64) -> T,
) {
    let numbers = (kind.first_number()..).take(count);
    let row = |number| StoreRow::entity(EntityId::new(kind, number), &each(number));
    commit(&mut open_story(stage.home.path()), numbers.map(row).collect());
}

#[tokio::test]
async fn no_skill_pins_more_memories_than_a_story_has() {
    let (all, most) = (PINNED_MAX, for_strangers(PINNED_MAX));
    let stage = stage();
    let mut session = session(
        &stage,
        &[
            [
                pins_in_steps(most),
                vec![pins("too-many", all + 1), pins("more", 1), remembers("own")],
            ]
            .concat(),
            (most + 1..=all).map(|n| remembers(&format!("own-{n}"))).collect(),
            vec![step("dice", "dice-roller/roll-dice", json!({"formula": "1d20"}))],
        ],
    );
    insta::assert_snapshot!(failures(&mut session).await.join("\n"), @"
    too-many: ENTITIES_FULL: with what `stranger` adds, the story would have 36 pinned memories, the limit is 28; `/memory unpin ID` makes room
    more: ENTITIES_FULL: with what `stranger` adds, the story would have 29 pinned memories, the limit is 28; `/memory unpin ID` makes room
    ");
    assert_eq!(pinned(&session), most + 1);
    insta::assert_snapshot!(failures(&mut session).await.join("\n"), @"own-32: ENTITIES_FULL: with what `memory` adds, the story would have 33 pinned memories, the limit is 32; `/memory unpin ID` makes room");
    assert_eq!(pinned(&session), all);
    assert_eq!(failures(&mut session).await, [""; 0], "the next turn plays");
    drop(session);

    // Going back makes room.
    open_story(stage.home.path()).undo(3).unwrap();
    let mut session = self::session(&stage, &[pins_in_steps(most), vec![pins("more", 1)]]);
    assert_eq!(failures(&mut session).await, [""; 0]);
    assert_eq!(
        failures(&mut session).await,
        [""; 0],
        "the host refuses the call, and no step fails"
    );
    assert_eq!(pinned(&session), most);
    drop(session);

    // So does dropping what a removed skill has remembered.
    std::fs::remove_dir_all(stage.skills.path().join("stranger")).unwrap();
    let root = stage.home.path().join("stories");
    let repair = StoryRepair::open(&root, &StoryName::parse("demo").unwrap()).unwrap();
    assert_eq!(repair.story().memory_authors().unwrap(), [("stranger".to_owned(), most)].into());
    let skills = BTreeSet::from(["stranger".to_owned()]);
    let receipt = repair.repair(&RepairRequest { skills, ..RepairRequest::default() }).unwrap();
    assert_eq!(receipt.remembered, most);
    let steps = (0..all).map(|n| remembers(&format!("own-{n}"))).collect();
    let mut session = self::session(&stage, &[steps]);
    assert_eq!(pinned(&session), 0);
    assert_eq!(failures(&mut session).await, [""; 0]);
    assert_eq!(pinned(&session), all);
    assert_eq!(session.story().verify().unwrap(), [""; 0]);
}

#[tokio::test]
async fn no_skill_makes_more_of_a_kind_than_a_story_has() {
    let (stage, most) = (stage(), for_strangers(ENTITIES_MAX));
    fill(&stage, EntityKind::Character, most - 5, |n| Character {
        name: format!("Person {n}"),
        ..Character::default()
    });
    fill(&stage, EntityKind::Location, most - 5, |n| Location {
        name: format!("Place {n}"),
        ..Location::default()
    });
    let both = |id: &str, from, count| {
        ["character", "location"].map(|kind| makes(&format!("{id}-{kind}"), kind, from, count, 0))
    };
    let generates = |skill: &str| {
        step(skill, &format!("{skill}/generate"), json!({"name": format!("{skill} of ours")}))
    };
    let steps = [both("six", 0, 6), both("five", 10, 5), both("one", 20, 1)].concat();
    let ours = vec![generates("character"), generates("location")];
    let mut session = session(&stage, &[steps, ours.clone()]);
    insta::assert_snapshot!(failures(&mut session).await.join("\n"), @"
    six-character: ENTITIES_FULL: with what `stranger` adds, the story would have 8751 entities of the kind `character`, the limit is 8750; `/undo` takes back the turns that have added them
    six-location: ENTITIES_FULL: with what `stranger` adds, the story would have 8751 entities of the kind `location`, the limit is 8750; `/undo` takes back the turns that have added them
    one-character: ENTITIES_FULL: with what `stranger` adds, the story would have 8751 entities of the kind `character`, the limit is 8750; `/undo` takes back the turns that have added them
    one-location: ENTITIES_FULL: with what `stranger` adds, the story would have 8751 entities of the kind `location`, the limit is 8750; `/undo` takes back the turns that have added them
    ");
    assert_eq!(failures(&mut session).await, [""; 0]);
    let counts = session.story().entity_access().unwrap().amounts().unwrap().counts;
    assert_eq!(counts[..2], [most + 1; 2]);
    drop(session);
    open_story(stage.home.path()).undo(2).unwrap();
    let mut session = self::session(&stage, &[both("five", 30, 5).to_vec(), ours]);
    assert_eq!(failures(&mut session).await, [""; 0]);
    assert_eq!(failures(&mut session).await, [""; 0]);
}

/// To write so many takes ten seconds, so the file only says that they are there.
fn claim_bytes(stage: &TurnStage, bytes: usize) {
    let mut story = open_story(stage.home.path());
    commit(
        &mut story,
        vec![StoreRow::entity(EntityId::new(EntityKind::Tick, 1), &TickRecord::default())],
    );
    let db = story.folder().join("story.db");
    drop(story);
    let sql = "UPDATE entity_sizes SET bytes = ?1 WHERE kind = 'tick'";
    let changed = rusqlite::Connection::open(db).unwrap().execute(sql, [bytes.cast_signed()]);
    assert_eq!(changed.unwrap(), 1);
}

#[tokio::test]
async fn no_skill_fills_a_story_to_its_last_byte() {
    const PERSON_BYTES: usize = 30_000;
    let stage = stage();
    claim_bytes(&stage, for_strangers(ENTITIES_BYTES_MAX) - 130 * PERSON_BYTES);
    let ours = vec![
        step("character", "character/generate", json!({"name": "Elena"})),
        remembers("remember"),
    ];
    let crowd = |id: &str, from| makes(id, "character", from, 60, PERSON_BYTES);
    let plans = [vec![crowd("one", 0)], vec![crowd("two", 100)], vec![crowd("three", 200)], ours];
    let mut session = session(&stage, &plans);
    assert_eq!(failures(&mut session).await, [""; 0]);
    assert_eq!(failures(&mut session).await, [""; 0]);
    insta::assert_snapshot!(failures(&mut session).await.join("\n"), @"three: ENTITIES_FULL: with what `stranger` adds, the story would have 236392044 bytes of entities, the limit is 234881024; `/undo` takes back the turns that have added them");
    assert_eq!(failures(&mut session).await, [""; 0], "the built-in skills have their part");
    drop(session);
    open_story(stage.home.path()).undo(3).unwrap();
    let mut session = self::session(&stage, &[vec![crowd("again", 300)]]);
    assert_eq!(failures(&mut session).await, [""; 0]);
}

/// However many relationships a person has, the one of a pair is found, and a query finds all.
#[tokio::test]
async fn a_relationship_of_somebody_with_many_is_found_by_its_pair() {
    const OTHERS: usize = 150;
    let stage = stage();
    let name = |number: u64| format!("The character {number}");
    fill(&stage, EntityKind::Character, OTHERS + 1, |number| Character {
        name: name(number),
        ..Character::default()
    });
    let knows = |number: u64| Relationship {
        character_a: EntityId::new(EntityKind::Character, 0),
        character_b: EntityId::new(EntityKind::Character, number + 1),
        relationship_type: "friend".to_owned(),
        status: "warm".to_owned(),
        intensity: 5,
        perspective_a: String::new(),
        perspective_b: String::new(),
        history: Vec::new(),
    };
    fill(&stage, EntityKind::Relationship, OTHERS, knows);
    let last = name(OTHERS as u64);
    let update = json!({"character_a": last, "character_b": "C0", "status": "strained"});
    let again = json!({"character_a": "C0", "character_b": last, "intensity": 9});
    let mut session = session(
        &stage,
        &[vec![
            step("update", "relationship/update", update),
            with(step("again", "relationship/update", again), json!({"dependencies": ["update"]})),
            with(
                step("query", "relationship/query", json!({"character_id": "C0"})),
                json!({"dependencies": ["again"]}),
            ),
        ]],
    );
    assert_eq!(failures(&mut session).await, [""; 0]);
    let result = plans_of(&session)[0].result.clone().unwrap();
    let steps = result["toolResults"].as_array().unwrap();
    let of = |id: &str| steps.iter().find(|step| step["toolId"] == id).unwrap()["output"].clone();
    assert_eq!(of("query")["count"], OTHERS);
    let changed = of("again");
    assert_eq!((&changed["status"], &changed["intensity"]), (&json!("strained"), &json!(9)));
    assert_eq!(changed["character_b"], json!(format!("C{OTHERS}")));
}
