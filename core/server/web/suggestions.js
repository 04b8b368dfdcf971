// Questions under the search box. Each is tried first, so that one that leads
// nowhere is not offered.

import { el, link, replace } from "./dom.js";
import { get, post } from "./api.js";
import { suggestions } from "./unified_context.js";
import { texts } from "./texts.js";
import { write } from "./address.js";

const t = texts.unified.suggestions;
/** Milliseconds without a key after which suggestions are tried: the results of
 * what is typed come first. */
const PAUSE = 350;
/** Suggestions that are tried, each of which is a search. */
const MOST = 4;
/** Words that a device or a subject is named with, at most. */
const NAME_WORDS = 3;
/** Characters that are worth a suggestion. */
const LEAST = 3;

/** The row. `offer` shows what fits the words of a state. */
export function suggestionRow() {
  const node = el("div", { class: "suggestions", hidden: true });
  let timer = null;
  let running = null;

  function clear() {
    clearTimeout(timer);
    running?.abort();
  }

  async function evaluate(state, candidates) {
    running = new AbortController();
    const { signal } = running;
    try {
      const queries = await candidates(signal);
      if (!queries.length) return replace(node);
      const { suggestions: tried } = await post("/v1/search/suggestions/evaluate", suggestions(queries, state), signal);
      return draw(tried, state);
    } catch (error) {
      // A row without suggestions is no fault of the search that is shown.
      if (error.name !== "AbortError") replace(node);
      return undefined;
    }
  }

  function draw(tried, state) {
    const offered = ["grounded", "needs_clarification"].flatMap((state) => tried.filter((one) => one.viabilityState === state));
    const unready = tried.find((one) => ["scope_unready", "corpus_unready"].includes(one.viabilityState));
    const items = offered.map((one) => el("li", {}, link(write({ ...state, q: one.query, quick: false, ignored: [] }), {
      class: `suggestion ${one.viabilityState === "grounded" ? "grounded" : "clarify"}`, title: t.states[one.viabilityState],
    }, el("span", { class: "shape", "aria-hidden": "true" }), one.query, one.viabilityState !== "grounded" && el("span", { class: "small" }, t.states[one.viabilityState]))));
    replace(node, offered.length > 0 && [el("span", { class: "small" }, t.title), el("ul", { "aria-label": t.label }, items)],
      !offered.length && unready && el("p", { class: "small" }, t.states[unready.viabilityState], " ",
        unready.viabilityState === "scope_unready" && link(write({ ...state, scope: [] }), {}, texts.unified.overflow.everywhere)));
  }

  return {
    node,
    clear,
    hide() { clear(); node.hidden = true; replace(node); },
    /** What fits the words that are typed. */
    offer(state) {
      clear();
      node.hidden = false;
      // Those of other words do not fit any more; the row keeps its place.
      replace(node);
      timer = setTimeout(() => evaluate(state, async (signal) => candidatesOf(state.q, await asked(signal))), PAUSE);
    },
    /** What the user asked before, where nothing is typed. */
    offerEarlier(state) {
      clear();
      node.hidden = false;
      evaluate(state, async (signal) => (await asked(signal)).slice(0, MOST));
    },
  };
}

/** Questions that the user asked before, newest first. */
async function asked(signal) {
  const { entries } = await get("/v1/search/history", signal);
  return entries.map((entry) => entry.q);
}

/** Earlier questions with the words that are typed; questions about them. */
function candidatesOf(typed, earlier) {
  const words = typed.trim();
  if (words.length < LEAST) return [];
  const fits = earlier.filter((one) => one.toLowerCase().includes(words.toLowerCase()) && one.toLowerCase() !== words.toLowerCase());
  const isName = words.split(/\s+/).length <= NAME_WORDS && !/[?"]/.test(words);
  return [...new Set([...fits.slice(0, 2), ...(isName ? t.about(words) : [])])].slice(0, MOST);
}
