//! The real client against a hub on this machine.

mod bad_answers;
mod broken_connections;
mod concurrent_fetches;
mod model_dir;

use std::{path::Path, time::Duration};

use jiff::Timestamp;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::{Hub, HubName, HubTimeouts, ModelDir, PullError, PullEvent, size_text};
use narratoria_models::hub::{FILE, FakeHub, HubRequestKind, InjectedFault, NAME, model};

/// Long enough that no test reaches it, even on a slow machine.
const LONG: Duration = Duration::from_secs(60);

/// Large enough for several reads, and for a second try to overlap with the first.
const MODEL_BYTES: usize = 300_000;

/// A hub, and a folder for downloads from it.
struct HubFixture {
    server: FakeHub,
    folder: TempDir,
    files: ModelDir,
    hub: Hub,
    name: HubName,
}

struct FetchOutcome {
    events: Vec<PullEvent>,
    outcome: Result<std::path::PathBuf, PullError>,
}

impl HubFixture {
    fn new() -> HubFixture {
        HubFixture::with(model(MODEL_BYTES, 1))
    }

    fn with(bytes: Vec<u8>) -> HubFixture {
        let server = FakeHub::start(bytes);
        let folder = TempDir::new().unwrap();
        let files = ModelDir::open(folder.path().join("models"));
        let timeouts = HubTimeouts {
            stall: LONG,
            backoff: Duration::from_millis(1),
            breaks_max: 3,
            lock_poll: Duration::from_millis(2),
        };
        let hub = Hub { endpoint: Some(server.endpoint()), token: None, timeouts };
        HubFixture { server, folder, files, hub, name: HubName::parse(NAME).unwrap() }
    }

    fn fetch(&self) -> FetchOutcome {
        self.fetch_until(&CancellationToken::new())
    }

    fn fetch_until(&self, cancel: &CancellationToken) -> FetchOutcome {
        fetch(&self.files, &self.name, &self.hub, &mut |_| {}, cancel)
    }

    /// All events and the result, as lines.
    fn transcript(&self) -> String {
        self.fetch().transcript(self.folder.path())
    }

    /// Injects a fault into the next requests of this kind.
    fn faults(&self, times: usize, what_for: HubRequestKind, fault: InjectedFault) {
        (0..times).for_each(|_| self.server.inject_fault(what_for, fault.clone()));
    }

    /// Fetches, and fails after 100,000 bytes.
    #[track_caller]
    fn fail_partway(&self) {
        self.server.inject_fault(HubRequestKind::File, InjectedFault::Break(100_000));
        self.faults(2, HubRequestKind::File, InjectedFault::Break(0));
        assert!(self.fetch().outcome.is_err());
    }

    /// Replaces the file on the hub by a new commit.
    fn change_file(&self, bytes: Vec<u8>) {
        self.server.set(|hub| {
            hub.files.insert(FILE.to_owned(), bytes);
            hub.commit = "another".to_owned();
        });
    }

    fn part(&self) -> std::path::PathBuf {
        self.files.path(&self.name).with_added_extension("part")
    }

    /// The names of all files in the folder of the model.
    fn files_on_disk(&self) -> Vec<String> {
        let path = self.files.path(&self.name);
        let Ok(entries) = std::fs::read_dir(path.parent().unwrap()) else { return Vec::new() };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[track_caller]
    fn assert_whole(&self, bytes: &[u8]) {
        assert!(std::fs::read(self.files.path(&self.name)).unwrap() == bytes, "other bytes");
        assert_eq!(self.files_on_disk(), ["tiny-Q4.gguf", "tiny-Q4.gguf.json"]);
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn fetch(
    files: &ModelDir,
    name: &HubName,
    hub: &Hub,
    listener: &mut (dyn FnMut(&PullEvent) + Send),
    cancel: &CancellationToken,
) -> FetchOutcome {
    let mut events = Vec::new();
    let mut on_event = |event: PullEvent| {
        listener(&event);
        events.push(event);
    };
    let at = Timestamp::from_second(1_800_000_000).unwrap();
    let outcome = runtime().block_on(files.fetch(name, hub, at, &mut on_event, cancel));
    FetchOutcome { events, outcome }
}

impl FetchOutcome {
    fn transcript(&self, folder: &Path) -> String {
        let mut lines: Vec<String> = self.events.iter().filter_map(event_line).collect();
        lines.push(match &self.outcome {
            Ok(path) => format!("ok: {}", path.display()),
            Err(error) => {
                let mut line = format!("error: {error}");
                let mut cause = std::error::Error::source(error);
                while let Some(inner) = cause {
                    line += &format!(": {inner}");
                    cause = inner.source();
                }
                let hint = error.hint();
                line + &hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default()
            }
        });
        lines.join("\n").replace(&folder.display().to_string(), "[fixture]")
    }

    /// The bytes of each progress event.
    fn progress(&self) -> Vec<u64> {
        let bytes = self.events.iter().filter_map(|one| match one {
            PullEvent::Progress(progress) => Some(progress.bytes),
            _ => None,
        });
        bytes.collect()
    }
}

/// Leaves progress out: the number of these events depends on the time.
fn event_line(event: &PullEvent) -> Option<String> {
    Some(match event {
        PullEvent::Progress(_) => return None,
        PullEvent::Waiting => "waiting".to_owned(),
        PullEvent::Resuming { bytes, total } => {
            format!("resuming at {} of {}", size_text(*bytes), size_text(*total))
        }
        PullEvent::Restarting { why } => format!("restarting: {why}"),
        PullEvent::Retrying { why, after } => format!("retrying after {after:?}: {why}"),
        PullEvent::Finishing => "finishing".to_owned(),
    })
}

#[test]
fn a_downloaded_model_has_a_record_beside_it() {
    let fixture = HubFixture::new();
    insta::assert_snapshot!(fixture.transcript(), @"
    finishing
    ok: [fixture]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    fixture.assert_whole(&model(MODEL_BYTES, 1));
    let record = fixture.files.path(&fixture.name).with_added_extension("json");
    insta::assert_snapshot!(std::fs::read_to_string(record).unwrap(), @r#"
    {
      "format": 1,
      "name": "zoe/Tiny-GGUF/tiny-Q4.gguf",
      "bytes": 300000,
      "sha256": "2b683420b1d2cda83be0d0fa1a8f6082102bf5ac7617617c25ab67d734e05a0b",
      "commit": "c0ffeec0ffeec0ffeec0ffeec0ffeec0ffee0001",
      "at": "2027-01-15T08:00:00Z"
    }
    "#);
    let lines: Vec<String> =
        fixture.server.requests().into_iter().map(|request| request.line).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    GET /api/models/zoe/Tiny-GGUF/revision/main?blobs=true
    GET /zoe/Tiny-GGUF/resolve/c0ffeec0ffeec0ffeec0ffeec0ffeec0ffee0001/tiny-Q4.gguf
    GET /cdn/zoe/Tiny-GGUF/resolve/c0ffeec0ffeec0ffeec0ffeec0ffeec0ffee0001/tiny-Q4.gguf
    ");
    assert_eq!(fixture.server.ranges(), ["0-299999"]);
}

#[test]
fn progress_goes_from_zero_to_the_whole_file() {
    let fetched = HubFixture::new().fetch();
    let progress = fetched.progress();
    assert!(progress.is_sorted(), "{progress:?}");
    assert_eq!((progress.first(), progress.last()), (Some(&0), Some(&(MODEL_BYTES as u64))));
}

#[test]
fn a_model_on_this_machine_is_not_looked_up_again() {
    let fixture = HubFixture::new();
    assert!(fixture.fetch().outcome.is_ok());
    let requests = fixture.server.requests().len();
    insta::assert_snapshot!(fixture.transcript(), @"ok: [fixture]/models/zoe/Tiny-GGUF/tiny-Q4.gguf");
    assert_eq!(fixture.server.requests().len(), requests);
}

#[test]
fn a_token_is_sent_to_the_hub_and_not_printed() {
    let mut fixture = HubFixture::new();
    fixture.server.set(|hub| hub.token = Some("hf_secret"));
    fixture.hub.token = Some("hf_secret".to_owned());
    assert!(fixture.fetch().outcome.is_ok());
    assert!(!format!("{:?}", fixture.hub).contains("secret"), "{:?}", fixture.hub);
    let requests = fixture.server.requests();
    assert!(
        requests.iter().all(|request| request.authorization.as_deref() == Some("Bearer hf_secret"))
    );
}

#[test]
fn a_token_does_not_follow_a_redirect_to_another_host_or_port() {
    let other = FakeHub::start(model(MODEL_BYTES, 1));
    let mut fixture = HubFixture::new();
    fixture.hub.token = Some("hf_secret".to_owned());
    fixture.server.set(|hub| hub.other_server = Some(other.endpoint()));
    assert!(fixture.fetch().outcome.is_ok());
    fixture.assert_whole(&model(MODEL_BYTES, 1));
    let had_token = |hub: &FakeHub| -> Vec<bool> {
        hub.requests().iter().map(|request| request.authorization.is_some()).collect()
    };
    assert_eq!((had_token(&fixture.server), had_token(&other)), (vec![true, true], vec![false]));

    let mut fixture = HubFixture::new();
    fixture.hub.token = Some("hf_secret".to_owned());
    let localhost = fixture.server.endpoint().replace("127.0.0.1", "localhost");
    fixture.server.set(|hub| hub.other_server = Some(localhost));
    assert!(fixture.fetch().outcome.is_ok());
    assert_eq!(had_token(&fixture.server), [true, true, false]);
}

#[test]
fn without_a_token_none_is_sent() {
    let fixture = HubFixture::new();
    assert!(fixture.fetch().outcome.is_ok());
    assert!(fixture.server.requests().iter().all(|request| request.authorization.is_none()));
}
