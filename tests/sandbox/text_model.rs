//! Texts of a language model for scripts: the host's side of `contracts/wit/llm.wit`. The model here plays a script of
//! the test.

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
use narratoria_skills::{Catalog, EmbeddedPackage, Grants, PackageRoot, StoryGuidance};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{LATE_MAX, LIMITS, ending_text, grants_of, job, prepared, sandbox, wit};

/// The pieces and pauses of a text, in order, and how it ends; `None` never ends.
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

/// Writes a piece, waits, and writes the rest.
fn waits(before: &str, time: Duration, after: &str) -> TextScript {
    let lines = vec![
        TextScriptStep::Say(before.to_owned()),
        TextScriptStep::Wait(time),
        TextScriptStep::Say(after.to_owned()),
    ];
    TextScript { lines, end: Some(Ok(COMPLETE)) }
}

/// Plays one script for each text; further texts are empty.
#[derive(Clone, Default)]
struct ScriptedTextModel {
    scripts: Vec<TextScript>,
    log: Arc<Mutex<ScriptedTextModelLog>>,
}

#[derive(Default)]
struct ScriptedTextModelLog {
    requests: Vec<TextRequest>,
    /// Texts whose future was dropped before their end.
    dropped: usize,
}

struct UnfinishedTextGuard(Arc<Mutex<ScriptedTextModelLog>>);

impl Drop for UnfinishedTextGuard {
    fn drop(&mut self) {
        self.0.lock().unwrap().dropped += 1;
    }
}

impl TextModel for ScriptedTextModel {
    fn generate(&self, request: TextRequest, mut on_text: TextModelSink) -> TextFuture {
        let mut log = self.log.lock().unwrap();
        let script = self.scripts.get(log.requests.len()).cloned().unwrap_or_else(|| says(&[]));
        log.requests.push(request);
        let guard = UnfinishedTextGuard(Arc::clone(&self.log));
        Box::pin(async move {
            for line in script.lines {
                match line {
                    TextScriptStep::Say(text) => on_text(&text),
                    TextScriptStep::Wait(time) => sleep(time).await,
                }
            }
            let end = match script.end {
                Some(end) => end,
                None => std::future::pending().await,
            };
            std::mem::forget(guard);
            end
        })
    }
}

/// A run: the outputs of the script, one string for each, and its outcome.
struct TextModelRun {
    invocation: InvocationOutcome,
    outputs: Vec<String>,
    requests: Vec<TextRequest>,
    dropped: usize,
}

impl TextModelRun {
    fn answers(&self) -> Value {
        match &self.invocation.ending {
            InvocationEnding::Done { output, .. } => output["answers"].clone(),
            other => panic!("it ended with {other:?}"),
        }
    }

    /// All narration, in one text.
    fn aloud(&self) -> String {
        self.outputs.iter().filter_map(|output| output.strip_prefix("aloud: ")).collect()
    }
}

fn note(output: InvocationOutput) -> String {
    match output {
        InvocationOutput::Narration(text) => format!("aloud: {text}"),
        InvocationOutput::Event(message) => match message.event {
            Event::Log { message, .. } => format!("log: {message}"),
            Event::Done { ok, .. } => format!("done: {ok}"),
            other => format!("{other:?}"),
        },
    }
}

fn client(model: impl TextModel + 'static, guidance: StoryGuidance) -> TextModelClient {
    TextModelClient {
        model: Arc::new(model),
        client: "bard".to_owned(),
        guidance: Arc::new(guidance),
    }
}

async fn run_within(
    guest: &'static str,
    input: Value,
    limits: InvocationLimits,
    scripts: &[TextScript],
) -> TextModelRun {
    let model = ScriptedTextModel { scripts: scripts.to_vec(), ..ScriptedTextModel::default() };
    let client = client(model.clone(), StoryGuidance::default());
    let job = InvocationInput { text_model: Some(client), ..job(input, limits) };
    let outputs = Arc::<Mutex<Vec<String>>>::default();
    let collector = Arc::clone(&outputs);
    let sink = Box::new(move |output| collector.lock().unwrap().push(note(output)));
    let invocation = prepared(guest).run(job, sink).await;
    let outputs = std::mem::take(&mut *outputs.lock().unwrap());
    let mut log = model.log.lock().unwrap();
    TextModelRun {
        invocation,
        outputs,
        requests: std::mem::take(&mut log.requests),
        dropped: log.dropped,
    }
}

async fn run_texts(texts: Value, scripts: &[TextScript]) -> TextModelRun {
    run_within("writes", json!({"texts": texts}), LIMITS, scripts).await
}

#[tokio::test]
async fn a_text_reaches_the_player_piece_by_piece_between_the_scripts_events() {
    let scripts = [says(&[" The", " door", " opens.\n"]), says(&["Unheard."])];
    let texts = json!([{"prompt": "the door", "aloud": true}, {"prompt": "the room"}]);
    let run = run_texts(texts, &scripts).await;
    assert_eq!(run.answers(), json!(["The door opens.", "Unheard."]));
    assert_eq!(
        run.outputs,
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
async fn a_request_has_the_skills_name_and_a_seed_of_its_own() {
    let texts = json!([
        {"prompt": "one", "system": "be brief", "tokens": 5, "temperature": 0.5},
        {"prompt": "two"},
    ]);
    let run = run_texts(texts, &[says(&["One."]), says(&["Two."])]).await;
    let [first, second] = run.requests.as_slice() else { panic!("{:?}", run.requests) };
    let ask = |prompt: &str, seed| TextRequest {
        client: "bard".to_owned(),
        system: None,
        prompt: prompt.to_owned(),
        guidance: None,
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

/// Control characters are removed from the narration and from the returned text.
#[tokio::test]
async fn the_narration_equals_the_text_and_has_no_control_characters() {
    let pieces =
        ["\n\n \u{1b}[2JThe\tdoor", "\u{7} ", "\r\n", "opens.", " \n", "\u{9b}\u{0}", "  "];
    let texts = json!([{"prompt": "p", "aloud": true}, {"prompt": "q", "aloud": true}]);
    let run = run_texts(texts, &[says(&pieces), says(&[" And", " shuts. "])]).await;
    assert_eq!(run.answers(), json!(["[2JThe door \nopens.", "And shuts."]));
    assert_eq!(run.aloud(), "[2JThe door \nopens.\n\nAnd shuts.");
}

#[tokio::test]
async fn a_text_that_never_ends_is_cut_at_its_limit() {
    let piece = "é".repeat(1_000);
    let script = TextScript { end: None, ..says(&[piece.as_str(); 20]) };
    let run = run_texts(json!([{"prompt": "p", "aloud": true}]), &[script]).await;
    let cut = run.answers()[0]["cut"].as_str().unwrap().to_owned();
    assert_eq!(cut.len(), TEXT_BYTES_MAX);
    assert_eq!(run.aloud(), cut);
    assert_eq!(run.dropped, 1, "the rest is dropped");
}

#[tokio::test]
async fn failures_have_a_reason() {
    let because = |reason: &str| reason.to_owned();
    let texts = json!(vec![json!({"prompt": "p"}); 4]);
    let scripts = [
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
    insta::assert_json_snapshot!(run_texts(texts.clone(), &scripts).await.answers(), @r#"
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
    // A text that is cut at its limit of tokens.
    let cut = TextResponse { is_complete: false };
    let scripts = [TextScript { end: Some(Ok(cut)), ..says(&["The door o"]) }, says(&[" \n"])];
    let answers = run_texts(texts, &scripts).await.answers();
    assert_eq!((&answers[0], &answers[1]), (&json!({"cut": "The door o"}), &json!("")));
}

/// A guide shapes what the player reads, and not what a script asks for itself.
#[tokio::test]
async fn only_a_text_that_the_player_reads_brings_the_guidance() {
    const SKILL_MD: &[u8] = b"---\nname: noir\ndescription: A genre.\n---\nRain and neon.\n";
    const FILES: &[(&str, &[u8])] = &[("SKILL.md", SKILL_MD)];
    let packages: &'static [EmbeddedPackage] = vec![("noir", FILES)].leak();
    let catalog: Catalog = narratoria_skills::load(&[PackageRoot::BuiltIn(packages)]).catalog;
    let guidance = StoryGuidance::from_catalog(&catalog);
    assert!(!guidance.is_empty());
    for (guidance, expect) in [
        (guidance.clone(), [None, Some(Arc::new(guidance))]),
        (StoryGuidance::default(), [None, None]),
    ] {
        let model = ScriptedTextModel {
            scripts: vec![says(&["One."]), says(&["Two."])],
            ..ScriptedTextModel::default()
        };
        let input = json!({"texts": [{"prompt": "one"}, {"prompt": "two", "aloud": true}]});
        let text_model = Some(client(model.clone(), guidance));
        let job = InvocationInput { text_model, ..job(input, LIMITS) };
        prepared("writes").run(job, Box::new(|_| {})).await;
        let log = model.log.lock().unwrap();
        let guidance: Vec<_> = log.requests.iter().map(|one| one.guidance.clone()).collect();
        assert_eq!(guidance, expect);
    }
}

#[tokio::test]
async fn without_a_model_a_script_gets_an_error_and_continues() {
    let input = || json!({"texts": [{"prompt": "p", "aloud": true}]});
    let run = async |client: Option<TextModelClient>| {
        let job = InvocationInput { text_model: client, ..job(input(), LIMITS) };
        let invocation = prepared("writes").run(job, Box::new(|_| {})).await;
        let InvocationEnding::Done { output, .. } = invocation.ending else {
            panic!("{invocation:?}")
        };
        output["answers"][0].clone()
    };
    let unavailable = |why: &str| json!({"error": format!("LLM_UNAVAILABLE: {why}")});
    assert_eq!(run(None).await, unavailable("this host has no language model"));
    let slot = TextModelSlot::default();
    let client = client(slot.clone(), StoryGuidance::default());
    assert_eq!(run(Some(client.clone())).await, unavailable("there is no language model"));
    slot.clear("the language model is on its way");
    assert_eq!(run(Some(client.clone())).await, unavailable("the language model is on its way"));
    slot.set(Arc::new(ScriptedTextModel {
        scripts: vec![says(&["Here."])],
        ..ScriptedTextModel::default()
    }));
    assert_eq!(run(Some(client)).await, json!("Here."));
}

#[tokio::test]
async fn each_limit_equals_the_sdks_and_is_named() {
    for (limit, expect) in [
        ("prompt", "a prompt with its system text is at most 16384 bytes long, this one is 16385"),
        ("tokens", "a text has 1 to 400 tokens, this one is to have 401"),
        ("no-tokens", "a text has 1 to 400 tokens, this one is to have 0"),
        ("temperature", "a temperature is 0 to 2, this one is 2.5"),
        ("nan", "a temperature is 0 to 2, this one is NaN"),
        ("blank", "a prompt must not be blank"),
        ("calls", "one invocation asks for at most 4 texts"),
    ] {
        let run = run_within("overdoes-the-model", json!({"limit": limit}), LIMITS, &[]).await;
        let InvocationEnding::Done { output, .. } = &run.invocation.ending else {
            panic!("{limit}: {:?}", run.invocation)
        };
        assert_eq!(output["said"], expect, "{limit}");
        assert!(run.requests.len() <= LLM_CALLS_MAX as usize, "{limit}");
    }
}

#[tokio::test]
async fn refused_calls_neither_copy_much_nor_delay_the_deadline() {
    let run = run_within("overdoes-the-model", json!({"limit": "copies"}), LIMITS, &[]).await;
    assert_eq!(
        ending_text(&run.invocation.ending),
        "trapped: too much data is being copied between the host and the guest: fuel allocated for hostcalls has been exhausted"
    );
    let mut late = Vec::new();
    for _ in 0..3 {
        let limits = InvocationLimits { time: Duration::from_millis(100), ..LIMITS };
        let input = json!({"limit": "time"});
        let run = run_within("overdoes-the-model", input, limits, &[]).await;
        let ending = ending_text(&run.invocation.ending);
        assert_eq!(ending, "ran past its time limit of 100 ms");
        late.push(run.invocation.usage.elapsed.saturating_sub(limits.time));
    }
    assert!(late.iter().min().unwrap() <= &LATE_MAX, "late by {late:?}");
}

/// The clock is paused: it advances only when all tasks wait.
#[tokio::test(start_paused = true)]
async fn a_text_is_cut_after_ten_seconds() {
    let limits = InvocationLimits { time: Duration::from_secs(60), ..LIMITS };
    let long = Duration::from_secs(3_600);
    let scripts = [waits("", long, "Late."), waits("The door ", long, "opens."), says(&["Here."])];
    let texts = json!(vec![json!({"prompt": "p", "aloud": true}); 3]);
    let started = Instant::now();
    let run = run_within("writes", json!({"texts": texts}), limits, &scripts).await;
    assert!(started.elapsed().abs_diff(2 * LLM_TIME_MAX) < Duration::from_millis(50));
    assert_eq!(
        run.answers(),
        json!([
            {"error": "LLM_TIMED_OUT: the time was over before the first word was written"},
            {"cut": "The door"},
            "Here.",
        ])
    );
    assert_eq!(run.aloud(), "The door\n\nHere.");
    assert_eq!(run.dropped, 2, "slow texts are cancelled");
}

/// Time in the queue counts, and the script still has time to do without the text.
#[tokio::test(start_paused = true)]
async fn a_text_never_takes_all_the_time_of_its_script() {
    let script = waits("", Duration::from_secs(3_600), "Late.");
    let texts = json!([{"prompt": "p"}, {"prompt": "p"}]);
    let started = Instant::now();
    let run = run_texts(texts.clone(), &[script.clone(), script.clone()]).await;
    assert!(started.elapsed().abs_diff(LIMITS.time - LLM_RESERVE) < Duration::from_millis(50));
    assert_eq!(ending_text(&run.invocation.ending), "ok");
    assert_eq!(run.requests[1].time, Duration::ZERO);
    assert_eq!(run.invocation.usage.elapsed, started.elapsed());
}

#[tokio::test]
async fn a_script_that_spins_after_its_text_is_stopped() {
    let limits = InvocationLimits { time: Duration::from_millis(400), ..LIMITS };
    let script = waits("", Duration::from_secs(3_600), "Late.");
    let input = json!({"texts": [{"prompt": "p"}], "spin": true});
    let run = run_within("writes", input, limits, &[script]).await;
    let ending = ending_text(&run.invocation.ending);
    assert_eq!(ending, "ran past its time limit of 400 ms");
    assert_eq!(run.dropped, 1);
}

/// Dropping the invocation's future cancels the text, and the sink gets nothing more.
#[tokio::test]
async fn a_script_that_waits_for_a_text_is_stopped_by_dropping_its_future() {
    let script = TextScript { end: None, ..says(&["The door "]) };
    let model = ScriptedTextModel { scripts: vec![script], ..ScriptedTextModel::default() };
    let client = client(model.clone(), StoryGuidance::default());
    let input = json!({"texts": [{"prompt": "p", "aloud": true}]});
    let job = InvocationInput { text_model: Some(client), ..job(input, LIMITS) };
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
    assert_eq!(model.log.lock().unwrap().dropped, 1);
}

#[tokio::test]
async fn a_script_may_store_a_text() {
    let input = json!({"texts": [{"prompt": "p"}], "keep": true});
    let run = run_within("writes", input, LIMITS, &[says(&["Once."])]).await;
    let [write] = run.invocation.writes.as_slice() else { panic!("{:?}", run.invocation) };
    assert_eq!((write.key.as_str(), write.value.as_deref()), ("last", Some(r#""Once.""#)));
}

#[test]
fn a_component_that_imports_the_model_needs_the_grant() {
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
    assert!(
        wit::imports("asks").is_empty(),
        "a script without the model imports standard WASI alone"
    );
    let [(name, interface)] =
        wit::imports("overdoes-the-model").try_into().expect("it imports one interface");
    assert_eq!(name, "narratoria:host/llm@0.1.0");
    assert_eq!(interface, wit::declared(include_str!("../../contracts/wit/llm.wit")));
    let both: Vec<String> = wit::imports("writes").into_iter().map(|(name, _)| name).collect();
    assert_eq!(both.len(), 2, "{both:?}");
}
