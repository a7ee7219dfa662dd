const token = new URLSearchParams(location.hash.slice(1)).get("t");
if (token) {
  history.replaceState(null, "", location.pathname);
  await fetch("/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
}
const { stories = [] } = await (await fetch("/api/stories")).json();
for (const { name } of stories) {
  const item = document.createElement("li");
  item.textContent = name;
  document.getElementById("stories").append(item);
}
