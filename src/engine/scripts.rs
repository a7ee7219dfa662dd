//! The components of a catalog, compiled and ready: what the executor's steps really run.

use std::{collections::BTreeMap, future::Future, path::PathBuf, pin::Pin, sync::Arc};

use super::assets::asset_folder;
use crate::{
    executor::{Call, Runner},
    sandbox::{
        Ending, EventSink, Invocation, Job, Limits, Preopen, Prepared, Refusal, Sandbox,
        TextModelSlot, Usage, Writer,
    },
    skills::{Catalog, Problem, Script, Severity},
};

/// What a script with the `assets` grant calls its folder.
const ASSETS_GUEST_FOLDER: &str = "/assets";
/// What a script with the `data` grant calls its folder.
const DATA_GUEST_FOLDER: &str = "/data";

/// What the host has to give to scripts that were granted something.
#[derive(Debug, Clone, Default)]
pub struct Granted {
    /// Environment variables by name; a script sees those that its manifest names.
    pub env: BTreeMap<String, String>,
    /// Where asset and data folders are made: the story's folder. Without one, a script with such a
    /// grant fails with a message that says so.
    pub folder: Option<PathBuf>,
    /// Where the language model is found that writes for scripts, once there is one.
    pub text_model: TextModelSlot,
}

/// Every script of a catalog, ready to run.
pub struct Scripts {
    prepared: BTreeMap<(String, usize), Prepared>,
    granted: Granted,
}

impl Scripts {
    /// Compiles and links every component. A skill with an unusable one is taken out of the catalog
    /// and reported; the others stay.
    pub fn prepare(
        sandbox: &Sandbox,
        catalog: &mut Catalog,
        granted: Granted,
    ) -> (Scripts, Vec<Problem>) {
        let (mut prepared, mut problems) = (BTreeMap::new(), Vec::new());
        let skills: Vec<_> = catalog.iter().cloned().collect();
        for skill in skills {
            for (script_idx, script) in skill.scripts.iter().enumerate() {
                match sandbox.load(&script.component, &script.grants) {
                    Ok(ready) => {
                        prepared.insert((skill.name.clone(), script_idx), ready);
                    }
                    Err(error) => {
                        catalog.remove(&skill.name);
                        problems.push(Problem {
                            package: skill.name.clone(),
                            file: Some(script.path.clone()),
                            field: None,
                            what: error.to_string(),
                            severity: Severity::Skipped,
                        });
                        break;
                    }
                }
            }
        }
        (Scripts { prepared, granted }, problems)
    }

    /// Runs one attempt.
    pub(super) async fn run(&self, call: Call, sink: EventSink) -> Invocation {
        let script = &call.skill.scripts[call.script_idx];
        let Some(prepared) = self.prepared.get(&(call.skill.name.clone(), call.script_idx)) else {
            return refused(format!("the host has not loaded `{}`", script.path));
        };
        let preopens = match self.preopens(&call, script) {
            Ok(preopens) => preopens,
            Err(what) => return refused(what),
        };
        let env = script.grants.env.iter().filter_map(|name| {
            self.granted.env.get(name).map(|value| (name.clone(), value.clone()))
        });
        let job = Job {
            stdin: call.request.to_line(),
            seed: call.request.seed,
            limits: Limits {
                time: call.timeout,
                fuel: script.limits.fuel,
                memory_bytes: script.limits.memory_bytes,
                stdout_bytes: script.limits.stdout_bytes,
            },
            env: env.collect(),
            preopens,
            store: call.store,
            writer: self.writer(&call.skill.name, script),
            answers: call.answers,
        };
        prepared.run(job, sink).await
    }

    /// Who writes for a script that is granted a language model.
    fn writer(&self, skill: &str, script: &Script) -> Option<Writer> {
        script.grants.llm.then(|| Writer {
            model: Arc::new(self.granted.text_model.clone()),
            client: skill.to_owned(),
        })
    }

    /// Makes the folders that the grants promise.
    fn preopens(&self, call: &Call, script: &Script) -> Result<Vec<Preopen>, String> {
        let mut preopens = Vec::new();
        if !script.grants.assets && !script.grants.data {
            return Ok(preopens);
        }
        let folder = self.granted.folder.as_ref().ok_or_else(|| {
            "is granted a folder, which only a story can give: run it with `--story`".to_owned()
        })?;
        let mut open = |host: PathBuf, guest: &str| {
            std::fs::create_dir_all(&host).map_err(|error| {
                format!("its folder `{}` cannot be made: {error}", host.display())
            })?;
            preopens.push(Preopen { host, guest: guest.to_owned(), writable: true });
            Ok::<(), String>(())
        };
        if script.grants.assets {
            open(
                folder.join(asset_folder(&call.request.request_id, &call.request.tool, call.item)),
                ASSETS_GUEST_FOLDER,
            )?;
        }
        if script.grants.data {
            open(folder.join("data").join(&call.skill.name), DATA_GUEST_FOLDER)?;
        }
        Ok(preopens)
    }
}

fn refused(what: String) -> Invocation {
    Invocation {
        ending: Ending::Refused(Refusal::Trapped { what }),
        usage: Usage::default(),
        stderr_tail: String::new(),
        writes: Vec::new(),
    }
}

/// The real runner of the executor.
pub(super) struct SandboxRunner(pub(super) Arc<Scripts>);

impl Runner for SandboxRunner {
    fn run(&self, call: Call, sink: EventSink) -> Pin<Box<dyn Future<Output = Invocation> + Send>> {
        let scripts = Arc::clone(&self.0);
        Box::pin(async move { scripts.run(call, sink).await })
    }
}
