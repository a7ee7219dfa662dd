/// Writes a file of this step. A native test has no such folder, and writes nothing.
fn write(file: &str, text: &str) -> std::io::Result<()> {
    if cfg!(target_os = "wasi") { std::fs::write(format!("/assets/{file}"), text) } else { Ok(()) }
}

fn answer(ctx: &mut Ctx, _: Input) -> Result<Done<Output>, SkillError> {
    let file = "{{script}}.txt";
    write(file, "mill --- ford --- harbour\n")
        .map_err(|error| SkillError::new("NOT_WRITTEN", error.to_string()))?;
    // Only a file that is announced is kept with the turn.
    ctx.asset(&narratoria_sdk::Asset::new("map", "map", "text/plain", file));
    Ok(Done::ok().output(Output { text: "You draw a map of the way to the harbour.".to_owned() }))
}
