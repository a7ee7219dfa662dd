//! The examples of `skill new --with`, in every language: they pass their checks, and each uses its real service, which is
//! a story, a folder, a server on this machine, or a model that a test plays.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
};

use narratoria_protocol::{InvocationEnding, InvocationOutcome};
use narratoria_sandbox::{
    InvocationInput, InvocationLimits, Sandbox, SandboxOptions, TextFuture, TextModel,
    TextModelClient, TextModelSink, TextRequest, TextResponse,
};
use narratoria_skills::{StoryGuidance, load_package};

use crate::cli::{
    authoring::{FEATURES, check_passes, plays, run_with_tools},
    languages::{ScriptLanguage, has_built},
};
use crate::player_machine::PlayerMachine;

/// The address in the examples of `http`, and its host.
const ADDRESS: &str = "https://api.example.com/sky";
const HOST: &str = "api.example.com";

/// The answer of the test's server.
const SKY: &str = "The sky is red over Bergen.";

/// The text of the test's model.
const PROSE: &str = "Red sails come in.";

#[tokio::test]
async fn the_services_of_the_host_work_in_rust() {
    check_services("rust", None).await;
}

/// Needs a C compiler; `skill build` names the one that it wants.
#[tokio::test]
async fn the_services_of_the_host_work_in_c() {
    check_services("c", None).await;
}

#[tokio::test]
async fn the_services_of_the_host_work_in_python() {
    check_services("python", Some(ScriptLanguage::Python)).await;
}

#[tokio::test]
async fn the_services_of_the_host_work_in_javascript() {
    check_services("js", Some(ScriptLanguage::JavaScript)).await;
}

/// `interpreted` names the tools of a language whose components take long to build.
async fn check_services(lang: &str, interpreted: Option<ScriptLanguage>) {
    let machine = PlayerMachine::new();
    let new = ["skill", "new", "demo", "--lang", lang, "--dir", "skills", "--with", FEATURES];
    assert_eq!(machine.run(&new, "").exit, Some(0));
    add_script_that_posts(&machine, lang);
    let host = serve();
    let is_built = match interpreted {
        Some(language) => {
            let is_built = has_built(&machine, "demo", language);
            // The build is kept for the next run of the tests, and knows no port of this one.
            if is_built {
                lead_to(&host, &machine, "scripts", ".wasm");
            }
            is_built
        }
        None => {
            lead_to(&host, &machine, "src", if lang == "c" { ".c" } else { ".rs" });
            builds(&machine)
        }
    };
    if !is_built {
        return;
    }
    grant(&host, &machine);
    writes_with_the_model(&machine).await;
    check_passes(&machine, "skills/demo");
    plays(&machine);
    tells(&machine);
    draws_a_map(&machine);
}

/// A second script for `http`, which sends content.
fn add_script_that_posts(machine: &PlayerMachine, lang: &str) {
    let add = ["skill", "add-script", "post-sky", "--package", "skills/demo", "--with", "http"];
    assert_eq!(machine.run(&add, "").exit, Some(0));
    let (file, edits): (_, &[(&str, &str)]) = match lang {
        "rust" => {
            ("post-sky.rs", &[(".get(ADDRESS)", ".post(ADDRESS, \"text/plain\", \"How is it?\")")])
        }
        "c" => (
            "post-sky.c",
            &[(
                "http_get(ADDRESS, &answer)",
                "http_send(HTTP_POST, ADDRESS, \"text/plain\", text_of(\"How is it?\"), &answer)",
            )],
        ),
        "python" => {
            ("post_sky.py", &[(".get(ADDRESS)", ".post(ADDRESS, \"text/plain\", b\"How is it?\")")])
        }
        _ => (
            "post-sky.mjs",
            &[
                (" get(ADDRESS)", " post(ADDRESS, \"text/plain\", \"How is it?\")"),
                ("FetchError, get }", "FetchError, post }"),
            ],
        ),
    };
    let path = machine.path().join("skills/demo/src").join(file);
    let source = fs::read_to_string(&path).unwrap();
    let edited = edits.iter().fold(source, |text, (old, new)| {
        assert!(text.contains(old), "`{old}` is not in:\n{text}");
        text.replace(old, new)
    });
    fs::write(path, edited).unwrap();
}

/// Builds the package; false where C has no compiler.
fn builds(machine: &PlayerMachine) -> bool {
    let built = run_with_tools(machine, &["skill", "build", "skills/demo"], &[]);
    if built.exit == Some(3) && built.stderr.contains("wasi-sdk") {
        return false;
    }
    assert_eq!((built.exit, built.stdout.lines().count()), (Some(0), 9), "{}", built.transcript());
    assert!(!built.stderr.contains("warning"), "{}", built.stderr);
    true
}

/// A server on this machine; returns its host. It answers each request for the sky, and posts with their content.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            answer(stream.unwrap()).unwrap();
        }
    });
    host
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head)? > 0 {}
    let mut text = "There is nothing here.".to_owned();
    if head.starts_with("GET /sky") {
        text = SKY.to_owned();
    } else if head.starts_with("POST /sky") && head.contains("content-type: text/plain\r\n") {
        let is_chunked = head.contains("transfer-encoding: chunked");
        text = format!("{} {SKY}", read_body(&mut reader, is_chunked)?);
    }
    let len = text.len();
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {len}\r\nconnection: close\r\n\r\n{text}")
}

/// Reads the content of a post to its last byte: closing a connection with unread bytes resets it, and the answer is lost.
fn read_body(reader: &mut impl BufRead, is_chunked: bool) -> std::io::Result<String> {
    let mut body = String::new();
    if !is_chunked {
        reader.take("How is it?".len() as u64).read_to_string(&mut body)?;
        return Ok(body);
    }
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let len = u64::from_str_radix(line.trim_end(), 16).map_err(std::io::Error::other)?;
        reader.by_ref().take(len).read_to_string(&mut body)?;
        reader.read_line(&mut line)?;
        if len == 0 {
            return Ok(body);
        }
    }
}

/// Leads the scripts for `http` to this host: in these files, an address of the same length takes the place of theirs.
fn lead_to(host: &str, machine: &PlayerMachine, folder: &str, ending: &str) {
    let address = format!("http://{host}/sky");
    for script in ["ask-sky", "post-sky"] {
        let path =
            machine.path().join("skills/demo").join(folder).join(format!("{script}{ending}"));
        let mut bytes = fs::read(&path).unwrap();
        readdress(&mut bytes, ADDRESS, &address);
        fs::write(path, bytes).unwrap();
    }
}

/// Grants the package this host in the place of the one in its examples.
fn grant(host: &str, machine: &PlayerMachine) {
    let manifest = machine.path().join("skills/demo/skill.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace(HOST, host)).unwrap();
}

/// Puts an address of the same length in the place of this one.
pub(crate) fn readdress(bytes: &mut [u8], from: &str, to: &str) {
    let to = format!("{to:?<width$}", width = from.len());
    let places = places_of(from.as_bytes(), bytes);
    assert!(!places.is_empty(), "there is no `{from}`");
    for place in places {
        bytes[place..place + from.len()].copy_from_slice(to.as_bytes());
    }
}

/// Where these bytes are.
fn places_of(wanted: &[u8], bytes: &[u8]) -> Vec<usize> {
    let is_here = |place: &usize| bytes[*place..].starts_with(wanted);
    (0..bytes.len()).filter(is_here).collect()
}

/// Each sentence of a story, and what the skill tells.
fn tells(machine: &PlayerMachine) {
    let play = ["run", "--planner", "lexical", "--seed", "3", "--skills", "skills"];
    let post = format!("How is it? {SKY}");
    for (sentences, told) in [
        ("I count my visits\nI count my visits\n", &["visit number 1.", "visit number 2."][..]),
        (
            "I ask about the ferry\nI ask about the ferry\n",
            &["Nobody has spoken of the ferry yet.", "Mira keeps the ferry."],
        ),
        ("I draw a map\n", &["You draw a map of the way to the harbour."]),
        ("I enter the inn\n", &["Welcome, traveller."]),
        ("I go to the guard\nAda\n", &["The guard lets Ada pass."]),
        ("I describe the harbour\n", &["The harbour is quiet."]),
    ] {
        let ran = machine.run(&play, sentences);
        for text in told {
            assert!(ran.stdout.contains(text), "{text}: {}", ran.transcript());
        }
    }
    for (script, text) in [("ask-sky", SKY), ("post-sky", &post)] {
        let run = ["skill", "run", &format!("demo/{script}"), "--skills", "skills"];
        let ran = machine.run(&run, "{}");
        let output = format!(r#"output: {{"text":"{text}"}}"#);
        assert!(ran.stdout.contains(&output), "{script}: {}", ran.transcript());
    }
}

fn draws_a_map(machine: &PlayerMachine) {
    let run = ["skill", "run", "demo/draw-map", "--skills", "skills", "--keep", "kept-files"];
    let ran = machine.run(&run, "{}");
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    let mut folders = vec![machine.path().join("kept-files")];
    let mut maps = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => maps.push(fs::read_to_string(path).unwrap()),
            }
        }
    }
    assert_eq!(maps, ["mill --- ford --- harbour\n"]);
}

/// Writes the same text for each request that is as in the examples.
struct OneTextModel;

impl TextModel for OneTextModel {
    fn generate(&self, request: TextRequest, mut on_text: TextModelSink) -> TextFuture {
        assert_eq!(request.prompt, "The harbour at dusk.");
        on_text(PROSE);
        Box::pin(async { Ok(TextResponse { is_complete: true }) })
    }
}

/// Also compiles every component, which takes longer for an interpreter than a command of these tests may.
async fn writes_with_the_model(machine: &PlayerMachine) {
    let folder = machine.path().join("skills/demo");
    let skill = load_package(&folder).unwrap();
    let cache_folder = Some(machine.path().join("kept/cache/components"));
    let sandbox = Sandbox::open(&SandboxOptions { cache_folder, ..Default::default() }).unwrap();
    for script in &skill.scripts {
        let component = fs::read(folder.join(&script.path)).unwrap();
        let loaded = sandbox.load(&component, &script.grants).unwrap();
        if script.name != "describe-harbour" {
            continue;
        }
        let model = TextModelClient {
            model: Arc::new(OneTextModel),
            client: "demo".to_owned(),
            guidance: Arc::new(StoryGuidance::default()),
        };
        let input = InvocationInput {
            text_model: Some(model),
            ..InvocationInput::new(b"{}\n".to_vec(), 0, InvocationLimits::for_script(script))
        };
        let InvocationOutcome { ending, .. } = loaded.run(input, Box::new(|_| ())).await;
        let InvocationEnding::Done { output, .. } = ending else { panic!("{ending:?}") };
        assert_eq!(output["text"], PROSE);
    }
}
