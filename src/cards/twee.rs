//! Twee 3: passages with heads, tags and metadata → a story of passages.

use std::collections::BTreeMap;

use narratoria_protocol::{JsonBounds, bounded_text, read_json};
use serde_json::Value;

use crate::{
    BranchingStory, CARD_DEPTH_MAX, CARD_VALUES_MAX, CardProblem, ImportNotes, PASSAGES_MAX,
    STORY_TEXT_BYTES_MAX, SourceChange, StoryFormat, StorySetting, StorySource, StoryValue,
    branching::distinct_name,
    card_text::one_line,
    entities::encode,
    passage_text::twine_text,
    taken_names::TakenNames,
    twee_markup::{TweeDialect, read_markup},
    variants::{DraftPassage, StoryPiece, ToldPassages, tell_passages},
};

/// A passage of the text.
struct TweePassage {
    name: String,
    tags: Vec<String>,
    body: String,
}

/// Passages that hold settings or parts of every screen.
const SPECIAL: &[&str] = &[
    "StoryTitle",
    "StoryData",
    "StorySettings",
    "StoryAuthor",
    "StorySubtitle",
    "StoryMenu",
    "StoryCaption",
    "StoryBanner",
    "StoryInit",
    "StoryInterface",
    "StoryShare",
    "StoryDisplayTitle",
    "StoryIncludes",
    "PassageHeader",
    "PassageFooter",
    "PassageReady",
    "PassageDone",
];

/// Tags of passages that are no passages of the story.
const CODE: &[&str] =
    &["script", "stylesheet", "widget", "annotation", "init", "startup", "header", "footer"];

/// Reads a Twee 3 text.
pub(crate) fn parse_twee(
    bytes: &[u8],
    notes: &mut ImportNotes,
) -> Result<BranchingStory, CardProblem> {
    let text = bounded_text(bytes, STORY_TEXT_BYTES_MAX)
        .map_err(|problem| CardProblem::Text { problem })?;
    let all = split(text, notes)?;
    let special =
        |name: &str| all.iter().find(|passage| passage.name == name).map(|it| it.body.trim());
    let data = special("StoryData").and_then(|body| story_data(body, notes));
    let field = |name: &str| data.as_ref().and_then(|data| data.get(name)).and_then(Value::as_str);
    let dialect = match field("format") {
        Some(format) if format.eq_ignore_ascii_case("chapbook") => TweeDialect::Chapbook,
        _ => TweeDialect::Common,
    };
    let mut passages = Vec::new();
    let mut first = BTreeMap::new();
    for passage in &all {
        let name = &passage.name;
        if name == "StoryInit" || passage.tags.iter().any(|tag| tag == "startup") {
            first.extend(values_of(read_markup(&passage.body, name, dialect, notes)?));
            continue;
        }
        if SPECIAL.contains(&name.as_str()) {
            if !["StoryTitle", "StoryData", "StoryAuthor"].contains(&name.as_str()) {
                notes.not_mapped(
                    format!("passage `{name}`"),
                    "a setting or a part of each screen of Twine",
                );
            }
            continue;
        }
        if let Some(tag) = passage.tags.iter().find(|tag| is_code(tag)) {
            notes.not_mapped(
                format!("passage `{name}`"),
                format!("its tag `{tag}` says that it is no text of the story"),
            );
            continue;
        }
        if !passage.tags.is_empty() {
            notes.not_mapped("tags of passages", "words of the author that readers do not see");
        }
        let pieces = read_markup(&passage.body, name, dialect, notes)?;
        passages.push(DraftPassage { name: name.clone(), pieces, ..DraftPassage::default() });
    }
    if passages.is_empty() {
        return Err(CardProblem::Shape(
            "is a Twee text without a passage; a passage begins with a line such as `:: Start`"
                .to_owned(),
        ));
    }
    let start = field("start").unwrap_or("Start");
    if !passages.iter().any(|passage| passage.name == start) {
        notes.loose("start", format!("there is no passage `{start}`, so the first one begins"));
    }
    let told = tell_passages(passages, &first, start, twine_text, notes)?;
    let ToldPassages { passages, variables, start } = told;
    let mut story = BranchingStory::build(StoryFormat::Twee, passages, &start, text, notes)?;
    story.variables = variables;
    story.title = special("StoryTitle").map(one_line).unwrap_or_default();
    story.author = special("StoryAuthor").map(one_line).unwrap_or_default();
    Ok(story)
}

/// The settings of a story.
fn story_data(body: &str, notes: &mut ImportNotes) -> Option<Value> {
    let bounds = JsonBounds {
        bytes_max: STORY_TEXT_BYTES_MAX,
        depth_max: CARD_DEPTH_MAX,
        values_max: CARD_VALUES_MAX,
    };
    let read = read_json(body.as_bytes(), bounds);
    if let Err(problem) = &read {
        notes.not_mapped("passage `StoryData`", problem.predicate());
    }
    read.ok()
}

/// What changes before a story begins: the values that it begins with.
fn values_of(pieces: Vec<StoryPiece>) -> impl Iterator<Item = (String, StoryValue)> {
    pieces.into_iter().filter_map(|piece| match piece {
        StoryPiece::Set(StorySetting {
            source: StorySource::Variable(name),
            change: SourceChange::To(value),
        }) => Some((name, value)),
        _ => None,
    })
}

fn is_code(tag: &str) -> bool {
    CODE.contains(&tag) || tag.starts_with("Twine.")
}

/// Returns true if a text looks like Twee: its first line that is not blank begins a passage.
pub(crate) fn is_twee(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| head_of(line).is_some())
}

/// Returns true if a file is Twee, by its name or its content.
pub(crate) fn is_twee_file(name: &str, bytes: &[u8]) -> bool {
    let lower = name.to_lowercase();
    let text = std::str::from_utf8(narratoria_protocol::without_byte_order_mark(bytes));
    text.is_ok_and(|text| lower.ends_with(".twee") || lower.ends_with(".tw") || is_twee(text))
}

/// Returns true if a Twee text has the settings of a story.
pub(crate) fn begins_story(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut heads = text.lines().filter_map(head_of);
    heads.any(|head| head.split_whitespace().next() == Some("StoryData"))
}

/// Returns the text behind the `::` of a head. Returns `None` if the line is no head.
fn head_of(line: &str) -> Option<&str> {
    line.strip_prefix("::").map(str::trim).filter(|head| !head.is_empty() && !head.starts_with(':'))
}

fn split(text: &str, notes: &mut ImportNotes) -> Result<Vec<TweePassage>, CardProblem> {
    let mut passages: Vec<TweePassage> = Vec::new();
    let mut names = TakenNames::default();
    for line in text.lines() {
        match head_of(line) {
            Some(head) => {
                let (wanted, tags) = parse_head(head, notes);
                let name = distinct_name(wanted, &mut names, notes);
                passages.push(TweePassage { name, tags, body: String::new() });
                if passages.len() > PASSAGES_MAX + SPECIAL.len() {
                    let (count, limit) = (passages.len(), PASSAGES_MAX);
                    return Err(CardProblem::TooMany { count, what: "passages or more", limit });
                }
            }
            None => match passages.last_mut() {
                Some(passage) => {
                    // An escaped head is text.
                    passage.body += line
                        .strip_prefix('\\')
                        .filter(|rest| rest.starts_with("::"))
                        .unwrap_or(line);
                    passage.body.push('\n');
                }
                None if line.trim().is_empty() => {}
                None => notes.not_mapped("text before the first passage", line),
            },
        }
    }
    Ok(passages)
}

/// Name and tags. A backslash makes the character after it plain.
fn parse_head(head: &str, notes: &mut ImportNotes) -> (String, Vec<String>) {
    let mut parts = [String::new(), String::new()];
    let (mut at, mut chars) = (0, head.char_indices());
    while let Some((offset, char)) = chars.next() {
        match char {
            '\\' => parts[at].extend(chars.next().map(|(_, char)| char)),
            '[' if at == 0 => at = 1,
            ']' if at == 1 => {
                metadata(head[offset + 1..].trim(), notes);
                break;
            }
            '{' if at == 0 => {
                metadata(&head[offset..], notes);
                break;
            }
            char => parts[at].push(char),
        }
    }
    let [name, tags] = parts;
    (one_line(&name), tags.split_whitespace().map(str::to_owned).collect())
}

fn metadata(text: &str, notes: &mut ImportNotes) {
    if !text.is_empty() {
        notes.not_mapped("metadata of passages", "places of passages on Twine's map");
    }
}

/// Escapes the characters that have a meaning in a head.
pub(crate) fn escape_head(name: &str) -> String {
    let mut escaped = String::new();
    for char in name.chars() {
        if matches!(char, '\\' | '[' | ']' | '{' | '}') {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// Writes a story in Twee 3.
pub(crate) fn write_twee(story: &BranchingStory, ifid: &str) -> String {
    let start =
        story.passages.get(story.start).map(|passage| passage.name.as_str()).unwrap_or_default();
    let data = serde_json::json!({ "ifid": ifid, "start": start });
    let data = serde_json::to_string_pretty(&data).unwrap_or_default();
    let mut text = format!(":: StoryTitle\n{}\n\n:: StoryData\n{data}\n", story.title);
    if !story.author.is_empty() {
        text += &format!("\n:: StoryAuthor\n{}\n", story.author);
    }
    for passage in &story.passages {
        // A line of the prose must not begin a passage, and none of its words be a reference.
        let body = encode(&passage.text).replace("\n::", "\n\\::");
        let body = body.strip_prefix("::").map(|rest| format!("\\::{rest}")).unwrap_or(body);
        text += &format!("\n:: {}\n{}\n", escape_head(&passage.name), body.trim_end());
        if !passage.links.is_empty() {
            text.push('\n');
        }
        for link in &passage.links {
            let label = encode(&link.label).replace("->", "→").replace("<-", "←").replace('|', "¦");
            let label = label.replace(['[', ']'], "");
            text += &match label == link.target {
                true => format!("[[{label}]]\n"),
                false => format!("[[{label}->{}]]\n", link.target),
            };
        }
    }
    text
}
