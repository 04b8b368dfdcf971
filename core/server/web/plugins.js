// What is enabled, and what each plugin takes.

import { el, link, replace } from "./dom.js";
import { coded, during, failure } from "./progress.js";
import { get } from "./api.js";
import { texts } from "./texts.js";

const ORDER = ["pipeline", "search_module", "enhancer", "adapter", "embedder", "reranker", "reader", "chat_model"];
const t = texts.plugins;

export function pluginsView() {
  const content = el("div", { class: "kinds" });
  const kindList = el("ul", { class: "kind-list" });
  const node = el("div", { class: "plugins" }, el("div", { class: "page-head" }, el("h1", {}, t.title), el("p", { class: "small" }, t.help)),
    el("nav", { "aria-label": t.kindList }, kindList), content);
  load();

  async function load() {
    try {
      const plugins = await during(get("/api/plugins"));
      const kinds = [...new Set(plugins.map((one) => one.kind))].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
      const sections = kinds.map((kind) => section(kind, plugins.filter((one) => one.kind === kind)));
      replace(content, sections.map((one) => one.node));
      replace(kindList, sections.map((one) => one.jump));
    } catch (error) {
      if (error.status !== 401) replace(content, failure(error, load));
    }
  }

  return { node, update: load };
}

/** The plugins of a kind, and the button that leads to them. */
function section(kind, plugins) {
  const heading = el("h2", { tabindex: "-1" }, t.kinds[kind] || kind);
  const node = el("section", {}, heading, plugins.map(plugin));
  const isBad = plugins.some(isTroubled);
  const show = () => { node.scrollIntoView({ block: "start" }); heading.focus({ preventScroll: true }); };
  const jump = el("li", {}, el("button", { type: "button", class: "quiet", onclick: show }, t.kinds[kind] || kind,
    el("span", { class: isBad ? "state bad" : "count" }, texts.number(plugins.length))));
  return { node, jump };
}

/** The state of an instance, in a word and a shape. */
export function pluginState({ state, reason }) {
  const [label, shape] = t.states[state] || [state, "busy"];
  return el("span", { class: `state ${shape}`, title: reason }, label);
}

/** Whether somebody has to look at it. */
export function isTroubled({ state }) {
  return t.states[state]?.[1] === "bad";
}

function plugin(one) {
  const isMode = ["pipeline", "search_module"].includes(one.kind);
  return el("article", { class: "plugin" },
    el("header", {}, el("h3", {}, one.label, " ", el("code", {}, one.name)),
      pluginState(one),
      isMode && link(`/?mode=${encodeURIComponent(one.name)}`, { class: "use" }, t.use)),
    one.reason && el("p", { class: "reason" }, one.reason),
    el("p", {}, coded(one.description)),
    one.parameters.length > 0 && el("details", {}, el("summary", {}, t.parameters(one.parameters.length)),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t.parameters(one.parameters.length) }, el("table", {},
        el("thead", {}, el("tr", {}, [t.parameter, t.default, t.range, t.about].map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, one.parameters.map((parameter) => el("tr", {},
          el("th", { scope: "row" }, el("code", {}, parameter.name), parameter.exposure === "host" && el("span", { class: "small block" }, t.host)),
          el("td", {}, parameter.default === null || parameter.default === "" ? t.notSet : el("code", {}, JSON.stringify(parameter.default))),
          el("td", {}, range(parameter)), el("td", {}, coded(parameter.description)))))))));
}

function range(parameter) {
  if (parameter.options?.length) return parameter.options.map((option) => option.value).join(", ");
  const { min, max } = parameter;
  return [parameter.type, min !== undefined && min !== null ? `${min} – ${max ?? "…"}` : ""].filter(Boolean).join(" ");
}
