//! A story's people, places and memories in this process: for tests, and for programs outside a component. It keeps the
//! host's shapes and ids, matches whole words, and checks names and pairs; the host checks more.

use serde_json::{Map, Value, json};

/// Most entities that one call finds, as in the host.
pub(super) const FOUND_MAX: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct FakeStory {
    /// In the order in which they were created, each with its id.
    entities: Vec<(String, Map<String, Value>)>,
}

fn object(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err("it must be a JSON object".to_owned()),
    }
}

fn lower(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_lowercase()
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

impl FakeStory {
    /// Everything that it has, each with its id.
    pub(crate) fn all(&self) -> Vec<Value> {
        self.entities.iter().map(|(id, value)| with_id(id, value)).collect()
    }

    fn of<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = &'s (String, Map<String, Value>)> {
        self.entities.iter().filter(move |(id, _)| {
            id.strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    }

    fn add(&mut self, prefix: &str, value: Map<String, Value>) -> String {
        let id = format!("{prefix}{}", self.of(prefix).count());
        let whole = with_id(&id, &value).to_string();
        self.entities.push((id, value));
        whole
    }

    pub(super) fn create(&mut self, kind: &str, entity: &str) -> Result<String, String> {
        let mut value = object(entity)?;
        let prefix = match kind {
            "character" => "C",
            "location" => "L",
            "relationship" => "R",
            "loop" => "OL",
            _ => return Err(format!("a script creates no `{kind}`")),
        };
        match kind {
            "relationship" => {
                for field in ["character_a", "character_b"] {
                    let name = value.get(field).and_then(Value::as_str).unwrap_or_default();
                    let id = self.resolve("character", name)?;
                    value.insert(field.to_owned(), json!(id));
                }
                let pair = |one: &Map<String, Value>| {
                    let mut pair = [lower(one.get("character_a")), lower(one.get("character_b"))];
                    pair.sort();
                    pair
                };
                if let Some((id, _)) = self.of("R").find(|(_, other)| pair(other) == pair(&value)) {
                    return Err(format!(
                        "`{id}` is the relationship of these two already; update it instead"
                    ));
                }
                for (field, filler) in
                    [("status", json!("active")), ("intensity", json!(5)), ("history", json!([]))]
                {
                    value.entry(field).or_insert(filler);
                }
            }
            "loop" => {
                for (field, filler) in [("status", json!("open")), ("importance", json!("medium"))]
                {
                    value.entry(field).or_insert(filler);
                }
                value.insert("created_tick".to_owned(), json!(0));
            }
            _ => {
                let name = lower(value.get("name"));
                if name.trim().is_empty() {
                    return Err("a name has 1 to 120 characters, this one has 0".to_owned());
                }
                if let Some((id, _)) =
                    self.of(prefix).find(|(_, one)| lower(one.get("name")) == name)
                {
                    return Err(format!("the {kind} `{name}` is there already: `{id}`"));
                }
            }
        }
        Ok(self.add(prefix, value))
    }

    pub(super) fn update(&mut self, id: &str, changes: &str) -> Result<String, String> {
        let mut changes = object(changes)?;
        let found = self.entities.iter_mut().find(|(own, _)| own == id);
        let (id, value) = found.ok_or_else(|| format!("there is no `{id}`"))?;
        let event = changes.remove("event");
        for (field, change) in changes {
            match change {
                Value::Null => _ = value.remove(&field),
                change => _ = value.insert(field, change),
            }
        }
        if let Some(Value::Object(mut event)) = event {
            event.insert("tick".to_owned(), json!(0));
            event.insert("status".to_owned(), value.get("status").cloned().unwrap_or_default());
            let history = value.entry("history").or_insert_with(|| json!([]));
            if let Some(history) = history.as_array_mut() {
                history.push(Value::Object(event));
            }
        }
        Ok(with_id(id, value).to_string())
    }

    pub(super) fn get(&self, id: &str) -> String {
        let found = self.entities.iter().find(|(own, _)| own == id);
        found.map_or(Value::Null, |(id, value)| with_id(id, value)).to_string()
    }

    pub(super) fn resolve(&self, kind: &str, name: &str) -> Result<String, String> {
        let prefix = if kind == "location" { "L" } else { "C" };
        let is_it = |(id, value): &&(String, Map<String, Value>)| {
            id == name || lower(value.get("name")) == name.trim().to_lowercase()
        };
        let found = self.of(prefix).find(is_it).map(|(id, _)| id.clone());
        found.ok_or_else(|| format!("there is no {kind} `{name}`"))
    }

    pub(super) fn find(&self, query: &str) -> Result<String, String> {
        let query = object(query)?;
        let prefix = match lower(query.get("kind")).as_str() {
            "character" => "C",
            "location" => "L",
            "relationship" => "R",
            "scene" => "S",
            _ => "OL",
        };
        let linked: Vec<&str> = match query.get("linked_to") {
            Some(Value::Array(pair)) => pair.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(id)) => vec![id],
            _ => Vec::new(),
        };
        let is_linked = |value: &Map<String, Value>| {
            linked.iter().all(|id| {
                let fields = ["character_a", "character_b"].iter();
                fields
                    .into_iter()
                    .any(|field| value.get(*field).and_then(Value::as_str) == Some(*id))
                    || value
                        .get("characters")
                        .and_then(Value::as_array)
                        .is_some_and(|all| all.contains(&json!(id)))
            })
        };
        // Entities stand in the order of their ids.
        let after = query.get("after").and_then(Value::as_str);
        let already = after.map_or(0, |id| {
            self.of(prefix).position(|(own, _)| own == id).map_or(0, |place| place + 1)
        });
        let found = self.of(prefix).skip(already).filter(|(_, value)| is_linked(value));
        let found = found.take(FOUND_MAX);
        Ok(Value::Array(found.map(|(id, value)| with_id(id, value)).collect()).to_string())
    }

    pub(super) fn remember(&mut self, memory: &str) -> Result<String, String> {
        let mut value = object(memory)?;
        if lower(value.get("summary")).trim().is_empty() {
            return Err("a summary is 1 to 2048 bytes long, this one is 0".to_owned());
        }
        value.insert("turn".to_owned(), json!(1));
        let supersedes = value.remove("supersedes");
        let whole = self.add("M", value);
        let new = object(&whole)?.remove("id").unwrap_or_default();
        if let Some(old) = supersedes.as_ref().and_then(Value::as_str)
            && let Some((_, old)) = self.entities.iter_mut().find(|(id, _)| id == old)
        {
            old.insert("superseded_by".to_owned(), new);
        }
        Ok(whole)
    }

    pub(super) fn search(&self, query: &str) -> Result<String, String> {
        let query = object(query)?;
        let wanted = words(&lower(query.get("query")));
        let limit = query.get("limit").and_then(Value::as_u64).unwrap_or(5);
        let types =
            query.get("entity_types").and_then(Value::as_array).cloned().unwrap_or_default();
        let fits = |value: &Map<String, Value>| {
            let own = value.get("entity_types").and_then(Value::as_array);
            let own = own.map(Vec::as_slice).unwrap_or_default();
            !value.contains_key("superseded_by")
                && (types.is_empty() || types.iter().any(|word| own.contains(word)))
        };
        let score = |value: &Map<String, Value>| {
            let own = words(&lower(value.get("summary")));
            match wanted.is_empty() {
                true => 1.0,
                false => {
                    let found = wanted.iter().filter(|word| own.contains(word)).count();
                    found as f64 / wanted.len() as f64
                }
            }
        };
        let mut hits: Vec<(f64, Value)> = self
            .of("M")
            .filter(|(_, value)| fits(value))
            .map(|(id, value)| (score(value), with_id(id, value)))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        hits.reverse();
        hits.sort_by(|one, other| other.0.total_cmp(&one.0));
        let hits = hits.into_iter().take(usize::try_from(limit).unwrap_or(usize::MAX));
        let scored = hits.map(|(score, mut hit)| {
            hit["score"] = json!(score);
            hit
        });
        Ok(Value::Array(scored.collect()).to_string())
    }

    pub(super) fn set_pinned(&mut self, id: &str, pinned: bool) -> Result<String, String> {
        self.update(id, &json!({ "pinned": pinned }).to_string())
    }

    pub(super) fn forget(&mut self, id: &str) -> Result<String, String> {
        let place = self.entities.iter().position(|(own, _)| own == id);
        let place = place.ok_or_else(|| format!("there is no memory `{id}`"))?;
        let (id, value) = self.entities.remove(place);
        Ok(with_id(&id, &value).to_string())
    }
}

fn with_id(id: &str, value: &Map<String, Value>) -> Value {
    let mut whole = value.clone();
    whole.insert("id".to_owned(), json!(id));
    Value::Object(whole)
}
