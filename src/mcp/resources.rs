//! Resources: the stories with their state, memories and files, and the files of installed skills, each by its address.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use narratoria_protocol::visible::visible_json;
use narratoria_serve::{
    HostError, HostErrorKind, StoriesInPlay, StoryFile, WantedDocument, is_plain_part,
};
use narratoria_skills::SkillGuide;
use percent_encoding::percent_decode_str;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::Value;

use crate::{
    addresses::{SKILL_MD, SKILL_SCHEME, STORIES, skill_file_uri, story_uri},
    limits::MCP_RESOURCE_BYTES_MAX,
};

/// Bytes of an address. The longest has the name of a story and a path.
const URI_BYTES: usize = 4096;

const JSON: &str = "application/json";

/// The documents about a story that are resources of their own.
const STORY_DOCUMENTS: [(&str, &str); 5] = [
    ("state", "What the story holds for true"),
    ("memory", "What the story remembers"),
    ("assets", "The files that its turns have made"),
    ("log", "Its turns, the last one first"),
    ("map", "The places that the player knows"),
];

/// What an address names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ResourceName {
    Stories,
    Story(String),
    Document { story: String, about: String },
    Asset { story: String, id: String },
    SkillFile { skill: String, path: String },
}

fn decoded(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?.into_owned();
    is_plain_part(&text).then_some(text)
}

/// A name without a folder.
fn decoded_name(text: &str) -> Option<String> {
    decoded(text).filter(|name| !name.contains(['/', '\\']))
}

impl ResourceName {
    /// Returns `None` for an address that names nothing here. No part of it leads elsewhere.
    pub(crate) fn parse(uri: &str) -> Option<ResourceName> {
        if uri.len() > URI_BYTES {
            return None;
        }
        if let Some(rest) = uri.strip_prefix(SKILL_SCHEME) {
            let (skill, path) = rest.split_once('/')?;
            let (skill, path) = (decoded_name(skill)?, decoded(path)?);
            return Some(ResourceName::SkillFile { skill, path });
        }
        let rest = uri.strip_prefix(STORIES)?;
        if rest.is_empty() {
            return Some(ResourceName::Stories);
        }
        let mut parts = rest.strip_prefix('/')?.splitn(3, '/');
        let story = decoded_name(parts.next()?)?;
        match (parts.next(), parts.next()) {
            (None, _) => Some(ResourceName::Story(story)),
            (Some("assets"), Some(id)) => Some(ResourceName::Asset { story, id: decoded(id)? }),
            (Some(about), None) => {
                let about = decoded_name(about)?;
                let is_known = STORY_DOCUMENTS.iter().any(|(known, _)| *known == about);
                is_known.then_some(ResourceName::Document { story, about })
            }
            (Some(_), Some(_)) => None,
        }
    }
}

/// The stories with their documents, and the guides of the skills.
pub(crate) fn list(stories: &Value, guides: &[SkillGuide]) -> Vec<Resource> {
    let all = Resource::new(STORIES, "stories")
        .with_title("Stories")
        .with_description("The stories of the player")
        .with_mime_type(JSON);
    let mut listed = vec![all];
    let names = stories["stories"].as_array().into_iter().flatten();
    for name in names.filter_map(|story| story.get("name")?.as_str()) {
        let uri = story_uri(name);
        let story = Resource::new(uri.clone(), name)
            .with_description("The story as it is now: its last turns, and what may be chosen")
            .with_mime_type(JSON);
        listed.push(story);
        for (about, what) in STORY_DOCUMENTS {
            let document = Resource::new(format!("{uri}/{about}"), format!("{name}/{about}"))
                .with_description(what)
                .with_mime_type(JSON);
            listed.push(document);
        }
    }
    listed.extend(guides.iter().map(guide_resource));
    listed
}

fn guide_resource(guide: &SkillGuide) -> Resource {
    let resource = Resource::new(skill_file_uri(&guide.name, SKILL_MD), &guide.name)
        .with_mime_type("text/markdown");
    let bytes = guide.files.iter().find(|file| file.path == SKILL_MD).map(|file| file.bytes);
    let resource = match bytes {
        Some(bytes) => resource.with_size(bytes),
        None => resource,
    };
    match guide.front_matter.get("description").and_then(Value::as_str) {
        Some(description) => resource.with_description(description),
        None => resource,
    }
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let document = ResourceTemplate::new(format!("{STORIES}/{{story}}/{{document}}"), "document")
        .with_description("A document about a story: `state`, `memory`, `assets`, `log` or `map`")
        .with_mime_type(JSON);
    let asset = ResourceTemplate::new(format!("{STORIES}/{{story}}/assets/{{+id}}"), "asset")
        .with_description("A file that a turn has made, by the id that `assets` shows");
    let skill = ResourceTemplate::new(format!("{SKILL_SCHEME}{{skill}}/{{+path}}"), "skill file")
        .with_description("A file of an installed skill");
    vec![document, asset, skill]
}

/// Reads what belongs to a story.
pub(crate) async fn read_story(
    stories: &StoriesInPlay,
    name: ResourceName,
    uri: &str,
) -> Result<ReadResourceResult, HostError> {
    match name {
        ResourceName::Stories => Ok(json_result(uri, &stories.call(|host| host.stories()).await?)),
        ResourceName::Story(story) => Ok(json_result(uri, &stories.snapshot(&story).await?)),
        ResourceName::Document { story, about } => {
            let wanted = WantedDocument { about, ..WantedDocument::default() };
            let document = stories.call(move |host| host.document(&story, &wanted)).await?;
            Ok(json_result(uri, &document))
        }
        ResourceName::Asset { story, id } => {
            file_result(uri, stories.call(move |host| host.asset(&story, &id)).await?)
        }
        ResourceName::SkillFile { .. } => {
            Err(HostError::new(HostErrorKind::NotFound, "it is no part of a story"))
        }
    }
}

fn json_result(uri: &str, document: &Value) -> ReadResourceResult {
    let text = visible_json(&document.to_string()).into_owned();
    ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(JSON)])
}

/// The bytes of a file, to the byte: a text as it is, anything else in base64.
pub(crate) fn file_result(uri: &str, file: StoryFile) -> Result<ReadResourceResult, HostError> {
    let StoryFile { media_type, bytes, .. } = file;
    if bytes.len() > MCP_RESOURCE_BYTES_MAX {
        let what =
            format!("the file has {} bytes, the limit is {MCP_RESOURCE_BYTES_MAX}", bytes.len());
        return Err(HostError::new(HostErrorKind::Failed, what));
    }
    let contents = match String::from_utf8(bytes) {
        Ok(text) => ResourceContents::text(text, uri),
        Err(error) => ResourceContents::blob(STANDARD.encode(error.as_bytes()), uri),
    };
    Ok(ReadResourceResult::new(vec![contents.with_mime_type(media_type)]))
}

/// The type of a skill's file, by its ending.
pub(crate) fn media_type_of(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("md") => "text/markdown",
        Some("json") => JSON,
        Some("wasm") => "application/wasm",
        Some("txt") => "text/plain",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ResourceName, file_result, list};

    #[test]
    fn an_address_names_a_thing_and_leads_nowhere_else() {
        let story = |text: &str| text.to_owned();
        let read = ResourceName::parse;
        assert_eq!(read("narratoria://stories"), Some(ResourceName::Stories));
        assert_eq!(
            read("narratoria://stories/the%20tower"),
            Some(ResourceName::Story(story("the tower")))
        );
        assert_eq!(
            read("narratoria://stories/a/memory"),
            Some(ResourceName::Document { story: story("a"), about: story("memory") })
        );
        assert_eq!(
            read("narratoria://stories/a/assets/map/old.png"),
            Some(ResourceName::Asset { story: story("a"), id: story("map/old.png") })
        );
        assert_eq!(
            read("skill://omens/assets/a%20b"),
            Some(ResourceName::SkillFile { skill: story("omens"), path: story("assets/a b") })
        );
        for odd in [
            "",
            "narratoria://",
            "narratoria://stories/",
            "narratoria://stories/..",
            "narratoria://stories/%2e%2e",
            "narratoria://stories/a%2Fb",
            "narratoria://stories/a/assets/../../b",
            "narratoria://stories/a/assets/%2e%2e/b",
            "narratoria://stories/a/assets//etc/passwd",
            "narratoria://stories/a/passwords",
            "narratoria://stories/a/why/1",
            "narratoria://stories/a%00",
            "narratoria://stories/%ff",
            "skill://omens",
            "skill://../SKILL.md",
            "skill://omens/../../other/SKILL.md",
            "skill://omens/a\\..\\b",
            "file:///etc/passwd",
        ] {
            assert_eq!(read(odd), None, "{odd}");
        }
        assert_eq!(read(&format!("narratoria://stories/{}", "a".repeat(9000))), None);
    }

    #[test]
    fn each_story_is_listed_with_its_documents() {
        let listed = list(&json!({"stories": [{"name": "the tower"}]}), &[]);
        let uris: Vec<&str> = listed.iter().map(|resource| resource.uri.as_str()).collect();
        assert_eq!(
            uris[..4],
            [
                "narratoria://stories",
                "narratoria://stories/the%20tower",
                "narratoria://stories/the%20tower/state",
                "narratoria://stories/the%20tower/memory",
            ]
        );
        for uri in uris {
            assert!(ResourceName::parse(uri).is_some(), "{uri}");
        }
    }

    #[test]
    fn a_file_is_text_or_base64() {
        let file = |bytes: &[u8]| narratoria_serve::StoryFile {
            name: "map".to_owned(),
            media_type: "image/png".to_owned(),
            bytes: bytes.to_vec(),
        };
        let read = |bytes: &[u8]| {
            serde_json::to_value(file_result("a", file(bytes)).unwrap()).unwrap()["contents"][0]
                .clone()
        };
        assert_eq!(read(b"north"), json!({"uri": "a", "mimeType": "image/png", "text": "north"}));
        assert_eq!(read(b"\xff\x00"), json!({"uri": "a", "mimeType": "image/png", "blob": "/wA="}));
    }
}
