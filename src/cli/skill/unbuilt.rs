//! Hints for packages that cannot be loaded.

/// The end of the message about a missing component.
const NO_COMPONENT: &str = ".wasm: there is no such file in the package";

/// Returns the hint for the problems of the package in this folder: to build it, if only components are missing.
pub(super) fn way_out(problems: &[String], folder: &str) -> String {
    if is_unbuilt(problems) {
        return format!("`narratoria skill build {folder}` builds it");
    }
    "`narratoria skill check` says more".to_owned()
}

/// Returns true if the only problem is that components are missing.
pub(super) fn is_unbuilt(problems: &[String]) -> bool {
    !problems.is_empty() && problems.iter().all(|problem| problem.ends_with(NO_COMPONENT))
}
