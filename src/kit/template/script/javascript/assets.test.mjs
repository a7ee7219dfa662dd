test("the map is written and announced", () => {
  const said = call(tested, {}).run();
  assert.equal(new TextDecoder().decode(said.files["{{script}}.txt"]), "mill --- ford --- harbour\n");
  assert.deepEqual(said.events.map((event) => event.type), ["asset"]);
});
