//! Wordings of a campaign: read, checked with their lines, and part of what a story keeps.

use understanding::understand;
use world_model::{definition::WorldDefinition, world::World};

use super::{full, minimal, shown};
use crate::{CampaignSource, CompileResult, compile};

fn compiled(rows: &str) -> CompileResult {
    let mut files = minimal();
    files.insert("grammar.gram".to_owned(), rows.as_bytes().to_vec());
    compile(&CampaignSource::in_memory(files), "bridge", None)
}

/// The findings about each of some files, one file below the other.
fn found(files: &[&str]) -> String {
    let of = |rows: &&str| format!("{rows}{}\n", shown(&compiled(rows)));
    files.iter().map(of).collect::<Vec<String>>().join("\n")
}

#[test]
fn the_rows_of_the_templates_have_no_fault() {
    for files in [minimal(), full()] {
        assert!(files.contains_key("grammar.gram"));
        let result = compile(&CampaignSource::in_memory(files), "bridge", None);
        let faults: Vec<String> = result
            .problems
            .iter()
            .map(ToString::to_string)
            .filter(|problem| problem.contains("grammar.gram"))
            .collect();
        assert_eq!(faults, [""; 0]);
    }
}

#[test]
fn each_fault_of_a_row_is_named_with_its_line() {
    insta::assert_snapshot!(found(&[
        "# Notes.\neye {sen}\texamine {sen}\teye the railing\neye {seen}\texamine {seen}\n",
        "hoist {free}\ttake {free}\thoist the letter\n",
        "hoist {held}\tdrop {held}\thoist the railing\n",
        "hoist {seen}\tblorp {seen}\thoist the railing\n",
        "hoist ...\twait\thoist away\nhoist {seen}\texamine {seen}\thoist the railing\n",
        "take {rest}\twait\ttake heart\n",
    ]));
}

#[test]
fn the_story_keeps_the_rows_and_reads_by_them() {
    let result = compiled("hoist {free}\ttake {free}\thoist the letter\n");
    let campaign = result.campaign.unwrap();
    let text = campaign.document("world.json").unwrap();
    let definition: WorldDefinition = serde_json::from_str(text).unwrap();
    assert_eq!(definition.wordings.len(), 1);
    let mut world = World::begin(definition);
    let letter = world.find("letter").unwrap();
    world.holders[letter.0] = world_model::world::Holder::Place(world.here);
    let actions = understand(&world, "I quickly hoist the letter").actions;
    assert_eq!(actions.len(), 1);
    assert_eq!(actions[0].in_words(), "Take `letter`");
}

#[test]
fn a_file_of_wordings_elsewhere_is_not_read() {
    let mut files = minimal();
    files.insert("world/grammar.gram".to_owned(), b"a\tb\tc\n".to_vec());
    let result = compile(&CampaignSource::in_memory(files), "bridge", None);
    assert_eq!(
        shown(&result),
        "world/grammar.gram: warning: is not read; did you mean `grammar.gram`?"
    );
}
