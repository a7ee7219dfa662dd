//! Programs that speak MCP with the page's server: what they may name, and the file with their token.

use std::path::{Path, PathBuf};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_serve::is_strong_token;
use narratoria_skills::{OutsideFileError, read_outside, write_private};

use crate::{
    args::PlannerArgs,
    clock_and_ids::draw_token,
    error::CliError,
    mcp::{GivenFolder, ToolProcesses},
    settings::CliSettings,
};

/// Names the file in error messages.
const WHAT: &str = "file of the token for programs";

/// Longest file. The program itself writes it.
const FILE_BYTES_MAX: u64 = 4096;

/// The rights of others, which nobody has at the file.
#[cfg(unix)]
const OF_OTHERS: u32 = 0o077;

/// The player lets programs in.
pub(super) struct ProgramsLetIn {
    /// Where they may name files, if anywhere.
    pub(super) folder: Option<PathBuf>,
}

impl ProgramsLetIn {
    pub(super) fn tools(
        self,
        settings: &CliSettings,
        planner: &PlannerArgs,
    ) -> Result<ToolProcesses, TurnError> {
        let files = GivenFolder::open(self.folder.as_deref())?;
        ToolProcesses::new(settings.clone(), planner, files)
    }
}

/// The token, which stays the same from run to run, because programs keep it in their settings.
pub(super) struct TokenFile {
    pub(super) token: String,
    pub(super) path: PathBuf,
}

impl TokenFile {
    /// Reads the token, or draws it the first time.
    pub(super) fn load_or_make(settings: &CliSettings) -> Result<TokenFile, TurnError> {
        let path = settings.home()?.mcp_token();
        let path = std::path::absolute(&path).unwrap_or(path);
        let bytes = match read_outside(&path, FILE_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(OutsideFileError::Missing) => {
                let token = draw_token();
                let failed = |why| CliError::Unwritable { what: WHAT, path: path.clone(), why };
                write_private(&path, &format!("{token}\n")).map_err(failed)?;
                return Ok(TokenFile { token, path });
            }
            Err(error) => return Err(CliError::outside_file(WHAT, &path, error).into()),
        };
        if is_open_to_others(&path) {
            return Err(unusable(&path, "can be read or written by others"));
        }
        let token = String::from_utf8_lossy(&bytes).trim().to_owned();
        if !is_strong_token(&token) {
            return Err(unusable(&path, "has no token that the program has drawn"));
        }
        Ok(TokenFile { token, path })
    }
}

fn unusable(path: &Path, why: &str) -> TurnError {
    let file = path.display();
    TurnError::new(TurnErrorKind::BadInput, format!("the {WHAT} `{file}` {why}"))
        .hint("remove it, and `narratoria serve --mcp` draws another token")
}

#[cfg(unix)]
fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|found| found.permissions().mode() & OF_OTHERS != 0)
}

/// The folder is the player's alone.
#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> bool {
    false
}
