//! Packages from addresses and indexes, with a server on this machine that tells the truth or not.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use narratoria_protocol::digest::sha256;
use serde_json::{Value, json};

use crate::cli::signatures::{listed, new_key, pack, refused};
use crate::player_machine::PlayerMachine;

/// The responses of each path, one after the other; the last one again and again.
type PathResponses = Arc<Mutex<BTreeMap<String, Vec<Vec<u8>>>>>;

/// A server of files. What it has not is 404.
struct PackageServer {
    address: SocketAddr,
    answers: PathResponses,
}

impl PackageServer {
    fn start() -> PackageServer {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let (address, answers) = (listener.local_addr().unwrap(), PathResponses::default());
        let shared = Arc::clone(&answers);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let answers = Arc::clone(&shared);
                // A client may leave early.
                thread::spawn(move || drop(answer(stream, &answers)));
            }
        });
        PackageServer { address, answers }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets the responses of a path, heads included.
    fn set(&self, path: &str, responses: &[Vec<u8>]) {
        self.answers.lock().unwrap().insert(path.to_owned(), responses.to_vec());
    }

    fn serve(&self, path: &str, body: &[u8]) {
        self.set(path, &[response("200 OK", &format!("content-length: {}", body.len()), body)]);
    }
}

fn answer(mut stream: TcpStream, answers: &PathResponses) -> std::io::Result<()> {
    let mut lines = BufReader::new(&stream).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let bytes = {
        let mut answers = answers.lock().unwrap();
        match answers.get_mut(&path) {
            Some(all) if all.len() > 1 => all.remove(0),
            Some(all) => all[0].clone(),
            None => response("404 Not Found", "content-length: 0", b""),
        }
    };
    stream.write_all(&bytes)
}

fn response(status: &str, header: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\n{header}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

fn read(machine: &PlayerMachine, file: &str) -> Vec<u8> {
    fs::read(machine.path().join(file)).unwrap()
}

#[test]
fn an_archive_from_an_address_needs_a_digest_or_a_signature() {
    let (machine, server) = (PlayerMachine::new(), PackageServer::start());
    let key = new_key(&machine, "acme");
    pack(&machine, "0.9.0", None);
    let (archive, url) = (read(&machine, "mirror.tgz"), server.url("/mirror.tgz"));
    server.serve("/mirror.tgz", &archive);
    let install = |more: &[&str]| machine.run(&[&["skill", "install", &url], more].concat(), "");
    refused(&install(&[]), 4, "neither a digest nor a signature vouches");
    assert_eq!(listed(&machine), None);
    let installed = install(&["--sha256", &sha256(&archive)]);
    assert_eq!(installed.exit, Some(0), "{}", installed.transcript());
    assert_eq!(installed.stdout, "mirror 0.9.0 installed\n");
    let record: Value =
        serde_json::from_slice(&read(&machine, "kept/skills/mirror/.origin.json")).unwrap();
    assert_eq!(record["archive"], url);
    pack(&machine, "0.10.0", Some("acme"));
    server.serve("/mirror.tgz", &read(&machine, "mirror.tgz"));
    server.serve("/mirror.tgz.minisig", &read(&machine, "mirror.tgz.minisig"));
    assert_eq!(install(&[]).exit, Some(0));
    assert_eq!(listed(&machine), Some(("0.10.0".to_owned(), Some(key))));
    // A server that cannot answer now may have a signature, so that its archive does not count as unsigned.
    pack(&machine, "0.11.0", None);
    let archive = read(&machine, "mirror.tgz");
    server.serve("/mirror.tgz", &archive);
    server.set("/mirror.tgz.minisig", &[response("500 Oh", "content-length: 0", b"")]);
    refused(&install(&["--sha256", &sha256(&archive)]), 2, "answers with status 500");
}

#[test]
fn addresses_that_are_far_or_not_secure_are_refused() {
    let machine = PlayerMachine::new();
    let install = |url: &str| machine.run(&["skill", "install", url], "");
    refused(&install("https://a.example/x.skill.tar.gz"), 4, "the program is offline");
    refused(&install("http://a.example/x.skill.tar.gz"), 2, "is not `https`");
    let ran = install("https://zoe:tide@a.example/x.skill.tar.gz");
    refused(&ran, 2, "`a.example` has a user name");
    assert!(!ran.stderr.contains("tide"), "{}", ran.stderr);
}

#[test]
fn a_download_that_is_wrong_installs_nothing() {
    let (machine, server) = (PlayerMachine::new(), PackageServer::start());
    pack(&machine, "0.9.0", None);
    let archive = read(&machine, "mirror.tgz");
    let (url, digest) = (server.url("/x.tgz"), sha256(&archive));
    let length = |bytes: usize| format!("content-length: {bytes}");
    let whole = response("200 OK", &length(archive.len()), &archive);
    let install = |digest: &str| machine.run(&["skill", "install", &url, "--sha256", digest], "");
    server.set("/x.tgz", std::slice::from_ref(&whole));
    refused(&install(&"0".repeat(64)), 4, "the archive's digest is");
    let nothing = |status: &str, header: &str| {
        response(status, &format!("content-length: 0\r\n{header}"), b"")
    };
    let cases = [
        (
            response("200 OK", &length(archive.len() + 7), &archive),
            2,
            format!("the connection ended after {} bytes of {}", archive.len(), archive.len() + 7),
        ),
        (response("200 OK", &length(10), &archive), 2, "the archive cannot be used".to_owned()),
        (response("200 OK", &length(1 << 40), &archive), 2, "it has more than".to_owned()),
        (
            response("200 OK", "transfer-encoding: chunked", b"ffff\r\nabc"),
            2,
            "the connection ended after".to_owned(),
        ),
        (nothing("302 Found", "location: http://a.example/x.tgz"), 2, "is not `https`".to_owned()),
        (nothing("302 Found", "location: /x.tgz"), 2, "redirects more than 5 times".to_owned()),
        (nothing("429 Busy", "retry-after: 3600"), 2, "asks to wait 3600 seconds".to_owned()),
        (nothing("429 Busy", "retry-after: 0"), 2, "the server has no time".to_owned()),
        (nothing("503 Busy", "x-a: b"), 2, "the server has no time (status 503)".to_owned()),
        (nothing("500 Oh", "x-a: b"), 2, "answers with status 500".to_owned()),
        (nothing("404 No", "x-a: b"), 3, "there is no such file on the server".to_owned()),
    ];
    for (response, exit, words) in cases {
        server.set("/x.tgz", &[response]);
        refused(&install(&digest), exit, &words);
        assert!(!machine.path().join("kept/skills/mirror").exists(), "{words}");
    }
    server.set("/x.tgz", &[nothing("429 Busy", "retry-after: 0"), whole]);
    assert_eq!(install(&digest).exit, Some(0));
}

fn index(packages: Value) -> String {
    json!({"version": 1, "packages": packages}).to_string()
}

#[test]
fn a_package_of_an_index_is_installed_and_compared_with_it_again() {
    let (machine, server) = (PlayerMachine::new(), PackageServer::start());
    let key = new_key(&machine, "acme");
    let entry = |version: &str| {
        pack(&machine, version, Some("acme"));
        let (archive, signature) =
            (read(&machine, "mirror.tgz"), read(&machine, "mirror.tgz.minisig"));
        let file = format!("mirror-{version}.skill.tar.gz");
        server.serve(&format!("/packages/{file}"), &archive);
        server.serve(&format!("/packages/{file}.minisig"), &signature);
        machine.write(&file, &archive);
        machine.write(&format!("{file}.minisig"), &signature);
        let signature = format!("{file}.minisig");
        json!({"file": file, "sha256": sha256(&archive), "signature": signature})
    };
    let (old, new) = (entry("0.9.0"), entry("0.10.0"));
    let first = index(json!({"mirror": {"0.9.0": old}}));
    let second = index(json!({"mirror": {"0.9.0": old, "0.10.0": new}}));
    for place in [server.url("/packages"), ".".to_owned()] {
        let publish = |index: &str| {
            server.serve("/packages/index.json", index.as_bytes());
            machine.write("index.json", index);
        };
        publish(&first);
        let install = |name: &str| machine.run(&["skill", "install", name, "--from", &place], "");
        assert_eq!(install("mirror").stdout, "mirror 0.9.0 installed\n", "{place}");
        publish(&second);
        let outdated = machine.run(&["skill", "outdated", "--format", "json"], "");
        let rows: Value = serde_json::from_str(&outdated.stdout).unwrap();
        assert_eq!((&rows[0]["newest"], &rows[0]["outdated"]), (&json!("0.10.0"), &json!(true)));
        assert_eq!(install("mirror").stdout, "mirror 0.10.0 installed, in place of 0.9.0\n");
        assert_eq!(listed(&machine), Some(("0.10.0".to_owned(), Some(key.clone()))));
        refused(
            &install("mirror@0.9.0"),
            4,
            "`mirror` 0.10.0 is installed, and 0.9.0 is not newer",
        );
        refused(&install("mirror@2.0.0"), 3, "its newest version there is 0.10.0");
        refused(&install("miror"), 3, "did you mean `mirror`?");
        assert_eq!(machine.run(&["skill", "remove", "mirror"], "").exit, Some(0));
    }
}

#[test]
fn an_index_that_lies_about_a_package_installs_nothing() {
    let machine = PlayerMachine::new();
    pack(&machine, "0.9.0", None);
    let digest = sha256(&read(&machine, "mirror.tgz"));
    let entry = |file: &str, digest: &str| json!({"file": file, "sha256": digest});
    let good = entry("mirror.tgz", &digest);
    let mut signed = good.clone();
    signed["signature"] = json!("mirror.tgz.minisig");
    for (packages, name, exit, words) in [
        (
            json!({"sky": {"0.9.0": good}}),
            "sky",
            4,
            "it holds `mirror` 0.9.0, and the index says `sky` 0.9.0",
        ),
        (json!({"mirror": {"1.0.0": good}}), "mirror", 4, "and the index says `mirror` 1.0.0"),
        (json!({"mirror": {"0.9.0": signed}}), "mirror", 4, "the index says that it is signed"),
        (
            json!({"mirror": {"0.9.0": entry("mirror.tgz", &"0".repeat(64))}}),
            "mirror",
            4,
            "the archive's digest is",
        ),
        (
            json!({"mirror": {"0.9.0": entry("../mirror.tgz", &digest)}}),
            "mirror",
            2,
            "is no file below the index",
        ),
        (json!({"mirror": {"0.9.0": entry("none.tgz", &digest)}}), "mirror", 3, "does not exist"),
    ] {
        machine.write("index.json", index(packages));
        refused(&machine.run(&["skill", "install", name, "--from", "."], ""), exit, words);
        assert_eq!(listed(&machine), None, "{words}");
    }
    refused(
        &machine.run(&["skill", "install", "mirror", "--from", "skills"], ""),
        3,
        "does not exist",
    );
    machine.write("index.json", "[]");
    refused(
        &machine.run(&["skill", "install", "mirror", "--from", "index.json"], ""),
        2,
        "the index of packages `",
    );
}
