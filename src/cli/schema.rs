//! `narratoria schema`: prints the contracts, which are part of the program, for editors and other programs.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::{JsonBounds, nearest::nearest, read_json};
use serde_json::{Value, json};

use super::{
    args::{Format, SchemaArgs},
    exit::Exit,
    print_data, print_document, print_text, settings,
};
use narratoria_ui::render_table;

/// A JSON Schema, or an interface in WIT.
struct Contract {
    /// The path of its file in `contracts`.
    file: &'static str,
    text: &'static str,
}

macro_rules! contracts {
    ($($file:literal)*) => {
        [$(Contract { file: $file, text: include_str!(concat!("../../contracts/", $file)) }),*]
    };
}

/// All contracts, in the order of their names.
static CONTRACTS: [Contract; 67] = contracts! {
    "answer.schema.json" "ask.schema.json" "beats.schema.json"
    "campaign-check-report.schema.json" "campaign-deck.schema.json" "campaign-endings.schema.json" "campaign-factions.schema.json" "campaign-hints.schema.json"
    "campaign-list.schema.json" "campaign-manifest.schema.json" "campaign-people.schema.json"
    "campaign-places.schema.json" "campaign-player.schema.json" "campaign-qualities.schema.json"
    "campaign-start.schema.json" "campaign-things.schema.json" "campaign-threads.schema.json"
    "cancelled-plan.schema.json" "check-progress.schema.json" "config-schema.meta.json"
    "config-values.schema.json" "doctor-report.schema.json"
    "entity-character.schema.json" "entity-location.schema.json" "entity-loop.schema.json"
    "entity-memory.schema.json" "entity-relationship.schema.json" "entity-scene.schema.json"
    "eval-report.schema.json"
    "eval.schema.json" "event.schema.json" "execution-result.schema.json" "npc-profile.schema.json"
    "package-index.schema.json"
    "plan-export.schema.json" "plan-json.schema.json" "plan-record.schema.json" "plan-template.schema.json"
    "player-template.schema.json" "script-input.schema.json" "skill-check-report.schema.json"
    "skill-example.schema.json" "skill-inspection.schema.json" "skill-manifest.schema.json"
    "skill-policy.schema.json" "skill-record.schema.json" "skill-test-report.schema.json" "story-branches.schema.json"
    "story-line.schema.json" "story-log.schema.json" "story-map.schema.json"
    "story-recap.schema.json" "story-told.schema.json" "story-why.schema.json"
    "tick-error.schema.json" "tick-event.schema.json" "tick-plan.schema.json"
    "tick-record.schema.json" "tick-state.schema.json" "update.schema.json"
    "wit/entities.wit" "wit/llm.wit"
    "wit/meaning.wit" "wit/memories.wit" "wit/memory.wit" "wit/store.wit" "world-reading.schema.json"
};

pub(super) fn schema(args: SchemaArgs) -> Result<Exit, TurnError> {
    let look = settings::initial_look();
    match (&args.name, args.format) {
        (Some(name), _) => print_data(look, find(name)?.text)?,
        (None, Format::Json) => {
            let row =
                |it: &Contract| json!({"name": it.name(), "file": it.file, "title": it.title()});
            print_document(look, &CONTRACTS.iter().map(row).collect::<Vec<Value>>())?;
        }
        (None, Format::Plain) => {
            let row = |it: &Contract| [it.name().to_owned(), it.title()];
            let rows: Vec<[String; 2]> = CONTRACTS.iter().map(row).collect();
            print_text(look, &render_table(["NAME", "WHAT"], &rows, look.width))?;
        }
    }
    Ok(Exit::Done)
}

/// Finds a contract by its name or by that of its file.
fn find(name: &str) -> Result<&'static Contract, TurnError> {
    let asked = name.trim_start_matches("contracts/");
    let found = CONTRACTS.iter().find(|it| [it.name(), it.file].contains(&asked));
    found.ok_or_else(|| {
        let error =
            TurnError::new(TurnErrorKind::NotFound, format!("there is no contract `{name}`"));
        match nearest(asked, CONTRACTS.iter().map(Contract::name)) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("`narratoria schema` lists them"),
        }
    })
}

impl Contract {
    /// Returns the short name, such as `skill-manifest`, `config-schema` or `store.wit`.
    fn name(&self) -> &'static str {
        let name = self.file.rsplit('/').next().unwrap_or(self.file);
        let endings = [".schema.json", ".meta.json"];
        endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
    }

    fn title(&self) -> String {
        if let Some(grant) = self.name().strip_suffix(".wit") {
            return format!("Host interface `{grant}`");
        }
        let document = read_json(self.text.as_bytes(), JsonBounds::of_bytes(self.text.len()));
        let title = document.ok().and_then(|it| Some(it.get("title")?.as_str()?.to_owned()));
        title.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::{CONTRACTS, find};

    #[test]
    fn the_table_is_the_folder_of_contracts() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts");
        let mut files = BTreeSet::new();
        for folder in ["", "wit/"] {
            for entry in fs::read_dir(root.join(folder)).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                // The interface of the page is for readers of OpenAPI, not for editors of documents.
                let is_form = name.ends_with(".json") && !name.ends_with(".openapi.json");
                if is_form || name.ends_with(".wit") {
                    files.insert(format!("{folder}{name}"));
                }
            }
        }
        let table: Vec<String> = CONTRACTS.iter().map(|it| it.file.to_owned()).collect();
        assert_eq!(table, Vec::from_iter(files));
        for contract in &CONTRACTS {
            assert!(!contract.title().is_empty(), "{}", contract.file);
            assert_eq!(find(contract.name()).unwrap().file, contract.file);
            let text = fs::read_to_string(root.join(contract.file)).unwrap();
            assert_eq!(contract.text, text, "{}", contract.file);
        }
    }
}
