test("it recalls what is remembered", () => {
  const asked = call(tested, {});
  assert.equal(asked.run().remembered[0].text, "Mira keeps the ferry.");
  const said = asked.remembered("The ferry sank.", ["place", "ferry"]).run();
  assert.equal(said.output.text, "The ferry sank.");
});
