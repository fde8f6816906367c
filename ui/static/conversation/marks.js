// Underline the words of a question by which an entry was found, and explain the lines the first time.

import { html, nothing } from "../shared/lit.js";
import { button } from "../shared/panel.js";
import { words } from "../shared/server.js";

const READ_AS = "noted-marks-read";
let explained = null; // card with the explanation

/** Mark ranges of a text, in code points as on the server. */
export function marked(text, ranges) {
  if (!ranges.length) return text;
  const letters = Array.from(text);
  const part = (start, end) => letters.slice(start, end).join("");
  const ends = [0, ...ranges.map(([, end]) => end)];
  const pieces = ranges.map(([start, end], place) => [
    part(ends[place], start),
    html`<mark>${part(start, end)}</mark>`,
  ]);
  return [pieces, part(ends.at(-1))];
}

/** Explain the lines in one card until the user dismisses it. */
export function legend(card, redraw) {
  if (isRead()) return nothing;
  if (!explained?.root.isConnected) explained = card;
  if (explained !== card) return nothing;
  const read = () => {
    storeRead();
    redraw();
  };
  return html`<p class="legend hint">${words.marks_legend} ${button("link", "✕", read, { name: words.talks_close })}</p>`;
}

let isReadHere = false; // if the browser stores nothing

function isRead() {
  try {
    return isReadHere || Boolean(localStorage.getItem(READ_AS));
  } catch {
    return isReadHere;
  }
}

function storeRead() {
  isReadHere = true;
  try {
    localStorage.setItem(READ_AS, "1");
  } catch {
    // Storage is off: explain it again next time.
  }
}
