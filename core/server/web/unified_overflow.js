// What is offered from outside of the scope, and why it is or is not.

import { date, inZone } from "./format.js";
import { el, link } from "./dom.js";
import { entryAddress } from "./hits.js";
import { labelOf } from "./unified_cards.js";
import { texts } from "./texts.js";
import { write } from "./address.js";

const t = texts.unified.overflow;

/** The section below the cards; nothing without a scope. */
export function overflow(result, state, site) {
  const { overflow } = result;
  if (!overflow) return null;
  const facets = new Map(result.cards.flatMap((card) => card.facets).map((facet) => [facet.entryId, facet]));
  const entries = new Map(result.entries.map((entry) => [entry.entry_id, entry]));
  const rows = overflow.hits.map((hit) => {
    const facet = facets.get(hit.entryId);
    const time = entries.get(hit.entryId)?.timestamp || (facet && inZone(facet.timestamp, site.timezone));
    return el("li", {},
      el("span", { class: "domain" }, labelOf(hit.domain, site)),
      link(entryAddress(hit.entryId, state.q), { class: "hit-title" }, facet?.title || hit.entryId),
      time && el("time", { class: "small", datetime: time }, date(time)));
  });
  return el("section", { class: "overflow", "aria-label": t.title },
    el("h2", {}, t.title),
    el("p", { class: "small" }, overflow.reason.replace(/^./, (letter) => letter.toUpperCase()), "."),
    rows.length > 0 && el("ul", {}, rows),
    link(write({ ...state, scope: [] }), { class: "small" }, t.everywhere));
}
