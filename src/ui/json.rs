//! For programs: one update a line, nothing else.

use narratoria::{
    engine::{Update, UpdateLine},
    protocol::{Event, Message},
};
use serde_json::{Value, json};

use super::Out;

/// The update stream on stdout (`contracts/update.schema.json`).
pub(crate) struct Json {
    out: Out,
}

impl Json {
    pub(crate) fn new(out: Out) -> Json {
        Json { out }
    }

    pub(super) fn show(&mut self, update: &Update) {
        let mut line =
            serde_json::to_string(&UpdateLine::new(update)).expect("updates hold only JSON values");
        line.push('\n');
        self.out.write(&line);
    }

    pub(super) fn out(&self) -> &Out {
        &self.out
    }
}

/// The event as its line in `contracts/event.schema.json`, whatever order or spacing the script chose.
pub(crate) fn event_value(message: &Message) -> Value {
    let mut line = match &message.event {
        Event::Log { level, message, fields } => {
            json!({"level": level.as_str(), "message": message, "fields": fields})
        }
        Event::StatePatch { patch } => json!({"patch": patch}),
        Event::Asset { asset_id, kind, media_type, path, metadata } => json!({
            "assetId": asset_id, "kind": kind, "mediaType": media_type, "path": path,
            "metadata": metadata,
        }),
        Event::UiEvent { event, payload } => json!({"event": event, "payload": payload}),
        Event::Error { error_code, error_message, details } => json!({
            "errorCode": error_code, "errorMessage": error_message, "details": details,
        }),
        Event::Done { ok, summary, output } => {
            json!({"ok": ok, "summary": summary, "output": output})
        }
    };
    let fields = line.as_object_mut().expect("every arm makes an object");
    fields.retain(|_, value| !value.is_null());
    let envelope = [
        ("version", Some("0")),
        ("type", Some(message.event.type_name())),
        ("requestId", message.request_id.as_deref()),
        ("timestamp", message.timestamp.as_deref()),
    ];
    let envelope = envelope.into_iter().filter_map(|(name, text)| {
        text.map(|text| (name.to_owned(), Value::String(text.to_owned())))
    });
    Value::Object(envelope.chain(std::mem::take(fields)).collect())
}

#[cfg(test)]
mod tests {
    use narratoria::{
        engine::Update,
        protocol::{Event, Message},
    };
    use serde_json::json;

    use super::{Json, event_value};
    use crate::ui::{Out, out::Captured};

    #[test]
    fn an_update_is_one_line_with_its_version_first() {
        let seen = Captured::default();
        let mut screen = Json::new(Out::new(seen.clone(), true));
        screen.show(&Update::NarrationDelta { turn: 1, text: "a\nb".to_owned() });
        insta::assert_snapshot!(seen.text(), @r#"{"v":1,"type":"narration.delta","turn":1,"text":"a\nb"}"#);
    }

    #[test]
    fn an_event_keeps_its_words_and_leaves_out_what_was_not_said() {
        let message = Message {
            request_id: Some("r".to_owned()),
            timestamp: None,
            event: Event::Done { ok: true, summary: None, output: Some(Default::default()) },
        };
        assert_eq!(
            event_value(&message),
            json!({"version": "0", "type": "done", "requestId": "r", "ok": true, "output": {}})
        );
    }
}
