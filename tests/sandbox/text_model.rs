//! What a language model writes for a script: the host's side of `contracts/wit/llm.wit`. The model is an actor
//! here, who plays what the test has written.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use narratoria_protocol::Event;
use narratoria_protocol::{InvocationEnding, InvocationOutcome, InvocationOutput};
use narratoria_sandbox::{
    InvocationInput, InvocationLimits, LLM_CALLS_MAX, LLM_RESERVE, LLM_TIME_MAX, TEXT_BYTES_MAX,
    TextFuture, TextModel, TextModelClient, TextModelError, TextModelSink, TextModelSlot,
    TextRequest, TextResponse,
};
use narratoria_skills::Grants;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{LATE_MAX, LIMITS, ending_text, grants_of, job, prepared, sandbox, wit};

/// What the actor does for a text, in order, and how it ends; `None` is never.
#[derive(Clone)]
struct TextScript {
    lines: Vec<TextScriptStep>,
    end: Option<Result<TextResponse, TextModelError>>,
}

#[derive(Clone)]
enum TextScriptStep {
    Say(String),
    Wait(Duration),
}

const COMPLETE: TextResponse = TextResponse { is_complete: true };

fn says(pieces: &[&str]) -> TextScript {
    let lines = pieces.iter().map(|piece| TextScriptStep::Say((*piece).to_owned())).collect();
    TextScript { lines, end: Some(Ok(COMPLETE)) }
}

fn fails(error: TextModelError) -> TextScript {
    TextScript { lines: Vec::new(), end: Some(Err(error)) }
}

/// Says something, then waits so long before it says the rest.
fn waits(before: &str, time: Duration, after: &str) -> TextScript {
    let lines = vec![
        TextScriptStep::Say(before.to_owned()),
        TextScriptStep::Wait(time),
        TextScriptStep::Say(after.to_owned()),
    ];
    TextScript { lines, end: Some(Ok(COMPLETE)) }
}

/// Plays one act for each text; more get nothing.
#[derive(Clone, Default)]
struct ScriptedTextModel {
    acts: Vec<TextScript>,
    stage: Arc<Mutex<ScriptedTextModelLog>>,
}

/// What has happened.
#[derive(Default)]
struct ScriptedTextModelLog {
    asks: Vec<TextRequest>,
    /// Texts that nobody wanted to the end.
    dropped: usize,
}

struct UnfinishedTextGuard(Arc<Mutex<ScriptedTextModelLog>>);

impl Drop for UnfinishedTextGuard {
    fn drop(&mut self) {
        self.0.lock().unwrap().dropped += 1;
    }
}

impl TextModel for ScriptedTextModel {
    fn generate(&self, ask: TextRequest, mut on_text: TextModelSink) -> TextFuture {
        let mut stage = self.stage.lock().unwrap();
        let act = self.acts.get(stage.asks.len()).cloned().unwrap_or_else(|| says(&[]));
        stage.asks.push(ask);
        let playing = UnfinishedTextGuard(Arc::clone(&self.stage));
        Box::pin(async move {
            for line in act.lines {
                match line {
                    TextScriptStep::Say(text) => on_text(&text),
                    TextScriptStep::Wait(time) => sleep(time).await,
                }
            }
            let end = match act.end {
                Some(end) => end,
                None => std::future::pending().await,
            };
            std::mem::forget(playing);
            end
        })
    }
}

/// A performance: what the script said, in one string for each thing, and what came of it.
struct TextModelRun {
    invocation: InvocationOutcome,
    said: Vec<String>,
    asks: Vec<TextRequest>,
    dropped: usize,
}

impl TextModelRun {
    fn answers(&self) -> Value {
        match &self.invocation.ending {
            InvocationEnding::Done { output, .. } => output["answers"].clone(),
            other => panic!("it ended with {other:?}"),
        }
    }

    /// What was said aloud, in one text.
    fn aloud(&self) -> String {
        self.said.iter().filter_map(|said| said.strip_prefix("aloud: ")).collect()
    }
}

fn note(said: InvocationOutput) -> String {
    match said {
        InvocationOutput::Narration(text) => format!("aloud: {text}"),
        InvocationOutput::Event(message) => match message.event {
            Event::Log { message, .. } => format!("log: {message}"),
            Event::Done { ok, .. } => format!("done: {ok}"),
            other => format!("{other:?}"),
        },
    }
}

async fn play_within(
    guest: &'static str,
    input: Value,
    limits: InvocationLimits,
    acts: &[TextScript],
) -> TextModelRun {
    let actor = ScriptedTextModel { acts: acts.to_vec(), ..ScriptedTextModel::default() };
    let writer = TextModelClient { model: Arc::new(actor.clone()), client: "bard".to_owned() };
    let job = InvocationInput { text_model: Some(writer), ..job(input, limits) };
    let said = Arc::<Mutex<Vec<String>>>::default();
    let ear = Arc::clone(&said);
    let sink = Box::new(move |said| ear.lock().unwrap().push(note(said)));
    let invocation = prepared(guest).run(job, sink).await;
    let said = std::mem::take(&mut *said.lock().unwrap());
    let mut stage = actor.stage.lock().unwrap();
    TextModelRun { invocation, said, asks: std::mem::take(&mut stage.asks), dropped: stage.dropped }
}

async fn play(texts: Value, acts: &[TextScript]) -> TextModelRun {
    play_within("writes", json!({"texts": texts}), LIMITS, acts).await
}

#[tokio::test]
async fn a_text_reaches_the_player_piece_by_piece_between_the_scripts_events() {
    let acts = [says(&[" The", " door", " opens.\n"]), says(&["Unheard."])];
    let texts = json!([{"prompt": "the door", "aloud": true}, {"prompt": "the room"}]);
    let played = play(texts, &acts).await;
    assert_eq!(played.answers(), json!(["The door opens.", "Unheard."]));
    assert_eq!(
        played.said,
        [
            "log: text 0",
            "aloud: The",
            "aloud:  door",
            "aloud:  opens.",
            "log: text 1",
            "log: written",
            "done: true",
        ]
    );
}

#[tokio::test]
async fn the_model_is_asked_in_the_skills_name_and_chance_comes_from_the_seed_and_the_call() {
    let texts = json!([
        {"prompt": "one", "system": "be brief", "tokens": 5, "temperature": 0.5},
        {"prompt": "two"},
    ]);
    let played = play(texts, &[says(&["One."]), says(&["Two."])]).await;
    let [first, second] = played.asks.as_slice() else { panic!("{:?}", played.asks) };
    let ask = |prompt: &str, seed| TextRequest {
        client: "bard".to_owned(),
        system: None,
        prompt: prompt.to_owned(),
        tokens_max: 200,
        temperature: 0.8,
        seed,
        time: second.time,
    };
    let brief = Some("be brief".to_owned());
    let time = first.time;
    let one = TextRequest { system: brief, tokens_max: 5, temperature: 0.5, time, ..ask("one", 7) };
    assert_eq!((first, second), (&one, &ask("two", 8)));
    assert!(first.time <= LIMITS.time - LLM_RESERVE, "{:?}", first.time);
}

/// What a terminal would act on is gone, from what is said aloud as from the answer.
#[tokio::test]
async fn what_is_said_aloud_is_the_answer_and_has_no_control_characters() {
    let pieces =
        ["\n\n \u{1b}[2JThe\tdoor", "\u{7} ", "\r\n", "opens.", " \n", "\u{9b}\u{0}", "  "];
    let texts = json!([{"prompt": "p", "aloud": true}, {"prompt": "q", "aloud": true}]);
    let played = play(texts, &[says(&pieces), says(&[" And", " shuts. "])]).await;
    assert_eq!(played.answers(), json!(["[2JThe door \nopens.", "And shuts."]));
    assert_eq!(played.aloud(), "[2JThe door \nopens.\n\nAnd shuts.");
}

#[tokio::test]
async fn a_text_that_never_ends_is_cut_at_its_limit() {
    let piece = "é".repeat(1_000);
    let act = TextScript { end: None, ..says(&[piece.as_str(); 20]) };
    let played = play(json!([{"prompt": "p", "aloud": true}]), &[act]).await;
    let cut = played.answers()[0]["cut"].as_str().unwrap().to_owned();
    assert_eq!(cut.len(), TEXT_BYTES_MAX);
    assert_eq!(played.aloud(), cut);
    assert_eq!(played.dropped, 1, "nobody waits for the rest");
}

#[tokio::test]
async fn what_goes_wrong_has_a_reason() {
    let because = |reason: &str| reason.to_owned();
    let texts = json!(vec![json!({"prompt": "p"}); 4]);
    let acts = [
        fails(TextModelError::Unavailable { reason: because("it is on its way") }),
        fails(TextModelError::Refused {
            reason: because("the prompt has 3000 tokens, at most 900 fit"),
        }),
        fails(TextModelError::TimedOut),
        TextScript {
            end: Some(Err(TextModelError::Failed { reason: because("it gives no numbers") })),
            ..says(&["Half a "])
        },
    ];
    insta::assert_json_snapshot!(play(texts.clone(), &acts).await.answers(), @r#"
    [
      {
        "error": "LLM_UNAVAILABLE: it is on its way"
      },
      {
        "error": "LLM_REFUSED: the prompt has 3000 tokens, at most 900 fit"
      },
      {
        "error": "LLM_TIMED_OUT: the time was over before the first word was written"
      },
      {
        "error": "LLM_FAILED: it gives no numbers"
      }
    ]
    "#);
    // A model that is cut off by its tokens.
    let cut = TextResponse { is_complete: false };
    let acts = [TextScript { end: Some(Ok(cut)), ..says(&["The door o"]) }, says(&[" \n"])];
    let answers = play(texts, &acts).await.answers();
    assert_eq!((&answers[0], &answers[1]), (&json!({"cut": "The door o"}), &json!("")));
}

#[tokio::test]
async fn without_a_model_a_script_is_told_so_and_goes_on() {
    let input = || json!({"texts": [{"prompt": "p", "aloud": true}]});
    let run = async |writer: Option<TextModelClient>| {
        let job = InvocationInput { text_model: writer, ..job(input(), LIMITS) };
        let invocation = prepared("writes").run(job, Box::new(|_| {})).await;
        let InvocationEnding::Done { output, .. } = invocation.ending else {
            panic!("{invocation:?}")
        };
        output["answers"][0].clone()
    };
    let unavailable = |why: &str| json!({"error": format!("LLM_UNAVAILABLE: {why}")});
    assert_eq!(run(None).await, unavailable("this host has no language model"));
    let slot = TextModelSlot::default();
    let writer = TextModelClient { model: Arc::new(slot.clone()), client: "bard".to_owned() };
    assert_eq!(run(Some(writer.clone())).await, unavailable("there is no language model"));
    slot.clear("the language model is on its way");
    assert_eq!(run(Some(writer.clone())).await, unavailable("the language model is on its way"));
    slot.set(Arc::new(ScriptedTextModel {
        acts: vec![says(&["Here."])],
        ..ScriptedTextModel::default()
    }));
    assert_eq!(run(Some(writer)).await, json!("Here."));
}

#[tokio::test]
async fn each_limit_is_where_the_sdk_says_and_is_named() {
    for (limit, expect) in [
        ("prompt", "a prompt with its system text is at most 16384 bytes long, this one is 16385"),
        ("tokens", "a text has 1 to 400 tokens, this one is to have 401"),
        ("no-tokens", "a text has 1 to 400 tokens, this one is to have 0"),
        ("temperature", "a temperature is 0 to 2, this one is 2.5"),
        ("nan", "a temperature is 0 to 2, this one is NaN"),
        ("blank", "a prompt must not be blank"),
        ("calls", "one invocation asks for at most 4 texts"),
    ] {
        let played = play_within("overdoes-the-model", json!({"limit": limit}), LIMITS, &[]).await;
        let InvocationEnding::Done { output, .. } = &played.invocation.ending else {
            panic!("{limit}: {:?}", played.invocation)
        };
        assert_eq!(output["said"], expect, "{limit}");
        assert!(played.asks.len() <= LLM_CALLS_MAX as usize, "{limit}");
    }
}

#[tokio::test]
async fn the_host_neither_copies_endlessly_for_a_guest_nor_forgets_the_time() {
    let played = play_within("overdoes-the-model", json!({"limit": "copies"}), LIMITS, &[]).await;
    assert_eq!(
        ending_text(&played.invocation.ending),
        "trapped: too much data is being copied between the host and the guest: fuel allocated for hostcalls has been exhausted"
    );
    let mut late = Vec::new();
    for _ in 0..3 {
        let limits = InvocationLimits { time: Duration::from_millis(100), ..LIMITS };
        let input = json!({"limit": "time"});
        let played = play_within("overdoes-the-model", input, limits, &[]).await;
        let ending = ending_text(&played.invocation.ending);
        assert_eq!(ending, "ran past its time limit of 100 ms");
        late.push(played.invocation.usage.elapsed.saturating_sub(limits.time));
    }
    assert!(late.iter().min().unwrap() <= &LATE_MAX, "late by {late:?}");
}

/// The clock is paused: it moves only where somebody waits for it.
#[tokio::test(start_paused = true)]
async fn a_text_takes_ten_seconds_at_most_and_what_was_written_by_then_is_cut_off() {
    let limits = InvocationLimits { time: Duration::from_secs(60), ..LIMITS };
    let long = Duration::from_secs(3_600);
    let acts = [waits("", long, "Late."), waits("The door ", long, "opens."), says(&["Here."])];
    let texts = json!(vec![json!({"prompt": "p", "aloud": true}); 3]);
    let started = Instant::now();
    let played = play_within("writes", json!({"texts": texts}), limits, &acts).await;
    assert!(started.elapsed().abs_diff(2 * LLM_TIME_MAX) < Duration::from_millis(50));
    assert_eq!(
        played.answers(),
        json!([
            {"error": "LLM_TIMED_OUT: the time was over before the first word was written"},
            {"cut": "The door"},
            "Here.",
        ])
    );
    assert_eq!(played.aloud(), "The door\n\nHere.");
    assert_eq!(played.dropped, 2, "who is too slow is cancelled");
}

/// Waiting counts, and a script that heeds it still has time to do without.
#[tokio::test(start_paused = true)]
async fn a_text_never_takes_all_the_time_of_its_script() {
    let act = waits("", Duration::from_secs(3_600), "Late.");
    let texts = json!([{"prompt": "p"}, {"prompt": "p"}]);
    let started = Instant::now();
    let played = play(texts.clone(), &[act.clone(), act.clone()]).await;
    assert!(started.elapsed().abs_diff(LIMITS.time - LLM_RESERVE) < Duration::from_millis(50));
    assert_eq!(ending_text(&played.invocation.ending), "ok");
    assert_eq!(played.asks[1].time, Duration::ZERO);
    assert_eq!(played.invocation.usage.elapsed, started.elapsed());
}

#[tokio::test]
async fn who_goes_on_after_that_is_stopped() {
    let limits = InvocationLimits { time: Duration::from_millis(400), ..LIMITS };
    let act = waits("", Duration::from_secs(3_600), "Late.");
    let input = json!({"texts": [{"prompt": "p"}], "spin": true});
    let played = play_within("writes", input, limits, &[act]).await;
    let ending = ending_text(&played.invocation.ending);
    assert_eq!(ending, "ran past its time limit of 400 ms");
    assert_eq!(played.dropped, 1);
}

/// Dropping the invocation's future cancels the text, and nothing is heard any more.
#[tokio::test]
async fn a_script_that_waits_for_a_text_is_stopped_by_dropping_its_future() {
    let act = TextScript { end: None, ..says(&["The door "]) };
    let actor = ScriptedTextModel { acts: vec![act], ..ScriptedTextModel::default() };
    let writer = TextModelClient { model: Arc::new(actor.clone()), client: "bard".to_owned() };
    let input = json!({"texts": [{"prompt": "p", "aloud": true}]});
    let job = InvocationInput { text_model: Some(writer), ..job(input, LIMITS) };
    let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let sink = Box::new(move |said| _ = sender.send(note(said)));
    let writes = prepared("writes");
    tokio::select! {
        invocation = writes.run(job, sink) => panic!("it ended: {invocation:?}"),
        said = async {
            (heard.recv().await, heard.recv().await)
        } => assert_eq!(said, (Some("log: text 0".to_owned()), Some("aloud: The door".to_owned()))),
    }
    assert!(heard.recv().await.is_none(), "the script is gone, and its sink with it");
    assert_eq!(actor.stage.lock().unwrap().dropped, 1);
}

#[tokio::test]
async fn a_script_may_keep_what_was_written() {
    let input = json!({"texts": [{"prompt": "p"}], "keep": true});
    let played = play_within("writes", input, LIMITS, &[says(&["Once."])]).await;
    let [write] = played.invocation.writes.as_slice() else { panic!("{:?}", played.invocation) };
    assert_eq!((write.key.as_str(), write.value.as_deref()), ("last", Some(r#""Once.""#)));
}

#[test]
fn a_component_that_has_something_written_needs_the_grant() {
    let writes = narratoria_guests::find("writes").unwrap();
    let grants = Grants { llm: false, ..grants_of("writes") };
    let error = sandbox().load(writes.component, &grants).map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        "imports `narratoria:host/llm@0.1.0`, which its manifest does not grant; `skill.json` would need \"grants\": {\"llm\": true}"
    );
    for version in ["0.2.0", "0.1.0-rc.1"] {
        let import = format!("narratoria:host/llm@{version}");
        let wasm =
            wat::parse_str(format!(r#"(component (import "{import}" (instance)))"#)).unwrap();
        let grants = Grants { llm: true, ..Grants::default() };
        let error = sandbox().load(&wasm, &grants).map(drop).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("imports `{import}`, which this host does not offer")
        );
    }
}

/// The bindings in the SDK are written by hand.
#[test]
fn the_interface_of_the_sdk_is_that_of_the_contract() {
    assert!(wit::imports("asks").is_empty(), "who has nothing written imports standard WASI alone");
    let [(name, interface)] =
        wit::imports("overdoes-the-model").try_into().expect("it imports one interface");
    assert_eq!(name, "narratoria:host/llm@0.1.0");
    assert_eq!(interface, wit::declared(include_str!("../../contracts/wit/llm.wit")));
    let both: Vec<String> = wit::imports("writes").into_iter().map(|(name, _)| name).collect();
    assert_eq!(both.len(), 2, "{both:?}");
}
