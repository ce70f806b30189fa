// Small comforts. Every page works without them.
"use strict";

// times in the reader's own zone; today's without the day
function localise(part) {
  for (const time of part.querySelectorAll("time[datetime]")) {
    const when = new Date(time.dateTime);
    const clock = { hour: "2-digit", minute: "2-digit" };
    const today = when.toDateString() === new Date().toDateString();
    time.textContent = when.toLocaleString([], today ? clock : { day: "numeric", month: "short", ...clock });
    time.title = when.toLocaleString();
  }
}
localise(document);
document.addEventListener("htmx:load", (event) => localise(event.target));

// what htmx asked for was answered by another page, the one for signing in: show that one
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, pathInfo } = event.detail;
  if (new URL(xhr.responseURL).pathname !== new URL(pathInfo.requestPath, location).pathname) {
    event.detail.shouldSwap = false;
    location.reload();
  }
});

// an answer that is being written survives a reload, a refusal and another form of the page; fixed, it is let go
for (const area of document.querySelectorAll("[data-keep]")) {
  const key = `answer:${area.dataset.keep}`;
  try {
    const kept = localStorage.getItem(key);
    if (kept && !("fresh" in area.dataset)) area.value = kept;
    area.addEventListener("input", () => localStorage.setItem(key, area.value));
  } catch {
    break; // storage is switched off
  }
}
for (const fixed of document.querySelectorAll("[data-kept]")) {
  try {
    localStorage.removeItem(`answer:${fixed.dataset.kept}`);
  } catch {
    break;
  }
}
