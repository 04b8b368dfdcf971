// The answer above the entries. It has a place of its own while it is written,
// so that nothing moves under the cursor, and it can be closed.

import { answerText, stageLine, statusBadge, stepsOf, traceList } from "./answer.js";
import { el, replace } from "./dom.js";
import { texts } from "./texts.js";

const CLOSED = "gannet-answer-closed";

/** The panel; `jump(id, sentence)` shows a cited sentence. */
export function answerPanel({ jump }) {
  const badge = el("span", { class: "badge-place" });
  const toggle = el("button", { type: "button", class: "answer-toggle", "aria-controls": "answer-body", onclick: () => flip() }, texts.answer.title);
  const text = el("div", { class: "answer-text", id: "answer-body", tabindex: "0", role: "region", "aria-label": texts.answer.title });
  const trace = el("details", { class: "how" }, el("summary", {}, texts.answer.trace));
  const traceBody = el("div", {});
  trace.append(traceBody);
  // Where there is little room, the answer is its first lines until this is pressed.
  const unfold = el("button", { type: "button", class: "quiet unfold", "aria-controls": "answer-body", onclick: () => setUnfolded(!node.classList.contains("unfolded")) });
  const tools = el("span", { class: "answer-tools" });
  const foot = el("div", { class: "answer-foot" });
  const node = el("section", { class: "answer", hidden: true, "aria-label": texts.answer.title }, el("header", {}, toggle, badge, unfold, tools), text, trace, foot);
  let streamed = "";
  let steps = [];
  setClosed(localStorage.getItem(CLOSED) === "1");

  function setClosed(isClosed) {
    node.classList.toggle("closed", isClosed);
    toggle.setAttribute("aria-expanded", String(!isClosed));
  }

  function setUnfolded(isUnfolded) {
    node.classList.toggle("unfolded", isUnfolded);
    unfold.setAttribute("aria-expanded", String(isUnfolded));
    unfold.textContent = isUnfolded ? texts.answer.fold : texts.answer.unfold;
  }

  /** Whether there is more than is shown; a closed answer has one line. */
  function measure() {
    if (!node.classList.contains("unfolded")) unfold.hidden = text.scrollHeight <= text.clientHeight;
  }

  function flip() {
    const isClosed = !node.classList.contains("closed");
    localStorage.setItem(CLOSED, isClosed ? "1" : "0");
    setClosed(isClosed);
    measure();
    return true;
  }

  function draw(shownIds, more) {
    replace(text, answerText(streamed, shownIds, jump, more));
  }

  return {
    node,
    /** What a mode adds: buttons beside the status, and lines below. */
    tools,
    foot,
    clearMore() { replace(tools); replace(foot); },
    toggle: () => !node.hidden && flip(),
    /** A search begins. The place is kept for modes that answer. */
    begin(mode, answers) {
      streamed = "";
      steps = [];
      node.classList.toggle("running", answers);
      node.classList.remove("no-answer");
      if (!answers) node.hidden = true;
      else {
        node.hidden = false;
        replace(badge, el("span", { class: "small" }, `${texts.answer.working} …`));
        if (!text.firstChild) replace(text, el("p", { class: "placeholder" }));
      }
    },
    /** An event of the stream. */
    event(name, data) {
      if (name === "answer") streamed = data.text;
      if (name === "token") streamed += data.text;
      if (name === "answer" || name === "token") draw([]);
      if (name === "stage" && data.stage) {
        steps.push(data.stage);
        replace(badge, el("span", { class: "small" }, `${texts.answer.working}: ${steps.at(-1).replaceAll("_", " ")} …`));
      }
    },
    /** The search ended; `counts` are those of a set of entries. */
    end(result, shownIds = [], counts = null) {
      node.classList.remove("running");
      const shows = Boolean(result?.answer || result?.answer_status);
      node.hidden = !shows;
      if (!shows) return replace(text);
      streamed = result.answer || "";
      const wroteModel = result.by ? result.by === "model" : (result.pipeline_details?.stages || []).some((stage) => stage.stage === "generate" && !stage.failed);
      const isList = result.answer_status === "insufficient";
      node.classList.toggle("no-answer", isList);
      replace(badge, result.answer_status && statusBadge(result.answer_status, { confidence: result.answer_confidence, closer: result.meaning }), (wroteModel || !isList) && el("span", { class: "small author" }, wroteModel ? texts.answer.byModel : texts.answer.noModel));
      draw(shownIds, { highlights: result.answer_highlights, isList, counts });
      setUnfolded(false);
      measure();
      const calls = stepsOf(result.pipeline_details);
      replace(traceBody, el("p", {}, result.reasoning), calls.length ? traceList(calls) : stageLine(result.pipeline_details));
      return undefined;
    },
  };
}
