// Whether an event has happened before: how often, when, what caused it, and what fixed it.

import { getSite } from "./api.js";
import { el, link } from "./dom.js";
import { date, inZone } from "./format.js";
import { entryAddress } from "./hits.js";
import { entryList, extensionOf, titled } from "./thread.js";
import { texts } from "./texts.js";

const t = texts.again;

/** The groups of events like an entry (`id:"…"`) or a text. */
export async function eventsLike(event, signal) {
  const { groups = [] } = await extensionOf("recurrence", event, signal);
  return inFacility(groups);
}

/** Groups with times in the facility's zone. */
export async function inFacility(groups) {
  const { timezone } = await getSite();
  const local = (one) => ({ ...titled(one), timestamp: inZone(one.timestamp, timezone) });
  return groups.map((group) => ({ ...group, first: inZone(group.first, timezone), last: inZone(group.last, timezone), entries: group.entries.map(local) }));
}

/** The groups in words, each with its entries; `open` is the entry that is shown. */
export function againPanel(groups, query, open) {
  return el("section", { class: "again" }, el("h2", {}, t.title), groups.map((group) => groupNode(group, query, open)));
}

/** `SR03 (flow, circulator): this happened at least 7 times since 2019, last on 3 Mar 2025.` */
export function saidOf({ device, symptom, count, first, last }) {
  const times = t.times(count, date(first), date(last));
  const words = symptom.join(", ");
  const about = device && words ? `${device} (${words})` : device || words;
  return about ? `${about}: ${times}` : times.replace(/^./, (letter) => letter.toUpperCase());
}

function groupNode(group, query, open) {
  const { cause, outcome, outcome_held: held } = group;
  const stated = (label, one) => one && el("p", {}, label, ": “", one.text.trim(), "” ", one.entry_id === open ? "" : link(entryAddress(one.entry_id, query), {}, one.entry_id));
  const other = (said, ofGroup, id) => said && id !== ofGroup.entry_id && `“${said.text}”`;
  const why = (one) => [...one.why, other(one.cause, cause, one.entry_id), other(one.outcome, outcome, one.entry_id)].filter(Boolean).join(" · ");
  return el("div", {},
    el("p", {}, saidOf(group)),
    group.intervals_days.length > 1 && el("p", { class: "small" }, t.intervals(Math.min(...group.intervals_days), Math.max(...group.intervals_days), group.trend)),
    stated(t.caused, cause),
    stated(held ? t.fixed : t.repaired, outcome),
    el("details", {}, el("summary", { class: "small" }, t.entries(group.entries.length)), entryList("ul", group.entries, query, why, open)));
}
