// Where the server keeps feedback: whether an answer helped, and which entries
// are opened from the results.

import { post, send } from "./api.js";
import { el } from "./dom.js";
import { texts } from "./texts.js";

/** The question below an answer, with a button for yes and one for no. */
export function helpfulButtons(question, result) {
  const said = el("span", { role: "status" });
  const button = (verdict, text) => el("button", { type: "button", class: "quiet", "aria-pressed": "false", onclick: (event) => say(verdict, event.currentTarget) }, text);
  const buttons = [button("helpful", texts.helpful.yes), button("not_helpful", texts.helpful.no)];

  async function say(verdict, pressed) {
    try {
      await post("/api/feedback", { question, verdict, citations: result.citations || [], answer_confidence: result.answer_confidence ?? null, mode: result.mode });
      for (const one of buttons) one.setAttribute("aria-pressed", String(one === pressed));
      said.textContent = texts.helpful.kept;
    } catch (error) {
      said.textContent = error.message;
    }
  }

  return el("p", { class: "helpful small" }, texts.helpful.ask, " ", buttons, " ", said);
}

/** Notes that an entry was opened. The request goes on when the page is left;
 * errors are ignored. */
export function noteOpened(question, id) {
  const body = JSON.stringify({ question, verdict: "opened", entry_id: id });
  send("/api/feedback", { method: "POST", body, keepalive: true, headers: { "content-type": "application/json" } }).catch(() => {});
}
