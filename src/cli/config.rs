//! `config.toml` in the home folder: what holds unless the command line says otherwise.
//!
//! ```toml
//! [model]
//! use = "qwen3-1.7b"   # a short name, owner/repo/file.gguf, or a path
//! download = false     # never fetch a model unasked
//!
//! [limits]             # what one attempt of any script has at most, whatever its package asks for
//! timeout-ms = 10000
//! memory-mib = 256
//!
//! [grants]             # what no package gets, or of what it gets no more than this
//! data = false
//! http = ["api.example.com"]
//! ```
//!
//! No file is fine. A key that is not known is an error: it is a slip of the pen, and its line must not be
//! without effect for ever.

mod host_policy;

use std::path::Path;
#[cfg(feature = "llama")]
use std::path::PathBuf;

use narratoria_engine::{TurnError, TurnErrorKind};
#[cfg(feature = "llama")]
use narratoria_model::files::{ModelName, NameError};
use narratoria_protocol::nearest::nearest;
use narratoria_skills::{HostError, HostPolicy};
use toml_edit::{Document, Item, TableLike};

use super::{
    error::CliError,
    files,
    settings::{CliSettings, Home},
};

/// Longest file. What can be said in it takes a hundred bytes, and comments are welcome.
const CONFIG_BYTES_MAX: usize = 64 << 10;

/// What the player wants always.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "llama"), derive(Default))]
pub(super) struct UserConfig {
    /// `[model] use`; the default model without it. A path is absolute.
    #[cfg(feature = "llama")]
    pub(super) model: Option<ModelName>,
    /// `[model] download`: whether a model may be fetched unasked. True unless it is said.
    #[cfg(feature = "llama")]
    pub(super) download: bool,
    /// `[limits]` and `[grants]`: what packages have at most.
    pub(super) host_policy: HostPolicy,
}

/// What is wrong with the file.
#[derive(Debug, thiserror::Error)]
enum UserConfigError {
    #[error("it is not UTF-8")]
    NotText,
    #[error("line {line}: it is not TOML: {why}")]
    NotToml { line: usize, why: String },
    #[error("line {line}: there is no key `{key}`")]
    UnknownKey { line: usize, key: String, hint: String },
    #[error("line {line}: `{key}` must be {expected}, it is {found}")]
    WrongKind { line: usize, key: String, expected: &'static str, found: &'static str },
    #[cfg(feature = "llama")]
    #[error("line {line}: `model.use`: {why}")]
    BadModel { line: usize, why: NameError },
    #[error("line {line}: `grants.http`: {why}")]
    BadHost { line: usize, why: HostError },
}

#[cfg(feature = "llama")]
impl Default for UserConfig {
    fn default() -> UserConfig {
        UserConfig { model: None, download: true, host_policy: HostPolicy::default() }
    }
}

impl UserConfig {
    /// Reads the file of this home, if there is one.
    pub(super) fn load(home: &Home) -> Result<UserConfig, TurnError> {
        let path = home.config();
        let bytes = match files::read(&path, "configuration", CONFIG_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(CliError::NoFile { .. }) => return Ok(UserConfig::default()),
            Err(error) => return Err(error.into()),
        };
        let text = String::from_utf8(bytes).map_err(|_| UserConfigError::NotText);
        text.and_then(|text| UserConfig::parse(&text, &path)).map_err(|error| {
            let hint = error.hint();
            let failed = TurnError::new(
                TurnErrorKind::BadInput,
                format!("the configuration `{}`, {error}", path.display()),
            );
            hint.into_iter().fold(failed, TurnError::hint)
        })
    }

    /// Relative paths begin where the file is.
    fn parse(text: &str, path: &Path) -> Result<UserConfig, UserConfigError> {
        let document = Document::parse(text).map_err(|error| UserConfigError::NotToml {
            line: line(text, error.span().map_or(0, |span| span.start)),
            why: error.message().to_owned(),
        })?;
        let mut config = UserConfig::default();
        config.host_policy.file = path.display().to_string();
        for (key, item) in entries(text, document.as_table(), "", &["model", "limits", "grants"])? {
            let at = line_of(text, document.as_table(), key);
            let Some(table) = item.as_table_like() else {
                return Err(wrong_kind(at, key, "a table", item));
            };
            match key {
                "limits" => host_policy::limits(text, table, &mut config.host_policy)?,
                "grants" => host_policy::grants(text, table, &mut config.host_policy)?,
                _ => config.model(text, table, path)?,
            }
        }
        Ok(config)
    }

    #[cfg(feature = "llama")]
    fn model(
        &mut self,
        text: &str,
        model: &dyn TableLike,
        path: &Path,
    ) -> Result<(), UserConfigError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        for (key, item) in entries(text, model, "model.", &["use", "download"])? {
            let at = line_of(text, model, key);
            let named = format!("model.{key}");
            match key {
                "use" => {
                    let name = item.as_str();
                    let name = name.ok_or_else(|| wrong_kind(at, &named, "a text", item))?;
                    self.model = Some(model_name(at, name, folder)?);
                }
                _ => {
                    let download = item.as_bool();
                    self.download = download
                        .ok_or_else(|| wrong_kind(at, &named, "`true` or `false`", item))?;
                }
            }
        }
        Ok(())
    }

    /// This program was built without models; another one may share its home.
    #[cfg(not(feature = "llama"))]
    fn model(&mut self, _: &str, _: &dyn TableLike, _: &Path) -> Result<(), UserConfigError> {
        Ok(())
    }
}

/// What packages have at most, as the user's configuration says.
pub(super) fn host_policy(settings: &CliSettings) -> Result<HostPolicy, TurnError> {
    match settings.home() {
        Ok(home) => Ok(UserConfig::load(home)?.host_policy),
        // Without a home there is no configuration either.
        Err(_) => Ok(HostPolicy::default()),
    }
}

/// The entries of a table that may have only these.
fn entries<'t>(
    text: &str,
    table: &'t dyn TableLike,
    before: &str,
    known: &[&str],
) -> Result<Vec<(&'t str, &'t Item)>, UserConfigError> {
    let entries: Vec<(&str, &Item)> = table.iter().collect();
    let Some((key, _)) = entries.iter().find(|(key, _)| !known.contains(key)) else {
        return Ok(entries);
    };
    let hint = match nearest(key, known) {
        Some(near) => format!("did you mean `{before}{near}`?"),
        None => format!("there are: `{before}{}`", known.join(&format!("`, `{before}"))),
    };
    let line = line_of(text, table, key);
    Err(UserConfigError::UnknownKey { line, key: format!("{before}{key}"), hint })
}

#[cfg(feature = "llama")]
fn model_name(line: usize, text: &str, folder: &Path) -> Result<ModelName, UserConfigError> {
    match ModelName::parse(text).map_err(|why| UserConfigError::BadModel { line, why })? {
        ModelName::Path(path) => Ok(ModelName::Path(absolute(folder, path))),
        name @ ModelName::Hub(_) => Ok(name),
    }
}

/// Relative paths begin where the file is, not where the program was started.
#[cfg(feature = "llama")]
fn absolute(folder: &Path, path: PathBuf) -> PathBuf {
    let path = folder.join(path);
    std::path::absolute(&path).unwrap_or(path)
}

fn wrong_kind(line: usize, key: &str, expected: &'static str, item: &Item) -> UserConfigError {
    let found = match item.type_name() {
        "string" => "a text",
        "integer" | "float" => "a number",
        "boolean" => "`true` or `false`",
        "datetime" => "a date",
        "array" | "array of tables" => "an array",
        _ => "a table",
    };
    UserConfigError::WrongKind { line, key: key.to_owned(), expected, found }
}

/// The line of a key of this table.
fn line_of(text: &str, table: &dyn TableLike, key: &str) -> usize {
    let span = table.get_key_value(key).and_then(|(key, item)| key.span().or_else(|| item.span()));
    line(text, span.map_or(0, |span| span.start))
}

fn line(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}

impl UserConfigError {
    fn hint(&self) -> Option<String> {
        match self {
            UserConfigError::UnknownKey { hint, .. } => Some(hint.clone()),
            #[cfg(feature = "llama")]
            UserConfigError::BadModel { why, .. } => why.hint(),
            _ => None,
        }
    }
}

#[cfg(all(test, feature = "llama"))]
mod tests {
    use std::path::Path;

    use super::UserConfig;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let told = match UserConfig::parse(text, Path::new("/kept/config.toml")) {
            Ok(UserConfig { model, download, .. }) => {
                let model = model.map_or_else(|| "-".to_owned(), |model| model.to_string());
                format!("{model} {download}")
            }
            Err(error) => {
                let hint = error.hint().map(|hint| format!("; hint: {hint}"));
                format!("{error}{}", hint.unwrap_or_default())
            }
        };
        assert_eq!(told, expect);
    }

    #[test]
    fn everything_may_be_left_out() {
        check("", "- true");
        check("# nothing\n[model]\n", "- true");
        check("[model]\ndownload = false", "- false");
        check("model.use = \"a/b/c.gguf\"", "a/b/c.gguf true");
        check("model = { use = \"./c.gguf\" }", "/kept/c.gguf true");
    }

    #[test]
    fn a_path_begins_where_the_file_is() {
        check("[model]\nuse = \"./c.gguf\"", "/kept/c.gguf true");
        check("[model]\nuse = \"/m/c.gguf\"", "/m/c.gguf true");
    }

    #[test]
    fn a_slip_is_told_with_its_line() {
        check(
            "\n[model]\n\ndowload = true",
            "line 4: there is no key `model.dowload`; hint: did you mean `model.download`?",
        );
        check(
            "[voice]",
            "line 1: there is no key `voice`; hint: there are: `model`, `limits`, `grants`",
        );
        check(
            "[model]\nthreads = 4",
            "line 2: there is no key `model.threads`; hint: there are: `model.use`, `model.download`",
        );
        check("[model]\nuse = 7", "line 2: `model.use` must be a text, it is a number");
        check(
            "[model]\ndownload = \"no\"",
            "line 2: `model.download` must be `true` or `false`, it is a text",
        );
        check("model = 3", "line 1: `model` must be a table, it is a number");
        check(
            "[model]\nuse = \"phi\"",
            "line 2: `model.use`: `phi` is neither `owner/repo/file.gguf`, nor a path, nor a short name; \
             hint: did you mean `phi-3.5-mini`?",
        );
    }

    #[test]
    fn what_is_no_toml_is_told_with_its_line() {
        check(
            "[model]\nuse = \n",
            "line 2: it is not TOML: string values must be quoted, expected literal string",
        );
        check("[model]\nuse = \"a\"\nuse = \"b\"", "line 3: it is not TOML: duplicate key");
    }
}
