//! `narratoria world read`: runs the script `world/read` on the world of a campaign or of a story, and shows what it reports.

use narratoria_engine::{ScriptCall, StandaloneRunner, TurnError, TurnErrorKind};
use narratoria_protocol::{InvocationEnding, OPERATION_RUN, Object};
use narratoria_story::campaign_folder;
use serde_json::{Value, json};

use super::reading_text::render_reading;
use crate::{
    args::{Format, InteractionArgs, WorldReadArgs},
    campaign::source,
    exit::Exit,
    files,
    interrupt::Interrupts,
    path_text::STDIN,
    print_document, print_text,
    settings::CliSettings,
    setup::{self, GrantedFolders},
    story::last_played,
    system_clock,
};
use narratoria_ui::{Out, visible};

/// Most sentences of one command.
const READ_SENTENCES_MAX: usize = 1_000;

/// Most bytes of sentences from stdin.
const READ_STDIN_BYTES_MAX: usize = 1 << 20;

/// The script that shows how a sentence is read.
const READER: &str = "world/read";

/// The world that reads.
struct ReadingWorld {
    /// The campaign or the story, for the document.
    of: Value,
    state: Object,
    folders: GrantedFolders,
}

pub(super) async fn read(args: WorldReadArgs) -> Result<Exit, TurnError> {
    let WorldReadArgs { sentences, campaign, story, at, common } = args;
    let settings = CliSettings::check(common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let world = match campaign {
        Some(campaign) => of_campaign(&settings, &campaign, &mut err)?,
        None => of_story(&settings, story.as_deref())?,
    };
    let skill_set = setup::load_script(&settings, READER, world.folders, &mut err)?;
    let options = setup::options(&settings, InteractionArgs::default())?;
    let bare = skill_set.without_story(options).repeatable(Some(0));
    let sentences = all_sentences(sentences)?;
    let interrupts = Interrupts::listen(look);
    let running = interrupts.begin_turn(None);
    let work = async {
        let mut readings = Vec::new();
        for sentence in sentences {
            readings.push(reading(bare.stage(), &world.state, &sentence, at.as_deref()).await?);
        }
        Ok::<_, TurnError>(readings)
    };
    let readings = tokio::select! {
        biased;
        () = running.grace_over() => return Ok(Exit::Interrupted),
        readings = work => readings?,
    };
    match settings.format {
        Format::Json => {
            print_document(look, &json!({"v": 1, "of": world.of, "readings": readings}))?;
        }
        Format::Plain => {
            let texts: Vec<String> = readings.iter().map(render_reading).collect();
            print_text(look, &visible(&texts.join("\n")))?;
        }
    }
    Ok(Exit::Done)
}

/// The world of a campaign, as the first turn finds it.
fn of_campaign(
    settings: &CliSettings,
    campaign: &str,
    err: &mut Out,
) -> Result<ReadingWorld, TurnError> {
    let found = source::find(settings, campaign)?;
    let compiled = source::compile(&found, err)?.compiled;
    let folder =
        campaign_folder(&settings.home()?.campaign_cache(), &compiled, system_clock::now())?;
    let state = json!({"world": {"campaign": true}});
    Ok(ReadingWorld {
        of: json!({"campaign": compiled.name()}),
        state: state.as_object().cloned().unwrap_or_default(),
        folders: GrantedFolders { story: None, campaign: Some(folder) },
    })
}

/// The world of a story, as the next turn finds it.
fn of_story(settings: &CliSettings, name: Option<&str>) -> Result<ReadingWorld, TurnError> {
    let name = match name {
        Some(name) => setup::story_name(name)?,
        None => last_played(settings)?,
    };
    let story = setup::existing_story(settings, name.as_str())?;
    let campaign = GrantedFolders::campaign_of(settings, &story)?;
    Ok(ReadingWorld {
        of: json!({"story": name.as_str()}),
        state: story.state().as_object().clone(),
        folders: GrantedFolders { story: None, campaign },
    })
}

/// The sentences of the command, with those of stdin in the place of `-`.
fn all_sentences(given: Vec<String>) -> Result<Vec<String>, TurnError> {
    let mut all = Vec::new();
    for sentence in given {
        if sentence == STDIN {
            let bytes = files::read(files::stdin(), "sentences", READ_STDIN_BYTES_MAX)?;
            let text = String::from_utf8_lossy(&bytes);
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            all.extend(lines.map(str::to_owned));
        } else {
            all.push(sentence);
        }
    }
    if all.len() > READ_SENTENCES_MAX {
        let what = format!("{} sentences, the limit is {READ_SENTENCES_MAX}", all.len());
        return Err(TurnError::new(TurnErrorKind::BadInput, what));
    }
    Ok(all)
}

/// How a sentence is read, as the script reports it.
async fn reading(
    stage: StandaloneRunner<'_>,
    state: &Object,
    sentence: &str,
    at: Option<&str>,
) -> Result<Value, TurnError> {
    let mut input = json!({"sentence": sentence});
    if let Some(at) = at {
        input["at"] = json!(at);
    }
    let call = ScriptCall {
        tool_path: READER,
        operation: OPERATION_RUN,
        input: input.as_object().cloned().unwrap_or_default(),
        state: state.clone(),
        inputs: Object::new(),
        seed: 0,
        answers: Vec::new(),
        stores: Default::default(),
    };
    let ran = stage.run_script(call, Box::new(|_| {})).await?;
    match ran.ending {
        InvocationEnding::Done { output, .. } => Ok(Value::Object(output)),
        InvocationEnding::Failed { summary, .. } => {
            let what = summary.unwrap_or_else(|| format!("`{READER}` failed"));
            Err(TurnError::new(TurnErrorKind::Failed, what))
        }
        InvocationEnding::Aborted(error) => Err(TurnError::new(TurnErrorKind::Failed, error)),
    }
}
