// Sanitise the markup of an answer: allowed elements without attributes but a direction; of others only the text. Links
// have no href: a click first asks whether to open the address.

import { html, render } from "../shared/lit.js";
import { button, closeOutside } from "../shared/panel.js";
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
  const parsed = new DOMParser().parseFromString(html, "text/html");
  copyAllowed(parsed.body, kept);
  return kept;
}

function copyAllowed(from, to) {
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) {
      to.append(child.textContent);
    } else if (child.nodeType === Node.ELEMENT_NODE) {
      if (child.namespaceURI === MATHML && MATHS_TAGS.has(child.tagName)) {
        to.append(copyFormula(child));
        continue;
      }
      if (!ALLOWED_TAGS.has(child.tagName)) {
        if (!["SCRIPT", "STYLE", "TEMPLATE"].includes(child.tagName)) copyAllowed(child, to);
        continue;
      }
      const copy = document.createElement(child.tagName);
      if (child.tagName === "A") linkSafely(copy, child.getAttribute("href") ?? "");
      if (child.tagName === "OL" && /^\d{1,6}$/.test(child.getAttribute("start") ?? ""))
        copy.start = child.getAttribute("start");
      if (child.tagName === "PRE") copy.tabIndex = 0;
      copyAllowed(child, copy);
      if (WRITTEN_TAGS.has(child.tagName)) copy.dir = "auto";
      if (HOLDING_TAGS.has(child.tagName)) copy.dir = BEGINS_RIGHT_TO_LEFT.test(child.textContent) ? "rtl" : "ltr";
      to.append(copy);
    }
  }
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

function linkSafely(link, written) {
  const address = webAddress(written);
  if (!address) return;
  link.tabIndex = 0;
  link.setAttribute("role", "link");
  link.setAttribute("aria-haspopup", "dialog");
  link.title = address.href;
  link.addEventListener("click", () => askBeforeLeaving(address, link));
  link.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    askBeforeLeaving(address, link);
  });
}

// Return the normalised http or https address, in Punycode against look-alike letters; else null.
function webAddress(written) {
  if (!/^https?:\/\//i.test(written)) return null;
  try {
    return new URL(written);
  } catch {
    return null;
  }
}

function askBeforeLeaving(address, link) {
  const dialog = document.createElement("dialog");
  const close = () => dialog.close();
  dialog.className = "leaving";
  dialog.setAttribute("aria-labelledby", "leaving-title");
  dialog.setAttribute("aria-describedby", "leaving-address");
  render(
    html`<h2 id="leaving-title">${words.leaving_title}</h2>
      <p >${filled(words.leaving_site, { site: address.host })}</p>
      <p class="sunken" id="leaving-address" dir="ltr">${address.href}</p>
      <div class="buttons">
        <a class="button primary" href=${address.href} target="_blank" rel="noopener noreferrer nofollow" @click=${close}>${words.leaving_open}</a>
        ${button("button", words.cancel, close)}
      </div>`,
    dialog,
  );
  closeOutside(dialog);
  dialog.addEventListener("close", () => {
    dialog.remove();
    link.focus({ preventScroll: true });
  });
  document.getElementById("conversation").append(dialog);
  dialog.showModal();
  dialog.querySelector("button").focus();
}
