//! `narratoria serve`: the page, in a browser on this machine, or on others with a password.

mod documents;
mod host;
mod password;
mod play;

use std::{net::IpAddr, sync::Arc};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_serve::{ServeError, ServeOptions, ServeTimes, ServedName, Server};
use narratoria_ui::{Out, Tone, note};
use serde_json::json;
use tokio::runtime::Handle;

pub(super) use host::{PageHost, host_error};

use super::{
    args::{CommonArgs, Format, ListenAddress, PlannerArgs, ServeArgs},
    browser,
    clock_and_ids::draw_token,
    exit::Exit,
    interrupt::Interrupts,
    print_data, print_line,
    settings::CliSettings,
};

/// Any port that is free.
const PORT_ANY: u16 = 0;

const HOW_TO_USE: &str =
    "the address above opens the page; it works on this machine alone, and Ctrl-C ends it";

/// Where the page is reached.
#[derive(Default)]
struct PageAddress {
    /// 0 is any port that is free.
    port: u16,
    listen: Option<IpAddr>,
    names: Vec<ServedName>,
}

pub(super) async fn serve(args: ServeArgs) -> Result<Exit, TurnError> {
    let ServeArgs { port, listen, host, set_password, no_open, planner, skills, format } = args;
    let settings = CliSettings::check(CommonArgs { skills, format })?;
    if set_password {
        return password::set(&settings);
    }
    let settings = settings.offline(planner.is_offline());
    let opens = !no_open && settings.terminal.is_interactive;
    let port = listen.and_then(|address: ListenAddress| address.port).unwrap_or(port);
    let address = PageAddress { port, listen: listen.map(|address| address.ip), names: host };
    answer(settings, planner, address, opens).await
}

/// Shows the page to a player who has chosen it from the menu.
pub(super) async fn show_page(
    settings: CliSettings,
    planner: PlannerArgs,
) -> Result<Exit, TurnError> {
    let address = PageAddress { port: PORT_ANY, ..PageAddress::default() };
    answer(settings, planner, address, true).await
}

/// Answers browsers until the player ends it.
async fn answer(
    settings: CliSettings,
    planner: PlannerArgs,
    address: PageAddress,
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
        times: ServeTimes::default(),
    };
    let is_for_others = options.reachable().is_some();
    if is_for_others {
        options.password = password::load(&settings)?;
    }
    options.check().map_err(serve_error)?;
    let host = PageHost::open(settings.clone(), planner, Handle::current())?;
    let server = Server::bind(options, Arc::new(host)).await.map_err(serve_error)?;
    let url = server.url();
    match settings.format {
        Format::Json => {
            print_line(look, &json!({"url": url, "others": server.urls_for_others()}))?;
        }
        Format::Plain => {
            print_data(look, &format!("{url}\n"))?;
            let how = match is_for_others {
                true => how_others_use_it(server.urls_for_others()),
                false => HOW_TO_USE.to_owned(),
            };
            note(&mut Out::stderr(look), Tone::Notice, "note", &how);
        }
    }
    if opens_browser {
        browser::open(&url);
    }
    server.run(interrupts.exit_token().clone()).await.map_err(serve_error)?;
    Ok(Exit::Done)
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
