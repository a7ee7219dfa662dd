//! Chooses the compiler for the components.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    WasmBuildError,
    target::{LINKED, TARGET},
};

/// The two that may be able to do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Toolchain {
    /// The one that builds the host.
    Current,
    /// [`LINKED`].
    Linked,
}

impl Toolchain {
    /// Cargo of this toolchain, with nothing set but the choice itself.
    pub(crate) fn cargo(self) -> Command {
        match self {
            Toolchain::Current => Command::new(env_or("CARGO", "cargo")),
            Toolchain::Linked => self.rustup_proxy("cargo"),
        }
    }

    fn rustc(self) -> Command {
        match self {
            Toolchain::Current => Command::new(env_or("RUSTC", "rustc")),
            Toolchain::Linked => self.rustup_proxy("rustc"),
        }
    }

    /// `program` as rustup's proxy, which reads the choice from the environment. Without rustup it is an
    /// ordinary compiler that ignores the choice; [`find`] then sees that it lacks the target.
    fn rustup_proxy(self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("RUSTUP_TOOLCHAIN", LINKED);
        command
    }

    /// The folder of its standard library for the target, if it has one.
    fn std_dir(self) -> Option<PathBuf> {
        let output = self.rustc().args(["--print", "sysroot"]).output().ok()?;
        let sysroot = String::from_utf8(output.stdout).ok()?;
        let dir = Path::new(sysroot.trim_end()).join("lib/rustlib").join(TARGET).join("lib");
        (output.status.success() && dir.is_dir()).then_some(dir)
    }
}

/// Returns the current toolchain if it has the target, otherwise [`LINKED`], with the folder of its standard library.
pub(crate) fn find() -> Result<(Toolchain, PathBuf), WasmBuildError> {
    [Toolchain::Current, Toolchain::Linked]
        .into_iter()
        .find_map(|toolchain| Some((toolchain, toolchain.std_dir()?)))
        .ok_or(WasmBuildError::NoToolchain)
}

fn env_or(name: &str, default: &str) -> OsString {
    env::var_os(name).unwrap_or_else(|| default.into())
}
