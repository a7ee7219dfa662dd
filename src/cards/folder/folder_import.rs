//! A campaign folder while files are imported into it: its files, the added ones, and the record of each import.

use std::collections::BTreeSet;

use narratoria_protocol::{digest::sha256, visible::clip};
use serde_json::Value;

use super::{
    paths::{CARDS, FolderFiles, RECORD},
    plain_text::pretty,
    profile::{NAME_CHARS, person_name},
    sections::parts_of,
    toml_text::toml_string,
};
use crate::{ImportNotes, MacroNames, card_text::one_line, source::read_document};

/// A folder while files are imported into it.
pub(crate) struct FolderImport<'f> {
    pub(super) existing: &'f FolderFiles,
    pub(super) added: FolderFiles,
    pub(crate) notes: &'f mut ImportNotes,
    /// The player's name, if known.
    pub(crate) player: String,
    /// The paths that the present file has added.
    pub(super) current: BTreeSet<String>,
}

/// Files that several imports add to. No record claims them.
const SHARED: &[&str] = &[
    "manifest.json",
    "world/setting.md",
    "world/places.toml",
    "characters/people.toml",
    "characters/player/player.toml",
    "plot/qualities.toml",
    "plot/endings.toml",
];

impl FolderImport<'_> {
    pub(crate) fn get(&self, path: &str) -> Option<&[u8]> {
        self.added.get(path).or_else(|| self.existing.get(path)).map(Vec::as_slice)
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// Returns the path of a file directly in a folder that has this content.
    pub(super) fn find_content(&self, within: &str, content: &[u8]) -> Option<String> {
        let mut files = self.existing.iter().chain(&self.added);
        let found = files.find(|(path, bytes)| {
            path.strip_prefix(within).is_some_and(|name| !name.contains('/')) && *bytes == content
        });
        found.map(|(path, _)| path.clone())
    }

    pub(super) fn has_below(&self, prefix: &str) -> bool {
        [&self.added, self.existing].iter().any(|files| {
            files
                .range(prefix.to_owned()..)
                .next()
                .is_some_and(|(path, _)| path.starts_with(prefix))
        })
    }

    /// Sets the player's name: the requested one, otherwise that of the folder.
    pub(super) fn know_player(&mut self) {
        const PLAYER: &str = "characters/player/player.toml";
        let asked = crate::card_text::one_line(&self.player);
        self.player = asked.chars().take(60).collect();
        let there = self.get(PLAYER).map(|text| String::from_utf8_lossy(text).into_owned());
        match there {
            Some(text) if self.player.is_empty() => {
                let table = text.parse::<toml::Table>().unwrap_or_default();
                let name = table.get("name").and_then(toml::Value::as_str).unwrap_or_default();
                self.player = name.trim().to_owned();
            }
            None if !self.player.is_empty() => {
                let name = person_name(&self.player);
                self.put(PLAYER, format!("name = {}\n", toml_string(&name)));
            }
            _ => {}
        }
        self.current.clear();
    }

    /// Adds a file. A file with a fixed name is added only if the folder has none.
    pub(crate) fn put(&mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) {
        let path = path.into();
        self.current.insert(path.clone());
        self.added.insert(path, content.into());
    }

    /// Writes down which files the present import has made, so that an export sees what an author has changed.
    pub(crate) fn record(&mut self, name: &str, player: &str, person: &str) {
        let is_claimed =
            |path: &&String| !SHARED.contains(&path.as_str()) && !path.starts_with(CARDS);
        let current = std::mem::take(&mut self.current);
        let digests = current
            .iter()
            .filter(is_claimed)
            .filter_map(|path| Some((path.clone(), serde_json::json!(sha256(self.get(path)?)))));
        let files: serde_json::Map<String, serde_json::Value> = digests.collect();
        let record =
            serde_json::json!({ "version": 1, "player": player, "person": person, "files": files });
        self.put(format!("{name}{RECORD}"), pretty(&record));
        self.current.clear();
    }

    /// Adds a file if there is none. Returns false if there is one.
    pub(crate) fn put_if_missing(&mut self, path: &str, content: impl Into<Vec<u8>>) -> bool {
        let is_new = !self.has(path);
        if is_new {
            self.put(path, content);
        }
        is_new
    }

    /// A name for files of which no file begins with any of these, `{}` being the name.
    pub(crate) fn free_name(&self, name: &str, patterns: &[&str]) -> String {
        let is_free = |name: &String| {
            patterns.iter().all(|pattern| !self.has_below(&pattern.replace("{}", name)))
        };
        let numbered = (2..10_000).map(|number| format!("{name}-{number}"));
        let found = std::iter::once(name.to_owned()).chain(numbered).find(is_free);
        found.unwrap_or_else(|| name.to_owned())
    }

    /// The name, with a number if the folder has a profile of that name.
    pub(crate) fn free_person(&mut self, name: &str) -> String {
        let is_profile =
            |path: &String| path.starts_with("characters/npcs/") && path.ends_with("/profile.json");
        let files = self.existing.iter().chain(&self.added);
        let profiles = files.filter(|(path, _)| is_profile(path));
        let documents = profiles.filter_map(|(_, bytes)| read_document(bytes, "profile").ok());
        let name_of = |profile: Value| Some(profile.get("name")?.as_str()?.to_lowercase());
        let taken: BTreeSet<String> = documents.filter_map(name_of).collect();
        let short: String = name.chars().take(54).collect();
        let numbered = (2..10_000).map(|number| format!("{} {number}", short.trim_end()));
        let found = std::iter::once(name.to_owned())
            .chain(numbered)
            .find(|name| !taken.contains(&name.to_lowercase()));
        let found = found.unwrap_or_else(|| name.to_owned());
        if found != name {
            let why = format!("the campaign has a person of this name, so this one is `{found}`");
            self.notes.changed(format!("name `{name}`"), why);
        }
        found
    }

    /// How many parts of lore there are at most, and their bytes.
    pub(crate) fn lore_size(&self) -> (usize, usize) {
        let lore = |files: &FolderFiles| {
            let found =
                files.iter().filter(|(path, _)| path.starts_with("lore/") && path.ends_with(".md"));
            found.fold((0, 0), |(count, bytes), (_, content)| {
                (count + parts_of(&String::from_utf8_lossy(content)), bytes + content.len())
            })
        };
        let (there, added) = (lore(self.existing), lore(&self.added));
        (there.0 + added.0, there.1 + added.1)
    }

    pub(crate) fn names(&self, character: &str) -> MacroNames {
        // The name stands for each macro: a long one would make a small text a huge one.
        let character = clip(&one_line(character), NAME_CHARS).into_owned();
        MacroNames { character, player: self.player.clone() }
    }

    /// Adds the files that every campaign must have and that are missing.
    pub(crate) fn complete(&mut self, start: &CampaignText<'_>) {
        let version = if is_version(start.version) { start.version } else { "1.0.0" };
        let mut manifest = serde_json::json!({ "title": start.title, "version": version });
        for (field, text) in [("author", start.author), ("description", start.description)] {
            if !text.trim().is_empty() {
                manifest[field] = serde_json::json!(text.trim());
            }
        }
        if !start.tags.is_empty() {
            manifest["tags"] = serde_json::json!(start.tags);
        }
        self.put_if_missing("manifest.json", pretty(&manifest));
        self.put_if_missing(
            "world/setting.md",
            format!("# The setting\n\n{}\n", start.setting.trim()),
        );
    }
}

/// The texts of the files that every campaign must have.
#[derive(Default)]
pub(crate) struct CampaignText<'t> {
    pub(crate) title: &'t str,
    pub(crate) version: &'t str,
    pub(crate) author: &'t str,
    pub(crate) description: &'t str,
    pub(crate) setting: &'t str,
    pub(crate) tags: &'t [String],
}

/// `x.y.z` in numbers.
fn is_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok() && part.len() < 6)
}
