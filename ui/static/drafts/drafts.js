// Lessons that wait for their user to say what becomes of them. Nothing stands here where there are none.

import { draftedLesson, opener } from "../shared/forms.js";
import { html, repeat } from "../shared/lit.js";
import { createPanel, problemLine } from "../shared/panel.js";
import { listen, tell, words } from "../shared/server.js";

const panel = createPanel("drafts", { view, receive: (told) => (drafts = told.drafts) });
let drafts = [];
const forms = {}; // what is open of each, by its turn

async function decide(turn, told) {
  if (!(await panel.send("decide", { turn, of: "lesson", ...told }))) return false;
  delete forms[turn];
  tell("memory", "lessons");
  return true;
}

function view() {
  return html`<section class="stack drafts" aria-labelledby="drafts-title" ?hidden=${!drafts.length}>
    <h2 id="drafts-title" class="memory-title">${words.lessons_waiting}</h2>
    <p class="hint">${words.lessons_about}</p>
    ${problemLine(panel)}
    <ul class="rows">${repeat(drafts, ({ turn }) => turn, draftItem)}</ul>
  </section>`;
}

function draftItem({ turn, question, rule, state }) {
  const [before, after = ""] = words.lessons_from.split("{question}");
  const form = opener((forms[turn] ??= {}), panel.draw);
  return html`<li class="drafts-one">
    <p class="hint">${before}<q dir="auto">${question}</q>${after}</p>
    <div>${draftedLesson({ rule, state }, (told) => decide(turn, told), form, "change", "button small")}</div>
  </li>`;
}

/** Read those that wait anew. */
export function look() {
  return panel.send("look");
}

listen("memory", (what) => what !== "lessons" && look());
panel.draw();
