// One entry: its whole text with what matched, its files, and what belongs to it.

import { announce, el, icon, iconButton, link, marked, replace, textRanges } from "./dom.js";
import { againPanel, eventsLike, inFacility } from "./again.js";
import { ago, bytes, fieldName, time, title } from "./format.js";
import { during, failure } from "./progress.js";
import { entryAddress, place, rememberedResults } from "./hits.js";
import { get, key, post, send } from "./api.js";
import { go, setTitle } from "./navigation.js";
import { relatedSection, threadOf, threadPanel } from "./thread.js";
import { texts } from "./texts.js";

export function entryView({ argument }) {
  const node = el("div", { class: "entry-page" });
  let id = argument;
  let loading = null;
  let links = [];
  load();

  async function load() {
    loading?.abort();
    loading = new AbortController();
    const { signal } = loading;
    const params = new URLSearchParams(location.search);
    const [query, sentence] = [params.get("q") || "", params.get("s") || ""];
    try {
      const [entry, words] = await during(Promise.all([get(`/api/entries/${encodeURIComponent(id)}`, signal), matchedWords(query, id, signal)]));
      draw(entry, words, query, sentence);
    } catch (error) {
      if (error.name === "AbortError" || error.status === 401) return;
      const given = error.status === 404 && rememberedResults()?.given?.find((one) => one.entry_id === id);
      if (given) return draw(given, [], query, sentence, true);
      replace(node, el("h1", { class: "unseen" }, id), error.status === 404 ? el("p", { class: "empty" }, texts.entry.notFound) : failure(error, load));
    }
  }

  /** Shows an entry, or what a search gave of one that is kept elsewhere. */
  function draw(entry, words, query, sentence, isGiven = false) {
    const name = title(entry);
    setTitle(name);
    const quoted = sentence ? place(entry.raw_text, sentence) : null;
    const text = textNode(entry, words, quoted);
    const results = rememberedResults();
    links = neighbors(results, id);
    const raw = el("pre", { class: "raw", hidden: true, tabindex: "0" });
    const rawButton = el("button", { type: "button", "aria-pressed": "false", onclick: () => {
      raw.hidden = !raw.hidden;
      if (!raw.textContent) raw.textContent = JSON.stringify(entry, null, 2);
      text.hidden = !raw.hidden;
      rawButton.setAttribute("aria-pressed", String(!raw.hidden));
    } }, texts.entry.raw);
    const related = el("aside", { class: "related", "aria-label": texts.entry.related });
    replace(node,
      el("nav", { class: "entry-nav", "aria-label": texts.entry.related },
        results?.ids.includes(id) ? link(results.back, { class: "back" }, icon("left"), texts.entry.back) : el("span"),
        el("span", {}, links.map(([to, label, name]) => to && link(entryAddress(to, results.query), { class: "icon", title: label, "aria-label": label }, icon(name))))),
      el("article", { class: "entry" },
        el("h1", {}, name),
        el("p", { class: "meta" }, el("code", {}, entry.entry_id), el("span", {}, entry.author || texts.entry.anonymous),
          el("time", { datetime: entry.timestamp, title: ago(entry.timestamp) }, time(entry.timestamp)), el("span", {}, entry.source_system)),
        fields(entry),
        isGiven && el("p", { class: "note-box" }, texts.entry.given),
        el("div", { class: "entry-text-row" }, text, minimap(text)),
        raw,
        attachments(entry),
        el("div", { class: "actions" },
          copyButton(texts.entry.copyLink, () => location.origin + entryAddress(id)),
          copyButton(texts.entry.copyCitation, () => `${name}. ${entry.author || texts.entry.anonymous}, ${time(entry.timestamp)}. [#${entry.entry_id}]`),
          rawButton,
          safe(entry.entry_url) && el("a", { href: entry.entry_url, rel: "noreferrer noopener", target: "_blank", class: "button" }, texts.entry.facility))),
      related);
    if (!isGiven) drawRelated(related, query);
    const first = text.querySelector("mark.quoted") || (query && text.querySelector("mark"));
    if (first && first.getBoundingClientRect().bottom > innerHeight) first.scrollIntoView({ block: "center" });
  }

  async function drawRelated(related, query) {
    const { signal } = loading;
    try {
      const [found, thread] = await Promise.all([get(`/api/entries/${encodeURIComponent(id)}/related`, signal), threadOf(id, signal)]);
      const { steps } = thread;
      // The thread has the groups, unless it is off.
      const groups = await (thread.groups ? inFacility(thread.groups) : eventsLike(`id:"${id}"`, signal));
      // The thread has the links too.
      const links = steps.length ? [] : [["links", found.links], ["linkedFrom", found.linked_from]];
      const lists = [...links, ["similar", found.similar]].filter(([, entries]) => entries.length);
      const sections = lists.map(([name, entries]) => relatedSection(texts.entry[name], "ul", entries, query, (one) => one.why?.join(" · ")));
      replace(related, groups.length > 0 && againPanel(groups, query, id), steps.length > 0 && threadPanel(steps, id, query), sections,
        !groups.length && !steps.length && !lists.length && el("p", { class: "small" }, texts.entry.noRelated));
    } catch (error) {
      if (error.name !== "AbortError" && error.status !== 401) replace(related, failure(error));
    }
  }

  function keys(event, isTyping) {
    if (isTyping) return false;
    const at = { "[": 0, "]": 1 }[event.key];
    if (at === undefined || !links[at]?.[0]) return false;
    go(entryAddress(links[at][0], rememberedResults()?.query), { replaces: true });
    return true;
  }

  return { node, keys, update(next) { id = next; load(); scrollTo(0, 0); }, leave() { loading?.abort(); } };
}

function neighbors(results, id) {
  const at = results?.ids.indexOf(id) ?? -1;
  const around = at < 0 ? [null, null] : [results.ids[at - 1], results.ids[at + 1]];
  return [[around[0], texts.entry.previous, "left"], [around[1], texts.entry.next, "right"]];
}

/** The words of an entry that a question matches, as the server marks them. */
async function matchedWords(query, id, signal) {
  if (!query.trim()) return [];
  try {
    const body = { query, mode: "keyword", max_results: 1, filters: { id } };
    const found = await post("/api/search", body, signal);
    const fragments = found.entries[0]?.fragments || [];
    const words = fragments.flatMap((one) => textRanges(one.text, one.ranges).map(([start, end]) => one.text.slice(start, end)));
    return [...new Set(words)];
  } catch (error) {
    if (error.name === "AbortError") throw error;
    // The text is shown without marks, for example where `keyword` is off.
    return [];
  }
}

function textNode(entry, words, quoted) {
  const { raw_text: text } = entry;
  const own = title(entry);
  const start = text.startsWith(own) ? own.length + (text.slice(own.length).match(/^\s*/)[0].length) : 0;
  const found = words.length ? [...text.matchAll(new RegExp(words.map(escaped).sort((a, b) => b.length - a.length).join("|"), "g"))] : [];
  const isWhole = (from, to) => !/[\p{L}\p{N}]/u.test(text[from - 1] || "") && !/[\p{L}\p{N}]/u.test(text[to] || "");
  const ranges = found.map((match) => [match.index, match.index + match[0].length]).filter(([from, to]) => from >= start && isWhole(from, to));
  const shift = (range, by) => [range[0] - by, range[1] - by];
  if (!quoted || quoted[0] < start) return el("div", { class: "entry-text" }, marked(text.slice(start), ranges.map((range) => shift(range, start))));
  const within = (from, to) => marked(text.slice(from, to), ranges.filter((range) => range[0] >= from && range[1] <= to).map((range) => shift(range, from)));
  return el("div", { class: "entry-text" }, within(start, quoted[0]), el("mark", { class: "quoted", title: texts.entry.quote }, within(...quoted)), within(quoted[1], text.length));
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Where in the text the matches are. */
function minimap(text) {
  const marks = [...text.querySelectorAll("mark")].slice(0, 60);
  if (marks.length < 2) return null;
  const map = el("div", { class: "minimap", role: "group", "aria-label": texts.entry.map });
  requestAnimationFrame(() => {
    const whole = text.getBoundingClientRect();
    map.append(...marks.map((mark, at) => {
      const button = el("button", { type: "button", class: mark.className, "aria-label": texts.entry.match(at + 1, marks.length), tabindex: at ? "-1" : "0", onclick: () => mark.scrollIntoView({ block: "center" }) });
      button.style.top = `${(((mark.getBoundingClientRect().top - whole.top) / Math.max(whole.height, 1)) * 100).toFixed(1)}%`;
      return button;
    }));
  });
  return map;
}

function fields(entry) {
  const shown = Object.entries(entry.metadata).filter(([name, value]) => name !== "title" && (["string", "number"].includes(typeof value) || Array.isArray(value)));
  if (!shown.length) return null;
  return el("dl", { class: "fields" }, shown.slice(0, 12).map(([name, value]) => {
    const values = (Array.isArray(value) ? value : [value]).filter((one) => typeof one !== "object").map(String);
    return el("div", {}, el("dt", {}, fieldName(name)), el("dd", {}, values.map((one) => link(`/?${new URLSearchParams({ [`f.${name}`]: one })}`, { class: "tag" }, one))));
  }));
}

function attachments(entry) {
  if (!entry.attachments.length) return null;
  return el("section", { class: "attachments" }, el("h2", {}, texts.entry.attachments), el("ul", {}, entry.attachments.map((file) => {
    const name = file.filename || file.caption || file.url;
    const isOwn = file.url.startsWith("/api/attachments/");
    const row = el("li", {}, icon("file"), isOwn || safe(file.url) ? el("a", { href: file.url, download: isOwn ? name : null, rel: "noreferrer noopener" }, name) : name, el("span", { class: "small" }, file.type));
    if (isOwn) picture(file, row);
    return row;
  })));
}

/** Files are read with the key of this tab; pictures are shown. */
async function picture(file, row) {
  const anchor = row.querySelector("a");
  const isPicture = /^image\/(png|jpeg|gif|webp)$/.test(file.type || "");
  if (!isPicture && !key.get()) return;
  try {
    const blob = await (await send(file.url)).blob();
    const address = URL.createObjectURL(blob);
    anchor.href = address;
    row.append(el("span", { class: "small" }, bytes(blob.size)));
    if (isPicture) row.prepend(el("img", { src: address, alt: file.caption || file.filename || "", class: "thumb", loading: "lazy" }));
  } catch {
    row.append(el("span", { class: "small" }, texts.errors.network));
  }
}

/** Only addresses of the web: a source may name others. */
function safe(address) {
  return /^https?:\/\//i.test(address || "");
}

function copyButton(label, content) {
  const button = el("button", { type: "button", onclick: async () => {
    try {
      await navigator.clipboard.writeText(content());
      button.textContent = texts.entry.copied;
    } catch {
      button.textContent = texts.entry.notCopied;
    }
    announce(button.textContent);
    setTimeout(() => { button.textContent = label; }, 1600);
  } }, label);
  return button;
}
