//! The relationships of characters (S4).

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A new relationship.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// The id or the name of a character.
    #[schemars(length(min = 1, max = 120))]
    pub character_a: String,
    /// The id or the name of another character.
    #[schemars(length(min = 1, max = 120))]
    pub character_b: String,
    /// Such as `mentor`, `rivals` or `siblings`.
    #[schemars(length(min = 1, max = 120))]
    pub relationship_type: String,
    /// How the first one sees it.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub perspective_a: String,
    /// How the second one sees it.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub perspective_b: String,
    /// How strong it is; 5 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 10))]
    pub intensity: Option<u8>,
}

/// A change of a relationship.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RelationshipUpdate {
    /// The id or the name of a character.
    #[schemars(length(min = 1, max = 120))]
    pub character_a: String,
    /// The id or the name of the other character.
    #[schemars(length(min = 1, max = 120))]
    pub character_b: String,
    /// Such as `strained` or `broken`; as it was if missing.
    #[serde(default)]
    #[schemars(length(min = 1, max = 120))]
    pub status: Option<String>,
    /// What happened. It joins the history, with the tick that the host adds.
    #[serde(default)]
    #[schemars(length(min = 1, max = 1000))]
    pub event: Option<String>,
    /// The scene in which it happened, such as `S003`; the present one if missing.
    #[serde(default)]
    #[schemars(length(min = 1, max = 20))]
    pub scene_id: Option<String>,
    /// How strong it is now; as it was if missing.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10))]
    pub intensity: Option<u8>,
}

/// Whose relationships to list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The id or the name of a character.
    #[schemars(length(min = 1, max = 120))]
    pub character_id: String,
    /// Only those of this status.
    #[serde(default)]
    #[schemars(length(max = 120))]
    pub status_filter: Option<String>,
    /// Whether the player reads them.
    #[serde(default)]
    pub tell: bool,
}

/// A relationship as the story has it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct KnownRelationship {
    /// The id, such as `R0`.
    pub id: String,
    /// The id of one character.
    pub character_a: String,
    /// The id of the other one.
    pub character_b: String,
    /// Such as `mentor`.
    pub relationship_type: String,
    /// Such as `active` or `strained`.
    pub status: String,
    /// 0 to 10.
    pub intensity: u8,
    /// How the first one sees it.
    #[serde(default)]
    pub perspective_a: String,
    /// How the second one sees it.
    #[serde(default)]
    pub perspective_b: String,
    /// `{tick, event, status, scene_id}`, oldest first.
    pub history: Vec<Value>,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundRelationships {
    /// The character's id.
    pub character_id: String,
    /// In the order of their ids.
    pub relationships: Vec<KnownRelationship>,
    /// How many there are.
    pub count: usize,
    /// Lines for the player, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// `relationship/create`
pub fn create(ctx: &mut Ctx, input: Create) -> Result<Done<KnownRelationship>, SkillError> {
    let made: KnownRelationship = ctx.entities().create("relationship", &input)?;
    let summary = format!("{} connects {} and {}", made.id, made.character_a, made.character_b);
    Ok(Done::ok().summary(summary).output(made))
}

/// `relationship/update`
pub fn update(
    ctx: &mut Ctx,
    input: RelationshipUpdate,
) -> Result<Done<KnownRelationship>, SkillError> {
    let one = ctx.entities().resolve("character", &input.character_a)?;
    let other = ctx.entities().resolve("character", &input.character_b)?;
    let found: Option<KnownRelationship> = ctx.entities().relationship(&one, &other)?;
    let found = found.ok_or_else(|| {
        let what = format!("{one} and {other} have no relationship yet; create it first");
        SkillError::new("NO_RELATIONSHIP", what)
    })?;
    let mut changes = json!({});
    if let Some(status) = &input.status {
        changes["status"] = json!(status);
    }
    if let Some(intensity) = input.intensity {
        changes["intensity"] = json!(intensity);
    }
    if let Some(event) = &input.event {
        changes["event"] = json!({ "event": event, "scene_id": input.scene_id });
    }
    let changed: KnownRelationship = ctx.entities().update(&found.id, &changes)?;
    let summary = format!("{} is {} now", changed.id, changed.status);
    Ok(Done::ok().summary(summary).output(changed))
}

/// `relationship/query`
pub fn query(ctx: &mut Ctx, input: Query) -> Result<Done<FoundRelationships>, SkillError> {
    let character_id = ctx.entities().resolve("character", &input.character_id)?;
    let mut relationships: Vec<KnownRelationship> =
        ctx.entities().find("relationship", Some(&character_id))?;
    if let Some(status) = input.status_filter.filter(|status| !status.trim().is_empty()) {
        relationships.retain(|one| one.status.eq_ignore_ascii_case(status.trim()));
    }
    let text = match input.tell {
        true => Some(told(ctx, &character_id, &relationships)?),
        false => None,
    };
    let count = relationships.len();
    let summary = format!("{character_id} has {count} such relationships");
    Ok(Done::ok().summary(summary).output(FoundRelationships {
        character_id,
        relationships,
        count,
        text,
    }))
}

fn told(
    ctx: &mut Ctx,
    character_id: &str,
    all: &[KnownRelationship],
) -> Result<String, SkillError> {
    let mut lines = Vec::new();
    for one in all {
        let first = one.character_a == character_id;
        let other = if first { &one.character_b } else { &one.character_a };
        let view = if first { &one.perspective_a } else { &one.perspective_b };
        let other: Option<Value> = ctx.entities().get(other)?;
        let name = other.and_then(|other| Some(other["name"].as_str()?.to_owned()));
        let name = name.unwrap_or_default();
        let KnownRelationship { relationship_type, status, intensity, .. } = one;
        let view = if view.is_empty() { String::new() } else { format!(": {view}") };
        lines.push(format!("{name} ({relationship_type}), {status}, {intensity} of 10{view}"));
    }
    Ok(match lines.is_empty() {
        true => "There are no established relationships yet.".to_owned(),
        false => lines.join("\n"),
    })
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::testing::{self, Call};

    use super::*;

    fn known<F>(call: Call<F>) -> Call<F> {
        call.in_story("character", json!({"name": "Elena"}))
            .in_story("character", json!({"name": "Marcus"}))
    }

    fn related<F>(call: Call<F>) -> Call<F> {
        let mentor = json!({
            "character_a": "C0", "character_b": "C1", "relationship_type": "mentor",
            "perspective_a": "He hides something.",
        });
        known(call).in_story("relationship", mentor)
    }

    #[test]
    fn the_schema_files_are_those_of_the_types() {
        testing::check_schemas::<Create, KnownRelationship>("package/schemas", "create");
        testing::check_schemas::<RelationshipUpdate, KnownRelationship>(
            "package/schemas",
            "update",
        );
        testing::check_schemas::<Query, FoundRelationships>("package/schemas", "query");
    }

    /// S4 "relationship.create": type, status, intensity and two perspectives; characters by id or by name.
    #[test]
    fn a_relationship_is_of_two_characters_that_are_there() {
        let input = json!({
            "character_a": "elena", "character_b": "C1", "relationship_type": "mentor",
            "perspective_a": "He hides something.", "perspective_b": "She is not ready.",
        });
        let said = known(testing::call(create, input)).run();
        let out = &said.output;
        assert_eq!((&out["id"], &out["character_a"]), (&json!("R0"), &json!("C0")));
        assert_eq!((&out["status"], &out["intensity"]), (&json!("active"), &json!(5)));
        let views = (&json!("He hides something."), &json!("She is not ready."));
        assert_eq!((&out["perspective_a"], &out["perspective_b"]), views);
        assert_eq!(
            (&out["character_b"], &out["relationship_type"]),
            (&json!("C1"), &json!("mentor"))
        );
        let said = testing::call(
            create,
            json!({"character_a": "Ella", "character_b": "C1", "relationship_type": "x"}),
        );
        assert!(!known(said).run().ok);
        let said = testing::call(
            create,
            json!({"character_a": "C1", "character_b": "C0", "relationship_type": "x"}),
        );
        assert!(!related(said).run().ok, "two characters have one relationship");
    }

    /// S4 "relationship.update"
    #[test]
    fn an_update_joins_the_history_whichever_is_named_first() {
        let input = json!({
            "character_a": "Marcus", "character_b": "Elena", "status": "strained",
            "event": "He lied.", "scene_id": "S001",
        });
        let said = related(testing::call(update, input)).run();
        assert_eq!(said.output["status"], "strained");
        assert_eq!(
            said.output["history"],
            json!([{"event": "He lied.", "scene_id": "S001", "status": "strained", "tick": 0}])
        );
        let said =
            known(testing::call(update, json!({"character_a": "C0", "character_b": "C1"}))).run();
        assert_eq!(
            said.summary.as_deref(),
            Some("C0 and C1 have no relationship yet; create it first")
        );
    }

    /// S4 "relationship.query"
    #[test]
    fn a_query_filters_by_status() {
        let count =
            |input: Value| related(testing::call(query, input)).run().output["count"].clone();
        assert_eq!(count(json!({"character_id": "C1"})), 1);
        assert_eq!(count(json!({"character_id": "Marcus", "status_filter": "ACTIVE"})), 1);
        assert_eq!(count(json!({"character_id": "C1", "status_filter": "strained"})), 0);
        let said = related(testing::call(query, json!({"character_id": "C0", "tell": true}))).run();
        assert_eq!(said.output["text"], "Marcus (mentor), active, 5 of 10: He hides something.");
    }
}
