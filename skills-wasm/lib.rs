//! The skills that come with the program. The build script compiles them and lists their files.

use narratoria_skills::PackageRoot;

#[expect(clippy::type_complexity, reason = "written out by the build script, which knows no types")]
mod list {
    include!(concat!(env!("OUT_DIR"), "/built_in.rs"));
}

/// Returns every package that is part of the program.
pub fn built_in() -> PackageRoot {
    PackageRoot::BuiltIn(list::BUILT_IN)
}
