//! What to do about a package that cannot be loaded.

/// The end of the problem of a component that is not there.
const NO_COMPONENT: &str = ".wasm: there is no such file in the package";

/// The way out for the problems of the package in this folder: to build it, if that is all that is missing.
pub(super) fn way_out(problems: &[String], folder: &str) -> String {
    if is_unbuilt(problems) {
        return format!("`narratoria skill build {folder}` builds it");
    }
    "`narratoria skill check` says more".to_owned()
}

/// True if nothing is wrong but that components are missing.
pub(super) fn is_unbuilt(problems: &[String]) -> bool {
    !problems.is_empty() && problems.iter().all(|problem| problem.ends_with(NO_COMPONENT))
}
