// Saved searches of the caller, a form for a new one, and what they found.

import { announce, el, link, marked, replace, textRanges } from "./dom.js";
import { blank, read, write } from "./address.js";
import { coded, during, failure } from "./progress.js";
import { get, post, send } from "./api.js";
import { time, title } from "./format.js";
import { entryAddress } from "./hits.js";
import { texts } from "./texts.js";

const t = texts.saved;
/** Milliseconds between two looks for matches. */
const LOOK = 15_000;
/** The least similarity of a semantic match, where none is set. */
const MIN_SIMILARITY = 0.5;
/** Matches that are shown, the newest. */
const MOST = 50;

export function savedView() {
  const outcome = el("div", { role: "status" });
  const list = el("ul", { class: "saved-list", "aria-label": t.title });
  const found = el("ul", { class: "saved-list", "aria-label": t.found });
  const given = read(location.search);
  const query = el("input", { id: "saved-query", class: "field", autocomplete: "off", value: given.q });
  const filters = el("textarea", { id: "saved-filters", class: "field", rows: 2, spellcheck: "false", value: lines(given.filters) });
  const name = el("input", { id: "saved-name", class: "field", autocomplete: "off", maxlength: 200 });
  const by = el("select", { id: "saved-by", onchange: showSimilarity }, Object.entries(t.by).map(([value, label]) => el("option", { value }, label)));
  const similarity = el("input", { id: "saved-similarity", class: "field", type: "number", min: 0, max: 1, step: 0.01, required: true, value: MIN_SIMILARITY });
  const to = el("select", { id: "saved-to" });
  const field = (label, input) => el("div", {}, el("label", { for: input.id }, label), input);
  const byField = field(t.match, by);
  const similarityField = field(t.similarity, similarity);
  const toField = field(t.deliver, to);
  const form = el("form", { class: "create", onsubmit: save },
    el("h1", {}, t.title), el("p", { class: "small" }, coded(t.help)),
    field(t.query, query), field(t.filters, filters),
    el("div", { class: "columns" }, field(t.name, name), byField, similarityField, toField),
    outcome, el("div", { class: "actions" }, el("button", { class: "primary" }, t.save)));
  const node = el("div", {}, form, el("h2", {}, t.list), list, el("h2", {}, t.found), found);
  let matches = [];
  let after = 0;
  const timer = setInterval(() => { if (!document.hidden) look(); }, LOOK);
  showSimilarity();
  load();

  /** The field is for semantic matches alone. */
  function showSimilarity() {
    similarityField.hidden = similarity.disabled = by.value === "keyword";
  }

  async function load() {
    try {
      const known = await during(get("/api/searches"));
      replace(list, known.searches.length ? known.searches.map(row) : el("li", {}, t.none));
      byField.hidden = !known.has_meaning;
      toField.hidden = !known.deliveries.length;
      const ids = known.searches.map((search) => search.search_id);
      matches = matches.filter((one) => ids.includes(one.search_id));
      replace(to, el("option", { value: "" }, t.nowhere), known.deliveries.map((one) => el("option", { value: one }, one)));
      await look();
    } catch (error) {
      if (error.status !== 401) replace(outcome, failure(error, load));
    }
  }

  async function look() {
    const seen = after;
    try {
      for (;;) {
        const more = await get(`/api/searches/matches?after=${after}`);
        matches = [...more.matches.reverse(), ...matches].slice(0, MOST);
        if (more.next === after) break;
        after = more.next;
      }
    } catch (error) {
      if (error.status !== 401) replace(outcome, failure(error, look));
      return;
    }
    if (seen && after !== seen) announce(t.news);
    replace(found, matches.length ? matches.map(match) : el("li", {}, t.nothing));
  }

  async function save(event) {
    event.preventDefault();
    const body = { name: name.value, query: query.value, by: by.value, deliver_to: to.value ? [to.value] : [] };
    if (!similarity.disabled) body.min_similarity = similarity.valueAsNumber;
    try {
      body.filters = filtersOf(filters.value);
      const saved = await during(post("/api/searches", body));
      query.value = name.value = filters.value = "";
      await load();
      replace(outcome, t.saved(saved.name));
    } catch (error) {
      if (error.status !== 401) replace(outcome, failure(error));
    }
  }

  function row(search) {
    const filters = Object.entries(search.filters).map(([key, value]) => `${key}=${value}`);
    const words = [search.query, ...filters].filter(Boolean).join(" ");
    const remove = async () => {
      try {
        await during(send(`/api/searches/${encodeURIComponent(search.search_id)}`, { method: "DELETE" }));
        await load();
        replace(outcome, t.deleted(search.name));
        query.focus();
      } catch (error) {
        if (error.status !== 401) replace(outcome, failure(error));
      }
    };
    return el("li", {},
      link(addressOf(search), {}, search.name), " ",
      search.name !== words && el("code", {}, words), " ",
      el("span", { class: "small" }, [matchedBy(search), ...search.deliver_to].join(" · ")), " ",
      search.configured ? el("span", { class: "small" }, t.configured)
        : el("button", { type: "button", class: "quiet", onclick: remove, "aria-label": t.removeOf(search.name) }, t.remove));
  }

  return { node, update: load, leave: () => clearInterval(timer) };
}

/** Filters, one `field=value` a line. */
function lines(filters) {
  return Object.entries(filters).map(([field, values]) => `${field}=${values.join("|")}`).join("\n");
}

/** The filters of such lines. Throws for a line that is none. */
function filtersOf(written) {
  const all = written.split("\n").map((line) => line.trim()).filter(Boolean);
  return Object.fromEntries(all.map((line) => {
    const at = line.indexOf("=");
    if (at < 1) throw new Error(t.noFilter(line));
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  }));
}

function matchedBy(search) {
  return search.by === "keyword" ? t.by.keyword : t.atLeast(t.by[search.by], search.min_similarity);
}

/** The search page with the query and the filters of a saved search. */
function addressOf(search) {
  const filters = Object.fromEntries(Object.entries(search.filters).map(([key, value]) => [key, [value]]));
  return write({ ...blank(), q: search.query, filters });
}

function match(one) {
  const { entry } = one;
  const fragment = one.highlights[0];
  return el("li", {},
    link(entryAddress(entry.entry_id), { class: "line-title" }, title(entry)), " ",
    el("span", { class: "small" }, `${one.search_name} · ${time(entry.timestamp)}`),
    fragment && el("p", { class: "small" }, marked(fragment.text, textRanges(fragment.text, fragment.ranges))));
}
