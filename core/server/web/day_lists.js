// What Browse reads: the entries of a span of days, and the values of fields in
// it. With filters that is a search without words, which the list of entries
// of ARIEL does not have.

import { get, post } from "./api.js";

const MODE = "keyword";

/** Whether any field is narrowed down. */
export function hasFilters(filters) {
  return Object.values(filters).some((values) => values.length);
}

/** Filters as requests have them. */
export function filterBody(filters) {
  const chosen = Object.entries(filters).filter(([, values]) => values.length);
  return Object.fromEntries(chosen.map(([name, values]) => [name, values.join("|")]));
}

/** The newest entries of a span of days, the newest first, as `{ entries, total }`. */
export async function newest(range, filters, count, signal) {
  if (!hasFilters(filters)) return get(`/api/entries?${new URLSearchParams({ ...range, page_size: count })}`, signal);
  const found = await search(range, filters, count, [], signal);
  return { entries: found.entries, total: found.matches?.count ?? found.entries.length };
}

/** The next entries of a span of days, the newest first, after those that are
 * `shown`. With filters those of the same time as the oldest one shown may be
 * left out, beyond the first `count`: a search has no pages. */
export async function older(range, filters, shown, count, signal) {
  const page = Math.floor(shown.length / count) + 1;
  const found = hasFilters(filters)
    ? await search({ ...range, end_date: shown[0].timestamp }, filters, count, [], signal)
    : await get(`/api/entries?${new URLSearchParams({ ...range, page_size: count, page })}`, signal);
  const known = new Set(shown.map((entry) => entry.entry_id));
  return found.entries.filter((entry) => !known.has(entry.entry_id));
}

/** The values of fields over a span of days, for `drawFacets`. */
export async function valuesOf(range, filters, fields, signal) {
  if (!fields.length) return [];
  return (await search(range, filters, 1, fields, signal)).facets;
}

/** The first day from `start_date` on that has an entry. */
export async function firstDay(range, filters) {
  const line = await post("/api/timeline", { ...range, filters: filterBody(filters) });
  const found = line.spans.find((one) => one.count > 0);
  if (!found || line.unit === "day") return found?.from.slice(0, 10);
  // A span that began before the range may have only entries before it.
  const from = [found.from.slice(0, 10), range.start_date].sort()[1];
  return firstDay({ start_date: from, end_date: found.until.slice(0, 10) }, filters);
}

/** Counts at least one field, so that the number of entries comes along. */
function search(range, filters, count, fields, signal) {
  const facets = fields.length ? fields : ["author"];
  return post("/api/search", { query: " ", mode: MODE, ...range, filters: filterBody(filters), max_results: count, sort_by_time: true, facets }, signal);
}
