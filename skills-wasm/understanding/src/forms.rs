//! What rows are made of. The build script reads these files too, and writes the rows as constants.

pub(crate) mod frame_form;
#[cfg(test)]
#[path = "../build/frame_rows.rs"]
mod frame_rows;
pub(crate) mod pattern_form;
pub(crate) mod row_form;
pub(crate) mod word_bits;
