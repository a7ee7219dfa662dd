// The one place where the page speaks to a screen reader: a region that is always there and hidden from sight.

const MESSAGES_MAX = 12;

let region = null;

export function setAnnouncer(element) {
  region = element;
}

/** Says a message once. Each is an element of its own, so that messages of one moment are all said, in order. */
export function announce(text) {
  if (!region || !text) return;
  const message = document.createElement("p");
  message.textContent = text;
  region.append(message);
  while (region.childElementCount > MESSAGES_MAX) region.firstElementChild.remove();
}
