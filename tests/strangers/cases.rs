//! The corpus, by family.

mod bounds;
mod files;
mod reading;
mod secrets;
mod state;
mod sums;
mod texts;
mod triggers;

use crate::strangers::package::Stranger;

/// Every package of the corpus. Their names are sentences, and no two are equal.
pub(crate) fn all() -> Vec<Stranger> {
    [
        secrets::all(),
        bounds::schemas(),
        bounds::documents(),
        bounds::patterns(),
        bounds::texts(),
        state::all(),
        sums::all(),
        reading::all(),
        files::all(),
        texts::all(),
        triggers::all(),
    ]
    .concat()
}
