// The query plan as chips: what was read in the question, and the filters.
// Each can be taken away; what is soft can be made strict.

import { el, icon } from "./dom.js";
import { date, fieldName, inZone } from "./format.js";
import { textRanges } from "./dom.js";
import { texts } from "./texts.js";

/** The chips of a result. `change(edit)` applies an edit to the state. Where a
 * set of entries was counted, they are its conditions, with values as its
 * `members` have them. */
export function planChips(plan, state, site, change, members) {
  const set = members && plan?.set;
  return [...filterChips(state, change), ...(plan ? readChips(plan, site, change, set) : []), ...(set ? setChips(plan, set, members, change) : []), ...ignoredChips(state, change, set)];
}

function chip({ kind, label, note, className = "", actions = [] }) {
  return el("li", { class: `chip ${className}` },
    kind && el("span", { class: "chip-kind" }, kind), el("span", { class: "chip-label" }, label),
    note && el("span", { class: "chip-note" }, note), actions);
}

function action(name, label, onclick) {
  return el("button", { type: "button", class: "chip-action", title: label, "aria-label": label, onclick }, icon(name));
}

function filterChips(state, change) {
  const chips = [];
  if (state.from || state.to) {
    const label = rangeLabel(state.from, state.to);
    const remove = () => change((next) => { next.from = next.to = ""; });
    chips.push(chip({ kind: texts.plan.time, label, note: texts.plan.strict, className: "strict", actions: [action("close", texts.plan.remove(label), remove)] }));
  }
  for (const [field, values] of Object.entries(state.filters)) {
    for (const value of values) {
      const remove = () => change((next) => { next.filters[field] = next.filters[field].filter((one) => one !== value); });
      chips.push(chip({ kind: fieldName(field).toLowerCase(), label: value, note: texts.plan.strict, className: "strict", actions: [action("close", texts.plan.remove(value), remove)] }));
    }
  }
  return chips;
}

function rangeLabel(from, to) {
  const day = (text) => (text.length > 10 ? `${date(text)} ${text.slice(11, 16)}` : date(text));
  if (from && from === to) return day(from);
  if (from && to) return `${day(from)} – ${day(to)}`;
  return from ? `${texts.plan.since} ${day(from)}` : `${texts.plan.before} ${day(to)}`;
}

/** Parts of the plan that stand in the question, grouped by their words. What
 * names and asks for members of a set are conditions of it. */
function readChips(plan, site, change, set) {
  const groups = new Map();
  const words = (span) => { const [[start, end]] = textRanges(plan.text, [[span.start, span.end]]); return plan.text.slice(start, end); };
  for (const time of plan.times.filter((one) => one.span)) add(groups, words(time.span), { time });
  for (const entity of plan.entities.filter((one) => one.span && (one.strict || !set))) add(groups, words(entity.span), { entity });
  const chips = [...groups].map(([text, parts]) => readChip(text, parts, site, change));
  if (!set && plan.intent !== "find" && plan.intent_words.length) {
    const label = texts.plan.relation[plan.intent] || plan.intent;
    const remove = () => change((next) => { next.ignored = [...next.ignored, ...plan.intent_words]; });
    chips.push(chip({ label, note: `“${plan.intent_words.join(" ")}”`, actions: [action("close", texts.plan.remove(label), remove)] }));
  }
  return chips;
}

/** What is asked of a set, and what its members have. */
function setChips(plan, set, members, change) {
  const read = (kind, label, words) => {
    const remove = () => change((next) => { next.ignored = [...new Set([...next.ignored, ...words])]; });
    const name = kind ? `${kind} ${label}` : label;
    return words?.length ? chip({ kind, label, note: texts.plan.fromQuestion, className: "soft", actions: [action("close", texts.plan.remove(name), remove)] }) : null;
  };
  const known = members.flatMap((entry) => [entry.author, entry.source_system, ...Object.values(entry.metadata || {}).flat()]).filter((one) => typeof one === "string");
  const shown = (value) => known.find((one) => one.toLowerCase() === value) || value;
  const clauses = set.filter.map(({ field, condition }) => {
    const name = queryName(field);
    const words = set.field_words?.[name];
    const values = condition.any_of || [condition.equals ?? condition.contains].filter(Boolean);
    const label = values.map(shown).join(` ${texts.plan.or} `);
    return label ? read(fieldName(name).toLowerCase(), label, words) : read(texts.plan.has, fieldName(name).toLowerCase(), words);
  });
  const group = set.group_by && (texts.counts.units[set.group_by] || fieldName(set.group_by)).toLowerCase();
  const operation = texts.plan.operations[set.operation]?.(set.limit) || set.operation;
  return [
    read("", operation, [...plan.intent_words, ...(plan.order_words || [])]),
    group && read("", texts.plan.by(group), [set.group_words].filter(Boolean)),
    ...clauses, ...(set.excluded_words || []).map((words) => read("", words, [words])),
    ...set.topic.map((word) => read(texts.plan.about, word, [word])),
  ];
}

function add(groups, words, part) {
  if (!groups.has(words)) groups.set(words, []);
  groups.get(words).push(part);
}

function readChip(words, parts, site, change) {
  const isStrict = parts.some((part) => (part.time || part.entity).strict);
  const first = parts[0];
  const kind = first.time ? texts.plan.time : texts.plan.kinds[first.entity.kind] || first.entity.kind;
  const remove = () => change((next) => {
    if (isStrict) next.q = next.q.replace(words, " ").replace(/\s+/g, " ").trim();
    else next.ignored = [...next.ignored, words];
  });
  const actions = [action("close", texts.plan.remove(words), remove)];
  const pin = isStrict ? null : strictEdit(first, site);
  if (pin) actions.unshift(action("pin", texts.plan.pin(words), () => change((next) => { pin(next); next.ignored = [...next.ignored, words]; })));
  const label = first.time ? timeLabel(first.time, words, site) : labelOf(first.entity, words);
  return chip({ kind, label, note: isStrict ? texts.plan.field : texts.plan.fromQuestion, className: isStrict ? "strict" : "soft", actions });
}

function labelOf(entity, words) {
  return entity.value.toLowerCase() === words.toLowerCase() ? words : `${words} = ${entity.value}`;
}

function timeLabel(time, words, site) {
  if (/\d{4}/.test(words) && ["day", "month", "year"].includes(time.precision)) return words;
  const { from, to } = bounds(time, site);
  const range = rangeLabel(from, to);
  return `${words} (${range})`;
}

function strictEdit(part, site) {
  if (part.time) {
    const { from, to } = bounds(part.time, site);
    return (next) => { next.from = from; next.to = to; };
  }
  const { field, value } = part.entity;
  if (!field) return null;
  return (next) => { next.filters[field] = [...new Set([...(next.filters[field] || []), value])]; };
}

/** A time as dates of the facility's zone, where it has whole days. */
export function bounds(time, site) {
  const start = time.from && inZone(time.from, site.timezone);
  const end = time.to && inZone(new Date(new Date(time.to) - 1000).toISOString(), site.timezone);
  const isWhole = (!start || start.endsWith("00:00:00")) && (!end || end.endsWith("23:59:59"));
  if (isWhole) return { from: start ? start.slice(0, 10) : "", to: end ? end.slice(0, 10) : "" };
  return { from: start || "", to: end || "" };
}

function ignoredChips(state, change, set) {
  return state.ignored.filter((words) => state.q.toLowerCase().includes(words.toLowerCase())).map((words) => {
    const restore = () => change((next) => { next.ignored = next.ignored.filter((one) => one !== words); });
    return chip({ label: words, note: set ? texts.plan.leftOut : texts.plan.ignored, className: "ignored", actions: [action("undo", texts.plan.restore(words), restore)] });
  });
}

/** A field as the query language names it. */
function queryName(field) {
  if (typeof field === "string") return { entry_id: "id", source_system: "source", timestamp: "date" }[field] || field;
  const key = field.metadata;
  if (key === "tags") return "tag";
  return ["logbook", "shift"].includes(key) ? key : `meta.${key}`;
}
