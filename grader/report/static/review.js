// The review page: the draft saves itself, single keys go on and tick points. It all works without.
"use strict";

const own = document.getElementById("own-review");
const form = document.querySelector("form[data-autosave]");

function count() {
  const given = document.querySelector("[data-given]");
  if (given) given.textContent = document.querySelectorAll('input[name="point"]:checked').length;
}

// what the reviewer typed, chose and ticked, as one text
function typed() {
  const fields = new URLSearchParams(new FormData(form));
  for (const name of ["csrf_token", "version"]) fields.delete(name);
  return fields.toString();
}

function putBack(text) {
  const fields = new URLSearchParams(text);
  for (const name of ["shared_note", "private_note"]) form.elements[name].value = fields.get(name) ?? "";
  for (const choice of form.elements.decision) choice.checked = choice.value === fields.get("decision");
  if (fields.get("package") === form.elements.package.value) {
    const ticked = fields.getAll("point");
    for (const point of document.querySelectorAll('input[name="point"]')) point.checked = ticked.includes(point.value);
  }
  count();
}

// what the server may not have: whoever was signed out, or left in a hurry, finds it again in this tab
function keepUnsent() {
  const key = `unsent:${own.dataset.unsent}`;
  const callout = document.getElementById("unsent");
  const read = () => {
    try {
      return sessionStorage.getItem(key);
    } catch {
      return null; // the browser keeps nothing
    }
  };
  const write = (text) => {
    try {
      if (text === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, text);
    } catch {
      // then there is nothing to come back to, and the page works as it would have
    }
  };
  // what is offered stays until it is answered
  const isOffered = () => callout?.hidden === false;
  const offer = (changed) => {
    const kept = read();
    if (kept === null || kept === typed()) return write(null);
    callout.hidden = false;
    const answer = () => {
      callout.hidden = true;
      write(null);
    };
    document.getElementById("take-back").addEventListener("click", () => {
      putBack(kept);
      answer();
      changed();
    });
    document.getElementById("leave-out").addEventListener("click", answer);
  };
  return { offer, keep: () => isOffered() || write(typed()), forget: () => isOffered() || write(null) };
}

// saved a moment after the last change, one request at a time; the last one of a page waits for none
function keepDraft(unsent) {
  const WAIT_MS = 1500;
  const KEEPALIVE_BYTES = 60000; // browsers send no more of what outlives its page
  const said = form.querySelector("[data-said]");
  const { version } = form.elements;
  const say = (text) => (said.textContent = text);
  let saved = typed();
  let sending = null; // the text that is on its way
  let queue = Promise.resolve();
  let timer = 0;
  let isStopped = false;
  let isWarned = false; // then they go all the same

  const post = (text) => {
    const from = Number(version.value) + (sending === null ? 0 : 1); // one that is on its way arrives before
    const body = new URLSearchParams(text);
    body.set("csrf_token", form.elements.csrf_token.value);
    const headers = { "If-Match": `"${from}"`, "Content-Type": "application/x-www-form-urlencoded" };
    const keepalive = body.toString().length <= KEEPALIVE_BYTES;
    return fetch(form.action, { method: "POST", body: body.toString(), headers, redirect: "manual", keepalive });
  };
  const take = async (reply, text) => {
    if (reply.status === 204) {
      version.value = Math.max(Number(version.value), Number(reply.headers.get("ETag").replaceAll('"', "")));
      saved = text;
      if (typed() === text) unsent.forget();
      return say(`Saved ${toldTime(new Date())}.`);
    }
    unsent.keep();
    if (reply.status === 412) {
      isStopped = true;
      say("Not saved: a newer version is stored, perhaps from another window. “Save the draft” shows it beside yours.");
    } else if (reply.type === "opaqueredirect") {
      say("Not saved: you are signed out. This tab keeps your review: reload the page and sign in, and it is offered back.");
    } else {
      say(`Not saved: ${await sentence(reply)} This tab keeps your review, and offers it back when the page is loaded anew.`);
    }
  };
  const save = async () => {
    clearTimeout(timer);
    const text = typed();
    if (isStopped || text === saved || text === sending) return;
    try {
      const reply = post(text);
      sending = text;
      await take(await reply, text);
    } catch {
      unsent.keep();
      say("Not saved: the server does not answer. It is tried again at the next change, and this tab keeps your review.");
    }
    if (sending === text) sending = null;
  };
  const soon = () => (queue = queue.then(save));
  const changed = () => {
    isWarned = false;
    clearTimeout(timer);
    timer = setTimeout(soon, WAIT_MS);
  };

  const isDue = () => typed() !== saved && !isWarned;
  // whoever goes on goes once it is stored; if it is not, they read why and go by a second try
  const beforeGoing = async (go) => {
    await soon();
    if (!isDue()) return go();
    isWarned = true;
    said.scrollIntoView({ block: "center" });
  };
  const left = () => {
    if (typed() !== saved) unsent.keep();
    save();
  };
  return { changed, isDue, beforeGoing, soon, left, stop: () => clearTimeout(timer), settled: () => queue };
}

function followForm(draft, unsent) {
  let isSent = false;
  form.addEventListener("input", draft.changed);
  for (const point of document.querySelectorAll('input[name="point"]')) {
    point.addEventListener("change", () => {
      count();
      draft.changed();
    });
  }
  // a form that is sent takes the newest version with it, and no timer comes after it
  form.addEventListener("submit", (event) => {
    draft.stop();
    if (isSent) return;
    event.preventDefault();
    isSent = true;
    unsent.keep();
    const { submitter } = event;
    // a form that is still telling of its submission takes no other one
    draft.settled().then(() => setTimeout(() => form.requestSubmit(submitter)));
  });
  addEventListener("pageshow", () => (isSent = false));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const isElsewhere = link.origin === location.origin && link.href.split("#")[0] !== location.href.split("#")[0];
    if (!isElsewhere || link.target || link.hasAttribute("download") || !draft.isDue()) return;
    event.preventDefault();
    draft.beforeGoing(() => location.assign(link.href));
  });
  document.addEventListener("submit", (event) => {
    const { target, submitter } = event;
    if (target === form || event.defaultPrevented || !draft.isDue()) return;
    event.preventDefault();
    draft.beforeGoing(() => setTimeout(() => target.requestSubmit(submitter)));
  });
  // a page that is out of sight may never come back: phones end it without a word
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden" && !isSent) draft.soon();
  });
  addEventListener("pagehide", () => isSent || draft.left());
}

if (form) {
  const unsent = keepUnsent();
  const draft = keepDraft(unsent);
  followForm(draft, unsent);
  unsent.offer(draft.changed);
} else if (own && !document.getElementById("review")) {
  keepUnsent().forget(); // it is finished
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
