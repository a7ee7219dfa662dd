//! The target of the programs, and the toolchain that may have to be installed for it.

/// The target of the programs.
pub const TARGET: &str = "wasm32-wasip2";

/// The toolchain that `scripts/wasm-toolchain.sh` links into rustup.
pub(crate) const LINKED: &str = "narratoria-wasm";
