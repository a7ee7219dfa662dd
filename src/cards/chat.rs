//! Chats: JSON lines, a head and a message each → plain messages. The lines themselves are kept.

use narratoria_protocol::{JsonBounds, read_json};
use serde_json::Value;

use crate::{
    CARD_DEPTH_MAX, CARD_VALUES_MAX, CHAT_BYTES_MAX, CHAT_MESSAGES_MAX, CardProblem, ImportNotes,
    loose::LooseObject,
};

/// A chat.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatLog {
    /// The player's name.
    pub player: String,
    /// The character's name.
    pub character: String,
    /// The messages that were said, in their order.
    pub messages: Vec<ChatLine>,
    /// All lines as they were read.
    pub original: Vec<Value>,
    /// Lines that cannot be read, as text, each with the number of lines of `original` before it.
    pub damaged: Vec<(usize, String)>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatLine {
    /// The name of the speaker.
    pub name: String,
    /// True if the player says it.
    pub by_player: bool,
    /// The program keeps it out of the talk.
    pub hidden: bool,
    /// The words.
    pub text: String,
    /// How many other versions there are.
    pub others: usize,
}

/// Good lines of a chat for each damaged one.
const GOOD_LINES_MIN: usize = 2;

const KNOWN: &[&str] = &[
    "name",
    "is_user",
    "is_system",
    "is_name",
    "mes",
    "send_date",
    "swipes",
    "swipe_id",
    "swipe_info",
    "gen_started",
    "gen_finished",
    "force_avatar",
    "original_avatar",
];

impl ChatLog {
    /// Reads a chat.
    pub fn parse(bytes: &[u8], notes: &mut ImportNotes) -> Result<ChatLog, CardProblem> {
        let bounds = JsonBounds {
            bytes_max: CHAT_BYTES_MAX,
            depth_max: CARD_DEPTH_MAX,
            values_max: CARD_VALUES_MAX,
        };
        if bytes.len() > CHAT_BYTES_MAX {
            return Err(CardProblem::TooLong { bytes: bytes.len(), limit: CHAT_BYTES_MAX });
        }
        let (mut original, mut damaged) = (Vec::new(), Vec::new());
        let mut problem = None;
        for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            match parse_line(line, at + 1, bounds) {
                Ok(value) => original.push(value),
                Err(why) => {
                    let text = String::from_utf8_lossy(line.trim_ascii()).into_owned();
                    damaged.push((original.len(), text));
                    notes.not_mapped(format!("line {}", at + 1), why.to_string());
                    problem.get_or_insert(why);
                }
            }
            let lines = original.len() + damaged.len();
            if lines > CHAT_MESSAGES_MAX + 1 {
                let (count, what, limit) = (lines - 1, "messages or more", CHAT_MESSAGES_MAX);
                return Err(CardProblem::TooMany { count, what, limit });
            }
        }
        // A file of which most cannot be read is no chat, whatever the rest of it says.
        match problem {
            Some(problem) if original.len() < damaged.len() * GOOD_LINES_MIN => Err(problem),
            _ => ChatLog::of_lines(original, damaged, notes),
        }
    }

    fn of_lines(
        original: Vec<Value>,
        damaged: Vec<(usize, String)>,
        notes: &mut ImportNotes,
    ) -> Result<ChatLog, CardProblem> {
        let is_head = |line: &Value| {
            line.get("mes").is_none()
                && ["user_name", "character_name", "chat_metadata"]
                    .iter()
                    .any(|field| line.get(field).is_some())
        };
        let (mut player, mut character) = (String::new(), String::new());
        let mut messages = Vec::new();
        for (at, line) in original.iter().enumerate() {
            let damaged_before = damaged.partition_point(|(before, _)| *before <= at);
            let path = format!("line {}", at + damaged_before + 1);
            let mut line_of = LooseObject::new(line, &path, notes);
            if at == 0 && is_head(line) {
                player = line_of.text(&["user_name"]);
                character = line_of.text(&["character_name"]);
                let known = ["user_name", "character_name", "create_date"];
                line_of.rest_is_not_mapped(&known, "settings of the program that wrote the chat");
                continue;
            }
            match parse_message(&mut line_of) {
                Some(message) => messages.push(message),
                None => notes.not_mapped(&path, "no message: it has no text `mes`"),
            }
        }
        if messages.is_empty() {
            return Err(CardProblem::Shape(
                "is no chat: none of its lines has the fields `name` and `mes`".to_owned(),
            ));
        }
        let first = |by_player: bool| {
            let found =
                messages.iter().find(|message| message.by_player == by_player && !message.hidden);
            found.map(|message| message.name.clone()).unwrap_or_default()
        };
        if player.is_empty() || player == "unused" {
            player = first(true);
        }
        if character.is_empty() || character == "unused" {
            character = first(false);
        }
        let others: usize = messages.iter().map(|message| message.others).sum();
        if others > 0 {
            notes.not_mapped("swipes", format!("{others} other versions of messages"));
        }
        let hidden = messages.iter().filter(|message| message.hidden).count();
        if hidden > 0 {
            notes
                .not_mapped("is_system", format!("{hidden} messages that are no part of the talk"));
        }
        Ok(ChatLog { player, character, messages, original, damaged })
    }

    /// The lines as they were read.
    pub fn write(&self) -> String {
        let mut damaged = self.damaged.iter().peekable();
        let mut text = String::new();
        for at in 0..=self.original.len() {
            while let Some((_, line)) = damaged.next_if(|(before, _)| *before == at) {
                text += &format!("{line}\n");
            }
            if let Some(line) = self.original.get(at) {
                text += &format!("{line}\n");
            }
        }
        text
    }
}

fn parse_line(line: &[u8], number: usize, bounds: JsonBounds) -> Result<Value, CardProblem> {
    let value = read_json(line, bounds)
        .map_err(|problem| CardProblem::Json { what: format!("line {number}"), problem })?;
    match value.is_object() {
        true => Ok(value),
        false => Err(CardProblem::Shape(format!(
            "is no chat: line {number} is no object; each line of a chat is `{{\"name\": …, \"mes\": …}}`"
        ))),
    }
}

fn parse_message(line: &mut LooseObject<'_, '_>) -> Option<ChatLine> {
    let words = line.get("mes")?;
    // Chub keeps a message as an object.
    let text = match words.get("message").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => line.text(&["mes"]),
    };
    let swipes = line.get("swipes").and_then(Value::as_array).map_or(0, Vec::len);
    let message = ChatLine {
        name: crate::card_text::one_line(&line.text(&["name"])),
        by_player: line.flag("is_user").unwrap_or(false),
        hidden: line.flag("is_system").unwrap_or(false),
        text,
        others: swipes.saturating_sub(1),
    };
    // Alike on each line: said once.
    let path = std::mem::take(&mut line.path);
    line.path = "message".to_owned();
    line.rest_is_not_mapped(KNOWN, "how the program that wrote the chat made the message");
    line.path = path;
    Some(message)
}
