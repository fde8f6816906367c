// The start of a conversation: questions to click, and which model answers, with those that could.

import { html, nothing, render } from "../shared/lit.js";
import { button } from "../shared/parts.js";
import { language, listen, noted, tell, words } from "../shared/server.js";
import { filled, localNumber } from "../shared/text.js";
import { focusField } from "./composer.js";
import { send } from "./talk.js";

const MOST_FOUND = 5; // models of a server in sight; more are folded

/** Show the start in its place. */
export function showStartIn(place) {
  const draw = () => render(view(), place);
  listen("models", draw);
  draw();
}

function view() {
  const examples = exampleButtons();
  return html`<h2 class="start-title">${words.start_title}</h2>
    <p class="start-line">${words.start_line}</p>
    ${examples === nothing ? nothing : html`<p class="hint">${words.start_examples}</p>${examples}`}
    ${modelsView(noted.models ?? {})}`;
}

/** Questions to click, in a language. */
export function exampleButtons(spoken = language) {
  const examples = noted.panels.conversation.examples[spoken] ?? [];
  if (!examples.length) return nothing;
  const example = (question) =>
    html`<button class="chip" type="button" dir="auto" @click=${() => {
      send(question);
      focusField();
    }}>${question}</button>`;
  return html`<div class="examples" role="group" aria-label=${words.start_examples}>${examples.map(example)}</div>`;
}

function modelsView({ isSmall = false, mayConnect = false, mayGet = false, found = [], keys = [] }) {
  const key = ({ provider, variable, model }) =>
    connectButton("chip", variable, { provider, model }, filled(words.start_key, { variable, provider }));
  return html`<div class="start-models" ?hidden=${!isSmall}>
    <div class="start-acts"><p class="hint">${words.start_small}</p>
      ${mayConnect ? connectButton("link accent", words.start_connect, {}) : nothing}
      ${mayGet ? connectButton("link accent", words.local_title, { local: true }) : nothing}</div>
    ${found.map(serverRow)}${keys.length ? row(words.start_keys, keys.map(key)) : nothing}
  </div>`;
}

function serverRow({ name, address, models }) {
  const use = (model) => {
    const called = model.slice(model.indexOf("/") + 1);
    const chosen = { provider: "", address, model };
    return connectButton("chip", called.split("/").at(-1), chosen, filled(words.start_use, { model: called }));
  };
  return row(filled(words.start_found, { server: name }), models.map(use));
}

function row(label, buttons) {
  const [shown, folded] = [buttons.slice(0, MOST_FOUND), buttons.slice(MOST_FOUND)];
  const more = () => html`<details class="start-more">
    <summary class="hint">${filled(words.start_more, { count: localNumber(folded.length) })}</summary>
    <div class="examples">${folded}</div>
  </details>`;
  return html`<div class="start-row" role="group" aria-label=${label}>
    <p class="hint">${label}</p>
    <div class="examples">${shown}</div>
    ${folded.length ? more() : nothing}
  </div>`;
}

/** A button that opens the dialog of models, with what was chosen here. */
export function connectButton(className, label, chosen, whole = label) {
  if (whole === label) return button(className, label, () => tell("connect", chosen));
  return html`<button class=${className} type="button" title=${whole} aria-label=${whole} @click=${() => tell("connect", chosen)}>${label}</button>`;
}
