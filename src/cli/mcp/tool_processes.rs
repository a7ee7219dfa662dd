//! The author's tools for a client: each is this program itself as a process of its own, with arguments of a player, so that
//! what holds for a player holds for a client. Nothing that a client sends is an option.

#[cfg(feature = "llama")]
use std::path::Path;
use std::{ffi::OsString, path::PathBuf};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_mcp::{
    CheckCampaignWork, CheckSkillsWork, EvaluateWork, InspectSkillWork, RunScriptWork, ToolHost,
    ToolWork, WorkProcess,
};
use narratoria_protocol::visible::{clip, visible_line};
use narratoria_serve::{HostError, HostErrorKind};
use narratoria_skills::{PackageHandle, PackageOrigin, SkillGuide, find_in_roots};
use tempfile::TempDir;

use super::given_folder::GivenFolder;
use crate::{
    args::{PlannerArgs, PlannerChoice},
    campaign::source,
    environment,
    error::CliError,
    serve::host_error,
    settings::{CliSettings, HOME_VARIABLE, OFFLINE_VARIABLE},
    setup,
    skill::scratch_folder,
};

/// Characters that an error quotes of a name.
const NAME_CHARS: usize = 80;

/// Starts the tools.
pub(crate) struct ToolProcesses {
    settings: CliSettings,
    files: GivenFolder,
    program: PathBuf,
    /// The planner that the player has chosen, as arguments.
    planner: Vec<OsString>,
    /// Where tools run: an empty folder, so that no name is taken for a file.
    scratch: TempDir,
}

impl ToolProcesses {
    pub(crate) fn new(
        settings: CliSettings,
        planner: &PlannerArgs,
        files: GivenFolder,
    ) -> Result<ToolProcesses, TurnError> {
        let program = environment::this_program().map_err(|why| {
            TurnError::new(
                TurnErrorKind::Internal,
                format!("the program does not find itself: {why}"),
            )
        })?;
        let (planner, scratch) = (planner_arguments(planner)?, scratch_folder()?);
        let mut settings = settings;
        settings.skills = whole_paths(&settings.skills)?;
        Ok(ToolProcesses { settings, files, program, planner, scratch })
    }

    fn packages(&self) -> Vec<PackageHandle> {
        find_in_roots(&setup::roots(&self.settings), &self.settings.skill_settings())
    }

    /// Returns the argument for a package: a whole path, or the name of a built-in one.
    fn package(&self, named: &str) -> Result<OsString, TurnError> {
        if let Some(path) = self.files.find(named)? {
            return Ok(path.into());
        }
        let found = self.packages().into_iter().find(|package| package.name() == named);
        match found.as_ref().map(PackageHandle::origin) {
            Some(PackageOrigin::Folder(folder)) => Ok(folder.clone().into()),
            Some(PackageOrigin::BuiltIn) => Ok(named.into()),
            None => {
                let package = PathBuf::from(named);
                Err(CliError::NoPackage { package, near: None }.into())
            }
        }
    }

    /// Returns the argument for a campaign: a whole path, or a name of the list.
    fn campaign(&self, named: &str) -> Result<OsString, TurnError> {
        if let Some(path) = self.files.find(named)? {
            return Ok(path.into());
        }
        // Not a folder of the place where this process was started.
        match source::named(&self.settings, named) {
            Some(_) => Ok(named.into()),
            None => {
                let shown = visible_line(&clip(named, NAME_CHARS));
                let error = format!("there is no campaign `{shown}`");
                Err(TurnError::new(TurnErrorKind::NotFound, error)
                    .hint("`campaign_list` lists the campaigns"))
            }
        }
    }

    fn skills_arguments(&self) -> Vec<OsString> {
        let folders = self.settings.skills.iter();
        folders.flat_map(|folder| ["--skills".into(), folder.clone().into()]).collect()
    }

    fn arguments(&self, work: &ToolWork) -> Result<(Vec<OsString>, Vec<u8>), TurnError> {
        let mut input = Vec::new();
        let (mut arguments, named) = match work {
            ToolWork::InspectSkill(InspectSkillWork { package, examples }) => {
                let mut arguments = words(&["skill", "inspect", "--format", "json"]);
                arguments.extend(self.skills_arguments());
                if !examples {
                    arguments.push("--no-run".into());
                }
                (arguments, vec![self.package(package)?])
            }
            ToolWork::RunScript(RunScriptWork { script, input: given, story, seed, answers }) => {
                input = serde_json::to_vec(given).unwrap_or_default();
                let mut arguments = words(&["skill", "run", "--format", "json"]);
                arguments.extend(self.skills_arguments());
                option(&mut arguments, "story", story.as_ref());
                option(&mut arguments, "seed", seed.as_ref());
                answers.iter().for_each(|answer| option(&mut arguments, "answer", Some(answer)));
                (arguments, vec![script.into()])
            }
            ToolWork::CheckSkills(CheckSkillsWork { packages, strict, seconds, seed }) => {
                let mut arguments = words(&["skill", "check", "--format", "json"]);
                arguments.extend(self.skills_arguments());
                option(&mut arguments, "time-budget", seconds.as_ref());
                option(&mut arguments, "seed", seed.as_ref());
                if *strict {
                    arguments.push("--strict".into());
                }
                let packages = packages.iter().map(|package| self.package(package));
                (arguments, packages.collect::<Result<_, _>>()?)
            }
            ToolWork::CheckCampaign(check) => {
                let CheckCampaignWork { campaign, walks, turns, strict, seconds, seed } = check;
                let mut arguments = words(&["campaign", "check", "--format", "json"]);
                option(&mut arguments, "walks", walks.as_ref());
                option(&mut arguments, "turns", turns.as_ref());
                option(&mut arguments, "time-budget", seconds.as_ref());
                option(&mut arguments, "seed", seed.as_ref());
                if *strict {
                    arguments.push("--strict".into());
                }
                (arguments, vec![self.campaign(campaign)?])
            }
            ToolWork::Evaluate(EvaluateWork { cases, file, timeout_ms, misses }) => {
                let mut arguments = words(&["eval", "--format", "json"]);
                arguments.extend(self.skills_arguments());
                arguments.extend(self.planner.iter().cloned());
                option(&mut arguments, "timeout", timeout_ms.as_ref());
                option(&mut arguments, "misses", misses.as_ref());
                let file = match file {
                    Some(file) => self.files.file(file)?.into_os_string(),
                    None => "-".into(),
                };
                for case in cases {
                    input.extend(serde_json::to_vec(case).unwrap_or_default());
                    input.push(b'\n');
                }
                (arguments, vec![file])
            }
        };
        // After this, nothing is an option.
        arguments.push("--".into());
        arguments.extend(named);
        Ok((arguments, input))
    }
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

/// Adds an option with its value in one word, so that the value is none by itself.
fn option(arguments: &mut Vec<OsString>, name: &str, value: Option<&impl ToString>) {
    if let Some(value) = value {
        arguments.push(format!("--{name}={}", value.to_string()).into());
    }
}

/// The tools run in another folder than this process.
fn whole_paths(paths: &[PathBuf]) -> Result<Vec<PathBuf>, TurnError> {
    let whole = |path: &PathBuf| {
        std::path::absolute(path).map_err(|why| {
            TurnError::from(CliError::Unreadable { what: "folder", path: path.clone(), why })
        })
    };
    paths.iter().map(whole).collect()
}

fn planner_arguments(planner: &PlannerArgs) -> Result<Vec<OsString>, TurnError> {
    let chosen: OsString = match &planner.planner {
        PlannerChoice::Auto => "auto".into(),
        #[cfg(feature = "llama")]
        PlannerChoice::Llama => "llama".into(),
        PlannerChoice::Lexical => "lexical".into(),
        PlannerChoice::Scripted(file) => {
            let whole = whole_paths(std::slice::from_ref(file))?;
            let mut text = OsString::from("scripted:");
            whole.iter().for_each(|path| text.push(path));
            text
        }
    };
    let mut arguments = vec!["--planner".into(), chosen];
    #[cfg(feature = "llama")]
    if let Some(model) = &planner.model.model {
        let file = Path::new(model).is_file().then(|| whole_paths(&[model.into()])).transpose()?;
        let file = file.into_iter().flatten().next().map(PathBuf::into_os_string);
        arguments.push("--model".into());
        arguments.push(file.unwrap_or_else(|| model.into()));
    }
    option(&mut arguments, "seed", planner.seed.seed.as_ref());
    Ok(arguments)
}

impl ToolHost for ToolProcesses {
    fn process(&self, work: &ToolWork) -> Result<WorkProcess, HostError> {
        let (arguments, input) = self.arguments(work).map_err(host_error)?;
        let home = self.settings.home().map_err(|error| host_error(error.into()))?;
        let home = std::path::absolute(home.folder()).unwrap_or_else(|_| home.folder().to_owned());
        let mut variables = vec![(HOME_VARIABLE, home.into_os_string())];
        if self.settings.is_offline {
            variables.push((OFFLINE_VARIABLE, "1".into()));
        }
        let folder = self.scratch.path().to_owned();
        Ok(WorkProcess { program: self.program.clone(), arguments, folder, variables, input })
    }

    fn campaign(&self, named: &str) -> Result<String, HostError> {
        let found = ToolProcesses::campaign(self, named).map_err(host_error)?;
        found.into_string().map_err(|_| {
            HostError::new(HostErrorKind::BadInput, "the path of the campaign is no text")
        })
    }

    fn needs_approval(&self, script: &str) -> Result<Option<String>, HostError> {
        let catalog = setup::read_manifests(&self.settings).map_err(host_error)?.catalog;
        let (skill, idx) = catalog
            .resolve(script)
            .map_err(|error| HostError::new(HostErrorKind::NotFound, error.to_string()))?;
        let script = &skill.scripts[idx];
        Ok(script.requires_approval.then(|| script.description.clone()))
    }

    fn guides(&self) -> Result<Vec<SkillGuide>, HostError> {
        let mut guides: Vec<SkillGuide> =
            self.packages().iter().filter_map(PackageHandle::guide).collect();
        guides.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(guides)
    }

    fn guide_file(&self, skill: &str, path: &str) -> Result<Vec<u8>, HostError> {
        let package = self.packages().into_iter().find(|package| package.name() == skill);
        let missing = || HostError::new(HostErrorKind::NotFound, "no skill has this file");
        package.and_then(|package| package.guide_file(path)).ok_or_else(missing)
    }
}
