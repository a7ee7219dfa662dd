//! The state under `/portraits/people`: whom the story has pictures of, and what they are drawn from.

use std::collections::BTreeMap;

use narratoria_facts::{bare, name_of, noise};
use narratoria_sdk::{Asset, Ctx, SkillError, Value, json};
use serde::{Deserialize, Serialize};

use crate::{drawing::draw, look::PortraitLook};

/// Most portraits of a story.
pub(crate) const PORTRAITS_MAX: usize = 200;
/// Longest description, in characters.
pub(crate) const DESCRIPTION_CHARS_MAX: usize = 400;

/// The media type of a portrait.
pub(crate) const MEDIA_TYPE: &str = "image/svg+xml";

/// The parts that a portrait is drawn from. Equal parts always give the same picture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Portrait {
    pub(crate) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mood: Option<String>,
    /// The file in the asset folder.
    pub(crate) path: String,
}

impl Portrait {
    pub(crate) fn new(name: &str, description: &str, mood: Option<&str>) -> Portrait {
        let mood = mood.map(str::to_owned);
        let number = noise(&[name, description, mood.as_deref().unwrap_or_default()], 0);
        let path = format!("portrait-{number:016x}.svg");
        Portrait { description: description.to_owned(), mood, path }
    }

    pub(crate) fn asset_id(&self) -> String {
        self.path.trim_end_matches(".svg").to_owned()
    }

    /// Draws it, writes the file and announces it.
    pub(crate) fn hang(&self, ctx: &mut Ctx, name: &str) -> Result<(), SkillError> {
        let look = PortraitLook::of(name, &self.description, self.mood.as_deref());
        let svg = draw(name, &self.description, &look);
        // A native test has no asset folder.
        let folder = if cfg!(target_os = "wasi") { "/assets".into() } else { std::env::temp_dir() };
        std::fs::write(folder.join(&self.path), svg)
            .map_err(|error| SkillError::new("NOT_WRITTEN", format!("`{}`: {error}", self.path)))?;
        let asset = Asset::new(self.asset_id(), "portrait", MEDIA_TYPE, &self.path);
        ctx.asset(&asset.metadata("name", name).metadata("alt", self.alt(name)));
        Ok(())
    }

    /// The picture in words, for those who cannot see it.
    fn alt(&self, name: &str) -> String {
        if self.description.is_empty() {
            format!("A portrait of {name}")
        } else {
            format!("A portrait of {name}: {}", self.description)
        }
    }
}

/// All portraits of the story, by name.
#[derive(Debug, Default)]
pub(crate) struct Gallery(BTreeMap<String, Portrait>);

impl Gallery {
    /// Reads the state. An entry that cannot be read counts as missing.
    pub(crate) fn read(ctx: &Ctx) -> Gallery {
        let stored = ctx.state().pointer("/portraits/people").and_then(Value::as_object);
        let mut portraits = BTreeMap::new();
        for (name, value) in stored.into_iter().flatten().take(PORTRAITS_MAX) {
            if let (Some(name), Ok(portrait)) = (name_of(name), Portrait::deserialize(value)) {
                let description = plain(&portrait.description);
                // The path follows from the rest, so a broken one cannot lead anywhere.
                let kept = Portrait::new(&name, &description, portrait.mood.as_deref());
                portraits.insert(name, kept);
            }
        }
        Gallery(portraits)
    }

    /// The portrait of the person with this name, or the only one whose name has it as a part.
    pub(crate) fn find(&self, name: &str) -> Option<(&str, &Portrait)> {
        let wanted = bare(name);
        if let Some((name, portrait)) = self.0.iter().find(|(name, _)| bare(name) == wanted) {
            return Some((name, portrait));
        }
        let has_part =
            |(name, _): &(&String, &Portrait)| bare(name).split(' ').any(|part| part == wanted);
        let mut parts = self.0.iter().filter(has_part);
        let (name, portrait) = parts.next()?;
        parts.next().is_none().then_some((name.as_str(), portrait))
    }

    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= PORTRAITS_MAX
    }
}

/// The patch that keeps a portrait.
pub(crate) fn patch_of(name: &str, portrait: &Portrait) -> Value {
    let entry: BTreeMap<&str, &Portrait> = [(name, portrait)].into();
    json!({ "portraits": { "people": entry } })
}

/// The description in visible characters and single spaces, cut at a word.
pub(crate) fn plain(text: &str) -> String {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let shown: String = text.chars().take(4 * DESCRIPTION_CHARS_MAX).map(visible).collect();
    let mut kept = String::new();
    for word in shown.split_whitespace() {
        if kept.chars().count() + 1 + word.chars().count() > DESCRIPTION_CHARS_MAX {
            break;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept += word;
    }
    kept
}
