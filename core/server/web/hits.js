// The list of entries that were found.

import { el, icon, link, marked, textRanges } from "./dom.js";
import { ago, body, score, time, title } from "./format.js";
import { light } from "./answer.js";
import { texts } from "./texts.js";

const KEPT = "gannet-results";

/** Remembers the order of a result, for going from entry to entry, and the
 * entries that may be kept elsewhere. */
export function rememberResults(entries, query, back, given = []) {
  sessionStorage.setItem(KEPT, JSON.stringify({ ids: entries.map((entry) => entry.entry_id), query, back, given }));
}

export function rememberedResults() {
  return JSON.parse(sessionStorage.getItem(KEPT) || "null");
}

/** The address of an entry as a search found it. */
export function entryAddress(id, query, sentence) {
  const params = new URLSearchParams();
  if (query) params.set("q", query);
  if (sentence) params.set("s", sentence);
  const text = params.toString();
  return `/entry/${encodeURIComponent(id)}${text ? `?${text}` : ""}`;
}

/** One entry of a result. `more`: its `domain`, the `heading` of its title,
 * `reasons()` instead of the ranks, and what is called when it is `opened`.
 * Ranks and scores are shown to who asks why. */
export function hitNode(entry, rank, state, cited, more = {}) {
  const ranks = entry.provenance || [];
  // The members of a set are in the order of time, and have no ranks.
  const isRanked = Boolean(more.reasons) || ranks.length > 0 || entry.score_kind !== "other";
  const explained = () => (more.reasons ? more.reasons() : provenance(entry, ranks));
  const summary = el("summary", { class: "provenance", onclick: () => { if (!summary.nextSibling) summary.after(explained()); } }, texts.hit.why);
  const meta = entry.metadata || {};
  const isMarked = (on) => () => cited && light(entry.entry_id, on);
  return el("li", { class: "hit", "data-hit": entry.entry_id, onmouseenter: isMarked(true), onmouseleave: isMarked(false) },
    el("div", { class: "hit-head" },
      el("span", { class: "number", "aria-hidden": "true" }, String(rank)),
      el(more.heading || "h3", {}, link(entryAddress(entry.entry_id, state.q), { class: "hit-title", onclick: more.opened }, titleNodes(entry))),
      cited && el("span", { class: "tag cited" }, texts.hit.cited),
      el("time", { datetime: entry.timestamp, title: ago(entry.timestamp) }, time(entry.timestamp))),
    el("p", { class: "snippet" }, snippet(entry)),
    el("div", { class: "meta" },
      more.domain && el("span", { class: "domain" }, more.domain),
      el("code", {}, entry.entry_id),
      entry.author && el("span", {}, entry.author),
      typeof meta.shift === "string" && el("span", {}, meta.shift.toLowerCase()),
      entry.attachments.length > 0 && el("span", { class: "with-icon" }, icon("file"), String(entry.attachments.length)),
      isRanked && el("details", { class: "why" }, summary)));
}

/** Fragments around the matches; the beginning of the text where there are none. */
function snippet(entry) {
  const own = title(entry);
  const parts = (entry.fragments || []).map((fragment) => {
    const ranges = textRanges(fragment.text, fragment.ranges);
    // The title stands above already.
    const cut = fragment.text.startsWith(own) ? fragment.text.slice(own.length).search(/\S/) + own.length : 0;
    if (cut < own.length && fragment.text.startsWith(own)) return null;
    const moved = ranges.filter(([start]) => start >= cut);
    // Close to the first match, so that it is within the lines that are shown.
    const near = moved.length ? Math.max(cut, fragment.text.lastIndexOf(" ", Math.max(cut, moved[0][0] - 70)) + 1) : cut;
    const text = fragment.text.slice(near);
    const shifted = moved.map(([start, end]) => [start - near, end - near]);
    return text.trim() ? { nodes: [near > cut ? "… " : "", ...marked(text, shifted)], isMatch: moved.length > 0, isEnd: entry.raw_text.trimEnd().endsWith(text.trimEnd()) } : null;
  }).filter(Boolean);
  const matching = parts.filter((part) => part.isMatch);
  const shown = matching.length ? matching : parts;
  if (!shown.length) return body(entry).slice(0, 280);
  return [...shown.flatMap((part, at) => (at ? [" … ", ...part.nodes.slice(1)] : part.nodes)), shown.at(-1).isEnd ? "" : " …"];
}

/** The title, with the words that matched in it. */
function titleNodes(entry) {
  const own = title(entry);
  const first = (entry.fragments || []).find((fragment) => fragment.text.startsWith(own));
  if (!first) return own;
  return marked(own, textRanges(first.text, first.ranges).filter(([, end]) => end <= own.length));
}

/** Shows a cited sentence in an entry of the list. */
export function showSentence(node, entry, sentence) {
  const text = entry.raw_text;
  const at = place(text, sentence);
  if (at) {
    const start = Math.max(0, text.lastIndexOf(" ", Math.max(0, at[0] - 80)));
    const end = Math.min(text.length, at[1] + 80);
    const before = start > 0 ? "… " : "";
    const shown = text.slice(start, end);
    node.querySelector(".snippet").replaceChildren(before, ...marked(shown, [[at[0] - start, at[1] - start]], "quoted"), end < text.length ? " …" : "");
    node.classList.add("opened");
  }
  node.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  node.querySelector(".hit-title").focus({ preventScroll: true });
}

/** Where a sentence stands in a text, with any white space between its words. */
export function place(text, sentence) {
  const words = sentence.split(/\s+/).filter(Boolean).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!words.length) return null;
  const found = new RegExp(words.join("\\s+")).exec(text);
  return found ? [found.index, found.index + found[0].length] : null;
}

export function moduleName(module) {
  return texts.hit.modules[module] || module.replaceAll("_", " ");
}

function provenance(entry, ranks) {
  const rows = ranks.map((one) => el("tr", {},
    el("th", { scope: "row" }, moduleName(one.module)), el("td", {}, String(one.rank)), el("td", {}, score(one.score)), el("td", {}, one.score_kind.replaceAll("_", " "))));
  return el("div", {},
    ranks.length > 0 && el("table", {},
      el("thead", {}, el("tr", {}, [texts.hit.module, texts.hit.rankTitle, texts.hit.scoreTitle, texts.hit.scale].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, rows)),
    el("p", { class: "small" }, texts.hit.score(score(entry.score), entry.score_kind)));
}
