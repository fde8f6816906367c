// Sanitise the markup of an answer: allowed elements without attributes but a direction; of others only the text. Links
// have no href: a click first asks whether to open the address.

import { html, render } from "../shared/lit.js";
import { button } from "../shared/panel.js";
import { words } from "../shared/server.js";
import { filled } from "../shared/text.js";

const ALLOWED_TAGS = new Set(
  "P BR HR EM STRONG S CODE PRE BLOCKQUOTE UL OL LI H3 H4 H5 H6 TABLE THEAD TBODY TR TH TD A".split(" "),
);

// Elements with a direction of their own. Browsers ignore their text for the direction of the containers.
const WRITTEN_TAGS = new Set("P LI H3 H4 H5 H6 TD TH".split(" "));
const HOLDING_TAGS = new Set("BLOCKQUOTE UL OL TABLE".split(" "));
const BEGINS_RIGHT_TO_LEFT = /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

// Formulas: keep these lists equal to those of `ui/words/maths.py`.
const MATHML = "http://www.w3.org/1998/Math/MathML";
const MATHS_TAGS = new Set(
  (
    "math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mstyle " +
    "mpadded mphantom"
  ).split(" "),
);
const MATHS_ATTRIBUTES = (
  "display mathvariant stretchy fence form separator accent accentunder largeop movablelimits symmetric lspace rspace " +
  "minsize maxsize width height depth linethickness displaystyle scriptlevel columnalign linebreak"
).split(" ");

/** Return safe nodes for markup. */
export function safeMarkup(html) {
  const kept = document.createDocumentFragment();
  copyAllowed(new DOMParser().parseFromString(html, "text/html").body, kept);
  return kept;
}

function copyAllowed(from, to) {
  for (const child of from.childNodes) {
    const tag = child.tagName;
    if (child.nodeType === Node.TEXT_NODE) to.append(child.textContent);
    else if (child.nodeType !== Node.ELEMENT_NODE) continue;
    else if (child.namespaceURI === MATHML && MATHS_TAGS.has(tag)) to.append(copyFormula(child));
    else if (ALLOWED_TAGS.has(tag)) to.append(copyElement(child));
    else if (!["SCRIPT", "STYLE", "TEMPLATE"].includes(tag)) copyAllowed(child, to);
  }
}

function copyElement(element) {
  const { tagName: tag } = element;
  const copy = document.createElement(tag);
  const start = element.getAttribute("start") ?? "";
  if (tag === "A") linkSafely(copy, element.getAttribute("href") ?? "");
  if (tag === "OL" && /^\d{1,6}$/.test(start)) copy.start = start;
  if (tag === "PRE") copy.tabIndex = 0;
  copyAllowed(element, copy);
  if (WRITTEN_TAGS.has(tag)) copy.dir = "auto";
  if (HOLDING_TAGS.has(tag)) copy.dir = BEGINS_RIGHT_TO_LEFT.test(element.textContent) ? "rtl" : "ltr";
  return copy;
}

function copyFormula(element) {
  const copy = document.createElementNS(MATHML, element.tagName);
  for (const name of MATHS_ATTRIBUTES) {
    const value = element.getAttribute(name);
    if (value !== null && /^[\w. %+-]{1,40}$/.test(value)) copy.setAttribute(name, value);
  }
  copyAllowed(element, copy);
  return copy;
}

// Let a click or Enter ask before it opens an http or https address, in Punycode against look-alike letters.
function linkSafely(link, written) {
  const address = /^https?:\/\//i.test(written) ? URL.parse(written) : null;
  if (!address) return;
  Object.assign(link, { tabIndex: 0, role: "link", ariaHasPopup: "dialog", title: address.href });
  link.addEventListener("click", () => askBeforeLeaving(address, link));
  link.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    askBeforeLeaving(address, link);
  });
}

function askBeforeLeaving(address, link) {
  const dialog = document.createElement("dialog");
  const close = () => dialog.close();
  const { host: site, href } = address;
  dialog.className = "dialog";
  dialog.setAttribute("closedby", "any");
  dialog.setAttribute("aria-labelledby", "leaving-title");
  dialog.setAttribute("aria-describedby", "leaving-address");
  render(
    html`<h2 id="leaving-title">${words.leaving_title}</h2>
      <p>${filled(words.leaving_site, { site })}</p>
      <code class="sunken" id="leaving-address" dir="ltr">${href}</code>
      <div class="buttons">
        <a class="button primary" href=${href} target="_blank" rel="noopener noreferrer nofollow" @click=${close}>${words.leaving_open}</a>
        ${button("button", words.cancel, close)}
      </div>`,
    dialog,
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    link.focus({ preventScroll: true });
  });
  document.getElementById("conversation").append(dialog);
  dialog.showModal();
  dialog.querySelector("button").focus();
}
