// Which words of the question an entry was found by: they are underlined there.

import { html } from "../shared/lit.js";
import { words } from "../shared/server.js";

export default function marks() {
  return html`<p>${words.marks_found}</p>`;
}
