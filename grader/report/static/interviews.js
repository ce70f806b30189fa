// Comforts of the interviewers' pages. Every page works without them.
"use strict";

// times are sent in UTC; with this script they are shown and typed in the reader's own zone
const zone = new Intl.DateTimeFormat([], { timeZoneName: "short" }).formatToParts(new Date())
  .find((part) => part.type === "timeZoneName")?.value ?? "your time";
const digits = (number) => String(number).padStart(2, "0");
function local(utc) {
  const when = new Date(`${utc}Z`);
  const day = `${when.getFullYear()}-${digits(when.getMonth() + 1)}-${digits(when.getDate())}`;
  return `${day}T${digits(when.getHours())}:${digits(when.getMinutes())}`;
}
for (const place of document.querySelectorAll("[data-zone-name]")) {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  place.textContent = `in your time zone, ${name}${name === zone ? "" : ` (${zone} now)`}`;
}
for (const field of document.querySelectorAll("input[data-utc]")) {
  const sent = document.createElement("input");
  sent.type = "hidden";
  sent.name = field.name;
  sent.value = field.value;
  field.removeAttribute("name");
  if (field.value) field.value = local(field.value);
  field.after(sent);
  field.addEventListener("input", () => {
    sent.value = field.value ? new Date(field.value).toISOString().slice(0, 16) : "";
  });
  const word = field.parentElement.querySelector("[data-zone]");
  if (word) word.textContent = `(${zone})`;
}

// tables that are asked for again stay where they were scrolled to
let scrolled = [];
document.addEventListener("htmx:beforeSwap", () => {
  scrolled = [...document.querySelectorAll(".scroll[id]")].map(({ id, scrollLeft }) => [id, scrollLeft]);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const [id, left] of scrolled) {
    const table = document.getElementById(id);
    if (table) table.scrollLeft = left;
  }
});

// a text is copied at a click
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText(field.value);
    button.lastElementChild.textContent = "Copied";
  });
}
