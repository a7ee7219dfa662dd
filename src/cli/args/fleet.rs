//! Arguments of a fleet: `narratoria worker`, and where `narratoria skill check` leaves its work.

use std::{path::PathBuf, time::Duration};

use clap::{Args, ValueEnum};

use super::seconds::parse_seconds;

/// Where other processes find the work.
#[derive(Debug, Args)]
pub(crate) struct FleetArgs {
    /// Let the workers of a fleet do the check: `sqlite:FILE`, or `postgres://…`; needs `--blobs`
    #[arg(long, value_name = "URL", requires = "blobs")]
    pub(crate) queue: Option<String>,
    /// Folder for packages on their way to workers, by their digests
    #[arg(long, value_name = "DIR", requires = "queue")]
    pub(crate) blobs: Option<PathBuf>,
    /// Whose work it is; workers share themselves out among tenants
    #[arg(long, value_name = "NAME", default_value = "default", requires = "queue")]
    pub(crate) tenant: String,
}

/// Where heavy scripts of a story run.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct StepFleetArgs {
    /// Let the workers of a fleet run the heavy scripts of the stories: `sqlite:FILE`, or `postgres://…`; needs `--blobs`
    #[arg(long, value_name = "URL", requires = "blobs")]
    pub(crate) queue: Option<String>,
    /// Folder for the components of these scripts on their way to workers, by their digests
    #[arg(long, value_name = "DIR", requires = "queue")]
    pub(crate) blobs: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    /// The queue: `sqlite:FILE`, or `postgres://…`
    #[arg(long, value_name = "URL", env = "NARRATORIA_QUEUE", hide_env_values = true)]
    pub(crate) queue: String,
    /// Folder with the packages, by their digests
    #[arg(long, value_name = "DIR")]
    pub(crate) blobs: PathBuf,
    /// How a tenant's work is kept from that of others
    #[arg(long, value_enum, default_value_t = Isolation::Auto)]
    pub(crate) isolation: Isolation,
    /// Time after which work of a worker that gives no sign of life goes to another one
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_seconds)]
    pub(crate) lease: Duration,
    /// End when the queue has nothing to do
    #[arg(long)]
    pub(crate) until_empty: bool,
}

/// How a tenant's work is kept from that of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Isolation {
    /// Bubblewrap where it works, else a process of its own
    Auto,
    /// Bubblewrap: a process that sees its own folder and no network
    Bubblewrap,
    /// A process of its own
    Process,
}
