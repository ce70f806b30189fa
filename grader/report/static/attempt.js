// The attempt page: editor, drafts, reset and its undo, keys, clock. Without it the page is a form with a textarea.
"use strict";

const AttemptPage = (script) => {
  const form = document.getElementById("editing");
  const area = document.getElementById("source");
  const note = document.getElementById("draft");
  const said = document.getElementById("said");
  const submitButton = document.getElementById("submit");
  const runButton = document.getElementById("run");
  const say = (text) => (said.textContent = text);

  // one submission for a double click
  let isSent = false;
  form.addEventListener("submit", (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
  });
  addEventListener("pageshow", () => (isSent = false));

  const unsent = keepUnsent(form, area);
  const draft = keepDraft(form, area, note, () => isSent, unsent);
  document.getElementById("keys").hidden = false;
  const editor = graderEditor.replaceTextarea(area, {
    label: document.getElementById("source-label"),
    describedBy: "keys",
    nonce: script.nonce,
    submit: () => submitButton.disabled || form.requestSubmit(submitButton),
    run: () => runButton?.click(),
    changed: draft.changed,
    announce: say,
  });
  resetAndUndo(editor, area, say);
  addEventListener("time-is-over", () => {
    draft.close();
    editor.close();
    for (const button of document.querySelectorAll("[form=editing], #editing button")) button.disabled = true;
    document.getElementById("reset").hidden = true;
  });
  unsent.offer(editor, say);
};

// text that the server may not have: whoever was signed out in another tab finds it again in this one
function keepUnsent(form, area) {
  const key = `unsent:${form.dataset.draft}`;
  const callout = document.getElementById("unsent");
  const submissions = Number(form.dataset.submissions);
  const read = () => {
    try {
      return JSON.parse(sessionStorage.getItem(key));
    } catch {
      return null; // the browser keeps nothing
    }
  };
  const write = (kept) => {
    try {
      if (kept === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(kept));
    } catch {
      // then there is nothing to come back to, and the page works as it would have
    }
  };
  const keep = (isHandedIn = false) => write({ text: area.value, submissions, isHandedIn });
  form.addEventListener("submit", () => keep(!document.getElementById("file").value));

  const close = () => {
    callout.hidden = true;
    write(null);
  };
  const offer = (editor, say) => {
    const kept = read();
    const isStored = kept?.isHandedIn && submissions > kept.submissions;
    if (kept === null || isStored || kept.text === area.value) return write(null);
    callout.hidden = false;
    document.getElementById("take-back").addEventListener("click", () => {
      editor.replace(kept.text);
      close();
      keep(); // until it is saved
      say("Your text is back.");
    });
    document.getElementById("leave-out").addEventListener("click", close);
  };
  // what is offered stays until it is answered
  const unlessOffered = (act) => () => callout.hidden && act();
  return { offer, failed: keep, left: unlessOffered(keep), saved: unlessOffered(() => write(null)) };
}

// save two seconds after the last change, while somebody types on every ten; the newest text wins
function keepDraft(form, area, note, isSent, unsent) {
  const DELAY_MS = 2000;
  const LONGEST_MS = 10000;
  const KEEPALIVE_BYTES = 60000; // browsers send no more of what outlives its page
  let saved = "refused" in form.dataset ? null : area.value;
  let timer = 0;
  let since = null; // when what is not on its way yet began to wait
  let sending = null; // the text that is on its way
  let isClosed = false;

  const fields = () => {
    const body = new FormData();
    for (const name of ["csrf_token", "seen", "source"]) body.append(name, form.elements[name].value);
    return body;
  };
  const tell = (text) => (note.textContent = text);

  // one request at a time, but the last one of a page waits for none
  const save = async (isLast = false) => {
    clearTimeout(timer);
    const text = area.value;
    if (isClosed || text === saved || text === sending || (sending !== null && !isLast)) return;
    since = null;
    sending = text;
    try {
      const keepalive = isLast && new Blob([text]).size <= KEEPALIVE_BYTES;
      const options = { method: "POST", body: fields(), redirect: "error", keepalive };
      const reply = await fetch(form.dataset.draft, options);
      hearTime((name) => reply.headers.get(name));
      if (reply.status === 204) {
        saved = text;
        unsent.saved();
        const at = reply.headers.get("Draft-Saved");
        if (at > form.elements.seen.value) form.elements.seen.value = at; // replies may come in another order
        tell(`Draft saved ${toldTime(new Date())}${reply.headers.has("Draft-Replaced") ? "; it replaced one from another tab" : ""}`);
      } else {
        unsent.failed();
        tell(`Draft not saved: ${await sentence(reply)}`);
      }
    } catch {
      unsent.failed();
      tell("Draft not saved: the server does not answer, or you are signed out. It is tried again as you type.");
    }
    if (sending === text) sending = null;
    if (area.value !== text) later();
  };
  const later = () => {
    clearTimeout(timer);
    since ??= performance.now();
    timer = setTimeout(save, Math.max(0, Math.min(DELAY_MS, since + LONGEST_MS - performance.now())));
  };

  if (saved === null) later(); // it could not be handed in: it is kept as a draft as soon as that works

  addEventListener("time-runs-out", () => save());

  // a page that is out of sight may never come back: phones end it without a word
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden" && !isSent()) save(true);
  });

  // what was typed last is kept when the page is left; a submission keeps it itself
  addEventListener("pagehide", () => {
    if (isSent()) return;
    if (area.value !== saved) unsent.left();
    save(true);
  });
  return {
    changed: () => {
      tell("Not saved yet");
      later();
    },
    close: () => (isClosed = true),
  };
}

// the starter in place of the text, and the text back, for as long as the page is open
function resetAndUndo(editor, area, say) {
  const button = document.getElementById("reset");
  const word = button.querySelector("span");
  const starter = document.getElementById("starter").value;
  let before = null;
  button.setAttribute("role", "button");
  const act = () => {
    if (before === null) {
      before = area.value;
      editor.replace(starter);
      say("The editor holds the starter.");
    } else {
      editor.replace(before);
      before = null;
      say("Your text is back.");
    }
    word.textContent = before === null ? "Reset to starter" : "Undo the reset";
  };
  button.addEventListener("click", (event) => {
    event.preventDefault();
    if (before !== null || area.value !== starter) act();
    else say("The editor holds the starter already.");
  });
  button.addEventListener("keydown", (event) => {
    if (event.key !== " ") return; // as a button
    event.preventDefault();
    button.click();
  });
}

// minutes and seconds since the start; from a hundred minutes on the time of the start says enough
function runClock() {
  const clock = document.getElementById("clock");
  if (!clock) return; // in an interview time counts down
  const since = new Date(clock.dataset.since).getTime();
  const show = () => {
    const seconds = Math.max(0, Math.floor((Date.now() - since) / 1000));
    clock.hidden = seconds >= 6000;
    clock.querySelector("span").textContent =
      `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
    if (!clock.hidden) setTimeout(show, 1000);
  };
  show();
}

// a run was asked for on this page: bring what is said of it into view
document.addEventListener("htmx:afterSettle", () => {
  document.getElementById("sample-run").scrollIntoView({ block: "nearest" });
});

// why the samples were not run
document.addEventListener("htmx:responseError", async (event) => {
  const panel = document.getElementById("sample-run");
  const { xhr } = event.detail;
  const text = await sentence(new Response(xhr.responseText, { status: xhr.status }));
  const line = document.createElement("p");
  line.className = "callout bad";
  line.textContent = text;
  panel.querySelector(":scope > .callout")?.remove();
  panel.prepend(line);
});
document.addEventListener("htmx:sendError", () => {
  document.getElementById("said").textContent = "The server does not answer; try again in a moment.";
});

AttemptPage(document.currentScript);
runClock();
