// What a turn changed, ready to be shown. Touches no document.

/** `/world/view/here` → `world › view › here`. */
export function pathInWords(pointer) {
  const parts = pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return parts.length ? parts.join(" › ") : "everything";
}

/** A value on one line; undefined stands for nothing. */
export function valueInWords(value) {
  if (value === undefined) return null;
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

/** Returns `{path, before, after, added, removed}`: for lists of words what came and went, else both values. */
export function changeInWords({ pointer, before, after }) {
  const path = pathInWords(pointer);
  if (isList(before) && isList(after)) {
    return {
      path,
      removed: before.filter((word) => !after.includes(word)).map(valueInWords),
      added: after.filter((word) => !before.includes(word)).map(valueInWords),
    };
  }
  return { path, before: valueInWords(before), after: valueInWords(after) };
}

function isList(value) {
  return Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
}
