//! The fields of a card, independent of its format.

use serde_json::{Value, json};

use crate::WorldBook;

/// The format of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardFormat {
    /// Fields at the top of the document, as the first programs wrote them.
    V1,
    /// `chara_card_v2`.
    V2,
    /// `chara_card_v3`.
    V3,
    /// `char_name`, `char_persona` and so on, as text-generation programs wrote them.
    Pygmalion,
    /// `persona`, `greeting` and `sampleChat`.
    Agnai,
}

/// The fields of a card. Texts are as they were written, with their macros.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardFields {
    /// The character's name.
    pub name: String,
    /// The nickname; empty if the name is used.
    pub nickname: String,
    /// The description of the character.
    pub description: String,
    /// The character's personality.
    pub personality: String,
    /// The situation in which the story begins.
    pub scenario: String,
    /// The first message.
    pub first_message: String,
    /// Others to begin with.
    pub greetings: Vec<String>,
    /// Examples of how the character speaks.
    pub examples: String,
    /// The author's notes about the card.
    pub creator_notes: String,
    /// An instruction to a language model.
    pub system_prompt: String,
    /// Another one, after the chat.
    pub post_history_instructions: String,
    /// Words to find the card by.
    pub tags: Vec<String>,
    /// The author.
    pub creator: String,
    /// The author's version.
    pub character_version: String,
    /// How the character looks, where a program keeps it apart.
    pub appearance: String,
}

/// A picture or a sound that a card names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardAsset {
    /// `icon`, `emotion`, `background`, `user_icon` or a program's own kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The extension of its file.
    pub extension: String,
    /// The place of the file.
    pub place: AssetPlace,
}

/// The place of an asset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssetPlace {
    /// A file of the archive.
    File(String),
    /// A text of the PNG picture.
    PngText(String),
    /// The picture of the card itself.
    Default,
    /// The bytes stand in the card as base64.
    Data(String),
    /// An address in the network, or a place of an unknown form.
    Elsewhere(String),
}

impl CardFields {
    /// The fields of V2 with these values.
    pub(crate) fn to_data(&self) -> Value {
        json!({
            "name": self.name,
            "description": self.description,
            "personality": self.personality,
            "scenario": self.scenario,
            "first_mes": self.first_message,
            "mes_example": self.examples,
            "creator_notes": self.creator_notes,
            "system_prompt": self.system_prompt,
            "post_history_instructions": self.post_history_instructions,
            "alternate_greetings": self.greetings,
            "tags": self.tags,
            "creator": self.creator,
            "character_version": self.character_version,
            "extensions": {},
        })
    }

    /// Returns the nickname, or the name if there is none.
    pub fn called(&self) -> &str {
        if self.nickname.trim().is_empty() { &self.name } else { &self.nickname }
    }
}

/// Why an instruction to a model has no place.
pub(crate) const MODEL: &str = "an instruction to a language model, which a campaign does not hold";

/// Why a program's own field has no place.
pub(crate) const PROGRAM: &str = "of the program that wrote the card";

pub(crate) type ParsedCard = (CardFields, Option<WorldBook>, Vec<CardAsset>);
