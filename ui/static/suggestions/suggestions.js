// Suggestions that wait for the user: drafted lessons and facts of messages, in one list.

import { opener, proposalButtons, proposalForm } from "../shared/forms.js";
import { html, nothing, repeat } from "../shared/lit.js";
import { createPanel, problemLine, written } from "../shared/panel.js";
import { listen, tell, words } from "../shared/server.js";
import { called, lineOf, localNumber, toWrite } from "../shared/text.js";

const panel = createPanel("suggestions", { view, receive: (told) => (suggestions = told.suggestions) });
let suggestions = [];
const forms = {}; // open forms, by key

const keyOf = ({ turn, of, number }) => `${turn} ${of} ${number}`;

async function decide(one, told) {
  const { turn, of, number } = one;
  if (!(await panel.send("decide", { turn, of, number, ...told }))) return false;
  delete forms[keyOf(one)];
  tell("memory", "suggestions");
  return true;
}

function view() {
  const [before, after] = words.suggestions_title.split("{count}");
  return html`<section class="stack suggestions" aria-labelledby="suggestions-title">
    <h2 class="hint" id="suggestions-title">${before}${localNumber(suggestions.length)}${after}</h2>
    ${problemLine(panel)}
    ${suggestions.length ? nothing : html`<p class="hint suggestions-none">${words.suggestions_none}</p>`}
    <ul class="rows">${repeat(suggestions, keyOf, suggestionItem)}</ul>
  </section>`;
}

function suggestionItem(one) {
  const { question, line } = one;
  const text = line.length > 1 ? line.map(called).join(" · ") : line[0];
  const form = opener((forms[keyOf(one)] ??= {}), panel.draw);
  const act = (told) => decide(one, told);
  if (form.isOpen("change")) {
    return html`<li class="suggestion">${proposalForm(fieldsOf(line), line.length > 1 ? lineOf : String, act, form.close, "button small")}</li>`;
  }
  const change = form.button("change", "button small", words.keep_change, `${words.keep_change}: ${text}`);
  const [before, after = ""] = words.lessons_from.split("{question}");
  return html`<li class="suggestion">
    ${written(text, "suggestion-text")}
    <p class="hint">${before}<q dir="auto">${question}</q>${after}</p>
    <div class="buttons">${proposalButtons(text, "proposed", act, change, "button small")}</div>
  </li>`;
}

function fieldsOf(line) {
  if (line.length === 1) return [{ label: words.lessons_words, value: line[0], isLong: true }];
  const labels = [words.keep_subject, words.keep_relation, words.keep_object];
  return line.map((value, place) => ({ label: labels[place], value: toWrite(value) }));
}

/** Refresh the suggestions. */
export function look() {
  return panel.send("look");
}

listen("memory", (what) => what !== "suggestions" && look());
panel.draw();
