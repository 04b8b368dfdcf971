// The thread of an entry: what belongs to it, in the order of time.

import { get, post } from "./api.js";
import { el, link } from "./dom.js";
import { time, title } from "./format.js";
import { entryAddress } from "./hits.js";
import { texts } from "./texts.js";

/** The steps of a thread, none where it is only the entry itself, and the groups of events; nothing where `thread` is off. */
export async function threadOf(id, signal) {
  const { steps = [], groups } = await orNothing(get(`/api/entries/${encodeURIComponent(id)}/thread`, signal));
  return { steps: steps.length > 1 ? steps : [], groups };
}

/** What a pipeline says beside its answer; nothing where it is off. */
export async function extensionOf(mode, query, signal) {
  const found = await orNothing(post("/api/search", { query, mode, max_results: 1 }, signal));
  return found.extensions?.[mode] || {};
}

async function orNothing(asked) {
  try {
    return await asked;
  } catch (error) {
    if (error.name === "AbortError" || error.status === 401) throw error;
    return {};
  }
}

export function threadPanel(steps, id, query) {
  const why = (step) => (step.sentence && step.sentence !== step.title ? `“${step.sentence}”` : step.entry_id === id ? "" : step.why.join(" · "));
  return relatedSection(texts.entry.thread, "ol", steps.map(titled), query, why, id);
}

/** What is said of an entry, as an entry with its title. */
export function titled(one) {
  return { ...one, metadata: { title: one.title }, raw_text: one.title };
}

/** Entries under a heading, each with what it is there for; the open one is no link. */
export function relatedSection(name, list, entries, query, why, open) {
  return el("section", { class: list === "ol" ? "thread" : null }, el("h2", {}, name), entryList(list, entries, query, why, open));
}

export function entryList(list, entries, query, why, open) {
  return el(list, {}, entries.map((one) => el("li", {},
    one.kinds && el("strong", { class: "small" }, one.kinds.map((kind) => texts.entry.kinds[kind] || kind).join(", ")),
    one.entry_id === open ? el("span", { class: "open", "aria-current": "true" }, title(one)) : link(entryAddress(one.entry_id, query), {}, title(one)),
    el("span", { class: "meta" }, el("code", {}, one.entry_id), el("time", {}, time(one.timestamp))),
    why(one) && el("span", { class: "meta why" }, why(one)))));
}
