//! A story that Twine has published as a page → its source in Twee 3. The elements `tw-storydata` and `tw-passagedata` are
//! read, wherever they stand; everything else of the page is the program that plays it.

use narratoria_protocol::bounded_text;

use crate::{
    CardProblem, IMPORT_FILE_BYTES_MAX, ImportNotes, STORY_TEXT_BYTES_MAX, card_text::one_line,
    entities::decode, twee::escape_head,
};

const STORY: &str = "tw-storydata";
const PASSAGE: &str = "tw-passagedata";

/// Attributes of one element that are read.
const ATTRIBUTES_MAX: usize = 40;

/// Returns true if a text is a page with a story of Twine.
pub(crate) fn is_twine_page(text: &str) -> bool {
    text.trim_start().starts_with('<') && find_tag(text, STORY).is_some()
}

/// An element: its attributes, and where its content begins.
struct Element<'t> {
    attributes: Vec<(String, &'t str)>,
    content: usize,
}

impl Element<'_> {
    fn attribute(&self, name: &str) -> String {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| decode(value)).unwrap_or_default()
    }
}

/// The source of the first story of a page.
pub(crate) fn twee_of_page(bytes: &[u8], notes: &mut ImportNotes) -> Result<String, CardProblem> {
    let text = bounded_text(bytes, IMPORT_FILE_BYTES_MAX)
        .map_err(|problem| CardProblem::Text { problem })?;
    let not_whole = || {
        CardProblem::Shape("is a page of Twine whose story is cut off; publish it again".to_owned())
    };
    let at = find_tag(text, STORY).ok_or_else(not_whole)?;
    let story = element(&text[at..]).ok_or_else(not_whole)?;
    let inner = &text[at + story.content..];
    let end = find(inner, "</tw-storydata").unwrap_or(inner.len());
    if find_tag(&inner[end..], STORY).is_some() {
        notes.not_mapped("further stories", "a page is read as its first story");
    }
    let inner = &inner[..end];
    let (mut passages, mut start) = (String::new(), String::new());
    let (start_id, mut rest) = (story.attribute("startnode"), inner);
    while let Some(at) = find_tag(rest, PASSAGE) {
        let Some(passage) = element(&rest[at..]) else { break };
        let body = &rest[at + passage.content..];
        let end = find(body, "</tw-passagedata").unwrap_or(body.len());
        let (name, tags) = (one_line(&passage.attribute("name")), passage.attribute("tags"));
        if start.is_empty() && passage.attribute("pid") == start_id {
            start.clone_from(&name);
        }
        add_passage(&mut passages, &name, &tags, &decode(&body[..end]))?;
        rest = &body[end..];
    }
    let mut code = String::new();
    for (tag, close, name, kind) in [
        ("script", "</script", "Story JavaScript", "script"),
        ("style", "</style", "Story Stylesheet", "stylesheet"),
    ] {
        let found = find_tag(inner, tag).and_then(|at| Some((at, element(&inner[at..])?)));
        if let Some((at, found)) = found {
            let body = &inner[at + found.content..];
            let body = &body[..find(body, close).unwrap_or(body.len())];
            if !body.trim().is_empty() {
                add_passage(&mut code, name, kind, body)?;
            }
        }
    }
    let mut data = serde_json::Map::new();
    for field in ["ifid", "format", "format-version"] {
        data.insert(field.to_owned(), story.attribute(field).into());
    }
    if !start.is_empty() {
        data.insert("start".to_owned(), start.into());
    }
    let mut twee = String::new();
    add_passage(&mut twee, "StoryTitle", "", &story.attribute("name"))?;
    add_passage(&mut twee, "StoryData", "", &format!("{:#}", serde_json::Value::Object(data)))?;
    twee += &passages;
    twee += &code;
    within(twee.len())?;
    notes.changed("the page", "it is kept as its source in Twee 3, without the program around it");
    Ok(twee)
}

fn within(bytes: usize) -> Result<(), CardProblem> {
    match bytes > STORY_TEXT_BYTES_MAX {
        true => Err(CardProblem::TooLong { bytes, limit: STORY_TEXT_BYTES_MAX }),
        false => Ok(()),
    }
}

/// Appends a passage in Twee 3.
fn add_passage(twee: &mut String, name: &str, tags: &str, body: &str) -> Result<(), CardProblem> {
    *twee += ":: ";
    *twee += &escape_head(name);
    if !tags.trim().is_empty() {
        *twee += &format!(" [{}]", escape_head(&one_line(tags)));
    }
    twee.push('\n');
    for line in body.trim().lines() {
        // A line of the text must not begin a passage.
        if line.starts_with("::") {
            twee.push('\\');
        }
        *twee += line;
        twee.push('\n');
    }
    twee.push('\n');
    within(twee.len())
}

/// Where a text of ASCII stands, in capitals or not.
fn find(text: &str, wanted: &str) -> Option<usize> {
    let (bytes, wanted) = (text.as_bytes(), wanted.as_bytes());
    let first = *wanted.first()?;
    let mut from = 0;
    while let Some(at) = bytes.get(from..)?.iter().position(|byte| *byte == first) {
        let found = bytes.get(from + at..from + at + wanted.len());
        if found.is_some_and(|found| found.eq_ignore_ascii_case(wanted)) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

/// Where an element of this name begins.
fn find_tag(text: &str, name: &str) -> Option<usize> {
    let open = format!("<{name}");
    let mut from = 0;
    while let Some(at) = find(&text[from..], &open) {
        let end = from + at + open.len();
        let ends_name = |char: char| char.is_ascii_whitespace() || matches!(char, '>' | '/');
        if text[end..].starts_with(ends_name) {
            return Some(from + at);
        }
        from = end;
    }
    None
}

/// Reads the tag at the beginning of a text. Values of attributes stand in quotation marks of either kind, or alone.
fn element(text: &str) -> Option<Element<'_>> {
    let name_len = text.find(|char: char| char.is_ascii_whitespace() || char == '>')?;
    let mut rest = &text[name_len..];
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start_matches(|char: char| char.is_whitespace() || char == '/');
        if let Some(content) = rest.strip_prefix('>') {
            return Some(Element { attributes, content: text.len() - content.len() });
        }
        let end =
            rest.find(|char: char| char.is_whitespace() || matches!(char, '=' | '>' | '/'))?;
        let name = rest[..end].to_ascii_lowercase();
        let after = rest[end..].trim_start();
        let Some(value) = after.strip_prefix('=').map(str::trim_start) else {
            // A sign that begins no name would never be passed otherwise.
            let step = if end == 0 { rest.chars().next()?.len_utf8() } else { end };
            rest = &rest[step..];
            continue;
        };
        let quote = value.chars().next().filter(|char| matches!(char, '"' | '\''));
        let (value, behind) = match quote {
            Some(quote) => value[1..].split_once(quote)?,
            None => value.split_at(value.find(|char: char| char.is_whitespace() || char == '>')?),
        };
        if attributes.len() < ATTRIBUTES_MAX {
            attributes.push((name, value));
        }
        rest = behind;
    }
}
