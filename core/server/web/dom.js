// Elements without a template language. Text is always a text node: nothing
// that comes from the server is parsed as HTML.

/** Makes an element. `props`: attributes, `class`, `on…` listeners, properties of `prop:`. */
export function el(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** The same for SVG. */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

/** A line end that is written `\r` alone, which a page would show as a blank, becomes one of a page. The length stays. */
const shown = (child) => (typeof child === "string" ? child.replace(/\r(?!\n)/g, "\n") : child);

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false).map(shown));
  return node;
}

/** Replaces what is in an element. */
export function replace(node, ...children) {
  node.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false).map(shown));
}

/** A link within the interface. */
export function link(href, props, ...children) {
  return el("a", { href, ...props }, ...children);
}

/** A button with an icon and a name for screen readers. */
export function iconButton(name, label, onclick, props = {}) {
  return el("button", { type: "button", class: "icon", "aria-label": label, title: label, onclick, ...props }, icon(name));
}

const PATHS = {
  search: "M11 18a7 7 0 1 1 0-14 7 7 0 0 1 0 14zm5-2 4.500 4.500",
  close: "M6 6l12 12M18 6 6 18",
  pin: "M9 4h6l-1 6 4 4H6l4-4zM12 14v6",
  left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7",
  theme: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
  sliders: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4",
  keys: "M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M8 14h8",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2",
  menu: "M4 7h16M4 12h16M4 17h16",
  undo: "M5 10h9a5 5 0 0 1 0 10H9M5 10l4-4M5 10l4 4",
};

export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", class: "glyph", "aria-hidden": "true" }, svg("path", { d: PATHS[name] }));
}

/** Text with parts of it marked; `ranges` are pairs of UTF-16 offsets in order. */
export function marked(text, ranges, className) {
  const parts = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start < at || end > text.length) continue;
    parts.push(text.slice(at, start), el("mark", { class: className }, text.slice(start, end)));
    at = end;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Byte offsets of UTF-8, as the server counts, to offsets of this text. */
export function textRanges(text, byteRanges) {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const at = (offset) => decoder.decode(bytes.subarray(0, offset)).length;
  if (bytes.length === text.length) return byteRanges;
  return byteRanges.map(([start, end]) => [at(start), at(end)]);
}

/** Tells screen readers. */
export function announce(text) {
  document.getElementById("live").textContent = text;
}
