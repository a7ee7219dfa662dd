test("the player chooses the greeting", () => {
  const said = call(tested, {}).config({ greeting: "Hail" }).run();
  assert.equal(said.output.text, "Hail, traveller.");
});

test("a greeting that is no text is refused", () => {
  assert.equal(call(tested, {}).config({ greeting: 7 }).run().errorCode, "INVALID_CONFIG");
});
