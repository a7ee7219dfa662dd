/** @type {import("./wire.mjs").Skill["run"]} */
function tell(host, request) {
  inputOf(request, []);
  host.log("this is where the work begins");
  return { text: "{{text}}" };
}
