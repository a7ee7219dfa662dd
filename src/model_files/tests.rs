//! The real client against a hub on this machine.

#[path = "../../tests/hub/server.rs"]
mod server;

mod answers;
mod breaks;
mod shelf;
mod together;

use std::{path::Path, time::Duration};

use jiff::Timestamp;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::{Hub, HubName, ModelFiles, Patience, PullError, PullNews, size_text};
use server::{FILE, Fault, For, NAME, Server, model};

/// Long enough that no test meets it, on whatever machine.
const LONG: Duration = Duration::from_secs(60);

/// Large enough for several reads, and for a second try to overlap with the first.
const MODEL_BYTES: usize = 300_000;

/// A hub, and a folder for what comes from it.
struct Desk {
    server: Server,
    folder: TempDir,
    files: ModelFiles,
    hub: Hub,
    name: HubName,
}

/// What a call came to.
struct Fetched {
    news: Vec<PullNews>,
    outcome: Result<std::path::PathBuf, PullError>,
}

impl Desk {
    fn new() -> Desk {
        Desk::with(model(MODEL_BYTES, 1))
    }

    fn with(bytes: Vec<u8>) -> Desk {
        let server = Server::start(bytes);
        let folder = TempDir::new().unwrap();
        let files = ModelFiles::open(folder.path().join("models"));
        let patience = Patience {
            stall: LONG,
            backoff: Duration::from_millis(1),
            breaks_max: 3,
            lock_poll: Duration::from_millis(2),
        };
        let hub = Hub { endpoint: Some(server.endpoint()), token: None, patience };
        Desk { server, folder, files, hub, name: HubName::parse(NAME).unwrap() }
    }

    fn fetch(&self) -> Fetched {
        self.fetch_until(&CancellationToken::new())
    }

    fn fetch_until(&self, cancel: &CancellationToken) -> Fetched {
        fetch(&self.files, &self.name, &self.hub, &mut |_| {}, cancel)
    }

    /// Everything that was to be heard of it, as lines.
    fn told(&self) -> String {
        self.fetch().told(self.folder.path())
    }

    /// The next requests of this kind go wrong.
    fn faults(&self, times: usize, what_for: For, fault: Fault) {
        (0..times).for_each(|_| self.server.fault(what_for, fault.clone()));
    }

    /// A call that gives up with 100,000 bytes.
    #[track_caller]
    fn break_off(&self) {
        self.server.fault(For::File, Fault::Break(100_000));
        self.faults(2, For::File, Fault::Break(0));
        assert!(self.fetch().outcome.is_err());
    }

    /// Somebody commits another file under the same name.
    fn change_file(&self, bytes: Vec<u8>) {
        self.server.set(|hub| {
            hub.files.insert(FILE.to_owned(), bytes);
            hub.commit = "another".to_owned();
        });
    }

    fn part(&self) -> std::path::PathBuf {
        self.files.path(&self.name).with_added_extension("part")
    }

    /// The names of all files that lie in the folder of the model.
    fn lying(&self) -> Vec<String> {
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
        assert_eq!(self.lying(), ["tiny-Q4.gguf", "tiny-Q4.gguf.json"]);
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn fetch(
    files: &ModelFiles,
    name: &HubName,
    hub: &Hub,
    hear: &mut (dyn FnMut(&PullNews) + Send),
    cancel: &CancellationToken,
) -> Fetched {
    let mut news = Vec::new();
    let mut on_news = |one: PullNews| {
        hear(&one);
        news.push(one);
    };
    let at = Timestamp::from_second(1_800_000_000).unwrap();
    let outcome = runtime().block_on(files.fetch(name, hub, at, &mut on_news, cancel));
    Fetched { news, outcome }
}

impl Fetched {
    fn told(&self, folder: &Path) -> String {
        let mut lines: Vec<String> = self.news.iter().filter_map(news_line).collect();
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
        lines.join("\n").replace(&folder.display().to_string(), "[desk]")
    }

    /// The bytes of each piece of progress.
    fn progress(&self) -> Vec<u64> {
        let bytes = self.news.iter().filter_map(|one| match one {
            PullNews::Progress(progress) => Some(progress.bytes),
            _ => None,
        });
        bytes.collect()
    }
}

/// Progress is left out: how often it is told depends on the time.
fn news_line(news: &PullNews) -> Option<String> {
    Some(match news {
        PullNews::Progress(_) => return None,
        PullNews::Waiting => "waiting".to_owned(),
        PullNews::Resuming { bytes, total } => {
            format!("resuming at {} of {}", size_text(*bytes), size_text(*total))
        }
        PullNews::Restarting { why } => format!("restarting: {why}"),
        PullNews::Retrying { why, after } => format!("retrying after {after:?}: {why}"),
        PullNews::Finishing => "finishing".to_owned(),
    })
}

#[test]
fn a_model_comes_with_what_was_checked_of_it() {
    let desk = Desk::new();
    insta::assert_snapshot!(desk.told(), @"
    finishing
    ok: [desk]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    desk.assert_whole(&model(MODEL_BYTES, 1));
    let record = desk.files.path(&desk.name).with_added_extension("json");
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
    let asked: Vec<String> = desk.server.asked().into_iter().map(|asked| asked.line).collect();
    insta::assert_snapshot!(asked.join("\n"), @"
    GET /api/models/zoe/Tiny-GGUF/revision/main?blobs=true
    GET /zoe/Tiny-GGUF/resolve/c0ffeec0ffeec0ffeec0ffeec0ffeec0ffee0001/tiny-Q4.gguf
    GET /cdn/zoe/Tiny-GGUF/resolve/c0ffeec0ffeec0ffeec0ffeec0ffeec0ffee0001/tiny-Q4.gguf
    ");
    assert_eq!(desk.server.ranges(), ["0-299999"]);
}

#[test]
fn progress_begins_at_nothing_and_ends_with_everything() {
    let fetched = Desk::new().fetch();
    let progress = fetched.progress();
    assert!(progress.is_sorted(), "{progress:?}");
    assert_eq!((progress.first(), progress.last()), (Some(&0), Some(&(MODEL_BYTES as u64))));
}

#[test]
fn what_is_here_is_not_looked_up_again() {
    let desk = Desk::new();
    assert!(desk.fetch().outcome.is_ok());
    let asked = desk.server.asked().len();
    insta::assert_snapshot!(desk.told(), @"ok: [desk]/models/zoe/Tiny-GGUF/tiny-Q4.gguf");
    assert_eq!(desk.server.asked().len(), asked);
}

#[test]
fn a_token_is_shown_to_the_hub_and_to_nobody_else() {
    let mut desk = Desk::new();
    desk.server.set(|hub| hub.token = Some("hf_secret"));
    desk.hub.token = Some("hf_secret".to_owned());
    assert!(desk.fetch().outcome.is_ok());
    assert!(!format!("{:?}", desk.hub).contains("secret"), "{:?}", desk.hub);
    let asked = desk.server.asked();
    assert!(asked.iter().all(|asked| asked.authorization.as_deref() == Some("Bearer hf_secret")));
}

#[test]
fn a_token_does_not_follow_a_redirect_to_another_host() {
    let mut desk = Desk::new();
    desk.server.set(|hub| hub.other_host = true);
    desk.hub.token = Some("hf_secret".to_owned());
    assert!(desk.fetch().outcome.is_ok());
    let asked = desk.server.asked();
    let had_token: Vec<bool> = asked.iter().map(|asked| asked.authorization.is_some()).collect();
    assert_eq!(had_token, [true, true, false]);
    desk.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn without_a_token_none_is_sent() {
    let desk = Desk::new();
    assert!(desk.fetch().outcome.is_ok());
    assert!(desk.server.asked().iter().all(|asked| asked.authorization.is_none()));
}
