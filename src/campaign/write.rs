//! Writes files into the folder of a campaign: what was made where the author wrote nothing, and new campaigns. No file that
//! is there changes.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use narratoria_protocol::is_campaign_name;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    assemble::MadeWords, compile::CampaignParts, kinds::generated_path, schemas::editor_schemas,
};

/// The first line of a file that the program made.
const MADE_LINE: &str =
    "# The program made this file. Change it as you like, then take `_generated` out of its name.";

/// Most files of one kind that the program makes in a campaign: it makes one each time that something is missing.
const MADE_FILES_MAX: usize = 100;

/// Why files cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum CampaignWriteError {
    /// Not a name for a folder.
    #[error(
        "`{name}` cannot be the name of a campaign: write small letters (a-z), digits and single hyphens"
    )]
    BadName {
        /// As it was given.
        name: String,
    },
    /// Nothing is overwritten.
    #[error("`{}` is there already, and nothing is overwritten", path.display())]
    Taken {
        /// The file or folder.
        path: PathBuf,
    },
    /// The folder in which the campaign should lie.
    #[error("there is no folder `{}`", path.display())]
    NoFolder {
        /// As it was given.
        path: PathBuf,
    },
    /// The system says no.
    #[error("`{}` cannot be written", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
}

/// The files of a template: path → bytes.
type TemplateFiles = &'static [(&'static str, &'static [u8])];

macro_rules! template {
    ($name:literal: $($path:literal)*) => {
        &[$(($path, include_bytes!(concat!("template/", $name, "/", $path)))),*]
    };
}

/// The smallest campaign that shows how it is done.
static MINIMAL: TemplateFiles = template! {
    "minimal": "manifest.json" "grammar.gram" "world/setting.md" "world/places.toml" "world/things.toml" "characters/people.toml"
    "characters/player/player.toml" "plot/premise.md" "plot/start.toml" "plot/qualities.toml" "plot/decks/bridge.toml"
    "plot/endings.toml"
};

/// Every file and every field.
static FULL: TemplateFiles = template! {
    "full": "manifest.json" "grammar.gram" "world/setting.md" "world/rules.md" "world/constraints.md" "world/places.toml"
    "world/things.toml" "world/factions.toml" "characters/people.toml" "characters/npcs/mina-holt/profile.json"
    "characters/npcs/jonas-weir/profile.json" "characters/player/player.toml" "characters/player/template.json"
    "plot/premise.md" "plot/start.toml" "plot/qualities.toml" "plot/decks/harbour.toml" "plot/beats.toml"
    "plot/beats.json" "plot/endings.toml" "plot/endings/the-tide.md" "plot/hints.toml" "plot/threads.toml"
    "lore/the-great-tide.md" "lore/the-great-tide.keywords.txt" "art/harbour.png"
};

/// The content that a new campaign begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CampaignStartingPoint {
    /// Two places, a person, a thing and a choice.
    Minimal,
    /// An example of every file and every field.
    Full,
}

/// The files of a template: path → bytes. `NAME` in the manifest stands for the title.
pub fn template_files(from: CampaignStartingPoint, name: &str) -> Vec<(String, Vec<u8>)> {
    let files = match from {
        CampaignStartingPoint::Minimal => MINIMAL,
        CampaignStartingPoint::Full => FULL,
    };
    let title = world_model::words::capitalised(&name.replace('-', " "));
    let filled = files.iter().map(|(path, bytes)| {
        let bytes = if *path == "manifest.json" {
            String::from_utf8_lossy(bytes).replace("NAME", &title).into_bytes()
        } else {
            bytes.to_vec()
        };
        ((*path).to_owned(), bytes)
    });
    let schemas = editor_schemas().into_iter().map(|(name, text)| {
        let path = format!("schemas/{name}.schema.json");
        (path, text.into_bytes())
    });
    filled.chain(schemas).collect()
}

/// Makes the folder `name` in `parent`.
pub fn create_campaign(
    parent: &Path,
    name: &str,
    from: CampaignStartingPoint,
) -> Result<PathBuf, CampaignWriteError> {
    if !is_campaign_name(name) {
        return Err(CampaignWriteError::BadName { name: name.to_owned() });
    }
    if !parent.is_dir() {
        return Err(CampaignWriteError::NoFolder { path: parent.to_owned() });
    }
    let folder = parent.join(name);
    match fs::create_dir(&folder) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(CampaignWriteError::Taken { path: folder });
        }
        Err(source) => return Err(CampaignWriteError::Io { path: folder, source }),
    }
    for (path, bytes) in template_files(from, name) {
        write_new(&folder.join(path), &bytes)?;
    }
    Ok(folder)
}

/// Writes the generated parts into files of their own, and returns their paths within the folder.
pub fn write_made(folder: &Path, parts: &CampaignParts) -> Result<Vec<String>, CampaignWriteError> {
    let files = made_files(parts, &|path| folder.join(path).exists());
    for (path, text) in &files {
        write_new(&folder.join(path), text.as_bytes())?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// Returns the generated parts as files, path → text. A path that is taken gets a number. A file with a model's words
/// names the model.
pub fn made_files(parts: &CampaignParts, is_taken: &dyn Fn(&str) -> bool) -> Vec<(String, String)> {
    let made = &parts.made;
    let mut files = Vec::new();
    let mut add = |path: &str, sections: &[&str], text: String| {
        let mut free = (1..MADE_FILES_MAX).map(|number| generated_path(path, number));
        let free = free.find(|path| !is_taken(path)).unwrap_or_else(|| generated_path(path, 1));
        let has = |words: &&MadeWords| sections.iter().any(|it| words.sections.contains(*it));
        let writer = made.words.as_ref().filter(has).map_or_else(String::new, |words| {
            format!("generated_by = {}\n", inline(&json!(words.writer)))
        });
        files.push((free, format!("{MADE_LINE}\ngenerated = true\n{writer}{text}")));
    };
    if let Some(world) = &made.world {
        let places = lists("place", &world.places) + &lists("door", &world.doors);
        add("world/places.toml", &["places", "doors"], places);
        add("world/things.toml", &["things"], lists("thing", &world.things));
        if !world.threads.is_empty() {
            add("plot/threads.toml", &["threads"], lists("thread", &world.threads));
        }
    }
    if !made.people.is_empty() {
        add("characters/people.toml", &["people"], lists("person", &made.people));
    }
    if !made.player.is_empty() {
        add("characters/player/player.toml", &["player"], table(&made.player));
    }
    if !made.start.is_empty() {
        add("plot/start.toml", &["start"], table(&made.start));
    }
    files
}

/// Writes a file that is not there yet.
fn write_new(path: &Path, bytes: &[u8]) -> Result<(), CampaignWriteError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => CampaignWriteError::Taken { path: path.to_owned() },
        _ => CampaignWriteError::Io { path: path.to_owned(), source },
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(bytes).map_err(failed)
}

/// `[[key]]` for each item.
fn lists(key: &str, items: &[impl Serialize]) -> String {
    let items = items.iter().filter_map(|item| match serde_json::to_value(item) {
        Ok(Value::Object(fields)) => Some(fields),
        _ => None,
    });
    items.map(|fields| format!("\n[[{key}]]\n{}", table(&fields))).collect()
}

/// `key = value` for each field.
fn table(fields: &Map<String, Value>) -> String {
    fields.iter().map(|(key, value)| format!("{} = {}\n", key_text(key), inline(value))).collect()
}

fn inline(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields =
                fields.iter().map(|(key, value)| format!("{} = {}", key_text(key), inline(value)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        // TOML escapes the characters in a text that JSON escapes, and one more.
        other => other.to_string().replace('\u{7f}', "\\u007f"),
    }
}

fn key_text(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !key.is_empty() && key.chars().all(is_bare) {
        key.to_owned()
    } else {
        json!(key).to_string()
    }
}
