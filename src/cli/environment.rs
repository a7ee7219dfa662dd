//! The environment of this process. No other file reads a variable.

use std::{env, ffi::OsString, io, path::PathBuf};

/// Returns the variable; `None` if it is not set or not UTF-8.
pub(super) fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// Returns the variable as the system holds it.
pub(super) fn raw_variable(name: &str) -> Option<OsString> {
    env::var_os(name)
}

/// Returns all variables as the system holds them.
pub(super) fn raw_variables() -> impl Iterator<Item = (OsString, OsString)> {
    env::vars_os()
}

/// Returns the folders of `PATH`, in order.
pub(super) fn search_path() -> Vec<PathBuf> {
    raw_variable("PATH").iter().flat_map(env::split_paths).collect()
}

/// Returns the path of this program.
pub(super) fn this_program() -> io::Result<PathBuf> {
    env::current_exe()
}

/// Returns the folder for temporary files.
pub(super) fn temporary_folder() -> PathBuf {
    env::temp_dir()
}
