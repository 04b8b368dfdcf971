// The agent before the first question: what it does, who answers, and questions
// to begin with, made of the names that this logbook uses most.

import { coded } from "./progress.js";
import { el, replace } from "./dom.js";
import { post } from "./api.js";
import { suggestions } from "./unified_context.js";
import { texts } from "./texts.js";

const t = texts.agent;
/** Fields whose values are things that questions are about, best first. */
const SUBJECTS = ["device", "system", "tag", "tags", "category", "logbook"];
/** A name that more than this share of all entries have is no subject of a
 * question, such as `status`. */
const TELLS_LITTLE = 0.05;
/** Questions that are tried, each of which is a search, and that are shown. */
const TRIED = 10;
const SHOWN = 4;

/** The invitation; `ask(question)` asks one of its questions. */
export function invitation(ask) {
  const who = el("p", { class: "note-box", hidden: true });
  const examples = el("div", { class: "examples" });
  const node = el("section", { class: "invitation", "aria-label": t.examples }, examples, who);

  return {
    node,
    /** Shows it for a pipeline of this site. */
    show(site, mode) {
      const hasModel = site.chat_modes.includes(mode);
      who.hidden = hasModel && site.can_ask;
      replace(who, coded(hasModel ? t.noScope : t.noModel));
      if (!examples.firstChild) offer(site);
    },
  };

  async function offer(site) {
    try {
      const questions = await begin(site);
      replace(examples, questions.length > 0 && [el("h2", {}, t.examples), el("ul", {}, questions.map((question) => el("li", {},
        el("button", { type: "button", class: "question-link", onclick: () => ask(question) }, question))))]);
    } catch {
      // The page works without examples.
      replace(examples);
    }
  }
}

/** Questions about the names that entries have most often; where it can be
 * tried, those that entries answer. */
async function begin(site) {
  const field = SUBJECTS.find((one) => site.facet_fields.includes(one));
  if (!field || !site.first) return [];
  const { facets } = await post("/api/search", { query: " ", mode: "keyword", start_date: site.first.slice(0, 10), max_results: 1, facets: [field] });
  const values = facets[0]?.values || [];
  const telling = values.filter((one) => one.count <= Math.max(2, site.entries * TELLS_LITTLE));
  const names = (telling.length ? telling : values).map((one) => one.value).slice(0, TRIED);
  const questions = names.map(t.example);
  if (!site.unified || !questions.length) return questions.slice(0, SHOWN);
  const tried = await post("/v1/search/suggestions/evaluate", suggestions(questions, { scope: [], filters: {}, from: "", to: "" }));
  const { suggestions: all } = tried;
  const answered = all.filter((one) => one.viable);
  // Answers that may not be right are better than an empty page.
  const offered = answered.length ? answered : all.filter((one) => one.code === "closest_entries");
  return offered.map((one) => one.query).slice(0, SHOWN);
}
