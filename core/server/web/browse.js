// Entries by day and shift, beside the days of the month, the whole time and
// the values that narrow them down.

import { addDays, addMonths, body, date, isDay, longDate, monthName, shortDate, time, title } from "./format.js";
import { blank, browseAddress, read } from "./address.js";
import { during, failure } from "./progress.js";
import { drawFacets } from "./facets.js";
import { filterBody, firstDay, newest, older, valuesOf } from "./day_lists.js";
import { el, iconButton, link, replace } from "./dom.js";
import { entryAddress, rememberResults } from "./hits.js";
import { getCapabilities, getSite, modesOf, post } from "./api.js";
import { go, leftPlace, returnTo, setTitle } from "./navigation.js";
import { histogram } from "./histogram.js";
import { planChips } from "./plan.js";
import { texts } from "./texts.js";

export function browseView() {
  const content = browseContent({ ...ofAddress(), isPage: true });
  setTitle(texts.browse.title);
  return {
    node: content.node,
    keys: (event, isTyping) => !isTyping && content.keys(event),
    update() { content.show(ofAddress()); },
    leave: content.leave,
  };
}

function ofAddress() {
  const day = new URLSearchParams(location.search).get("day") || "";
  return { day: isDay(day) ? day : null, filters: read(location.search).filters, place: leftPlace() };
}

/** Entries before the day that are shown below it. */
const EARLIER = 20;
/** Entries of a day that are shown at first, and more at a time. */
const OF_DAY = 100;

/** A day with its month; the latest one where none is named. */
export function browseContent({ day, filters = {}, place = null, isPage }) {
  const heading = el("h2", { class: "day-title", "aria-live": "polite" });
  const month = el("div", { class: "month", role: "group", "aria-label": texts.browse.month });
  const lanes = el("div", { class: "lanes" });
  const chart = histogram((from) => choose(from));
  const facets = el("div", { class: "facets", id: "facets" });
  const chips = el("ul", { class: "chips", "aria-label": texts.facets.title });
  const monthTitle = el("h2", {});
  const node = el("div", { class: "browse" },
    el(isPage ? "h1" : "h2", { class: "unseen" }, texts.browse.title),
    el("div", { class: "browse-side" },
      el("div", { class: "month-head" }, monthTitle, el("span", {},
        iconButton("left", texts.browse.previousMonth, () => stepMonth(-1)), iconButton("right", texts.browse.nextMonth, () => stepMonth(1)))),
      month, chart.node, facets),
    el("section", { class: "day" },
      el("div", { class: "day-head" }, heading, el("span", { class: "day-tools" },
        iconButton("left", texts.browse.previousDay, () => stepDay(-1)), iconButton("right", texts.browse.nextDay, () => stepDay(1)),
        el("button", { type: "button", class: "quiet", onclick: () => choose(site?.last?.slice(0, 10)) }, texts.browse.latest))),
      chips, lanes));
  let current = day;
  let chosen = filters;
  let site = null;
  let counts = new Map();
  let loading = null;
  show({ day, filters, place });

  function choose(next) {
    if (!next) return;
    if (isPage) go(browseAddress(next, chosen));
    else show({ day: next, filters: chosen });
  }

  /** Changes the filters; they are in the address, which only the page has. */
  function narrow(change) {
    const next = { filters: structuredClone(chosen) };
    change(next);
    go(browseAddress(current, next.filters));
  }

  async function show(wanted) {
    loading?.abort();
    loading = new AbortController();
    const { signal } = loading;
    chosen = wanted.filters;
    try {
      site = await getSite();
      current = wanted.day || site.last?.slice(0, 10) || new Date().toISOString().slice(0, 10);
      replace(chips, planChips(null, { ...blank(), filters: chosen }, site, narrow));
      drawWhole(signal);
      const first = addMonths(current, 0);
      const range = { start_date: first, end_date: addDays(addMonths(current, 1), -1) };
      countValues(range, signal);
      const [line, page, earlier] = await during(Promise.all([
        post("/api/timeline", { ...range, unit: "day", filters: filterBody(chosen) }, signal),
        newest({ start_date: current, end_date: current }, chosen, OF_DAY, signal),
        newest({ end_date: addDays(current, -1) }, chosen, EARLIER, signal)]));
      counts = new Map(line.spans.map((one) => [one.from.slice(0, 10), one.count]));
      drawMonth(first);
      drawDay({ ...page, entries: page.entries.reverse() }, earlier.entries);
      returnTo(wanted.place);
    } catch (error) {
      if (error.name !== "AbortError" && error.status !== 401) replace(lanes, failure(error, () => show(wanted)));
    }
  }

  /** The whole time, which is the same on every day. */
  async function drawWhole(signal) {
    const filters = filterBody(chosen);
    const shown = JSON.stringify(filters);
    if (chart.node.dataset.filters === shown) return;
    chart.node.dataset.filters = shown;
    try {
      chart.show(await post("/api/timeline", { filters }, signal));
    } catch (error) {
      delete chart.node.dataset.filters;
      if (error.name !== "AbortError") chart.clear(texts.time.failed);
    }
  }

  /** The values of the month. What cannot be counted is left out. */
  async function countValues(range, signal) {
    try {
      const known = modesOf(await getCapabilities());
      const fields = known.some((mode) => mode.name === "keyword") ? site.facet_fields : [];
      const values = await valuesOf(range, chosen, fields, signal);
      drawFacets(facets, values, { filters: chosen }, narrow);
    } catch (error) {
      if (error.name !== "AbortError") replace(facets);
    }
  }

  function drawMonth(first) {
    monthTitle.textContent = monthName(first);
    const most = Math.max(...counts.values(), 1);
    const next = addMonths(first, 1);
    const blanks = (new Date(`${first}T00:00:00Z`).getUTCDay() + 6) % 7;
    const names = texts.browse.weekdays.map((name) => el("span", { class: "weekday small", "aria-hidden": "true" }, name));
    const cells = [...names, ...Array.from({ length: blanks }, () => el("span", {}))];
    for (let day = first; day < next; day = addDays(day, 1)) {
      const count = counts.get(day) || 0;
      const heat = count ? Math.ceil((count / most) * 4) : 0;
      const label = texts.browse.day(longDate(day), count);
      const props = { type: "button", class: `heat heat-${heat}`, title: label, "aria-label": label, "aria-pressed": String(day === current), onclick: () => choose(day) };
      cells.push(el("button", props, String(Number(day.slice(8)))));
    }
    replace(month, cells);
  }

  function drawDay({ entries, total, isWhole }, earlier) {
    replace(heading, longDate(current), " ", el("span", { class: "small" }, texts.browse.count(total)));
    rememberResults([...entries, ...earlier], "", isPage ? location.pathname + location.search : "/");
    const none = el("p", { class: "empty" }, texts.browse.empty, " ", el("button", { type: "button", onclick: nearest }, texts.browse.nextWith));
    const days = Map.groupBy(earlier, (entry) => entry.timestamp.slice(0, 10));
    const hidden = total - entries.length;
    const more = hidden > 0 && (isWhole
      ? el("p", { class: "small" }, texts.browse.notShown(hidden))
      : el("button", { type: "button", class: "quiet", onclick: () => showMore({ entries, total }, earlier) }, texts.browse.more(hidden)));
    replace(lanes, more, entries.length ? shiftLanes(entries) : none, [...days].map(([day, group]) => el("section", { class: "earlier" },
      el("h3", {}, el("button", { type: "button", class: "quiet", title: longDate(day), onclick: () => choose(day) }, shortDate(day, current))),
      el("ol", {}, [...group].reverse().map((entry) => line(entry, shiftOf(entry), entry.author))))));
  }

  /** Adds entries of the day before those that are shown. */
  async function showMore({ entries, total }, earlier) {
    try {
      const more = await during(older({ start_date: current, end_date: current }, chosen, entries, OF_DAY, loading.signal));
      drawDay({ entries: [...more.reverse(), ...entries], total, isWhole: !more.length }, earlier);
    } catch (error) {
      if (error.name === "AbortError" || error.status === 401) return;
      lanes.querySelector(".problem")?.remove();
      lanes.prepend(failure(error));
    }
  }

  async function nearest() {
    const [before, after] = await during(Promise.all([newest({ end_date: current }, chosen, 1), firstDay({ start_date: current }, chosen)]));
    const days = [...before.entries.map((entry) => entry.timestamp.slice(0, 10)), after].filter(Boolean);
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
    if (event.key === "f") { facets.querySelector("input")?.focus(); return true; }
    return false;
  }

  return { node, keys, show, leave: () => loading?.abort(), label: () => date(current) };
}

/** The entries of a day by shift; those without one have no label. */
function shiftLanes(entries) {
  return [...Map.groupBy(entries, shiftOf)].map(([shift, group]) => el("div", { class: "lane" },
    shift ? el("h4", {}, shift) : null, el("ol", {}, group.map((entry) => line(entry, entry.author)))));
}

function shiftOf(entry) {
  return typeof entry.metadata.shift === "string" ? entry.metadata.shift : "";
}

/** An entry in a line, with what stands at its end. */
function line(entry, ...meta) {
  return el("li", {},
    el("time", { datetime: entry.timestamp, title: time(entry.timestamp) }, entry.timestamp.slice(11, 16)),
    el("div", { class: "line" }, link(entryAddress(entry.entry_id), { class: "line-title" }, title(entry)),
      el("p", { class: "peek" }, body(entry).slice(0, 200))),
    el("span", { class: "meta" }, meta.filter(Boolean).join(" · ")));
}
