// Small helpers that build the page from text. Nothing here, or in what uses it, ever parses a text as markup, but for
// `safeMarkup`, which keeps only what is on its list.

const words = props.words;

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

// A text of a person or a model: it brings its own direction.
function makeWritten(tag, className, text) {
  const node = make(tag, className, text);
  node.dir = "auto";
  return node;
}

function filled(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// Why a text cannot be sent, or nothing. Counted as the server counts.
function tooLong(text, limit) {
  const length = Array.from(text.trim()).length;
  if (length <= limit) return "";
  return filled(words.too_long, { length: length.toLocaleString(), limit: limit.toLocaleString() });
}

function localTime(iso) {
  const when = new Date(iso);
  if (Number.isNaN(when.getTime())) return "";
  const language = document.documentElement.lang || "en";
  const locale = navigator.languages.find((name) => name.startsWith(language)) ?? language;
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(when);
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

const ALLOWED_TAGS = new Set(
  "P BR HR EM STRONG S CODE PRE BLOCKQUOTE UL OL LI H3 H4 H5 H6 TABLE THEAD TBODY TR TH TD A".split(" ")
);

// The elements on the list, without any attribute but a link's address; of all others, only their text.
function safeMarkup(html) {
  const kept = document.createDocumentFragment();
  const parsed = new DOMParser().parseFromString(html, "text/html");
  copyAllowed(parsed.body, kept);
  return kept;
}

function copyAllowed(from, to) {
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) {
      to.append(child.textContent);
    } else if (child.nodeType === Node.ELEMENT_NODE) {
      if (!ALLOWED_TAGS.has(child.tagName)) {
        if (!["SCRIPT", "STYLE", "TEMPLATE"].includes(child.tagName)) copyAllowed(child, to);
        continue;
      }
      const copy = document.createElement(child.tagName);
      if (child.tagName === "A") linkSafely(copy, child.getAttribute("href") ?? "");
      if (child.tagName === "OL" && /^\d{1,6}$/.test(child.getAttribute("start") ?? "")) copy.start = child.getAttribute("start");
      if (child.tagName === "PRE") copy.tabIndex = 0;
      copyAllowed(child, copy);
      to.append(copy);
    }
  }
}

function linkSafely(link, address) {
  if (!/^https?:\/\//i.test(address)) return;
  link.href = address;
  link.target = "_blank";
  link.rel = "noopener noreferrer nofollow";
  link.title = address;
}
