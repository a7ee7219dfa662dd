//! The script `lookup-portrait`: finds the portrait of somebody whom the story has drawn before.

use narratoria_facts::capitalised;
use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    gallery::{Gallery, MEDIA_TYPE},
    generate::person_name,
};

/// Whom to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookupInput {
    /// The person's name, or a part of it.
    #[schemars(
        length(min = 1, max = 60),
        extend("valuesFrom" = "/world/people", "openWithoutList" = true)
    )]
    name: String,
    /// Whether the player asked, and gets the answer as a text.
    #[serde(default)]
    aloud: bool,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LookupOutput {
    /// Whether there is a portrait.
    found: bool,
    /// The person's name as the story has it.
    name: String,
    /// What the portrait shows; empty where there is none.
    description: String,
    /// The picture's id among the assets of this step; empty where there is none.
    asset_id: String,
    /// The picture's file in the asset folder; empty where there is none.
    path: String,
    /// Always `image/svg+xml`.
    media_type: String,
    /// The answer for the player, where `aloud` asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// Shows the portrait again, drawn from what the story has kept.
pub fn lookup_portrait(
    ctx: &mut Ctx,
    input: LookupInput,
) -> Result<Done<LookupOutput>, SkillError> {
    let gallery = Gallery::read(ctx);
    let asked = person_name(&input.name)?;
    let found = gallery.find(&asked).map(|(name, portrait)| (name.to_owned(), portrait.clone()));
    let media_type = MEDIA_TYPE.to_owned();
    let Some((name, portrait)) = found else {
        let text = input.aloud.then(|| format!("There is no picture of {asked} yet."));
        let output = LookupOutput {
            found: false,
            name: asked,
            description: String::new(),
            asset_id: String::new(),
            path: String::new(),
            media_type,
            text,
        };
        return Ok(Done::ok().summary("found no portrait").output(output));
    };
    portrait.hang(ctx, &name)?;
    let text = input.aloud.then(|| {
        let seen = portrait.description.trim_end_matches('.');
        let more = if seen.is_empty() { String::new() } else { format!(": {seen}") };
        capitalised(&format!("{name}, as you have come to know that face{more}."))
    });
    let summary = format!("showed {name}");
    let output = LookupOutput {
        found: true,
        asset_id: portrait.asset_id(),
        description: portrait.description,
        path: portrait.path,
        media_type,
        text,
        name,
    };
    Ok(Done::ok().summary(summary).output(output))
}
