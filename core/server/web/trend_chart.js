// Counts over time as columns, with a line at each change point. The table below
// the chart is what screen readers have of it.

import { el, svg } from "./dom.js";
import { texts } from "./texts.js";

const WIDTH = 600;
const HEIGHT = 120;

/** The chart of a trend; nothing for other counts. */
export function trendChart(trend) {
  if (!trend?.rows?.length) return null;
  const { rows, change_points: changes } = trend;
  const most = Math.max(...rows.map((row) => row.count), 1);
  const step = WIDTH / rows.length;
  const bars = rows.map((row, at) => {
    const height = (row.count / most) * (HEIGHT - 8);
    return svg("rect", { class: row.is_partial ? "some part" : "some", x: (at * step + step * 0.1).toFixed(2), y: (HEIGHT - height).toFixed(2), width: (step * 0.8).toFixed(2), height: height.toFixed(2) }, svg("title", {}, `${row.value}: ${texts.number(row.count)}`));
  });
  const lines = changes.map((change) => {
    const x = (rows.findIndex((row) => row.value === change.at) * step).toFixed(2);
    return svg("line", { class: "change", x1: x, x2: x, y1: 0, y2: HEIGHT }, svg("title", {}, change.at));
  });
  return el("figure", { class: "trend" },
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "bars", preserveAspectRatio: "none", "aria-hidden": "true" }, bars, lines),
    el("figcaption", { class: "axis small" }, el("span", {}, rows[0].value), el("span", {}, texts.counts.trend), el("span", {}, rows.at(-1).value)));
}
