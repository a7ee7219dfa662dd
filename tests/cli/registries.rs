//! Packages in registries: one of this process that tells the truth or not, and Debian's `docker-registry`, which
//! scripts/docker-registry.sh fetches. Where that is missing, the tests with it are left out and say so.

use std::{
    env, fs,
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::Instant,
};

use narratoria_protocol::digest::sha256;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cli::{
    authoring::{check_passes, run_with_tools},
    dev::{DevSession, edit},
    downloads::{PackageServer, read, response},
    signatures::{listed, new_key, pack, refused},
};
use crate::player_machine::{CommandOutput, PlayerMachine, TIMEOUT};

/// The password of `zoe` is `tide`, as bcrypt with its lowest cost.
const HTPASSWD: &str = "zoe:$2b$04$m9MOZC1ZGlRS7yH4DHnpAOs6ucryjST2bo23sKdB8S2Uf8ZOP5sQu\n";
const ZOE: &str = "em9lOnRpZGU=";

/// A registry that wants a password. Ends with the test.
struct RealRegistry {
    process: Child,
    host: String,
    _folder: TempDir,
}

impl Drop for RealRegistry {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The program, from the script or from the package of the system.
fn registry_program() -> Option<PathBuf> {
    let named = env::var_os("NARRATORIA_DOCKER_REGISTRY").map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|folder| folder.join("docker-registry"));
    named.into_iter().chain(on_path).find(|file| file.is_file())
}

impl RealRegistry {
    #[expect(clippy::print_stderr, reason = "a test that is left out says so")]
    fn start() -> Option<RealRegistry> {
        let Some(program) = registry_program() else {
            eprintln!(
                "left out: there is no `docker-registry`; scripts/docker-registry.sh fetches it"
            );
            return None;
        };
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        fs::write(at("htpasswd"), HTPASSWD).unwrap();
        // The registry does not say which port it has got.
        let host = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
        let config = json!({
            "version": "0.1",
            "log": {"level": "error"},
            "storage": {"filesystem": {"rootdirectory": at("data")}},
            "http": {"addr": host.to_string(), "secret": "x"},
            "auth": {"htpasswd": {"realm": "test", "path": at("htpasswd")}},
        });
        // JSON is YAML.
        fs::write(at("config.yml"), config.to_string()).unwrap();
        let process = Command::new(program)
            .args(["serve", &at("config.yml")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut registry = RealRegistry { process, host: host.to_string(), _folder: folder };
        let until = Instant::now() + TIMEOUT;
        while TcpStream::connect(host).is_err() {
            let ended = registry.process.try_wait().unwrap();
            assert!(ended.is_none() && Instant::now() < until, "it does not start: {ended:?}");
            thread::yield_now();
        }
        Some(registry)
    }

    fn reference(&self, behind: &str) -> String {
        format!("oci://{}/team/{behind}", self.host)
    }

    /// `narratoria` of somebody who has logged in, or of a stranger.
    fn run(&self, machine: &PlayerMachine, is_zoe: bool, args: &[&str]) -> CommandOutput {
        let mut command = machine.command(args);
        let entry = if is_zoe { json!({"auth": ZOE}) } else { json!({}) };
        machine.write("auth.json", json!({"auths": {(self.host.clone()): entry}}).to_string());
        command.env("REGISTRY_AUTH_FILE", machine.path().join("auth.json"));
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        CommandOutput {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            exit: output.status.code(),
        }
    }
}

#[track_caller]
fn done(ran: &CommandOutput, stdout: &str) {
    assert_eq!((ran.exit, ran.stdout.as_str()), (Some(0), stdout), "{}", ran.transcript());
}

fn record(machine: &PlayerMachine) -> Value {
    serde_json::from_slice(&read(machine, "kept/skills/mirror/.origin.json")).unwrap()
}

#[test]
fn packages_go_through_a_real_registry() {
    let Some(registry) = RealRegistry::start() else { return };
    let (author, reader) = (PlayerMachine::new(), PlayerMachine::new());
    let key = new_key(&author, "acme");
    let package = registry.reference("mirror");
    let push = |is_zoe: bool, more: &[&str]| {
        registry.run(&author, is_zoe, &[&["skill", "push", "mirror.tgz", &package], more].concat())
    };
    let install =
        |more: &[&str]| registry.run(&reader, true, &[&["skill", "install"], more].concat());
    pack(&author, "0.9.0", Some("acme"));
    refused(&push(false, &[]), 4, "the registry asks who you are, and no file of docker or podman");
    author.write("parts.json", r#"{"bomFormat": "CycloneDX", "specVersion": "1.6"}"#);
    let pushed = push(true, &["--sbom", "parts.json", "--format", "json"]);
    let pushed = pushed.result();
    let digest = sha256(&read(&author, "mirror.tgz"));
    assert_eq!((&pushed["sha256"], &pushed["key"]), (&json!(digest), &json!(key)));
    let first = pushed["reference"].as_str().unwrap();
    done(&push(true, &[]), &format!("{first}\n"));
    done(&install(&[&package]), "mirror 0.9.0 installed\n");
    assert_eq!(listed(&reader), Some(("0.9.0".to_owned(), Some(key.clone()))));
    assert_eq!(
        (&record(&reader)["archive"], &record(&reader)["sha256"]),
        (&json!(first), &json!(digest))
    );
    // Another package under the same tag.
    let skill = author.path().join("skills/mirror/SKILL.md");
    edit(&skill, "A test.\n", "A mirror.\n");
    let packed = author.run(
        &["skill", "pack", "skills/mirror", "--output", "mirror.tgz", "--sign", "acme.key"],
        "",
    );
    assert_eq!(packed.exit, Some(0), "{}", packed.transcript());
    refused(&push(true, &[]), 4, "the tag `0.9.0` has another package already, sha256:");
    let moved = push(true, &["--force"]);
    assert_eq!(moved.exit, Some(0), "{}", moved.transcript());
    assert_ne!(moved.stdout.trim_end(), first);
    // Its digest still leads to the first one.
    done(&install(&[first]), "mirror 0.9.0 is installed already\n");
    pack(&author, "0.10.0", Some("acme"));
    assert_eq!(push(true, &[]).exit, Some(0));
    let outdated = registry.run(&reader, true, &["skill", "outdated", "--format", "json"]);
    let row = &outdated.result()[0];
    assert_eq!(row["newest"], "0.10.0", "{}", outdated.transcript());
    assert_eq!(row["place"], format!("{package}:0.10.0"));
    done(&install(&[&package]), "mirror 0.10.0 installed, in place of 0.9.0\n");
    refused(&install(&[&format!("{package}:7.0.0")]), 3, "there is no `oci://");
    refused(&install(&[&registry.reference("none")]), 3, "there is no `oci://");
    let stranger = registry.run(&reader, false, &["skill", "install", &package]);
    refused(&stranger, 4, "the registry asks who you are");
    assert!(stranger.stderr.contains("podman login"), "{}", stranger.stderr);
}

/// From nothing to a package that others play, with keys that change on the way.
#[test]
fn a_stranger_s_day_leads_from_nothing_to_a_package_that_others_play() {
    let Some(registry) = RealRegistry::start() else { return };
    let [author, reader, other] = [(); 3].map(|()| PlayerMachine::new());
    let package = registry.reference("demo");
    let ok = |ran: CommandOutput| {
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
        ran.stdout
    };
    ok(run_with_tools(&author, &["skill", "new", "demo"], &[]));
    let mut dev = DevSession::begin(&author, &[]);
    assert!(dev.ask("the sea").contains("the sea:"));
    assert_eq!(dev.end().1, Some(0));
    check_passes(&author, "demo");
    for key in ["acme", "thief"] {
        new_key(&author, key);
    }
    let publish = |key: &str| {
        let file = format!("{key}.key");
        let args = ["skill", "pack", "demo", "--output", "demo.tgz", "--sign", &file];
        ok(run_with_tools(&author, &args, &[]));
        ok(registry.run(&author, true, &["skill", "push", "demo.tgz", &package]))
    };
    let first = publish("acme");
    let install = |machine: &PlayerMachine, reference: &str, more: &[&str]| {
        let args = [&["skill", "install", reference.trim_end(), "--yes"], more].concat();
        registry.run(machine, true, &args)
    };
    done(&install(&reader, &package, &[]), "demo 0.1.0 installed\n");
    done(&install(&other, &first, &[]), "demo 0.1.0 installed\n");
    for machine in [&reader, &other] {
        let play = ["run", "--planner", "lexical", "--seed", "3", "--story", "night"];
        let played = ok(machine.run(&play, "is there an omen about the ford?\n"));
        assert_eq!(played.matches("the ford:").count(), 1, "{played}");
    }
    edit(&author.path().join("demo/skill.json"), "\"0.1.0\"", "\"0.2.0\"");
    publish("thief");
    let table = ok(registry.run(&reader, true, &["skill", "outdated"]));
    assert!(table.contains("0.2.0"), "{table}");
    let words = "is signed by another key";
    refused(&install(&reader, &package, &[]), 4, words);
    let removed = reader.run(&["skill", "remove", "demo"], "");
    assert!(removed.stderr.contains("is kept"), "{}", removed.transcript());
    refused(&install(&reader, &package, &[]), 4, words);
    done(&install(&reader, &first, &[]), "demo 0.1.0 installed\n");
    let accepted = install(&reader, &package, &["--accept-key-change"]);
    done(&accepted, "demo 0.2.0 installed, in place of 0.1.0\n");
}

/// A registry of static files with the package that lies in `mirror.tgz`, as the version 0.9.0. Returns its reference.
fn serve(server: &PackageServer, machine: &PlayerMachine, signatures: &[Vec<u8>]) -> String {
    let archive = read(machine, "mirror.tgz");
    let path = |rest: &str| format!("/v2/team/mirror/{rest}");
    let blob = |bytes: &[u8], media_type: &str| {
        server.serve(&path(&format!("blobs/sha256:{}", sha256(bytes))), bytes);
        json!({"mediaType": media_type, "digest": format!("sha256:{}", sha256(bytes)), "size": bytes.len()})
    };
    let manifest = |kind: &str, layer: Value| {
        let manifest = json!({
            "schemaVersion": 2, "artifactType": kind, "config": blob(b"{}", "application/vnd.oci.empty.v1+json"),
            "layers": [layer],
        });
        let bytes = manifest.to_string().into_bytes();
        server.serve(&path(&format!("manifests/sha256:{}", sha256(&bytes))), &bytes);
        bytes
    };
    let layer = blob(&archive, "application/vnd.oci.image.layer.v1.tar+gzip");
    let package = manifest("application/vnd.narratoria.skill.v1+tar.gz", layer);
    server.serve(&path("manifests/0.9.0"), &package);
    let kind = "application/vnd.narratoria.skill.signature.v1+minisign";
    let entry = |signature: &Vec<u8>| {
        let bytes = manifest(kind, blob(signature, kind));
        json!({
            "mediaType": "application/vnd.oci.image.manifest.v1+json", "artifactType": kind,
            "digest": format!("sha256:{}", sha256(&bytes)), "size": bytes.len(),
        })
    };
    let list = json!({"manifests": signatures.iter().map(entry).collect::<Vec<_>>()}).to_string();
    let referrers = path(&format!("referrers/sha256:{}", sha256(&package)));
    server.serve(&referrers, list.as_bytes());
    let host = server.url("").replace("http://", "oci://");
    format!("{host}/team/mirror:0.9.0@sha256:{}", sha256(&package))
}

#[test]
fn a_tag_needs_a_signature_and_a_digest_vouches_for_itself() {
    let (machine, server) = (PlayerMachine::new(), PackageServer::start());
    let [acme, other] = ["acme", "other"].map(|name| new_key(&machine, name));
    let install = |reference: &str, more: &[&str]| {
        machine.run(&[&["skill", "install", reference], more].concat(), "")
    };
    pack(&machine, "0.9.0", None);
    let exact = serve(&server, &machine, &[]);
    let tagged = exact.split('@').next().unwrap();
    let by_tag = install(tagged, &[]);
    refused(&by_tag, 4, "neither a digest nor a signature vouches for what the server has sent");
    assert!(by_tag.stderr.contains(&format!("skill install {exact}`")), "{}", by_tag.stderr);
    refused(&install(&exact, &["--sha256", &"0".repeat(64)]), 4, "the archive's digest is");
    assert_eq!(listed(&machine), None);
    let archive = sha256(&read(&machine, "mirror.tgz"));
    done(&install(tagged, &["--sha256", &archive]), "mirror 0.9.0 installed\n");
    done(&install(&exact, &["--force"]), "mirror 0.9.0 installed, in place of 0.9.0\n");
    assert_eq!(record(&machine)["archive"], exact);
    assert_eq!(machine.run(&["skill", "remove", "mirror"], "").exit, Some(0));
    // Signatures of two keys for one archive.
    let signatures = ["acme", "other"].map(|key| {
        pack(&machine, "0.9.0", Some(key));
        read(&machine, "mirror.tgz.minisig")
    });
    serve(&server, &machine, &signatures);
    refused(&install(tagged, &[]), 4, "has 2 signatures");
    let third = new_key(&machine, "third");
    refused(&install(tagged, &["--key", &third]), 4, &format!("wanted is {third}"));
    for (key, version) in [(&other, "0.9.0"), (&acme, "0.9.0")] {
        let ran = install(tagged, &["--key", key, "--accept-key-change"]);
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
        assert_eq!(listed(&machine), Some((version.to_owned(), Some(key.clone()))));
        assert_eq!(machine.run(&["skill", "remove", "mirror"], "").exit, Some(0));
    }
    // A signature of another archive.
    pack(&machine, "0.8.0", Some("acme"));
    let wrong = read(&machine, "mirror.tgz.minisig");
    pack(&machine, "0.9.0", Some("acme"));
    serve(&server, &machine, &[wrong]);
    refused(&install(&exact, &[]), 4, "cannot be trusted: it does not hold for this file");
    assert_eq!(listed(&machine), None);
}

#[test]
fn a_registry_that_lies_about_a_package_installs_nothing() {
    let (machine, server) = (PlayerMachine::new(), PackageServer::start());
    new_key(&machine, "acme");
    pack(&machine, "0.8.0", Some("acme"));
    let signature = read(&machine, "mirror.tgz.minisig");
    let exact = serve(&server, &machine, &[signature]);
    let install = |reference: &str| machine.run(&["skill", "install", reference], "");
    refused(&install(&exact), 4, "it holds `mirror` 0.8.0, and the tag says 0.9.0");
    let digest = exact.split('@').nth(1).unwrap();
    let untagged = exact.replace(":0.9.0@", "@");
    // The manifest under the digest is another one.
    let path = format!("/v2/team/mirror/manifests/{digest}");
    server.serve(&path, b"{}");
    refused(&install(&untagged), 4, "the registry sends something with the digest");
    server.set(&path, &[response("307 Elsewhere", "location: http://a.example/x", b"")]);
    refused(&install(&untagged), 2, "is not `https`");
    server.set(&path, &[response("429 Busy", "content-length: 0\r\nretry-after: 3600", b"")]);
    refused(&install(&untagged), 2, "asks to wait 3600 seconds");
    refused(&install("oci://a.example/mirror:0.9.0"), 4, "the program is offline");
    refused(&install("oci://a.example"), 2, "it has no `/` behind its host");
    assert_eq!(listed(&machine), None);
    assert!(!machine.path().join("kept/skills/mirror").exists());
}

#[test]
fn what_cannot_be_pushed_says_why() {
    let machine = PlayerMachine::new();
    new_key(&machine, "acme");
    pack(&machine, "0.9.0", Some("acme"));
    let push = |more: &[&str]| machine.run(&[&["skill", "push"], more].concat(), "");
    let to = "oci://127.0.0.1:1/mirror";
    refused(&push(&["none.tgz", to]), 3, "`none.tgz`");
    machine.write("x.tgz", "no archive");
    refused(&push(&["x.tgz", to]), 2, "the archive cannot be used");
    refused(&push(&["mirror.tgz", "https://a.example/x"]), 2, "does not begin with `oci://`");
    refused(&push(&["mirror.tgz", &format!("{to}:0.8.0")]), 2, "the tag is for the version 0.8.0");
    let exact = format!("{to}@sha256:{}", "0".repeat(64));
    refused(&push(&["mirror.tgz", &exact]), 2, "has a digest, which the registry gives");
    machine.write("parts.json", "{}");
    refused(&push(&["mirror.tgz", to, "--sbom", "parts.json"]), 2, "is no list of parts");
    refused(&push(&["mirror.tgz", "oci://a.example/mirror"]), 4, "the program is offline");
    refused(&push(&["mirror.tgz", to]), 2, "the server cannot be reached");
    let signature = fs::read_to_string(machine.path().join("mirror.tgz.minisig")).unwrap();
    machine.write("mirror.tgz.minisig", signature.replace("0.9.0", "0.9.1"));
    refused(&push(&["mirror.tgz", to]), 4, "cannot be trusted");
}

#[test]
fn credentials_come_from_the_files_of_docker_and_podman() {
    let machine = PlayerMachine::new();
    pack(&machine, "0.9.0", None);
    let server = PackageServer::start();
    let asked = response(
        "401 Unauthorized",
        "content-length: 0\r\nwww-authenticate: Basic realm=\"x\"",
        b"",
    );
    server.set("/v2/mirror/manifests/0.9.0", &[asked]);
    let reference = server.url("/mirror:0.9.0").replace("http://", "oci://");
    let install = |variables: &[(&str, PathBuf)]| {
        let mut command = machine.command(&["skill", "install", &reference]);
        command.envs(variables.iter().map(|(name, path)| (*name, path)));
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    let here = |name: &str| machine.path().join(name);
    assert!(install(&[]).contains("no file of docker or podman has credentials"));
    for folder in ["containers", "home/.docker", "home/.config/containers", "docker"] {
        fs::create_dir_all(here(folder)).unwrap();
    }
    for file in [
        "home/.docker/config.json",
        "home/.config/containers/auth.json",
        "containers/auth.json",
        "docker/config.json",
        "auth.json",
    ] {
        machine.write(file, format!("no JSON in {file}"));
    }
    let home = ("HOME", here("home"));
    let file_of = |variables: &[(&str, PathBuf)]| {
        let stderr = install(variables);
        let named = stderr.split("file of credentials `").nth(1).unwrap_or(&stderr).to_owned();
        named.split('`').next().unwrap().to_owned()
    };
    let expect = |file: &str| here(file).display().to_string();
    assert_eq!(file_of(std::slice::from_ref(&home)), expect("home/.config/containers/auth.json"));
    let runtime = ("XDG_RUNTIME_DIR", machine.path().to_owned());
    assert_eq!(file_of(&[home.clone(), runtime]), expect("containers/auth.json"));
    let docker = ("DOCKER_CONFIG", here("docker"));
    assert_eq!(file_of(std::slice::from_ref(&docker)), expect("docker/config.json"));
    let only = ("REGISTRY_AUTH_FILE", here("auth.json"));
    assert_eq!(file_of(&[home, docker, only]), expect("auth.json"));
}
