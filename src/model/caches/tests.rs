//! Folders as the programs lay them out.

use std::{fs, path::Path};

use tempfile::TempDir;

use super::{CachePlace, CacheProgram, find_models};

/// Writes a small model there.
fn model(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    narratoria_models::tiny(path, 1).unwrap();
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// What is found, one line each, with paths from the folder on.
fn found(folder: &TempDir, program: CacheProgram) -> String {
    let place = CachePlace { program, folder: folder.path().to_owned() };
    let found = find_models(&[place]);
    let within = |path: &Path| {
        path.strip_prefix(folder.path()).unwrap().display().to_string().replace('\\', "/")
    };
    let models = found.models.iter().map(|model| {
        let (name, summary) = (model.known_as.as_deref().unwrap_or("-"), &model.summary);
        let own = summary.name.as_deref().unwrap_or("-");
        format!(
            "{} | {name} | {} {own} {}",
            within(&model.path),
            summary.architecture,
            summary.bytes
        )
    });
    let unusable =
        found.unusable.iter().map(|file| format!("{}: {}", within(&file.path), file.why));
    let cut = found.is_cut.then(|| "cut".to_owned());
    models.chain(unusable).chain(cut).collect::<Vec<_>>().join("\n")
}

fn manifest(digest: &str) -> String {
    format!(
        r#"{{"schemaVersion": 2, "config": {{"mediaType": "application/vnd.docker.container.image.v1+json"}},
            "layers": [{{"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:00"}},
                       {{"mediaType": "application/vnd.ollama.image.model", "digest": "{digest}", "size": 1}}]}}"#
    )
}

#[test]
fn a_model_of_ollama_is_the_blob_that_its_manifest_names() {
    let folder = TempDir::new().unwrap();
    let at = |path: &str| folder.path().join(path);
    let (one, other) = ("a1".repeat(32), "b2".repeat(32));
    model(&at(&format!("blobs/sha256-{one}")));
    write(&at(&format!("blobs/sha256-{other}")), "no model");
    let library = "manifests/registry.ollama.ai/library";
    write(&at(&format!("{library}/qwen3/4b")), &manifest(&format!("sha256:{one}")));
    write(&at(&format!("{library}/qwen3/latest")), &manifest(&format!("sha256:{one}")));
    write(&at("manifests/hf.co/zoe/tiny-GGUF/Q4"), &manifest(&format!("sha256:{other}")));
    write(&at(&format!("{library}/evil/latest")), &manifest("sha256:../../../etc/passwd"));
    write(&at(&format!("{library}/broken/latest")), "{");
    write(&at(&format!("{library}/cloud/latest")), "{\"layers\": []}");
    write(&at(&format!("{library}/long/latest")), &"x".repeat(300 << 10));
    let found = found(&folder, CacheProgram::Ollama);
    insta::assert_snapshot!(found.replace(&one, "[one]").replace(&other, "[other]"), @"
    blobs/sha256-[one] | qwen3:4b | phi3 narratoria-tiny 525952
    blobs/sha256-[one] | qwen3:latest | phi3 narratoria-tiny 525952
    blobs/sha256-[other]: it is not a GGUF file
    manifests/registry.ollama.ai/library/broken/latest: the manifest is no JSON: EOF while parsing an object at line 1 column 1
    manifests/registry.ollama.ai/library/cloud/latest: the manifest names no weights
    manifests/registry.ollama.ai/library/evil/latest: the manifest has a wrong digest
    manifests/registry.ollama.ai/library/long/latest: is longer than 262144 bytes
    ");
}

#[test]
fn a_model_of_a_folder_has_a_name_of_its_own() {
    let folder = TempDir::new().unwrap();
    let at = |path: &str| folder.path().join(path);
    model(&at("zoe/Tiny-GGUF/tiny-Q4.gguf"));
    model(&at("zoe/Big-GGUF/big-00001-of-00002.GGUF"));
    write(&at("zoe/Big-GGUF/big-00002-of-00002.gguf"), "no header");
    write(&at("zoe/Tiny-GGUF/README.md"), "# Tiny");
    write(&at("zoe/Tiny-GGUF/cut.gguf"), "GGUF\u{3}");
    fs::create_dir(at("folder.gguf")).unwrap();
    narratoria_models::embedding(&at("zoe/vectors.gguf"), &[&["sea", "wave"]], 1).unwrap();
    model(&at("1/2/3/4/5/6/7/too-deep.gguf"));
    insta::assert_snapshot!(found(&folder, CacheProgram::LmStudio), @"
    zoe/Big-GGUF/big-00001-of-00002.GGUF | - | phi3 narratoria-tiny 525952
    zoe/Tiny-GGUF/tiny-Q4.gguf | - | phi3 narratoria-tiny 525952
    zoe/Tiny-GGUF/cut.gguf: it has 5 bytes where its header needs 8
    zoe/vectors.gguf: a model of the kind `bert` writes no text
    ");
    assert_eq!(found(&folder, CacheProgram::LlamaCpp), found(&folder, CacheProgram::LmStudio));
}

#[cfg(unix)]
#[test]
fn a_model_of_the_hub_is_found_once_through_its_links() {
    use std::os::unix::fs::symlink;
    let folder = TempDir::new().unwrap();
    let at = |path: &str| folder.path().join(path);
    model(&at("models--zoe--Tiny/blobs/abc"));
    for commit in ["1111", "2222"] {
        let snapshot = at(&format!("models--zoe--Tiny/snapshots/{commit}"));
        fs::create_dir_all(&snapshot).unwrap();
        symlink("../../blobs/abc", snapshot.join("tiny.gguf")).unwrap();
        symlink("../../blobs/gone", snapshot.join("gone.gguf")).unwrap();
    }
    // A circle of links ends at the limit of depth.
    symlink(folder.path(), at("models--zoe--Tiny/circle")).unwrap();
    let found = found(&folder, CacheProgram::Hub);
    assert_eq!(found.lines().count(), 1, "{found}");
    assert!(found.contains("/tiny.gguf | - | phi3 narratoria-tiny "), "{found}");
}

#[test]
fn a_place_that_is_not_there_has_no_models() {
    let folder = TempDir::new().unwrap();
    let places = [CacheProgram::Ollama, CacheProgram::Hub]
        .map(|program| CachePlace { program, folder: folder.path().join("none") });
    assert_eq!(find_models(&places), super::FoundModels::default());
}
