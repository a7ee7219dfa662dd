//! The files of a campaign, and the kind of each.

use narratoria_protocol::nearest::nearest;

/// The kind of a file of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileKind {
    Manifest,
    Profile,
    PlayerTemplate,
    BeatsJson,
    Places,
    Things,
    Factions,
    People,
    Player,
    Start,
    Qualities,
    Deck,
    Beats,
    Endings,
    Hints,
    Threads,
    Setting,
    Rules,
    Constraints,
    Premise,
    Ending,
    Lore,
    Keywords,
    Grammar,
    Media,
}

/// The file of the author's own wordings.
pub(crate) const GRAMMAR: &str = "grammar.gram";

/// Files at fixed paths. Each may have a second one, made by the program: `world/places_generated.toml`.
const FIXED: [(&str, FileKind); 19] = [
    ("manifest.json", FileKind::Manifest),
    (GRAMMAR, FileKind::Grammar),
    ("world/setting.md", FileKind::Setting),
    ("world/rules.md", FileKind::Rules),
    ("world/constraints.md", FileKind::Constraints),
    ("world/places.toml", FileKind::Places),
    ("world/things.toml", FileKind::Things),
    ("world/factions.toml", FileKind::Factions),
    ("characters/people.toml", FileKind::People),
    ("characters/player/player.toml", FileKind::Player),
    ("characters/player/template.json", FileKind::PlayerTemplate),
    ("plot/premise.md", FileKind::Premise),
    ("plot/start.toml", FileKind::Start),
    ("plot/qualities.toml", FileKind::Qualities),
    ("plot/beats.json", FileKind::BeatsJson),
    ("plot/beats.toml", FileKind::Beats),
    ("plot/endings.toml", FileKind::Endings),
    ("plot/hints.toml", FileKind::Hints),
    ("plot/threads.toml", FileKind::Threads),
];

/// Files of a name that the author chooses, as messages show them.
const CHOSEN: [&str; 6] = [
    "characters/npcs/NAME/profile.json",
    "plot/decks/NAME.toml",
    "plot/endings/NAME.md",
    "lore/NAME.md",
    "art/NAME",
    "music/NAME",
];

/// The mark in the name of a file that the program made.
const GENERATED_MARK: &str = "_generated";

/// Returns the kind of a file. The error for a path that is not part of a campaign suggests the one that was meant.
pub(crate) fn kind_of(path: &str) -> Result<FileKind, String> {
    // The program makes no wordings.
    let plain = if path.ends_with(".gram") { path.to_owned() } else { without_mark(path) };
    let fixed = FIXED.iter().find(|(known, _)| *known == plain);
    let parts: Vec<&str> = path.split('/').collect();
    match (fixed, parts.as_slice()) {
        (Some((_, kind)), _) => Ok(*kind),
        (_, ["characters", "npcs", _, "profile.json"]) => Ok(FileKind::Profile),
        (_, ["plot", "decks", name]) if name.ends_with(".toml") => Ok(FileKind::Deck),
        (_, ["plot", "endings", name]) if name.ends_with(".md") => Ok(FileKind::Ending),
        (_, ["lore", .., name]) if name.ends_with(".md") => Ok(FileKind::Lore),
        (_, [.., name]) if name.ends_with(".keywords.txt") => Ok(FileKind::Keywords),
        (_, ["art" | "music", _, ..]) => Ok(FileKind::Media),
        // Files that belong to any project, such as a readme or a licence.
        (_, [name]) if is_beside(name) => Ok(FileKind::Media),
        _ => Err(meant(path, &parts)),
    }
}

fn is_beside(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_lowercase();
    ["readme", "license", "licence", "copying", "changelog", "authors", "makefile"]
        .contains(&stem.as_str())
}

/// The way out for a file at a path that no campaign has.
fn meant(path: &str, parts: &[&str]) -> String {
    let lower = path.to_lowercase();
    if let Some((known, _)) = FIXED.iter().find(|(known, _)| *known == lower) {
        return format!("is not read: its name must be `{known}`, in small letters");
    }
    let name = parts.last().copied().unwrap_or_default();
    let same_name = FIXED.iter().find(|(known, _)| known.rsplit('/').next() == Some(name));
    let near = nearest(&lower, FIXED.iter().map(|(known, _)| *known));
    if let Some(known) = same_name.map(|(known, _)| (*known).to_owned()).or(near) {
        return format!("is not read; did you mean `{known}`?");
    }
    match CHOSEN.iter().find(|pattern| pattern.split('/').next() == parts.first().copied()) {
        Some(_) => {
            let here = FIXED.iter().map(|(known, _)| *known).chain(CHOSEN);
            let here = here.filter(|known| known.split('/').next() == parts.first().copied());
            let here: Vec<String> = here.map(|known| format!("`{known}`")).collect();
            format!("is not read; files here are {}", here.join(", "))
        }
        None => {
            "is not read: a campaign has `manifest.json` and the folders `world`, `characters`, `plot`, `lore`, `art` and `music`".to_owned()
        }
    }
}

/// `harbour` of `plot/decks/harbour.toml`.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

/// Returns true if the program generated the file.
pub(crate) fn is_generated(path: &str) -> bool {
    path.contains(GENERATED_MARK)
}

/// `world/places_generated.toml` for `world/places.toml`; later ones have a number.
pub(crate) fn generated_path(path: &str, number: usize) -> String {
    let (stem, ending) = path.rsplit_once('.').unwrap_or((path, ""));
    let number = if number > 1 { number.to_string() } else { String::new() };
    format!("{stem}{GENERATED_MARK}{number}.{ending}")
}

/// The path without the mark of generated files and their number.
fn without_mark(path: &str) -> String {
    match path.split_once(GENERATED_MARK) {
        Some((stem, rest)) => {
            format!("{stem}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        None => path.to_owned(),
    }
}
