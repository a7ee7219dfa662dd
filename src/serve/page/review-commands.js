// The commands of a review, in the words of the terminal (docs/plans.md, "Review"). Touches no document.

export const start = () => "start";
export const cancel = () => "cancel";
export const skip = (step) => `skip ${step}`;
export const keep = (step) => `keep ${step}`;
export const remove = (step) => `remove ${step}`;
export const need = (step, other) => `need ${step} ${other}`;
export const free = (step, other) => `free ${step} ${other}`;
export const again = (remark) => `again ${oneLine(remark)}`;
export const describe = (step, text) => `describe ${step} ${oneLine(text)}`;
export const edit = (step, input) => `edit ${step} ${JSON.stringify(input)}`;

/** Adds a step at the end, or after the step `after`. */
export function add(tool, after) {
  return after ? `add after ${after} ${JSON.stringify(tool)}` : `add ${JSON.stringify(tool)}`;
}

/** Moves a step to another place in the order of `ids`; null if it stays where it is. */
export function moveTo(ids, step, to) {
  const from = ids.indexOf(step);
  if (from < 0 || from === to || to < 0 || to >= ids.length) return null;
  return to < from ? `move ${step} before ${ids[to]}` : `move ${step} after ${ids[to]}`;
}

function oneLine(text) {
  return text.trim().replace(/\s+/g, " ");
}

/** Reads JSON that a person wrote: `{value}`, or `{error}` with the reason. */
export function readObject(text) {
  try {
    const value = JSON.parse(text);
    const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
    return isObject ? { value } : { error: "The input is a JSON object, in braces." };
  } catch (error) {
    return { error: `This is no JSON: ${error.message}` };
  }
}
