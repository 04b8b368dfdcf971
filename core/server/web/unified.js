// Search over every domain: the answer, the cards, what lies outside of the
// scope, and what each domain had to say.

import { announce, el, icon, replace } from "./dom.js";
import { asPanelResult, questions, synthesisButton } from "./unified_answer.js";
import { cards, labelOf } from "./unified_cards.js";
import { diagnostics, during } from "./progress.js";
import { entryAddress, rememberResults, showSentence } from "./hits.js";
import { forgetContext, question } from "./unified_context.js";
import { go } from "./navigation.js";
import { overflow } from "./unified_overflow.js";
import { post } from "./api.js";
import { texts } from "./texts.js";
import { write } from "./address.js";

export const UNIFIED = "unified";
const t = texts.unified;

/** The results. `answer` is the panel, `scopes` the row of domains, and `again`
 * repeats the search. */
export function unifiedResults({ answer, scopes, notes, again }) {
  const list = el("ol", { class: "cards", "aria-label": texts.search.results });
  const outside = el("div", { class: "overflow-place" });
  const node = el("div", { class: "unified", hidden: true }, list, outside);
  let result = null;
  let state = null;
  let shown = 0;

  /** Searches and shows; what it found is for the row of figures. */
  async function run(searched, site, signal) {
    const body = question(searched);
    const found = await during(post("/v1/search/query", body, signal));
    if (signal.aborted) return null;
    result = found;
    state = searched;
    shown += 1;
    draw(site, body);
    return { figures: figures(found), context: contextChips(found.plan, site) };
  }

  function draw(site, body) {
    const own = shown;
    const drawn = cards(result, state, site);
    scopes.show(site.unified?.domains || [], state.scope, result.coverage);
    answer.end(asPanelResult(result), drawn.ids);
    const synthesis = site.unified?.can_synthesize && synthesisButton({ panel: answer, reply: result, body, ids: drawn.ids, isCurrent: () => own === shown });
    replace(answer.tools, synthesis && synthesis.buttons);
    replace(answer.foot, synthesis && synthesis.figures, questions(result.contextAnswer, state));
    replace(notes, diagnostics(result, partialText(site)));
    replace(list, drawn.nodes);
    if (!drawn.nodes.length) replace(list, el("li", { class: "empty" }, el("p", {}, el("strong", {}, texts.search.noEntries)), el("p", {}, texts.search.noEntriesHelp)));
    replace(outside, overflow(result, state, site));
    rememberResults(drawn.ids.map((id) => ({ entry_id: id })), state.q, write(state), result.entries);
    announce(figures(result));
  }

  /** Which domains did not answer. */
  function partialText(site) {
    const failed = (result.coverage.domains || []).filter((one) => one.status === "failed");
    return failed.length ? t.failed(failed.map((one) => `${labelOf(one.domain, site)} ${t.scope.failures[one.failure] || t.scope.failures.other}`).join(", ")) : undefined;
  }

  function figures(found) {
    const entries = found.cards.reduce((sum, card) => sum + card.hits, 0);
    return t.figures(found.cards.length, entries, found.tookMs);
  }

  /** What came into the search from elsewhere than its words. */
  function contextChips(plan, site) {
    const entities = (plan.entities || []).map((entity) => [t.origins[entity.origin], entity.name]);
    const domains = (plan.domains || []).filter((one) => one.boosts.some((boost) => boost.name === "last_action_domain"))
      .map((one) => [t.origins.lastAction, labelOf(one.domain, site)]);
    const remove = () => { forgetContext(); again(); };
    const named = [...entities, ...domains].filter(([origin]) => origin);
    // What was asked about before is often what was opened last.
    const isFirst = ([, name], at) => named.findIndex(([, other]) => other.toLowerCase() === name.toLowerCase()) === at;
    return named.filter(isFirst).map(([origin, name]) => el("li", { class: "chip soft context" },
      el("span", { class: "chip-kind" }, origin), el("span", { class: "chip-label" }, name),
      el("button", { type: "button", class: "chip-action", title: t.forget, "aria-label": `${t.forget}: ${name}`, onclick: remove }, icon("close"))));
  }

  /** Shows a cited sentence on its card, or in its entry. */
  function jump(id, sentence) {
    const row = [...list.querySelectorAll("[data-hit]")].find((one) => one.dataset.hit === id);
    const entry = result?.entries.find((one) => one.entry_id === id);
    return row && entry ? showSentence(row, entry, sentence) : go(entryAddress(id, state?.q, sentence));
  }

  function clear() {
    replace(list);
    replace(outside);
  }

  return { node, run, jump, clear };
}
