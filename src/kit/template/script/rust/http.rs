/// Its host is named in `skill.json`, under `grants`.
const ADDRESS: &str = "https://api.example.com/sky";

/// Longest answer that is told, in characters.
const SKY_CHARS_MAX: usize = 200;

fn answer(ctx: &mut Ctx, _: Input) -> Result<Done<Output>, SkillError> {
    // The player may be offline, and `skill test` always is: the script must work without an answer.
    let text = match ctx.http().get(ADDRESS) {
        Ok(reply) if reply.is_ok() => reply.text()?.chars().take(SKY_CHARS_MAX).collect(),
        _ => "The sky is grey.".to_owned(),
    };
    Ok(Done::ok().output(Output { text }))
}
