// Times in words. Touches no document.

/** How long ago a time of RFC 3339 was, in words. */
export function agoInWords(time, now = Date.now()) {
  const minutes = Math.floor((now - Date.parse(time)) / 60_000);
  if (!Number.isFinite(minutes)) return "";
  if (minutes < 1) return "just now";
  if (minutes < 60) return many(minutes, "minute");
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return many(hours, "hour");
  const days = Math.floor(hours / 24);
  if (days < 14) return days === 1 ? "yesterday" : many(days, "day");
  if (days < 70) return many(Math.floor(days / 7), "week");
  return new Date(time).toLocaleDateString(undefined, { year: "numeric", month: "long", day: "numeric" });
}

function many(count, unit) {
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

/** `2.5` → `about 2½ hours`. */
export function playtimeInWords(hours) {
  if (!hours) return "";
  if (hours < 1) return `about ${Math.round(hours * 60)} minutes`;
  const whole = Math.floor(hours);
  const half = hours - whole >= 0.25 && hours - whole < 0.75;
  const rounded = half ? `${whole}½` : String(Math.round(hours));
  return rounded === "1" ? "about an hour" : `about ${rounded} hours`;
}
