fn answer(ctx: &mut Ctx, _: Input) -> Result<Done<Output>, SkillError> {
    let mut store = ctx.store();
    let visits = store.get::<u32>("visits")?.unwrap_or(0).saturating_add(1);
    // It is kept only if the script ends well, and undoing the turn undoes it.
    store.set("visits", visits)?;
    Ok(Done::ok().output(Output { text: format!("This is visit number {visits}.") }))
}
