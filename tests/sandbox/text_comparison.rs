//! Comparisons of texts for scripts: the host's side of `contracts/wit/meaning.wit`. The model here is a rule of the test.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use narratoria_protocol::InvocationEnding;
use narratoria_sandbox::{
    COMPARED_BYTES_MAX, COMPARED_TEXTS_MAX, COMPARISON_TIME_MAX, COMPARISONS_MAX, InvocationInput,
    LLM_RESERVE, TextComparer, TextModelError,
};
use serde_json::{Value, json};

use super::{LIMITS, job, prepared, wit};

/// Two texts are as near as the share of their lengths; a text that begins with `!` is the error of that name.
#[derive(Debug, Default)]
struct LengthComparer(Mutex<Vec<Duration>>);

impl TextComparer for LengthComparer {
    fn compare(
        &self,
        text: &str,
        others: &[String],
        time: Duration,
    ) -> Result<Vec<f32>, TextModelError> {
        self.0.lock().unwrap().push(time);
        let reason = "the test says so".to_owned();
        let len = |text: &str| f32::from(u16::try_from(text.len()).unwrap());
        match text {
            "!unavailable" => Err(TextModelError::Unavailable { reason }),
            "!late" => Err(TextModelError::TimedOut),
            "!failed" => Err(TextModelError::Failed { reason }),
            "!short" => Ok(Vec::new()),
            _ => Ok(others.iter().map(|other| len(other) / len(text)).collect()),
        }
    }
}

async fn output(comparer: Option<Arc<LengthComparer>>, input: Value) -> Value {
    let text_comparer = comparer.map(|comparer| comparer as Arc<dyn TextComparer>);
    let input = InvocationInput { text_comparer, ..job(input, LIMITS) };
    let outcome = prepared("compares").run(input, Box::new(|_| {})).await;
    match outcome.ending {
        InvocationEnding::Done { output, .. } => Value::Object(output),
        other => panic!("it ended with {other:?}"),
    }
}

async fn answers(comparer: Option<Arc<LengthComparer>>, input: Value) -> Value {
    output(comparer, input).await["answers"].take()
}

#[tokio::test]
async fn each_text_is_compared_in_its_order_and_a_call_has_the_time_of_its_invocation() {
    let comparer = Arc::new(LengthComparer::default());
    let input = json!({"text": "abcd", "others": ["ab", "", "é", "abcdabcd"]});
    assert_eq!(answers(Some(comparer.clone()), input).await, json!([[0.5, 0.0, 0.5, 2.0]]));
    assert_eq!(answers(Some(comparer.clone()), json!({"text": "a"})).await, json!([[]]));
    let times = comparer.0.lock().unwrap();
    let most = COMPARISON_TIME_MAX.min(LIMITS.time.saturating_sub(LLM_RESERVE));
    assert!(times.len() == 2 && times.iter().all(|time| *time <= most), "{times:?}");
}

#[tokio::test]
async fn a_script_learns_why_nothing_was_compared() {
    let comparer = Arc::new(LengthComparer::default());
    let mut told = Vec::new();
    for text in ["!unavailable", "!late", "!failed", "!short"] {
        let input = json!({"text": text, "others": ["a"]});
        told.push(answers(Some(comparer.clone()), input).await[0].to_string());
    }
    told.push(answers(None, json!({"text": "a"})).await[0].to_string());
    insta::assert_snapshot!(told.join("\n"), @r#"
    {"code":"LLM_UNAVAILABLE","message":"the test says so"}
    {"code":"LLM_TIMED_OUT","message":"the time was over"}
    {"code":"LLM_FAILED","message":"the test says so"}
    {"code":"LLM_FAILED","message":"1 texts gave 0 numbers"}
    {"code":"LLM_UNAVAILABLE","message":"this host has no model that compares texts"}
    "#);
}

#[tokio::test]
async fn each_limit_equals_the_sdks_and_is_named() {
    let limits = output(None, json!({})).await["limits"].take();
    assert_eq!(limits, json!([COMPARED_TEXTS_MAX, COMPARED_BYTES_MAX, COMPARISONS_MAX]));
    let comparer = Arc::new(LengthComparer::default());
    let refused = async |input: Value| {
        let answers = answers(Some(comparer.clone()), input).await;
        let last = answers.as_array().unwrap().last().unwrap().clone();
        last["message"].as_str().unwrap_or("compared").to_owned()
    };
    let many = |times: usize| json!({"text": "a", "others": ["b"], "times": times});
    assert_eq!(refused(many(COMPARED_TEXTS_MAX)).await, "compared");
    assert_eq!(
        refused(many(COMPARED_TEXTS_MAX + 1)).await,
        "one call compares at most 256 texts, these are 257"
    );
    let long = |bytes: usize| json!({"text": "a", "others": ["b".repeat(bytes)]});
    assert_eq!(refused(long(COMPARED_BYTES_MAX - 1)).await, "compared");
    assert_eq!(
        refused(long(COMPARED_BYTES_MAX)).await,
        "the texts of one call have at most 65536 bytes, these have more"
    );
    let calls = |calls: u32| json!({"text": "a", "others": ["b"], "calls": calls});
    assert_eq!(refused(calls(COMPARISONS_MAX)).await, "compared");
    assert_eq!(
        refused(calls(COMPARISONS_MAX + 1)).await,
        "one invocation compares at most 4 times"
    );
}

/// The bindings in the SDK are written by hand.
#[test]
fn the_interface_of_the_sdk_is_that_of_the_contract() {
    let [(name, interface)] =
        wit::imports("compares").try_into().expect("it imports one interface");
    assert_eq!(name, "narratoria:host/meaning@0.1.0");
    assert_eq!(interface, wit::declared(include_str!("../../contracts/wit/meaning.wit")));
}
