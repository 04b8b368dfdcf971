// Search: what is typed is searched by words at once, Enter runs the chosen
// mode; the address holds everything.

import { answerPanel } from "./answer_panel.js";
import { browseContent } from "./browse.js";
import { announce, el, icon, iconButton, replace } from "./dom.js";
import { coded, diagnostics, during, failure } from "./progress.js";
import { helpfulButtons, noteOpened } from "./feedback.js";
import { entryAddress, hitNode, rememberResults, showSentence } from "./hits.js";
import { drawFacets } from "./facets.js";
import { getCapabilities, getSite, modesOf, post, stream } from "./api.js";
import { go, leftPlace, returnTo, setTitle } from "./navigation.js";
import { histogram } from "./histogram.js";
import { isNarrowed, read, request, scope, write } from "./address.js";
import { optionsForm } from "./options.js";
import { planChips } from "./plan.js";
import { questionHistory } from "./question_history.js";
import { scopeRow } from "./unified_scope.js";
import { setCounts } from "./set_counts.js";
import { suggestionRow } from "./suggestions.js";
import { texts } from "./texts.js";
import { UNIFIED, unifiedResults } from "./unified.js";

const QUICK_MODE = "keyword";
/** Milliseconds after which the chart follows what is typed. */
const CHART_PAUSE = 250;

export function searchView() {
  let state = read(location.search);
  let capabilities = null;
  let site = null;
  let result = null;
  let running = null;
  let counting = null;
  let timer = null;
  let chartTimer = null;
  let browsing = null;
  let isStarting = false;
  let place = leftPlace();

  const box = el("input", {
    id: "q", class: "box", type: "search", name: "q", autocomplete: "off", spellcheck: "false", enterkeyhint: "search",
    "aria-label": texts.search.label, placeholder: texts.search.placeholder, value: state.q, oninput: typed,
  });
  const modes = el("select", { id: "mode", "aria-label": texts.search.mode, onchange: () => edit((next) => { next.mode = modes.value; next.params = {}; next.quick = false; }) });
  const options = el("div", { class: "options", id: "options", hidden: true });
  const optionsButton = iconButton("sliders", texts.search.options, toggleOptions, { "aria-expanded": "false", "aria-controls": "options" });
  const earlier = questionHistory(() => state);
  const form = el("form", { class: "search-form", role: "search", onsubmit: submitted },
    icon("search"), box, modes, earlier.button, optionsButton, el("button", { class: "primary run" }, icon("search"), el("span", {}, texts.search.run)));
  const chips = el("ul", { class: "chips", "aria-label": texts.plan.label });
  const count = el("p", { class: "count-line", id: "count" });
  const sort = el("select", { id: "sort", "aria-label": texts.search.sort, onchange: () => edit((next) => { next.sort = sort.value; }) },
    el("option", { value: "" }, texts.search.byRelevance), el("option", { value: "time" }, texts.search.byTime));
  const sheetButton = el("button", { type: "button", class: "sheet-button", "aria-expanded": "false", "aria-controls": "side", onclick: () => toggleSheet() }, texts.facets.open);
  const answer = answerPanel({ jump: (id, sentence) => (isUnified() ? unified.jump(id, sentence) : jump(id, sentence)) });
  const suggestions = suggestionRow();
  const scopes = scopeRow((change) => edit((next) => { change(next); next.count = 10; }));
  const notes = el("div", { class: "notes-place" });
  const modeNote = el("div", { role: "status" });
  const list = el("ol", { class: "hits", "aria-label": texts.search.results });
  const unified = unifiedResults({ answer, scopes, notes, again: run });
  const more = el("button", { type: "button", class: "more", hidden: true, onclick: () => edit((next) => { next.count = Math.min(next.count + 20, 100); }) }, texts.search.more);
  const chart = histogram((from, to) => edit((next) => { next.from = from; next.to = to; }));
  const facets = el("div", { class: "facets", id: "facets" });
  const side = el("aside", { class: "side", id: "side", "aria-label": texts.facets.title },
    chart.node, facets, el("button", { type: "button", class: "primary sheet-close", onclick: () => toggleSheet(false) }, texts.facets.apply));
  const results = el("div", { class: "results" },
    el("section", { class: "found" }, answer.node, notes, unified.node, list, more), side);
  const home = el("div", { class: "home" });
  const planRow = el("div", { class: "plan-row" }, chips, el("div", { class: "figures" }, count, sort, sheetButton));
  const node = el("div", { class: "search" }, el("h1", { class: "unseen" }, texts.search.title), el("div", { class: "search-top" }, form, earlier.panel, options, suggestions.node, scopes.node, planRow, modeNote), home, results);

  start();

  async function start() {
    if (isStarting) return;
    isStarting = true;
    try {
      [capabilities, site] = await during(Promise.all([getCapabilities(), getSite()]));
    } catch (error) {
      if (error.status !== 401) replace(home, failure(error, start));
      return;
    } finally {
      isStarting = false;
    }
    const groups = Object.values(capabilities.categories).map((category) => el("optgroup", { label: category.label },
      category.modes.map((mode) => el("option", { value: mode.name, title: mode.description }, mode.label))));
    replace(modes, groups);
    run();
    if (!state.q && !place && !matchMedia("(pointer: coarse)").matches) box.focus({ preventScroll: true });
  }

  /** A mode of the address that the server does not have is said; the default
   * one takes its place. */
  function checkMode() {
    const unknown = modesOf(capabilities).some((mode) => mode.name === state.mode) ? "" : state.mode;
    if (unknown) state.mode = "";
    replace(modeNote, unknown ? el("p", { class: "note-box" }, coded(texts.search.unknownMode(unknown, chosenLabel()))) : null);
  }

  function chosenMode() {
    return state.mode || (site.unified?.is_default ? UNIFIED : capabilities.default_mode);
  }

  function isUnified() {
    return Boolean(site && capabilities) && chosenMode() === UNIFIED;
  }

  /** Changes the search, its address, and runs it. */
  function edit(change, { replaces = false } = {}) {
    const next = structuredClone(state);
    change(next);
    state = next;
    place = null;
    go(write(state), { replaces, shows: false });
    run();
  }

  /** Searches at each key; a browser hands over keys that wait already before
   * the timer. The next search cancels the one that runs. */
  function typed() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const wasQuick = state.quick;
      edit((next) => { next.q = box.value; next.quick = Boolean(box.value.trim()); next.count = 10; }, { replaces: wasQuick });
    });
  }

  function submitted(event) {
    event.preventDefault();
    clearTimeout(timer);
    edit((next) => { next.q = box.value.trim(); next.quick = false; }, { replaces: state.quick });
  }

  /** Runs the search of the state; a search under way is cancelled. */
  async function run() {
    // It runs the search once they are there.
    if (!capabilities) return start();
    stop();
    checkMode();
    if (box.value.trim() !== state.q.trim()) box.value = state.q;
    // A value that is set anew has the page laid out, be it the same.
    if (modes.value !== chosenMode()) modes.value = chosenMode();
    if (sort.value !== state.sort) sort.value = state.sort;
    setTitle(state.q || texts.nav.search);
    const isHome = !state.q.trim() && !isNarrowed(state);
    node.classList.toggle("is-home", isHome);
    node.classList.toggle("is-unified", isUnified());
    drawOptions();
    earlier.close();
    earlier.button.hidden = !isUnified();
    // What the pipeline takes is said by the page: scope, session, last action.
    optionsButton.hidden = isUnified();
    if (isUnified()) options.hidden = true;
    scopes.show(isUnified() ? site.unified?.domains || [] : [], state.scope, isHome || state.quick ? null : undefined);
    if (isUnified() && isHome) suggestions.offerEarlier(state);
    else if (isUnified() && state.quick) suggestions.offer(state);
    else suggestions.hide();
    if (isHome) {
      result = null;
      browsing = browseContent({ day: null, place });
      replace(home, browsing.node);
      return;
    }
    replace(home);
    const isQuick = (state.quick || !state.q.trim()) && modesOf(capabilities).some((mode) => mode.name === QUICK_MODE);
    const mode = isQuick ? QUICK_MODE : chosenMode();
    running = new AbortController();
    const { signal } = running;
    // What is typed waits for its entries only; the chart follows them.
    if (!isQuick) countTimes(mode);
    const body = request(isQuick ? { ...state, params: {} } : state, mode, site.facet_fields);
    body.query = body.query.trim() ? body.query : " ";
    const isOfCards = mode === UNIFIED;
    answer.begin(mode, isOfCards || isPipeline(mode));
    try {
      if (isOfCards) return await runUnified(signal);
      const found = isPipeline(mode) ? await during(streamed(body, signal)) : await during(post("/api/search", body, signal));
      if (signal.aborted) return;
      showCards(false);
      draw(found, isQuick);
      if (isQuick) chartTimer = setTimeout(() => countTimes(mode), CHART_PAUSE);
    } catch (error) {
      if (error.name === "AbortError" || signal.aborted || error.status === 401) return;
      answer.end(null);
      clearResults();
      replace(notes, failure(error, run));
    }
  }

  /** Ends what runs for the search before. */
  function stop() {
    running?.abort();
    counting?.abort();
    browsing?.leave();
    clearTimeout(chartTimer);
  }

  /** Nothing of the search before stands beside a failure. */
  function clearResults() {
    counting?.abort();
    result = null;
    showCards(false);
    replace(list);
    replace(count);
    replace(chips, planChips(null, state, site, edit));
    replace(facets);
    more.hidden = true;
    chart.clear("");
  }

  /** Every domain; the values of fields, and what was read in the question,
   * come from a search by words beside it. */
  async function runUnified(signal) {
    const body = { ...request({ ...state, count: 1, params: {} }, QUICK_MODE, site.facet_fields), count_any_word: true };
    // Without them, for example where `keyword` is off, the cards are shown all the same.
    const beside = post("/api/search", body, signal).catch(() => ({ facets: [], plan: null }));
    const found = await unified.run(state, site, signal);
    if (!found || signal.aborted) return;
    result = null;
    showCards(true);
    replace(count, found.figures);
    const words = await beside;
    if (signal.aborted) return;
    drawChips(words.plan, found.context);
    drawFacets(facets, words.facets, state, edit);
    comeBack();
  }

  function showCards(areShown) {
    unified.node.hidden = !areShown;
    list.hidden = areShown;
    sort.hidden = areShown;
    if (!areShown) {
      answer.clearMore();
      unified.clear();
      return;
    }
    more.hidden = true;
    replace(list);
  }

  function isPipeline(mode) {
    return capabilities.categories.llm?.modes.some((one) => one.name === mode) || false;
  }

  async function streamed(body, signal) {
    let done = null;
    await stream("/api/search/stream", body, (name, data) => {
      if (name === "done") done = data;
      else if (name === "error") throw Object.assign(new Error(data.detail), { status: data.status, requestId: data.request_id });
      else if (!signal.aborted) answer.event(name, data);
    }, signal);
    if (!done) throw new Error(texts.errors.network);
    return done;
  }

  async function countTimes(mode) {
    counting = new AbortController();
    const { signal } = counting;
    try {
      chart.show(await post("/api/timeline", { ...scope(state), count_any_word: mode !== QUICK_MODE }, signal));
    } catch (error) {
      if (error.name !== "AbortError") chart.clear(texts.time.failed);
    }
  }

  function draw(found, isQuick) {
    result = found;
    const ids = found.entries.map((entry) => entry.entry_id);
    const counted = found.pipeline_details?.set;
    drawChips(found.plan, null, counted && found.entries);
    const total = totalOf(found, ids.length);
    replace(count, total, found.matches?.matched === "some" && !counted && ids.length > 0 ? ` · ${texts.search.someWords}` : "", el("span", { class: "took" }, ` · ${texts.search.took(found.execution_time_ms)}`),
      isQuick && state.q.trim() ? el("span", { class: "quick" }, ` · ${texts.search.quick} · `, el("kbd", {}, "Enter"), texts.search.pressEnter(chosenLabel()).replace(/^Enter/, "")) : null);
    announce(total);
    answer.end(found, ids, setCounts(found, state));
    const asksIfHelpful = site.keeps_feedback && found.answer && !isQuick;
    replace(answer.foot, asksIfHelpful && helpfulButtons(state.q, found));
    replace(notes, diagnostics(found));
    const focused = [...list.querySelectorAll(".hit-title")].indexOf(document.activeElement);
    replace(list, found.entries.map((entry, at) => hitNode(entry, at + 1, state, found.citations.includes(entry.entry_id), { opened: site.keeps_feedback && state.q.trim() ? () => noteOpened(state.q, entry.entry_id) : undefined })));
    // Whoever is on an entry by key stays at its place.
    if (focused >= 0) list.querySelectorAll(".hit-title")[Math.min(focused, ids.length - 1)]?.focus({ preventScroll: true });
    if (!ids.length) replace(list, el("li", { class: "empty" }, el("p", {}, el("strong", {}, texts.search.noEntries)), el("p", {}, texts.search.noEntriesHelp)));
    more.hidden = ids.length < state.count || state.count >= 100;
    drawFacets(facets, found.facets, state, edit);
    rememberResults(found.entries, state.q, write(state));
    comeBack();
  }

  /** How many entries are shown, of those of a set that was counted or of those
   * with words of the question. */
  function totalOf({ matches, pipeline_details: details }, shown) {
    if (details?.set?.count >= shown) return texts.search.of(shown, details.set.count, true);
    return matches && shown ? texts.search.of(shown, Math.max(matches.count, shown), matches.is_exact) : texts.search.shown(shown);
  }

  /** Whoever took a chip away by key goes on at the next, or in the box. */
  function drawChips(plan, context, members) {
    const hasFocus = chips.contains(document.activeElement);
    replace(chips, planChips(plan, state, site, edit, members), context);
    if (hasFocus) (chips.querySelector("button") || box).focus({ preventScroll: true });
  }

  function comeBack() {
    returnTo(place);
    place = null;
  }

  function chosenLabel() {
    return modesOf(capabilities).find((mode) => mode.name === chosenMode())?.label || chosenMode();
  }

  function jump(id, sentence) {
    const entry = result?.entries.find((one) => one.entry_id === id);
    if (!entry) return go(entryAddress(id, state.q, sentence));
    const hits = [...list.querySelectorAll("[data-hit]")];
    return showSentence(hits.find((hit) => hit.dataset.hit === id), entry, sentence);
  }

  function toggleOptions() {
    options.hidden = !options.hidden;
    optionsButton.setAttribute("aria-expanded", String(!options.hidden));
    drawOptions();
  }

  function drawOptions() {
    if (options.hidden || !capabilities) return;
    const mode = modesOf(capabilities).find((one) => one.name === chosenMode());
    const focused = document.activeElement?.id;
    replace(options, el("p", {}, mode.description), optionsForm(mode, state, (change) => edit((next) => { change(next); next.quick = false; })));
    if (focused?.startsWith("option-")) document.getElementById(focused)?.focus();
  }

  function toggleSheet(isOpen = !side.classList.contains("open")) {
    side.classList.toggle("open", isOpen);
    sheetButton.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) side.querySelector("input, [tabindex]")?.focus();
  }

  function move(step) {
    const titles = [...node.querySelectorAll(".hit-title, .line-title")];
    if (!titles.length) return false;
    const at = titles.indexOf(document.activeElement);
    const next = at < 0 ? (step > 0 ? 0 : -1) : at + step;
    if (next < 0) box.focus();
    else titles[Math.min(next, titles.length - 1)].focus();
    return true;
  }

  function keys(event, isTyping) {
    const inBox = event.target === box;
    if (event.key === "ArrowDown" && (inBox || !isTyping)) return move(1);
    if (event.key === "ArrowUp" && !isTyping) return move(-1);
    if (event.key === "Escape") {
      if (side.classList.contains("open")) toggleSheet(false);
      else if (!earlier.panel.hidden) earlier.toggle(false);
      else if (!options.hidden) toggleOptions();
      else if (inBox && box.value) { box.value = ""; edit((next) => { next.q = ""; next.quick = false; }); }
      else box.focus();
      return true;
    }
    if (isTyping) return false;
    if (event.key === "/") { box.focus(); box.select(); return true; }
    if (event.key === "o") return answer.toggle();
    if (event.key === "f") { if (getComputedStyle(sheetButton).display !== "none") toggleSheet(true); facets.querySelector("input")?.focus(); return true; }
    if (event.key === "s" && isUnified()) { scopes.focus(); return true; }
    if (event.key === "h" && isUnified()) { earlier.toggle(); return true; }
    if (event.key === "t") { document.getElementById("time").focus(); return true; }
    return false;
  }

  return {
    node, keys, keepsScroll: true,
    moreKeys: () => (isUnified() ? texts.unified.keys : []),
    update() { state = read(location.search); place = leftPlace(); run(); },
    leave() { suggestions.clear(); clearTimeout(timer); stop(); },
  };
}
