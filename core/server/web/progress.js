// What is shown while something runs and when it failed.

import { el } from "./dom.js";
import { texts } from "./texts.js";

const bar = document.getElementById("progress");
let running = 0;
let timer;

/** Shows a thin bar while work runs, unless it ends at once. */
export async function during(work) {
  running += 1;
  if (running === 1) timer = setTimeout(() => { bar.hidden = false; }, 150);
  try {
    return await work;
  } finally {
    running -= 1;
    if (running === 0) {
      clearTimeout(timer);
      bar.hidden = true;
    }
  }
}

/** A failure in place, with what can be done. */
export function failure(error, again) {
  return el("div", { class: "problem", role: "alert" },
    el("p", {}, error.message),
    error.requestId && el("p", { class: "small" }, texts.errors.id(error.requestId)),
    again && el("button", { type: "button", onclick: again }, texts.search.retry));
}

/** A text whose names stand in backticks. */
export function coded(message) {
  return message.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part));
}

/** Notes of a result: always there, in words. `partial` says which part failed. */
export function diagnostics(result, partial = texts.degraded) {
  const notes = result.diagnostics || [];
  const lines = notes.map((note) => el("li", { class: `note ${note.level}` },
    el("span", { class: "level" }, texts.levels[note.level] || note.level), " ",
    coded(note.message), " ", el("code", { class: "small" }, note.source)));
  if (result.degraded) lines.unshift(el("li", { class: "note warning" }, el("strong", {}, partial)));
  return lines.length ? el("ul", { class: "notes", "aria-label": texts.notes(lines.length) }, lines) : null;
}
