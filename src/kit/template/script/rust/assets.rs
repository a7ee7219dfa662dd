/// The folder for files of this step. A native test has none, and writes elsewhere.
fn folder() -> std::path::PathBuf {
    if cfg!(target_os = "wasi") { "/assets".into() } else { std::env::temp_dir() }
}

fn answer(ctx: &mut Ctx, _: Input) -> Result<Done<Output>, SkillError> {
    let file = "{{script}}.txt";
    std::fs::write(folder().join(file), "mill --- ford --- harbour\n")
        .map_err(|error| SkillError::new("NOT_WRITTEN", error.to_string()))?;
    // Only a file that is announced is kept with the turn.
    ctx.asset(&narratoria_sdk::Asset::new("map", "map", "text/plain", file));
    Ok(Done::ok().output(Output { text: "You draw a map of the way to the harbour.".to_owned() }))
}
