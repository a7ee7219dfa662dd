/** @type {import("./wire.mjs").Skill["run"]} */
function tell(host, request) {
  inputOf(request, []);
  const system = "You describe what a traveller sees, in one or two sentences.";
  const prose = { system, prompt: "The harbour at dusk.", maxTokens: 80, temperature: 0.8, aloud: true };
  try {
    return { text: generate(prose).text };
  } catch {
    // The player may have no model, and `skill test` has none: the script must work without one.
    return { text: "The harbour is quiet." };
  }
}
