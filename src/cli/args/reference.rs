//! Arguments of the commands that only print: contracts and completions.

use clap::Args;

use super::options::Format;

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Which contract, such as `skill-manifest` or `store.wit` [default: list all]
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Format of the list; a contract is printed as it is
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Which shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: clap_complete::Shell,
}
