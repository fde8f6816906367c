// Suggestions that wait for the user: drafted lessons and facts of messages, in one list.

import { createControls, proposalButtons } from "../shared/forms.js";
import { html, nothing, repeat } from "../shared/lit.js";
import { createPanel, problemLine, written } from "../shared/panel.js";
import { listen, tell, words } from "../shared/server.js";
import { called, lineFields, lineOf, localNumber } from "../shared/text.js";

const panel = createPanel("suggestions", { view, receive: (told) => (suggestions = told.suggestions) });
const controls = createControls(panel);
let suggestions = [];

const keyOf = ({ turn, of, number }) => `${turn} ${of} ${number}`;

async function decide(one, decision) {
  const { turn, of, number } = one;
  const told = await controls.send(keyOf(one), "decide", { turn, of, number, ...decision });
  if (told) tell("memory", "suggestions");
  return told;
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
  const name = keyOf(one);
  const isLesson = line.length === 1;
  const text = isLesson ? line[0] : line.map(called).join(" · ");
  if (controls.isOpen(name)) {
    const lesson = { label: words.lessons_words, value: text, isLong: true, isNeeded: true };
    const keep = (...values) => decide(one, { act: "keep", text: isLesson ? values[0] : lineOf(values) });
    const form = controls.form(name, isLesson ? [lesson] : lineFields(line), { save: words.keep_keep }, keep);
    return html`<li class="suggestion">${form}</li>`;
  }
  const act = (decision) => decide(one, decision);
  const change = controls.opener(name, "button small", words.keep_change, text);
  const [before, after = ""] = words.lessons_from.split("{question}");
  return html`<li class="suggestion">
    ${written(text, "suggestion-text")}
    <p class="hint">${before}<q dir="auto">${question}</q>${after}</p>
    <div class="buttons">${proposalButtons(text, "proposed", act, change, "button small")}</div>
  </li>`;
}

/** Refresh the suggestions. */
export function look() {
  return panel.send("look");
}

listen("memory", (what) => what !== "suggestions" && look());
panel.draw();
