// Entries over time as bars that can be brushed, with the mouse, a finger or
// the keyboard.

import { announce, el, replace, svg } from "./dom.js";
import { addDays, date, monthName, span } from "./format.js";
import { texts } from "./texts.js";

const WIDTH = 264;
const HEIGHT = 64;

/** The chart. `choose(from, to)` gets the first and the last day. */
export function histogram(choose) {
  const plot = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "bars", preserveAspectRatio: "none", "aria-hidden": "true" });
  const axis = el("p", { class: "axis small" });
  const tip = el("p", { class: "tip small", "aria-hidden": "true" });
  const box = el("div", { class: "brush", tabindex: "0", role: "slider", id: "time", "aria-label": `${texts.time.chart}. ${texts.time.help}`, "aria-valuemin": "0", "aria-valuemax": "0", "aria-valuenow": "0" }, plot);
  const node = el("section", { class: "timeline", "aria-label": texts.time.title }, el("h2", {}, texts.time.title, tip), box, axis);
  let line = { spans: [], unit: "day" };
  let anchor = null;
  let focus = 0;

  const draw = () => {
    const { spans } = line;
    const most = Math.max(...spans.map((one) => one.count), 1);
    const step = WIDTH / Math.max(spans.length, 1);
    const [first, last] = chosen();
    replace(plot, spans.map((one, at) => {
      const height = one.count ? Math.max(3, Math.sqrt(one.count / most) * (HEIGHT - 4)) : 1;
      const isIn = anchor !== null && at >= first && at <= last;
      return svg("rect", { x: (at * step + step * 0.1).toFixed(2), y: (HEIGHT - height).toFixed(2), width: Math.max(step * 0.8, 0.5).toFixed(2), height: height.toFixed(2), class: `${one.count ? "some" : "none"}${isIn ? " in" : ""}`, rx: Math.min(1.5, step * 0.2) });
    }));
  };
  const chosen = () => [Math.min(anchor ?? focus, focus), Math.max(anchor ?? focus, focus)];
  const label = (at) => { const one = line.spans[at]; return one ? texts.time.bar(span(one.from, one.until, line.unit), one.count) : texts.time.none; };
  const tell = () => {
    tip.textContent = line.spans.length ? label(focus) : "";
    box.setAttribute("aria-valuenow", String(focus));
    box.setAttribute("aria-valuetext", label(focus));
  };
  const at = (event) => {
    const { left, width } = box.getBoundingClientRect();
    const part = (event.clientX - left) / width;
    return Math.min(Math.max(Math.floor(part * line.spans.length), 0), line.spans.length - 1);
  };
  const apply = () => {
    const [first, last] = chosen();
    const [start, end] = [line.spans[first], line.spans[last]];
    anchor = null;
    if (start) choose(start.from.slice(0, 10), addDays(end.until.slice(0, 10), -1));
    announce(texts.time.bar(start ? span(start.from, end.until, "week") : "", line.spans.slice(first, last + 1).reduce((sum, one) => sum + one.count, 0)));
  };

  box.addEventListener("pointerdown", (event) => {
    if (!line.spans.length || event.button) return;
    box.setPointerCapture(event.pointerId);
    anchor = focus = at(event);
    draw();
    tell();
  });
  box.addEventListener("pointermove", (event) => {
    if (!line.spans.length) return;
    focus = at(event);
    if (anchor !== null) draw();
    tell();
  });
  box.addEventListener("pointerup", () => anchor !== null && apply());
  box.addEventListener("pointercancel", () => { anchor = null; draw(); });
  box.addEventListener("pointerleave", () => { if (anchor === null) tip.textContent = ""; });
  box.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, Home: -line.spans.length, End: line.spans.length }[event.key];
    if (event.key === "Enter" && line.spans.length) apply();
    else if (move !== undefined && line.spans.length) {
      if (event.shiftKey) anchor ??= focus;
      focus = Math.min(Math.max(focus + move, 0), line.spans.length - 1);
      if (!event.shiftKey) anchor = focus;
      draw();
      tell();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  /** Shows counts, or why there are none; the place of the chart stays the same. */
  function show(next, none = texts.time.none) {
    line = next;
    anchor = null;
    focus = Math.min(focus, Math.max(line.spans.length - 1, 0));
    box.setAttribute("aria-valuemax", String(Math.max(line.spans.length - 1, 0)));
    box.setAttribute("aria-valuetext", label(focus));
    draw();
    const { spans, unit } = line;
    const name = (text) => (unit === "year" ? text.slice(0, 4) : unit === "day" ? date(text) : monthName(text));
    replace(axis, spans.some((one) => one.count) ? [el("span", {}, name(spans[0].from)), el("span", {}, texts.time.unit[unit]), el("span", {}, name(spans.at(-1).from))] : none);
  }

  return { node, show, clear: (why) => show({ spans: [], unit: "day" }, why) };
}
