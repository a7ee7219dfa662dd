//! The table of tools, and a call of one as the server carries it out.

use std::sync::LazyLock;

use narratoria_serve::{DOCUMENTS, NewStory, WantedDocument};
use rmcp::{
    ErrorData,
    model::{JsonObject, Tool},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{ToolWork, call_error::CallError};

/// Most characters of the id of a call, as on the page.
const REQUEST_ID_CHARS: usize = 64;

/// Most packages of one check.
const PACKAGES: usize = 64;

/// Most seconds that a check may ask for. The process has some more, to write its report.
const SECONDS: u32 = 800;

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    // The page is a part of the program, and a test reads it.
    serde_json::from_value(tools_page()).expect("the table of tools has their form")
});

fn tools_page() -> Value {
    let page = include_bytes!("tools.json");
    let bounds = narratoria_protocol::JsonBounds::of_bytes(page.len());
    narratoria_protocol::read_json(page, bounds).expect("the table of tools is JSON")
}

/// All tools, in the order in which they are shown.
pub(crate) fn tools() -> &'static [Tool] {
    &TOOLS
}

/// What a client asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ToolCall {
    Stories,
    Campaigns,
    Skills,
    New { new: NewStory, id: Option<String> },
    Say { story: String, text: String, id: Option<String>, after: Option<u64> },
    Wait { story: String },
    Read { story: String, wanted: WantedDocument },
    Stop { story: String },
    Close { story: String },
    Work(ToolWork),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoArguments {}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewStoryCall {
    campaign: Option<String>,
    premise: Option<String>,
    name: Option<String>,
    request_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SayCall {
    story: String,
    text: String,
    after: Option<u64>,
    request_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoryCall {
    story: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MoveCall {
    story: String,
    turns: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadCall {
    story: String,
    about: String,
    turn: Option<TurnName>,
    pointer: Option<String>,
    before: Option<u64>,
    count: Option<u64>,
}

/// A turn by its number, or as `narratoria story` names it.
#[derive(Deserialize)]
#[serde(untagged)]
enum TurnName {
    Number(u64),
    Text(String),
}

/// Reads the arguments of a tool.
fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, CallError> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        CallError::bad_input(format!("the arguments are not as they should be: {error}"))
    })
}

fn check_id(id: Option<&str>) -> Result<(), CallError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match id {
        Some(id) if !(1..=REQUEST_ID_CHARS).contains(&id.len()) || !id.chars().all(is_plain) => {
            let what = "`requestId` must have 1 to 64 letters, digits, `-` or `_`";
            Err(CallError::bad_input(what))
        }
        _ => Ok(()),
    }
}

fn check_seconds(seconds: Option<u32>) -> Result<(), CallError> {
    match seconds {
        Some(seconds) if !(1..=SECONDS).contains(&seconds) => {
            Err(CallError::bad_input(format!("`seconds` is {seconds}, it must be 1 to {SECONDS}")))
        }
        _ => Ok(()),
    }
}

impl ToolCall {
    /// Reads a call. An unknown tool is an error of the protocol, and a wrong argument one that the caller can mend.
    pub(crate) fn parse(name: &str, arguments: Option<JsonObject>) -> Result<ToolCall, CallError> {
        let arguments = arguments.unwrap_or_default();
        Ok(match name {
            "story_list" => read(arguments).map(|NoArguments {}| ToolCall::Stories)?,
            "campaign_list" => read(arguments).map(|NoArguments {}| ToolCall::Campaigns)?,
            "skill_list" => read(arguments).map(|NoArguments {}| ToolCall::Skills)?,
            "story_new" => {
                let NewStoryCall { campaign, premise, name, request_id: id } = read(arguments)?;
                check_id(id.as_deref())?;
                ToolCall::New { new: NewStory { campaign, premise, name }, id }
            }
            "story_turn" => say(read(arguments)?)?,
            "story_undo" => go("/undo", read(arguments)?),
            "story_redo" => go("/redo", read(arguments)?),
            "story_wait" => read(arguments).map(|StoryCall { story }| ToolCall::Wait { story })?,
            "story_stop" => read(arguments).map(|StoryCall { story }| ToolCall::Stop { story })?,
            "story_close" => {
                read(arguments).map(|StoryCall { story }| ToolCall::Close { story })?
            }
            "story_read" => read_document(read(arguments)?)?,
            "skill_inspect" => ToolCall::Work(ToolWork::InspectSkill(read(arguments)?)),
            "skill_run" => ToolCall::Work(ToolWork::RunScript(read(arguments)?)),
            "skill_check" => {
                let check: crate::CheckSkillsWork = read(arguments)?;
                check_seconds(check.seconds)?;
                if !(1..=PACKAGES).contains(&check.packages.len()) {
                    let what = format!("`packages` must name 1 to {PACKAGES} packages");
                    return Err(CallError::bad_input(what));
                }
                ToolCall::Work(ToolWork::CheckSkills(check))
            }
            "campaign_check" => {
                let check: crate::CheckCampaignWork = read(arguments)?;
                check_seconds(check.seconds)?;
                ToolCall::Work(ToolWork::CheckCampaign(check))
            }
            "eval" => {
                let evaluate: crate::EvaluateWork = read(arguments)?;
                if evaluate.cases.is_empty() == evaluate.file.is_none() {
                    return Err(CallError::bad_input("one of `cases` and `file` is needed"));
                }
                ToolCall::Work(ToolWork::Evaluate(evaluate))
            }
            _ => {
                let error = ErrorData::invalid_params(format!("there is no tool `{name}`"), None);
                return Err(CallError::Protocol(error));
            }
        })
    }
}

/// True for work that takes a minute: a task for clients that have tasks.
pub(crate) fn is_long(work: &ToolWork) -> bool {
    match work {
        ToolWork::CheckSkills(_) | ToolWork::CheckCampaign(_) | ToolWork::Evaluate(_) => true,
        ToolWork::InspectSkill(_) | ToolWork::RunScript(_) => false,
    }
}

fn say(SayCall { story, text, after, request_id: id }: SayCall) -> Result<ToolCall, CallError> {
    check_id(id.as_deref())?;
    if text.trim().is_empty() || text.contains(['\n', '\r']) {
        return Err(CallError::bad_input("`text` must be one line, and not an empty one"));
    }
    Ok(ToolCall::Say { story, text, id, after })
}

/// Goes to another turn, as a line of the player does.
fn go(order: &str, MoveCall { story, turns }: MoveCall) -> ToolCall {
    let text = format!("{order} {}", turns.unwrap_or(1));
    ToolCall::Say { story, text, id: None, after: None }
}

fn read_document(call: ReadCall) -> Result<ToolCall, CallError> {
    let ReadCall { story, about, turn, pointer, before, count } = call;
    if !DOCUMENTS.contains(&about.as_str()) {
        let what = format!("there is no document `{about}` of a story");
        return Err(CallError::bad_input(what).hint(&DOCUMENTS.join(", ")));
    }
    let turn = turn.map(|turn| match turn {
        TurnName::Number(number) => number.to_string(),
        TurnName::Text(text) => text,
    });
    Ok(ToolCall::Read { story, wanted: WantedDocument { about, turn, pointer, before, count } })
}

#[cfg(test)]
mod tests {
    use narratoria_serve::DOCUMENTS;
    use serde_json::{Value, json};

    use super::{ToolCall, tools};
    use crate::call_error::CallError;

    #[track_caller]
    fn parse(name: &str, arguments: Value) -> Result<ToolCall, String> {
        let arguments = serde_json::from_value(arguments).unwrap();
        ToolCall::parse(name, Some(arguments)).map_err(|error| match error {
            CallError::Tool(error) => error.message,
            CallError::Protocol(error) => format!("{}: {}", error.code.0, error.message),
        })
    }

    /// Values that fit each property of the tools.
    fn example(property: &str) -> Value {
        match property {
            "packages" => json!(["omens"]),
            "cases" => json!([{}]),
            "answers" => json!([]),
            "input" => json!({}),
            "examples" | "strict" => json!(true),
            "about" => json!("why"),
            "after" | "turns" | "before" | "count" | "seed" | "seconds" | "walks" | "misses"
            | "timeoutMs" => json!(1),
            _ => json!("text"),
        }
    }

    /// What the table promises is read, and nothing else.
    #[test]
    fn each_tool_of_the_table_takes_its_arguments_and_no_others() {
        assert!(tools().len() > 10);
        for tool in tools() {
            let schema = Value::Object((*tool.input_schema).clone());
            let properties = schema["properties"].as_object().unwrap();
            let all = properties.keys().map(|key| (key.clone(), example(key)));
            let mut all: serde_json::Map<String, Value> = all.collect();
            if tool.name == "eval" {
                all.remove("file");
            }
            parse(&tool.name, Value::Object(all.clone()))
                .unwrap_or_else(|error| panic!("{}: {error}", tool.name));
            for required in schema["required"].as_array().into_iter().flatten() {
                let mut without = all.clone();
                without.remove(required.as_str().unwrap());
                assert!(parse(&tool.name, Value::Object(without)).is_err(), "{}", tool.name);
            }
            all.insert("approve".to_owned(), json!(true));
            let refused = parse(&tool.name, Value::Object(all)).unwrap_err();
            assert!(refused.contains("unknown field `approve`"), "{}: {refused}", tool.name);
            let hints = tool.annotations.as_ref().expect("a tool says what it does");
            assert!(hints.read_only_hint.is_some() && hints.open_world_hint.is_some());
        }
    }

    #[test]
    fn the_documents_of_a_story_are_those_of_the_page() {
        let read = tools().iter().find(|tool| tool.name == "story_read").unwrap();
        let schema = Value::Object((*read.input_schema).clone());
        assert_eq!(schema["properties"]["about"]["enum"], json!(DOCUMENTS));
    }

    #[test]
    fn a_wrong_argument_is_named_and_an_unknown_tool_is_no_call() {
        let wrong = |name: &str, arguments: Value| parse(name, arguments).unwrap_err();
        assert_eq!(wrong("sing", json!({})), "-32602: there is no tool `sing`");
        assert_eq!(
            wrong("story_turn", json!({"story": "a", "text": "b\nc"})),
            "`text` must be one line, and not an empty one"
        );
        assert_eq!(
            wrong("story_read", json!({"story": "a", "about": "passwords"})),
            "there is no document `passwords` of a story"
        );
        assert_eq!(wrong("eval", json!({})), "one of `cases` and `file` is needed");
        assert_eq!(
            wrong("skill_check", json!({"packages": ["a"], "seconds": 0})),
            "`seconds` is 0, it must be 1 to 800"
        );
    }
}
