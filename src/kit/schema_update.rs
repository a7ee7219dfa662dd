//! The schemas that the scripts of a package describe, for files that are older than the scripts. Writes no files.

use std::{fs, io, path::Path, sync::Arc};

use serde_json::Value;

use super::{
    build::publish_package,
    check::{described_schemas, is_same_schema},
    harness::PackageHarness,
    manifest_text::read_manifest_text,
};
use narratoria_sandbox::Sandbox;
use narratoria_skills::{PlayerSide, open_package_folder};

/// The schema files of a package that differ from what its scripts describe: their paths and their new texts. A package that
/// does not load even without its examples has none, because running them reports why.
///
/// The package is copied to the empty folder `scratch`, without its examples: an example of a new field does not fit the old
/// schema.
pub async fn stale_schemas(
    folder: &Path,
    sandbox: &Sandbox,
    scratch: &Path,
) -> io::Result<Vec<(String, String)>> {
    let copy = scratch.join("described").join(folder.file_name().unwrap_or_default());
    fs::create_dir_all(scratch.join("described"))?;
    publish_package(folder, &copy)?;
    let _ = fs::remove_dir_all(copy.join("examples"));
    let package = open_package_folder(&copy).ok();
    let skill = package.and_then(|it| it.load(&PlayerSide::none().tolerating_missing()).ok());
    let Some(skill) = skill.map(Arc::new) else { return Ok(Vec::new()) };
    let manifest = read_manifest_text(&copy.join("skill.json"));
    let manifest = manifest.map(|manifest| manifest.document).unwrap_or_default();
    let env = Default::default();
    let harness = PackageHarness::build(Arc::clone(&skill), sandbox, env, scratch.to_owned());
    let Ok(harness) = harness else { return Ok(Vec::new()) };
    let mut stale = Vec::new();
    for (script_idx, script) in skill.scripts.iter().enumerate() {
        let Some(described) = described_schemas(&harness, script_idx).await? else { continue };
        let documents = [
            ("inputSchema", Some(script.input_schema.document())),
            ("outputSchema", script.output_schema.as_ref().map(|it| it.document())),
        ];
        for (field, document) in documents {
            let (Some(document), Some(new)) = (document, described.get(field)) else { continue };
            let path = manifest.pointer(&format!("/scripts/{script_idx}/{field}"));
            let path = path.and_then(Value::as_str).filter(|_| new.is_object());
            if let Some(path) = path.filter(|_| !is_same_schema(document, new)) {
                stale.push((path.to_owned(), format!("{new:#}\n")));
            }
        }
    }
    Ok(stale)
}
