fn answer(ctx: &mut Ctx, _: Input) -> Result<Done<Output>, SkillError> {
    ctx.info("this is where the work begins");
    Ok(Done::ok().output(Output { text: "{{text}}".to_owned() }))
}
