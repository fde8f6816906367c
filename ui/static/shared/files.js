// Files: one that somebody chooses, and one that is saved. The server finds out in which encoding a file is.

import { html, ref } from "./lit.js";
import { button, focused } from "./parts.js";
import { words } from "./server.js";
import { counted } from "./text.js";

const LARGEST_FILE = 190_000; // bytes; in base64 they fill a request

/** A button to choose a file by, which `take` gets. */
export function fileButton(label, accept, take) {
  const chosen = ({ target }) => {
    const [file] = target.files;
    target.value = "";
    if (file) take(file);
  };
  const choose = ({ target }) => target.nextElementSibling.click();
  return html`${button("button small", label, choose)}<input
      class="visually-hidden"
      type="file"
      accept=${accept}
      tabindex="-1"
      aria-hidden="true"
      @change=${chosen}
    />`;
}

/** Return the bytes of a file, or of a part of one, in base64. Rejects where it cannot be read. */
export async function readBytes(file) {
  const reader = new FileReader();
  const read = new Promise((resolve, reject) => Object.assign(reader, { onload: resolve, onerror: reject }));
  reader.readAsDataURL(file);
  await read;
  return String(reader.result).split(",")[1] ?? ""; // of "data:…;base64," and the bytes
}

/**
 * Return the bytes of a file that is sent whole, or why it cannot be.
 *
 * @returns {Promise<{bytes?: string, refused?: string}>}
 */
export async function readWhole(file) {
  if (file.size > LARGEST_FILE) return { refused: counted(words.file_too_large, { size: LARGEST_FILE / 1000 }) };
  return readBytes(file).then(
    (bytes) => ({ bytes }),
    () => ({ refused: words.bring_in_unreadable }),
  );
}

/** Save a text as a file of today. */
export function saveFile(content, name, ending, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = `${name}-${new Date().toISOString().slice(0, 10)}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Ask whether the first line of a table is its header, before anything of it is learnt; `answer` gets true or false. */
export function headerQuestion(id, question, answer) {
  const choice = (label, isHeader) => html`<button
    class="button small"
    type="button"
    aria-describedby=${id}
    @click=${() => answer(isHeader)}
    ${ref(isHeader ? focused : undefined)}
  >${label}</button>`;
  return html`<span id=${id} dir="auto">${question}</span>
    ${choice(words.header_yes, true)} ${choice(words.header_no, false)}`;
}
