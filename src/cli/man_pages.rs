//! `narratoria man-pages`: a manual page for each command, made of the same arguments as its help. A hidden command, which
//! the packaging of a release runs.

use std::{fs, io, path::Path};

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use narratoria_engine::TurnError;

use super::{args::Arguments, error::CliError, exit::Exit};

const WHAT: &str = "folder of manual pages";
const VERSION: &str = concat!("version ", env!("CARGO_PKG_VERSION"));

/// Writes the pages. Refuses a folder that has files in it, because pages of an older program would stay among them.
pub(super) fn man_pages(folder: &Path) -> Result<Exit, TurnError> {
    write_pages(folder)
        .map_err(|why| CliError::Unwritable { what: WHAT, path: folder.to_owned(), why }.into())
}

fn write_pages(folder: &Path) -> io::Result<Exit> {
    fs::create_dir_all(folder)?;
    if fs::read_dir(folder)?.next().is_some() {
        return Err(io::Error::other("it is not empty"));
    }
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    write_page(command, folder)?;
    Ok(Exit::Done)
}

/// Writes the page of a command and those of its commands. Hidden ones get no page and no line.
fn write_page(command: Command, folder: &Path) -> io::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        write_page(inner.clone(), folder)?;
    }
    // The version stands in the place of the date: a page without any shows its source there.
    let page = Man::new(command).date(VERSION).source("Narratoria").manual("Narratoria");
    page.generate_to(folder).map(drop)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs};

    use super::write_pages;

    fn pages() -> BTreeMap<String, String> {
        let folder = tempfile::tempdir().unwrap();
        write_pages(folder.path()).unwrap();
        let files = fs::read_dir(folder.path()).unwrap().map(Result::unwrap);
        let pages = files.map(|file| {
            let name = file.file_name().into_string().unwrap();
            (name, fs::read_to_string(file.path()).unwrap())
        });
        pages.collect()
    }

    #[test]
    fn each_command_has_a_page_and_what_is_hidden_has_none() {
        let pages = pages();
        for page in ["narratoria.1", "narratoria-run.1", "narratoria-skill-new.1"] {
            assert!(pages.contains_key(page), "{page} is missing: {:?}", pages.keys());
        }
        for (name, text) in &pages {
            for hidden in ["compile-component", "embed-compiled-skills", "man-pages", "try-model"] {
                let hidden_in_roff = hidden.replace('-', "\\-");
                assert!(
                    !name.contains(hidden) && !text.contains(&hidden_in_roff),
                    "{name}: {hidden}"
                );
            }
            assert!(text.contains(".SH NAME"), "{name}: {text}");
        }
    }

    /// Two builds of a release have equal pages.
    #[test]
    fn pages_have_no_date_and_are_equal_each_time() {
        assert_eq!(pages(), pages());
    }

    #[test]
    fn a_folder_with_files_in_it_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("old.1"), "").unwrap();
        assert_eq!(write_pages(folder.path()).unwrap_err().to_string(), "it is not empty");
    }
}
