// Whether an event has happened before: how often, when, and what fixed it.

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

/** `SR03: this happened 7 times since 2019, last on 3 Mar 2025.` */
export function saidOf(group) {
  const times = t.times(group.count, date(group.first), date(group.last));
  return group.device ? `${group.device}: ${times}` : times.replace(/^./, (letter) => letter.toUpperCase());
}

function groupNode(group, query, open) {
  const [repair] = group.entries.filter((one) => one.outcome).sort((a, b) => b.outcome.probability - a.outcome.probability);
  const why = (one) => [...one.why, one.outcome && one !== repair && `“${one.outcome.text}”`].filter(Boolean).join(" · ");
  return el("div", {},
    el("p", {}, saidOf(group)),
    group.intervals_days.length > 1 && el("p", { class: "small" }, t.intervals(Math.min(...group.intervals_days), Math.max(...group.intervals_days), group.trend)),
    repair && el("p", {}, t.fixed, ": “", repair.outcome.text.trim(), "” ", repair.entry_id === open ? "" : link(entryAddress(repair.entry_id, query), {}, repair.entry_id)),
    el("details", {}, el("summary", { class: "small" }, t.entries(group.entries.length)), entryList("ul", group.entries, query, why, open)));
}
