// What a question over every domain carries beside its words: the session, what
// was opened last, and what the user did with the results.

import { post } from "./api.js";

const SESSION = "gannet-session";
const LAST = "gannet-last-action";

/** The id of the session of this tab. */
function sessionId() {
  let id = sessionStorage.getItem(SESSION);
  if (!id) {
    id = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
    sessionStorage.setItem(SESSION, id);
  }
  return id;
}

/** Begins a session anew: earlier questions and what was opened are forgotten. */
export function forgetContext() {
  sessionStorage.removeItem(SESSION);
  sessionStorage.removeItem(LAST);
}

function lastAction() {
  return JSON.parse(sessionStorage.getItem(LAST) || "null");
}

/** The body of a question. What was opened counts for other questions than the
 * one that found it: whoever comes back finds the same order. */
export function question(state) {
  const last = lastAction();
  return {
    q: state.q,
    filters: filtersOf(state),
    scope: state.scope,
    ignoredWords: state.ignored,
    sessionId: sessionId(),
    ...(last && last.queryHint !== state.q ? { ambient: { lastAction: last } } : {}),
  };
}

/** Suggested questions, asked as `question` would. */
export function suggestions(queries, state) {
  return { queries, filters: filtersOf(state), scope: state.scope };
}

function filtersOf(state) {
  const chosen = Object.entries(state.filters).filter(([, values]) => values.length).map(([name, values]) => [name, values.join("|")]);
  const times = [["start_date", state.from], ["end_date", state.to]].filter(([, time]) => time);
  return Object.fromEntries([...chosen, ...times]);
}

/** An entry of a card is opened. A card of one entry is about no entity. */
export function opened(card, facet, query) {
  const entityKey = card.entityType === "entry" ? null : card.title;
  sessionStorage.setItem(LAST, JSON.stringify({ action: "open", domain: facet.domain, entityKey, queryHint: query }));
  tell({ type: "click", sessionId: sessionId(), q: query, entryId: facet.entryId });
}

/** What was offered after an answer that was none is taken up. */
export function rescued(query) {
  tell({ type: "rescue_action", sessionId: sessionId(), q: query });
}

function tell(event) {
  // Figures about the use of results: a page that is left does not wait for
  // them, and without them everything works.
  post("/v1/search/analytics", { events: [event] }).catch(() => {});
}
