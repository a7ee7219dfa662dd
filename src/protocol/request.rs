//! The host's side of a script's stdin: one JSON object, then end of file; and one more line for each answer to a
//! question.

use serde::Serialize;
use serde_json::Value;

use super::Object;

/// The ordinary operation: the script does its work.
pub const OPERATION_RUN: &str = "run";
/// The script returns its own input and output schema and does nothing else.
pub const OPERATION_DESCRIBE: &str = "describe";

/// One invocation's input (`contracts/script-input.schema.json`). Scripts ignore what they do not know.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The plan this belongs to.
    pub request_id: String,
    /// The `toolId` of the step.
    pub tool: String,
    /// [`OPERATION_RUN`] or [`OPERATION_DESCRIBE`].
    pub operation: String,
    /// Checked against the script's input schema before it is sent.
    pub input: Object,
    /// The user's configuration of this skill, `${VAR}` already substituted.
    pub config: Object,
    /// Only the slices of the state that the manifest asks for in `reads`.
    pub state: Value,
    /// Output of each dependency by `toolId`; null if an optional one gave none.
    pub inputs: Object,
    /// The only source of chance a script should use.
    pub seed: u64,
}

impl Request {
    /// The line as the script reads it, `\n` included.
    pub fn to_line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("a request holds only JSON values");
        line.push(b'\n');
        line
    }
}

/// Longest answer that a script reads, in bytes: a long paragraph. A front end refuses a longer one.
pub const ANSWER_BYTES_MAX: usize = 16 << 10;

/// The line that answers a question, `\n` included. An answer longer than [`ANSWER_BYTES_MAX`] is cut there.
pub fn answer_line(answer: &str) -> Vec<u8> {
    #[derive(Serialize)]
    struct AnswerLineJson<'a> {
        answer: &'a str,
    }
    let answer = &answer[..answer.floor_char_boundary(ANSWER_BYTES_MAX)];
    let mut line =
        serde_json::to_vec(&AnswerLineJson { answer }).expect("text can be written as JSON");
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The script reads one JSON object with every field, and no text can end its line.
    #[test]
    fn a_request_is_one_line() {
        let object = |key: &str| Object::from_iter([(key.to_owned(), Value::from("a\n\"b\""))]);
        let request = Request {
            request_id: "6ba7b810".to_owned(),
            tool: "roll".to_owned(),
            operation: OPERATION_RUN.to_owned(),
            input: object("sides"),
            config: Object::new(),
            state: Value::Object(object("hp")),
            inputs: Object::new(),
            seed: 7,
        };
        assert_eq!(
            String::from_utf8(request.to_line()).unwrap(),
            concat!(
                r#"{"requestId":"6ba7b810","tool":"roll","operation":"run","input":{"sides":"a\n\"b\""},"#,
                r#""config":{},"state":{"hp":"a\n\"b\""},"inputs":{},"seed":7}"#,
                "\n"
            )
        );
    }

    #[test]
    fn an_answer_is_one_line_and_no_longer_than_its_limit() {
        assert_eq!(answer_line("a \"friend\"\n"), b"{\"answer\":\"a \\\"friend\\\"\\n\"}\n");
        let long = format!("{}ü", "x".repeat(ANSWER_BYTES_MAX - 1));
        assert_eq!(answer_line(&long).len(), r#"{"answer":""}"#.len() + 1 + ANSWER_BYTES_MAX - 1);
    }
}
