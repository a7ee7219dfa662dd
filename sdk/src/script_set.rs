//! Several scripts in one program.

use std::{env, io, process::ExitCode};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{Ctx, Done, SkillError, run, serve::exit_code};

/// The scripts of a package that share one program: the manifest names its component as the `path` of each, and the host
/// passes the script's name as the first argument. The host then compiles and loads their shared code once.
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
    /// Reads the script's name from the first argument.
    #[must_use]
    pub fn of_program() -> ScriptSet {
        ScriptSet::called(env::args().next().unwrap_or_default())
    }

    fn called(wanted: String) -> ScriptSet {
        ScriptSet { wanted, names: Vec::new(), ran: None }
    }

    /// Runs the script, as [`run`] does, if the host asked for this name.
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

    /// Returns the exit code of the script that ran. If no script has the name, writes the error `UNKNOWN_SCRIPT`, which
    /// lists the names.
    #[must_use]
    pub fn finish(self) -> ExitCode {
        self.ran.unwrap_or_else(|| {
            let mut ctx = Ctx::without_request(Box::new(io::stdout()));
            exit_code(ctx.finish::<()>(Err(self.unknown())))
        })
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
