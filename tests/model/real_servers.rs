//! The program with real servers and a real model: `make real-servers`. The fake server of the other tests does what its
//! author knows of the real ones; here they say it themselves.

use std::{
    env,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use narratoria_model::{
    llm::{
        Chat, ChatMessage, ChatRole, ChooseJob, GenerateError, GenerateJob, Lane, MessagePart,
        Model, PrefixLifetime, Sampling,
    },
    server::{CONNECT_TIME, ConnectOptions, ServerAddress},
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::player_machine::{PlayerMachine, RunningCommand, check_updates};

/// For everything that a slow machine may take long for.
const PATIENCE: Duration = Duration::from_secs(300);

/// In this time a server notices that nobody waits for its text. It would write [`LONG_TEXT_TOKENS`] for longer.
const FREE_AGAIN: Duration = Duration::from_secs(20);
const LONG_TEXT_TOKENS: usize = 3_000;

/// Time for a plan, in milliseconds: on a slow machine a model of half a billion weights takes a minute.
const PLAN_MS: &str = "200000";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RealServerKind {
    LlamaServer,
    /// The library node-llama-cpp behind `tests/servers/server.mjs`. It gives no probabilities.
    NodeLlamaCpp,
}

use RealServerKind::{LlamaServer, NodeLlamaCpp};

/// A server with the model in NARRATORIA_REAL_MODEL, which ends when it is dropped.
struct RealServer {
    kind: RealServerKind,
    child: Child,
    port: u16,
}

impl RealServer {
    /// Starts a server of those that `scripts/real-servers.sh` has installed in NARRATORIA_REAL_SERVERS, and does not wait for it.
    fn launch(kind: RealServerKind) -> RealServer {
        let path = |variable: &str| PathBuf::from(env::var_os(variable).unwrap());
        let (folder, model) = (path("NARRATORIA_REAL_SERVERS"), path("NARRATORIA_REAL_MODEL"));
        let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        // Threads that wait for each other take minutes where the program and the tests want the same cores.
        let cores = thread::available_parallelism().unwrap().get();
        let threads = (cores / 2).max(1).to_string();
        let (port_text, model) = (port.to_string(), model.into_os_string());
        let mut command = match kind {
            LlamaServer => {
                let mut command = Command::new(folder.join("llama-server"));
                command.arg("--model").arg(model).args(["--host", "127.0.0.1"]);
                command.args(["--port", &port_text, "--threads", &threads]);
                command.args(["--ctx-size", "8192", "--parallel", "1", "--slots"]);
                command
            }
            NodeLlamaCpp => {
                let mut command = Command::new("node");
                command.arg(folder.join("node-llama-cpp/server.mjs")).arg(model);
                command.args([&port_text, &threads]);
                command
            }
        };
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        RealServer { kind, child: quiet.spawn().unwrap(), port }
    }

    /// Starts a server and waits until it has loaded the model.
    fn start(kind: RealServerKind) -> RealServer {
        let server = RealServer::launch(kind);
        let since = Instant::now();
        while !server.get("/v1/models").is_some_and(|models| models["data"].is_array()) {
            assert!(since.elapsed() < PATIENCE, "{kind:?} does not start");
            thread::sleep(Duration::from_millis(200));
        }
        server
    }

    fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The document at a path; `None` if there is no whole one yet.
    fn get(&self, path: &str) -> Option<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let request = format!("GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n");
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let is_done = head.split_whitespace().nth(1) == Some("200");
        is_done.then(|| serde_json::from_str(body).ok()).flatten()
    }

    fn connect(&self) -> Model {
        let options = ConnectOptions { hosts: Vec::new(), seed: 7, time: CONNECT_TIME };
        Model::connect(&ServerAddress::parse(&self.base()).unwrap(), &options).unwrap()
    }

    /// Waits until the server works for nobody: it answers a new question, and llama-server says so, too. Returns the time.
    fn await_free(&self, model: &Model) -> Duration {
        let since = Instant::now();
        let mut question = job("Say yes.", 1);
        question.deadline = since + FREE_AGAIN;
        let answer = block_on(model.generate(question, Box::new(|_| {})));
        assert!(answer.is_ok(), "{:?} still writes after {:?}: {answer:?}", self.kind, FREE_AGAIN);
        let time = since.elapsed();
        if self.kind == LlamaServer {
            let slots = self.get("/slots").unwrap();
            assert_eq!(slots[0]["is_processing"], false, "{slots}");
        }
        time
    }
}

impl Drop for RealServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn chat(text: &str) -> Chat {
    let parts = vec![MessagePart { text: text.to_owned(), lifetime: PrefixLifetime::Job }];
    Chat { messages: vec![ChatMessage { role: ChatRole::User, parts }] }
}

fn job(text: &str, tokens_max: usize) -> GenerateJob {
    GenerateJob {
        client: "planner".to_owned(),
        lane: Lane::Plan,
        chat: chat(text),
        grammar: None,
        tokens_max,
        sampling: Sampling::Greedy,
        deadline: Instant::now() + PATIENCE,
        cancel: CancellationToken::new(),
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// The model writes whole plans in this command.
fn plans_by_a_model<'a>(base: &'a str, plan_ms: &'a str) -> [&'a str; 13] {
    [
        "run",
        "--planner",
        "llama",
        "--model",
        base,
        "--plan-generation-ms",
        plan_ms,
        "--plan-beyond-s0",
        "on",
        "--plan-timeout-ms",
        "400000",
        "--format",
        "json",
    ]
}

fn of_type<'l>(lines: &'l [Value], kind: &str) -> Vec<&'l Value> {
    lines.iter().filter(|line| line["type"] == kind).collect()
}

/// Runs a test with both servers, one after the other.
fn with_each(test: impl Fn(&RealServer)) {
    for kind in [LlamaServer, NodeLlamaCpp] {
        test(&RealServer::start(kind));
    }
}

#[test]
#[ignore = "it needs real servers, in NARRATORIA_REAL_SERVERS, and a real model"]
fn a_real_server_is_recognised_and_may_plan() {
    with_each(|server| {
        let machine = PlayerMachine::new();
        let port = server.port.to_string();
        let found = machine.run(&["model", "find", "--port", &port, "--format", "json"], "");
        let found = &found.result()["servers"][0];
        let kind = match server.kind {
            LlamaServer => "llama-server",
            NodeLlamaCpp => "OpenAI-compatible",
        };
        assert_eq!((&found["kind"], &found["asked"]["obeysSchemas"]), (&kind.into(), &true.into()));
        println!("{kind} {}: {} tokens/s", found["version"], found["asked"]["tokensPerSecond"]);
        assert!(found["models"][0]["contextTokens"].as_u64() >= Some(4096), "{found}");
        let address = found["models"][0]["use"].as_str().unwrap();
        let ran = machine.run(&["run", "--model", address], "");
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    });
}

#[test]
#[ignore = "it needs real servers, in NARRATORIA_REAL_SERVERS, and a real model"]
fn a_model_of_a_real_server_makes_plans_and_turns_are_played_to_their_ends() {
    with_each(|server| {
        let machine = PlayerMachine::new();
        let base = server.base();
        let sentences = "roll 2d6\nI look around.\nI ask the keeper about the <|im_end|> lamp.\n";
        let since = Instant::now();
        let ran = machine.run(&plans_by_a_model(&base, PLAN_MS), sentences);
        println!("{:?}: three turns in {:?}", server.kind, since.elapsed());
        let lines = ran.lines();
        check_updates(&lines);
        assert_eq!((&lines[0]["narrator"], ran.exit), (&"llama".into(), Some(0)));
        assert_eq!(of_type(&lines, "turn.finished").len(), 3, "{}", ran.transcript());
        let plans = of_type(&lines, "plan.proposed");
        let by_the_model = plans.iter().filter(|it| it["planner"] == "llama").count();
        for replaced in of_type(&lines, "planner.replaced") {
            println!("{:?}: {}", server.kind, replaced["reason"]);
        }
        for plan in &plans {
            let metadata = &plan["plan"]["metadata"];
            println!(
                "{}, {} ms, {}",
                plan["planner"], metadata["generationMs"], metadata["tokens"]
            );
        }
        assert!(by_the_model > 0, "{}", ran.transcript());
        assert_eq!(plans[0]["plan"]["metadata"]["generationAttempt"], 1);
    });
}

/// The planner that a player has: the model answers questions and writes prose.
#[test]
#[ignore = "it needs real servers, in NARRATORIA_REAL_SERVERS, and a real model"]
fn a_campaign_is_played_with_a_model_of_a_real_server() {
    with_each(|server| {
        let machine = PlayerMachine::new();
        let base = server.base();
        let play = ["run", "--campaign", "every-last-spoon", "--seed=7", "--format", "json"];
        let model = ["--model", &base, "--plan-generation-ms", "30000", "--plan-beyond-s0", "on"];
        let sentences = "look closely at the tide board\nI roll 2d6.\nI hum a song of the sea.\n";
        let ran = machine.run(&[&play[..], &model].concat(), sentences);
        let lines = ran.lines();
        check_updates(&lines);
        let ends = of_type(&lines, "turn.finished");
        // The first turn is the opening of the campaign.
        assert_eq!((ends.len(), ran.exit), (4, Some(0)), "{}", ran.transcript());
        assert!(ends.iter().all(|end| end["outcome"] == "told"), "{ends:?}");
    });
}

#[test]
#[ignore = "it needs real servers, in NARRATORIA_REAL_SERVERS, and a real model"]
fn probabilities_come_or_are_asked_for_once() {
    with_each(|server| {
        let model = server.connect();
        let labels = || ChooseJob {
            client: "planner".to_owned(),
            lane: Lane::Plan,
            chat: chat("Is water wet? Answer with one letter: Y for yes, N for no."),
            labels: vec!['Y', 'N'],
            deadline: Instant::now() + PATIENCE,
            cancel: CancellationToken::new(),
        };
        let chosen = block_on(model.choose(labels()));
        match server.kind {
            LlamaServer => {
                let logarithms = chosen.unwrap().logarithms;
                println!("Y, N: {logarithms:?}");
                let whole: f32 = logarithms.iter().map(|it| it.exp()).sum();
                assert!((whole - 1.0).abs() < 1e-3, "{logarithms:?}");
            }
            NodeLlamaCpp => {
                let reason = "the server gives no probabilities of tokens".to_owned();
                assert_eq!(chosen, Err(GenerateError::Failed { reason }));
            }
        }
    });
}

#[test]
#[ignore = "it needs real servers, in NARRATORIA_REAL_SERVERS, and a real model"]
fn closing_the_connection_in_the_middle_of_a_text_frees_the_server() {
    with_each(|server| {
        let model = server.connect();
        let long =
            job("Count from one to a thousand in words, one number a line.", LONG_TEXT_TOKENS);
        let (cancel, from_sink) = (long.cancel.clone(), long.cancel.clone());
        let written = block_on(model.generate(long, Box::new(move |_| from_sink.cancel())));
        assert!(cancel.is_cancelled());
        assert_eq!(written, Err(GenerateError::Cancelled));
        println!("{:?} is free after {:?}", server.kind, server.await_free(&model));
        // And a deadline does the same.
        let mut late =
            job("Count from one to a thousand in words, one number a line.", LONG_TEXT_TOKENS);
        late.deadline = Instant::now() + Duration::from_secs(2);
        let written = block_on(model.generate(late, Box::new(|_| {})));
        assert!(matches!(written, Err(GenerateError::TimedOut { .. })), "{written:?}");
        println!("{:?} is free after {:?}", server.kind, server.await_free(&model));
    });
}

#[test]
#[ignore = "it needs real servers, in NARRATORIA_REAL_SERVERS, and a real model"]
fn a_server_that_is_killed_in_the_middle_of_a_plan_costs_no_turn() {
    for kind in [LlamaServer, NodeLlamaCpp] {
        let (machine, server) = (PlayerMachine::new(), RealServer::start(kind));
        let base = server.base();
        let mut run = RunningCommand::spawn(machine.command(&plans_by_a_model(&base, PLAN_MS)));
        run.type_line("roll 2d6");
        run.await_update("plan.growing");
        drop(server);
        let replaced = run.await_update("planner.replaced");
        println!("{kind:?}: {}", replaced["reason"]);
        assert_eq!(run.await_update("turn.finished")["outcome"], "told", "{kind:?}");
        run.type_line("I look around.");
        assert_eq!(run.await_update("turn.finished")["outcome"], "told", "{kind:?}");
        let (exit, ..) = run.end();
        assert_eq!(exit, Some(0), "{kind:?}");
    }
}

#[test]
#[ignore = "it needs real servers, in NARRATORIA_REAL_SERVERS, and a real model"]
fn a_server_that_still_loads_its_model_is_waited_for() {
    let server = RealServer::launch(LlamaServer);
    let machine = PlayerMachine::new();
    while TcpStream::connect(("127.0.0.1", server.port)).is_err() {
        thread::sleep(Duration::from_millis(1));
    }
    let ran = machine.run(&["run", "--model", &server.base(), "--format", "json"], "");
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
}
