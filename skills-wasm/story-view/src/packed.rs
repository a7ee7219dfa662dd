//! The documents of a campaign in a form that is read quickly. A turn reads some of them several times, and JSON takes half
//! as long again: each quote, escape and number must be looked for.
//!
//! Beside each document, such as `world.json`, the host writes the same values as MessagePack, `world.msgpack`. The JSON is
//! what counts: what cannot be read from the packed document is read from the JSON, which also has the better errors.

use narratoria_sdk::{CampaignFiles, SkillError};
use serde::{Serialize, de::DeserializeOwned};

/// How the name of a document ends.
const ENDING: &str = ".json";

/// How the name of a packed document ends.
const PACKED_ENDING: &str = ".msgpack";

/// Returns the path of the packed document beside a document. Returns `None` if the document is no JSON.
pub fn packed_path(path: &str) -> Option<String> {
    path.strip_suffix(ENDING).map(|stem| format!("{stem}{PACKED_ENDING}"))
}

/// Packs a document; `None` where MessagePack has no form for it.
pub fn pack(document: &impl Serialize) -> Option<Vec<u8>> {
    rmp_serde::to_vec(document).ok()
}

/// A document of the story's campaign as a type; `None` if there is none. The error names the field that does not fit.
pub fn campaign_document<T: DeserializeOwned>(
    campaign: &CampaignFiles,
    path: &str,
) -> Result<Option<T>, SkillError> {
    let packed = packed_path(path).map(|packed| campaign.read(&packed)).transpose()?.flatten();
    if let Some(document) = packed.and_then(|bytes| rmp_serde::from_slice(&bytes).ok()) {
        return Ok(Some(document));
    }
    campaign.json(path)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use narratoria_sdk::{Ctx, Done, Value, json, testing};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::*;

    /// A script that returns the documents that it reads.
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Read {}

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Place {
        name: String,
        #[serde(default)]
        aliases: Vec<String>,
        chance: f64,
        exits: BTreeMap<String, Option<i64>>,
        #[serde(default)]
        node: Value,
    }

    fn place(ctx: &mut Ctx, _: Read) -> Result<Done<Value>, SkillError> {
        let found = campaign_document::<Place>(ctx.campaign(), "place.json")?;
        Ok(Done::ok().output(json!({ "place": found })))
    }

    fn written() -> Value {
        json!({ "name": "quay", "chance": 1, "exits": { "up": -3, "out": null },
                "node": ["&&", [">=", ["var", "hour"], 18.5], true] })
    }

    #[test]
    fn a_packed_document_is_read_like_the_json() {
        let (json, packed) = (written().to_string(), pack(&written()).unwrap());
        let from_json = testing::call(place, json!({})).campaign_file("place.json", json).run();
        let packed = testing::call(place, json!({})).campaign_file("place.msgpack", packed).run();
        assert!(from_json.ok && packed.ok, "{}{}", from_json.lines, packed.lines);
        assert_eq!(packed.output, from_json.output);
        assert_eq!(packed.output["place"]["exits"], json!({ "up": -3, "out": null }));
    }

    #[test]
    fn what_cannot_be_read_packed_is_read_as_json_and_has_its_errors() {
        let odd = pack(&json!({ "name": 3 })).unwrap();
        let call = || testing::call(place, json!({})).campaign_file("place.msgpack", odd.clone());
        let read = call().campaign_file("place.json", written().to_string()).run();
        assert_eq!(read.output["place"]["name"], "quay");
        let failed = call().campaign_file("place.json", r#"{"name": 3}"#).run();
        assert!(
            !failed.ok && failed.lines.contains("the campaign's `place.json` at `name`"),
            "{}",
            failed.lines
        );
        let missing = testing::call(place, json!({})).run();
        assert_eq!(missing.output["place"], Value::Null);
    }
}
