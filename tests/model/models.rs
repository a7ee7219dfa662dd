//! `model pull`, `model list`, `model bench`, `model verify`, `model rm`, against a hub on this machine.

use std::{fs, io::BufWriter, net::TcpListener, process::Command};

use narratoria_models::{
    ModelShape,
    hub::{FakeHub, HubRequestKind, InjectedFault, NAME, model},
    phi3, tiny_vocabulary,
};
use serde_json::Value;

use crate::player_machine::{CommandOutput, PlayerMachine};

const MODEL_BYTES: usize = 300_000;

/// A player, and a hub that the player's machine knows.
struct PlayerWithHub {
    machine: PlayerMachine,
    hub: FakeHub,
}

impl PlayerWithHub {
    fn new() -> PlayerWithHub {
        PlayerWithHub { machine: PlayerMachine::new(), hub: FakeHub::start(model(MODEL_BYTES, 1)) }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.machine.command(args);
        command.env("HF_ENDPOINT", self.hub.endpoint()).env_remove("NARRATORIA_OFFLINE");
        command
    }

    fn run(&self, args: &[&str]) -> CommandOutput {
        self.run_with(args, &[])
    }

    fn run_with(&self, args: &[&str], env: &[(&str, &str)]) -> CommandOutput {
        let output = self.command(args).envs(env.iter().copied()).output().unwrap();
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            text.replace(&self.machine.path().display().to_string(), "[machine]")
        };
        CommandOutput {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            exit: output.status.code(),
        }
    }

    fn transcript(&self, args: &[&str]) -> String {
        self.run(args).transcript()
    }
}

#[test]
fn a_model_comes_is_listed_checked_and_removed() {
    let net = PlayerWithHub::new();
    insta::assert_snapshot!(net.transcript(&["model", "pull", NAME]), @"
    zoe/Tiny-GGUF/tiny-Q4.gguf, 300 kB
    [machine]/kept/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(net.transcript(&["model", "list"]), @"
    NAME                                                                               SHORT             SIZE      STATE
    zoe/Tiny-GGUF/tiny-Q4.gguf                                                         -                 300 kB    here
    bartowski/Phi-3.5-mini-instruct-GGUF/Phi-3.5-mini-instruct-Q4_K_M.gguf             phi-3.5-mini      ~2.39 GB  not here, in use
    unsloth/Qwen3-4B-Instruct-2507-GGUF/Qwen3-4B-Instruct-2507-Q4_K_M.gguf             qwen3-4b          ~2.50 GB  not here
    unsloth/Phi-4-mini-instruct-GGUF/Phi-4-mini-instruct-Q4_K_M.gguf                   phi-4-mini        ~2.49 GB  not here
    unsloth/gemma-4-E2B-it-GGUF/gemma-4-E2B-it-Q4_K_M.gguf                             gemma-4-e2b       ~3.11 GB  not here
    bartowski/Qwen_Qwen3-1.7B-GGUF/Qwen_Qwen3-1.7B-Q4_K_M.gguf                         qwen3-1.7b        ~1.28 GB  not here
    second-state/All-MiniLM-L6-v2-Embedding-GGUF/all-MiniLM-L6-v2-ggml-model-f16.gguf  all-minilm-l6-v2  ~45.9 MB  not here
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(net.transcript(&["model", "verify"]), @"
    zoe/Tiny-GGUF/tiny-Q4.gguf: good
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(net.transcript(&["model", "pull", NAME]), @"
    zoe/Tiny-GGUF/tiny-Q4.gguf, 300 kB
    [machine]/kept/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    --- stderr
    note: it was here already
    --- exit 0
    ");
    insta::assert_snapshot!(net.transcript(&["model", "rm", NAME]), @"
    removed zoe/Tiny-GGUF/tiny-Q4.gguf, 300 kB are free
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(net.transcript(&["model", "rm", NAME]), @"
    --- stderr
    error: `zoe/Tiny-GGUF/tiny-Q4.gguf` is not on this machine
    hint: `narratoria model list` shows what is here
    --- exit 3
    ");
    insta::assert_snapshot!(net.transcript(&["model", "verify"]), @"
    there are no models yet; `narratoria model pull` fetches one
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(net.transcript(&["model", "verify", NAME]), @"
    --- stderr
    error: `zoe/Tiny-GGUF/tiny-Q4.gguf` is not on this machine
    hint: `narratoria model pull zoe/Tiny-GGUF/tiny-Q4.gguf` fetches it
    --- exit 3
    ");
}

#[test]
fn a_model_is_measured_and_the_list_shows_how_long_a_question_takes() {
    const FILE: &str = "zoe/Tiny-GGUF/writes-Q4.gguf";
    let machine = PlayerMachine::new();
    let at = machine.path().join("kept/models").join(FILE);
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    let shape = ModelShape { embedding: 64, layers: 2, heads: 2, feed_forward: 128, context: 4096 };
    phi3("writes", shape, &tiny_vocabulary(), 1)
        .write(&mut BufWriter::new(fs::File::create(&at).unwrap()))
        .unwrap();
    let numberless = |told: CommandOutput| {
        let number = regex::Regex::new(r"\d+(\.\d+)?").unwrap();
        let verdict = regex::Regex::new(r"(?m)^It .*$").unwrap();
        let text = verdict.replace(&told.transcript(), "[verdict]").into_owned();
        number.replace_all(&text, "N").into_owned()
    };
    insta::assert_snapshot!(numberless(machine.run(&["model", "bench", FILE], "")), @"
    [machine]/kept/models/zoe/Tiny-GGUF/writes-QN.gguf (phiN), N kB
      computed        on the processor
      ready after     N s
      reads           N tokens a second
      writes          N tokens a second
      first question  N s
      a question      N s
      understands     N of N pairs of known questions
    [verdict]
    --- stderr
    --- exit N
    ");
    let told = machine.run(&["model", "bench", FILE, "--format", "json"], "");
    let document: Value = serde_json::from_str(&told.stdout).unwrap();
    let location = document["measured"]["location"].as_str().unwrap();
    assert!(location.ends_with(FILE), "{}", told.stdout);
    assert!(document["measured"]["speed"]["questionMs"].is_u64(), "{}", told.stdout);
    let list = machine.run(&["model", "list", "--format", "json"], "");
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    assert_eq!(list[0]["measured"], document["measured"]);
    let line = machine.run(&["model", "list"], "").stdout;
    let line = line.lines().nth(1).unwrap();
    assert!(line.ends_with(" s a question"), "{line}");
    // Another file under the name is another model.
    phi3("other", ModelShape { layers: 1, ..shape }, &tiny_vocabulary(), 1)
        .write(&mut BufWriter::new(fs::File::create(&at).unwrap()))
        .unwrap();
    let line = machine.run(&["model", "list"], "").stdout;
    assert!(!line.contains("a question"), "{line}");
    insta::assert_snapshot!(machine.transcript(&["model", "bench", "zoe/Tiny-GGUF/no.gguf"], ""), @"
    --- stderr
    error: the model `zoe/Tiny-GGUF/no.gguf` is not on this machine
    hint: `narratoria model pull zoe/Tiny-GGUF/no.gguf` fetches it
    --- exit 3
    ");
}

#[test]
fn one_missing_name_keeps_every_model_where_it_is() {
    let net = PlayerWithHub::new();
    net.run(&["model", "pull", NAME]);
    for names in [[NAME, "zoe/Tiny-GGUF/typo.gguf"], ["zoe/Tiny-GGUF/typo.gguf", NAME]] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(net.transcript(&[&["model", "rm"][..], &names].concat()), @"
            --- stderr
            error: `zoe/Tiny-GGUF/typo.gguf` is not on this machine
            hint: `narratoria model list` shows what is here
            hint: nothing was removed
            --- exit 3
            ");
        }
    }
    // Neither does a name that is none.
    assert_eq!(net.run(&["model", "rm", NAME, "./a.gguf"]).exit, Some(2));
    // A name that is given twice is one model.
    insta::assert_snapshot!(net.transcript(&["model", "rm", NAME, NAME]), @"
    removed zoe/Tiny-GGUF/tiny-Q4.gguf, 300 kB are free
    --- stderr
    --- exit 0
    ");
}

#[test]
fn programs_get_documents() {
    let net = PlayerWithHub::new();
    let json = |args: &[&str]| -> Value {
        let ran = net.run(&[args, &["--format", "json"]].concat());
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let pulled = json(&["model", "pull", NAME]);
    assert_eq!((&pulled["name"], &pulled["bytes"]), (&NAME.into(), &MODEL_BYTES.into()));
    assert_eq!(pulled["wasHere"], false);
    assert_eq!(pulled["path"], format!("[machine]/kept/models/{NAME}"));
    let listed = json(&["model", "list"]);
    assert_eq!(listed.as_array().unwrap().len(), 7);
    assert_eq!(
        (&listed[0]["state"], &listed[0]["recorded"]["sha256"]),
        (&"whole".into(), &pulled["sha256"])
    );
    assert_eq!((&listed[1]["alias"], &listed[1]["inUse"]), (&"phi-3.5-mini".into(), &true.into()));
    assert_eq!(json(&["model", "verify"])[0]["verdict"], "good");
    assert_eq!(json(&["model", "rm", NAME])[0]["bytes"], MODEL_BYTES);
}

#[test]
fn a_break_is_told_and_gone_on_from() {
    let net = PlayerWithHub::new();
    net.hub.inject_fault(HubRequestKind::File, InjectedFault::Break(100_000));
    net.hub.inject_fault(HubRequestKind::File, InjectedFault::NoRange);
    insta::assert_snapshot!(net.transcript(&["model", "pull", NAME]), @"
    zoe/Tiny-GGUF/tiny-Q4.gguf, 300 kB
    [machine]/kept/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    --- stderr
    note: the connection broke: end of file before message length reached; trying again in 0.5 s
    note: beginning again: the hub does not go on in the middle of a file
    --- exit 0
    ");
    assert_eq!(net.hub.ranges(), ["0-299999", "83616-299999"]);
}

#[test]
fn what_comes_must_be_what_is_listed() {
    let net = PlayerWithHub::new();
    net.hub.inject_fault(HubRequestKind::File, InjectedFault::Length(200_000));
    insta::assert_snapshot!(net.transcript(&["model", "pull", NAME]), @"
    --- stderr
    error: `zoe/Tiny-GGUF/tiny-Q4.gguf` has 200000 bytes, the hub says 300000 bytes: what came was removed
    hint: pull again; if it happens twice, what the hub sends is not what it lists
    --- exit 1
    ");
    net.hub.set(|hub| hub.digest = Some("ab".repeat(32)));
    let told = net.transcript(&["model", "pull", NAME]);
    assert!(told.contains("the hub says abab"), "{told}");
    assert!(told.ends_with("--- exit 1"), "{told}");
    assert!(!net.machine.path().join("kept/models/zoe/Tiny-GGUF/tiny-Q4.gguf.part").exists());
}

#[test]
fn a_half_download_is_listed_and_gone_on_from() {
    let net = PlayerWithHub::new();
    net.hub.inject_fault(HubRequestKind::File, InjectedFault::Break(100_000));
    net.hub.inject_fault(HubRequestKind::File, InjectedFault::Answer(403, &[], ""));
    insta::assert_snapshot!(net.transcript(&["model", "pull", NAME]), @"
    --- stderr
    note: the connection broke: end of file before message length reached; trying again in 0.5 s
    error: the hub does not give `zoe/Tiny-GGUF` to whoever asks (403)
    hint: set HF_TOKEN to a token that may read it
    --- exit 4
    ");
    let listed = net.transcript(&["model", "list"]);
    assert!(listed.contains("zoe/Tiny-GGUF/tiny-Q4.gguf"), "{listed}");
    assert!(listed.contains("100 kB    half: of 300 kB"), "{listed}");
    insta::assert_snapshot!(net.transcript(&["model", "pull", NAME]), @"
    zoe/Tiny-GGUF/tiny-Q4.gguf, 300 kB
    [machine]/kept/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    --- stderr
    note: going on at 100 kB of 300 kB
    --- exit 0
    ");
    assert_eq!(net.hub.ranges().last().unwrap(), "83616-299999");
}

#[test]
fn a_damaged_model_is_exit_1() {
    let net = PlayerWithHub::new();
    assert_eq!(net.run(&["model", "pull", NAME]).exit, Some(0));
    let path = net.machine.path().join("kept/models").join(NAME);
    fs::write(&path, model(MODEL_BYTES, 2)).unwrap();
    insta::assert_snapshot!(net.transcript(&["model", "verify", NAME]), @"
    zoe/Tiny-GGUF/tiny-Q4.gguf: damaged, its SHA-256 is 002a5204699ecfc8cc7da1fdab877f0a8999243b5329fc17995a9831eae4f589 and was 2b683420b1d2cda83be0d0fa1a8f6082102bf5ac7617617c25ab67d734e05a0b
    --- stderr
    --- exit 1
    ");
}

#[test]
fn a_name_that_is_none_is_exit_2() {
    let net = PlayerWithHub::new();
    insta::assert_snapshot!(net.transcript(&["model", "pull", "phi-3.5"]), @"
    --- stderr
    error: `phi-3.5` is neither `owner/repo/file.gguf`, nor a path, nor a short name
    hint: did you mean `phi-3.5-mini`?
    --- exit 2
    ");
    insta::assert_snapshot!(net.transcript(&["model", "pull", "./tiny.gguf"]), @"
    --- stderr
    error: `./tiny.gguf` is a path, it is not fetched from a hub
    hint: on the hub a model is called `owner/repo/file.gguf`
    --- exit 2
    ");
    insta::assert_snapshot!(net.transcript(&["model", "rm"]), @"
    --- stderr
    error: the following required arguments were not provided:
      <NAME>...

    Usage: narratoria model rm <NAME>...

    For more information, try '--help'.
    --- exit 2
    ");
}

#[test]
fn what_the_hub_does_not_have_is_exit_3() {
    let net = PlayerWithHub::new();
    insta::assert_snapshot!(net.transcript(&["model", "pull", "zoe/Teeny-GGUF/tiny.gguf"]), @"
    --- stderr
    error: there is no repository `zoe/Teeny-GGUF` on the hub
    --- exit 3
    ");
    insta::assert_snapshot!(net.transcript(&["model", "pull", "zoe/Tiny-GGUF/tiny-Q5.gguf"]), @"
    --- stderr
    error: `zoe/Tiny-GGUF` has no file `tiny-Q5.gguf`
    hint: it has `tiny-Q2.gguf`, `tiny-Q4.gguf`, `tiny-Q8.gguf`
    --- exit 3
    ");
}

#[test]
fn what_the_hub_does_not_give_is_exit_4() {
    let net = PlayerWithHub::new();
    net.hub.set(|hub| hub.token = Some("hf_right"));
    insta::assert_snapshot!(net.transcript(&["model", "pull", NAME]), @"
    --- stderr
    error: the hub wants to know who asks for `zoe/Tiny-GGUF` (401): Invalid username or password.
    hint: check the name: the hub answers so where there is no such repository; if it is not public, set HF_TOKEN
    --- exit 4
    ");
    let ran = net.run_with(&["model", "pull", NAME], &[("HF_TOKEN", "hf_wrong")]);
    insta::assert_snapshot!(ran.transcript(), @"
    --- stderr
    error: the hub wants to know who asks for `zoe/Tiny-GGUF` (401): Invalid username or password.
    hint: the token in HF_TOKEN is wrong or too old
    --- exit 4
    ");
    assert_eq!(net.run_with(&["model", "pull", NAME], &[("HF_TOKEN", "hf_right\n")]).exit, Some(0));
}

#[test]
fn only_what_is_said_reaches_the_hub() {
    let net = PlayerWithHub::new();
    // The client's own default: the files of other programs.
    net.machine.write("token", "hf_of_another_program");
    let home = net.machine.path().to_str().unwrap();
    let file = format!("{home}/token");
    let env = [("HF_HOME", home), ("HF_TOKEN", ""), ("HF_TOKEN_PATH", &file)];
    assert_eq!(net.run_with(&["model", "pull", NAME], &env).exit, Some(0));
    assert!(net.hub.requests().iter().all(|asked| asked.authorization.is_none()));
}

#[test]
fn offline_means_that_nobody_is_asked() {
    let net = PlayerWithHub::new();
    insta::assert_snapshot!(net.transcript(&["model", "pull", NAME, "--offline"]), @"
    --- stderr
    error: `zoe/Tiny-GGUF/tiny-Q4.gguf` is not on this machine, and nothing may be fetched
    hint: leave out `--offline` and unset NARRATORIA_OFFLINE
    --- exit 4
    ");
    let offline = [("NARRATORIA_OFFLINE", "1")];
    assert_eq!(net.run_with(&["model", "pull", NAME], &offline).exit, Some(4));
    assert_eq!(net.hub.requests(), []);
    assert_eq!(
        net.run_with(&["model", "pull", NAME], &[("NARRATORIA_OFFLINE", "0")]).exit,
        Some(0)
    );
    // A model that is here may be named.
    insta::assert_snapshot!(net.transcript(&["model", "pull", NAME, "--offline"]), @"
    zoe/Tiny-GGUF/tiny-Q4.gguf, 300 kB
    [machine]/kept/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    --- stderr
    note: it was here already
    --- exit 0
    ");
}

#[test]
fn nobody_there_is_exit_1() {
    let net = PlayerWithHub::new();
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let endpoint = format!("http://{free}");
    let ran = net.run_with(&["model", "pull", NAME], &[("HF_ENDPOINT", &endpoint)]);
    insta::assert_snapshot!(ran.transcript(), @"
    --- stderr
    error: the hub cannot be reached: Connection refused (os error 111)
    hint: check the connection; without a model the lexical planner makes the plans
    --- exit 1
    ");
    let ran = net.run_with(&["model", "pull", NAME], &[("HF_ENDPOINT", "")]);
    insta::assert_snapshot!(ran.transcript(), @"
    --- stderr
    error: `` is no address of a hub: relative URL without a base
    hint: HF_ENDPOINT says where the hub is
    --- exit 2
    ");
}

#[test]
fn the_configuration_says_which_model_is_in_use() {
    let net = PlayerWithHub::new();
    fs::create_dir_all(net.machine.path().join("kept")).unwrap();
    net.machine.write("kept/config.toml", format!("[model]\nuse = \"{NAME}\"\n"));
    insta::assert_snapshot!(net.transcript(&["model", "pull"]), @"
    zoe/Tiny-GGUF/tiny-Q4.gguf, 300 kB
    [machine]/kept/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    --- stderr
    --- exit 0
    ");
    net.machine.write("kept/config.toml", "[model]\nuse = \"./mine.gguf\"\n");
    insta::assert_snapshot!(net.transcript(&["model", "list"]), @"
    NAME                                                                               SHORT             SIZE      STATE
    zoe/Tiny-GGUF/tiny-Q4.gguf                                                         -                 300 kB    here
    bartowski/Phi-3.5-mini-instruct-GGUF/Phi-3.5-mini-instruct-Q4_K_M.gguf             phi-3.5-mini      ~2.39 GB  not here
    unsloth/Qwen3-4B-Instruct-2507-GGUF/Qwen3-4B-Instruct-2507-Q4_K_M.gguf             qwen3-4b          ~2.50 GB  not here
    unsloth/Phi-4-mini-instruct-GGUF/Phi-4-mini-instruct-Q4_K_M.gguf                   phi-4-mini        ~2.49 GB  not here
    unsloth/gemma-4-E2B-it-GGUF/gemma-4-E2B-it-Q4_K_M.gguf                             gemma-4-e2b       ~3.11 GB  not here
    bartowski/Qwen_Qwen3-1.7B-GGUF/Qwen_Qwen3-1.7B-Q4_K_M.gguf                         qwen3-1.7b        ~1.28 GB  not here
    second-state/All-MiniLM-L6-v2-Embedding-GGUF/all-MiniLM-L6-v2-ggml-model-f16.gguf  all-minilm-l6-v2  ~45.9 MB  not here
    in use: [machine]/kept/mine.gguf
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(net.transcript(&["model", "pull"]), @"
    --- stderr
    error: `[machine]/kept/mine.gguf` is a path, it is not fetched from a hub
    hint: on the hub a model is called `owner/repo/file.gguf`
    --- exit 2
    ");
    net.machine.write("kept/config.toml", "[model]\ndownlod = false\n");
    insta::assert_snapshot!(net.transcript(&["model", "list"]), @"
    --- stderr
    error: the configuration `[machine]/kept/config.toml`, line 2: there is no key `downlod`
    hint: did you mean `download`?
    --- exit 2
    ");
}

#[test]
fn two_processes_fetch_one_file_once() {
    let net = PlayerWithHub::new();
    net.hub.inject_fault(HubRequestKind::File, InjectedFault::Stall(100_000));
    let mut first = net.command(&["model", "pull", NAME]).spawn().unwrap();
    net.hub.await_stall();
    let mut second = net.command(&["model", "pull", NAME]).spawn().unwrap();
    let mut news = String::new();
    let stderr = second.stderr.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stderr), &mut news).unwrap();
    assert_eq!(news, "note: another process is fetching it; waiting for that\n");
    net.hub.release();
    assert!(first.wait().unwrap().success());
    assert!(second.wait().unwrap().success());
    assert_eq!(net.hub.ranges(), ["0-299999"]);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_keeps_what_has_come() {
    let net = PlayerWithHub::new();
    net.hub.inject_fault(HubRequestKind::File, InjectedFault::Stall(100_000));
    let child = net.command(&["model", "pull", NAME]).spawn().unwrap();
    net.hub.await_stall();
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &pid]).status().unwrap().success());
    net.hub.await_left();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.ends_with("note: what has come is kept; pull again to go on\n"), "{stderr}");
    assert_eq!(net.run(&["model", "pull", NAME]).exit, Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_has_one_line_for_a_download() {
    use crate::pty::PtySession;

    let net = PlayerWithHub::new();
    net.hub.inject_fault(HubRequestKind::File, InjectedFault::Stall(100_000));
    let endpoint = net.hub.endpoint();
    let env = [("NO_COLOR", "1"), ("HF_ENDPOINT", endpoint.as_str()), ("NARRATORIA_OFFLINE", "0")];
    let mut terminal = PtySession::start_with(&net.machine, &["model", "pull", NAME], &env);
    net.hub.await_stall();
    terminal.await_text("tiny-Q4.gguf  [--------------------]  0%  0 B of 300 kB");
    net.hub.release();
    terminal.await_text("300 kB of 300 kB");
    terminal.await_text("zoe/Tiny-GGUF/tiny-Q4.gguf, 300 kB");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn the_help_says_what_reaches_the_hub() {
    let net = PlayerWithHub::new();
    insta::assert_snapshot!(net.transcript(&["model", "pull", "--help"]), @"
    Fetch a model, or resume an earlier download

    The file gets its name only after its size and SHA-256 match those that the hub lists. A model that
    is here is not fetched again.

    Usage: narratoria model pull [OPTIONS] [NAME]

    Arguments:
      [NAME]
              `owner/repo/file.gguf`, or a short name that `model list` shows [default: the one in use]

    Options:
          --offline
              Fetch nothing from anywhere [also: NARRATORIA_OFFLINE]

          --format <FORMAT>
              Format of stdout

              Possible values:
              - plain: For people
              - json:  For programs

              [default: plain]

      -h, --help
              Print help (see a summary with '-h')

    Environment:
      NARRATORIA_OFFLINE  when set (and not 0), nothing is fetched
      HF_ENDPOINT         another hub, or a mirror
      HF_TOKEN            who you are there, for what is not public
    --- stderr
    --- exit 0
    ");
}
