// What is enabled, and what each plugin takes.

import { el, link, replace } from "./dom.js";
import { during, failure } from "./feedback.js";
import { get } from "./api.js";
import { texts } from "./texts.js";

const ORDER = ["pipeline", "search_module", "enhancer", "adapter", "embedder", "reranker", "chat_model"];
const t = texts.plugins;

export function pluginsView() {
  const content = el("div", {});
  const node = el("div", { class: "plugins" }, el("div", { class: "page-head" }, el("h1", {}, t.title)), content);
  load();

  async function load() {
    try {
      const plugins = await during(get("/api/plugins"));
      const kinds = [...new Set(plugins.map((one) => one.kind))].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
      replace(content, kinds.map((kind) => el("section", {}, el("h2", {}, t.kinds[kind] || kind), plugins.filter((one) => one.kind === kind).map(plugin))));
    } catch (error) {
      if (error.status !== 401) replace(content, failure(error, load));
    }
  }

  return { node, update: load };
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
    el("p", {}, one.description),
    one.parameters.length > 0 && el("details", {}, el("summary", {}, t.parameters(one.parameters.length)),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t.parameters(one.parameters.length) }, el("table", {},
        el("thead", {}, el("tr", {}, [t.parameter, t.default, t.range, t.about].map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, one.parameters.map((parameter) => el("tr", {},
          el("th", { scope: "row" }, el("code", {}, parameter.name), parameter.exposure === "host" && el("span", { class: "small block" }, t.host)),
          el("td", {}, parameter.default === null || parameter.default === "" ? t.notSet : el("code", {}, JSON.stringify(parameter.default))),
          el("td", {}, range(parameter)), el("td", {}, parameter.description))))))));
}

function range(parameter) {
  if (parameter.options?.length) return parameter.options.map((option) => option.value).join(", ");
  const { min, max } = parameter;
  return [parameter.type, min !== undefined && min !== null ? `${min} – ${max ?? "…"}` : ""].filter(Boolean).join(" ");
}
