//! The open loops of the story: what it has started and must come back to (S4).

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a loop matters.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PlotImportance {
    /// A detail.
    Low,
    /// As most are.
    Medium,
    /// Much depends on it.
    High,
    /// The story is about it.
    Critical,
}

/// Whether a loop is still open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// To be paid off.
    Open,
    /// Paid off.
    Resolved,
    /// Closed without a payoff.
    Abandoned,
}

/// A new loop.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// A sentence or a question.
    #[schemars(length(min = 1, max = 1000))]
    pub description: String,
    /// How much it matters.
    #[serde(default = "medium")]
    pub importance: PlotImportance,
    /// Such as `mystery`, `promise` or `conflict`.
    #[serde(default = "general")]
    #[schemars(length(min = 1, max = 60))]
    pub category: String,
    /// The scene that opens it, such as `S003`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20))]
    pub created_in_scene: Option<String>,
    /// Ids or names of those whom it concerns.
    #[serde(default)]
    #[schemars(length(max = 16))]
    pub characters: Vec<String>,
}

fn medium() -> PlotImportance {
    PlotImportance::Medium
}

fn general() -> String {
    "general".to_owned()
}

/// Which loop is paid off.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resolve {
    /// Its id, such as `OL0`.
    #[schemars(length(min = 3, max = 20))]
    pub id: String,
    /// How it was paid off.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub resolution: Option<String>,
    /// The scene that resolves it, such as `S003`.
    #[serde(default)]
    #[schemars(length(min = 1, max = 20))]
    pub scene_id: Option<String>,
    /// True closes it without a payoff.
    #[serde(default)]
    pub abandon: bool,
}

/// Which loops to list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListPlots {
    /// Only those of this status; `open` if missing.
    #[serde(default = "open_status")]
    pub status: Status,
    /// Only those of this category.
    #[serde(default)]
    #[schemars(length(max = 60))]
    pub category: Option<String>,
    /// Whether the player reads them.
    #[serde(default)]
    pub tell: bool,
}

fn open_status() -> Status {
    Status::Open
}

/// A loop as the story has it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Loop {
    /// The id, such as `OL0`.
    pub id: String,
    /// A sentence or a question.
    pub description: String,
    /// How much it matters.
    pub importance: PlotImportance,
    /// Whether it is open.
    pub status: Status,
    /// Such as `mystery`.
    pub category: String,
    /// The scene that opened it; null if none did.
    #[serde(default)]
    pub created_in_scene: Option<String>,
    /// The tick that opened it.
    #[serde(default)]
    pub created_tick: u64,
    /// How it was paid off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// The scene that resolved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_in_scene: Option<String>,
    /// Ids of those whom it concerns.
    #[serde(default)]
    pub characters: Vec<String>,
}

/// The loops.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listed {
    /// The most important first, older ones before newer equals.
    pub loops: Vec<Loop>,
    /// How many there are.
    pub count: usize,
    /// Lines for the player, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// `plot/open`
pub fn open(ctx: &mut Ctx, input: Open) -> Result<Done<Loop>, SkillError> {
    let opened: Loop = ctx.entities().create("loop", &input)?;
    Ok(Done::ok().summary(format!("{} is open", opened.id)).output(opened))
}

/// `plot/resolve`
pub fn resolve(ctx: &mut Ctx, input: Resolve) -> Result<Done<Loop>, SkillError> {
    let found: Option<Value> = ctx.entities().get(&input.id)?;
    let found = found.filter(|_| input.id.starts_with("OL"));
    let found = found.ok_or_else(|| {
        SkillError::new(
            "NO_LOOP",
            format!("there is no loop `{}`; `plot/list` names them", input.id),
        )
    })?;
    if found["status"] != "open" {
        let what = format!("the loop `{}` is {} already", input.id, found["status"]);
        return Err(SkillError::new("NOT_OPEN", what));
    }
    let status = if input.abandon { Status::Abandoned } else { Status::Resolved };
    let changes = json!({
        "status": status, "resolution": input.resolution, "resolved_in_scene": input.scene_id,
    });
    let resolved: Loop = ctx.entities().update(&input.id, &changes)?;
    Ok(Done::ok().summary(format!("{} is closed", resolved.id)).output(resolved))
}

/// `plot/list`
pub fn list(ctx: &mut Ctx, input: ListPlots) -> Result<Done<Listed>, SkillError> {
    let mut loops: Vec<Loop> = ctx.entities().find("loop", None)?;
    let category = input.category.filter(|category| !category.trim().is_empty());
    loops.retain(|one| {
        one.status == input.status
            && category.as_ref().is_none_or(|category| one.category.eq_ignore_ascii_case(category))
    });
    loops.sort_by_key(|one| std::cmp::Reverse(one.importance));
    let text = input.tell.then(|| match loops.is_empty() {
        true => "Nothing is left open.".to_owned(),
        false => {
            let lines: Vec<&str> = loops.iter().map(|one| one.description.as_str()).collect();
            format!("Still open:\n\n{}", lines.join("\n"))
        }
    });
    let count = loops.len();
    Ok(Done::ok().summary(format!("{count} loops")).output(Listed { loops, count, text }))
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::testing::{self, Call};

    use super::*;

    fn with_loops<F>(call: Call<F>) -> Call<F> {
        call.in_story("loop", json!({"description": "Who tore the map?", "category": "mystery"}))
            .in_story("loop", json!({"description": "Where is father?", "category": "mystery", "importance": "high"}))
    }

    #[test]
    fn the_schema_files_are_those_of_the_types() {
        testing::check_schemas::<Open, Loop>("package/schemas", "open");
        testing::check_schemas::<Resolve, Loop>("package/schemas", "resolve");
        testing::check_schemas::<ListPlots, Listed>("package/schemas", "list");
    }

    /// S4 "open loops": status, importance, description, category, created_in_scene.
    #[test]
    fn a_loop_is_opened_with_its_defaults() {
        let said = testing::call(open, json!({"description": "Who tore the map?"})).run();
        let out = &said.output;
        assert_eq!((&out["id"], &out["status"]), (&json!("OL0"), &json!("open")));
        assert_eq!((&out["importance"], &out["category"]), (&json!("medium"), &json!("general")));
        assert_eq!(out["created_in_scene"], Value::Null);
    }

    #[test]
    fn a_loop_is_paid_off_once() {
        let said =
            with_loops(testing::call(resolve, json!({"id": "OL1", "resolution": "He is dead."})))
                .run();
        assert_eq!(
            (&said.output["status"], &said.output["resolution"]),
            (&json!("resolved"), &json!("He is dead."))
        );
        let said = testing::call(resolve, json!({"id": "OL0"}))
            .in_story("loop", json!({"description": "x", "category": "y", "status": "resolved"}))
            .run();
        assert!(!said.ok);
        assert!(!testing::call(resolve, json!({"id": "OL7"})).run().ok);
    }

    /// S4 "get_open_loops": those that are paid off are left out.
    #[test]
    fn the_important_ones_come_first() {
        let paid_off = json!({"description": "x", "category": "y", "status": "resolved"});
        let said =
            with_loops(testing::call(list, json!({"tell": true}))).in_story("loop", paid_off).run();
        assert_eq!(said.output["text"], "Still open:\n\nWhere is father?\nWho tore the map?");
        let said =
            with_loops(testing::call(list, json!({"category": "promise", "tell": true}))).run();
        assert_eq!(said.output["text"], "Nothing is left open.");
    }
}
