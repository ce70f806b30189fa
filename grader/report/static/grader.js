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

const source = document.getElementById("source");
if (source) {
  const form = document.getElementById("editing");
  document.getElementById("keys").hidden = false;
  keepDraft(source);
  numberLines(source);
  handleKeys(source);
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault(); // a double click is one submission
    sent = true;
  });
  addEventListener("pageshow", () => (sent = false));
}

// keep what is typed in this browser until a newer submission is there
function keepDraft(area) {
  const key = `draft:${area.dataset.draft}`;
  const note = document.getElementById("draft");
  try {
    const draft = JSON.parse(localStorage.getItem(key));
    if ("fresh" in area.dataset || (draft && draft.base !== area.dataset.base)) {
      localStorage.removeItem(key);
    } else if (draft && draft.text !== area.value) {
      area.value = draft.text;
      note.textContent = "Draft restored";
    }
  } catch {
    return; // storage is switched off
  }
  area.addEventListener("input", () => {
    try {
      localStorage.setItem(key, JSON.stringify({ base: area.dataset.base, text: area.value }));
      note.textContent = "Draft kept";
    } catch {
      note.textContent = "";
    }
  });
}

// line numbers beside the text, scrolled along with it
function numberLines(area) {
  const numbers = document.createElement("pre");
  numbers.setAttribute("aria-hidden", "true");
  area.before(numbers);
  const show = () => {
    const count = area.value.split("\n").length;
    numbers.textContent = Array.from({ length: count }, (_, index) => index + 1).join("\n");
    numbers.scrollTop = area.scrollTop;
  };
  area.addEventListener("input", show);
  area.addEventListener("scroll", () => (numbers.scrollTop = area.scrollTop));
  show();
}

// Tab indents unless Esc came before it, Enter keeps the indentation, Ctrl+Enter submits
function handleKeys(area) {
  let leaving = false;
  const insert = (text) => {
    // execCommand keeps the browser's undo; it is missing in no browser that knows our colours
    if (!document.execCommand("insertText", false, text)) {
      area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new Event("input"));
    }
  };
  area.addEventListener("focus", () => (leaving = false));
  area.addEventListener("keydown", (event) => {
    const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing;
    const before = area.value.slice(0, area.selectionStart).split("\n").pop();
    if (event.key === "Escape") {
      leaving = true;
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      area.form.requestSubmit(document.getElementById("submit"));
    } else if (event.key === "Tab" && plain && !leaving) {
      event.preventDefault();
      insert(" ".repeat(4 - (before.length % 4)));
    } else if (event.key === "Enter" && plain) {
      event.preventDefault();
      insert(`\n${before.match(/^\s*/)[0]}${before.trimEnd().endsWith(":") ? "    " : ""}`);
    }
    if (event.key !== "Escape") leaving = false;
  });
}
