// Makes elements. Text of stories, skills and models becomes text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** `h("button", {class: "quiet", onclick}, "Undo")`. A property that begins with `on` is a listener. */
export function h(name, properties = {}, ...children) {
  return filled(document.createElement(name), properties, children);
}

/** The same for drawings. */
export function svg(name, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, name), properties, children);
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function button(label, onclick, properties = {}) {
  return h("button", { type: "button", onclick, ...properties }, label);
}

/** Replaces everything inside an element. */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** Calls `draw` once in the next frame, however often it is asked. */
export function onceAFrame(draw) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    const now = () => {
      isAsked = false;
      draw();
    };
    // A page in the background gets no frames, but a screen reader may still read it.
    if (document.hidden) setTimeout(now, 50);
    else requestAnimationFrame(now);
  };
}

let lastId = 0;

/** An id for an element that another one refers to. */
export function uniqueId(word) {
  lastId += 1;
  return `${word}-${lastId}`;
}
