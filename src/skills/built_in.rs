//! The packages that come with the program. The build script lists them.

use super::Root;

#[expect(clippy::type_complexity, reason = "written out by the build script, which knows no types")]
mod list {
    include!(concat!(env!("OUT_DIR"), "/built_in.rs"));
}

/// Every package that is part of the program.
pub fn built_in() -> Root {
    Root::BuiltIn(list::BUILT_IN)
}
