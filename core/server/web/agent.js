// A conversation with a pipeline: the trace of its calls, its answer with
// citations, the entries, and follow-up questions.

import { answerText, statusBadge, stepsOf, traceList } from "./answer.js";
import { announce, el, link, replace } from "./dom.js";
import { diagnostics, failure } from "./progress.js";
import { invitation } from "./agent_invitation.js";
import { entryAddress, rememberResults } from "./hits.js";
import { getCapabilities, getSite, stream } from "./api.js";
import { go, setTitle } from "./navigation.js";
import { time, title } from "./format.js";
import { texts } from "./texts.js";

const KEPT = "gannet-conversation";
const t = texts.agent;

export function agentView() {
  let turns = JSON.parse(sessionStorage.getItem(KEPT) || "[]");
  let running = null;
  const box = el("textarea", { id: "question", class: "box", rows: 2, placeholder: t.placeholder, "aria-label": t.label, onkeydown: (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); }
  } });
  const mode = el("select", { id: "pipeline", "aria-label": t.mode, onchange: showKept });
  const send = el("button", { class: "primary" }, t.send);
  const stop = el("button", { type: "button", class: "stop", hidden: true, onclick: () => running?.abort() }, t.stop);
  const kept = el("p", { class: "small kept" });
  const fresh = el("button", { type: "button", class: "quiet fresh", onclick: clear }, t.fresh);
  const form = el("form", { class: "ask", onsubmit: submitted }, box, el("div", { class: "actions" }, mode, kept, fresh, stop, send));
  const talk = el("ol", { class: "talk" });
  const begin = invitation((question) => { box.value = question; form.requestSubmit(); });
  const node = el("div", { class: "agent is-empty" }, el("div", { class: "page-head" }, el("h1", {}, t.title)), el("p", { class: "lead" }, t.intro), talk, form, begin.node);
  let site = null;
  setTitle(t.title);
  start();

  async function start() {
    try {
      const known = await getCapabilities();
      site = await getSite();
      const pipelines = known.categories.llm?.modes || [];
      replace(mode, pipelines.map((one) => el("option", { value: one.name, title: one.description, selected: one.name === "agent" }, one.label)));
    } catch (error) {
      if (error.status !== 401) replace(talk, failure(error, start));
      return;
    }
    for (const turn of turns) talk.append(turnNode(turn).node);
    showKept();
    const query = new URLSearchParams(location.search).get("q");
    if (query && !turns.length) { box.value = query; form.requestSubmit(); } else box.focus({ preventScroll: true });
  }

  function showKept() {
    const answered = turns.filter((turn) => turn.answer !== null);
    kept.textContent = answered.length ? t.context(answered.length) : "";
    fresh.hidden = !turns.length;
    node.classList.toggle("is-empty", !turns.length);
    if (!turns.length && site) begin.show(site, mode.value);
  }

  function clear() {
    running?.abort();
    turns = [];
    sessionStorage.removeItem(KEPT);
    replace(talk);
    showKept();
    box.focus();
  }

  async function submitted(event) {
    event.preventDefault();
    const question = box.value.trim();
    if (!question || running) return;
    const history = turns.filter((turn) => turn.answer).slice(-6).flatMap((turn) => [{ role: "user", content: turn.question }, { role: "assistant", content: turn.answer }]);
    const turn = { question, answer: null, status: null, steps: [], sources: [], diagnostics: [], degraded: false, stopped: false };
    turns.push(turn);
    const shown = turnNode(turn, true);
    talk.append(shown.node);
    box.value = "";
    node.classList.remove("is-empty");
    shown.node.scrollIntoView();
    stop.hidden = false;
    send.hidden = true;
    running = new AbortController();
    try {
      await stream("/api/search/stream", { query: question, mode: mode.value, history, max_results: 8 }, (name, data) => take(turn, name, data, shown), running.signal);
    } catch (error) {
      if (error.name === "AbortError") turn.stopped = true;
      else if (error.status !== 401) turn.error = error.message;
    }
    running = null;
    stop.hidden = true;
    send.hidden = false;
    shown.finish();
    shown.node.scrollIntoView();
    announce(turn.answer || turn.error || t.stopped);
    sessionStorage.setItem(KEPT, JSON.stringify(turns));
    showKept();
    box.focus({ preventScroll: true });
  }

  function take(turn, name, data, shown) {
    if (name === "stage") turn.steps.push(stageStep(data));
    else if (name === "token") turn.answer = (turn.answer || "") + data.text;
    else if (name === "answer") turn.answer = data.text;
    else if (name === "error") turn.error = data.detail;
    else if (name === "done") {
      const steps = stepsOf(data.pipeline_details);
      if (steps.length) turn.steps = steps;
      turn.answer = data.answer || "";
      turn.status = data.answer_status;
      turn.confidence = data.answer_confidence;
      turn.highlights = data.answer_highlights;
      turn.diagnostics = data.diagnostics;
      turn.degraded = data.degraded;
      turn.sources = data.entries.map((entry) => ({ id: entry.entry_id, title: title(entry), time: entry.timestamp, cited: data.citations.includes(entry.entry_id) }));
      rememberResults(data.entries, turn.question, "/agent");
    }
    shown.draw();
  }

  function stageStep(data) {
    const { stage, details = {} } = data;
    const kind = { thought: "reasoning", tool_call: "tool_call", tool_result: "tool_result" }[stage] || "stage";
    const text = details.text || details.result_summary || (details.tool_args && JSON.stringify(details.tool_args)) || "";
    const label = { reasoning: t.thought, tool_call: t.call, tool_result: t.result }[kind] || stage;
    return { kind, label, tool: details.tool_name, text };
  }

  function turnNode(turn, isRunning = false) {
    const trace = el("details", { class: "how" });
    const answer = el("div", { class: "answer-text" });
    const badge = el("div", { class: "badge-place" });
    const notes = el("div", {});
    const sources = el("ul", { class: "sources" });
    const aside = el("section", { class: "turn-sources", "aria-label": t.sources }, el("h2", {}, t.sources), sources);
    const node = el("li", { class: "turn" },
      el("p", { class: "question" }, el("span", { class: "unseen" }, `${t.you}: `), turn.question),
      el("div", { class: "turn-body" }, el("div", {}, badge, answer, notes, trace), aside));
    const draw = () => {
      const calls = turn.steps.filter((step) => step.kind === "tool_call").length;
      replace(trace, turn.steps.length ? [el("summary", {}, calls ? t.trace(calls) : texts.answer.trace), traceList(turn.steps)] : []);
      trace.hidden = !turn.steps.length;
      replace(answer, answerText(turn.answer || "", turn.sources.map((one) => one.id), (id, sentence) => go(entryAddress(id, turn.question, sentence)),
        { highlights: turn.highlights, isList: turn.status === "insufficient" }));
      replace(badge, turn.status ? statusBadge(turn.status, { confidence: turn.confidence }) : isRunning ? el("span", { class: "small" }, `${t.working} …`) : null);
      replace(notes, turn.error && el("p", { class: "problem", role: "alert" }, turn.error), turn.stopped && el("p", { class: "small" }, t.stopped), diagnostics(turn));
      aside.hidden = !turn.sources.length;
      replace(sources, turn.sources.map((one, at) => el("li", { class: one.cited ? "is-cited" : null, "data-hit": one.id },
        el("span", { class: "number" }, String(at + 1)), el("div", {}, link(entryAddress(one.id, turn.question), {}, title({ metadata: { title: one.title }, raw_text: "" })),
          el("span", { class: "meta" }, el("code", {}, one.id), el("time", {}, time(one.time)))))));
    };
    draw();
    return { node, draw, finish() { isRunning = false; draw(); } };
  }

  function keys(event, isTyping) {
    if (event.key === "Escape" && running) { running.abort(); return true; }
    if (!isTyping && event.key === "/") { box.focus(); return true; }
    return false;
  }

  return { node, keys, leave() { running?.abort(); } };
}
