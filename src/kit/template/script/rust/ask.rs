/// Longest name that is told, in characters.
const NAME_CHARS_MAX: usize = 80;

fn answer(ctx: &mut Ctx, _: Input) -> Result<Done<Output>, SkillError> {
    // Waiting does not count as the script's time. The choices are suggestions.
    let name = match ctx.ask("Who goes there?", &["A friend", "A stranger"]) {
        Ok(name) => name.chars().take(NAME_CHARS_MAX).collect(),
        // There may be no player to ask, as in `skill test`.
        Err(error) if error.code == SkillError::NOBODY_ANSWERED => "a stranger".to_owned(),
        Err(error) => return Err(error),
    };
    Ok(Done::ok().output(Output { text: format!("The guard lets {name} pass.") }))
}
