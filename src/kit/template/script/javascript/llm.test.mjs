test("the text of the model is told", () => {
  const said = call(tested, {}).modelWrites("Red sails come in.").run();
  assert.equal(said.output.text, "Red sails come in.");
  assert.equal(said.prose[0].prompt, "The harbour at dusk.");
});

test("it does without a model", () => {
  const said = call(tested, {}).modelFails({ tag: "timed-out" }).run();
  assert.equal(said.output.text, "The harbour is quiet.");
});
