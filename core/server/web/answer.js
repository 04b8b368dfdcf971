// An answer with its citations as superscripts, each tied to its sentence and
// its entry.

import { el } from "./dom.js";
import { texts } from "./texts.js";

const CITATION = /\[#([^\]\s]+)\]/g;

/** Sentences of an answer with the entries that they cite, line by line. */
export function parseAnswer(text) {
  return text.split("\n").filter((line) => line.trim()).map((line) => {
    const isItem = /^\s*[-*] /.test(line);
    const rest = isItem ? line.replace(/^\s*[-*] /, "") : line;
    const parts = [];
    let at = 0;
    for (const match of rest.matchAll(CITATION)) {
      const sentence = rest.slice(at, match.index);
      at = match.index + match[0].length;
      if (sentence.trim() || !parts.length) parts.push({ sentence, ids: [match[1]] });
      else parts.at(-1).ids.push(match[1]);
    }
    if (rest.slice(at).trim()) parts.push({ sentence: rest.slice(at), ids: [] });
    return { isItem, parts };
  });
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

/** The answer as elements. `jump(id, sentence)` shows a cited sentence. */
export function answerText(text, shownIds, jump) {
  const numbers = numbersOf(text, shownIds);
  const blocks = [];
  let list = null;
  for (const { isItem, parts } of parseAnswer(text)) {
    const content = parts.map((part) => sentence(part, numbers, jump));
    if (!isItem) {
      list = null;
      blocks.push(el("p", {}, content));
      continue;
    }
    if (!list) blocks.push(list = el("ul", {}));
    list.append(el("li", {}, content));
  }
  return blocks;
}

function sentence({ sentence, ids }, numbers, jump) {
  const marks = ids.map((id) => el("button", {
    type: "button", class: "cite", "data-cites": id, title: id, "aria-label": texts.answer.jump(numbers.get(id), id),
    onclick: () => jump(id, quoteOf(sentence)),
    onmouseenter: () => light(id, true), onmouseleave: () => light(id, false),
    onfocus: () => light(id, true), onblur: () => light(id, false),
  }, String(numbers.get(id) ?? "?")));
  return el("span", { class: "sentence", "data-sentence": ids.join(" ") }, sentence.replace(/\s+$/, ""), marks.length ? el("sup", {}, marks) : null, " ");
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

/** The status in word and shape; what it means can be said more closely. */
export function statusBadge(status, closer) {
  const [word, usual] = texts.answer.states[status] || [status, ""];
  const meaning = closer || usual;
  return el("span", { class: `badge ${status}`, title: meaning }, el("span", { class: "shape", "aria-hidden": "true" }), word,
    el("span", { class: "meaning" }, meaning));
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
