test("the answer of the host is told", () => {
  const said = call(tested, {}).webAnswers("https://api.example.com/sky", "The sky is red.").run();
  assert.equal(said.output.text, "The sky is red.");
  assert.equal(said.requests[0].method, "GET");
});

test("it does without an answer", () => {
  assert.equal(call(tested, {}).run().output.text, "The sky is grey.");
});
