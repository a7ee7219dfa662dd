//! `narratoria skill remove-script`: takes a script out of a package.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::{RemoveScriptError, script_removal};
use narratoria_protocol::nearest::nearest;

use crate::{
    args::{CommonArgs, Format, SkillRemoveScriptArgs},
    confirm::{Agreement, confirm},
    exit::Exit,
    print_text,
    settings::CliSettings,
};
use narratoria_ui::{Out, Tone, note, visible};

pub(super) fn remove_script(args: SkillRemoveScriptArgs) -> Result<Exit, TurnError> {
    let SkillRemoveScriptArgs { name, package, yes } = args;
    let settings = CliSettings::check(CommonArgs { skills: Vec::new(), format: Format::Plain })?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let removal = script_removal(&package, &name).map_err(removal_error)?;
    let files = removal.files.clone();
    if !files.is_empty() {
        let listed = files.join(", ");
        note(&mut err, Tone::Notice, "note", &format!("these files go: {listed}"));
        match confirm(&format!("Remove the script {name}?"), yes, &settings, &mut err)? {
            Agreement::Agreed => {}
            Agreement::Declined => {
                let what = format!("the script `{name}` stays");
                return Err(TurnError::new(TurnErrorKind::Refused, what));
            }
            Agreement::NobodyToAsk => {
                let what =
                    format!("the script `{name}` stays: nobody has agreed that its files go");
                return Err(TurnError::new(TurnErrorKind::BadInput, what)
                    .hint("`skill remove-script --yes` agrees; a terminal asks"));
            }
        }
    }
    removal.run().map_err(removal_error)?;
    let lines: String = files.iter().map(|path| format!("{}\n", visible(path))).collect();
    print_text(look, &lines)?;
    let what = format!("`SKILL.md` may still speak of `{name}`");
    note(&mut err, Tone::Notice, "note", &what);
    Ok(Exit::Done)
}

fn removal_error(error: RemoveScriptError) -> TurnError {
    let (kind, hint) = match &error {
        RemoveScriptError::NoPackage { .. } => (
            TurnErrorKind::NotFound,
            Some("`--package DIR` of `skill remove-script` names one".to_owned()),
        ),
        RemoveScriptError::NoScript { name, others } => {
            let near = nearest(name, others).map(|near| format!("did you mean `{near}`?"));
            (TurnErrorKind::NotFound, near)
        }
        RemoveScriptError::OnlyScript { .. } | RemoveScriptError::Unusable { .. } => {
            (TurnErrorKind::BadInput, None)
        }
        RemoveScriptError::Io { .. } => (TurnErrorKind::Failed, None),
    };
    hint.into_iter().fold(TurnError::new(kind, error), TurnError::hint)
}
