// Files that the user chooses and the server decodes; it may ask whether the first line of a table is a header.

import { focused, readBytes } from "./panel.js";
import { html, nothing, ref } from "./lit.js";
import { words } from "./server.js";
import { filled, localNumber } from "./text.js";

const LARGEST_FILE = 190_000; // bytes; in base64 the limit of a request

/** Send a whole file with an event of a panel. */
export async function sendFile(panel, file, event) {
  if (file.size > LARGEST_FILE) {
    return panel.refuse(filled(words.file_too_large, { size: localNumber(LARGEST_FILE / 1000) }));
  }
  const bytes = await readBytes(file).catch(() => null);
  if (bytes === null) panel.refuse(words.bring_in_unreadable);
  else panel.send(event, { bytes });
}

/** Ask whether the first line of a table is a header, before anything is stored; render nothing without a question. */
export function headerQuestion(panel, question, answer) {
  const id = `${panel.element.id}-header`;
  const choice = (label, isHeader) => html`<button
    class="button small"
    type="button"
    aria-describedby=${id}
    @click=${() => answer(isHeader)}
    ${ref(isHeader ? focused : undefined)}
  >${label}</button>`;
  const asked = html`<span id=${id} dir="auto">${question}</span>${choice(words.header_yes, true)}${choice(words.header_no, false)}`;
  return html`<div class="buttons header-asked">${question ? asked : nothing}</div>`;
}
