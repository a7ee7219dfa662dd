//! Several scripts in one program.

use std::{env, io, process::ExitCode};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{Ctx, Done, SkillError, run};

/// A program that is several scripts of a package: the manifest names its component as the `path` of each. The host calls
/// the program by the script's name, its first argument. What the scripts share is then compiled, loaded and kept once.
///
/// ```no_run
/// # use narratoria_sdk::{Ctx, Done, ScriptSet, SkillError, Value};
/// # fn remember(_: &mut Ctx, _: Value) -> Result<Done, SkillError> { Ok(Done::ok()) }
/// # fn forget(_: &mut Ctx, _: Value) -> Result<Done, SkillError> { Ok(Done::ok()) }
/// fn main() -> std::process::ExitCode {
///     ScriptSet::of_program().script("remember", remember).script("forget", forget).finish()
/// }
/// ```
pub struct ScriptSet {
    wanted: String,
    names: Vec<&'static str>,
    ran: Option<ExitCode>,
}

impl ScriptSet {
    /// Begins with the name by which this program was called.
    #[must_use]
    pub fn of_program() -> ScriptSet {
        ScriptSet::called(env::args().next().unwrap_or_default())
    }

    fn called(wanted: String) -> ScriptSet {
        ScriptSet { wanted, names: Vec::new(), ran: None }
    }

    /// Runs the script, as [`run`] does, if it is the one that is wanted.
    #[must_use]
    pub fn script<I, O, F>(mut self, name: &'static str, script: F) -> ScriptSet
    where
        I: DeserializeOwned + JsonSchema,
        O: Serialize + JsonSchema,
        F: FnOnce(&mut Ctx, I) -> Result<Done<O>, SkillError>,
    {
        if self.wanted == name {
            self.ran = Some(run(script));
        }
        self.names.push(name);
        self
    }

    /// The exit code of the script that ran. If there was none, the error `UNKNOWN_SCRIPT` names those that there are.
    #[must_use]
    pub fn finish(self) -> ExitCode {
        let Some(code) = self.ran else {
            let mut ctx = Ctx::without_request(Box::new(io::stdout()));
            ctx.finish::<()>(Err(self.unknown()));
            return ExitCode::SUCCESS;
        };
        code
    }

    fn unknown(&self) -> SkillError {
        let ScriptSet { wanted, names, .. } = self;
        let message =
            format!("this program was called `{wanted}`, its scripts are: {}", names.join(", "));
        SkillError::new("UNKNOWN_SCRIPT", message)
    }
}

#[cfg(test)]
mod tests {
    use super::ScriptSet;
    use crate::{Ctx, Done, SkillError, Value};

    fn nothing(_: &mut Ctx, _: Value) -> Result<Done, SkillError> {
        Ok(Done::ok())
    }

    #[test]
    fn a_name_that_no_script_has_is_told_with_those_that_there_are() {
        let set = ScriptSet::called("forgt".to_owned());
        let set = set.script("remember", nothing).script("forget", nothing);
        assert!(set.ran.is_none());
        let error = set.unknown();
        insta::assert_snapshot!(error, @"UNKNOWN_SCRIPT: this program was called `forgt`, its scripts are: remember, forget");
    }
}
