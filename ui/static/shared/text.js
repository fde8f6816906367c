// Strings of the page: templates, plurals, and localised numbers and dates.

import { language, words } from "./server.js";

const locale = navigator.languages.find((name) => name.startsWith(language)) ?? language;

/** Fill the `{names}` of a template, with localised numbers of at most one decimal. */
export function filled(template, values) {
  const write = (value) => (typeof value === "number" ? localNumber(value, { maximumFractionDigits: 1 }) : value);
  return template.replace(/\{(\w+)\}/g, (whole, name) => write(values[name]) ?? whole);
}

const plural = new Intl.PluralRules(locale);

/** Return a count in the plural form of the language (`NAME_one`, `NAME_other`). */
export function howMany(name, count) {
  return filled(words[`${name}_${plural.select(count)}`], { count });
}

/** Return true if two values of plain data are equal. */
export function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

// Stored facts say "I" for the user; the page says "you", and in a field the user writes "me".
const CALLED = { __proto__: null, I: words.keep_you, we: words.keep_we };
const WRITTEN = { __proto__: null, I: words.keep_i, we: words.keep_us };

/** Return the page's name for a stored name. */
export const called = (name) => CALLED[name] ?? name;

/** Return the names of a stored line as one text. */
export const lineText = (names) => names.map(called).join(" · ");

/** Return the fields to change a stored line. */
export function lineFields(line) {
  const labels = [words.keep_subject, words.keep_relation, words.keep_object];
  return labels.map((label, place) => ({ label, value: WRITTEN[line[place]] ?? line[place], isNeeded: true }));
}

/** Join three field values to a line as it is stored. */
export function lineOf(values) {
  const stored = (name) => Object.keys(WRITTEN).find((one) => WRITTEN[one] === name) ?? name;
  return values.map((value) => stored(value.trim()).replaceAll("|", " ")).join(" | ");
}

/** Return questions as lines to practise. */
export function asTable(questions) {
  const line = ({ question, answer }) => [question, answer].map((value) => value.replace(/\s+/g, " ")).join("\t");
  return ["question\tanswer", ...questions.map(line)].join("\n");
}

/** Return questions as a CSV file. */
export function asCsv(questions) {
  const quoted = (value) => `"${value.replaceAll('"', '""')}"`;
  const line = ({ question, answer }) => [question, answer].map(quoted).join(",");
  return ["question,answer", ...questions.map(line), ""].join("\n");
}

/** Return an error if a text is too long, counted in code points as on the server; else an empty text. */
export function tooLong(text, limit) {
  const length = Array.from(text.trim()).length;
  if (length <= limit) return "";
  return filled(words.too_long, { length: localNumber(length), limit: localNumber(limit) });
}

/** Return the language of a text by its script; Latin letters do not tell. */
export function writtenIn(text, otherwise = language) {
  if (/[\u0904-\u0939]/.test(text)) return "hi";
  return /[\u0a05-\u0a39]/.test(text) ? "pa" : otherwise;
}

export const localNumber = (number, options = {}) => number.toLocaleString(locale, options);

export const localPercent = (share) => localNumber(share, { style: "percent" });

/** Return a number of bytes in megabytes or gigabytes. */
export function localBytes(count) {
  const [unit, size] = count < 1e9 ? ["megabyte", 1e6] : ["gigabyte", 1e9];
  const digits = count < 1e8 || unit === "gigabyte" ? 1 : 0;
  return localNumber(count / size, { style: "unit", unit, maximumFractionDigits: digits });
}

/** List the counts of things that an erasure takes along. */
export function goesAlong(takes) {
  const kinds = Object.entries(takes).filter(([, number]) => number);
  return new Intl.ListFormat(locale).format(kinds.map(([kind, number]) => howMany(`count_${kind}`, number)));
}

/** Return the confirmation of an erasure, with what it takes along. */
export function erasureQuestion({ blanked = 0, ...others }) {
  const along = goesAlong(others);
  if (!along && !blanked) return words.forget_alone;
  const what = along && filled(words.forget_takes, { what: along });
  return [words.forget_sure, what, blanked && howMany("forget_blanks", blanked)].filter(Boolean).join(" ");
}

export function localDate(iso, options = {}) {
  const when = new Date(iso);
  return Number.isNaN(when.getTime()) ? "" : dated(when, { dateStyle: "medium", ...options });
}

export const localTime = (iso) => localDate(iso, { timeStyle: "short" });

/** Return a day as today, yesterday, or its date. */
export function dayName(iso) {
  const day = new Date(iso).toDateString();
  const yesterday = new Date();
  yesterday.setDate(yesterday.getDate() - 1);
  if (day === new Date().toDateString()) return words.today;
  return day === yesterday.toDateString() ? words.yesterday : localDate(iso);
}

/** Group items by name, in order: pairs of a name and its items. */
export function groupedBy(items, nameOf) {
  const groups = new Map();
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item]);
  return [...groups];
}

const ENDS = /[.!?…।॥][”"’')\]]*$/u;

/** Return the full stop for a text; empty if it has one. Text in Latin letters may be in `language`. */
export function fullStop(text, inLanguage) {
  if (ENDS.test(text.trim())) return "";
  return writtenIn(text, inLanguage) === "en" ? "." : "।";
}

/** Format a time. Many browsers have no Punjabi month names and write M11; then use numbers. */
export function dated(when, options) {
  const named = new Intl.DateTimeFormat(locale, options).format(when);
  if (!/\bM\d\d\b/.test(named)) return named;
  const plain = options.month ? { month: "2-digit" } : { dateStyle: "short", hourCycle: "h23" };
  return new Intl.DateTimeFormat("en-IN", { ...options, ...plain }).format(when);
}
