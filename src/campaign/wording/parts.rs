//! The parts that get words, their fields, and the request for each.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    given::GivenWords,
    rename::NameForm,
    rules::{WordingRule, WordingSlot},
};

/// Longest description of a place, in characters: three sentences.
const PLACE_CHARS_MAX: usize = 320;

/// Longest description of a person, in characters.
const PERSON_CHARS_MAX: usize = 240;

/// Longest description of a thing, in characters.
const THING_CHARS_MAX: usize = 160;

/// Longest words of a person, in characters.
const SPEECH_CHARS_MAX: usize = 200;

/// Longest text on a thing, and longest text of a thread, in characters.
const LETTER_CHARS_MAX: usize = 300;

/// Things that share a request.
const THINGS_TOGETHER: usize = 5;

/// Answers to questions about unknown topics.
const ANSWERS: usize = 2;

/// A part of the campaign that gets words in one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordedPart {
    Place(usize),
    Person(usize),
    /// Pointers to things and doors.
    Things(Vec<String>),
    Thread(usize),
    Player,
}

/// All parts of a draft, in the order in which their names settle.
pub(super) fn worded_parts(draft: &Value) -> Vec<WordedPart> {
    let count = |section: &str| draft[section].as_array().map_or(0, Vec::len);
    let pointers =
        |section: &'static str| (0..count(section)).map(move |n| format!("/{section}/{n}"));
    let mut parts = vec![WordedPart::Player];
    parts.extend((0..count("places")).map(WordedPart::Place));
    parts.extend((0..count("people")).map(WordedPart::Person));
    let things: Vec<String> = pointers("things").chain(pointers("doors")).collect();
    parts.extend(things.chunks(THINGS_TOGETHER).map(|some| WordedPart::Things(some.to_vec())));
    parts.extend((0..count("threads")).map(WordedPart::Thread));
    parts
}

impl WordedPart {
    /// For people, such as: the place `hall`.
    pub(super) fn about(&self, draft: &Value) -> String {
        let name = |pointer: &str| text_at(draft, &format!("{pointer}/name")).unwrap_or_default();
        match self {
            WordedPart::Place(n) => format!("the place `{}`", name(&format!("/places/{n}"))),
            WordedPart::Person(n) => format!("the person `{}`", name(&format!("/people/{n}"))),
            WordedPart::Thread(n) => format!("the thread `{}`", name(&format!("/threads/{n}"))),
            WordedPart::Player => "the player".to_owned(),
            WordedPart::Things(pointers) => {
                let names: Vec<String> =
                    pointers.iter().map(|pointer| format!("`{}`", name(pointer))).collect();
                format!("the things {}", names.join(", "))
            }
        }
    }

    fn pointers(&self) -> Vec<String> {
        match self {
            WordedPart::Place(n) => vec![format!("/places/{n}")],
            WordedPart::Person(n) => vec![format!("/people/{n}")],
            WordedPart::Thread(n) => vec![format!("/threads/{n}")],
            WordedPart::Player => vec!["/player".to_owned()],
            WordedPart::Things(pointers) => pointers.clone(),
        }
    }
}

/// Returns the fields of a part that the author did not write.
pub(super) fn slots_of(part: &WordedPart, draft: &Value, given: &GivenWords) -> Vec<WordingSlot> {
    let mut slots = PartSlots { draft, given, found: Vec::new() };
    for at in part.pointers() {
        let name = text_at(draft, &format!("{at}/name")).unwrap_or_default();
        match part {
            WordedPart::Place(_) => {
                slots.name(&at, NameForm::Place);
                slots.text("description", format!("{at}/description"), PLACE_CHARS_MAX);
            }
            WordedPart::Person(n) => {
                let is_made = slots.name(&at, NameForm::Person);
                slots.text("description", format!("{at}/description"), PERSON_CHARS_MAX);
                slots.speech(*n, is_made);
            }
            WordedPart::Things(_) => {
                slots.text(name, format!("{at}/description"), THING_CHARS_MAX);
                let key = format!("writing on {name}");
                slots.text(&key, format!("{at}/text"), LETTER_CHARS_MAX);
            }
            WordedPart::Thread(_) => {
                slots.text("opening", format!("{at}/opening"), LETTER_CHARS_MAX);
                slots.text("ending", format!("{at}/ending"), LETTER_CHARS_MAX);
            }
            WordedPart::Player => {
                slots.name(&at, NameForm::Person);
                slots.text("description", format!("{at}/description"), PERSON_CHARS_MAX);
            }
        }
    }
    slots.found
}

struct PartSlots<'s> {
    draft: &'s Value,
    given: &'s GivenWords,
    found: Vec<WordingSlot>,
}

impl PartSlots<'_> {
    /// The name, if the building blocks chose it. Returns true then.
    fn name(&mut self, at: &str, form: NameForm) -> bool {
        let pointer = format!("{at}/name");
        let Some(name) = text_at(self.draft, &pointer).filter(|name| !self.given.has_name(name))
        else {
            return false;
        };
        let (key, before) = ("name".to_owned(), name.to_owned());
        self.found.push(WordingSlot { key, pointer, rule: WordingRule::Name(form), before });
        true
    }

    /// A text, if the building blocks wrote it.
    fn text(&mut self, key: &str, pointer: String, chars_max: usize) {
        let text = text_at(self.draft, &pointer).filter(|text| !self.given.has_text(text));
        if let Some(text) = text {
            let (key, before) = (key.to_owned(), text.to_owned());
            self.found.push(WordingSlot {
                key,
                pointer,
                rule: WordingRule::Text { chars_max },
                before,
            });
        }
    }

    /// Adds the lines that a person says.
    fn speech(&mut self, n: usize, is_made: bool) {
        let at = format!("/people/{n}");
        for key in ["greeting", "thanks"] {
            self.text(key, format!("{at}/{key}"), SPEECH_CHARS_MAX);
        }
        let topics = self.draft.pointer(&format!("{at}/topics")).and_then(Value::as_array);
        for topic in 0..topics.map_or(0, Vec::len) {
            let pointer = format!("{at}/topics/{topic}");
            let about = text_at(self.draft, &format!("{pointer}/about/0")).unwrap_or_default();
            self.text(&format!("about {about}"), format!("{pointer}/says"), SPEECH_CHARS_MAX);
        }
        let pointer = format!("{at}/fallback");
        // A made person has the answers of the building blocks.
        if is_made {
            let rule = WordingRule::Lines { count: ANSWERS, chars_max: SPEECH_CHARS_MAX };
            let (key, before) = ("answers".to_owned(), String::new());
            self.found.push(WordingSlot { key, pointer, rule, before });
        }
    }
}

fn text_at<'d>(draft: &'d Value, pointer: &str) -> Option<&'d str> {
    draft.pointer(pointer).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// The request for the words of a part.
pub(super) fn task_of(
    part: &WordedPart,
    slots: &[WordingSlot],
    draft: &Value,
    names: &[String],
) -> String {
    let mut task = format!("Write words for {}.\n", part.about(draft));
    for at in part.pointers() {
        let _ = writeln!(task, "So far: {}", draft.pointer(&at).unwrap_or(&Value::Null));
    }
    if let WordedPart::Place(n) = part {
        let name = text_at(draft, &format!("/places/{n}/name")).unwrap_or_default();
        for (what, section) in [("Things there", "things"), ("People there", "people")] {
            let all = draft[section].as_array().into_iter().flatten();
            let there = all.filter(|one| one["place"] == name && one.get("hidden").is_none());
            let there: Vec<&str> = there.filter_map(|one| one["name"].as_str()).collect();
            if !there.is_empty() {
                let _ = writeln!(task, "{what}: {}.", there.join(", "));
            }
        }
    }
    task.push_str("Fields:\n");
    for slot in slots {
        let _ = write!(task, "- `{}`: {}", slot.key, what_is(slot));
        let required = slot.required_names(names);
        if !required.is_empty() {
            let _ = write!(task, "; it must name {}", required.join(", "));
        }
        task.push_str(".\n");
    }
    task
}

/// Returns the description of a field for the model.
fn what_is(slot: &WordingSlot) -> String {
    let chars_max = slot.rule.chars_max();
    match slot.rule {
        WordingRule::Name(NameForm::Place) => {
            "a name that belongs to this story, one or two words in small letters, without article"
                .to_owned()
        }
        WordingRule::Name(NameForm::Person) => {
            "a proper name that belongs to this story, one or two words".to_owned()
        }
        WordingRule::Lines { count, .. } => format!(
            "{count} answers in this person's own voice to questions that they know nothing about"
        ),
        WordingRule::Text { .. } => {
            let what = match slot.pointer.rsplit('/').next().unwrap_or_default() {
                "description" => "what can be seen, one to three sentences",
                "greeting" => "this person's first words to the player",
                "thanks" => "this person's words for getting what they want",
                "says" => "what this person says about it",
                "text" => "what can be read on it",
                "opening" => "how the player first hears of it",
                _ => "what the player reads when it is done",
            };
            format!("{what}, at most {chars_max} characters")
        }
    }
}
