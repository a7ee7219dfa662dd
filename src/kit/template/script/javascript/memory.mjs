/** @type {import("./wire.mjs").Skill["run"]} */
function tell(host, request) {
  inputOf(request, []);
  // Every skill with this grant sees the same texts; tags narrow the search.
  const [known] = recall("the ferry", ["place"], 1);
  if (known) return { text: known.text };
  remember("Mira keeps the ferry.", ["place", "ferry"]);
  return { text: "Nobody has spoken of the ferry yet." };
}
