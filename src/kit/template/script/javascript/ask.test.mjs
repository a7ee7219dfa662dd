test("the guard repeats the answer", () => {
  const said = call(tested, {}).answer("Ada").run();
  assert.equal(said.output.text, "The guard lets Ada pass.");
});

test("without an answer a stranger passes", () => {
  assert.equal(call(tested, {}).run().output.text, "The guard lets a stranger pass.");
});
