// Its host is named in `skill.json`, under `grants`.
const ADDRESS = "https://api.example.com/sky";

// Longest answer that is told.
const SKY_CHARS_MAX = 200;

/** @type {import("./wire.mjs").Skill["run"]} */
function tell(host, request) {
  inputOf(request, []);
  let text = "The sky is grey.";
  // The player may be offline, and `skill test` always is: the script must work without an answer.
  try {
    const answer = get(ADDRESS);
    if (answer.ok) text = [...answer.text()].slice(0, SKY_CHARS_MAX).join("");
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    host.log(error.message);
  }
  return { text };
}
