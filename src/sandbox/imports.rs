//! The imports that a component may have: standard WASI, and the host services that its manifest grants.

use narratoria_skills::{Grant, Grants};
use wasmtime::{Engine, component::Component};

use crate::{
    http::HTTP_INTERFACES,
    llm::LLM_INTERFACE,
    load_error::ComponentLoadError,
    store::STORE_INTERFACE,
    story_entities::{ENTITIES_INTERFACE, MEMORIES_INTERFACE},
    story_memory::MEMORY_INTERFACE,
    text_comparison::MEANING_INTERFACE,
};

/// Packages that every component may import: standard WASI 0.2, which returns an error for everything that is not
/// granted. Other packages must be granted by name.
const WASI_PACKAGES: [&str; 6] =
    ["wasi:cli/", "wasi:io/", "wasi:clocks/", "wasi:random/", "wasi:filesystem/", "wasi:sockets/"];

pub(crate) fn check_imports(
    engine: &Engine,
    component: &Component,
    grants: &Grants,
) -> Result<(), ComponentLoadError> {
    for (import, _) in component.component_type().imports(engine) {
        if WASI_PACKAGES.iter().any(|package| import.starts_with(package)) {
            continue;
        }
        let granted =
            Grant::required_for_import(import).is_some_and(|grant| grants.allow_import(grant));
        if granted && is_offered(import) {
            continue;
        }
        let import = import.to_owned();
        return Err(match granted {
            true => ComponentLoadError::NotOffered { import },
            false => ComponentLoadError::NotGranted { import },
        });
    }
    Ok(())
}

/// Returns true if this host has the interface in a compatible version. All versions 0.1.x are compatible here, because
/// linking refuses a component that calls a function which this host lacks.
fn is_offered(import: &str) -> bool {
    let compatible = |text: &str| {
        let (name, version) = text.split_once('@')?;
        let version = semver::Version::parse(version).ok()?;
        Some((name.to_owned(), version.major, version.minor, version.pre.is_empty()))
    };
    let offered = [
        STORE_INTERFACE,
        MEMORY_INTERFACE,
        MEMORIES_INTERFACE,
        ENTITIES_INTERFACE,
        LLM_INTERFACE,
        MEANING_INTERFACE,
    ]
    .into_iter();
    let mut offered = offered.chain(HTTP_INTERFACES).map(compatible);
    compatible(import).is_some_and(|import| offered.any(|one| one.as_ref() == Some(&import)))
}
