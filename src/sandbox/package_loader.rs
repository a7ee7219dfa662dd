//! Loads the scripts of one package. Scripts that name the same component share it: the loader reads, compiles and maps it
//! once, and links it for each script.

use std::collections::BTreeMap;

use narratoria_skills::{Grants, Script};

use crate::{
    load::{CompiledComponent, LoadedComponent, Sandbox},
    load_error::ComponentLoadError,
};

pub struct PackageLoader<'s> {
    sandbox: &'s Sandbox,
    /// The components by their paths in the package.
    compiled: BTreeMap<String, CompiledComponent>,
}

impl PackageLoader<'_> {
    pub fn new(sandbox: &Sandbox) -> PackageLoader<'_> {
        PackageLoader { sandbox, compiled: BTreeMap::new() }
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

    /// Never compiles. Returns `None` if the component is not in the cache.
    pub fn load_cached(
        &mut self,
        script: &Script,
        grants: &Grants,
    ) -> Option<Result<LoadedComponent, ComponentLoadError>> {
        let compiled = match self.compiled.get(&script.path) {
            Some(compiled) => compiled.clone(),
            None => match script.component.read() {
                Ok(wasm) => self.keep(script, self.sandbox.compiled_before(&wasm)?),
                Err(error) => return Some(Err(error.into())),
            },
        };
        Some(self.sandbox.link(&compiled, grants))
    }

    fn keep(&mut self, script: &Script, compiled: CompiledComponent) -> CompiledComponent {
        self.compiled.insert(script.path.clone(), compiled.clone());
        compiled
    }
}
