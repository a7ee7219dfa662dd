//! Arguments and environment become checked settings.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use narratoria_engine::{ScriptFleet, StderrSink, TurnError};
#[cfg(feature = "llama")]
use narratoria_model::files::{Hub, HubTimeouts};
use narratoria_skills::SettingsFolder;

use super::{
    args::{CommonArgs, Format, InteractionArgs},
    environment::raw_variable,
    error::CliError,
    hosted_player::HostedPlayer,
    package_loop::StderrLines,
    plan_settings::PlanSettings,
};
use narratoria_ui::{Emphasis, Look, TerminalSize, TerminalStreams, streams, terminal_size};

/// The player's home folder.
pub(super) const HOME_VARIABLE: &str = "NARRATORIA_HOME";

/// The player plays offline.
pub(super) const OFFLINE_VARIABLE: &str = "NARRATORIA_OFFLINE";

/// Settings of every verb.
#[derive(Debug, Clone)]
pub(super) struct CliSettings {
    /// `None` only if there is no home folder at all.
    home: Option<Home>,
    /// Folders with packages, checked to exist, the strongest first.
    pub(super) skills: Vec<PathBuf>,
    pub(super) format: Format,
    pub(super) terminal: TerminalInfo,
    /// Settings of a turn that were given as flags.
    pub(super) plan_flags: PlanSettings,
    /// True if the player plays offline: nothing is fetched, and scripts reach this machine alone.
    pub(super) is_offline: bool,
    /// The package that its author works on.
    authored: Option<AuthoredPackage>,
    /// The player whose stories are in a database.
    pub(super) hosted: Option<HostedPlayer>,
    /// Machines that run heavy scripts.
    pub(super) script_fleet: Option<Arc<dyn ScriptFleet>>,
}

/// A package that its author works on, whose copies are played.
#[derive(Debug, Clone)]
pub(super) struct AuthoredPackage {
    pub(super) folder: PathBuf,
    pub(super) copies: Vec<PathBuf>,
    /// Takes what its scripts write to stderr.
    pub(super) stderr: StderrLines,
}

/// The folder of stories, skills, models and caches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Home {
    folder: PathBuf,
    /// The folder of a hosted player's stories.
    stories: Option<PathBuf>,
}

/// The kinds of files behind stdin, stdout and stderr.
#[derive(Debug, Clone, Copy)]
pub(super) struct TerminalInfo {
    /// True if a person types on stdin.
    pub(super) is_interactive: bool,
    /// True if a person types on a terminal that can draw a line editor.
    pub(super) editable: bool,
    pub(super) look: Look,
}

impl CliSettings {
    /// Returns true if a person types and reads text.
    pub(super) fn plays_on_terminal(&self) -> bool {
        self.terminal.is_interactive && self.format == Format::Plain
    }

    pub(super) fn check(common: CommonArgs) -> Result<CliSettings, TurnError> {
        for path in &common.skills {
            if !path.exists() {
                return Err(CliError::NoSkillsFolder { path: path.clone() }.into());
            }
            if !path.is_dir() {
                return Err(CliError::NotAFolder { path: path.clone() }.into());
            }
        }
        Ok(CliSettings {
            home: Home::find(raw_variable),
            skills: common.skills,
            format: common.format,
            terminal: TerminalInfo::detect(),
            plan_flags: PlanSettings::default(),
            is_offline: is_offline(false),
            authored: None,
            hosted: None,
            script_fleet: None,
        })
    }

    /// Returns the settings of verbs without packages whose output is text.
    pub(super) fn bare() -> Result<CliSettings, TurnError> {
        CliSettings::check(CommonArgs { skills: Vec::new(), format: Format::Plain })
    }

    pub(super) fn with_flags(self, people: InteractionArgs) -> CliSettings {
        let look = Look { logs: people.logs, ..self.terminal.look };
        let terminal = TerminalInfo { look, ..self.terminal };
        CliSettings { plan_flags: people.settings, terminal, ..self }
    }

    /// The settings of the stories that a page plays: nobody types at their terminal.
    pub(super) fn for_page(self) -> CliSettings {
        let (is_interactive, editable, look) = (false, false, Look::default());
        let terminal = TerminalInfo { is_interactive, editable, look };
        CliSettings { format: Format::Json, terminal, ..self }
    }

    /// The settings of a player whose stories are in a database; their copies lie in a folder of the player's own.
    pub(super) fn for_hosted(self, hosted: HostedPlayer) -> Result<CliSettings, CliError> {
        let home = self.home()?;
        let stories = Some(home.hosted().join(hosted.player.folder_name()).join("stories"));
        let home = Some(Home { stories, ..home.clone() });
        Ok(CliSettings { home, hosted: Some(hosted), ..self })
    }

    pub(super) fn with_fleet(self, script_fleet: Option<Arc<dyn ScriptFleet>>) -> CliSettings {
        CliSettings { script_fleet, ..self }
    }

    /// Plays offline if the flag asks for it too.
    pub(super) fn offline(self, flag: bool) -> CliSettings {
        CliSettings { is_offline: self.is_offline || flag, ..self }
    }

    /// Adds the package that its author works on: its copies have its settings, and may run scripts from their source.
    pub(super) fn with_authored(self, package: AuthoredPackage) -> CliSettings {
        CliSettings { authored: Some(package), ..self }
    }

    /// True if scripts may run from their source.
    pub(super) fn runs_sources(&self) -> bool {
        self.authored.is_some()
    }

    /// Takes what the scripts of the package write to stderr that its author works on.
    pub(super) fn stderr_sink(&self) -> Option<StderrSink> {
        let package = self.authored.as_ref()?;
        let (name, lines) = (package.folder.file_name()?.to_owned(), package.stderr.clone());
        Some(StderrSink::new(move |tool_path, text| {
            if tool_path.split('/').next().is_some_and(|skill| name == *skill) {
                lines.push(tool_path, text);
            }
        }))
    }

    /// Returns the player's settings of skills; without a home there are none.
    pub(super) fn skill_settings(&self) -> SettingsFolder {
        let settings = match &self.home {
            Some(home) => SettingsFolder::new(home.skill_settings(), home.installed_skills()),
            None => SettingsFolder::none(),
        };
        self.authored.iter().fold(settings, |settings, package| {
            let copies = package.copies.iter();
            copies.fold(settings, |settings, copy| settings.with_copy(copy, &package.folder))
        })
    }

    /// Returns the home folder, for verbs that need one.
    pub(super) fn home(&self) -> Result<&Home, CliError> {
        let home = self.home.as_ref().ok_or(CliError::NoHome)?;
        match home.folder.is_file() {
            true => Err(CliError::HomeIsFile { path: home.folder.clone() }),
            false => Ok(home),
        }
    }
}

impl Home {
    fn new(folder: PathBuf) -> Home {
        Home { folder, stories: None }
    }

    /// Finds `NARRATORIA_HOME`, otherwise `$XDG_DATA_HOME/narratoria`, otherwise `~/.local/share/narratoria`. An empty
    /// variable counts as not set; a relative XDG path is ignored, as its specification says.
    fn find(var: impl Fn(&str) -> Option<OsString>) -> Option<Home> {
        let path = |name: &str| var(name).filter(|text| !text.is_empty()).map(PathBuf::from);
        if let Some(home) = path(HOME_VARIABLE) {
            return std::path::absolute(home).ok().map(Home::new);
        }
        let data = path("XDG_DATA_HOME").filter(|path| path.is_absolute());
        let data = data.or_else(|| Some(path("HOME")?.join(".local/share")));
        data.map(|data| Home::new(data.join("narratoria")))
    }

    /// The folder itself, which need not exist.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Compiled code, models that the program carries, and all else that is made again; may be deleted at any time that
    /// nothing is played.
    pub(super) fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    /// Holds a folder for each story.
    pub(super) fn stories(&self) -> PathBuf {
        self.stories.clone().unwrap_or_else(|| self.folder.join("stories"))
    }

    /// Copies of hosted stories, a folder for each player; may be deleted at any time that no server runs.
    pub(super) fn hosted(&self) -> PathBuf {
        self.folder.join("hosted")
    }

    /// Compiled components; may be deleted at any time.
    pub(super) fn component_cache(&self) -> PathBuf {
        self.cache().join("components")
    }

    /// The player's campaigns, a folder each.
    pub(super) fn campaigns(&self) -> PathBuf {
        self.folder.join("campaigns")
    }

    /// Documents of the campaigns in play; may be deleted at any time that none is played.
    pub(super) fn campaign_cache(&self) -> PathBuf {
        self.cache().join("campaigns")
    }

    /// Packages that were installed from archives, a folder each.
    pub(super) fn installed_skills(&self) -> PathBuf {
        self.folder.join("skills")
    }

    /// The player's settings of skills, a file each.
    pub(super) fn skill_settings(&self) -> PathBuf {
        self.folder.join("settings")
    }

    /// Holds a file for each folder whose build scripts may run.
    pub(super) fn build_consents(&self) -> PathBuf {
        self.folder.join("consents").join("build")
    }

    /// The hash of the password for the page.
    pub(super) fn page_password(&self) -> PathBuf {
        self.folder.join("page").join("password")
    }

    /// The token of programs that speak MCP with the page's server.
    pub(super) fn mcp_token(&self) -> PathBuf {
        self.folder.join("page").join("mcp-token")
    }

    /// Plan templates, a file each.
    pub(super) fn templates(&self) -> PathBuf {
        self.folder.join("templates")
    }

    /// Records of plans that ran outside any story, a file each.
    pub(super) fn run_records(&self) -> PathBuf {
        self.folder.join("records")
    }

    /// Drafts in an external editor.
    pub(super) fn drafts(&self) -> PathBuf {
        self.folder.join("drafts")
    }

    /// Language models.
    #[cfg(feature = "llama")]
    pub(super) fn models(&self) -> PathBuf {
        self.folder.join("models")
    }

    /// Beginnings of prompts that the model has read; may be deleted at any time.
    #[cfg(feature = "llama")]
    pub(super) fn prefix_cache(&self) -> PathBuf {
        self.cache().join("prefixes")
    }

    /// The file of the model that the program carries; may be deleted at any time.
    #[cfg(feature = "llama")]
    pub(super) fn embedded_models(&self) -> PathBuf {
        self.cache().join("models")
    }

    /// Which model files were tried; may be deleted at any time.
    #[cfg(feature = "llama")]
    pub(super) fn model_trials(&self) -> PathBuf {
        self.cache().join("model-trials")
    }

    /// What was measured of models; may be deleted at any time.
    #[cfg(feature = "llama")]
    pub(super) fn model_records(&self) -> PathBuf {
        self.cache().join("model-records")
    }

    /// Vectors of texts; may be deleted at any time.
    #[cfg(feature = "llama")]
    pub(super) fn vector_cache(&self) -> PathBuf {
        self.cache().join("vectors")
    }

    /// The player's settings.
    pub(super) fn config(&self) -> PathBuf {
        self.folder.join("config.toml")
    }

    /// The log files.
    pub(super) fn logs(&self) -> PathBuf {
        self.folder.join("logs")
    }

    /// Typed lines.
    pub(super) fn history(&self) -> PathBuf {
        self.folder.join("history.txt")
    }
}

impl TerminalInfo {
    fn detect() -> TerminalInfo {
        let TerminalStreams { stdin: typed, stdout: shown, stderr } = streams();
        let term = raw_variable("TERM").map(|term| term.to_string_lossy().into_owned());
        let term = term.unwrap_or_default();
        let dumb = term.is_empty() || term == "dumb";
        let no_colour = raw_variable("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colour = !dumb && !no_colour;
        let size = (shown || stderr).then(terminal_size).flatten();
        let width = size.map(TerminalSize::text_columns);
        // Live lines share the screen with the story, so its width must be known too.
        let drawable = stderr && !dumb;
        TerminalInfo {
            is_interactive: typed,
            editable: typed && shown && !dumb,
            look: Look {
                width: width.filter(|_| shown),
                colour_out: colour && shown,
                colour_err: colour && stderr,
                interactive: typed && shown,
                ascii: !is_unicode(raw_variable),
                live: size.filter(|_| drawable),
                err_width: width.filter(|_| stderr),
                is_resizable: size.is_some(),
                emphasis: match (shown, colour) {
                    (false, _) => Emphasis::Marks,
                    (true, false) => Emphasis::Plain,
                    (true, true) if has_no_italics(&term) => Emphasis::Underline,
                    (true, true) => Emphasis::Italic,
                },
                logs: false,
            },
        }
    }
}

/// Returns the hub's address and the token. The client reads no other variable.
#[cfg(feature = "llama")]
pub(super) fn hub() -> Hub {
    let text = |name: &str| Some(raw_variable(name)?.to_string_lossy().into_owned());
    // An empty address is an error of the player's; an empty token means none.
    let token = text("HF_TOKEN").map(|token| token.trim().to_owned());
    let token = token.filter(|token| !token.is_empty());
    Hub { endpoint: text("HF_ENDPOINT"), token, timeouts: HubTimeouts::default() }
}

/// Returns true if the player plays offline: by the flag, or by the variable with any value but `0`.
pub(super) fn is_offline(flag: bool) -> bool {
    flag || raw_variable(OFFLINE_VARIABLE).is_some_and(|value| !value.is_empty() && value != "0")
}

/// Kinds of terminals, as `TERM` names them, that have no italics or show something else in their place.
const WITHOUT_ITALICS: [&str; 6] = ["linux", "screen", "vt", "ansi", "cygwin", "cons"];

fn has_no_italics(term: &str) -> bool {
    WITHOUT_ITALICS.iter().any(|kind| term.starts_with(kind))
}

/// Returns true if the locale can show more than ASCII, or if none is set.
fn is_unicode(var: impl Fn(&str) -> Option<OsString>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| {
        var(name)
            .filter(|value| !value.is_empty())
            .map(|value| value.to_string_lossy().to_lowercase())
    });
    locale.is_none_or(|locale| locale.contains("utf-8") || locale.contains("utf8"))
}

/// The folder for compiled crates that packages share; may be deleted at any time. `None` without a home.
pub(super) fn crate_cache() -> Option<PathBuf> {
    Home::find(raw_variable).map(|home| home.cache().join("crates"))
}

/// The folder for the interpreters that run scripts from source; may be deleted at any time. `None` without a home.
pub(super) fn base_cache() -> Option<PathBuf> {
    Home::find(raw_variable).map(|home| home.cache().join("bases"))
}

/// The home folder before there are settings.
pub(super) fn initial_home() -> Option<Home> {
    Home::find(raw_variable)
}

/// The look of errors before there are settings.
pub(super) fn initial_look() -> Look {
    TerminalInfo::detect().look
}

#[cfg(test)]
mod tests {
    use super::{Home, has_no_italics, is_unicode};

    #[track_caller]
    fn check(vars: &[(&str, &str)], expect: Option<&str>) {
        let find = |name: &str| {
            vars.iter().find(|(var, _)| *var == name).map(|(_, value)| (*value).into())
        };
        assert_eq!(Home::find(find).map(|home| home.folder), expect.map(Into::into), "{vars:?}");
    }

    #[test]
    fn home_is_where_the_first_of_three_says() {
        let home = ("HOME", "/people/zoe");
        check(&[home], Some("/people/zoe/.local/share/narratoria"));
        check(&[home, ("XDG_DATA_HOME", "/data")], Some("/data/narratoria"));
        check(&[home, ("XDG_DATA_HOME", "/data"), ("NARRATORIA_HOME", "/n")], Some("/n"));
    }

    #[test]
    fn what_is_empty_or_relative_is_not_said() {
        let home = ("HOME", "/people/zoe");
        check(&[home, ("NARRATORIA_HOME", "")], Some("/people/zoe/.local/share/narratoria"));
        check(&[home, ("XDG_DATA_HOME", "data")], Some("/people/zoe/.local/share/narratoria"));
        check(&[], None);
    }

    #[test]
    fn a_terminal_without_italics_is_known_by_its_name() {
        let without = ["linux", "screen-256color", "vt220", "ansi"];
        assert!(without.iter().all(|term| has_no_italics(term)));
        let with = ["xterm-256color", "tmux-256color", "alacritty", "foot", "rxvt-unicode"];
        assert!(with.iter().all(|term| !has_no_italics(term)));
    }

    #[test]
    fn the_first_locale_that_is_named_decides_on_unicode() {
        let check = |vars: &[(&str, &str)]| {
            is_unicode(|name| {
                vars.iter().find(|(var, _)| *var == name).map(|(_, value)| (*value).into())
            })
        };
        assert!(check(&[]));
        assert!(check(&[("LC_ALL", ""), ("LANG", "de_CH.UTF-8")]));
        assert!(check(&[("LC_ALL", "C.utf8"), ("LANG", "C")]));
        assert!(!check(&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")]));
        assert!(!check(&[("LANG", "POSIX")]));
    }
}
