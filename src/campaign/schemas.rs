//! The schema of every kind of file: written for the format of others, made from the types for ours.

use std::{collections::BTreeMap, sync::LazyLock};

use narratoria_protocol::{JsonBounds, read_json};
use plot_skill::definition::{
    DeckDefinition, EndingsDefinition, FactionsDefinition, HintsDefinition, QualitiesDefinition,
};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{
    kinds::FileKind,
    our_files::{PeopleFile, PlacesFile, PlayerFile, StartFile, ThingsFile, ThreadsFile},
    shape::UnknownFields,
};

/// A contract that stands in `contracts/`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileContract {
    pub(crate) kind: FileKind,
    /// The name of the schema: `campaign-places`.
    pub(crate) name: &'static str,
    title: &'static str,
    /// The description of the file, for the top of the schema.
    about: &'static str,
    make: fn() -> Value,
}

/// All of them.
pub(crate) static CONTRACTS: [FileContract; 16] = [
    written(FileKind::Manifest, "campaign-manifest", || {
        contract(include_str!("../../contracts/campaign-manifest.schema.json"))
    }),
    written(FileKind::Profile, "npc-profile", || {
        contract(include_str!("../../contracts/npc-profile.schema.json"))
    }),
    written(FileKind::PlayerTemplate, "player-template", || {
        contract(include_str!("../../contracts/player-template.schema.json"))
    }),
    written(FileKind::BeatsJson, "beats", || {
        contract(include_str!("../../contracts/beats.schema.json"))
    }),
    FileContract {
        kind: FileKind::Places,
        name: "campaign-places",
        title: "Places of a campaign",
        about: "`world/places.toml`: where the story plays. The same data in TOML.",
        make: made::<PlacesFile>,
    },
    FileContract {
        kind: FileKind::Things,
        name: "campaign-things",
        title: "Things of a campaign",
        about: "`world/things.toml`: what can be handled. The same data in TOML.",
        make: made::<ThingsFile>,
    },
    FileContract {
        kind: FileKind::Factions,
        name: "campaign-factions",
        title: "Factions of a campaign",
        about: "`world/factions.toml`: groups that think something of the player. The same data in TOML.",
        make: made::<FactionsDefinition>,
    },
    FileContract {
        kind: FileKind::People,
        name: "campaign-people",
        title: "People of a campaign",
        about: "`characters/people.toml`: who can be spoken to. A profile of the same name fills what is missing here. The same data in TOML.",
        make: people,
    },
    FileContract {
        kind: FileKind::Player,
        name: "campaign-player",
        title: "Player of a campaign",
        about: "`characters/player/player.toml`: who the player is. What the player carries stands in `world/things.toml`. The same data in TOML.",
        make: made::<PlayerFile>,
    },
    FileContract {
        kind: FileKind::Start,
        name: "campaign-start",
        title: "Start of a campaign",
        about: "`plot/start.toml`: how the story opens. The same data in TOML.",
        make: made::<StartFile>,
    },
    FileContract {
        kind: FileKind::Qualities,
        name: "campaign-qualities",
        title: "Qualities of a campaign",
        about: "`plot/qualities.toml`: what the story keeps count of. Names have small letters, digits and `_`, so that conditions can use them. The same data in TOML.",
        make: made::<QualitiesDefinition>,
    },
    FileContract {
        kind: FileKind::Deck,
        name: "campaign-deck",
        title: "Deck of storylets",
        about: "`plot/decks/NAME.toml`, and `plot/beats.toml`: what happens when its conditions hold. The same data in TOML.",
        make: made::<DeckDefinition>,
    },
    FileContract {
        kind: FileKind::Beats,
        name: "campaign-deck",
        title: "Deck of storylets",
        about: "",
        make: made::<DeckDefinition>,
    },
    FileContract {
        kind: FileKind::Endings,
        name: "campaign-endings",
        title: "Endings of a campaign",
        about: "`plot/endings.toml`: how the story can end. The same data in TOML.",
        make: made::<EndingsDefinition>,
    },
    FileContract {
        kind: FileKind::Hints,
        name: "campaign-hints",
        title: "Hints of a campaign",
        about: "`plot/hints.toml`: what `/hint` tells. The same data in TOML.",
        make: made::<HintsDefinition>,
    },
    FileContract {
        kind: FileKind::Threads,
        name: "campaign-threads",
        title: "Threads of a campaign",
        about: "`plot/threads.toml`: what there is to find out or to bring about. The same data in TOML.",
        make: made::<ThreadsFile>,
    },
];

const fn written(kind: FileKind, name: &'static str, make: fn() -> Value) -> FileContract {
    FileContract { kind, name, title: "", about: "", make }
}

static SCHEMAS: LazyLock<BTreeMap<FileKind, Value>> =
    LazyLock::new(|| CONTRACTS.iter().map(|it| (it.kind, it.schema())).collect());

/// The schema of a kind of file; `true` for text.
pub(crate) fn schema_of(kind: FileKind) -> &'static Value {
    SCHEMAS.get(&kind).unwrap_or(&Value::Bool(true))
}

/// The format of others grows without us; ours is closed.
pub(crate) fn unknown_fields(kind: FileKind) -> UnknownFields {
    match kind {
        FileKind::Manifest | FileKind::Profile | FileKind::PlayerTemplate | FileKind::BeatsJson => {
            UnknownFields::Noted
        }
        _ => UnknownFields::Refused,
    }
}

/// The schemas for editors: name → text, as `contracts/` has them.
pub fn editor_schemas() -> BTreeMap<&'static str, String> {
    let all = CONTRACTS.iter().filter(|it| it.kind != FileKind::Beats);
    all.map(|it| {
        let text = serde_json::to_string_pretty(schema_of(it.kind)).unwrap_or_default();
        (it.name, text + "\n")
    })
    .collect()
}

impl FileContract {
    fn schema(&self) -> Value {
        let schema = (self.make)();
        if self.title.is_empty() { schema } else { titled(schema, self) }
    }
}

/// A contract that is written by hand. It is part of the program, and a test reads it.
fn contract(text: &str) -> Value {
    read_json(text.as_bytes(), JsonBounds::of_bytes(text.len())).unwrap_or(Value::Bool(true))
}

fn made<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|it| it.inline_subschemas = false);
    let schema = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    let mut value = schema.to_value();
    simplify(&mut value);
    value
}

/// A profile may have the description, and the building blocks find a place.
fn people() -> Value {
    let mut schema = made::<PeopleFile>();
    if let Some(required) =
        schema.pointer_mut("/$defs/PersonDefinition/required").and_then(Value::as_array_mut)
    {
        required.retain(|key| key == "name");
    }
    schema
}

/// TOML has no null, numbers need no format, and what is missing needs no default.
fn simplify(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Object(fields) => {
            for key in ["format", "default"] {
                if !fields.get(key).is_some_and(Value::is_object) {
                    fields.remove(key);
                }
            }
            if let Some(Value::Array(types)) = fields.get_mut("type") {
                types.retain(|it| it != "null");
                if let [one] = types.as_slice() {
                    let one = one.clone();
                    fields.insert("type".to_owned(), one);
                }
            }
            without_null_branch(fields);
            fields.values_mut().for_each(simplify);
        }
        _ => {}
    }
}

fn without_null_branch(fields: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = fields.get_mut("anyOf") else { return };
    branches.retain(|branch| branch != &json!({ "type": "null" }));
    let [Value::Object(only)] = branches.as_slice() else { return };
    let only = only.clone();
    fields.remove("anyOf");
    fields.extend(only);
}

/// The top of a schema in the form that all contracts have. Every file may say that the program made it.
fn titled(schema: Value, contract: &FileContract) -> Value {
    let Value::Object(mut rest) = schema else { return schema };
    let mut top = Map::new();
    top.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    top.insert("$id".to_owned(), json!(format!("urn:narratoria:contract:{}:1", contract.name)));
    top.insert("title".to_owned(), json!(contract.title));
    top.insert("description".to_owned(), json!(contract.about));
    for key in ["$schema", "title", "description"] {
        rest.remove(key);
    }
    if let Some(properties) = rest.get_mut("properties").and_then(Value::as_object_mut) {
        let generated =
            json!({ "description": "Whether the program made this file.", "type": "boolean" });
        let writer = json!({ "description": "The planner and the model that wrote its words.", "type": "string" });
        properties.insert("generated".to_owned(), generated);
        properties.insert("generated_by".to_owned(), writer);
    }
    top.extend(rest);
    Value::Object(top)
}
