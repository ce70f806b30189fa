// Small comforts. Every page works without them.
"use strict";

// times in the reader's own zone, which stands beside them
function toldTime(when, isExact = false) {
  const day = { day: "numeric", month: "short", year: "numeric" };
  const clock = { hour: "2-digit", minute: "2-digit", timeZoneName: "short" };
  if (isExact) clock.second = "2-digit";
  return when.toLocaleString([], { ...day, ...clock });
}
function localise(part) {
  for (const time of part.querySelectorAll("time[datetime]")) {
    const when = new Date(time.dateTime);
    time.textContent = toldTime(when, "exact" in time.dataset);
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

// the time that is left in an interview, by the server's count; when it is over, the page that says so
for (const clock of document.querySelectorAll("[data-left]")) {
  const [began, beganAt, left] = [performance.now(), Date.now(), Number(clock.dataset.left)];
  const said = document.getElementById("time-said");
  const spoken = { 300: "Five minutes left.", 60: "One minute left." };
  let last = left;
  const show = () => {
    // a machine that slept counts by its clock alone
    const passed = Math.max(performance.now() - began, Date.now() - beganAt) / 1000;
    const seconds = Math.max(0, Math.ceil(left - passed));
    clock.querySelector(".b").textContent =
      `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
    clock.hidden = false;
    clock.closest(".clock").classList.toggle("short", seconds <= 60);
    for (const [mark, text] of Object.entries(spoken)) {
      if (said && seconds <= mark && last > mark) said.textContent = text;
    }
    if (seconds <= 2 && last > 2) dispatchEvent(new Event("time-runs-out"));
    last = seconds;
    if (seconds > 0) setTimeout(show, 500);
    else if (left > 0) setTimeout(() => location.reload(), 1500);
  };
  show();
}
addEventListener("pageshow", (event) => {
  if (event.persisted && document.querySelector("[data-left]")) location.reload();
});
