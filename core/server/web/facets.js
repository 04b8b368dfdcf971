// The values of fields over the matching entries, to narrow a search down.

import { el, replace } from "./dom.js";
import { fieldName } from "./format.js";
import { texts } from "./texts.js";

const FEW = 6;
const opened = new Set();

/** The groups of a result. A group that has nothing to choose is left out. */
export function facetGroups(facets, state, change) {
  return facets.map((facet) => group(facet, state.filters[facet.field] || [], change)).filter(Boolean);
}

/** Draws the groups of a result. Whoever chose a value by key stays at it. */
export function drawFacets(node, facets, state, change) {
  const focused = node.contains(document.activeElement) ? document.activeElement : null;
  const [field, value] = [focused?.closest("[data-field]")?.dataset.field, focused?.dataset.value];
  replace(node, facetGroups(facets, state, change));
  if (value === undefined) return;
  const inputs = [...node.querySelectorAll("input")];
  inputs.find((one) => one.dataset.value === value && one.closest("[data-field]").dataset.field === field)?.focus({ preventScroll: true });
}

function group({ field, values }, chosen, change) {
  const isChosen = (value) => chosen.some((one) => one.toLowerCase() === value.toLowerCase());
  const missing = chosen.filter((value) => !values.some((one) => one.value.toLowerCase() === value.toLowerCase()));
  const all = [...missing.map((value) => ({ value, count: 0 })), ...values];
  if (!all.length) return null;
  const list = el("ul", {});
  const more = el("button", { type: "button", class: "quiet small", onclick: () => { opened.has(field) ? opened.delete(field) : opened.add(field); draw(); } });
  const most = Math.max(...all.map((one) => one.count), 1);
  const draw = () => {
    const isOpen = opened.has(field);
    const sorted = [...all].sort((a, b) => isChosen(b.value) - isChosen(a.value));
    replace(list, (isOpen ? sorted : sorted.slice(0, FEW)).map((one) => row(field, one, isChosen(one.value), most, change)));
    more.hidden = all.length <= FEW;
    more.textContent = isOpen ? texts.facets.fewer : texts.facets.more(all.length - FEW);
  };
  draw();
  return el("fieldset", { class: "facet", "data-field": field },
    el("legend", {}, fieldName(field), chosen.length > 0 && el("button", {
      type: "button", class: "quiet small", "aria-label": texts.facets.clear(fieldName(field)), onclick: () => change((next) => { delete next.filters[field]; }),
    }, "×")), list, more);
}

function row(field, { value, count }, checked, most, change) {
  const toggle = (event) => change((next) => {
    const others = (next.filters[field] || []).filter((one) => one.toLowerCase() !== value.toLowerCase());
    next.filters[field] = event.target.checked ? [...others, value] : others;
  });
  return el("li", {}, el("label", {},
    el("input", { type: "checkbox", checked, onchange: toggle, "data-value": value }),
    el("span", { class: "value" }, value),
    el("progress", { max: most, value: count, "aria-hidden": "true" }),
    el("span", { class: "count" }, texts.number(count))));
}
