// The thread of an entry: what belongs to it, in the order of time.

import { post } from "./api.js";
import { el, link } from "./dom.js";
import { time, title } from "./format.js";
import { entryAddress } from "./hits.js";
import { texts } from "./texts.js";

/** The steps of a thread; none where it is only the entry itself, or where `thread` is off. */
export async function threadOf(id, signal) {
  try {
    const found = await post("/api/search", { query: `id:"${id}"`, mode: "thread", max_results: 20 }, signal);
    const steps = found.extensions?.thread?.steps || [];
    return steps.length > 1 ? steps : [];
  } catch (error) {
    if (error.name === "AbortError" || error.status === 401) throw error;
    return [];
  }
}

export function threadPanel(steps, id, query) {
  const entries = steps.map((step) => ({ ...step, metadata: { title: step.title }, raw_text: step.title }));
  const why = (step) => (step.sentence && step.sentence !== step.title ? `“${step.sentence}”` : step.entry_id === id ? "" : step.why.join(" · "));
  return relatedSection(texts.entry.thread, "ol", entries, query, why, id);
}

/** Entries under a heading, each with what it is there for; the open one is no link. */
export function relatedSection(name, list, entries, query, why, open) {
  return el("section", { class: list === "ol" ? "thread" : null }, el("h2", {}, name), el(list, {}, entries.map((one) => el("li", {},
    one.kinds && el("strong", { class: "small" }, one.kinds.map((kind) => texts.entry.kinds[kind] || kind).join(", ")),
    one.entry_id === open ? el("span", { class: "open", "aria-current": "true" }, title(one)) : link(entryAddress(one.entry_id, query), {}, title(one)),
    el("span", { class: "meta" }, el("code", {}, one.entry_id), el("time", {}, time(one.timestamp))),
    why(one) && el("span", { class: "meta why" }, why(one))))));
}
