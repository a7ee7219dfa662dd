const NAME_CHARS_MAX = 80;

/** @type {import("./wire.mjs").Skill["run"]} */
function tell(host, request) {
  inputOf(request, []);
  // Waiting does not count as the script's time. The choices are suggestions.
  const answer = host.ask("Who goes there?", ["A friend", "A stranger"]);
  // There may be no player to ask, as in `skill test`.
  const name = answer === null ? "a stranger" : [...answer].slice(0, NAME_CHARS_MAX).join("");
  return { text: `The guard lets ${name} pass.` };
}
