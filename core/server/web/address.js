// The state of a search as an address: what is shown can be shared, reloaded
// and gone back to.

/** An empty search. */
export function blank() {
  return { q: "", mode: "", quick: false, sort: "", from: "", to: "", count: 10, filters: {}, scope: [], ignored: [], params: {} };
}

/** The search of an address. */
export function read(search) {
  const query = new URLSearchParams(search);
  const state = blank();
  state.q = query.get("q") || "";
  state.mode = query.get("mode") || "";
  state.quick = query.has("quick");
  state.sort = query.get("sort") === "time" ? "time" : "";
  state.from = query.get("from") || "";
  state.to = query.get("to") || "";
  state.count = Math.min(Math.max(Number(query.get("n")) || 10, 1), 100);
  state.scope = (query.get("scope") || "").split(",").filter(Boolean);
  state.ignored = query.getAll("ignore");
  for (const [name, value] of query) {
    if (name.startsWith("f.")) state.filters[name.slice(2)] = value.split("|");
    if (name.startsWith("p.")) state.params[name.slice(2)] = parsed(value);
  }
  return state;
}

/** The address of a search. */
export function write(state) {
  const query = new URLSearchParams();
  const set = (name, value) => value && query.set(name, value);
  set("q", state.q);
  set("mode", state.mode);
  if (state.quick) query.set("quick", "1");
  set("sort", state.sort);
  set("from", state.from);
  set("to", state.to);
  if (state.count !== 10) query.set("n", state.count);
  set("scope", state.scope.join(","));
  for (const word of state.ignored) query.append("ignore", word);
  setFilters(query, state.filters);
  for (const [name, value] of Object.entries(state.params)) query.set(`p.${name}`, JSON.stringify(value));
  const text = query.toString();
  return text ? `/?${text}` : "/";
}

/** The address of a day, with the same filters. */
export function browseAddress(day, filters) {
  const query = new URLSearchParams({ day });
  setFilters(query, filters);
  return `/browse?${query}`;
}

function setFilters(query, filters) {
  for (const [name, values] of Object.entries(filters)) if (values.length) query.set(`f.${name}`, values.join("|"));
}

/** The body of a request to `/api/search`. */
export function request(state, mode, facets) {
  return {
    ...scope(state),
    mode,
    max_results: state.count,
    sort_by_time: state.sort === "time",
    advanced_params: mode === state.mode || !state.mode ? state.params : {},
    ignored_words: state.ignored,
    facets,
    count_any_word: mode !== "keyword",
  };
}

/** What a search and a time line have in common. */
export function scope(state) {
  const filters = Object.entries(state.filters).filter(([, values]) => values.length);
  return {
    query: state.q,
    start_date: state.from || null,
    end_date: state.to || null,
    filters: Object.fromEntries(filters.map(([name, values]) => [name, values.join("|")])),
  };
}

/** Whether anything narrows the search down. */
export function isNarrowed(state) {
  return Boolean(state.from || state.to || Object.values(state.filters).some((values) => values.length));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
