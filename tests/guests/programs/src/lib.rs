//! Programs that break the rules, each in its own way: see `src/bin`. Some obey them, for comparison.
//!
//! Most of them write the wire by hand, because the SDK would not let them write such lines. Programs that use host
//! services or ask questions as any skill would use the SDK. `expect` has the expected ending of each.

use std::io::{BufRead, Read, Write};

use serde_json::Value;

/// A valid `done`.
pub const DONE: &str = r#"{"version":"0","type":"done","ok":true}"#;

/// A valid log line.
pub const LOG: &str = r#"{"version":"0","type":"log","level":"info","message":"still here"}"#;

/// A valid question.
pub const ASK: &str = r#"{"version":"0","type":"ui_event","event":"ask","payload":{"question":"Who goes there?","choices":["A friend"]}}"#;

/// Writes one line to stdout and flushes it.
pub fn say(line: &str) {
    write(line.as_bytes());
    write(b"\n");
}

/// Writes bytes to stdout and flushes them. Ignores errors: most of these programs go on after the host has refused
/// their output.
pub fn write(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}

/// Writes `done`.
pub fn say_done(ok: bool, output: &Value) {
    say(&serde_json::json!({"version": "0", "type": "done", "ok": ok, "output": output})
        .to_string());
}

/// Reads all of stdin as JSON; null if it is something else.
pub fn read_request() -> Value {
    let mut text = String::new();
    match std::io::stdin().lock().read_to_string(&mut text) {
        Ok(_) => serde_json::from_str(&text).unwrap_or_default(),
        Err(_) => Value::Null,
    }
}

/// Reads the next answer, if there is one.
pub fn read_answer() -> Option<String> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).ok()?;
    let line: Value = serde_json::from_str(&line).ok()?;
    Some(line["answer"].as_str()?.to_owned())
}

/// Reads all of stdin and discards it.
pub fn drain_stdin() {
    let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
}

/// A preopened folder, for calls that std does not have.
#[cfg(target_os = "wasi")]
fn folder(name: &str) -> std::io::Result<wasip2::filesystem::types::Descriptor> {
    let folders = wasip2::filesystem::preopens::get_directories();
    let found = folders.into_iter().find(|(_, path)| path == name);
    Ok(found.ok_or(std::io::ErrorKind::NotFound)?.0)
}

/// Creates a symbolic link.
#[cfg(target_os = "wasi")]
pub fn link(to: &str, folder_name: &str, name: &str) -> std::io::Result<()> {
    let made = folder(folder_name)?.symlink_at(to, name);
    made.map_err(|code| std::io::Error::other(code.message()))
}

/// Writes all bytes in one host call.
#[cfg(target_os = "wasi")]
pub fn write_at(folder_name: &str, name: &str, bytes: Vec<u8>, at: usize) -> std::io::Result<()> {
    use wasip2::filesystem::types::{DescriptorFlags, OpenFlags, PathFlags};
    let (path, open, flags) = (PathFlags::empty(), OpenFlags::empty(), DescriptorFlags::WRITE);
    let file = folder(folder_name)?.open_at(path, name, open, flags);
    let written = file.and_then(|file| file.write(&bytes, at as u64));
    written.map(drop).map_err(|code| std::io::Error::other(code.message()))
}

/// Makes folders in folders, deeper than a path can name, with a file of this many bytes in each.
#[cfg(target_os = "wasi")]
pub fn dig(folder_name: &str, levels: usize, bytes: usize) -> std::io::Result<()> {
    use wasip2::filesystem::types::{DescriptorFlags, OpenFlags, PathFlags};
    let failed = |code: wasip2::filesystem::types::ErrorCode| std::io::Error::other(code.message());
    let (path, flags) = (PathFlags::empty(), DescriptorFlags::MUTATE_DIRECTORY);
    let name = "a-folder-with-quite-a-long-name";
    let mut deep: Option<wasip2::filesystem::types::Descriptor> = None;
    for _ in 0..levels {
        let root = folder(folder_name)?;
        let parent = deep.as_ref().unwrap_or(&root);
        parent.create_directory_at(name).map_err(failed)?;
        let open = OpenFlags::DIRECTORY;
        let inner =
            parent.open_at(path, name, open, flags | DescriptorFlags::READ).map_err(failed)?;
        if bytes > 0 {
            let (open, flags) = (OpenFlags::CREATE, DescriptorFlags::WRITE);
            let file = inner.open_at(path, "file", open, flags).map_err(failed)?;
            file.write(&vec![b'x'; bytes], 0).map_err(failed)?;
        }
        deep = Some(inner);
    }
    Ok(())
}

/// Only WASI has preopened folders.
#[cfg(not(target_os = "wasi"))]
pub fn dig(_folder_name: &str, _levels: usize, _bytes: usize) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Only WASI has preopened folders.
#[cfg(not(target_os = "wasi"))]
pub fn link(_to: &str, _folder: &str, _name: &str) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Only WASI has preopened folders.
#[cfg(not(target_os = "wasi"))]
pub fn write_at(_folder: &str, _name: &str, _bytes: Vec<u8>, _at: usize) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
