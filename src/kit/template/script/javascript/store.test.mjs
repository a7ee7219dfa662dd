test("each visit counts", () => {
  const said = call(tested, {}).kept("visits", "2").run();
  assert.equal(said.output.text, "This is visit number 3.");
  assert.equal(said.kept.visits, "3");
});
