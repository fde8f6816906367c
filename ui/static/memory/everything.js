// Export or erase everything about the user.

import { saveFile } from "../shared/panel.js";
import { html } from "../shared/lit.js";
import { words } from "../shared/server.js";
import { filled, goesAlong } from "../shared/text.js";
import { act, askToErase, controls, erased, EVERYTHING, notes, panel } from "./acting.js";

const DOWNLOAD = `${EVERYTHING} download`;
const FORGET = `${EVERYTHING} forget`;
const FORMAT = "application/jsonl";

/** Render the section; `hasMemories` decides whether there is anything to erase, with the conversations. */
export function everything(hasMemories) {
  const isNothing = !hasMemories && !document.querySelector(".talks-list .talk");
  return html`<section class="stack memory-everything" aria-labelledby="everything-title">
    <h3 id="everything-title">${words.everything_title}</h3>
    <p class="hint">${filled(words.everything_hint, { days: panel.props.keep_days })}</p>
    ${controls.isOpen(FORGET) ? forgetQuestion() : buttons(isNothing)}
    ${notes(EVERYTHING)}
  </section>`;
}

function buttons(isNothing) {
  return html`<div class="buttons">
    ${controls.control(DOWNLOAD, "", words.export, download)}
    ${controls.control(FORGET, "danger", words.forget_all, () => askToErase(FORGET), "", isNothing)}
  </div>`;
}

function forgetQuestion() {
  const takes = erased.get(FORGET);
  const what = takes && goesAlong(takes);
  const question = what ? filled(words.forget_all_takes, { what }) : words.forget_all_sure;
  const asked = { question, label: words.forget_all_yes, keep: words.forget_no, look: "danger filled" };
  return controls.question(FORGET, asked, () => act(FORGET, "forget_all"));
}

async function download() {
  const told = await act(DOWNLOAD, "export");
  if (told) saveFile(told.file, "noted", "jsonl", FORMAT);
}
