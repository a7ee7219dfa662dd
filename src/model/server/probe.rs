//! Finds out what a server is and which models it has.

use std::time::Instant;

use serde_json::Value;

use super::{
    ServerAddress, ServerError, ServerKind,
    address::MODEL_NAME_BYTES_MAX,
    connection::{ConnectionError, ServerConnection, shown},
};

/// Most models of a server that are listed; the rest is ignored.
const MODELS_MAX: usize = 256;

/// A server and its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerReport {
    /// Without a model.
    pub address: ServerAddress,
    pub kind: ServerKind,
    /// As the server calls it; `None` if it does not say.
    pub version: Option<String>,
    /// In the server's order; those that write no text are left out.
    pub models: Vec<ServedModel>,
}

/// A model on a server, as far as the server describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServedModel {
    pub name: String,
    /// `None` if the server does not say.
    pub is_loaded: Option<bool>,
    pub architecture: Option<String>,
    pub parameters: Option<u64>,
    pub bytes: Option<u64>,
    /// The longest prompt and text together.
    pub context_tokens: Option<u32>,
}

impl ServerReport {
    /// Finds the model of this name, or the only one if there is no name. A name may lack the tag `latest` and the folders
    /// of a path.
    pub fn find(&self, name: Option<&str>) -> Result<&ServedModel, ServerError> {
        let base = || self.address.base();
        let names = || self.models.iter().map(|model| model.name.clone()).collect();
        let Some(name) = name else {
            return match self.models.as_slice() {
                [] => Err(ServerError::NoModel { base: base() }),
                [only] => Ok(only),
                _ => Err(ServerError::SeveralModels { base: base(), models: names() }),
            };
        };
        let exact = self.models.iter().find(|model| model.name == name);
        let near = || {
            let latest = format!("{name}:latest");
            let is_end = |whole: &str| whole.rsplit(['/', '\\']).next() == Some(name);
            // In an address no slash is left of a path's first one.
            let is_path = |whole: &str| whole.strip_prefix('/') == Some(name);
            let is_near = |whole: &str| whole == latest || is_path(whole) || is_end(whole);
            self.models.iter().find(|model| is_near(&model.name))
        };
        exact.or_else(near).ok_or_else(|| ServerError::NoSuchModel {
            base: base(),
            model: shown(name),
            models: names(),
        })
    }

    /// A model that can be asked without loading it first, if the server says so of one.
    pub fn loaded(&self) -> Option<&ServedModel> {
        self.models.iter().find(|model| model.is_loaded == Some(true))
    }
}

/// Asks a server what it is, until the deadline. Refuses a host that is neither loopback nor among `hosts`.
pub fn probe(
    address: &ServerAddress,
    hosts: &[String],
    deadline: Instant,
) -> Result<ServerReport, ServerError> {
    if !address.is_loopback() && !hosts.iter().any(|host| host.eq_ignore_ascii_case(address.host()))
    {
        return Err(ServerError::HostNotAllowed { host: address.host().to_owned() });
    }
    let connection = ServerConnection::new(address);
    let get = |path: &str| connection.get(path, deadline);
    let found = (|| {
        let of_kind =
            |kind, version: Option<String>, models: Vec<ServedModel>| Some((kind, version, models));
        if let Some(props) = shaped(get("/props"), "default_generation_settings")? {
            let models = llama_server_models(&props, &get("/v1/models")?);
            let version = props.get("build_info").and_then(Value::as_str).map(shown);
            return Ok(of_kind(ServerKind::LlamaServer, version, models));
        }
        if let Some(version) = shaped(get("/api/version"), "version")? {
            let version = version.get("version").and_then(Value::as_str).map(shown);
            let (tags, running) = (get("/api/tags")?, get("/api/ps").unwrap_or_default());
            return Ok(of_kind(ServerKind::Ollama, version, ollama_models(&tags, &running)));
        }
        let models = shaped(get("/api/v0/models"), "data")?;
        if let Some(models) = models.as_ref().and_then(lm_studio_models) {
            return Ok(of_kind(ServerKind::LmStudio, None, models));
        }
        let models = shaped(get("/v1/models"), "data")?;
        Ok(models.map(|models| (ServerKind::OpenAi, None, open_ai_models(&models))))
    })();
    let base = address.base();
    match found {
        Ok(Some((kind, version, models))) => {
            let address = address.without_model();
            Ok(ServerReport { address, kind, version, models })
        }
        Ok(None) => {
            let why = "none of the usual requests gets a usual answer".to_owned();
            Err(ServerError::Unknown { base, why })
        }
        Err(error) => Err(ServerError::of_connection(base, error)),
    }
}

/// A document with this field. `Ok(None)` if the server has another answer; some answer unknown requests with an error
/// and status 200.
fn shaped(
    answer: Result<Value, ConnectionError>,
    field: &str,
) -> Result<Option<Value>, ConnectionError> {
    match answer {
        Ok(document) => Ok(Some(document).filter(|document| document.get(field).is_some())),
        // It is what it says, and not ready.
        Err(error @ ConnectionError::Status { status: 503, .. }) => Err(error),
        Err(
            error @ (ConnectionError::TimedOut
            | ConnectionError::Unreachable { .. }
            | ConnectionError::Closed
            | ConnectionError::TooLong { .. }),
        ) => Err(error),
        Err(ConnectionError::Status { .. } | ConnectionError::NotJson { .. }) => Ok(None),
    }
}

/// The entries of a list that have a usable name in this field.
fn named<'d>(
    document: &'d Value,
    list: &str,
    field: &'static str,
) -> impl Iterator<Item = (&'d Value, ServedModel)> {
    let entries = document.get(list).and_then(Value::as_array).into_iter().flatten();
    let entries = entries.filter_map(move |entry| {
        let name = entry.get(field)?.as_str()?;
        let is_usable = !name.is_empty()
            && name.len() <= MODEL_NAME_BYTES_MAX
            && !name.chars().any(|letter| letter.is_control() || letter.is_whitespace());
        is_usable.then(|| (entry, ServedModel { name: name.to_owned(), ..ServedModel::default() }))
    });
    entries.take(MODELS_MAX)
}

fn tokens_at(document: &Value, pointer: &str) -> Option<u32> {
    let tokens = document.pointer(pointer)?.as_u64()?;
    u32::try_from(tokens).ok().filter(|tokens| *tokens > 0)
}

fn llama_server_models(props: &Value, models: &Value) -> Vec<ServedModel> {
    let context_tokens = tokens_at(props, "/default_generation_settings/n_ctx");
    let writes_text = |entry: &Value| {
        let outputs = entry.pointer("/architecture/output_modalities").and_then(Value::as_array);
        outputs.is_none_or(|outputs| outputs.iter().any(|output| output == "text"))
    };
    named(models, "data", "id")
        .filter(|(entry, _)| writes_text(entry))
        .map(|(entry, model)| ServedModel {
            // A server with several loads them when they are asked for.
            is_loaded: match entry.pointer("/status/value").and_then(Value::as_str) {
                Some(status) => Some(status == "loaded"),
                None => Some(true),
            },
            parameters: entry.pointer("/meta/n_params").and_then(Value::as_u64),
            bytes: entry.pointer("/meta/size").and_then(Value::as_u64),
            context_tokens,
            ..model
        })
        .collect()
}

fn ollama_models(tags: &Value, running: &Value) -> Vec<ServedModel> {
    let running: Vec<String> =
        named(running, "models", "name").map(|(_, model)| model.name).collect();
    named(tags, "models", "name")
        .map(|(entry, model)| ServedModel {
            is_loaded: Some(running.contains(&model.name)),
            architecture: entry.pointer("/details/family").and_then(Value::as_str).map(shown),
            bytes: entry.get("size").and_then(Value::as_u64),
            ..model
        })
        .collect()
}

/// `None` if the entries are not those of LM Studio.
fn lm_studio_models(document: &Value) -> Option<Vec<ServedModel>> {
    let is_theirs = |entry: &Value| entry.get("state").is_some_and(Value::is_string);
    if !document.get("data")?.as_array()?.iter().all(is_theirs) {
        return None;
    }
    let models = named(document, "data", "id")
        .filter(|(entry, _)| entry.get("type").and_then(Value::as_str) != Some("embeddings"))
        .map(|(entry, model)| ServedModel {
            is_loaded: Some(entry.get("state").and_then(Value::as_str) == Some("loaded")),
            architecture: entry.get("arch").and_then(Value::as_str).map(shown),
            context_tokens: tokens_at(entry, "/loaded_context_length"),
            ..model
        });
    Some(models.collect())
}

fn open_ai_models(document: &Value) -> Vec<ServedModel> {
    named(document, "data", "id")
        .map(|(entry, model)| ServedModel {
            context_tokens: tokens_at(entry, "/max_model_len"),
            ..model
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::llama_server_models;

    #[test]
    fn a_server_with_several_models_says_which_are_loaded_and_write_text() {
        let entry = |id: &str, status: &str, output: &str| {
            json!({"id": id, "status": {"value": status},
                   "architecture": {"output_modalities": [output]}})
        };
        let models = json!({"data": [
            entry("one", "loaded", "text"), entry("two", "unloaded", "text"),
            entry("judge", "loaded", "decisions"), {"id": "old", "meta": {"n_params": 7}},
        ]});
        let props = json!({"default_generation_settings": {"n_ctx": 0}});
        let found = llama_server_models(&props, &models);
        let found: Vec<_> =
            found.iter().map(|it| (it.name.as_str(), it.is_loaded, it.context_tokens)).collect();
        let expect =
            [("one", Some(true), None), ("two", Some(false), None), ("old", Some(true), None)];
        assert_eq!(found, expect);
    }
}
