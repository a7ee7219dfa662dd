/** @type {import("./wire.mjs").Skill["run"]} */
function tell(host, request) {
  inputOf(request, []);
  // The host fills in the defaults of `config-schema.json`.
  const greeting = request.config?.greeting ?? "Welcome";
  if (typeof greeting !== "string") {
    throw new Refused("INVALID_CONFIG", `\`config.greeting\` is ${quote(greeting)}, it must be a string`);
  }
  return { text: `${greeting}, traveller.` };
}
