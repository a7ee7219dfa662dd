//! The arguments of `narratoria doctor`.

use clap::Args;

use super::options::Format;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}
