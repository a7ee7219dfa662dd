// Dialogs. The element of the browser keeps the focus inside, closes with Escape and gives the focus back.

import { button, fill, h, uniqueId } from "./dom.js";

/** Opens a dialog; `content(close)` makes what is in it. Returns the function that closes it. */
export function openDialog(title, content, { wide = false } = {}) {
  const before = document.activeElement;
  const headingId = uniqueId("dialog");
  const dialog = h("dialog", { "aria-labelledby": headingId, class: wide ? "wide" : null });
  const close = () => dialog.close();
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before?.isConnected) before.focus();
  });
  dialog.addEventListener("click", (event) => {
    // A click beside a form must not lose what is typed in it.
    if (event.target === dialog && !dialog.querySelector("form")) close();
  });
  const body = h("div", { class: "dialog-body" });
  dialog.append(
    h(
      "div",
      { class: "dialog-frame" },
      h(
        "header",
        {},
        h("h2", { id: headingId }, title),
        button("×", close, { class: "quiet icon", "aria-label": "Close" }),
      ),
      body,
    ),
  );
  fill(body, content(close));
  document.body.append(dialog);
  dialog.showModal();
  return close;
}

/** Asks for one line of text. Calls `done(text)` unless it is left. */
export function askText(title, { label, value = "", hint = "", action = "OK", multiline = false }, done) {
  openDialog(title, (close) => {
    const id = uniqueId("field");
    const field = multiline
      ? h("textarea", { id, rows: 4, value })
      : h("input", { id, type: "text", autocomplete: "off", value });
    const submit = (event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (!text) return field.focus();
      close();
      done(text);
    };
    setTimeout(() => field.select());
    return h(
      "form",
      { onsubmit: submit },
      h("label", { for: id }, label),
      field,
      hint && h("p", { class: "hint" }, hint),
      h(
        "div",
        { class: "actions" },
        button("Cancel", close),
        h("button", { type: "submit", class: "primary" }, action),
      ),
    );
  });
}

/** Asks before something that is not taken back easily. */
export function confirmFirst(title, text, action, done) {
  openDialog(title, (close) => [
    h("p", {}, text),
    h(
      "div",
      { class: "actions" },
      button("Cancel", close),
      button(action, () => {
        close();
        done();
      }, { class: "primary" }),
    ),
  ]);
}
