//! The packages that come with the program. The build script lists them.

use super::Root;

mod list {
    include!(concat!(env!("OUT_DIR"), "/built_in.rs"));
}

/// Every package that is part of the program.
pub fn built_in() -> Root {
    Root::BuiltIn(list::BUILT_IN)
}
