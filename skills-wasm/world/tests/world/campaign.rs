//! The world of a campaign: the map from its files, conditions, schedules, and what the story changes.

use narratoria_sdk::{
    Value, json,
    testing::{self, CallResult},
};
use world::{act::act, change::change, create::create};

use crate::scripts::merge;

/// The map of a small harbour.
const MAP: &str = r#"{
  "title": "The Cut Ropes", "opening": "The boats are adrift.", "time": "17:50",
  "player": { "name": "Ada Lund", "place": "quay", "traits": ["polite"] },
  "factions": [{ "name": "Guild", "aliases": ["the nets"] }, { "name": "Gulls" }],
  "places": [
    { "name": "quay", "description": "Wet stones and a bollard.",
      "looks": [{ "when": "debt == 'resolved'", "description": "Dry stones and a flag." }],
      "exits": [{ "direction": "north", "to": "office" },
                { "direction": "down", "to": "cave", "when": "trust >= 3", "blocked": "The tide is in" }] },
    { "name": "office", "description": "A desk.", "exits": [{ "direction": "south", "to": "quay" }] },
    { "name": "cave", "description": "Sand.", "exits": [{ "direction": "up", "to": "quay" }] }
  ],
  "things": [
    { "name": "rope", "description": "It was cut.", "place": "quay",
      "looks": [{ "when": "'rope' in carried", "description": "It is yours." }] },
    { "name": "gutting knife", "description": "Sharp.", "place": "quay" },
    { "name": "silk scarf", "description": "Red.", "place": "quay", "wearable": true, "shows": "well dressed" },
    { "name": "diving mask", "description": "Glass.", "place": "quay", "wearable": true },
    { "name": "tin box", "description": "Tin.", "place": "office", "container": { "open": true } },
    { "name": "small key", "description": "Brass.", "place": "office", "hidden": "desk" }
  ],
  "people": [
    { "name": "Mina Holt", "aliases": ["netmaker"], "pronoun": "she", "description": "She mends nets.", "place": "quay", "faction": "Guild",
      "schedule": [{ "from": "08:00", "place": "quay", "doing": "mending a net" }, { "from": "18:00", "place": "office" }],
      "greetings": [{ "when": "debt == 'engaged'", "says": "You came back." }], "greeting": "Evening.",
      "topics": [
        { "about": ["ropes", "rope"], "says": ["Cut, not worn.", "I told you: cut."], "sets": { "debt": "engaged" }, "raises": { "trust": 1 } },
        { "about": ["knife"], "when": "debt == 'engaged'", "says": "It is in the office." }
      ],
      "fallback": ["Ask the gulls.", "No."] }
  ]
}"#;

const CONDITIONS: &str = r#"{ "version": 1, "conditions": {
  "debt == 'resolved'": ["==", ["var", "debt"], "resolved"],
  "debt == 'engaged'": ["==", ["var", "debt"], "engaged"],
  "trust >= 3": [">=", ["var", "trust"], 3],
  "'rope' in carried": ["in", "rope", ["var", "carried"]]
} }"#;

/// The first screen is what the author has written and what the player sees.
#[test]
fn the_opening_is_told_word_for_word_before_the_place() {
    let made = testing::call(create, json!({ "campaign": true }))
        .campaign_file("world.json", MAP)
        .campaign_file("conditions.json", CONDITIONS)
        .run();
    let facts = made.output["facts"].as_array().unwrap();
    let kinds: Vec<&str> = facts.iter().filter_map(|fact| fact["fact"].as_str()).collect();
    assert_eq!(&kinds[..2], ["told", "described"]);
    assert_eq!(facts[0]["text"], "The boats are adrift.");
}

/// A story of this campaign.
struct CampaignStory(Value);

impl CampaignStory {
    fn begin() -> CampaignStory {
        let made = testing::call(create, json!({ "campaign": true }))
            .campaign_file("world.json", MAP)
            .campaign_file("conditions.json", CONDITIONS)
            .run();
        assert!(made.ok, "{}", made.lines);
        let mut story = CampaignStory(
            json!({ "plot": { "now": { "qualities": { "debt": "quiet", "trust": 0 } } } }),
        );
        merge(&mut story.0, &made.patch());
        assert!(story.0["world"].get("map").is_none());
        story
    }

    fn quality(&mut self, name: &str, value: Value) {
        self.0["plot"]["now"]["qualities"][name] = value;
    }

    /// Does what a sentence says, and returns the texts of the facts.
    fn play(&mut self, sentence: &str) -> String {
        let done = self.result(sentence);
        texts(&done)
    }

    fn result(&mut self, sentence: &str) -> CallResult {
        let done = testing::call(act, json!({ "sentence": sentence }))
            .state(&self.0)
            .campaign_file("world.json", MAP)
            .campaign_file("conditions.json", CONDITIONS)
            .run();
        assert!(done.ok, "{}", done.lines);
        merge(&mut self.0, &done.patch());
        done
    }

    fn change(&mut self, changes: Value) -> CallResult {
        let done = testing::call(change, json!({ "changes": changes }))
            .state(&self.0)
            .campaign_file("world.json", MAP)
            .campaign_file("conditions.json", CONDITIONS)
            .run();
        merge(&mut self.0, &done.patch());
        done
    }
}

fn texts(done: &CallResult) -> String {
    let facts = done.output["facts"].as_array().unwrap();
    facts.iter().map(|fact| fact["text"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

/// Other skills begin an opinion with this: a skill knows no map but that of its own.
#[test]
fn the_state_has_people_with_their_factions_and_what_they_see_in_the_player() {
    let mut story = CampaignStory::begin();
    let people = json!({ "Mina Holt": { "faction": "Guild" }, "netmaker": { "of": "Mina Holt" } });
    assert_eq!(story.0["world"]["people"], people);
    let names = json!({ "Guild": {}, "Gulls": {}, "the nets": { "of": "Guild" } });
    assert_eq!(story.0["world"]["factions"], names);
    let traits = |story: &CampaignStory| story.0["world"]["player"]["traits"].clone();
    assert_eq!(traits(&story), json!(["polite"]));
    story.play("take the knife, the scarf and the mask");
    assert_eq!(traits(&story), json!(["armed", "polite", "well dressed"]));
    story.play("put the knife in the box");
    story.play("wear the mask and drop the knife");
    assert_eq!(traits(&story), json!(["masked", "polite", "well dressed"]));
}

#[test]
fn people_come_and_go_by_the_time_of_day() {
    let mut story = CampaignStory::begin();
    let seen = story.play("look");
    assert!(seen.contains("Mina Holt is here. Mina Holt is mending a net."), "{seen}");
    assert!(story.play("x mina").contains("She is mending a net."));
    let left = story.play("wait");
    assert_eq!(left, "You wait for 10 minutes. Mina Holt goes north to the office.");
    assert_eq!(story.0["world"]["view"]["present"], json!([]));
    let seen = story.play("north");
    assert!(seen.contains("Mina Holt is here.") && !seen.contains("net"), "{seen}");
}

#[test]
fn whoever_the_story_has_moved_stays_until_the_next_entry() {
    let mut story = CampaignStory::begin();
    story.change(json!([{ "move": "Mina Holt", "to": "office" }]));
    assert!(!story.play("look").contains("Mina"));
    assert!(!story.play("wait 5 minutes").contains("Mina"));
    // The entry of six o'clock names the place where she is already.
    assert!(!story.play("wait").contains("Mina"));
    story.change(json!([{ "move": "Mina Holt", "to": "you" }]));
    assert!(story.play("look").contains("Mina Holt is here."));
    let gone = story.play("wait 14 hours");
    assert!(!gone.contains("Mina Holt goes"), "at eight she belongs here: {gone}");
}

#[test]
fn what_is_seen_depends_on_conditions() {
    let mut story = CampaignStory::begin();
    assert!(story.play("look").contains("Wet stones and a bollard."));
    story.quality("debt", json!("resolved"));
    assert!(story.play("look").contains("Dry stones and a flag."));
    assert!(story.play("x flag").contains("Dry stones and a flag."));
    assert!(story.play("x rope").contains("It was cut."));
    assert!(story.play("take rope and x it").contains("It is yours."));
}

#[test]
fn a_way_may_be_closed_until_a_condition_holds() {
    let mut story = CampaignStory::begin();
    assert_eq!(story.play("down"), "The tide is in.");
    story.quality("trust", json!(3));
    assert!(story.play("down").starts_with("You go down to the cave."));
}

#[test]
fn an_answer_sets_and_raises_and_the_next_one_is_another() {
    let mut story = CampaignStory::begin();
    let answer = story.result("ask Mina about the ropes");
    assert_eq!(texts(&answer), "Mina Holt says: \u{201c}Cut, not worn.\u{201d}");
    assert_eq!(answer.output["sets"], json!({ "debt": "engaged" }));
    assert_eq!(answer.output["raises"], json!({ "trust": 1 }));
    let again = story.result("ask Mina about the ropes");
    assert!(texts(&again).contains("I told you: cut."));
    assert!(again.output.get("raises").is_none(), "only the first answer raises");
    assert_eq!(story.0["world"]["view"]["learned"], json!(["Mina Holt: ropes"]));
}

#[test]
fn who_does_not_know_answers_in_words_of_their_own() {
    let mut story = CampaignStory::begin();
    assert!(story.play("ask Mina about the knife").contains("Ask the gulls."));
    assert!(story.play("ask Mina about the king").contains("No."));
    assert!(!story.0["world"]["scope"]["topics"].to_string().contains("knife"));
    story.quality("debt", json!("engaged"));
    assert!(story.play("ask Mina about the knife").contains("It is in the office."));
}

#[test]
fn a_greeting_is_told_once_when_its_time_has_come() {
    let mut story = CampaignStory::begin();
    assert!(story.play("talk to Mina").contains("Evening."));
    story.quality("debt", json!("engaged"));
    assert!(story.play("talk to Mina").contains("You came back."));
    assert!(!story.play("talk to Mina").contains("You came back."));
}

#[test]
fn the_story_changes_the_world_without_a_word() {
    let mut story = CampaignStory::begin();
    let done = story.change(json!([
        { "move": "rope", "to": "in tin box" }, { "reveal": "small key" }, { "move": "small key", "to": "you" },
        { "hurt": "Mina Holt" }, { "close": "tin box" }
    ]));
    assert_eq!(texts(&done), "", "{}", done.lines);
    assert_eq!(
        story.0["world"]["now"]["at"],
        json!({ "rope": "in tin box", "small key": "carried" })
    );
    let done = story.change(json!([{ "minutes": 10 }]));
    assert_eq!(texts(&done), "Mina Holt goes north to the office.");
    let sent = story.change(json!([{ "send": "office" }, { "kill": "Mina Holt" }]));
    assert!(texts(&sent).starts_with("A desk."), "{}", sent.lines);
    assert_eq!(story.0["world"]["view"]["dead"], json!(["Mina Holt"]));
}

#[test]
fn a_wrong_change_is_refused_and_nothing_has_changed() {
    let mut story = CampaignStory::begin();
    let before = story.0.clone();
    for (changes, message) in [
        (
            json!([{ "move": "rop", "to": "you" }]),
            "`move = \"rop\"` names no thing or person of this world; the nearest name is `rope`",
        ),
        (
            json!([{ "minutes": 5 }, { "unlock": "rope" }]),
            "`unlock = \"rope\"` names no door or container of this world",
        ),
        (json!([{ "move": "rope", "to": "in small key" }]), "`small key` is no container"),
        (json!([{ "move": "rope", "to": "offices" }]), "the nearest name is `office`"),
        (json!([{ "move": "rope" }]), "must say `to` where"),
        (json!([{}]), "a change says one of"),
        (json!([{ "open": "tin box", "minutes": 3 }]), "does one thing"),
        (json!([{ "minutes": 99_999_999 }]), "are allowed"),
    ] {
        let done = story.change(changes);
        assert_eq!(done.error_code(), Some("INVALID_CHANGE"), "{}", done.lines);
        assert!(done.lines.replace("\\\"", "\"").contains(message), "{message}: {}", done.lines);
    }
    assert_eq!(story.0, before);
}

#[test]
fn conditions_need_a_campaign() {
    let map: Value = MAP.parse().unwrap();
    let made = testing::call(create, json!({ "definition": map })).run();
    assert_eq!(made.error_code(), Some("INVALID_WORLD"));
    assert!(made.lines.contains("only a campaign has conditions"), "{}", made.lines);
}
