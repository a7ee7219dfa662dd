//! The copy of the SDK in a Rust package, compared with the SDK of this program.

use std::{fs, path::Path};

use super::PackageBuildError;
use crate::template::{SDK_FOLDER, SDK_VERSION, sdk_files};
use narratoria_skills::read_outside;

/// Longest file of a copy that is compared. The longest file of the SDK has some 15 KiB.
const SDK_FILE_BYTES_MAX: u64 = 1 << 20;

/// The copy of the SDK in a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SdkCopy {
    /// The package has none.
    None,
    /// Equal to this program's.
    Same,
    /// Another one.
    Other {
        /// Its version, as far as it can be read.
        version: String,
        /// The version of this program's SDK.
        ours: &'static str,
    },
}

/// Compares the package's copy with this program's SDK, file by file.
pub fn compare_sdk(folder: &Path) -> SdkCopy {
    let Some(manifest) = read_text(&folder.join(SDK_FOLDER).join("Cargo.toml")) else {
        return SdkCopy::None;
    };
    let is_same = |(path, text): &(String, String)| {
        read_text(&folder.join(path)).is_some_and(|found| found == *text)
    };
    if sdk_files().iter().all(is_same) {
        return SdkCopy::Same;
    }
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = "));
    let version = version.unwrap_or("unknown").trim_matches('"').to_owned();
    SdkCopy::Other { version, ours: SDK_VERSION }
}

fn read_text(path: &Path) -> Option<String> {
    String::from_utf8(read_outside(path, SDK_FILE_BYTES_MAX).ok()?).ok()
}

/// Replaces the package's copy with this program's SDK. A package without a copy stays without.
pub fn update_sdk(folder: &Path) -> Result<(), PackageBuildError> {
    let old = folder.join(SDK_FOLDER);
    if !old.is_dir() {
        return Ok(());
    }
    let within = old.parent().unwrap_or(folder);
    let scratch = tempfile::Builder::new()
        .prefix(".narratoria-sdk-")
        .tempdir_in(within)
        .map_err(|error| PackageBuildError::io(within, error))?;
    for (path, text) in sdk_files() {
        let path = scratch.path().join(path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| PackageBuildError::io(parent, error))?;
        fs::write(&path, text).map_err(|error| PackageBuildError::io(&path, error))?;
    }
    // The old copy is set aside first, so that one of the two always exists.
    let aside = scratch.path().join("before");
    fs::rename(&old, &aside).map_err(|error| PackageBuildError::io(&old, error))?;
    fs::rename(scratch.path().join(SDK_FOLDER), &old)
        .map_err(|error| PackageBuildError::io(&old, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, SdkSource, create_package};

    #[test]
    fn a_copy_of_another_version_is_found_and_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let folder =
            create_package(dir.path(), "mill", Language::Rust, SdkSource::Copy, &[]).unwrap();
        assert_eq!(compare_sdk(&folder), SdkCopy::Same);
        let manifest = folder.join(SDK_FOLDER).join("Cargo.toml");
        let older = fs::read_to_string(&manifest).unwrap().replace(SDK_VERSION, "0.0.7");
        fs::write(&manifest, older).unwrap();
        let stray = folder.join(SDK_FOLDER).join("src/gone.rs");
        fs::write(&stray, "").unwrap();
        let other = SdkCopy::Other { version: "0.0.7".to_owned(), ours: SDK_VERSION };
        assert_eq!(compare_sdk(&folder), other);
        update_sdk(&folder).unwrap();
        assert_eq!(compare_sdk(&folder), SdkCopy::Same);
        assert!(!stray.exists(), "a file that the SDK no longer has is gone");
    }

    #[test]
    fn a_package_without_a_copy_stays_without() {
        let dir = tempfile::tempdir().unwrap();
        let folder = create_package(dir.path(), "mill", Language::C, SdkSource::Copy, &[]).unwrap();
        update_sdk(&folder).unwrap();
        assert_eq!(compare_sdk(&folder), SdkCopy::None);
    }
}
