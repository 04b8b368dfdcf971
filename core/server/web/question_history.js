// The questions that a user asked and that found something: a list in place,
// and a button that forgets them.

import { ago } from "./format.js";
import { announce, el, iconButton, link, replace } from "./dom.js";
import { during, failure } from "./progress.js";
import { get, post } from "./api.js";
import { texts } from "./texts.js";
import { write } from "./address.js";

const t = texts.unified.history;

/** The button and the panel that it opens. `state()` is what is searched. */
export function questionHistory(state) {
  const panel = el("section", { class: "history", id: "history", hidden: true, "aria-label": t.title });
  const button = iconButton("clock", t.title, () => toggle(), { "aria-expanded": "false", "aria-controls": "history", hidden: true });

  function toggle(isOpen = panel.hidden) {
    panel.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) load();
  }

  async function load() {
    try {
      draw((await during(get("/v1/search/history"))).entries);
      panel.querySelector("a")?.focus();
    } catch (error) {
      if (error.status !== 401) replace(panel, failure(error, load));
    }
  }

  async function clear() {
    try {
      draw((await post("/v1/search/history/clear", {})).entries);
      announce(t.cleared);
      button.focus();
    } catch (error) {
      if (error.status !== 401) replace(panel, failure(error, clear));
    }
  }

  function draw(entries) {
    replace(panel,
      el("header", {}, el("h2", {}, t.title), entries.length > 0 && el("button", { type: "button", class: "quiet", onclick: clear }, t.clear)),
      entries.length ? el("ul", {}, entries.map(row)) : el("p", { class: "small" }, t.none),
      el("p", { class: "small" }, t.kept));
  }

  function row(entry) {
    const [word] = texts.answer.states[entry.status] || [entry.status || ""];
    return el("li", {},
      link(write({ ...state(), q: entry.q, quick: false, ignored: [] }), {}, entry.q),
      el("span", { class: `badge ${entry.status || ""}` }, el("span", { class: "shape", "aria-hidden": "true" }), el("span", { class: "small" }, word)),
      el("span", { class: "small cards-count" }, t.cards(entry.cards)),
      el("time", { class: "small", datetime: entry.askedAt }, ago(entry.askedAt)));
  }

  return { button, panel, toggle, close: () => { if (!panel.hidden) toggle(false); } };
}
