// Small helpers that build the page from text. Nothing here, or in what uses it, ever parses a text as markup, but for
// `safeMarkup` of the conversation, which keeps only what is on its list.

const { words, language } = window.noted;
// For numbers and times: the language of the page, as it is written where the person lives.
const locale = navigator.languages.find((name) => name.startsWith(language)) ?? language;

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function makeButton(className, label, onClick) {
  const node = make("button", className, label);
  node.type = "button";
  node.addEventListener("click", onClick);
  return node;
}

// What is chosen in a list: at once, but of what arrow keys walk through, what they rest on or leave it at. Until that is
// done the list shows what stands.
function onChosen(list, choose) {
  const { value } = list;
  let resting = 0;
  let isWalking = false;
  const settle = () => {
    clearTimeout(resting);
    const chosen = list.value;
    list.value = value;
    if (chosen !== value) choose(chosen);
  };
  list.addEventListener("pointerdown", () => (isWalking = false));
  list.addEventListener("keydown", () => (isWalking = true));
  list.addEventListener("change", () => {
    clearTimeout(resting);
    resting = isWalking ? setTimeout(settle, 700) : settle();
  });
  list.addEventListener("blur", settle);
}

// A text of a person or a model: it brings its own direction.
function makeWritten(tag, className, text) {
  const node = make(tag, className, text);
  node.dir = "auto";
  return node;
}

// Whether two pieces of plain data are the same. A list that comes again as it is shown is not drawn again: what
// somebody is about to press stays where it is, with the focus and what was unfolded or asked there.
function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

function filled(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// Who speaks is "I" in what is kept; the page says "you" to them, and in a field they write as they do of themselves.
const SPEAKERS = [["I", words.keep_you, words.keep_i], ["we", words.keep_we, words.keep_us]];

function called(name) {
  return SPEAKERS.find(([kept]) => kept === name)?.[1] ?? name;
}

function toWrite(name) {
  return SPEAKERS.find(([kept]) => kept === name)?.[2] ?? name;
}

// The line of three fields, as it is kept.
function lineIn(fields) {
  const kept = (name) => SPEAKERS.find(([, , written]) => written === name)?.[0] ?? name;
  return fields.map(({ value }) => kept(value.trim()).replaceAll("|", " ")).join(" | ");
}

// Why a text cannot be sent, or nothing. Counted as the server counts.
function tooLong(text, limit) {
  const length = Array.from(text.trim()).length;
  if (length <= limit) return "";
  return filled(words.too_long, { length: localNumber(length), limit: localNumber(limit) });
}

// The language that a text shows by its script; Latin letters show none.
function writtenIn(text, otherwise = language) {
  if (/[\u0904-\u0939]/.test(text)) return "hi";
  return /[\u0a05-\u0a39]/.test(text) ? "pa" : otherwise;
}

function localNumber(number, options) {
  return number.toLocaleString(locale, options);
}

function localPercent(share) {
  return localNumber(share, { style: "percent" });
}

function localTime(iso) {
  const when = new Date(iso);
  if (Number.isNaN(when.getTime())) return "";
  return dated({ dateStyle: "medium", timeStyle: "short" }, (format) => format.format(when));
}

function localDate(iso) {
  const when = new Date(iso);
  return Number.isNaN(when.getTime()) ? "" : dated({ dateStyle: "medium" }, (format) => format.format(when));
}

// The day of something that was not today.
function localDay(iso) {
  return new Date(iso).toDateString() === new Date().toDateString() ? "" : localDate(iso);
}

// What `write` makes of a format for times. Many browsers know no month by its Punjabi name, and write M11; then in numbers.
function dated(options, write) {
  const named = write(new Intl.DateTimeFormat(locale, options));
  if (!/\bM\d\d\b/.test(named)) return named;
  const plain = options.month ? { month: "2-digit" } : { dateStyle: "short", hourCycle: "h23" };
  return write(new Intl.DateTimeFormat("en-IN", { ...options, ...plain }));
}

function growToFit(field) {
  // To measure a very long text takes seconds; it fills the field anyway.
  const isLong = field.value.length > 5000;
  field.style.height = isLong ? "40dvh" : "auto";
  if (!isLong) field.style.height = `${field.scrollHeight + 2}px`;
}

function calmly() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
}
