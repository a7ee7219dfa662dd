//! Pages that writers edit → tables that a crate compiles in, by way of its build script. A mistake on a page ends the build
//! with the file and the line, so that a guest that starts for every turn parses and checks nothing.
//!
//! A page is Markdown of the plainest kind, and each line is one of these:
//!
//! - `# …`: the title, first and once. Free text for people follows it, with a table of places: a row that begins with
//!   `` | `{place}` `` names one that the texts may hold, and says what stands there.
//! - `## …`: a section, which is a pool of sentences or a part of a record.
//! - `### …`: a part of the section.
//! - `- …`: a sentence, a word, or `key: value`. It may hold places, and choices such as `[one|another]`.
//! - `> …`: a note for people.
//!
//! What has no sentences is a table with columns, [`Rows`].
//!
//! Knows nothing of what a crate does with its tables.

mod fault;
mod fields;
mod page;
mod rows;
mod template;

use std::{env, fs, path::Path, process::ExitCode};

pub use fault::TextFault;
pub use fields::Fields;
pub use page::{Page, Section, TextLine};
pub use rows::Rows;

/// Runs a build script; prints an error as a sentence, without a panic around it.
#[expect(clippy::print_stderr, reason = "cargo shows a failed build script's stderr")]
pub fn run(script: impl FnOnce() -> Result<(), TextFault>) -> ExitCode {
    match script() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("\nerror: {fault}");
            ExitCode::FAILURE
        }
    }
}

/// Reads a page of the build script's own crate. Cargo runs the script again when the page changes.
pub fn read(path: &str) -> Result<Page, TextFault> {
    Page::parse(path, &text_of(path)?)
}

#[expect(clippy::print_stdout, reason = "stdout is how a build script speaks to cargo")]
fn text_of(path: &str) -> Result<String, TextFault> {
    println!("cargo:rerun-if-changed={path}");
    fs::read_to_string(path)
        .map_err(|error| TextFault::of_file(path, format!("it cannot be read: {error}")))
}

/// Writes what `include!(concat!(env!("OUT_DIR"), "/NAME"))` includes.
pub fn write(name: &str, code: &str) -> Result<(), TextFault> {
    let folder = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&folder).join(name), code)
        .map_err(|error| TextFault::of_file(name, format!("it cannot be written: {error}")))
}

/// Texts as an array of Rust.
pub fn array<'t>(texts: impl IntoIterator<Item = &'t TextLine>) -> String {
    let literals: Vec<String> =
        texts.into_iter().map(|line| format!("    {:?},\n", line.text)).collect();
    format!("[\n{}]", literals.concat())
}

/// Texts as a slice of Rust.
pub fn slice<'t>(texts: impl IntoIterator<Item = &'t TextLine>) -> String {
    format!("&{}", array(texts))
}
