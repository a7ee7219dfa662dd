//! Updates the `expect` of an example with the results of its run. Knows the text of the file and the run, and writes
//! no files.

use narratoria_protocol::{Event, InvocationEnding, JsonBounds, Object, read_json_as};
use serde_json::{Value, json};

use super::ExampleRun;

/// Why an example cannot be updated.
#[derive(Debug, thiserror::Error)]
pub enum ExampleUpdateError {
    /// The host stopped the script, so there is nothing to expect.
    #[error("the script {why}")]
    Aborted { why: String },
    #[error("it is not a JSON object")]
    NotAnObject,
}

/// Returns the text of the example with the results of a run. Fields of `output` that `expect` names get their new
/// values, or are removed if the run did not return them; an `expect` that names no output gets all of it. The events
/// of the run replace expected ones that it did not send.
pub fn updated_example(text: &str, run: &ExampleRun) -> Result<String, ExampleUpdateError> {
    let mut example: Object = read_json_as(text.as_bytes(), JsonBounds::of_bytes(text.len()))
        .map_err(|_| ExampleUpdateError::NotAnObject)?;
    let (ok, output) = match &run.run.invocation.ending {
        InvocationEnding::Aborted(why) => {
            return Err(ExampleUpdateError::Aborted { why: why.to_string() });
        }
        InvocationEnding::Done { output, .. } => (true, output),
        InvocationEnding::Failed { output, .. } => (false, output),
    };
    let old = match example.get("expect") {
        Some(Value::Object(expect)) => expect.clone(),
        _ => Object::new(),
    };
    let mut expect = old.clone();
    match (ok, old.contains_key("ok")) {
        (true, false) => {}
        _ => _ = expect.insert("ok".to_owned(), json!(ok)),
    }
    let named = old.get("output").and_then(Value::as_object).filter(|named| !named.is_empty());
    let new_output: Object = match named {
        None => output.clone(),
        Some(named) => {
            let kept =
                named.keys().filter_map(|name| Some((name.clone(), output.get(name)?.clone())));
            kept.collect()
        }
    };
    if new_output.is_empty() {
        expect.shift_remove("output");
    } else {
        expect.insert("output".to_owned(), Value::Object(new_output));
    }
    if run.differences.iter().any(|difference| difference.starts_with("no event")) {
        let came =
            run.run.messages.iter().filter(|message| !matches!(message.event, Event::Done { .. }));
        let came = came.map(|message| {
            let mut event = message.to_json();
            if let Some(fields) = event.as_object_mut() {
                for field in ["version", "requestId", "timestamp"] {
                    fields.shift_remove(field);
                }
            }
            event
        });
        expect.insert("events".to_owned(), came.collect());
    }
    example.insert("expect".to_owned(), Value::Object(expect));
    Ok(format!("{:#}\n", Value::Object(example)))
}
