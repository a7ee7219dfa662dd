//! `narratoria serve`: stories are played over HTTP as in a terminal, and nothing is lost or played twice.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::{Value, json};

use crate::{
    page_client::PageServer,
    player_machine::{PlayerMachine, check_updates, plan},
};

/// A whole picture of one point.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55\0\0\0\0IEND\xae\x42\x60\x82";

const LEXICAL: [&str; 2] = ["--planner", "lexical"];

/// A server whose stories ask twice in every turn: who goes there, and what they want.
fn gate() -> (PlayerMachine, [&'static str; 4]) {
    let machine = PlayerMachine::new();
    machine.package("gate", "asks");
    let tools = plan(json!([{"toolId": "guard", "toolPath": "gate/act", "input": {}}]));
    machine.write("script.json", format!("[{tools}, {tools}]"));
    (machine, ["--skills", "skills", "--planner", "scripted:script.json"])
}

#[test]
fn a_campaign_is_begun_and_played_and_told_again() {
    let machine = PlayerMachine::new();
    let server = PageServer::start(&machine, &LEXICAL);
    let campaigns = server.get("/api/campaigns").json();
    assert!(
        campaigns["campaigns"].as_array().unwrap().iter().any(|it| it["name"] == "last-reading")
    );
    let story = server.create(json!({"campaign": "last-reading"}));
    assert_eq!(story, "last-reading");
    let mut events = server.events(&story, None);
    assert_eq!(events.until("snapshot")["title"], "The Last Reading");
    let opening = events.until_update("turn.finished");
    assert!(opening["narration"].as_str().unwrap().contains("The bus put you down"), "{opening}");
    events.until("ready");
    assert_eq!(server.line(&story, "one", 1, "go north"), 202);
    let told = events.until_update("turn.finished");
    check_updates(&[opening, told.clone()]);
    assert!(told["narration"].as_str().unwrap().starts_with("You go north to the record room."));
    events.until("ready");
    let again = server.document(&story, "told?count=1");
    assert_eq!(again["told"][0]["narration"], told["narration"]);
    assert_eq!((&again["told"][0]["turn"], &again["toldBefore"]), (&json!(2), &json!(1)));
    assert_eq!(server.document(&story, "map")["place"], "record room");
    assert_eq!(server.document(&story, "why?turn=2")["prompt"], "go north");
    let snapshot = server.get(&format!("/api/stories/{story}")).json();
    assert_eq!((&snapshot["turns"], &snapshot["ready"]), (&json!(2), &json!(true)));
    assert!(snapshot["choices"].as_array().unwrap().len() > 1, "{snapshot}");
}

#[test]
fn a_story_goes_back_and_on_another_way_and_out_as_a_file() {
    let machine = PlayerMachine::new();
    let server = PageServer::start(&machine, &LEXICAL);
    let story = server.create(json!({"premise": "none", "name": "walk"}));
    let mut events = server.events(&story, None);
    events.until("ready");
    for (nth, line) in ["roll 2d6", "roll 1d6"].iter().enumerate() {
        assert_eq!(server.line(&story, &format!("line-{nth}"), nth as u64, line), 202);
        events.until("ready");
    }
    assert_eq!(server.line(&story, "back", 2, "/undo"), 202);
    assert_eq!(events.until_update("story.moved")["turns"], 1);
    events.until("ready");
    assert_eq!(server.line(&story, "name", 1, "/branch other"), 202);
    events.until("ready");
    let branches = server.document(&story, "branches");
    assert_eq!(branches["branches"].as_array().unwrap().len(), 2, "{branches}");
    for (format, media_type) in [("markdown", "text/markdown"), ("epub", "application/epub+zip")] {
        let file = server.get(&format!("/api/stories/{story}/export?format={format}"));
        assert_eq!(file.status, 200, "{format}");
        let headers = file.headers.to_lowercase();
        assert!(headers.contains(media_type) && headers.contains("attachment"), "{headers}");
        assert!(!file.body.is_empty());
    }
    assert_eq!(server.get(&format!("/api/stories/{story}/export?format=pdf")).status, 400);
    assert_eq!(server.get("/api/stories/nobody").status, 404);
}

#[test]
fn a_line_that_is_sent_again_plays_no_second_turn() {
    let machine = PlayerMachine::new();
    let server = PageServer::start(&machine, &LEXICAL);
    let story = server.create(json!({"premise": "none", "name": "twice"}));
    let mut events = server.events(&story, None);
    events.until("ready");
    assert_eq!(server.line(&story, "first", 0, "roll 1d6"), 202);
    assert_eq!(server.line(&story, "first", 0, "roll 1d6"), 202);
    events.until("ready");
    assert_eq!(server.line(&story, "first", 0, "roll 1d6"), 202);
    // Another request of a page that has not seen the turn.
    assert_eq!(server.line(&story, "second", 0, "roll 1d6"), 409);
    let snapshot = server.get(&format!("/api/stories/{story}")).json();
    assert_eq!((&snapshot["turns"], &snapshot["choices"]), (&json!(1), &json!([])));
    // What a story lacks is left out, as the contract says.
    assert!(snapshot.get("title").is_none() && snapshot.get("ended").is_none(), "{snapshot}");
}

#[test]
fn questions_are_answered_beside_the_lines() {
    let (machine, args) = gate();
    let server = PageServer::start(&machine, &args);
    let story = server.create(json!({"premise": "none", "name": "gate"}));
    let mut events = server.events(&story, None);
    events.until("ready");
    assert_eq!(server.line(&story, "knock", 0, "I knock"), 202);
    let asked = events.until_update("step.asked");
    assert_eq!(asked["question"], "Who goes there?");
    // A second browser that comes now learns what is asked.
    let pending = server.events(&story, None).until("snapshot")["pending"].clone();
    assert_eq!((&pending[0]["kind"], &pending[0]["toolId"]), (&json!("question"), &json!("guard")));
    assert_eq!(server.line(&story, "busy", 0, "I wait"), 409);
    let decide =
        |body: Value| server.post(&format!("/api/stories/{story}/decisions"), &body).status;
    let answer = |text: &str| json!({"toolId": "guard", "decision": "answer", "text": text});
    assert_eq!(decide(json!({"toolId": "guard", "decision": "approve"})), 400);
    assert_eq!(decide(answer("Nobody")), 204);
    assert_eq!(events.until_update("step.asked")["question"], "And what does Nobody want?");
    assert_eq!(decide(answer("peace")), 204);
    let finished = events.until_update("step.finished");
    assert_eq!(finished["output"], json!({"name": "Nobody", "wish": "peace"}));
    events.until("ready");
}

#[test]
fn a_server_that_is_killed_in_a_turn_loses_and_doubles_nothing() {
    let (machine, args) = gate();
    let server = PageServer::start(&machine, &args);
    let story = server.create(json!({"premise": "none", "name": "cut"}));
    let mut events = server.events(&story, None);
    events.until("ready");
    assert_eq!(server.line(&story, "knock", 0, "I knock"), 202);
    events.until_update("step.asked");
    let last = events.at.clone();
    server.kill();
    let server = PageServer::start(&machine, &args);
    let mut events = server.events(&story, Some(&last));
    events.until("snapshot");
    // The turn goes on by itself, and a page that sends the line again plays no other.
    events.until_update("step.asked");
    assert_eq!(server.line(&story, "knock", 0, "I knock"), 409);
    for text in ["Nobody", "peace"] {
        let body = json!({"toolId": "guard", "decision": "answer", "text": text});
        assert_eq!(server.post(&format!("/api/stories/{story}/decisions"), &body).status, 204);
        if text == "Nobody" {
            events.until_update("step.asked");
        }
    }
    assert_eq!(events.until_update("turn.finished")["turn"], 1);
    events.until("ready");
    assert_eq!(server.line(&story, "knock", 0, "I knock"), 409);
    assert_eq!(server.document(&story, "told")["told"].as_array().unwrap().len(), 1);
}

#[test]
fn a_plan_is_changed_before_it_runs() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let tools = plan(json!([
        {"toolId": "look", "toolPath": "mirror/act", "input": {"what": "look"}},
        {"toolId": "burn", "toolPath": "mirror/act", "input": {"what": "burn"}, "required": false},
    ]));
    machine.write("script.json", format!("[{tools}]"));
    let args = ["--skills", "skills", "--planner", "scripted:script.json"];
    let server = PageServer::start(&machine, &args);
    let story = server.create(json!({"premise": "none", "name": "review"}));
    let mut events = server.events(&story, None);
    events.until("ready");
    let on = json!({"on": true});
    assert_eq!(server.put(&format!("/api/stories/{story}/reviewing"), &on).status, 204);
    assert_eq!(server.line(&story, "look", 0, "I look"), 202);
    let draft = events.until("review");
    let ids = |draft: &Value| -> Vec<String> {
        let tools = draft["plan"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["toolId"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&draft), ["look", "burn"]);
    let say = |command: &str| {
        let body = json!({"command": command});
        assert_eq!(server.post(&format!("/api/stories/{story}/reviews"), &body).status, 204);
    };
    say("dance");
    let refused = events.until("review");
    assert!(refused["refused"].as_str().unwrap().contains("`dance` is not known"), "{refused}");
    say("move burn before look");
    let moved = loop {
        let draft = events.until("review");
        if !draft.is_null() {
            break draft;
        }
    };
    assert_eq!(ids(&moved), ["burn", "look"]);
    say("remove burn");
    let removed = loop {
        let draft = events.until("review");
        if !draft.is_null() {
            break draft;
        }
    };
    assert_eq!(ids(&removed), ["look"]);
    say("start");
    assert_eq!(events.until_update("turn.finished")["outcome"], "told");
}

#[test]
fn a_turn_is_stopped_and_the_story_goes_on() {
    let (machine, args) = gate();
    let server = PageServer::start(&machine, &args);
    let story = server.create(json!({"premise": "none", "name": "stop"}));
    let mut events = server.events(&story, None);
    events.until("ready");
    assert_eq!(server.line(&story, "knock", 0, "I knock"), 202);
    events.until_update("step.asked");
    assert_eq!(server.post(&format!("/api/stories/{story}/stop"), &json!({})).status, 202);
    assert_eq!(events.until_update("turn.finished")["outcome"], "cancelled");
    events.until("ready");
}

#[test]
fn a_file_of_another_program_becomes_a_campaign() {
    let machine = PlayerMachine::new();
    let server = PageServer::start(&machine, &LEXICAL);
    let twee = ":: Start\nYou stand at the well.\n[[Climb down->Down]]\n\n:: Down\nIt is dark.\n";
    let made = server.upload("/api/imports?file=well.twee", twee.as_bytes());
    assert_eq!(made.status, 201, "{made:?}");
    let campaign = made.json()["campaign"].as_str().unwrap().to_owned();
    let story = server.create(json!({"campaign": campaign}));
    let mut events = server.events(&story, None);
    let opening = events.until_update("turn.finished");
    assert!(opening["narration"].as_str().unwrap().contains("You stand at the well."), "{opening}");
    let refused = server.upload("/api/imports?file=noise.twee", b"\x00\x01\x02");
    assert_eq!(refused.status, 400, "{refused:?}");
}

#[test]
fn others_are_let_in_with_a_password_alone() {
    let machine = PlayerMachine::new();
    let serve = |more: &[&str], stdin: &str| {
        machine.run(&[&["serve", "--no-open", "--port", "0"], more].concat(), stdin)
    };
    for to_others in [&["--listen", "0.0.0.0"][..], &["--host", "https://tales.example.org"]] {
        let refused = serve(to_others, "");
        assert_eq!(refused.exit, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains("narratoria serve --set-password"), "{}", refused.stderr);
    }
    let set = |password: &str| machine.run(&["serve", "--set-password"], password);
    for password in ["", "\n", "too short\n"] {
        assert_eq!(set(password).exit, Some(2), "{password:?}");
    }
    let file = machine.path().join("kept/page/password");
    assert!(!file.exists());
    let done = set("nine lanterns\nand a second line\n");
    assert_eq!((done.exit, done.stdout.as_str()), (Some(0), ""), "{}", done.stderr);
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let kept = fs::read_to_string(&file).unwrap();
    assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
    let to_others = ["--listen", "0.0.0.0", "--host", "https://tales.example.org"];
    let server = PageServer::start(&machine, &[&LEXICAL[..], &to_others].concat());
    assert_eq!(server.get("/api/about").json()["password"], true);
    let login = |password: &str| server.post("/api/session", &json!({"password": password})).status;
    assert_eq!((login("nine lanterns"), login("ten lanterns")), (204, 401));
    drop(server);
    fs::write(&file, "nine lanterns\n").unwrap();
    let broken = serve(&to_others, "");
    assert_eq!(broken.exit, Some(2), "{}", broken.stderr);
    assert!(broken.stderr.contains("it is no hash of a password"), "{}", broken.stderr);
}

#[test]
fn a_link_shows_a_story_and_plays_nothing_of_it() {
    let machine = PlayerMachine::new();
    let mut server = PageServer::start(&machine, &LEXICAL);
    let story = server.create(json!({"campaign": "last-reading"}));
    let link = server.post(&format!("/api/stories/{story}/links"), &json!({})).json();
    let token = link["path"].as_str().unwrap().strip_prefix("/#r=").unwrap().to_owned();
    server.become_reader(&token);
    let snapshot = server.get(&format!("/api/stories/{story}")).json();
    assert_eq!((&snapshot["mayPlay"], &snapshot["turns"]), (&json!(false), &json!(0)));
    let mut events = server.events(&story, None);
    assert_eq!(events.until("snapshot")["mayPlay"], false);
    assert_eq!(server.line(&story, "one", 0, "go north"), 403);
    for document in ["why", "state", "memory"] {
        let refused = server.get(&format!("/api/stories/{story}/documents/{document}"));
        assert_eq!(refused.status, 403, "{document}");
    }
    assert_eq!(server.document(&story, "told")["told"], json!([]));
}

#[test]
fn a_story_that_another_process_plays_is_said_to_be_in_play() {
    let (machine, args) = gate();
    let server = PageServer::start(&machine, &args);
    let story = server.create(json!({"premise": "none", "name": "held"}));
    let run = [&["run", "--story", &story, "--format", "json"], &args[..]].concat();
    let mut other = machine.start(&run);
    other.await_update("session.started");
    let refused = server.get(&format!("/api/stories/{story}/events"));
    assert_eq!(refused.status, 409, "{refused:?}");
    assert_eq!(server.get(&format!("/api/stories/{story}")).status, 200);
}

/// What a skill may do stands in its manifest, so no component is compiled for the list, whatever is in its file.
#[test]
fn skills_are_listed_by_their_manifests_and_none_is_compiled() {
    let machine = PlayerMachine::new();
    machine.package("gate", "asks");
    let server = PageServer::start(&machine, &["--skills", "skills", "--planner", "lexical"]);
    // The head of a component, and no component behind it.
    machine.write("skills/gate/scripts/act.wasm", b"\0asm\x0d\0\x01\0\xff");
    let document = server.get("/api/skills").json();
    let skills = document["skills"].as_array().unwrap();
    let gate = skills.iter().find(|skill| skill["name"] == "gate").expect("the package is listed");
    assert_eq!(gate["scripts"][0]["toolPath"], "gate/act");
    assert!(skills.iter().any(|skill| skill["name"] == "world"));
    assert_eq!(document["problems"], json!([]));
}

#[test]
fn a_campaign_has_the_picture_that_its_manifest_names_if_it_is_one() {
    let machine = PlayerMachine::new();
    let folder = machine.path().join("kept/campaigns/hut");
    for inner in ["world", "plot", "art"] {
        fs::create_dir_all(folder.join(inner)).unwrap();
    }
    let cover = json!({"file": "art/hut.png", "alt": "A hut in the rain."});
    let manifest = json!({"title": "The Hut", "version": "1.0.0", "cover": cover});
    fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    fs::write(folder.join("world/setting.md"), "A hut on a hill.\n").unwrap();
    fs::write(folder.join("plot/premise.md"), "You wait for the rain to end.\n").unwrap();
    fs::write(folder.join("art/hut.png"), PNG).unwrap();
    let server = PageServer::start(&machine, &LEXICAL);
    let list = server.get("/api/campaigns").json();
    let list = list["campaigns"].as_array().unwrap();
    assert_eq!(list.iter().find(|it| it["name"] == "hut").unwrap()["cover"], cover);
    for campaign in list {
        let name = campaign["name"].as_str().unwrap();
        assert!(campaign["cover"]["alt"].as_str().is_some_and(|alt| !alt.is_empty()), "{name}");
        let picture = server.get(&format!("/api/campaigns/{name}/cover"));
        let headers = picture.headers.to_lowercase();
        assert_eq!(picture.status, 200, "{name}");
        assert!(headers.contains("image/png") && headers.contains("inline"), "{name}: {headers}");
    }
    assert_eq!(server.get("/api/campaigns/hut/cover").body, PNG);
    let check =
        || machine.run(&["campaign", "check", "hut", "--walks", "0", "--format", "json"], "");
    assert!(!check().stdout.contains("`cover`"), "{}", check().stdout);
    // What is in the file counts, and not its name.
    fs::write(folder.join("art/hut.png"), "<svg onload=\"alert(1)\">").unwrap();
    assert_eq!(server.get("/api/campaigns/hut/cover").status, 404);
    let checked = check();
    assert!(checked.stdout.contains("is declared as `image/png`, but is"), "{}", checked.stdout);
    assert_eq!(checked.exit, Some(0), "it can be played without its picture");
    assert_eq!(server.get("/api/campaigns/nobody/cover").status, 404);
    let filled = machine.run(&["campaign", "fill", "kept/campaigns/hut"], "");
    let note = "note: the campaign has 1 warning; `narratoria campaign check kept/campaigns/hut` shows it\n";
    assert!(filled.stderr.contains(note) && filled.exit == Some(0), "{}", filled.transcript());
}
