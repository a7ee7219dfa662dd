//! `narratoria serve --database`: a story is in a database, and the servers come and go.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    time::Duration,
};

use narratoria_test_postgres::PostgresServer;
use serde_json::{Value, json};

use crate::{page_client::PageServer, player_machine::PlayerMachine};

/// The databases that the tests play on.
pub(crate) fn databases(folder: &Path) -> Vec<String> {
    let sqlite = format!("sqlite:{}", folder.join("stories.db").display());
    let postgres = PostgresServer::shared().map(PostgresServer::database);
    [sqlite].into_iter().chain(postgres).collect()
}

pub(crate) fn start(machine: &PlayerMachine, database: &str) -> PageServer {
    PageServer::start(machine, &["--planner", "lexical", "--database", database, "--lease", "1"])
}

/// The whole story as lines, whose last one has their digest.
pub(crate) fn lines(server: &PageServer, story: &str) -> String {
    let answer = server.get(&format!("/api/stories/{story}/export?format=ndjson"));
    assert_eq!(answer.status, 200, "{answer:?}");
    String::from_utf8(answer.body).unwrap()
}

/// Sends a line until its story is no longer played by a server that was killed.
#[track_caller]
fn line(server: &PageServer, story: &str, id: &str, after: u64, text: &str) {
    let mut status = 0;
    for _ in 0..400 {
        status = server.line(story, id, after, text);
        if status == 202 {
            return;
        }
        assert_eq!(status, 409);
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{status}");
}

/// S: a `kill -9`, and another server with an empty home goes on with the same story.
#[test]
fn another_server_with_an_empty_home_goes_on_with_the_story_of_a_killed_one() {
    let folder = tempfile::tempdir().unwrap();
    for database in databases(folder.path()) {
        let (one, two) = (PlayerMachine::new(), PlayerMachine::new());
        let server = start(&one, &database);
        let story = server.create(json!({"campaign": "last-reading"}));
        let mut events = server.events(&story, None);
        events.until("ready");
        assert_eq!(server.line(&story, "one", 1, "go north"), 202);
        let told = events.until_update("turn.finished");
        events.until("ready");
        let before = lines(&server, &story);
        server.kill();

        let server = start(&two, &database);
        let listed = server.get("/api/stories").json();
        assert_eq!(listed["stories"][0]["name"], json!(story), "{listed}");
        assert_eq!(lines(&server, &story), before, "{database}: the same digest");
        let again = server.document(&story, "told?count=1");
        assert_eq!(again["told"][0]["narration"], told["narration"]);
        // The page of the killed server has had no answer, and sends its line again: it is not played twice.
        line(&server, &story, "one", 1, "go north");
        assert_eq!(lines(&server, &story), before);
        line(&server, &story, "two", 2, "look around");
        let mut events = server.events(&story, None);
        while events.until("ready")["turns"] != 3 {}
        assert!(lines(&server, &story).contains("look around"));
        let after = lines(&server, &story);
        drop(events);
        let (code, took) = server.terminate();
        assert_eq!(code, Some(0));
        assert!(took < Duration::from_secs(5), "{took:?}");

        // Nothing holds the story any more, and the first server's copy is only behind.
        let server = start(&one, &database);
        assert_eq!(lines(&server, &story), after);
        assert_eq!(server.line(&story, "three", 3, "wait"), 202);
        server.kill();
    }
}

#[test]
fn a_damaged_copy_is_built_again_and_a_second_server_in_one_home_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", folder.path().join("stories.db").display());
    let machine = PlayerMachine::new();
    let server = start(&machine, &database);
    let story = server.create(json!({"premise": "none", "name": "walk"}));
    let mut events = server.events(&story, None);
    events.until("ready");
    assert_eq!(server.line(&story, "one", 0, "roll 2d6"), 202);
    events.until("ready");
    let before = lines(&server, &story);
    let refused = machine.run(&["serve", "--port", "0", "--no-open", "--database", &database], "");
    assert!(refused.transcript().contains("is used by another server"), "{}", refused.transcript());
    drop(events);
    server.terminate();

    let copies = machine.path().join("kept/hosted");
    let copy = fs::read_dir(&copies).unwrap().map(|entry| entry.unwrap().path());
    let copy = copy.map(|folder| folder.join("stories/walk/story.db")).find(|file| file.exists());
    fs::write(copy.unwrap(), "nothing that a database begins with, but long enough").unwrap();
    let server = start(&machine, &database);
    assert_eq!(lines(&server, &story), before);
    let _: Value = server.document(&story, "told?count=1");
    server.kill();
}

/// Two players behind a proxy: each has stories and quotas of their own, and the operator sees counts and no names.
#[test]
fn a_proxy_names_the_players_and_each_has_stories_and_quotas_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let operations = format!("127.0.0.1:{port}");
    for database in databases(folder.path()) {
        let machine = PlayerMachine::new();
        let more = ["--planner", "lexical", "--database", &database, "--quota-turns", "2"];
        let players = ["--player-header", "x-player", "--player-proxy", "127.0.0.1"];
        let more = [&more[..], &players, &["--operations", &operations]].concat();
        let (mut server, _) = PageServer::start_without_session(&machine, &more);
        assert_eq!(server.get("/api/stories").status, 401, "nobody is named");
        server.become_player("x-player: ada");
        let story = server.create(json!({"premise": "none", "name": "walk"}));
        let mut events = server.events(&story, None);
        events.until("ready");
        for (id, after) in [("one", 0), ("two", 1)] {
            assert_eq!(server.line(&story, id, after, "roll 2d6"), 202);
            events.until_update("turn.finished");
            events.until("ready");
        }
        assert_eq!(server.line(&story, "three", 2, "roll 2d6"), 429, "two turns are a day's");
        assert_eq!(server.line(&story, "two", 1, "roll 2d6"), 202, "it is stored already");

        let exported = lines(&server, &story);

        server.become_player("x-player: bob");
        assert_eq!(server.get("/api/stories").json()["stories"], json!([]));
        assert_eq!(server.get(&format!("/api/stories/{story}/export?format=ndjson")).status, 404);
        let refused = server.upload("/api/imports?file=well.twee", b":: Start\nThe well.");
        assert_eq!(refused.status, 400, "campaigns are the operator's");
        let own = server.create(json!({"premise": "none", "name": "walk"}));
        assert_eq!(own, "walk", "the name is free for another player");
        let mut events = server.events(&own, None);
        events.until("ready");
        assert_eq!(server.line(&own, "one", 0, "roll 2d6"), 202, "the quota is another one");
        events.until_update("turn.finished");
        let taken = server.upload("/api/imports?file=walk.ndjson", exported.as_bytes());
        assert_eq!(taken.status, 409, "the name is taken, as on a machine of one's own");

        server.become_player("x-player: cid");
        let made = server.upload("/api/imports?file=walk.ndjson", exported.as_bytes());
        assert_eq!(made.status, 201, "{made:?}");
        let made = made.json()["story"].as_str().unwrap().to_owned();
        assert_eq!(server.document(&made, "told?count=9")["told"].as_array().unwrap().len(), 2);

        assert!(probe(port, "/healthz").starts_with("HTTP/1.1 200"));
        assert!(probe(port, "/readyz").starts_with("HTTP/1.1 200"));
        let counts = probe(port, "/metrics");
        assert!(counts.contains("narratoria_plays 2") && !counts.contains("ada"), "{counts}");
        drop(events);
        let (code, took) = server.terminate();
        assert_eq!(code, Some(0));
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
}

fn probe(port: u16, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
