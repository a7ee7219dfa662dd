//! Makes tables of the rows in `grammar` and `wordings`. A guest starts for every turn, so it finds them ready and parses nothing.

#[path = "build/frames.rs"]
mod frames;
#[path = "build/wordings.rs"]
mod wordings;

use std::process::ExitCode;

use narratoria_text_tables::write;

fn main() -> ExitCode {
    narratoria_text_tables::run(|| {
        write("wordings.rs", &wordings::deeds()?)?;
        write("sentence_rows.rs", &wordings::sentence_rows()?)?;
        write("frames.rs", &frames::tables()?)?;
        write("questions.rs", &wordings::questions()?)
    })
}
