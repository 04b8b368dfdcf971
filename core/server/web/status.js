// What is there and how it is. Red only for what needs somebody.

import { ago, bytes, time } from "./format.js";
import { el, link, replace, svg } from "./dom.js";
import { coded, during, failure } from "./progress.js";
import { get } from "./api.js";
import { isTroubled, pluginState } from "./plugins.js";
import { texts } from "./texts.js";

const EVERY = 15_000;
const t = texts.status;

export function statusView() {
  const content = el("div", { class: "panels" });
  const summary = el("p", { class: "summary", role: "status" });
  const node = el("div", { class: "status" }, el("div", { class: "page-head" }, el("h1", {}, t.title), summary, el("p", { class: "small" }, t.refreshed)), content);
  const stop = new AbortController();
  const timer = setInterval(() => document.hidden || load(), EVERY);
  load();

  async function load() {
    try {
      const [details, plugins, status] = await during(Promise.all([get("/api/status/details", stop.signal), get("/api/plugins", stop.signal), get("/api/status", stop.signal)]));
      const errors = [...new Set([...details.errors, ...status.errors, ...plugins.filter((one) => one.state === "degraded").map(troubleOf)])];
      replace(summary, el("span", { class: `state ${errors.length ? "bad" : "good"}` }, errors.length ? t.unhealthy : t.healthy), errors.length ? el("ul", {}, errors.map((one) => el("li", {}, one))) : null);
      replace(content, storePanel(details.store, details.whole, status), details.whole ? [latencyPanel(details.latency), ingestionPanel(details.ingestion), enhancementPanel(details.enhancement), backgroundPanel(details.background)] : null, pluginPanel(plugins));
    } catch (error) {
      if (error.name !== "AbortError" && error.status !== 401) replace(content, failure(error, load));
    }
  }

  return { node, update: load, leave() { clearInterval(timer); stop.abort(); } };
}

function panel(title, ...content) {
  return el("section", { class: "panel" }, el("h2", {}, title), content);
}

function storePanel(parts, isWhole, status) {
  const rows = parts.map((part) => el("tr", {},
    el("th", { scope: "row" }, t.parts[part.part] || part.part, part.model && el("span", { class: "small block" }, part.model)),
    el("td", {}, `${texts.number(part.count)} ${isWhole && part.part === "vectors" ? t.passages : t.entries}`),
    el("td", {}, part.bytes ? bytes(part.bytes) : ""),
    el("td", {}, part.trouble ? el("span", { class: "state bad" }, part.trouble)
      : el("span", { class: `state ${part.lag ? "busy" : "good"}` }, part.lag ? t.lag(part.lag) : t.upToDate))));
  return panel(t.store, el("p", { class: "small" }, status.database_uri), el("table", { class: "tight" }, el("tbody", {}, rows)));
}

function ingestionPanel(runs) {
  const starts = el("p", { class: "small foot" }, coded(t.ingestionStarts));
  if (!runs.length) return panel(t.ingestion, el("p", { class: "small" }, t.noRuns), starts);
  const rows = runs.map((run) => {
    const at = run.finished_at || run.started_at;
    return el("tr", {}, el("th", { scope: "row" }, run.source_system), el("td", {}, t.run(run.added, run.updated, run.rejected)),
      el("td", {}, el("time", { datetime: at, title: time(at) }, ago(at))),
      el("td", {}, el("span", { class: `state ${{ success: "good", failed: "bad" }[run.status] || "busy"}` }, t.states[run.status] || run.status)));
  });
  return panel(t.ingestion, el("table", {}, el("tbody", {}, rows)), starts);
}

function enhancementPanel(modules) {
  const names = Object.keys(modules);
  if (!names.length) return panel(t.enhancement, el("p", { class: "small" }, t.noEnhancement));
  return panel(t.enhancement, el("ul", { class: "progress-list" }, names.map((name) => {
    const { complete, failed, pending } = modules[name];
    const all = complete + failed + pending;
    return el("li", {}, el("div", { class: "row" }, el("span", {}, name.replaceAll("_", " ")), el("span", { class: "small" }, t.progress(complete, all), failed > 0 && el("span", { class: "state bad" }, t.failed(failed)))),
      el("progress", { max: Math.max(all, 1), value: complete, "aria-label": name }));
  })));
}

function pluginPanel(plugins) {
  const kinds = [...new Set(plugins.map((plugin) => plugin.kind))];
  return panel(t.plugins, el("ul", { class: "plugin-list" }, kinds.map((kind) => el("li", {}, el("span", { class: "small block" }, texts.plugins.kinds[kind] || kind),
    el("span", {}, plugins.filter((one) => one.kind === kind).map((one) => el("span", { class: "tag", title: one.description }, one.name, isTroubled(one) && pluginState(one))))))),
    link("/plugins", {}, t.seeAll));
}

/** What the service does by itself, and when next. */
function backgroundPanel(tasks) {
  const when = (text) => el("time", { datetime: text, title: ago(text) }, time(text));
  const rows = tasks.map((task) => el("tr", {},
    el("th", { scope: "row" }, t.tasks[task.task] || task.task),
    el("td", {}, task.last_finished_at ? [t.taskLast, when(task.last_finished_at)] : t.taskNever),
    el("td", {}, task.running ? "" : task.next_at ? [t.taskNext, when(task.next_at)] : t.taskOnWrite),
    el("td", {}, el("span", { class: `state ${task.failed ? "bad" : task.running ? "busy" : "good"}` }, task.failed ? t.taskFailed : task.running ? t.taskRunning : t.taskWaits))));
  return panel(t.background, el("table", {}, el("tbody", {}, rows)));
}

function troubleOf(plugin) {
  const kind = texts.plugins.kinds[plugin.kind] || plugin.kind;
  return t.pluginTrouble(kind, plugin.name, plugin.reason);
}

function latencyPanel(latency) {
  if (!latency.searches) return panel(t.latency, el("p", { class: "small" }, t.noSearches));
  const figure = (value, label) => el("div", {}, el("strong", {}, value), el("span", { class: "small" }, label));
  const ms = (value) => texts.search.took(value);
  return panel(t.latency,
    el("div", { class: "figures-row" }, figure(texts.number(latency.searches), t.searches), figure(ms(latency.p50_ms), t.p50), figure(ms(latency.p95_ms), t.p95)),
    sparkline(latency.minutes), el("p", { class: "axis small" }, el("span", {}, t.hourAgo), el("span", {}, t.now)));
}

/** The last hour: a band from the median to 95 % for each minute. */
function sparkline(minutes) {
  const now = Date.now();
  const most = Math.max(...minutes.map((one) => one.p95_ms), 1);
  const x = (start) => Math.max(0, 300 - ((now - new Date(start)) / 60_000) * 5);
  const y = (value) => 56 - (Math.log1p(value) / Math.log1p(most)) * 50;
  const bars = minutes.map((one) => svg("g", {},
    svg("rect", { class: "band", x: x(one.start) - 4, width: 4, y: y(one.p95_ms), height: Math.max(2, 56 - y(one.p95_ms)) }),
    svg("rect", { class: "median", x: x(one.start) - 4, width: 4, y: y(one.p50_ms) - 1, height: 2 })));
  return svg("svg", { viewBox: "0 0 300 60", preserveAspectRatio: "none", class: "spark", role: "img", "aria-label": `${t.p50} ${Math.round(minutes.at(-1).p50_ms)} ms, ${t.p95} ${Math.round(minutes.at(-1).p95_ms)} ms` },
    svg("path", { d: "M0 57.500H300", class: "base" }), bars);
}
