// Hint that the underlined words of the question found an entry.

import { html } from "../shared/lit.js";
import { words } from "../shared/server.js";

export default function marks() {
  return html`<p>${words.marks_found}</p>`;
}
