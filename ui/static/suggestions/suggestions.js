// Suggestions that wait for the user: drafted lessons and facts of messages, in one list.

import { html, nothing, repeat } from "../shared/lit.js";
import { createControls, createPanel, problemLine, proposalButtons, quoted, written } from "../shared/panel.js";
import { listen, tell, words } from "../shared/server.js";
import { filled, lineFields, lineOf, lineText } from "../shared/text.js";

const panel = createPanel("suggestions", { view, receive: (told) => (suggestions = told.suggestions) });
const controls = createControls(panel);
let suggestions = [];

const keyOf = ({ turn, of, number }) => `${turn} ${of} ${number}`;

function view() {
  return html`<section class="stack suggestions" aria-labelledby="suggestions-title">
    <h2 class="hint" id="suggestions-title">${filled(words.suggestions_title, { count: suggestions.length })}</h2>
    ${problemLine(panel)}
    ${suggestions.length ? nothing : html`<p class="hint suggestions-none">${words.suggestions_none}</p>`}
    <ul class="rows">${repeat(suggestions, keyOf, suggestionItem)}</ul>
  </section>`;
}

function suggestionItem(one) {
  const { turn, of, number, question, line } = one;
  const name = keyOf(one);
  const isLesson = line.length === 1;
  const text = isLesson ? line[0] : lineText(line);
  const decide = async (decision) => {
    const told = await controls.send(name, "decide", { turn, of, number, ...decision });
    if (told) tell("memory", "suggestions");
    return told;
  };
  if (controls.isOpen(name)) {
    const lesson = { label: words.lessons_words, value: text, isLong: true, isNeeded: true };
    const keep = (...values) => decide({ act: "keep", text: isLesson ? values[0] : lineOf(values) });
    const form = controls.form(name, isLesson ? [lesson] : lineFields(line), { save: words.keep_keep }, keep);
    return html`<li class="suggestion">${form}</li>`;
  }
  const change = controls.opener(name, "button small", words.keep_change, text);
  return html`<li class="suggestion">
    ${written(text)}
    <p class="hint">${quoted(words.lessons_from, "question", question)}</p>
    <div class="buttons">${proposalButtons(text, "proposed", decide, change, "button small")}</div>
  </li>`;
}

export const { look } = panel;

listen("memory", (what) => what !== "suggestions" && look());
panel.draw();
