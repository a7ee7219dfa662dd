/// The player's settings, as `config-schema.json` describes them. The host fills in the defaults.
#[derive(Deserialize)]
struct Settings {
    #[serde(default = "greeting")]
    greeting: String,
}

fn greeting() -> String {
    "Welcome".to_owned()
}

fn answer(ctx: &mut Ctx, _: Input) -> Result<Done<Output>, SkillError> {
    let Settings { greeting } = ctx.config()?;
    Ok(Done::ok().output(Output { text: format!("{greeting}, traveller.") }))
}
