//! Loads the scripts of one package. Scripts that name the same component share it: the loader reads, compiles and maps it
//! once, and links it for each script.

use std::{collections::BTreeMap, sync::Arc};

use narratoria_skills::{Grants, Script};

use crate::{
    load::{CompiledComponent, LoadedComponent, Sandbox},
    load_error::ComponentLoadError,
    script_component::{CarriedComponent, ScriptComponent},
};

pub struct PackageLoader<'s> {
    sandbox: &'s Sandbox,
    /// The components by their paths in the package.
    compiled: BTreeMap<String, CompiledComponent>,
    /// Components that are loaded when one of their scripts first runs, by their paths.
    carried: BTreeMap<String, Arc<CarriedComponent>>,
}

impl PackageLoader<'_> {
    pub fn new(sandbox: &Sandbox) -> PackageLoader<'_> {
        PackageLoader { sandbox, compiled: BTreeMap::new(), carried: BTreeMap::new() }
    }

    /// Does the same as [`Sandbox::load_file`], but compiles no component twice.
    pub fn load(
        &mut self,
        script: &Script,
        grants: &Grants,
    ) -> Result<LoadedComponent, ComponentLoadError> {
        let compiled = match self.compiled.get(&script.path) {
            Some(compiled) => compiled.clone(),
            None => self.keep(script, self.sandbox.compile_file(&script.component)?),
        };
        self.sandbox.link(&compiled, grants)
    }

    /// Never compiles. Returns `None` if the component is not in the cache. One whose code the program carries is loaded
    /// when the script first runs.
    pub fn load_cached(
        &mut self,
        script: &Script,
        grants: &Grants,
    ) -> Option<Result<ScriptComponent, ComponentLoadError>> {
        if self.sandbox.carries(&script.component) {
            let carried = self.carried.entry(script.path.clone());
            let carried = carried.or_insert_with(|| {
                Arc::new(CarriedComponent::new(self.sandbox, &script.component))
            });
            return Some(Ok(ScriptComponent::carried(carried, grants)));
        }
        let compiled = match self.compiled.get(&script.path) {
            Some(compiled) => compiled.clone(),
            None => match script.component.read() {
                Ok(wasm) => self.keep(script, self.sandbox.compiled_before(&wasm)?),
                Err(error) => return Some(Err(error.into())),
            },
        };
        Some(self.sandbox.link(&compiled, grants).map(ScriptComponent::from))
    }

    fn keep(&mut self, script: &Script, compiled: CompiledComponent) -> CompiledComponent {
        self.compiled.insert(script.path.clone(), compiled.clone());
        compiled
    }
}
