// Asks for the player's password, where the server has one.

import { openSession } from "./api.js";
import { h, uniqueId } from "./dom.js";

/** A form that calls `opened()` when the browser has a session. */
export function passwordForm(opened) {
  const id = uniqueId("password");
  const error = h("p", { class: "error", role: "alert" });
  const field = h("input", { id, type: "password", autocomplete: "current-password", required: true });
  const submit = h("button", { type: "submit", class: "primary" }, "Open");
  const onsubmit = async (event) => {
    event.preventDefault();
    submit.disabled = true;
    error.textContent = "";
    try {
      await openSession({ password: field.value });
      opened();
    } catch (failure) {
      error.textContent = failure.status === 401 ? failure.message : (failure.text ?? String(failure));
      field.select();
    } finally {
      submit.disabled = false;
    }
  };
  return h("form", { class: "card", onsubmit }, h("label", { for: id }, "Password"), field, error, submit);
}
