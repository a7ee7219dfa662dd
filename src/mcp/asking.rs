//! What is asked of the player, through the client: approvals and questions as forms of an elicitation, and what an answer
//! decides.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use narratoria_protocol::visible::{clip, visible, visible_line};
use narratoria_serve::{StepDecision, StepWant, UndecidedStep};
use rmcp::{
    RoleServer,
    model::{ClientResult, ElicitRequest, InputRequest, ProtocolVersion, ServerRequest},
    service::{PeerRequestOptions, RequestContext},
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::limits::MCP_ANSWER_TIME_MAX;

/// Characters of an input that a form shows.
const INPUT_CHARS: usize = 4000;

/// The field of a form that has the decision about an approval.
const DECISION: &str = "decision";
const APPROVE: &str = "approve";
const DENY: &str = "deny";

/// The field that has the answer to a question.
const ANSWER: &str = "answer";

/// How a client can be asked for the player's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskingWay {
    /// The result of the call has the questions, and the next call has the answers.
    ByResult,
    /// A request to the client, while its call waits.
    ByRequest,
    /// The client shows no forms.
    Never,
}

impl AskingWay {
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> AskingWay {
        let capabilities = context.client_capabilities();
        let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
        // Before there were other kinds, the capability meant forms.
        let has_forms = elicitation.is_some_and(|it| it.form.is_some() || it.url.is_none());
        let version = context.protocol_version();
        let is_new =
            version.is_some_and(|it| it.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        match (has_forms, is_new) {
            (false, _) => AskingWay::Never,
            (true, true) => AskingWay::ByResult,
            (true, false) => AskingWay::ByRequest,
        }
    }
}

/// A client that can be asked while its call waits.
#[derive(Clone, Copy)]
pub(crate) struct AskedClient<'a> {
    pub(crate) context: &'a RequestContext<RoleServer>,
    /// Cancelled when the client sends nothing more.
    pub(crate) gone: &'a CancellationToken,
}

/// The steps that a client is being asked about, so that no two calls ask about one.
#[derive(Default)]
pub(crate) struct AskedSteps(Mutex<HashSet<(String, String)>>);

/// The right to ask about a step.
pub(crate) struct AskingRight<'a> {
    asked: &'a AskedSteps,
    step: (String, String),
}

impl AskedSteps {
    fn lock(&self) -> MutexGuard<'_, HashSet<(String, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns `None` if another call asks about it.
    pub(crate) fn begin(&self, story: &str, tool_id: &str) -> Option<AskingRight<'_>> {
        let step = (story.to_owned(), tool_id.to_owned());
        // A right that is made and dropped takes the lock itself.
        let is_first = self.lock().insert(step.clone());
        is_first.then(|| AskingRight { asked: self, step })
    }
}

impl Drop for AskingRight<'_> {
    fn drop(&mut self) {
        self.asked.lock().remove(&self.step);
    }
}

/// A form with one field.
pub(crate) struct PlayerForm {
    message: String,
    field: &'static str,
    schema: Value,
}

impl PlayerForm {
    /// Asks for the approval of something, which `what` describes.
    pub(crate) fn approval(what: &str, input: &Value, description: Option<&str>) -> PlayerForm {
        let purpose =
            description.map(|text| format!("{}\n", visible_line(text))).unwrap_or_default();
        let shown = visible_line(&input.to_string());
        let shown = clip(&shown, INPUT_CHARS);
        let message = format!("{what} needs your approval.\n{purpose}Its input: {shown}");
        let schema = json!({
            "type": "string",
            "title": "May it run?",
            "enum": [APPROVE, DENY],
        });
        PlayerForm { message, field: DECISION, schema }
    }

    pub(crate) fn of(step: &UndecidedStep) -> PlayerForm {
        match &step.wants {
            StepWant::Approval { tool_path, input, description } => {
                let what = format!("The step `{}` ({tool_path})", step.tool_id);
                PlayerForm::approval(&visible_line(&what), input, description.as_deref())
            }
            StepWant::Question { question, choices } => {
                let choices = (1..).zip(choices);
                let offered: String = choices
                    .map(|(nth, choice)| format!("\n{nth}. {}", visible_line(choice)))
                    .collect();
                let message = format!("{}{offered}", visible(question));
                let description = match offered.is_empty() {
                    true => "The answer",
                    false => "A number, or words of your own",
                };
                let schema = json!({
                    "type": "string",
                    "title": "Answer",
                    "description": description,
                    "minLength": 1,
                });
                PlayerForm { message, field: ANSWER, schema }
            }
        }
    }

    fn request(&self) -> Result<ElicitRequest, serde_json::Error> {
        let mut properties = Map::new();
        properties.insert(self.field.to_owned(), self.schema.clone());
        serde_json::from_value(json!({
            "method": "elicitation/create",
            "params": {
                "mode": "form",
                "message": self.message,
                "requestedSchema": {
                    "type": "object", "properties": properties, "required": [self.field],
                },
            },
        }))
    }

    /// The form as a part of a result.
    pub(crate) fn input_request(&self) -> Result<InputRequest, serde_json::Error> {
        self.request().map(InputRequest::Elicitation)
    }

    /// Asks the client now, and waits. Returns `None` if there is no answer in time.
    pub(crate) async fn ask(&self, client: AskedClient<'_>) -> Option<Value> {
        let request = ServerRequest::ElicitRequest(self.request().ok()?);
        let options = PeerRequestOptions::with_timeout(MCP_ANSWER_TIME_MAX);
        let answer = async {
            let asked =
                client.context.peer.send_request_with_option(request, options).await.ok()?;
            asked.await_response().await.ok()
        };
        let answer = tokio::select! {
            answer = answer => answer?,
            () = client.gone.cancelled() => return None,
        };
        match answer {
            ClientResult::ElicitResult(result) => serde_json::to_value(result).ok(),
            _ => None,
        }
    }
}

/// The field of an accepted form. Returns `None` if the player has declined it, or if it is not filled in.
fn accepted<'a>(answer: Option<&'a Value>, field: &str) -> Option<&'a str> {
    let answer = answer.filter(|answer| answer["action"] == "accept")?;
    answer.get("content")?.get(field)?.as_str()
}

/// Returns true if the player approves. Nothing but the word does.
pub(crate) fn approves(answer: Option<&Value>) -> bool {
    accepted(answer, DECISION) == Some(APPROVE)
}

/// What an answer decides about a step; no answer denies it, or leaves its question unanswered.
pub(crate) fn decision(step: &UndecidedStep, answer: Option<&Value>) -> StepDecision {
    match &step.wants {
        StepWant::Approval { .. } if approves(answer) => StepDecision::Approve,
        StepWant::Approval { .. } => StepDecision::Deny,
        StepWant::Question { choices, .. } => {
            match accepted(answer, ANSWER).map(str::trim).filter(|text| !text.is_empty()) {
                Some(text) => StepDecision::Answer(chosen(text, choices).to_owned()),
                None => StepDecision::LeaveUnanswered,
            }
        }
    }
}

/// The choice of this number, or the text itself.
fn chosen<'a>(text: &'a str, choices: &'a [String]) -> &'a str {
    let nth = text.parse::<usize>().ok().and_then(|nth| nth.checked_sub(1));
    nth.and_then(|nth| choices.get(nth)).map_or(text, String::as_str)
}

#[cfg(test)]
mod tests {
    use narratoria_serve::{StepDecision, StepWant, UndecidedStep};
    use serde_json::{Value, json};

    use super::{PlayerForm, decision};

    fn approval() -> UndecidedStep {
        let wants = StepWant::Approval {
            tool_path: "gate/act".to_owned(),
            input: json!({"where": "north\u{202e}"}),
            description: Some("Opens\nthe gate".to_owned()),
        };
        UndecidedStep { tool_id: "open".to_owned(), wants }
    }

    fn question() -> UndecidedStep {
        let choices = vec!["A friend".to_owned(), "Nobody".to_owned()];
        let wants = StepWant::Question { question: "Who goes there?".to_owned(), choices };
        UndecidedStep { tool_id: "guard".to_owned(), wants }
    }

    #[track_caller]
    fn check(step: &UndecidedStep, answer: Value, expect: StepDecision) {
        assert_eq!(decision(step, Some(&answer)), expect, "{answer}");
    }

    #[test]
    fn nothing_but_the_word_of_an_accepted_form_approves() {
        let yes = json!({"action": "accept", "content": {"decision": "approve"}});
        check(&approval(), yes, StepDecision::Approve);
        for answer in [
            json!({"action": "accept", "content": {"decision": "deny"}}),
            json!({"action": "accept", "content": {"decision": true}}),
            json!({"action": "accept", "content": {"answer": "approve"}}),
            json!({"action": "accept"}),
            json!({"action": "decline", "content": {"decision": "approve"}}),
            json!({"action": "cancel"}),
            json!({"content": {"decision": "approve"}}),
            json!("approve"),
            json!(null),
        ] {
            check(&approval(), answer, StepDecision::Deny);
        }
        assert_eq!(decision(&approval(), None), StepDecision::Deny);
    }

    #[test]
    fn a_question_is_answered_in_words_or_by_the_number_of_a_choice() {
        let answer = |text: &str| json!({"action": "accept", "content": {"answer": text}});
        let answered = |text: &str| StepDecision::Answer(text.to_owned());
        check(&question(), answer(" 2 "), answered("Nobody"));
        check(&question(), answer("3"), answered("3"));
        check(&question(), answer("0"), answered("0"));
        check(&question(), answer("a dragon"), answered("a dragon"));
        check(&question(), answer("  "), StepDecision::LeaveUnanswered);
        check(&question(), json!({"action": "decline"}), StepDecision::LeaveUnanswered);
    }

    #[test]
    fn a_form_shows_what_is_asked_for_and_hides_nothing() {
        let form = PlayerForm::of(&approval());
        let shown = "The step `open` (gate/act) needs your approval.\nOpens the gate\nIts input: ";
        assert!(form.message.starts_with(shown), "{}", form.message);
        assert!(!form.message.contains('\u{202e}'));
        assert_eq!(PlayerForm::of(&question()).message, "Who goes there?\n1. A friend\n2. Nobody");
        let request = serde_json::to_value(form.request().unwrap()).unwrap();
        let schema = &request["params"]["requestedSchema"];
        assert_eq!(schema["properties"]["decision"]["enum"], json!(["approve", "deny"]));
        assert_eq!(schema["required"], json!(["decision"]));
    }
}
