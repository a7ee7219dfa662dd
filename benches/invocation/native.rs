//! The same programs, compiled for this machine and spawned.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Builds the guests of these names, and returns their folder.
pub(crate) fn build(names: &[&str]) -> wasmtime::Result<PathBuf> {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("native");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--release", "--locked", "-p", "narratoria-guest-programs"]);
    for name in names {
        cargo.args(["--bin", name]);
    }
    let status =
        cargo.arg("--target-dir").arg(&target).current_dir(env!("CARGO_MANIFEST_DIR")).status()?;
    wasmtime::ensure!(status.success(), "the native programs do not build");
    Ok(target.join("release"))
}

pub(crate) fn spawn(program: &Path, line: &[u8]) -> wasmtime::Result<()> {
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    child.stdin.take().expect("stdin is piped").write_all(line)?;
    let output = child.wait_with_output()?;
    wasmtime::ensure!(output.status.success() && output.stdout.ends_with(b"\n"), "{output:?}");
    Ok(())
}
