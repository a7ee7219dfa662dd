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
pub(crate) struct PackageServer {
    address: SocketAddr,
    answers: PathResponses,
}

impl PackageServer {
    pub(crate) fn start() -> PackageServer {
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

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets the responses of a path, heads included.
    pub(crate) fn set(&self, path: &str, responses: &[Vec<u8>]) {
        self.answers.lock().unwrap().insert(path.to_owned(), responses.to_vec());
    }

    pub(crate) fn serve(&self, path: &str, body: &[u8]) {
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

pub(crate) fn response(status: &str, header: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\n{header}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

pub(crate) fn read(machine: &PlayerMachine, file: &str) -> Vec<u8> {
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
fn a_folder_of_archives_gets_an_index_from_which_others_install() {
    let (machine, server) = (PlayerMachine::new(), PackageServer::start());
    let key = new_key(&machine, "acme");
    let index = |more: &[&str]| machine.run(&[&["skill", "index"], more].concat(), "");
    fs::create_dir(machine.path().join("shop")).unwrap();
    refused(&index(&["shop"]), 3, "there is no archive in `shop`");
    refused(&index(&["none"]), 2, "`none`");
    for (version, signer) in [("0.9.0", None), ("0.10.0", Some("acme"))] {
        pack(&machine, version, signer);
        let file = format!("shop/mirror-{version}.skill.tar.gz");
        machine.write(&file, read(&machine, "mirror.tgz"));
        if signer.is_some() {
            machine.write(&format!("{file}.minisig"), read(&machine, "mirror.tgz.minisig"));
        }
    }
    let written = index(&["shop"]);
    assert_eq!(
        written.stdout,
        "shop/index.json: 1 package, 2 versions\n",
        "{}",
        written.transcript()
    );
    let text = read(&machine, "shop/index.json");
    assert_eq!(index(&["shop", "--format", "json"]).result()["sha256"], sha256(&text));
    assert_eq!(read(&machine, "shop/index.json"), text);
    let document: Value = serde_json::from_slice(&text).unwrap();
    let versions = document["packages"]["mirror"].as_object().unwrap();
    assert_eq!(versions.keys().collect::<Vec<_>>(), ["0.9.0", "0.10.0"]);
    assert_eq!(versions["0.9.0"].get("signature"), None);
    server.serve("/shop/index.json", &text);
    for file in ["mirror-0.10.0.skill.tar.gz", "mirror-0.10.0.skill.tar.gz.minisig"] {
        server.serve(&format!("/shop/{file}"), &read(&machine, &format!("shop/{file}")));
    }
    for place in [server.url("/shop"), "shop".to_owned()] {
        let installed = machine.run(&["skill", "install", "mirror", "--from", &place], "");
        assert_eq!(installed.exit, Some(0), "{}", installed.transcript());
        assert_eq!(listed(&machine), Some(("0.10.0".to_owned(), Some(key.clone()))));
        machine.run(&["skill", "remove", "mirror"], "");
    }
    // What nobody could install is named, and the index stays as it was.
    let archive = read(&machine, "mirror.tgz");
    for (file, content, exit, words) in [
        (
            "copy.skill.tar.gz",
            archive.clone(),
            2,
            "it holds `mirror` 0.10.0, and so does `copy.skill.tar.gz`",
        ),
        (
            "cut.skill.tar.gz",
            archive[..100].to_vec(),
            2,
            "cut.skill.tar.gz: the archive cannot be used",
        ),
        ("a b.skill.tar.gz", archive, 2, "so does `a b.skill.tar.gz`"),
        ("mirror-0.9.0.skill.tar.gz.minisig", b"x".to_vec(), 4, "cannot be trusted"),
    ] {
        let path = machine.path().join("shop").join(file);
        fs::write(&path, content).unwrap();
        refused(&index(&["shop"]), exit, words);
        assert_eq!(read(&machine, "shop/index.json"), text, "{file}");
        fs::remove_file(path).unwrap();
    }
    let odd = machine.path().join("shop/mirror 0.9.0.skill.tar.gz");
    fs::rename(machine.path().join("shop/mirror-0.9.0.skill.tar.gz"), odd).unwrap();
    refused(&index(&["shop"]), 2, "is no file below the index");
    machine.write("shop/index.json", "{\"theirs\": true}");
    refused(&index(&["shop"]), 4, "is there already, and is no index of packages");
}

#[test]
fn an_index_is_signed_by_one_key_or_refused() {
    let (machine, server) = (PlayerMachine::new(), PackageServer::start());
    let [acme, other] = ["acme", "other"].map(|name| new_key(&machine, name));
    fs::create_dir(machine.path().join("shop")).unwrap();
    let publish = |version: &str, key: Option<&str>| {
        pack(&machine, version, None);
        let file = format!("mirror-{version}.skill.tar.gz");
        machine.write(&format!("shop/{file}"), read(&machine, "mirror.tgz"));
        let key = key.map(|key| format!("{key}.key"));
        let mut args = vec!["skill", "index", "shop"];
        args.extend(key.iter().flat_map(|key| ["--sign", key]));
        let written = machine.run(&args, "");
        assert_eq!(written.exit, Some(0), "{}", written.transcript());
        let signature = machine.path().join("shop/index.json.minisig");
        for file in [file.as_str(), "index.json", "index.json.minisig"] {
            let path = machine.path().join("shop").join(file);
            match fs::read(path) {
                Ok(bytes) => server.serve(&format!("/shop/{file}"), &bytes),
                Err(_) => server
                    .set(&format!("/shop/{file}"), &[response("404 No", "content-length: 0", b"")]),
            }
        }
        (signature, written.stderr)
    };
    for place in [server.url("/shop"), "shop".to_owned()] {
        let install = |more: &[&str]| {
            machine.run(&[&["skill", "install", "mirror", "--from", &place], more].concat(), "")
        };
        publish("0.9.0", Some("acme"));
        let first = install(&[]);
        assert_eq!(first.exit, Some(0), "{}", first.transcript());
        let words = format!("is signed by the key {acme} (id ");
        assert!(first.stderr.contains(&words), "{}", first.stderr);
        publish("0.10.0", Some("acme"));
        let second = install(&[]);
        assert_eq!((second.exit, second.stderr.contains("first seen now")), (Some(0), false));
        publish("0.11.0", Some("other"));
        let words = format!("is signed by another key, {other} (id ");
        for more in [&[][..], &["--yes"], &["--force"]] {
            refused(&install(more), 4, &words);
        }
        let outdated = machine.run(&["skill", "outdated"], "");
        assert!(outdated.stderr.contains(&words), "{}", outdated.transcript());
        let (signature, warned) = publish("0.11.0", None);
        assert!(warned.contains("is the signature of another index"), "{warned}");
        // The same archives have the same index, so the old signature holds for it.
        refused(&install(&[]), 4, &words);
        fs::write(&signature, "no signature").unwrap();
        server.serve("/shop/index.json.minisig", b"no signature");
        refused(
            &install(&["--accept-key-change"]),
            4,
            "cannot be trusted: it is no file of minisign",
        );
        fs::remove_file(signature).unwrap();
        publish("0.11.0", None);
        refused(&install(&[]), 4, "is not signed; it was by");
        assert_eq!(listed(&machine).unwrap().0, "0.10.0");
        let accepted = install(&["--accept-key-change"]);
        assert_eq!(accepted.stdout, "mirror 0.11.0 installed, in place of 0.10.0\n");
        assert_eq!(machine.run(&["skill", "remove", "mirror"], "").exit, Some(0));
        for version in ["0.9.0", "0.10.0", "0.11.0"] {
            let file = format!("shop/mirror-{version}.skill.tar.gz");
            fs::remove_file(machine.path().join(file)).unwrap();
        }
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
