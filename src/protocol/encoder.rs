//! [`Message`] → JSON, for journals, traces and front ends that pass an event on.

use serde_json::{Value, json};

use super::{Event, Message};

impl Message {
    /// The event as `contracts/event.schema.json` has it, in our order of fields; absent fields are left out.
    pub fn to_json(&self) -> Value {
        let mut line = match &self.event {
            Event::Log { level, message, fields } => {
                json!({"level": level.as_str(), "message": message, "fields": fields})
            }
            Event::StatePatch { patch } => json!({"patch": patch}),
            Event::Asset { asset_id, kind, media_type, path, metadata } => json!({
                "assetId": asset_id, "kind": kind, "mediaType": media_type, "path": path,
                "metadata": metadata,
            }),
            Event::UiEvent { event, .. } => json!({"event": event}),
            Event::Error { error_code, error_message, details } => json!({
                "errorCode": error_code, "errorMessage": error_message, "details": details,
            }),
            Event::Done { ok, summary, output } => {
                json!({"ok": ok, "summary": summary, "output": output})
            }
        };
        let fields = line.as_object_mut().expect("every arm makes an object");
        fields.retain(|_, value| !value.is_null());
        // A payload may be any value, so `null` is one.
        if let Event::UiEvent { payload: Some(payload), .. } = &self.event {
            fields.insert("payload".to_owned(), payload.clone());
        }
        let envelope = [
            ("version", Some("0")),
            ("type", Some(self.event.type_name())),
            ("requestId", self.request_id.as_deref()),
            ("timestamp", self.timestamp.as_deref()),
        ];
        let envelope = envelope.into_iter().filter_map(|(name, text)| {
            text.map(|text| (name.to_owned(), Value::String(text.to_owned())))
        });
        Value::Object(envelope.chain(std::mem::take(fields)).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Event, Message};

    #[test]
    fn an_event_keeps_its_fields_and_leaves_out_absent_ones() {
        let message = Message {
            request_id: Some("r".to_owned()),
            timestamp: None,
            event: Event::Done { ok: true, summary: None, output: Some(Default::default()) },
        };
        assert_eq!(
            message.to_json(),
            json!({"version": "0", "type": "done", "requestId": "r", "ok": true, "output": {}})
        );
    }
}
