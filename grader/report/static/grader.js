// Small comforts. Every page works without them.
"use strict";

// what an error page says
async function sentence(reply) {
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  return page.querySelector("main .finding")?.textContent ?? `the server answered ${reply.status}.`;
}

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

// what is cut off at the right says so
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const before = target.previousElementSibling;
    const line = before?.matches(".goes-on") ? before : document.createElement("p");
    if (target.scrollWidth <= target.clientWidth) {
      line.remove();
      continue;
    }
    line.className = "tiny dim goes-on no-print";
    line.textContent = `The ${target.querySelector(":scope > svg") ? "map" : "table"} goes on to the right.`;
    if (line !== before) target.before(line);
  }
});
function watchWidths(part) {
  const cut = '.scroll[role="region"]:is(:has(> .tbl), :has(> svg))';
  for (const scroller of part.querySelectorAll(cut)) widths.observe(scroller);
}
watchWidths(document);
document.addEventListener("htmx:load", (event) => watchWidths(event.target));

// what htmx asked for was answered by another page, the one for signing in: show that one
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, pathInfo } = event.detail;
  if (new URL(xhr.responseURL).pathname !== new URL(pathInfo.requestPath, location).pathname) {
    event.detail.shouldSwap = false;
    location.reload();
  }
});

// an answer that is being written survives a reload, a refusal and another form of the page, in this tab alone: whoever
// uses the browser next finds nothing of it; fixed, it is let go
for (const area of document.querySelectorAll("[data-keep]")) {
  const key = `answer:${area.dataset.keep}`;
  try {
    const kept = sessionStorage.getItem(key);
    if (kept && !("fresh" in area.dataset)) area.value = kept;
    area.addEventListener("input", () => sessionStorage.setItem(key, area.value));
  } catch {
    break; // storage is switched off
  }
}
for (const fixed of document.querySelectorAll("[data-kept]")) {
  try {
    sessionStorage.removeItem(`answer:${fixed.dataset.kept}`);
  } catch {
    break;
  }
}

// interviewers may change a candidate's time: replies to an open page carry what is left of it
function hearTime(header) {
  const [left, endsAt] = [header("Seconds-Left"), header("Ends-At")];
  if (left !== null) dispatchEvent(new CustomEvent("time-told", { detail: { left: Number(left), endsAt } }));
}
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  hearTime((name) => detail.xhr.getResponseHeader(name));
});

// the time that is left, by the server's count, which is asked for at least once a minute
function countDown(clock) {
  const ASK_MS = 45000;
  const ASK_HIDDEN_MS = 300000;
  const said = document.getElementById("time-said");
  const end = clock.parentElement.querySelector("time");
  const spoken = { 300: "Five minutes left.", 60: "One minute left." };
  let began, beganAt, left, last, ticking, asking, askedAt;
  let isOver = false;
  // a machine that slept counts by its clock alone
  const remaining = () => left - Math.max(performance.now() - began, Date.now() - beganAt) / 1000;

  const show = () => {
    clearTimeout(ticking);
    const seconds = Math.max(0, Math.ceil(remaining()));
    clock.querySelector(".b").textContent =
      `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
    clock.hidden = false;
    clock.closest(".clock").classList.toggle("short", seconds <= 60);
    for (const [mark, text] of Object.entries(spoken)) {
      if (said && seconds <= mark && last > mark) said.textContent = text;
    }
    if (seconds <= 2 && last > 2) dispatchEvent(new Event("time-runs-out"));
    last = seconds;
    ticking = seconds > 0 ? setTimeout(show, 500) : setTimeout(ask, 1500);
  };
  const follow = (seconds) => {
    [began, beganAt, left] = [performance.now(), Date.now(), seconds];
    askedAt = Date.now();
    clearTimeout(asking);
    asking = setTimeout(ask, document.hidden ? ASK_HIDDEN_MS : ASK_MS);
    show();
  };
  const ask = async () => {
    clearTimeout(ticking);
    clearTimeout(asking);
    try {
      const reply = await fetch(clock.dataset.ask, { redirect: "error" });
      if (reply.status === 200) return finish(await reply.text(), reply.headers.get("Ends-At"));
      hearTime((name) => reply.headers.get(name));
    } catch {
      // the server does not answer, or nobody is signed in: what is typed stays here, and it is asked again
    }
    if (!isOver) follow(Math.max(0, remaining()));
  };
  // what ran out leads to the page that says so; an end before that must not take away what is being typed
  const finish = (notice, endedAt) => {
    if (isOver) return;
    const form = document.getElementById("editing");
    if (remaining() <= 2 || !form) return location.reload();
    isOver = true;
    clearTimeout(ticking);
    clock.hidden = true;
    end.previousSibling.textContent = "ended ";
    end.dateTime = endedAt;
    localise(end.parentElement);
    form.insertAdjacentHTML("beforebegin", notice);
    localise(form.previousElementSibling);
    form.previousElementSibling.scrollIntoView({ block: "center" });
    dispatchEvent(new Event("time-is-over"));
  };
  addEventListener("time-told", ({ detail }) => {
    if (isOver) return;
    if (detail.left <= 0) return ask();
    const change = detail.left - remaining();
    end.dateTime = detail.endsAt;
    localise(end.parentElement);
    if (change > 5) last = detail.left; // its last minutes are told once more
    follow(detail.left);
    if (Math.abs(change) > 5 && said) said.textContent = `Your time was changed: it ends ${end.textContent}.`;
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !isOver && Date.now() - askedAt > ASK_MS) ask();
  });
  last = Number(clock.dataset.left);
  follow(last);
}
document.querySelectorAll("[data-left]").forEach(countDown);
addEventListener("pageshow", (event) => {
  if (event.persisted && document.querySelector("[data-left]")) location.reload();
});
