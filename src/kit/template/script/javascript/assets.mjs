/** @type {import("./wire.mjs").Skill["run"]} */
function tell(host, request) {
  inputOf(request, []);
  writeFile("/assets/{{script}}.txt", "mill --- ford --- harbour\n");
  // Only a file that is announced is kept with the turn.
  host.asset("map", "map", "text/plain", "{{script}}.txt");
  return { text: "You draw a map of the way to the harbour." };
}
