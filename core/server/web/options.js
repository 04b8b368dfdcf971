// The parameters of a mode, drawn from its descriptor.

import { coded } from "./progress.js";
import { el } from "./dom.js";
import { texts } from "./texts.js";

/** The form of a mode. `change(edit)` applies an edit to the state. */
export function optionsForm(mode, state, change) {
  const sections = new Map();
  for (const parameter of mode.parameters.filter((one) => one.exposure !== "host")) {
    const name = parameter.section || "";
    if (!sections.has(name)) sections.set(name, []);
    sections.get(name).push(parameter);
  }
  return el("div", { class: "options-form" },
    [...sections].map(([name, parameters]) => el("fieldset", {}, name && el("legend", {}, name), parameters.map((one) => row(one, state, change)))),
    el("button", { type: "button", class: "quiet", onclick: () => change((next) => { next.params = {}; }) }, texts.search.reset));
}

function row(parameter, state, change) {
  const id = `option-${parameter.name}`;
  const set = (value) => change((next) => {
    if (value === null || value === parameter.default) delete next.params[parameter.name];
    else next.params[parameter.name] = value;
  });
  const value = state.params[parameter.name] ?? parameter.default;
  return el("div", { class: "option" },
    el("label", { for: id }, parameter.label), control(parameter, id, value, set),
    el("p", { class: "small", id: `${id}-about` }, coded(parameter.description)));
}

function control(parameter, id, value, set) {
  const props = { id, "aria-describedby": `${id}-about`, class: "field" };
  if (parameter.options?.length) {
    return el("select", { ...props, onchange: (event) => set(event.target.value) },
      parameter.options.map((option) => el("option", { value: option.value, selected: option.value === value }, option.label)));
  }
  if (parameter.type === "bool") {
    const states = [[null, texts.plugins.notSet], [true, texts.plugins.isOn], [false, texts.plugins.isOff]].filter(([one]) => one !== null || parameter.default === null);
    return el("select", { ...props, onchange: (event) => set(JSON.parse(event.target.value)) },
      states.map(([one, label]) => el("option", { value: JSON.stringify(one), selected: one === value }, label)));
  }
  const isNumber = ["int", "float"].includes(parameter.type);
  return el("input", {
    ...props, type: isNumber ? "number" : "text", min: parameter.min, max: parameter.max, step: parameter.step ?? (parameter.type === "float" ? "any" : null),
    value: value ?? "", placeholder: parameter.placeholder,
    onchange: (event) => set(event.target.value === "" ? null : isNumber ? Number(event.target.value) : event.target.value),
  });
}
