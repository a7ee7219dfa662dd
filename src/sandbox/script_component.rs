//! The component of a script. One whose code the program carries is loaded when a script of it first runs: a turn reads,
//! checks and maps the code of its own steps, and no other.

use std::sync::{Arc, OnceLock};

use narratoria_protocol::{InvocationError, InvocationOutcome, InvocationOutputSink};
use narratoria_skills::{ComponentFile, Grants};
use tokio::task::spawn_blocking;

use crate::{
    input::InvocationInput,
    load::{CompiledComponent, LoadedComponent, Sandbox},
};

/// A component whose code the program carries. All scripts that name it share it.
pub(crate) struct CarriedComponent {
    sandbox: Sandbox,
    file: ComponentFile,
    /// Loaded once. The error is for people.
    compiled: OnceLock<Result<CompiledComponent, String>>,
}

impl CarriedComponent {
    pub(crate) fn new(sandbox: &Sandbox, file: &ComponentFile) -> CarriedComponent {
        CarriedComponent { sandbox: sandbox.clone(), file: file.clone(), compiled: OnceLock::new() }
    }

    /// Blocks: for some milliseconds, and for seconds if the code is damaged and has to be compiled.
    fn load(&self, grants: &Grants) -> Result<LoadedComponent, String> {
        let load = || self.sandbox.compile_file(&self.file).map_err(|error| error.to_string());
        let compiled = self.compiled.get_or_init(load).as_ref().map_err(String::clone)?;
        self.sandbox.link(compiled, grants).map_err(|error| error.to_string())
    }
}

/// The component of a script, ready to run. Clones share it.
#[derive(Clone)]
pub struct ScriptComponent(ScriptComponentState);

#[derive(Clone)]
enum ScriptComponentState {
    Loaded(Arc<LoadedComponent>),
    /// Loaded before its first run.
    Carried(Arc<CarriedScript>),
}

/// A script of a carried component, with its own grants.
struct CarriedScript {
    component: Arc<CarriedComponent>,
    grants: Grants,
    /// Empty until the first run. The error is for people.
    loaded: OnceLock<Result<LoadedComponent, String>>,
}

impl From<LoadedComponent> for ScriptComponent {
    fn from(component: LoadedComponent) -> ScriptComponent {
        ScriptComponent(ScriptComponentState::Loaded(Arc::new(component)))
    }
}

impl ScriptComponent {
    pub(crate) fn carried(component: &Arc<CarriedComponent>, grants: &Grants) -> ScriptComponent {
        let (component, grants) = (Arc::clone(component), grants.clone());
        let script = CarriedScript { component, grants, loaded: OnceLock::new() };
        ScriptComponent(ScriptComponentState::Carried(Arc::new(script)))
    }

    /// Does the same as [`LoadedComponent::run`], and loads the component before its first run. That time is not the
    /// script's.
    pub async fn run(
        &self,
        input: InvocationInput,
        sink: InvocationOutputSink,
    ) -> InvocationOutcome {
        match self.loaded().await {
            Ok(component) => component.run(input, sink).await,
            Err(why) => {
                let what = format!("the host could not load it: {why}");
                InvocationOutcome::not_started(InvocationError::Trapped { what })
            }
        }
    }

    async fn loaded(&self) -> Result<&LoadedComponent, String> {
        match &self.0 {
            ScriptComponentState::Loaded(component) => Ok(component.as_ref()),
            ScriptComponentState::Carried(script) => script.loaded().await,
        }
    }
}

impl CarriedScript {
    async fn loaded(self: &Arc<CarriedScript>) -> Result<&LoadedComponent, String> {
        if self.loaded.get().is_none() {
            let script = Arc::clone(self);
            let loading = spawn_blocking(move || _ = script.load());
            loading.await.map_err(|error| error.to_string())?;
        }
        self.load()
    }

    /// Blocks if the component is not loaded yet.
    fn load(&self) -> Result<&LoadedComponent, String> {
        let load = || self.component.load(&self.grants);
        self.loaded.get_or_init(load).as_ref().map_err(String::clone)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, sync::Arc, time::Duration};

    use narratoria_protocol::{InvocationEnding, OPERATION_RUN, Object, Request};
    use narratoria_skills::{EmbeddedPackage, PackageRoot, Skill, load};
    use serde_json::json;

    use crate::{
        InvocationInput, InvocationLimits, PackageLoader, Sandbox, SandboxOptions, ScriptComponent,
        embed_code,
    };

    const MANIFEST: &str = r#"{
        "name": "pair", "description": "Two components.", "version": "1.0.0",
        "scripts": [
            {"name": "first", "path": "scripts/echo.wasm", "description": "Echoes.", "inputSchema": "in.json"},
            {"name": "second", "path": "scripts/echo.wasm", "description": "Echoes.", "inputSchema": "in.json"},
            {"name": "third", "path": "scripts/null.wasm", "description": "Does nothing.", "inputSchema": "in.json"}
        ]
    }"#;

    const LIMITS: InvocationLimits = InvocationLimits {
        time: Duration::from_secs(30),
        fuel: 1_000_000_000,
        memory_bytes: 64 << 20,
        stdout_bytes: 1 << 20,
    };

    /// A package that is a part of the program, and a program that carries the code of its components.
    fn carried(folder: &Path) -> (Arc<Skill>, SandboxOptions) {
        let echo = narratoria_guests::ECHO.component;
        let null = narratoria_guests::NULL.component;
        let files: Vec<(&'static str, &'static [u8])> = vec![
            ("skill.json", MANIFEST.as_bytes()),
            ("prompt.md", b"Two components."),
            ("in.json", b"{\"type\": \"object\"}"),
            ("scripts/echo.wasm", echo),
            ("scripts/null.wasm", null),
        ];
        let package: EmbeddedPackage = ("pair", files.leak());
        let loaded = load(&[PackageRoot::BuiltIn(vec![package].leak())]);
        assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
        let skill = Arc::clone(loaded.catalog.get("pair").unwrap());

        let (bare, program) = (folder.join("bare"), folder.join("program"));
        fs::write(&bare, b"\x7fELF and the rest of a program").unwrap();
        let mut out = Vec::new();
        embed_code(&bare, &[echo, null], &mut out).unwrap();
        fs::write(&program, out).unwrap();
        let options = SandboxOptions {
            cache_folder: Some(folder.join("cache")),
            embedded_code: Some(program),
            on_demand: true,
            ..SandboxOptions::default()
        };
        (skill, options)
    }

    fn load_scripts(skill: &Skill, options: &SandboxOptions) -> Vec<ScriptComponent> {
        let sandbox = Sandbox::open(options).unwrap();
        let mut loader = PackageLoader::new(&sandbox);
        let scripts = skill.scripts.iter();
        scripts.map(|it| loader.load_cached(it, &it.grants).unwrap().unwrap()).collect()
    }

    fn components_in_cache(folder: &Path) -> usize {
        let files = fs::read_dir(folder.join("cache")).unwrap().flatten();
        files.filter(|file| file.path().extension().is_some_and(|it| it == "cwasm")).count()
    }

    async fn run(component: &ScriptComponent) -> InvocationEnding {
        let request = Request {
            request_id: "1".to_owned(),
            tool: "first".to_owned(),
            operation: OPERATION_RUN.to_owned(),
            input: Object::new(),
            config: Object::new(),
            state: json!({}),
            inputs: Object::new(),
            seed: 7,
        };
        let input = InvocationInput::new(request.to_line(), 7, LIMITS);
        component.run(input, Box::new(|_| {})).await.ending
    }

    #[tokio::test]
    async fn of_the_components_that_the_program_carries_only_those_that_run_are_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let (skill, options) = carried(folder.path());
        let scripts = load_scripts(&skill, &options);
        assert_eq!(components_in_cache(folder.path()), 0);
        for script in &scripts[..2] {
            let ending = run(script).await;
            assert!(matches!(ending, InvocationEnding::Done { .. }), "{ending:?}");
            assert_eq!(components_in_cache(folder.path()), 1, "they share a component");
        }
        let ending = run(&scripts[2]).await;
        assert!(matches!(ending, InvocationEnding::Done { .. }), "{ending:?}");
        assert_eq!(components_in_cache(folder.path()), 2);
    }

    #[tokio::test]
    async fn a_carried_component_whose_code_is_damaged_is_compiled_when_it_runs() {
        let folder = tempfile::tempdir().unwrap();
        let (skill, options) = carried(folder.path());
        let program = options.embedded_code.clone().unwrap();
        let mut damaged = fs::read(&program).unwrap();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 1;
        fs::write(&program, damaged).unwrap();
        for script in &load_scripts(&skill, &options) {
            let ending = run(script).await;
            assert!(matches!(ending, InvocationEnding::Done { .. }), "{ending:?}");
        }
    }
}
