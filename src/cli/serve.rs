//! `narratoria serve`: the page, in a browser on this machine.

mod documents;
mod host;
mod play;

use std::sync::Arc;

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_serve::{ServeError, ServeOptions, ServeTimes, Server};
use narratoria_ui::{Out, Tone, note};
use serde_json::json;
use tokio::runtime::Handle;

use host::PageHost;

use super::{
    args::{CommonArgs, Format, PlannerArgs, ServeArgs},
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

pub(super) async fn serve(args: ServeArgs) -> Result<Exit, TurnError> {
    let ServeArgs { port, no_open, planner, skills, format } = args;
    let settings = CliSettings::check(CommonArgs { skills, format })?;
    let settings = settings.offline(planner.is_offline());
    let opens = !no_open && settings.terminal.is_interactive;
    answer(settings, planner, port, opens).await
}

/// Shows the page to a player who has chosen it from the menu.
pub(super) async fn show_page(
    settings: CliSettings,
    planner: PlannerArgs,
) -> Result<Exit, TurnError> {
    answer(settings, planner, PORT_ANY, true).await
}

/// Answers a browser until the player ends it.
async fn answer(
    settings: CliSettings,
    planner: PlannerArgs,
    port: u16,
    opens_browser: bool,
) -> Result<Exit, TurnError> {
    let look = settings.terminal.look;
    let interrupts = Interrupts::listen(look);
    let host = PageHost::open(settings.clone(), planner, Handle::current())?;
    let options = ServeOptions {
        token: draw_token(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        port,
        listen: None,
        times: ServeTimes::default(),
    };
    let server = Server::bind(options, Arc::new(host)).await.map_err(serve_error)?;
    let url = server.url();
    match settings.format {
        Format::Json => print_line(look, &json!({"url": url}))?,
        Format::Plain => {
            print_data(look, &format!("{url}\n"))?;
            note(&mut Out::stderr(look), Tone::Notice, "note", HOW_TO_USE);
        }
    }
    if opens_browser {
        browser::open(&url);
    }
    server.run(interrupts.exit_token().clone()).await.map_err(serve_error)?;
    Ok(Exit::Done)
}

fn serve_error(error: ServeError) -> TurnError {
    let is_taken = matches!(error, ServeError::Listen { .. });
    let error = TurnError::new(TurnErrorKind::Failed, error);
    match is_taken {
        true => error.hint(
            "another `narratoria serve` may have the port; `--port 0` takes one that is free",
        ),
        false => error,
    }
}
