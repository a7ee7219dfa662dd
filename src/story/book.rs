//! A story as text for readers: Markdown, one page of HTML, or a book. The player's sentences are quotations, and
//! pictures stand in their place. Everything that a skill has written is treated as plain text. Reads one turn at a
//! time.

mod epub;
mod html;
mod markdown;
mod source;
mod text;

use crate::{ExportError, Story, TurnId};
use source::BookSource;
pub use source::{BOOK_FILES_BYTES_MAX, BookOutput};

/// A form of text for readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookFormat {
    Markdown,
    /// One page that needs no other file.
    Html,
    /// EPUB 3.
    Epub,
}

/// The result of writing a book, with what had to be left out.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct BookReceipt {
    pub turns: u64,
    /// Files that are only named, because they are missing, changed, or beyond [`BOOK_FILES_BYTES_MAX`].
    pub files_left_out: u64,
}

impl Story {
    /// Writes the turns from the beginning up to `tip`.
    pub fn write_book(
        &self,
        format: BookFormat,
        tip: Option<TurnId>,
        out: &mut dyn BookOutput,
    ) -> Result<BookReceipt, ExportError> {
        let mut source = BookSource::open(self, tip)?;
        match format {
            BookFormat::Markdown => markdown::write(&mut source, out)?,
            BookFormat::Html => html::write(&mut source, out)?,
            BookFormat::Epub => epub::write(&mut source, out)?,
        }
        out.flush().map_err(ExportError::Output)?;
        let turns = source.turns.len() as u64;
        Ok(BookReceipt { turns, files_left_out: source.files_left_out })
    }
}
