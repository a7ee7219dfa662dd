fn answer(ctx: &mut Ctx, _: Input) -> Result<Done<Output>, SkillError> {
    let prose = narratoria_sdk::Prose::new("The harbour at dusk.")
        .system("You describe what a traveller sees, in one or two sentences.")
        .tokens(80)
        .aloud();
    // The player may have no model, and `skill test` has none: the script must work without one.
    let text = match ctx.llm().write(prose) {
        Ok(written) if !written.sentences().is_empty() => written.sentences().to_owned(),
        _ => "The harbour is quiet.".to_owned(),
    };
    Ok(Done::ok().output(Output { text }))
}
