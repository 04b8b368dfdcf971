// An answer with its citations as superscripts, each tied to its sentence and
// its entry.

import { el, marked, textRanges } from "./dom.js";
import { texts } from "./texts.js";

const CITATION = /\[#([^\]\s]+)\]/g;

/** Sentences of an answer with the entries that they cite and where they begin
 * in it, line by line. */
export function parseAnswer(text) {
  const lines = [];
  let start = 0;
  for (const line of text.split(/\r?\n/)) {
    if (line.trim()) lines.push(parseLine(line, start));
    start += line.length + 1;
  }
  return lines;
}

function parseLine(line, start) {
  const dash = /^\s*[-*] /.exec(line);
  let at = dash ? dash[0].length : 0;
  const parts = [];
  const add = (end, ids) => parts.push({ sentence: line.slice(at, end), start: start + at, ids });
  for (const match of line.matchAll(CITATION)) {
    if (match.index < at) continue;
    if (line.slice(at, match.index).trim() || !parts.length) add(match.index, [match[1]]);
    else parts.at(-1).ids.push(match[1]);
    at = match.index + match[0].length;
  }
  if (line.slice(at).trim()) add(line.length, []);
  return { line, isItem: Boolean(dash), parts };
}

/** The number of each cited entry: its place in the result, or after it. */
export function numbersOf(text, shownIds) {
  const numbers = new Map();
  const others = [];
  for (const match of text.matchAll(CITATION)) {
    const place = shownIds.indexOf(match[1]);
    if (place >= 0) numbers.set(match[1], place + 1);
    else if (!others.includes(match[1])) others.push(match[1]);
  }
  others.forEach((id, at) => numbers.set(id, shownIds.length + at + 1));
  return numbers;
}

/** The answer as elements. `jump(id, sentence)` shows a cited sentence.
 * `highlights` are the server's places of the words that answer. What is only a
 * list of entries (`isList`) has no sentences to look for in them. A table
 * stands for the lines of `counts`. */
export function answerText(text, shownIds, jump, { highlights = [], isList = false, counts = null } = {}) {
  const numbers = numbersOf(text, shownIds);
  const ranges = textRanges(text, highlights.map(({ start, end }) => [start, end]));
  const show = isList ? (id) => jump(id, "") : (id, words) => jump(id, quoteOf(words));
  const blocks = [];
  let list = null;
  let table = counts?.table;
  for (const { line, isItem, parts } of parseAnswer(text)) {
    if (isItem && counts?.isRow(line)) {
      if (table) blocks.push(table);
      table = list = null;
      continue;
    }
    const content = parts.map((part) => sentence(part, numbers, show, ranges));
    if (!isItem) {
      list = null;
      blocks.push(el("p", {}, content));
      continue;
    }
    if (!list) blocks.push(list = el("ul", {}));
    list.append(el("li", {}, content));
  }
  return [...blocks, table, counts?.foot];
}

function sentence({ sentence, start, ids }, numbers, show, ranges) {
  const marks = ids.map((id) => el("button", {
    type: "button", class: "cite", "data-cites": id, title: id, "aria-label": texts.answer.jump(numbers.get(id), id),
    onclick: () => show(id, sentence),
    onmouseenter: () => light(id, true), onmouseleave: () => light(id, false),
    onfocus: () => light(id, true), onblur: () => light(id, false),
  }, String(numbers.get(id) ?? "?")));
  const words = sentence.replace(/\s+$/, "");
  const own = ranges.map(([from, to]) => [Math.max(from - start, 0), Math.min(to - start, words.length)]).filter(([from, to]) => from < to);
  return el("span", { class: "sentence", "data-sentence": ids.join(" ") }, marked(words, own, "answering"), marks.length ? el("sup", {}, marks) : null, " ");
}

/** The quoted words without who said them and when. */
function quoteOf(sentence) {
  return sentence.replace(/^\s*On \d{4}-\d{2}-\d{2}[^:]*\([^)]*\): /, "").trim();
}

/** Marks an entry and the sentences that cite it. */
export function light(id, isOn) {
  for (const node of document.querySelectorAll("[data-hit], [data-sentence]")) {
    const ids = (node.dataset.hit || node.dataset.sentence || "").split(" ");
    if (ids.includes(id)) node.classList.toggle("lit", isOn);
  }
}

/** The status in word and shape, and in a line what it means. A mode can say
 * that more closely (`closer`) where it does not know how sure it is. */
export function statusBadge(status, { confidence, closer } = {}) {
  const [word, usual] = texts.answer.states[status] || [status, () => ""];
  const isSure = typeof confidence === "number" && ["grounded", "partial"].includes(status);
  const meaning = isSure ? usual(percent(confidence)) : closer || usual();
  return el("span", { class: `badge ${status}`, title: meaning }, el("span", { class: "shape", "aria-hidden": "true" }), word,
    el("span", { class: "meaning" }, meaning));
}

/** Only what is certain has 100 %. */
function percent(confidence) {
  const whole = Math.round(confidence * 100);
  return texts.answer.percent(confidence < 1 ? Math.min(whole, 99) : whole);
}

/** How a pipeline found it: counts and times of its stages. */
export function stageLine(details) {
  const stages = details?.stages || [];
  const words = stages.map((stage) => {
    const numbers = Object.entries(stage).filter(([name, value]) => typeof value === "number" && name !== "took_ms");
    const counts = numbers.map(([name, value]) => `${name.replace(/_retrieved$/, "").replaceAll("_", " ")} ${value}`).join(", ");
    return el("li", {}, el("strong", {}, stage.stage), counts && ` ${counts}`, typeof stage.took_ms === "number" && el("span", { class: "small" }, ` ${stage.took_ms.toFixed(1)} ms`));
  });
  return words.length ? el("ol", { class: "stages" }, words) : null;
}

/** The calls of an agent. */
export function traceList(steps) {
  return el("ol", { class: "trace" }, steps.map((step) => el("li", { class: step.kind },
    el("span", { class: "small" }, step.label), " ", step.tool && el("code", {}, step.tool), step.text && el("pre", {}, step.text))));
}

export function stepsOf(details) {
  const steps = (details?.agent_steps || []).filter((step) => ["reasoning", "tool_call", "tool_result"].includes(step.step_type));
  const labels = { reasoning: texts.agent.thought, tool_call: texts.agent.call, tool_result: texts.agent.result };
  return steps.map((step) => ({ kind: step.step_type, label: labels[step.step_type], tool: step.tool_name, text: step.content }));
}
