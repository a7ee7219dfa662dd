//! The arguments of `narratoria serve`.

use std::{
    net::{AddrParseError, IpAddr, SocketAddr},
    path::PathBuf,
    str::FromStr,
    time::Duration,
};

use clap::Args;
use narratoria_hosting::limits::{PLAYER_BYTES_MAX, PLAYER_SECONDS_MAX, PLAYER_TURNS_MAX};
use narratoria_serve::{HeaderName, ServedName};

use super::{Format, PlannerArgs, StepFleetArgs, seconds::parse_story_lease};

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Port to listen on; 0 takes one that is free
    #[arg(long, value_name = "PORT", default_value_t = PORT)]
    pub(crate) port: u16,
    /// Address to listen on, so that other machines reach the page; they need the password [default: this machine alone]
    #[arg(long, value_name = "ADDRESS[:PORT]")]
    pub(crate) listen: Option<ListenAddress>,
    /// Name by which others reach the page: `tower.local`, or `https://tales.example.org` with a proxy in front; they need
    /// the password [repeatable]
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<ServedName>,
    /// Set the password and end: a terminal asks for it, a pipe gives it as one line
    #[arg(long, conflicts_with_all = ["port", "listen", "host", "mcp", "no_open", "skills"])]
    pub(crate) set_password: bool,
    /// Let programs play the stories and use the author's tools by MCP, at the path /mcp; they need the token of a file, which
    /// the program names
    #[arg(long, conflicts_with = "database")]
    pub(crate) mcp: bool,
    /// Folder in which these programs may name packages, campaigns and sets of sentences [default: none; they name what is
    /// installed alone]
    #[arg(long, value_name = "DIR", requires = "mcp")]
    pub(crate) folder: Option<PathBuf>,
    /// Do not open the browser
    #[arg(long)]
    pub(crate) no_open: bool,
    #[command(flatten)]
    pub(crate) hosting: HostingArgs,
    #[command(flatten)]
    pub(crate) fleet: StepFleetArgs,
    #[command(flatten)]
    pub(crate) planner: PlannerArgs,
    /// Folder with skill packages. They come before the built-in ones; of two with one name the first wins
    /// [repeatable]
    #[arg(long, value_name = "DIR")]
    pub(crate) skills: Vec<PathBuf>,
    /// Format of the address on stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

/// A server whose stories are in a database.
#[derive(Debug, Args)]
pub(crate) struct HostingArgs {
    /// Database that has the stories: `postgres://USER@HOST/NAME`, or `sqlite:FILE` for one machine; this machine keeps copies
    #[arg(long, value_name = "URL", env = "NARRATORIA_DATABASE", hide_env_values = true)]
    pub(crate) database: Option<String>,
    /// Header in which an authenticating proxy names the player; each player has stories of their own
    #[arg(long, value_name = "NAME", requires_all = ["database", "player_proxy"])]
    pub(crate) player_header: Option<HeaderName>,
    /// Address of a proxy that sets the header; requests from other addresses are refused [repeatable]
    #[arg(long, value_name = "ADDRESS", requires = "player_header")]
    pub(crate) player_proxy: Vec<IpAddr>,
    /// Turns of a player on a day
    #[arg(long, value_name = "TURNS", default_value_t = PLAYER_TURNS_MAX, requires = "database")]
    pub(crate) quota_turns: u64,
    /// Bytes of all stories of a player in the database
    #[arg(long, value_name = "BYTES", default_value_t = PLAYER_BYTES_MAX, requires = "database")]
    pub(crate) quota_bytes: u64,
    /// Seconds that a server works on the turns of a player on a day
    #[arg(long, value_name = "SECONDS", default_value_t = PLAYER_SECONDS_MAX, requires = "database")]
    pub(crate) quota_seconds: u64,
    /// Time after which another server may go on with the stories of one that no longer answers
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_story_lease, requires = "database")]
    pub(crate) lease: Duration,
    /// Address and port of `/healthz`, `/readyz` and `/metrics`, for programs of the operator
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) operations: Option<SocketAddr>,
}

/// `192.168.1.5`, `0.0.0.0:7433` or `[::]:7433`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListenAddress {
    pub(crate) ip: IpAddr,
    pub(crate) port: Option<u16>,
}

impl FromStr for ListenAddress {
    type Err = AddrParseError;

    fn from_str(text: &str) -> Result<ListenAddress, AddrParseError> {
        match text.parse::<SocketAddr>() {
            Ok(address) => Ok(ListenAddress { ip: address.ip(), port: Some(address.port()) }),
            Err(_) => text.parse().map(|ip| ListenAddress { ip, port: None }),
        }
    }
}

/// No service is known to use it.
const PORT: u16 = 7433;

#[cfg(test)]
mod tests {
    use super::ListenAddress;

    #[test]
    fn an_address_has_a_port_or_none() {
        let read = |text: &str| text.parse::<ListenAddress>().ok().map(|it| (it.ip, it.port));
        let ip = |text: &str| text.parse().unwrap();
        assert_eq!(read("192.168.1.5"), Some((ip("192.168.1.5"), None)));
        assert_eq!(read("0.0.0.0:80"), Some((ip("0.0.0.0"), Some(80))));
        assert_eq!(read("::"), Some((ip("::"), None)));
        assert_eq!(read("[::]:7433"), Some((ip("::"), Some(7433))));
        for text in ["", "tower.local", "localhost:80", "1.2.3.4:99999", "7433"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
