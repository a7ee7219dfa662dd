//! Uploads whose connections break: the registry gets every file whole, and no more of it twice than it has lost.

use std::{
    fs,
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use tempfile::TempDir;

use super::{
    ARCHIVE, RegistryVisitor,
    server::{FakeRegistry, UploadRules, nothing},
};

const CHUNK: usize = 4 << 20;

/// Two chunks and a part of a third. No two chunks are equal.
fn large() -> Vec<u8> {
    (0..(2 * CHUNK as u32 + 1000) / 4).flat_map(u32::to_le_bytes).collect()
}

/// What was asked about uploads of the archive: method and the bytes that came, with the range that was named.
fn uploads(server: &FakeRegistry) -> Vec<String> {
    let of_upload = server.requests().into_iter().filter(|seen| seen.path.contains("uploads/"));
    let line = |seen: super::server::SeenRequest| {
        let range = seen.headers.get("content-range").map(|range| format!(" {range}"));
        format!("{} {}{}", seen.method, seen.body.len(), range.unwrap_or_default())
    };
    // The first two are those of the empty config.
    of_upload.map(line).skip(2).collect()
}

/// Publishes while requests of the archive's upload break. Returns what was asked.
fn publish(rules: UploadRules, archive: &[u8], breaks: &[(&str, usize)]) -> Vec<String> {
    let (server, visitor) =
        (FakeRegistry::start().with_uploads(rules), RegistryVisitor::stranger());
    for (request, bytes) in breaks {
        server.break_after(request, *bytes);
    }
    visitor.publish(&server, "1.2.0", archive, None).unwrap();
    let asked = uploads(&server);
    assert_eq!(visitor.pull(&server, ":1.2.0").unwrap().1, archive, "{asked:?}");
    asked
}

const KEEPS_PARTS: UploadRules = UploadRules {
    keeps_parts: true,
    forgets: false,
    wants_whole: false,
    miscounts: false,
    chunk_min: 0,
};
const KEEPS_CHUNKS: UploadRules = UploadRules { keeps_parts: false, ..KEEPS_PARTS };
const FORGETS: UploadRules = UploadRules { forgets: true, ..KEEPS_CHUNKS };

#[test]
fn a_small_file_is_one_request_and_a_large_one_goes_in_chunks() {
    let size = ARCHIVE.len();
    assert_eq!(publish(KEEPS_CHUNKS, ARCHIVE, &[]), ["POST 0", &format!("PUT {size}")]);
    let asked = publish(KEEPS_CHUNKS, &large(), &[]);
    assert_eq!(
        asked,
        [
            "POST 0",
            "PATCH 4194304 0-4194303",
            "PATCH 4194304 4194304-8388607",
            "PATCH 1000 8388608-8389607",
            "PUT 0"
        ]
    );
}

#[test]
fn a_broken_upload_goes_on_where_the_registry_has_bytes_up_to() {
    let second = ("PATCH blobs/uploads/1", CHUNK / 2);
    let breaks = [("PATCH blobs/uploads/1", CHUNK), second];
    // The answer to the first chunk is lost, and the second one breaks in its middle.
    assert_eq!(
        publish(KEEPS_PARTS, &large(), &breaks),
        [
            "POST 0",
            "PATCH 4194304 0-4194303",
            "GET 0",
            "PATCH 2097152 4194304-8388607",
            "GET 0",
            "PATCH 2098152 6291456-8389607",
            "PUT 0"
        ]
    );
    assert_eq!(
        publish(KEEPS_CHUNKS, &large(), &breaks),
        [
            "POST 0",
            "PATCH 4194304 0-4194303",
            "GET 0",
            "PATCH 2097152 4194304-8388607",
            "GET 0",
            "PATCH 4194304 4194304-8388607",
            "PATCH 1000 8388608-8389607",
            "PUT 0"
        ]
    );
    // Of a file in one request too.
    let small = publish(KEEPS_PARTS, ARCHIVE, &[("PUT blobs/uploads/1", 20)]);
    let (size, rest) = (ARCHIVE.len(), ARCHIVE.len() - 20);
    let range = format!("PATCH {rest} 20-{}", size - 1);
    assert_eq!(small, ["POST 0", "PUT 20", "GET 0", range.as_str(), "PUT 0"]);
}

#[test]
fn an_upload_that_the_registry_has_forgotten_begins_again() {
    let asked = publish(FORGETS, &large(), &[("PATCH blobs/uploads/1", 7)]);
    assert_eq!(asked[..4], ["POST 0", "PATCH 7 0-4194303", "GET 0", "POST 0"]);
    assert_eq!(asked[4..].len(), 4);
    // The same for a small one, and where the connection breaks before there is an upload.
    let size = format!("PUT {}", ARCHIVE.len());
    let asked = publish(FORGETS, ARCHIVE, &[("PUT blobs/uploads/1", 7)]);
    assert_eq!(asked, ["POST 0", "PUT 7", "GET 0", "POST 0", size.as_str()]);
}

#[test]
fn a_lost_answer_to_the_last_request_sends_nothing_again() {
    let asked = publish(KEEPS_CHUNKS, ARCHIVE, &[("PUT blobs/uploads/1", ARCHIVE.len())]);
    assert_eq!(asked, ["POST 0".to_owned(), format!("PUT {}", ARCHIVE.len()), "GET 0".to_owned()]);
    let asked = publish(KEEPS_CHUNKS, &large(), &[("PUT blobs/uploads/1", 0)]);
    assert_eq!(asked[4..], ["PUT 0", "GET 0"]);
}

#[test]
fn a_registry_that_wants_no_chunks_or_miscounts_them_gets_the_file() {
    let wants_whole = UploadRules { wants_whole: true, ..KEEPS_CHUNKS };
    assert_eq!(
        publish(wants_whole, &large(), &[]),
        ["POST 0", "PATCH 4194304 0-4194303", "POST 0", "PUT 8389608"]
    );
    // Once more where the whole file breaks.
    let asked = publish(wants_whole, &large(), &[("PUT blobs/uploads/2", 99)]);
    assert_eq!(asked[2..], ["POST 0", "PUT 99", "POST 0", "PUT 8389608"]);
    let miscounts = UploadRules { miscounts: true, ..KEEPS_CHUNKS };
    assert_eq!(publish(miscounts, &large(), &[]), publish(KEEPS_CHUNKS, &large(), &[]));
}

#[test]
fn a_registry_that_says_nonsense_about_an_upload_ends_it_in_time() {
    let says = |range: &str| nothing("204 No Content", &format!("range: {range}"));
    for range in
        ["0-99999999999", "0-18446744073709551615", "7-9", "x", "0--1", "0-99999999999999999999"]
    {
        let (server, visitor) = (FakeRegistry::start(), RegistryVisitor::stranger());
        server.break_after("PUT blobs/uploads/1", 7);
        server.prepare("GET blobs/uploads/1", says(range));
        visitor.publish(&server, "1.2.0", ARCHIVE, None).unwrap();
        assert_eq!(server.blob(ARCHIVE).as_deref(), Some(ARCHIVE), "{range}");
        // It begins again.
        assert_eq!(uploads(&server)[3], "POST 0", "{range}");
    }
    // It never takes the first chunk, and always says that it lacks it.
    let (server, visitor) = (FakeRegistry::start(), RegistryVisitor::stranger());
    for _ in 0..6 {
        server.prepare("PATCH blobs/uploads/1", nothing("416 No", "range: 0-0"));
    }
    let error = visitor.publish(&server, "1.2.0", &large(), None).unwrap_err().to_string();
    assert_eq!(
        error,
        "the upload broke 6 times, the last time when the registry had 0 of 8389608 bytes: the registry answers with status 416"
    );
    assert_eq!(server.manifest("1.2.0"), None);
    // The way out is the same command.
    visitor.publish(&server, "1.2.0", &large(), None).unwrap();
}

#[test]
fn chunks_are_as_large_as_the_registry_wants_them() {
    let of = |chunk_min| publish(UploadRules { chunk_min, ..KEEPS_CHUNKS }, &large(), &[]);
    assert_eq!(of(1), publish(KEEPS_CHUNKS, &large(), &[]));
    let asked = of(5 << 20);
    let chunks = ["POST 0", "PATCH 5242880 0-5242879", "PATCH 3146728 5242880-8389607", "PUT 0"];
    assert_eq!(asked, chunks);
    // No file is so large.
    assert_eq!(of(usize::MAX), ["POST 0", "PUT 8389608"]);
}

/// Debian's registry, without a password. Ends with the test.
struct DockerRegistry {
    process: Child,
    host: String,
    _folder: TempDir,
}

impl Drop for DockerRegistry {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl DockerRegistry {
    fn start() -> Option<DockerRegistry> {
        let program = std::env::var_os("NARRATORIA_DOCKER_REGISTRY").map(PathBuf::from);
        let Some(program) = program.filter(|file| file.is_file()) else {
            eprintln!(
                "left out: there is no `docker-registry`; scripts/docker-registry.sh fetches it"
            );
            return None;
        };
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        // The registry does not say which port it has got.
        let host = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
        let config = json!({
            "version": "0.1",
            "log": {"level": "error"},
            "storage": {"filesystem": {"rootdirectory": at("data")}},
            "http": {"addr": host.to_string(), "secret": "x"},
        });
        // JSON is YAML.
        fs::write(at("config.yml"), config.to_string()).unwrap();
        let process = Command::new(program)
            .args(["serve", &at("config.yml")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut registry = DockerRegistry { process, host: host.to_string(), _folder: folder };
        let until = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(host).is_err() {
            let ended = registry.process.try_wait().unwrap();
            assert!(ended.is_none() && Instant::now() < until, "it does not start: {ended:?}");
            thread::yield_now();
        }
        Some(registry)
    }
}

/// Cuts connections on their way to a server.
struct CuttingProxy {
    host: String,
    shared: Arc<Mutex<ProxyState>>,
}

#[derive(Default)]
struct ProxyState {
    cuts: Vec<Cut>,
    /// The methods of the requests about uploads; each has a connection of its own.
    asked: Vec<String>,
}

/// Cuts the connection of the next request about an upload with this method, after others have passed.
#[derive(Clone)]
struct Cut {
    method: &'static str,
    passed: usize,
    /// Bytes of the body that still arrive; `None` if nothing of the request does.
    body: Option<usize>,
}

impl CuttingProxy {
    fn start(server: &str, cuts: &[Cut]) -> CuttingProxy {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let state = ProxyState { cuts: cuts.to_vec(), asked: Vec::new() };
        let shared = Arc::new(Mutex::new(state));
        let (server, state) = (server.to_owned(), Arc::clone(&shared));
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (server, state) = (server.clone(), Arc::clone(&state));
                // Either side may leave early.
                thread::spawn(move || drop(pass_on(client, &server, &state)));
            }
        });
        CuttingProxy { host, shared }
    }
}

impl ProxyState {
    /// Notes a request, and returns how it is cut if it is.
    fn cut_of(&mut self, request: &str) -> Option<Cut> {
        let line = request.lines().next().unwrap_or_default();
        let (method, _) = line.split_once(' ').filter(|(_, path)| path.contains("uploads/"))?;
        self.asked.push(method.to_owned());
        let at = self.cuts.iter().position(|cut| cut.method == method)?;
        if self.cuts[at].passed == 0 {
            return Some(self.cuts.remove(at));
        }
        self.cuts[at].passed -= 1;
        None
    }
}

fn pass_on(mut client: TcpStream, server: &str, state: &Mutex<ProxyState>) -> std::io::Result<()> {
    let mut request = Vec::new();
    let head = loop {
        if let Some(at) = request.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break at + 4;
        }
        read_more(&mut client, &mut request)?;
    };
    let cut = state.lock().unwrap().cut_of(&String::from_utf8_lossy(&request[..head]));
    let mut to = match cut {
        Some(Cut { body: None, .. }) => return Ok(()),
        _ => TcpStream::connect(server)?,
    };
    if let Some(Cut { body: Some(bytes), .. }) = cut {
        while request.len() < head + bytes {
            read_more(&mut client, &mut request)?;
        }
        to.write_all(&request[..head + bytes])?;
        to.shutdown(Shutdown::Write)?;
        // The server has ended the request before the client learns anything.
        std::io::copy(&mut to, &mut std::io::sink())?;
        return Ok(());
    }
    to.write_all(&request)?;
    let (mut answer, mut back) = (to.try_clone()?, client.try_clone()?);
    let answering = thread::spawn(move || {
        let _ = std::io::copy(&mut answer, &mut back);
        back.shutdown(Shutdown::Both)
    });
    let _ = std::io::copy(&mut client, &mut to);
    let _ = to.shutdown(Shutdown::Write);
    drop(answering.join());
    Ok(())
}

fn read_more(client: &mut TcpStream, request: &mut Vec<u8>) -> std::io::Result<()> {
    let mut buffer = [0; 16 << 10];
    match client.read(&mut buffer)? {
        0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
        count => {
            request.extend(&buffer[..count]);
            Ok(())
        }
    }
}

#[test]
fn docker_s_registry_gets_a_file_whole_whatever_breaks() {
    let Some(registry) = DockerRegistry::start() else { return };
    let (visitor, large) = (RegistryVisitor::stranger(), large());
    let cut = |method, passed, body| Cut { method, passed, body };
    // The empty config has a `POST` and a `PUT` of its own, once.
    let cases: [(&[u8], &[Cut], &str); 5] = [
        (ARCHIVE, &[cut("PUT", 1, Some(20))], "POST PUT POST PUT GET POST PUT"),
        // Within a chunk: this registry gives the upload up.
        (
            &large,
            &[cut("PATCH", 1, Some(2 << 20))],
            "POST PATCH PATCH GET POST PATCH PATCH PATCH PUT",
        ),
        // Between two chunks: it has the first one.
        (&large, &[cut("PATCH", 1, None)], "POST PATCH PATCH GET PATCH PATCH PUT"),
        (&large, &[cut("PUT", 0, None)], "POST PATCH PATCH PATCH PUT GET PUT"),
        (
            &large,
            &[
                cut("POST", 0, None),
                cut("PATCH", 2, None),
                cut("PATCH", 0, None),
                cut("GET", 0, None),
            ],
            "POST POST PATCH PATCH PATCH GET GET PATCH GET PATCH PUT",
        ),
    ];
    for (number, (archive, cuts, expect)) in cases.into_iter().enumerate() {
        let archive = [archive, &[number as u8]].concat();
        let proxy = CuttingProxy::start(&registry.host, cuts);
        let version = format!("{number}.0.0");
        let published = visitor.publish_at(&proxy.host, &version, &archive).unwrap();
        assert!(!published.is_unchanged);
        assert_eq!(proxy.shared.lock().unwrap().asked.join(" "), expect, "{number}");
    }
}
