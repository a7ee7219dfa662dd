//! The authors' page: its example is a campaign, its tables have every field, and its limits are those of the program.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::Value;

use super::shown;
use crate::{CampaignSource, compile, editor_schemas};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/writing-campaigns.md");
    fs::read_to_string(path).unwrap()
}

/// The blocks below a line `<!-- file: PATH -->`.
fn files(page: &str) -> BTreeMap<String, Vec<u8>> {
    let parts = page.split("<!-- file: ").skip(1);
    let files = parts.map(|part| {
        let (path, rest) = part.split_once(" -->\n```").expect("a block follows the mark");
        let block = rest.split_once('\n').unwrap().1.split("\n```").next().unwrap();
        (path.to_owned(), format!("{block}\n").into_bytes())
    });
    files.collect()
}

/// After each step of the page there is a campaign that can be played, and at the end there is nothing to say about it.
#[test]
fn the_example_of_the_page_can_be_played_after_each_step() {
    let all = files(&page());
    assert_eq!(all.len(), 11, "{:?}", all.keys());
    let smallest = ["manifest.json", "world/setting.md", "plot/premise.md"];
    let load = |paths: &[&str]| {
        let files = all.iter().filter(|(path, _)| paths.contains(&path.as_str()));
        let files = files.map(|(path, bytes)| (path.clone(), bytes.clone()));
        compile(&CampaignSource::in_memory(files), "bridge", None)
    };
    assert!(load(&smallest).campaign.is_some());
    let place = [&smallest[..], &["world/places.toml"]].concat();
    let result = load(&place);
    assert!(result.campaign.is_some(), "{}", shown(&result));
    let person = [&place[..], &["characters/people.toml"]].concat();
    let result = load(&person);
    assert!(result.campaign.is_some(), "{}", shown(&result));
    let result = compile(&CampaignSource::in_memory(all.clone()), "bridge", None);
    assert_eq!(shown(&result), "");
    let parts = result.parts.unwrap();
    assert_eq!((parts.world.people.len(), parts.plot.endings.ending.len()), (1, 2));
}

#[test]
fn the_page_names_every_file_and_every_field_of_ours() {
    let page = page();
    let mut missing = BTreeSet::new();
    for (name, text) in
        editor_schemas().into_iter().filter(|(name, _)| name.starts_with("campaign-"))
    {
        if name == "campaign-manifest" {
            continue;
        }
        let schema: Value = serde_json::from_str(&text).unwrap();
        let tables = schema["$defs"].as_object().into_iter().flatten().map(|(_, table)| table);
        for table in tables.chain([&schema]) {
            for field in
                table["properties"].as_object().into_iter().flatten().map(|(field, _)| field)
            {
                let is_there = ["`", " ", "{ ", "[[", "["].iter().any(|before| {
                    ["`", ",", " ", "]]", "]"]
                        .iter()
                        .any(|after| page.contains(&format!("{before}{field}{after}")))
                });
                if !is_there {
                    missing.insert(format!("{name}: {field}"));
                }
            }
        }
    }
    assert_eq!(missing, BTreeSet::new());
}

#[test]
fn the_page_names_every_verb() {
    let page = page();
    for verb in world_model::action::Verb::ALL {
        let verb = serde_json::to_value(verb).unwrap();
        assert!(page.contains(&format!("`{}`", verb.as_str().unwrap())), "{verb}");
    }
}

#[test]
fn the_page_s_limits_are_those_of_the_program() {
    macro_rules! limits {
        ($($name:path)*) => {
            [$((stringify!($name).rsplit("::").next().unwrap().trim(), u64::try_from($name).unwrap())),*]
        };
    }
    let limits = limits! {
        crate::CAMPAIGN_TEXT_FILE_BYTES_MAX crate::CAMPAIGN_MEDIA_BYTES_MAX crate::CAMPAIGN_COVER_BYTES_MAX crate::CAMPAIGN_TEXTS_BYTES_MAX
        crate::CAMPAIGN_FOLDER_BYTES_MAX crate::CAMPAIGN_FOLDER_FILES_MAX crate::CAMPAIGN_PROBLEMS_MAX
        crate::CAMPAIGN_NOTES_MAX crate::CONDITIONS_COST_MAX crate::LORE_ENTRIES_MAX crate::LORE_ENTRY_CHARS_MAX
        plot_skill::definition::DECKS_MAX plot_skill::definition::STORYLETS_MAX plot_skill::definition::CHOICES_MAX
        plot_skill::definition::VARIANTS_MAX plot_skill::definition::STORYLET_CHARS_MAX
        crate::GRAMMAR_ROWS_MAX crate::GRAMMAR_ROW_BYTES_MAX crate::GRAMMAR_BYTES_MAX crate::GRAMMAR_ROW_PARTS_MAX
        crate::GRAMMAR_ROW_LOOSE_PARTS_MAX crate::GRAMMAR_LOOSE_PARTS_MAX crate::GRAMMAR_TRIALS_MAX
        plot_skill::definition::LABEL_CHARS_MAX plot_skill::definition::QUALITIES_MAX plot_skill::definition::ENDINGS_MAX
    };
    let page = page();
    let rows = page.lines().filter(|line| line.starts_with('|') && line.contains("_MAX`"));
    let rows: BTreeMap<&str, &str> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            (cells[2].trim_matches('`'), cells[3])
        })
        .collect();
    let expected: Vec<(String, String)> =
        limits.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect();
    for (name, value) in &expected {
        assert_eq!(rows.get(name.as_str()), Some(&value.as_str()), "{name}");
    }
    assert_eq!(rows.len(), expected.len());
}

/// The conditions of the page compile in the example with every file.
#[test]
fn the_conditions_of_the_page_compile() {
    let page = page();
    let section = page.split("## Conditions").nth(1).unwrap();
    let block = section.split("```text\n").nth(1).unwrap().split("\n```").next().unwrap();
    assert_eq!(block.lines().count(), 3);
    let hints = block.lines().map(|condition| {
        format!(
            "[[hint]]\nwhen = {}\ntext = \"A hint.\"\n",
            serde_json::to_string(condition).unwrap()
        )
    });
    let mut files = super::full();
    files.insert("plot/hints.toml".to_owned(), hints.collect::<String>().into_bytes());
    let result = compile(&CampaignSource::in_memory(files), "conditions", None);
    assert!(result.campaign.is_some(), "{}", shown(&result));
}

/// Every variable stands in the table, and nothing else is a variable.
#[test]
fn the_page_names_every_variable_of_conditions() {
    let page = page();
    let section = page.split("| variable | is |").nth(1).unwrap().split("\n\n").next().unwrap();
    for name in crate::names::RESERVED.iter().filter(|name| **name != "state") {
        let is_there =
            [format!("`{name}`"), format!("`{name}[")].iter().any(|it| section.contains(it));
        assert!(is_there, "{name}");
    }
}
