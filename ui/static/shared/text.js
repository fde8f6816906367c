// Texts of the page: filled in, counted, and written as the language of the page writes numbers and times.

import { language, words } from "./server.js";

const locale = navigator.languages.find((name) => name.startsWith(language)) ?? language;

/** Fill the `{names}` of a template. */
export function filled(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Fill the `{names}` of a template, with numbers as the page writes them, of one decimal at most. */
export function counted(template, values) {
  const write = (value) => (typeof value === "number" ? localNumber(value, { maximumFractionDigits: 1 }) : value);
  return filled(template, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, write(value)])));
}

const plural = new Intl.PluralRules(locale);

/** Say how many there are, in the form that the language of the page has for that number (`NAME_one`, `NAME_other`). */
export function howMany(name, count) {
  return filled(words[`${name}_${plural.select(count)}`], { count: localNumber(count) });
}

/** Return true if two pieces of plain data are the same. */
export function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

// Who speaks is "I" in what is stored; the page says "you" to them, and in a field they write as they do of themselves.
const SPEAKERS = [
  ["I", words.keep_you, words.keep_i],
  ["we", words.keep_we, words.keep_us],
];

/** Name somebody as the page calls them. */
export function called(name) {
  return SPEAKERS.find(([stored]) => stored === name)?.[1] ?? name;
}

/** Name somebody as they write of themselves in a field. */
export function toWrite(name) {
  return SPEAKERS.find(([stored]) => stored === name)?.[2] ?? name;
}

/** Join three written values to a line, as it is stored. */
export function lineOf(values) {
  const stored = (name) => SPEAKERS.find(([, , written]) => written === name)?.[0] ?? name;
  return values.map((value) => stored(value.trim()).replaceAll("|", " ")).join(" | ");
}

/** Say why a text cannot be sent, or nothing. It is counted as the server counts. */
export function tooLong(text, limit) {
  const length = Array.from(text.trim()).length;
  if (length <= limit) return "";
  return filled(words.too_long, { length: localNumber(length), limit: localNumber(limit) });
}

/** Return the language that a text shows by its script; Latin letters show none. */
export function writtenIn(text, otherwise = language) {
  if (/[\u0904-\u0939]/.test(text)) return "hi";
  return /[\u0a05-\u0a39]/.test(text) ? "pa" : otherwise;
}

export function localNumber(number, options = {}) {
  return number.toLocaleString(locale, options);
}

/** Return a number of bytes in megabytes or gigabytes. */
export function localBytes(count) {
  const [unit, size] = count < 1e9 ? ["megabyte", 1e6] : ["gigabyte", 1e9];
  const digits = count < 1e8 || unit === "gigabyte" ? 1 : 0;
  return localNumber(count / size, { style: "unit", unit, maximumFractionDigits: digits });
}

export function localPercent(share) {
  return localNumber(share, { style: "percent" });
}

export function localList(items) {
  return new Intl.ListFormat(locale).format(items);
}

/** Name what is erased together with something: how many of which kind. */
export function goesAlong(takes) {
  const kinds = Object.entries(takes).filter(([, number]) => number);
  return localList(kinds.map(([kind, number]) => howMany(`count_${kind}`, number)));
}

/** Ask whether something is deleted for good, and say what is with it. */
export function erasureQuestion({ blanked = 0, ...others }) {
  const along = goesAlong(others);
  if (!along && !blanked) return words.forget_alone;
  const what = along && filled(words.forget_takes, { what: along });
  return [words.forget_sure, what, blanked && howMany("forget_blanks", blanked)].filter(Boolean).join(" ");
}

export function localTime(iso) {
  const when = new Date(iso);
  if (Number.isNaN(when.getTime())) return "";
  return dated({ dateStyle: "medium", timeStyle: "short" }, (format) => format.format(when));
}

export function localDate(iso) {
  const when = new Date(iso);
  return Number.isNaN(when.getTime()) ? "" : dated({ dateStyle: "medium" }, (format) => format.format(when));
}

/** Return the day of something that was not today. */
export function localDay(iso) {
  return new Date(iso).toDateString() === new Date().toDateString() ? "" : localDate(iso);
}

/** Name a day as people say it: today, yesterday, or its date. */
export function dayName(iso) {
  const day = new Date(iso).toDateString();
  const yesterday = new Date();
  yesterday.setDate(yesterday.getDate() - 1);
  if (day === new Date().toDateString()) return words.today;
  return day === yesterday.toDateString() ? words.yesterday : localDate(iso);
}

/** Return items in groups of the same name, in order: pairs of a name and its items. */
export function groupedBy(items, nameOf) {
  const groups = new Map();
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item]);
  return [...groups];
}

const ENDS = /[.!?…।॥][”"’')\]]*$/u;

/** Return what ends a sentence after this text; nothing where it has ended. A text in Latin letters may be in `language`. */
export function fullStop(text, inLanguage) {
  if (ENDS.test(text.trim())) return "";
  return writtenIn(text, inLanguage) === "en" ? "." : "।";
}

/**
 * Return what `write` makes of a format for times. Many browsers know no month by its Punjabi name, and write M11; then
 * in numbers.
 */
export function dated(options, write) {
  const named = write(new Intl.DateTimeFormat(locale, options));
  if (!/\bM\d\d\b/.test(named)) return named;
  const plain = options.month ? { month: "2-digit" } : { dateStyle: "short", hourCycle: "h23" };
  return write(new Intl.DateTimeFormat("en-IN", { ...options, ...plain }));
}
