test("it says what it does", () => {
  const said = call(tested, {}).run();
  assert.deepEqual(said.events.map((event) => event.type), ["log"]);
});
