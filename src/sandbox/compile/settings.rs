//! Everything that native code depends on besides the component.

use std::hash::{DefaultHasher, Hash, Hasher};

use wasmtime::Engine;

use crate::preflight::PREFLIGHT_LIMITS;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CompileSettings {
    /// For an engine that reserves no address space ([`Allocation::Unreserved`](crate::Allocation::Unreserved)).
    pub(super) is_unreserved: bool,
    /// Version, processor, settings of the engine and preflight limits, as one number. Two processes of the same
    /// program on the same machine have the same.
    pub(super) digest: u64,
}

impl CompileSettings {
    pub(super) fn for_engine(engine: &Engine, is_unreserved: bool) -> CompileSettings {
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        PREFLIGHT_LIMITS.hash(&mut hasher);
        CompileSettings { is_unreserved, digest: hasher.finish() }
    }
}

#[cfg(test)]
mod tests {
    use super::CompileSettings;
    use crate::wasm_engine::{compiling_engine, start_engine};

    #[test]
    fn code_compiled_with_a_pool_or_without_is_the_same_to_both() {
        let pooled = start_engine(false).unwrap().0;
        let plain = compiling_engine(false).unwrap();
        assert_eq!(
            CompileSettings::for_engine(&pooled, false),
            CompileSettings::for_engine(&plain, false)
        );
        let unreserved = compiling_engine(true).unwrap();
        assert_ne!(
            CompileSettings::for_engine(&unreserved, false),
            CompileSettings::for_engine(&plain, false)
        );
    }
}
