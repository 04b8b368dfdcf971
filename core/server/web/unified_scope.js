// The domains as one row: which of them come first, and what each had to say.
// A domain that gave nothing or failed stays in the row.

import { el, replace } from "./dom.js";
import { texts } from "./texts.js";

const t = texts.unified.scope;

/** The row. `change(edit)` applies an edit to the state. */
export function scopeRow(change) {
  let latest = null;
  const list = el("ul", { class: "domains" });
  const node = el("div", { class: "scope-row", role: "group", "aria-label": t.label, hidden: true }, el("span", { class: "small scope-name", "aria-hidden": "true" }, t.name), list);

  function toggle(name) {
    change((next) => {
      next.scope = next.scope.includes(name) ? next.scope.filter((one) => one !== name) : [...next.scope, name];
    });
  }

  return {
    node,
    focus: () => list.querySelector("button")?.focus(),
    /** Shows the domains with what they had to say. While a search runs, that
     * of the one before stands; `null` for nothing. */
    show(domains, chosen, coverage = latest) {
      latest = coverage;
      node.hidden = domains.length < 2;
      if (node.hidden) return;
      const focused = list.contains(document.activeElement) ? document.activeElement.dataset.domain : null;
      const said = new Map((coverage?.domains || []).map((one) => [one.domain, one]));
      const unknown = [...said.keys(), ...chosen].filter((name) => !domains.some((one) => one.name === name));
      const all = [...domains, ...new Set(unknown)].map((one) => (typeof one === "string" ? { name: one, label: one } : one));
      replace(list, all.map((domain) => el("li", {}, button(domain, chosen.includes(domain.name), said.get(domain.name), toggle))),
        el("li", {}, chosen.length > 0 && el("button", { type: "button", class: "quiet", onclick: () => change((next) => { next.scope = []; }) }, t.clear)));
      if (focused !== null) [...list.querySelectorAll("button")].find((one) => one.dataset.domain === focused)?.focus({ preventScroll: true });
    },
  };
}

function button({ name, label }, isChosen, coverage, toggle) {
  const status = coverage?.status || "unknown";
  const said = coverage ? saidBy(coverage) : "";
  return el("button", {
    type: "button", class: `domain-button ${status}`, "data-domain": name, "aria-pressed": String(isChosen),
    title: [isChosen ? t.unscope : t.scope, coverage && t.meanings[status]].filter(Boolean).join(" "), onclick: () => toggle(name),
  }, status === "failed" || status === "partial" ? el("span", { class: "shape", "aria-hidden": "true" }) : null, label, said && el("span", { class: "said" }, said));
}

function saidBy({ status, hits, failure }) {
  if (status === "failed") return t.failures[failure] || t.failures.other;
  if (status === "ok") return texts.number(hits);
  if (status === "partial") return `${texts.number(hits)}, ${t.partial}`;
  return t[status] || status.replaceAll("_", " ");
}
