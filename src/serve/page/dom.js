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

/** A button. Its key, by default what it says, finds it again after what is around it was drawn anew. */
export function button(label, onclick, properties = {}) {
  const key = properties["aria-label"] ?? (typeof label === "string" ? label : null);
  return h("button", { type: "button", "data-key": key, onclick, ...properties }, label);
}

/** Replaces everything inside an element. The focus stays on the element with the same key. */
export function fill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  element.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  if (focused) element.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  return element;
}

/** Lets a drawing become smaller to fit, but no smaller than can be read. */
export function fitted(drawing, width) {
  drawing.style.maxWidth = "100%";
  drawing.style.minWidth = `${Math.round(width * 0.72)}px`;
  drawing.style.height = "auto";
  return drawing;
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
