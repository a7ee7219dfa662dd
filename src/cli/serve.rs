//! `narratoria serve`: the page, in a browser on this machine, or on others with a password.

mod documents;
mod host;
mod hosting;
mod password;
mod play;
mod programs;

use std::{
    net::IpAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_mcp::McpEndpoint;
use narratoria_serve::{
    ProgramAccess, ServeError, ServeOptions, ServeTimes, ServedName, Server, StoriesInPlay,
    limits::PLAYER_UNWATCHED_TIME_MAX,
};
use narratoria_ui::{Out, Tone, note};
use serde_json::json;
use tokio::runtime::Handle;

pub(super) use host::{PageHost, host_error};
use hosting::Hosting;
use programs::{ProgramsLetIn, TokenFile};

use super::{
    args::{CommonArgs, Format, ListenAddress, PlannerArgs, ServeArgs},
    browser,
    clock_and_ids::{draw_run, draw_token},
    exit::Exit,
    fleet::StepFleet,
    interrupt::Interrupts,
    mcp::ToolProcesses,
    print_data, print_line,
    settings::CliSettings,
};

/// Any port that is free.
const PORT_ANY: u16 = 0;

const HOW_TO_USE: &str =
    "the address above opens the page; it works on this machine alone, and Ctrl-C ends it";

const HOW_PLAYERS_USE_IT: &str = "players reach this server through its proxies alone, and SIGTERM or Ctrl-C ends it when its turns have ended";

/// Where the page is reached.
#[derive(Default)]
struct PageAddress {
    /// 0 is any port that is free.
    port: u16,
    listen: Option<IpAddr>,
    names: Vec<ServedName>,
}

pub(super) async fn serve(args: ServeArgs) -> Result<Exit, TurnError> {
    let ServeArgs {
        port,
        listen,
        host,
        mcp,
        folder,
        set_password,
        no_open,
        hosting,
        fleet,
        planner,
        skills,
        format,
    } = args;
    let settings = CliSettings::check(CommonArgs { skills, format })?;
    if set_password {
        return password::set(&settings);
    }
    let settings = settings.offline(planner.is_offline());
    let settings = settings.with_fleet(StepFleet::open(fleet).await?);
    let opens = !no_open && settings.terminal.is_interactive;
    let port = listen.and_then(|address: ListenAddress| address.port).unwrap_or(port);
    let address = PageAddress { port, listen: listen.map(|address| address.ip), names: host };
    let hosting = Hosting::open(hosting, &settings).await?;
    let let_in = mcp.then_some(ProgramsLetIn { folder });
    answer(settings, planner, (address, let_in, hosting), opens).await
}

/// Shows the page to a player who has chosen it from the menu.
pub(super) async fn show_page(
    settings: CliSettings,
    planner: PlannerArgs,
) -> Result<Exit, TurnError> {
    let address = PageAddress { port: PORT_ANY, ..PageAddress::default() };
    answer(settings, planner, (address, None, Hosting::default()), true).await
}

/// Answers browsers until the player ends it.
async fn answer(
    settings: CliSettings,
    planner: PlannerArgs,
    (address, let_in, hosting): (PageAddress, Option<ProgramsLetIn>, Hosting),
    opens_browser: bool,
) -> Result<Exit, TurnError> {
    let look = settings.terminal.look;
    let interrupts = Interrupts::listen(look);
    let PageAddress { port, listen, names } = address;
    let mut options = ServeOptions {
        token: draw_token(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        port,
        listen,
        names,
        password: None,
        players: None,
        operations: hosting.operations(),
        times: ServeTimes::default(),
    };
    let settings = hosting.settings_of_server(settings)?;
    let tools = let_in.map(|let_in| let_in.tools(&settings, &planner)).transpose()?;
    let host = Arc::new(PageHost::open(settings.clone(), planner, Handle::current())?);
    options.players = hosting.players(host.clone());
    if options.players.is_some() {
        options.times.unwatched = PLAYER_UNWATCHED_TIME_MAX;
    }
    let is_for_others = options.reachable().is_some();
    if is_for_others && options.players.is_none() {
        options.password = password::load(&settings)?;
    }
    options.check().map_err(serve_error)?;
    let stories = Arc::new(StoriesInPlay::new(host, &draw_run()));
    let let_in = tools.map(|tools| access(&settings, &stories, tools)).transpose()?;
    let (programs, token_file) = let_in.unzip();
    let how_to_use = match options.players {
        Some(_) => Some(HOW_PLAYERS_USE_IT),
        None if is_for_others => None,
        None => Some(HOW_TO_USE),
    };
    let server = Server::bind_shared(options, &stories, programs).await.map_err(serve_error)?;
    let url = server.url();
    let for_programs = server.programs_url().zip(token_file);
    say_where(&settings, &server, for_programs, how_to_use)?;
    if opens_browser {
        browser::open(&url);
    }
    server.run(interrupts.exit_token().clone()).await.map_err(serve_error)?;
    Ok(Exit::Done)
}

/// What lets programs in, and the file with their token.
fn access(
    settings: &CliSettings,
    stories: &Arc<StoriesInPlay>,
    tools: ToolProcesses,
) -> Result<(ProgramAccess, PathBuf), TurnError> {
    let TokenFile { token, path } = TokenFile::load_or_make(settings)?;
    let version = env!("CARGO_PKG_VERSION");
    let endpoint = McpEndpoint::new(version, stories.clone(), Arc::new(tools));
    Ok((ProgramAccess { token, endpoint: Arc::new(endpoint) }, path))
}

/// Prints where the page is, and where programs find their path.
fn say_where(
    settings: &CliSettings,
    server: &Server,
    for_programs: Option<(String, PathBuf)>,
    how_to_use: Option<&str>,
) -> Result<(), TurnError> {
    let (look, url) = (settings.terminal.look, server.url());
    match settings.format {
        Format::Json => {
            let mut document = json!({"url": url, "others": server.urls_for_others()});
            if let Some((url, file)) = &for_programs {
                document["mcp"] = json!({"url": url, "tokenFile": file});
            }
            print_line(look, &document)?;
        }
        Format::Plain => {
            print_data(look, &format!("{url}\n"))?;
            let how = how_to_use
                .map_or_else(|| how_others_use_it(server.urls_for_others()), str::to_owned);
            let mut err = Out::stderr(look);
            note(&mut err, Tone::Notice, "note", &how);
            if let Some((url, file)) = &for_programs {
                note(&mut err, Tone::Notice, "note", &how_programs_use_it(url, file));
            }
        }
    }
    Ok(())
}

fn how_others_use_it(urls: &[String]) -> String {
    let urls = match urls {
        [] => "an address of this machine, with the port".to_owned(),
        urls => urls.join(" or "),
    };
    format!(
        "the address above opens the page on this machine; others open {urls} and give the password; Ctrl-C ends it"
    )
}

fn how_programs_use_it(url: &str, token_file: &Path) -> String {
    let file = token_file.display();
    format!("programs speak MCP at {url}, with the bearer token in `{file}`")
}

fn serve_error(error: ServeError) -> TurnError {
    let (kind, hint) = match &error {
        ServeError::Listen { .. } => (
            TurnErrorKind::Failed,
            Some("another `narratoria serve` may have the port; `--port 0` takes one that is free"),
        ),
        ServeError::NoPassword(_) => {
            (TurnErrorKind::BadInput, Some("`narratoria serve --set-password` sets one"))
        }
        ServeError::TooManyNames => (TurnErrorKind::BadInput, None),
        ServeError::WeakToken => (TurnErrorKind::Failed, None),
    };
    let error = TurnError::new(kind, error);
    hint.into_iter().fold(error, TurnError::hint)
}
