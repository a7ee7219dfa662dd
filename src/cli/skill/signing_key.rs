//! `narratoria skill key …`, and the secret key of `skill pack --sign`.

use std::path::Path;

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::{
    NewKeyPair, SECRET_KEY_BYTES_MAX, SigningError, SigningKey, needs_password, new_key_pair,
};
use narratoria_skills::create_private;
use serde_json::json;

use crate::{
    args::{CommonArgs, Format, SkillKeyCommand, SkillKeyNewArgs},
    environment,
    error::CliError,
    exit::Exit,
    files,
    hidden_line::{ask_hidden, ask_hidden_twice},
    interrupt::Interrupts,
    print_document, print_text,
    settings::CliSettings,
};
use narratoria_ui::{Out, Tone, note, visible};

/// The variable with the password of a secret key.
const PASSWORD_VARIABLE: &str = "NARRATORIA_KEY_PASSWORD";

/// Longest password: the most that minisign takes.
const PASSWORD_BYTES_MAX: usize = 1024;

/// Words for files in messages.
const SECRET_KEY: &str = "secret key";
const PUBLIC_KEY: &str = "public key";
const PASSWORD: &str = "password of the key";

pub(super) fn key(verb: SkillKeyCommand) -> Result<Exit, TurnError> {
    match verb {
        SkillKeyCommand::New(args) => new(&args),
    }
}

/// Makes a pair of keys. A file that is there may be the only copy of another key, so none is replaced.
fn new(args: &SkillKeyNewArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(CommonArgs { skills: Vec::new(), format: args.format })?;
    let mut err = Out::stderr(settings.terminal.look);
    let (secret_file, public_file) = (&args.file, args.file.with_extension("pub"));
    for file in [secret_file, &public_file] {
        if file.symlink_metadata().is_ok() {
            let what = format!("`{}` is there already", file.display());
            return Err(TurnError::new(TurnErrorKind::Refused, what)
                .hint("name another file; no command replaces a key"));
        }
    }
    let password = match args.no_password {
        true => None,
        false => match password(args.password_file.as_deref(), true, &settings, &mut err)? {
            Some(password) => Some(password),
            None => return Ok(Exit::Interrupted),
        },
    };
    let failed = |error| TurnError::new(TurnErrorKind::Internal, error);
    let NewKeyPair { secret, public, key } = new_key_pair(password).map_err(failed)?;
    let unwritable =
        |why| CliError::Unwritable { what: SECRET_KEY, path: secret_file.clone(), why };
    create_private(secret_file, &secret).map_err(unwritable)?;
    files::write(&public_file, PUBLIC_KEY, &public)?;
    let shown = [secret_file, &public_file].map(|file| file.display().to_string());
    match args.format {
        Format::Json => {
            let [secret, public] = shown;
            let document = json!({"key": key.as_str(), "id": key.id(), "secretFile": secret, "publicFile": public});
            print_document(settings.terminal.look, &document)?;
        }
        Format::Plain => {
            print_text(settings.terminal.look, &format!("{}\n", key.as_str()))?;
            let what = format!(
                "`{}` has the secret key, which is yours alone, and `{}` the public one, which you publish",
                visible(&shown[0]),
                visible(&shown[1])
            );
            note(&mut err, Tone::Notice, "note", &what);
        }
    }
    Ok(Exit::Done)
}

/// Opens a secret key. Returns `None` if the person who is asked for its password leaves.
pub(super) fn open(
    file: &Path,
    password_file: Option<&Path>,
    settings: &CliSettings,
    err: &mut Out,
) -> Result<Option<SigningKey>, TurnError> {
    let failed = |error: SigningError| {
        let what = format!("the secret key `{}` cannot be used: {error}", file.display());
        let failed = TurnError::new(TurnErrorKind::BadInput, what);
        match error {
            SigningError::NotAKey => {
                failed.hint("`narratoria skill key new FILE` makes one, and so does minisign")
            }
            _ => failed,
        }
    };
    let bytes = files::read(file, SECRET_KEY, SECRET_KEY_BYTES_MAX)?;
    let text = String::from_utf8(bytes).map_err(|_| failed(SigningError::NotAKey))?;
    let password = match needs_password(&text).map_err(failed)? {
        false => None,
        true => match password(password_file, false, settings, err)? {
            Some(password) => Some(password),
            None => return Ok(None),
        },
    };
    SigningKey::open(&text, password).map(Some).map_err(failed)
}

/// The password of a key: from a file, else from the environment, else from a terminal. Returns `None` if the person leaves.
fn password(
    file: Option<&Path>,
    is_new: bool,
    settings: &CliSettings,
    err: &mut Out,
) -> Result<Option<String>, TurnError> {
    if let Some(file) = file {
        let bytes = files::read(file, PASSWORD, PASSWORD_BYTES_MAX + "\r\n".len())?;
        let text = String::from_utf8(bytes).map_err(|_| {
            TurnError::new(TurnErrorKind::BadInput, "the password of the key is not in UTF-8")
        })?;
        return Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()));
    }
    if let Some(password) = environment::variable(PASSWORD_VARIABLE) {
        return Ok(Some(password));
    }
    if !settings.terminal.is_interactive {
        let what = "nobody can be asked for the password of the key";
        return Err(TurnError::new(TurnErrorKind::BadInput, what)
            .hint("`--password-file FILE` or NARRATORIA_KEY_PASSWORD gives it"));
    }
    let interrupts = Interrupts::listen(settings.terminal.look);
    let prompt = "password of the key: ";
    match is_new {
        true => ask_hidden_twice(prompt, &interrupts, err),
        false => Ok(ask_hidden(prompt, &interrupts, err)?),
    }
}
