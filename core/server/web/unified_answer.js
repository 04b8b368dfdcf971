// What an answer over every domain adds to the panel: why it has its status,
// questions that can be asked next or that are asked back, and on demand the
// words of a chat model.

import { announce, el, link, replace } from "./dom.js";
import { rescued } from "./unified_context.js";
import { stream } from "./api.js";
import { texts } from "./texts.js";
import { write } from "./address.js";

const t = texts.unified.answer;

/** The answer of a reply as the panel takes it. */
export function asPanelResult(reply) {
  const answer = reply.contextAnswer;
  return {
    answer: answer.summary, answer_status: answer.status, answer_confidence: reply.answerConfidence, answer_highlights: reply.answerHighlights,
    meaning: t.codes[answer.code], by: "entries",
    reasoning: sentence(answer.reason), pipeline_details: null,
  };
}

/** The questions of an answer, as links: asked back where several things are
 * meant, else what can be asked next. */
export function questions(answer, state) {
  if (!answer.questions.length) return null;
  const isAskedBack = answer.status === "clarify";
  const items = answer.questions.map((one) => el("li", {}, link(write({ ...state, q: one.query, quick: false, ignored: [] }),
    { class: "button question-link", onclick: () => answer.status !== "grounded" && rescued(one.query) }, one.text)));
  return el("nav", { class: `questions${isAskedBack ? " asked-back" : ""}`, "aria-label": isAskedBack ? t.asksBack : t.next },
    el("span", { class: "small" }, isAskedBack ? t.asksBack : t.next), el("ul", {}, items));
}

/** The button for the words of a chat model. `panel` shows them. */
export function synthesisButton({ panel, reply, body, ids, isCurrent }) {
  const start = el("button", { type: "button", class: "quiet synthesize", onclick: run }, t.synthesize);
  const figures = el("p", { class: "small figures-line", role: "status" });
  const quotes = el("button", { type: "button", class: "quiet", hidden: true, onclick: showQuotes }, t.showQuotes);
  const signal = new AbortController();

  async function run() {
    start.disabled = true;
    start.textContent = t.synthesizing;
    let isStreaming = false;
    try {
      await stream("/v1/search/synthesize", body, (name, data) => {
        if (!isCurrent()) return signal.abort();
        if (name === "deterministic" || name === "answer") panel.event("answer", data);
        if (name === "token") {
          if (!isStreaming) panel.event("answer", { text: "" });
          isStreaming = true;
          panel.event("token", data);
        }
        if (name === "error") throw Object.assign(new Error(data.detail), { status: data.status });
        if (name === "done") finish(data.synthesis);
        return undefined;
      }, signal.signal);
    } catch (error) {
      if (error.name === "AbortError" || error.status === 401) return;
      showQuotes();
      figures.textContent = error.message;
    }
    start.disabled = false;
    start.textContent = t.synthesize;
  }

  function finish(synthesis) {
    const isModel = synthesis.by === "model";
    const quoted = asPanelResult(reply);
    panel.end(isModel ? { ...quoted, answer: synthesis.text, answer_confidence: null, answer_highlights: [], by: synthesis.by } : quoted, ids);
    quotes.hidden = !isModel;
    start.hidden = isModel;
    const parts = isModel
      ? [t.grounding(synthesis.supported, synthesis.sentences), t.left(synthesis.answersLeftToday)]
      : [t.noModel(synthesis.reason || "")];
    replace(figures, parts.filter(Boolean).join(" · "));
    announce(figures.textContent);
  }

  function showQuotes() {
    panel.end(asPanelResult(reply), ids);
    replace(figures);
    quotes.hidden = true;
    start.hidden = false;
  }

  return { buttons: [start, quotes], figures };
}

function sentence(text) {
  return text ? `${text.replace(/^./, (letter) => letter.toUpperCase()).replace(/\.$/, "")}.` : "";
}
