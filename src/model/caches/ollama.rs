//! Ollama's folder: `manifests/<registry>/<owner>/<model>/<tag>` names the blob with the weights, `blobs/sha256-<hex>`.

use std::path::Path;

use narratoria_protocol::{JsonBounds, read_json};
use narratoria_skills::read_outside;
use serde_json::Value;

use super::{CacheProgram, cache_search::CacheSearch, folder::files_below};

/// Longest manifest, in bytes. Real ones have about a thousand.
const MANIFEST_BYTES_MAX: usize = 256 << 10;

/// The kind of the layer with the weights.
const WEIGHTS: &str = "application/vnd.ollama.image.model";

/// The folders of models without a registry and an owner in their names.
const DEFAULT_OWNER: &str = "registry.ollama.ai/library/";

/// Hexadecimal digits of a digest.
const DIGEST_DIGITS: usize = 64;

/// Adds the models of a folder of Ollama.
pub(super) fn search(folder: &Path, search: &mut CacheSearch) {
    let manifests = folder.join("manifests");
    for path in files_below(&manifests, CacheProgram::Ollama, search) {
        let Some(name) = name(&manifests, &path) else { continue };
        match weights(&path) {
            Ok(digest) => {
                let blob = folder.join("blobs").join(format!("sha256-{digest}"));
                if !search.add_file(&blob, CacheProgram::Ollama, Some(name)) {
                    return;
                }
            }
            Err(why) => search.add_unusable(&path, CacheProgram::Ollama, why),
        }
    }
}

/// The name as Ollama shows it; `None` for a file that is no manifest's.
fn name(manifests: &Path, path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> =
        path.strip_prefix(manifests).ok()?.iter().map(|part| part.to_str()).collect();
    let parts = parts?;
    let (tag, folders) = parts.split_last().filter(|(_, folders)| folders.len() >= 2)?;
    let whole = format!("{}:{tag}", folders.join("/"));
    Some(whole.strip_prefix(DEFAULT_OWNER).map(str::to_owned).unwrap_or(whole))
}

/// The digest of the weights, in hexadecimal digits alone: it becomes a part of a path.
fn weights(manifest: &Path) -> Result<String, String> {
    let bytes =
        read_outside(manifest, MANIFEST_BYTES_MAX as u64).map_err(|error| error.to_string())?;
    let manifest = read_json(&bytes, JsonBounds::of_bytes(MANIFEST_BYTES_MAX))
        .map_err(|error| format!("the manifest is no JSON: {error}"))?;
    let layers = manifest.get("layers").and_then(Value::as_array).into_iter().flatten();
    let mut weights = layers
        .filter(|layer| layer.get("mediaType").and_then(Value::as_str) == Some(WEIGHTS))
        .filter_map(|layer| layer.get("digest")?.as_str()?.strip_prefix("sha256:"));
    let digest = weights.next().ok_or("the manifest names no weights")?;
    let is_digest =
        digest.len() == DIGEST_DIGITS && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_digest {
        Ok(digest.to_owned())
    } else {
        Err("the manifest has a wrong digest".to_owned())
    }
}
