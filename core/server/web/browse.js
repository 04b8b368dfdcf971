// Entries by day and shift, under the days of the month and the whole time.

import { addDays, addMonths, body, date, longDate, monthName, time, title } from "./format.js";
import { during, failure } from "./feedback.js";
import { el, iconButton, link, replace } from "./dom.js";
import { entryAddress, rememberResults } from "./hits.js";
import { get, getSite, post } from "./api.js";
import { go, setTitle } from "./app.js";
import { histogram } from "./histogram.js";
import { texts } from "./texts.js";

export function browseView() {
  const content = browseContent({ day: dayOfAddress(), isPage: true });
  setTitle(texts.browse.title);
  return {
    node: content.node,
    keys: (event, isTyping) => !isTyping && content.keys(event),
    update() { content.show(dayOfAddress()); },
    leave: content.leave,
  };
}

function dayOfAddress() {
  const day = new URLSearchParams(location.search).get("day") || "";
  return /^\d{4}-\d{2}-\d{2}$/.test(day) ? day : null;
}

/** Entries before the day that are shown below it. */
const EARLIER = 20;

/** A day with its month; the latest one where none is named. */
export function browseContent({ day, isPage }) {
  const heading = el("h2", { class: "day-title", "aria-live": "polite" });
  const month = el("div", { class: "month", role: "group", "aria-label": texts.browse.month });
  const lanes = el("div", { class: "lanes" });
  const chart = histogram((from) => choose(from));
  const monthTitle = el("h2", {});
  const node = el("div", { class: "browse" },
    el(isPage ? "h1" : "h2", { class: "unseen" }, texts.browse.title),
    el("div", { class: "browse-side" },
      el("div", { class: "month-head" }, monthTitle, el("span", {},
        iconButton("left", texts.browse.previousMonth, () => stepMonth(-1)), iconButton("right", texts.browse.nextMonth, () => stepMonth(1)))),
      month, chart.node),
    el("section", { class: "day" },
      el("div", { class: "day-head" }, heading, el("span", { class: "day-tools" },
        iconButton("left", texts.browse.previousDay, () => stepDay(-1)), iconButton("right", texts.browse.nextDay, () => stepDay(1)),
        el("button", { type: "button", class: "quiet", onclick: () => choose(site?.last?.slice(0, 10)) }, texts.browse.latest))),
      lanes));
  let current = day;
  let site = null;
  let counts = new Map();
  let loading = null;
  show(day);
  getSite().then(() => post("/api/timeline", {})).then((line) => chart.show(line)).catch(() => chart.show({ spans: [], unit: "day" }));

  function choose(next) {
    if (!next) return;
    if (isPage) go(`/browse?day=${next}`);
    else show(next);
  }

  async function show(wanted) {
    loading?.abort();
    loading = new AbortController();
    const { signal } = loading;
    try {
      site = await getSite();
      current = wanted || site.last?.slice(0, 10) || new Date().toISOString().slice(0, 10);
      const first = addMonths(current, 0);
      const range = { start_date: first, end_date: addDays(addMonths(current, 1), -1) };
      const query = new URLSearchParams({ start_date: current, end_date: current, page_size: 100, sort_order: "asc" });
      const before = new URLSearchParams({ end_date: addDays(current, -1), page_size: EARLIER });
      const [line, page, earlier] = await during(Promise.all([
        post("/api/timeline", { ...range, unit: "day" }, signal), get(`/api/entries?${query}`, signal), get(`/api/entries?${before}`, signal)]));
      counts = new Map(line.spans.map((one) => [one.from.slice(0, 10), one.count]));
      drawMonth(first);
      drawDay(page, earlier.entries);
    } catch (error) {
      if (error.name !== "AbortError" && error.status !== 401) replace(lanes, failure(error, () => show(wanted)));
    }
  }

  function drawMonth(first) {
    monthTitle.textContent = monthName(first);
    const most = Math.max(...counts.values(), 1);
    const next = addMonths(first, 1);
    const blanks = (new Date(`${first}T00:00:00Z`).getUTCDay() + 6) % 7;
    const cells = Array.from({ length: blanks }, () => el("span", {}));
    for (let day = first; day < next; day = addDays(day, 1)) {
      const count = counts.get(day) || 0;
      const heat = count ? Math.ceil((count / most) * 4) : 0;
      const label = texts.browse.day(longDate(day), count);
      const props = { type: "button", class: `heat heat-${heat}`, title: label, "aria-label": label, "aria-pressed": String(day === current), onclick: () => choose(day) };
      cells.push(el("button", props, String(Number(day.slice(8)))));
    }
    replace(month, cells);
  }

  function drawDay({ entries, total }, earlier) {
    replace(heading, longDate(current), " ", el("span", { class: "small" }, texts.browse.count(total)));
    rememberResults([...entries, ...earlier], "", isPage ? location.pathname + location.search : "/");
    const none = el("p", { class: "empty" }, texts.browse.empty, " ", el("button", { type: "button", onclick: nearest }, texts.browse.nextWith));
    const days = Map.groupBy(earlier, (entry) => entry.timestamp.slice(0, 10));
    replace(lanes, entries.length ? shiftLanes(entries) : none, [...days].map(([day, group]) => el("section", { class: "earlier" },
      el("h3", {}, el("button", { type: "button", class: "quiet", onclick: () => choose(day) }, longDate(day))), el("div", {}, shiftLanes(group.reverse())))));
  }

  async function nearest() {
    const [before, after] = await during(Promise.all([
      get(`/api/entries?${new URLSearchParams({ end_date: current, page_size: 1 })}`),
      get(`/api/entries?${new URLSearchParams({ start_date: current, page_size: 1, sort_order: "asc" })}`)]));
    const days = [...before.entries, ...after.entries].map((entry) => entry.timestamp.slice(0, 10));
    const distance = (day) => Math.abs(new Date(day) - new Date(current));
    choose(days.sort((a, b) => distance(a) - distance(b))[0]);
  }

  function stepDay(step) { choose(addDays(current, step)); }
  function stepMonth(step) { choose(addMonths(current, step)); }

  function move(step) {
    const titles = [...node.querySelectorAll(".line-title")];
    const at = titles.indexOf(document.activeElement);
    titles[Math.min(Math.max(at + step, 0), titles.length - 1)]?.focus();
    return titles.length > 0;
  }

  function keys(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") return move(event.key === "ArrowDown" ? 1 : -1);
    if (event.key === "[" || event.key === "]") { stepDay(event.key === "[" ? -1 : 1); return true; }
    if (event.key === "t") { document.getElementById("time").focus(); return true; }
    return false;
  }

  return { node, keys, show, leave: () => loading?.abort(), label: () => date(current) };
}

/** The entries of a day by shift. */
function shiftLanes(entries) {
  const shifts = Map.groupBy(entries, (entry) => (typeof entry.metadata.shift === "string" ? entry.metadata.shift : texts.browse.noShift));
  return [...shifts].map(([shift, group]) => el("div", { class: "lane" },
    el("h4", {}, shift),
    el("ol", {}, group.map((entry) => el("li", {},
      el("time", { datetime: entry.timestamp, title: time(entry.timestamp) }, entry.timestamp.slice(11, 16)),
      el("div", { class: "line" }, link(entryAddress(entry.entry_id), { class: "line-title" }, title(entry)),
        el("p", { class: "peek" }, body(entry).slice(0, 200))),
      el("span", { class: "meta" }, entry.author))))));
}
