// A new entry, or a draft that somebody or an agent has prepared.

import { announce, el, link, replace } from "./dom.js";
import { during, failure } from "./progress.js";
import { get, getSite, post, send } from "./api.js";
import { againPanel, eventsLike, saidOf } from "./again.js";
import { entryAddress } from "./hits.js";
import { go } from "./navigation.js";
import { texts } from "./texts.js";

const SHIFTS = ["Day", "Swing", "Night"];
/** Where what is typed is kept in this tab until it is written. */
const KEPT = "gannet-new-entry";
/** Milliseconds after the last key until events like what is typed are looked for. */
const PAUSE = 700;
/** Words of a text that tells of an event. */
const LEAST_WORDS = 3;

export function createView() {
  const outcome = el("div", { class: "outcome", role: "status" });
  const field = (name, props = {}, tag = "input") => {
    const input = el(tag, { id: `new-${name}`, name, class: "field", ...props });
    return [el("label", { for: `new-${name}` }, texts.create[name]), input];
  };
  const [subjectLabel, subject] = field("subject", { required: true, maxlength: 300, autocomplete: "off" });
  const [detailsLabel, details] = field("details", { required: true, rows: 12 }, "textarea");
  const [authorLabel, author] = field("author", { autocomplete: "name", list: "authors" });
  const [logbookLabel, logbook] = field("logbook", { list: "logbooks" });
  const [shiftLabel, shift] = field("shift", {}, "select");
  const [tagsLabel, tags] = field("tags", { "aria-describedby": "tags-help" });
  const [filesLabel, files] = field("files", { type: "file", multiple: true, "aria-describedby": "files-help" });
  const [userLabel, user] = field("user", { autocomplete: "username" });
  const [passwordLabel, password] = field("password", { type: "password", autocomplete: "current-password" });
  const login = el("div", { class: "columns two", hidden: true }, el("div", {}, userLabel, user), el("div", {}, passwordLabel, password));
  const whereTo = el("p", { class: "small" }, texts.create.onlyHere);
  const authors = el("datalist", { id: "authors" });
  shift.append(el("option", { value: "" }, texts.create.none), ...SHIFTS.map((name) => el("option", { value: name }, name)));
  const before = el("div");
  const publish = el("button", { class: "primary" }, texts.create.publish);
  const keep = el("button", { type: "button", onclick: keepDraft }, texts.create.draft);
  const form = el("form", { class: "create", onsubmit: submitted, oninput: typed, novalidate: true },
    el("h1", {}, texts.create.title), outcome,
    subjectLabel, subject, detailsLabel, details, before,
    el("div", { class: "columns" }, el("div", {}, authorLabel, author, authors), el("div", {}, logbookLabel, logbook), el("div", {}, shiftLabel, shift)),
    el("div", { class: "columns two" },
      el("div", {}, tagsLabel, tags, el("p", { class: "small", id: "tags-help" }, texts.create.tagsHelp)),
      el("div", {}, filesLabel, files, el("p", { class: "small", id: "files-help" }, texts.create.filesHelp))),
    login, whereTo,
    el("div", { class: "actions" }, publish, keep));
  // A request that is sent again, as after a lost answer, writes nothing twice.
  let key = crypto.randomUUID();
  // Without the files, which a page cannot set, and the login.
  const inputs = [subject, details, author, logbook, shift, tags];
  let timer, looking, looked = "", lastSaid = "";
  restoreTyped();
  start();

  async function start() {
    try {
      const site = await getSite();
      if (!site.can_write) {
        replace(outcome, el("p", { class: "problem" }, texts.create.readOnly));
        publish.disabled = keep.disabled = true;
      }
      const facility = await get("/api/publish-info");
      if (facility.supports_write) whereTo.textContent = texts.create.sentTo(facility.source_system);
      login.hidden = !facility.requires_auth;
      const options = await get("/api/filter-options/authors");
      replace(authors, options.options.map((option) => el("option", { value: option.value })));
      await openDraft();
    } catch (error) {
      if (error.status !== 401) replace(outcome, failure(error, start));
    }
  }

  /** A draft is published once. */
  function keyOf(draft) {
    return `draft-${draft}`;
  }

  function draftId() {
    return new URLSearchParams(location.search).get("draft") || "";
  }

  /** A draft has a place of its own. */
  function placeOfTyped() {
    return `${KEPT}${draftId()}`;
  }

  function typed() {
    keepTyped();
    lookLater();
  }

  function lookLater() {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  }

  /** Shows what happened before that is like what is typed. */
  async function look() {
    const event = [subject.value, details.value].map((text) => text.trim()).filter(Boolean).join("\n");
    if (event === looked) return;
    looked = event;
    looking?.abort();
    looking = new AbortController();
    try {
      const groups = event.split(/\s+/).length < LEAST_WORDS ? [] : await eventsLike(event, looking.signal);
      replace(before, groups.length > 0 && againPanel(groups));
      const said = groups.map(saidOf).join(" ");
      if (said !== lastSaid) announce(said);
      lastSaid = said;
    } catch (error) {
      // The form is there without it.
      if (error.name !== "AbortError") replace(before);
    }
  }

  function keepTyped() {
    sessionStorage.setItem(placeOfTyped(), JSON.stringify(Object.fromEntries(inputs.map((input) => [input.name, input.value]))));
  }

  /** Shows what was typed at this address; whether anything was. */
  function restoreTyped() {
    const typed = JSON.parse(sessionStorage.getItem(placeOfTyped()) || "null");
    if (typed) fill(typed);
    return Boolean(typed);
  }

  function fill(values) {
    if (values.shift && ![...shift.options].some((option) => option.value === values.shift)) shift.append(el("option", { value: values.shift }, values.shift));
    for (const input of inputs) input.value = values[input.name] || "";
    lookLater();
  }

  async function openDraft() {
    const id = draftId();
    if (!id) return;
    try {
      const draft = await get(`/api/drafts/${encodeURIComponent(id)}`);
      if (!restoreTyped()) fill({ ...draft, tags: (draft.tags || []).join(", ") });
      key = keyOf(id);
      replace(outcome, el("p", { class: "note-box" }, texts.create.draftOpened));
    } catch (error) {
      if (error.status !== 404) throw error;
      replace(outcome, el("p", { class: "problem" }, texts.create.draftGone));
    }
  }

  function isComplete() {
    const empty = [subject, details].find((input) => !input.value.trim());
    for (const input of [subject, details]) input.toggleAttribute("aria-invalid", input === empty);
    if (!empty) return true;
    replace(outcome, el("p", { class: "problem", role: "alert" }, texts.create.missing(texts.create[empty.name])));
    empty.focus();
    return false;
  }

  function body() {
    const given = (input) => input.value.trim() || null;
    return {
      subject: subject.value.trim(), details: details.value.trim(), author: given(author), logbook: given(logbook), shift: given(shift),
      tags: tags.value.split(",").map((tag) => tag.trim()).filter(Boolean),
    };
  }

  function entry() {
    return login.hidden ? body() : { ...body(), auth_user: user.value.trim(), auth_password: password.value };
  }

  async function submitted(event) {
    event.preventDefault();
    if (!isComplete()) return;
    publish.disabled = true;
    try {
      const reply = await during(files.files.length ? upload() : post("/api/entries", entry(), undefined, { "idempotency-key": key }));
      key = crypto.randomUUID();
      sessionStorage.removeItem(placeOfTyped());
      form.reset();
      lookLater();
      go("/new", { replaces: true, shows: false });
      replace(outcome, el("p", { class: "note-box good" }, `${texts.create.published} `, link(entryAddress(reply.entry_id), {}, reply.entry_id)));
      outcome.querySelector("a").focus();
    } catch (error) {
      if (error.code === "idempotency_key_reused") {
        key = crypto.randomUUID();
        replace(outcome, el("p", { class: "problem", role: "alert" }, texts.create.draftUsed));
        return;
      }
      if (error.code === "auth_required") password.focus();
      if (error.status !== 401 || error.code === "auth_required") replace(outcome, failure(error));
    } finally {
      publish.disabled = false;
    }
  }

  async function upload() {
    const data = new FormData();
    for (const [name, value] of Object.entries(entry())) if (value && value.length) data.set(name, Array.isArray(value) ? value.join(",") : value);
    for (const file of files.files) data.append("files", file, file.name);
    return (await send("/api/entries/upload", { method: "POST", body: data, headers: { "idempotency-key": key } })).json();
  }

  async function keepDraft() {
    if (!isComplete()) return;
    try {
      const { draft_id: id } = await during(post("/api/drafts", body()));
      key = keyOf(id);
      const address = `/new?draft=${encodeURIComponent(id)}`;
      replace(outcome, el("p", { class: "note-box" }, `${texts.create.draftKept} `, link(address, {}, location.origin + address)));
    } catch (error) {
      if (error.status !== 401) replace(outcome, failure(error));
    }
  }

  return { node: form, update() { key = crypto.randomUUID(); replace(outcome); form.reset(); lookLater(); restoreTyped(); openDraft(); }, leave() { clearTimeout(timer); looking?.abort(); } };
}
