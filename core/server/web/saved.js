// Saved searches of the caller, a form for a new one, and what they found.

import { announce, el, link, marked, replace, textRanges } from "./dom.js";
import { blank, write } from "./address.js";
import { coded, during, failure } from "./progress.js";
import { get, post, send } from "./api.js";
import { time, title } from "./format.js";
import { entryAddress } from "./hits.js";
import { texts } from "./texts.js";

const t = texts.saved;
/** Milliseconds between two looks for matches. */
const LOOK = 15_000;
/** Matches that are shown, the newest. */
const MOST = 50;

export function savedView() {
  const outcome = el("div", { role: "status" });
  const list = el("ul", { class: "saved-list", "aria-label": t.title });
  const found = el("ul", { class: "saved-list", "aria-label": t.found });
  const query = el("input", { id: "saved-query", class: "field", autocomplete: "off", value: new URLSearchParams(location.search).get("q") || "" });
  const name = el("input", { id: "saved-name", class: "field", autocomplete: "off", maxlength: 200 });
  const by = el("select", { id: "saved-by" }, Object.entries(t.by).map(([value, label]) => el("option", { value }, label)));
  const to = el("select", { id: "saved-to" });
  const field = (label, input) => el("div", {}, el("label", { for: input.id }, label), input);
  const byField = field(t.match, by);
  const toField = field(t.deliver, to);
  const form = el("form", { class: "create", onsubmit: save },
    el("h1", {}, t.title), el("p", { class: "small" }, coded(t.help)),
    field(t.query, query), el("div", { class: "columns" }, field(t.name, name), byField, toField),
    outcome, el("div", { class: "actions" }, el("button", { class: "primary" }, t.save)));
  const node = el("div", {}, form, el("h2", {}, t.list), list, el("h2", {}, t.found), found);
  let matches = [];
  let after = 0;
  const timer = setInterval(() => { if (!document.hidden) look(); }, LOOK);
  load();

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
    try {
      const saved = await during(post("/api/searches", body));
      query.value = name.value = "";
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
      el("span", { class: "small" }, [t.by[search.by], ...search.deliver_to].join(" · ")), " ",
      search.configured ? el("span", { class: "small" }, t.configured)
        : el("button", { type: "button", class: "quiet", onclick: remove, "aria-label": t.removeOf(search.name) }, t.remove));
  }

  return { node, update: load, leave: () => clearInterval(timer) };
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
