// Times, titles and numbers as people read them. Times come with the offset of
// the facility's zone and are shown in it, whatever the zone of the browser.

import { texts } from "./texts.js";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** `2025-06-11T02:25:00+02:00` as `11 Jun 2025 02:25`. */
export function time(text) {
  return `${date(text)} ${text.slice(11, 16)}`;
}

/** `2025-06-11…` as `11 Jun 2025`. */
export function date(text) {
  const [year, month, day] = text.slice(0, 10).split("-");
  return `${Number(day)} ${MONTHS[month - 1]} ${year}`;
}

export function longDate(text) {
  const day = new Date(`${text.slice(0, 10)}T12:00:00Z`).getUTCDay();
  return `${DAYS[day]}, ${date(text)}`;
}

/** `Wed, 11 Jun`, or `11 Jun 2024` beside a day of another year. */
export function shortDate(text, beside) {
  return text.slice(0, 4) === beside.slice(0, 4) ? longDate(text).slice(0, -5) : date(text);
}

export function monthName(text) {
  return `${MONTHS[text.slice(5, 7) - 1]} ${text.slice(0, 4)}`;
}

// Making a format takes longer than all that is done with it.
let relative;
const inZones = new Map();

/** How long ago, such as `3 days ago`. */
export function ago(text) {
  const seconds = (new Date(text) - Date.now()) / 1000;
  relative ??= new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const [unit, length] of [["year", 31557600], ["month", 2629800], ["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return relative.format(Math.round(seconds), "second");
}

/** A time as `2025-06-11T02:25:00` in a zone. */
export function inZone(text, timeZone) {
  if (!inZones.has(timeZone)) inZones.set(timeZone, new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }));
  const parts = Object.fromEntries(inZones.get(timeZone).formatToParts(new Date(text)).map((part) => [part.type, part.value]));
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}`;
}

/** Whether a text is a day, as `2025-06-11`. */
export function isDay(text) {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === text;
}

/** A day later or earlier. */
export function addDays(day, count) {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + count);
  return at.toISOString().slice(0, 10);
}

/** The first day of a month later or earlier. */
export function addMonths(day, count) {
  const [year, month] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 + count, 1)).toISOString().slice(0, 10);
}

/** A span of time of a timeline, by its unit. */
export function span(from, until, unit) {
  if (unit === "year") return from.slice(0, 4);
  if (unit === "month") return monthName(from);
  if (unit === "week") return `${date(from)} – ${date(addDays(until.slice(0, 10), -1))}`;
  return longDate(from);
}

/** The title of an entry: that of its metadata, or the first line. */
export function title(entry) {
  const own = entry.metadata?.title;
  if (typeof own === "string" && own.trim()) return own;
  return entry.raw_text.split(/\r\n?|\n/, 1)[0].slice(0, 140) || entry.entry_id;
}

/** The text without a title that is repeated as its first line. */
export function body(entry) {
  const own = title(entry);
  return entry.raw_text.startsWith(own) ? entry.raw_text.slice(own.length).replace(/^\s+/, "") : entry.raw_text;
}

export function score(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return value.toExponential(2);
  return size >= 100 ? value.toFixed(0) : size >= 1 ? value.toFixed(2) : value.toPrecision(3);
}

export function bytes(value) {
  if (value < 1024) return `${value} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  const step = Math.min(Math.floor(Math.log2(value) / 10), 4);
  return `${(value / 1024 ** step).toFixed(1)} ${units[step - 1]}`;
}

/** Units that names of fields end with, as in `beam_current_ma`. */
const UNITS = { ma: "mA", kv: "kV", kw: "kW", mw: "MW", mbar: "mbar", bar: "bar", hz: "Hz", khz: "kHz", mhz: "MHz", ghz: "GHz", mev: "MeV", gev: "GeV", ms: "ms" };

export function fieldName(field) {
  const plain = field.replace(/^meta\./, "");
  if (texts.facets.names[plain]) return texts.facets.names[plain];
  const words = plain.split("_");
  const unit = words.length > 1 && UNITS[words.at(-1).toLowerCase()];
  const name = (unit ? words.slice(0, -1) : words).join(" ").replace(/^./, (letter) => letter.toUpperCase());
  return unit ? `${name} (${unit})` : name;
}
