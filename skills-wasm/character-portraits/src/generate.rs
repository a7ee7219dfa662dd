//! The script `generate-portrait`: draws a person, or shows the portrait that the story has.

use narratoria_facts::name_of;
use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gallery::{Gallery, MEDIA_TYPE, PORTRAITS_MAX, Portrait, patch_of, plain};

/// Whom to draw.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerateInput {
    /// The person's name, such as `Mira` or `the old guard`.
    #[schemars(
        length(min = 1, max = 60),
        extend("valuesFrom" = "/world/people", "openWithoutList" = true)
    )]
    name: String,
    /// What the person looks like: `an old woman with white braids, blue eyes and a green cloak`. Where this is missing,
    /// the kept portrait is shown; where there is none, the name decides.
    #[serde(default)]
    #[schemars(length(max = 400))]
    description: Option<String>,
    /// What the face says: `happy`, `stern`, `sad`, `afraid` or `calm`.
    #[serde(default)]
    #[schemars(length(max = 40))]
    mood: Option<String>,
}

/// What was drawn.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GenerateOutput {
    /// The person's name.
    name: String,
    /// The picture's id among the assets of this step.
    asset_id: String,
    /// The picture's file in the asset folder.
    path: String,
    /// Always `image/svg+xml`.
    media_type: String,
    /// True if the story had no such picture before.
    is_new: bool,
}

/// Draws the portrait and keeps what it is drawn from.
pub fn generate_portrait(
    ctx: &mut Ctx,
    input: GenerateInput,
) -> Result<Done<GenerateOutput>, SkillError> {
    let gallery = Gallery::read(ctx);
    let asked = person_name(&input.name)?;
    let kept = gallery.find(&asked);
    let name = kept.map_or_else(|| asked.clone(), |(name, _)| name.to_owned());
    let before = kept.map(|(_, portrait)| portrait);
    let described = input.description.as_deref().map(plain).filter(|text| !text.is_empty());
    let description =
        described.or_else(|| before.map(|kept| kept.description.clone())).unwrap_or_default();
    let mood = input
        .mood
        .as_deref()
        .and_then(name_of)
        .or_else(|| before.and_then(|kept| kept.mood.clone()));
    let portrait = Portrait::new(&name, &description, mood.as_deref());
    let is_new = before != Some(&portrait);
    if before.is_none() && gallery.is_full() {
        let message = format!(
            "the story has {PORTRAITS_MAX} portraits already, so `{name}` cannot be added: draw somebody it knows"
        );
        return Err(SkillError::new("TOO_MANY_PORTRAITS", message));
    }
    portrait.hang(ctx, &name)?;
    if is_new {
        ctx.patch(patch_of(&name, &portrait));
    }
    let summary = if is_new { format!("drew {name}") } else { format!("showed {name}") };
    let output = GenerateOutput {
        asset_id: portrait.asset_id(),
        path: portrait.path,
        media_type: MEDIA_TYPE.to_owned(),
        is_new,
        name,
    };
    Ok(Done::ok().summary(summary).output(output))
}

/// The name in plain characters, or an error that says what is wrong with it.
pub(crate) fn person_name(text: &str) -> Result<String, SkillError> {
    name_of(text).ok_or_else(|| {
        SkillError::new(
            "NAME",
            format!("`{text:.80}` is no name: use letters, at most 60 characters"),
        )
    })
}
