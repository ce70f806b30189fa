// The review page: the draft saves itself, single keys go on and tick points. It all works without.
"use strict";

const form = document.querySelector("form[data-autosave]");
const WAIT_MS = 1500;
let timer = 0;
let sending = Promise.resolve();
let isStopped = false;

function say(text) {
  const said = form.querySelector("[data-said]");
  said.textContent = text;
}

async function save() {
  timer = 0;
  if (isStopped) return;
  const version = form.elements.version;
  const body = new URLSearchParams(new FormData(form));
  try {
    const reply = await fetch(form.action, { method: "POST", body, headers: { "If-Match": `"${version.value}"` }, redirect: "manual" });
    if (reply.status === 204) {
      version.value = reply.headers.get("ETag").replaceAll('"', "");
      say(`Saved ${toldTime(new Date())}.`);
    } else if (reply.status === 412) {
      isStopped = true;
      say("Not saved: a newer version is stored, perhaps from another window. “Save the draft” shows it beside yours.");
    } else {
      say("Not saved. Use the button below.");
    }
  } catch {
    say("Not saved: the server does not answer. It is tried again at the next change.");
  }
}

function later() {
  window.clearTimeout(timer);
  timer = window.setTimeout(() => { sending = sending.then(save); }, WAIT_MS);
}

function count() {
  const given = document.querySelector("[data-given]");
  if (given) given.textContent = document.querySelectorAll('input[name="point"]:checked').length;
}

if (form) {
  form.addEventListener("input", later);
  for (const point of document.querySelectorAll('input[name="point"]')) {
    point.addEventListener("change", () => { count(); later(); });
  }
  // a form that is sent takes the newest version with it, and no timer comes after it
  form.addEventListener("submit", (event) => {
    window.clearTimeout(timer);
    if (form.dataset.sent) return;
    event.preventDefault();
    form.dataset.sent = "1";
    const { submitter } = event;
    // a form that is still telling of its submission takes no other one
    sending.then(() => window.setTimeout(() => form.requestSubmit(submitter)));
  });
}

// the question that is nearest to the upper third of the window
function questionInView() {
  const line = window.innerHeight / 3;
  let best = null;
  let least = Infinity;
  for (const question of document.querySelectorAll("[data-question]")) {
    const { top, bottom } = question.getBoundingClientRect();
    if (bottom < 0 || top > window.innerHeight) continue;
    const distance = top > line ? top - line : bottom < line ? line - bottom : 0;
    if (distance < least) [best, least] = [question, distance];
  }
  return best;
}

function go(rel) {
  document.querySelector(`a[rel="${rel}"]`)?.click();
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing) return;
  // whoever types, chooses or scrolls sideways keeps their keys
  if (event.target.closest("input:not([type=checkbox]), textarea, select, .scroll, .code, [contenteditable]")) return;
  const { key } = event;
  if (key === "j" || key === "ArrowRight") go("next");
  else if (key === "k" || key === "ArrowLeft") go("prev");
  else if (key === "n") document.querySelector("#shared")?.focus();
  else if (key >= "1" && key <= "9") {
    const points = questionInView()?.querySelectorAll('input[name="point"]:not(:disabled)') ?? [];
    points[Number(key) - 1]?.click();
  } else return;
  event.preventDefault();
}

const keys = document.querySelector("[data-keys]");
if (keys) keys.hidden = false;
if (keys?.dataset.keys === "on") document.addEventListener("keydown", press);

const print = document.querySelector("[data-print]");
if (print) {
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}
