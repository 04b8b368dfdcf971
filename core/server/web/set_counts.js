// What was counted of a set of entries: a table whose rows have bars and lead to
// their entries, the table as CSV, and the way to all entries of the set.

import { blank, write } from "./address.js";
import { el, link } from "./dom.js";
import { fieldName, monthName } from "./format.js";
import { texts } from "./texts.js";
import { trendChart } from "./trend_chart.js";

/** A value that begins so is a formula for spreadsheets. */
const FORMULA = /^[=+\-@\t\r]/;
/** Entries that an answer lists at most. */
const LISTED = 20;
/** Entries that a search shows at most. */
const MOST_SHOWN = 100;

let file = "";

/** The counts of a result, or `null`: `isRow` tells the lines of the answer that
 * the `table` stands for, and `foot` has the links below the answer. */
export function setCounts(result, state) {
  const counted = result.pipeline_details?.set;
  if (!counted) return null;
  URL.revokeObjectURL(file);
  const { rows } = counted;
  const address = (row) => {
    const text = (row || counted).filter;
    const count = Math.min(Math.max((row || counted).count, 10), MOST_SHOWN);
    return text && write({ ...blank(), q: text, mode: "keyword", count, from: state.from, to: state.to, filters: state.filters });
  };
  const isRow = (line) => rows.some(({ value }) => line.startsWith(`- ${value}: `)) || (rows.length > 0 && /^- \d+ more$/.test(line));
  const all = counted.count > Math.min(result.citations.length, LISTED) && address();
  const foot = [all && link(all, {}, texts.counts.all(counted.count)), rows.length > 0 && csvLink(counted)].filter(Boolean);
  return { isRow, table: rows.length > 0 && [trendChart(result.extensions?.trend), countsTable(counted, address)], foot: foot.length > 0 && el("p", { class: "counts-foot small" }, foot) };
}

/** The table itself is what screen readers have of the bars. */
function countsTable(counted, address) {
  const name = groupName(counted);
  const most = Math.max(...counted.rows.map((row) => row.count), 1);
  const rows = counted.rows.map((row) => {
    const label = counted.group_by === "month" ? monthName(row.value) : row.value;
    const to = row.count > 0 && address(row);
    return el("tr", {}, el("th", { scope: "row" }, to ? link(to, {}, label) : label),
      el("td", { class: "count" }, texts.number(row.count)), el("td", { "aria-hidden": "true" }, el("progress", { max: most, value: row.count })));
  });
  return el("table", { class: "counts" }, el("caption", { class: "unseen" }, texts.counts.caption(name)),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, name), el("th", { scope: "col", class: "count" }, texts.counts.entries), el("td", { "aria-hidden": "true" }))),
    el("tbody", {}, rows));
}

/** A rate is counted by year, unless the question says otherwise. */
function groupName({ group_by: group }) {
  return texts.counts.units[group || "year"] || fieldName(group);
}

function csvLink(counted) {
  const name = counted.group_by || "year";
  file = URL.createObjectURL(new Blob([csvText(counted)], { type: "text/csv" }));
  return link(file, { download: `entries-by-${name.replace(/[^\w-]+/g, "-")}.csv` }, texts.counts.csv);
}

function csvText(counted) {
  const cell = (value) => {
    const safe = FORMULA.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = [[counted.group_by || "year", "entries"], ...counted.rows.map(({ value, count }) => [value, String(count)])];
  return lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}
