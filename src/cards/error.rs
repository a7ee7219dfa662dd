//! Why a file cannot be imported, or a campaign cannot be exported.

use narratoria_protocol::{StrictJsonError, visible::visible_word};

/// A file and its problem.
#[derive(Debug, thiserror::Error)]
#[error("`{}` {}", visible_word(file), visible_word(&problem.to_string()))]
pub struct CardError {
    /// The file's name.
    pub file: String,
    /// The problem with the file.
    pub problem: CardProblem,
}

/// A problem with a file, worded as the predicate of a sentence about it.
#[derive(Debug, thiserror::Error)]
pub enum CardProblem {
    /// Refused before it is read.
    #[error("has {bytes} bytes, the limit is {limit}")]
    TooLong {
        /// The length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Too many of something.
    #[error("has {count} {what}, the limit is {limit}")]
    TooMany {
        /// How many.
        count: usize,
        /// The name of the counted things.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// No known kind of file.
    #[error("{0}")]
    NotKnown(String),
    /// The JSON of a card, a book or a chat is broken.
    #[error("cannot be read: {what} {}", visible_word(&problem.predicate()))]
    Json {
        /// `it`, `line 3`, `the text \`chara\`` and so on.
        what: String,
        /// The error of the reader.
        problem: StrictJsonError,
    },
    /// A text file is not text.
    #[error("{}", visible_word(&problem.predicate()))]
    Text {
        /// The error of the reader.
        problem: StrictJsonError,
    },
    /// A PNG picture is broken.
    #[error("is a broken PNG picture: {0}; export the card again from the program that made it")]
    Png(String),
    /// A text in a PNG picture is broken.
    #[error("is a PNG picture whose {chunk} text `{keyword}` cannot be read: {what}")]
    PngText {
        /// `tEXt`, `zTXt` or `iTXt`.
        chunk: String,
        /// The chunk's name.
        keyword: String,
        /// The defect of the text.
        what: String,
    },
    /// A picture without a card.
    #[error(
        "is a PNG picture without a character card: it has {}; programs that edit pictures remove the card, so use the \
         file as it was exported",
        texts_named(names)
    )]
    NoCardInPng {
        /// Names of its texts.
        names: Vec<String>,
    },
    /// An archive is broken.
    #[error("is a broken CHARX archive: {0}")]
    Charx(String),
    /// JSON of another kind.
    #[error("{0}")]
    Shape(String),
    /// Unpacked it is larger than a bound.
    #[error(
        "unpacks to more than {limit} bytes{}; this is refused, because such a file can fill the memory",
        at.as_ref().map(|at| format!(" in {at}")).unwrap_or_default()
    )]
    TooMuchUnpacked {
        /// The limit.
        limit: usize,
        /// The part.
        at: Option<String>,
    },
    /// The campaign does not contain the thing to export.
    #[error("{0}")]
    NothingToExport(String),
}

impl CardProblem {
    /// The error about that file.
    pub fn in_file(self, file: &str) -> CardError {
        CardError { file: file.to_owned(), problem: self }
    }
}

fn texts_named(names: &[String]) -> String {
    match names {
        [] => "no texts, and a card is a text named `ccv3` or `chara`".to_owned(),
        names => {
            let shown: Vec<String> =
                names.iter().take(8).map(|name| format!("`{}`", visible_word(name))).collect();
            format!("the texts {}, and none named `ccv3` or `chara`", shown.join(", "))
        }
    }
}
