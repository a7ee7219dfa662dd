/** @type {import("./wire.mjs").Skill["run"]} */
function tell(host, request) {
  inputOf(request, []);
  // Values are text; JSON keeps anything.
  const visits = JSON.parse(get("visits") ?? "0") + 1;
  // It is kept only if the script ends well, and undoing the turn undoes it.
  set("visits", JSON.stringify(visits));
  return { text: `This is visit number ${visits}.` };
}
