fn answer(ctx: &mut Ctx, _: Input) -> Result<Done<Output>, SkillError> {
    // Every skill with this grant sees the same texts; tags narrow the search.
    let known = ctx.memory().recall_tagged("the ferry", &["place"], 1)?;
    let text = match known.first() {
        Some(known) => known.text.clone(),
        None => {
            ctx.memory().remember("Mira keeps the ferry.", &["place", "ferry"])?;
            "Nobody has spoken of the ferry yet.".to_owned()
        }
    };
    Ok(Done::ok().output(Output { text }))
}
