//! A guest's stdout. The guest writes what it is sent: the first byte is the length of its writes, the rest is
//! what it says.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, LazyLock},
};

use narratoria_kit::PackageHarness;
use narratoria_protocol::{ASKS_MAX, Event};
use narratoria_protocol::{InvocationEnding, InvocationError};
use narratoria_sandbox::{Sandbox, SandboxOptions};
use narratoria_skills::{FilesInMemory, PackageHandle, PlayerSide};
use tokio::runtime::{Builder, Runtime};

use super::decode;

const MANIFEST: &str = r#"{"name": "guest", "displayName": "Guest", "description": "A guest.", "version": "1.0.0",
    "scripts": [{"name": "act", "path": "scripts/act.wasm", "description": "Acts.", "inputSchema": "schemas/in.json"}]}"#;

/// One thread and one sandbox for all inputs, as in a session.
static STAGE: LazyLock<(Runtime, PackageHarness)> = LazyLock::new(|| {
    let guest = narratoria_guests::find("repeats-stdin").expect("the guest is built");
    let files: FilesInMemory = [
        ("skill.json", MANIFEST.as_bytes()),
        ("SKILL.md", b"---\nname: guest\ndescription: A guest.\n---\nA guest.\n"),
        ("schemas/in.json", br#"{"type": "object"}"#),
        ("scripts/act.wasm", guest.component),
    ]
    .into_iter()
    .map(|(name, text)| (name.to_owned(), text.to_vec()))
    .collect();
    let skill = PackageHandle::in_memory("guest", files)
        .load(&PlayerSide::none())
        .expect("the package is good");
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime starts");
    let _within = runtime.enter();
    let sandbox = Sandbox::open(&SandboxOptions::default()).expect("the sandbox starts");
    let scratch = PathBuf::from("nothing-is-granted");
    let rig = PackageHarness::build(Arc::new(skill), &sandbox, BTreeMap::new(), scratch)
        .unwrap_or_else(|(path, error)| panic!("{path}: {error}"));
    drop(_within);
    (runtime, rig)
});

pub(crate) fn check(bytes: &[u8]) {
    let (runtime, rig) = &*STAGE;
    let ran = runtime.block_on(rig.run_bytes(0, bytes.to_vec(), 0)).expect("no folder is needed");
    let (heard, ended) = decode(bytes.get(1..).unwrap_or_default(), |left| left);
    let asks = heard.iter().filter(|message| message.event.question().is_some()).count();
    if asks > ASKS_MAX as usize {
        let refused = matches!(
            ran.invocation.ending,
            InvocationEnding::Aborted(
                InvocationError::TooManyAsks { .. } | InvocationError::Protocol(_)
            )
        );
        return assert!(refused, "{asks} questions: {:?}", ran.invocation.ending);
    }
    assert_eq!(ran.messages, heard, "the sandbox heard something else than the decoder");
    match (ended, &ran.invocation.ending) {
        (Err(error), InvocationEnding::Aborted(InvocationError::Protocol(refused))) => {
            assert_eq!(error, *refused)
        }
        (Ok(()), InvocationEnding::Done { output, .. }) => {
            assert_eq!(done(&ran.messages), Some((true, output.clone())));
        }
        (Ok(()), InvocationEnding::Failed { output, .. }) => {
            assert_eq!(done(&ran.messages), Some((false, output.clone())));
        }
        (ended, ending) => panic!("the decoder says {ended:?}, the sandbox {ending:?}"),
    }
}

/// Returns `ok` and the output of the last message.
fn done(said: &[narratoria_protocol::Message]) -> Option<(bool, narratoria_protocol::Object)> {
    match said.last()?.event.clone() {
        Event::Done { ok, output, .. } => Some((ok, output.unwrap_or_default())),
        _ => None,
    }
}
