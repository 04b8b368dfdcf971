// Cards: what was found, grouped by the device, person or document that it is
// about. A card of one entry looks like an entry.

import { el, link } from "./dom.js";
import { date, inZone } from "./format.js";
import { failure } from "./progress.js";
import { hitNode } from "./hits.js";
import { opened } from "./unified_context.js";
import { post } from "./api.js";
import { reasons } from "./unified_reasons.js";
import { texts } from "./texts.js";
import { write } from "./address.js";

const t = texts.unified;
/** Entries of a card that are shown without being asked for, beside cited ones. */
const FEW = 2;

/** The cards of a result as elements, and the ids of the entries as numbered. */
export function cards(result, state, site) {
  const view = new View(result, state, site);
  return { nodes: result.cards.map((card) => view.card(card)), ids: view.ids };
}

/** The name of a domain for people. */
export function labelOf(domain, site) {
  return site.unified?.domains.find((one) => one.name === domain)?.label || domain;
}

class View {
  constructor(result, state, site) {
    this.state = state;
    this.site = site;
    this.entries = new Map(result.entries.map((entry) => [entry.entry_id, entry]));
    this.hits = new Map(result.hits.map((hit) => [hit.entryId, hit]));
    this.cited = result.contextAnswer.citations || [];
    this.hasScope = (result.plan.scope || []).length > 0;
    this.words = matchedWords(result.entries);
    this.ids = [];
  }

  card(card) {
    const isGroup = card.facets.length > 1;
    const list = el("ol", { class: "card-entries" });
    const isShown = (facet, at) => !isGroup || at < FEW || this.cited.includes(facet.entryId);
    const shown = card.facets.filter(isShown);
    list.append(...shown.map((facet) => this.facet(card, facet, isGroup)));
    const node = el("li", { class: `card${isGroup ? " group" : ""}${this.hasScope && !card.inScope ? " outside" : ""}`, "data-entity": card.entityKey },
      isGroup && this.head(card), list, isGroup && this.foot(card, shown, list));
    return node;
  }

  head(card) {
    const { first, last } = card.synthesisHints;
    const days = [...new Set([first, last].filter(Boolean).map((time) => date(this.zoned(time))))].join(" – ");
    const aliases = card.aliases || [];
    return el("header", { class: "card-head" },
      el("h3", {}, card.title),
      el("span", { class: "tag" }, t.types[card.entityType] || card.entityType),
      this.hasScope && !card.inScope && el("span", { class: "small" }, t.outside),
      aliases.length > 0 && el("span", { class: "small aliases" }, t.alsoCalled(aliases.join(", "))),
      el("span", { class: "small span" }, [texts.browse.count(card.hits), days].filter(Boolean).join(" · ")));
  }

  facet(card, facet, isGroup) {
    const id = facet.entryId;
    this.ids.push(id);
    const label = labelOf(facet.domain, this.site);
    const entry = this.entries.get(id) || this.asEntry(facet);
    return hitNode(entry, this.ids.length, this.state, this.cited.includes(id), {
      domain: label,
      heading: isGroup ? "h4" : "h3",
      reasons: () => reasons({ ...facet, label }, this.hits.get(id), entry),
      opened: () => opened(card, facet, this.state.q),
    });
  }

  /** What a card knows of an entry that the list has no room for. */
  asEntry(facet) {
    const text = `${facet.title}\n${facet.snippet.startsWith(facet.title) ? facet.snippet.slice(facet.title.length).trim() : facet.snippet}`;
    return {
      entry_id: facet.entryId, raw_text: text, metadata: { title: facet.title }, author: facet.author, timestamp: this.zoned(facet.timestamp),
      attachments: [], provenance: [], fragments: [{ text, ranges: byteRanges(text, this.words) }],
    };
  }

  foot(card, shown, list) {
    const rest = card.hits - shown.length;
    const searches = card.actions.filter((action) => action.action === "search");
    const more = rest > 0 && el("button", { type: "button", class: "quiet more-of", onclick: () => this.showAll(card, list, more) }, t.moreOf(rest, card.title));
    return el("p", { class: "card-foot" }, more,
      searches.map((action) => link(write({ ...this.state, q: action.query, quick: false, ignored: [] }), { class: "small" }, action.label)));
  }

  /** Adds the entries of a card that are not shown. */
  async showAll(card, list, button) {
    const shown = [...list.children].map((row) => row.dataset.hit);
    const missing = card.entries.filter((id) => !shown.includes(id));
    button.disabled = true;
    try {
      const found = await post("/api/search", { query: " ", mode: "keyword", filters: { id: missing.join("|") }, max_results: 100 });
      const known = new Map(found.entries.map((entry) => [entry.entry_id, entry]));
      const rows = missing.map((id) => this.later(card, id, known.get(id))).filter(Boolean);
      const elsewhere = card.hits - shown.length - rows.length;
      list.append(...rows, ...(elsewhere > 0 ? [el("li", { class: "small elsewhere" }, t.elsewhere(elsewhere))] : []));
      button.remove();
      rows[0]?.querySelector(".hit-title").focus();
    } catch (error) {
      button.disabled = false;
      if (error.status !== 401) list.append(el("li", {}, failure(error)));
    }
  }

  later(card, id, entry) {
    const facet = card.facets.find((one) => one.entryId === id);
    if (facet) return this.facet(card, facet, true);
    if (!entry) return null;
    this.ids.push(id);
    // The module ranked it among others; on the card it is one more entry.
    const more = { heading: "h4", reasons: () => el("p", {}, t.groupedBy(card.title)), opened: () => opened(card, { domain: card.domains[0], entryId: id }, this.state.q) };
    return hitNode({ ...entry, provenance: [] }, this.ids.length, this.state, false, more);
  }

  zoned(time) {
    return inZone(time, this.site.timezone);
  }
}

/** The words that matched, as the entries have them. */
function matchedWords(entries) {
  const words = entries.flatMap((entry) => (entry.fragments || []).flatMap((fragment) => marksOf(fragment)));
  return [...new Set(words.map((word) => word.toLowerCase()))];
}

function marksOf({ text, ranges }) {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  return ranges.map(([start, end]) => decoder.decode(bytes.subarray(start, end)));
}

/** Where words stand in a text, as the server says it: in bytes of UTF-8. */
function byteRanges(text, words) {
  if (!words.length) return [];
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).sort((a, b) => b.length - a.length);
  const found = text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})(?![\\p{L}\\p{N}])`, "giu"));
  const size = (part) => new TextEncoder().encode(part).length;
  return [...found].map((match) => [size(text.slice(0, match.index)), size(text.slice(0, match.index + match[0].length))]);
}
