// The start of a conversation: greeting, example questions, and the line about models.

import { html, nothing } from "../shared/lit.js";
import { button } from "../shared/panel.js";
import { language, noted, tell, words } from "../shared/server.js";
import { filled, localBytes } from "../shared/text.js";
import { focusField } from "./composer.js";
import { send } from "./talk.js";

/** Render the greeting. */
export function greetingView() {
  return html`<h2 class="start-title">${words.start_title}</h2>
    <p class="start-line">${words.start_line}</p>`;
}

/** Render example questions, and one line about models. */
export function belowView() {
  const {
    isSmall = true,
    name = "",
    gone = "",
    found = [],
    keys = [],
    mayGet = false,
    getBytes = 0,
  } = noted.models ?? {};
  const answers = gone || (isSmall ? words.start_small : filled(words.start_answers, { model: lastPart(name) }));
  const further = found.reduce((count, { models }) => count + models.length - 1, 0);
  return html`${exampleButtons(language, isSmall)}
    <div class="row start-models hint">
      ${noted.models ? html`<p>${answers}</p>` : nothing}
      ${found.length ? html`<p>${words.start_found}</p>` : nothing}
      ${found.map(serverItem)}
      ${further > 0 ? connectButton("link", filled(words.start_more, { count: further })) : nothing}
      ${keys.map(keyItem)}
      ${mayGet ? connectButton("chip", getLabel(getBytes), { local: true }) : nothing}
    </div>`;
}

const getLabel = (bytes) => (bytes ? filled(words.local_get_size, { size: localBytes(bytes) }) : words.local_title);

function serverItem({ name, address, models: [model] }) {
  const called = `${name} (${lastPart(model)})`;
  return html`<p><strong>${called}</strong> ${connectButton("chip", words.start_use, { address, model }, called)}</p>`;
}

function keyItem({ provider, variable, model }) {
  return html`<p>${filled(words.start_key, { variable })}
    ${connectButton("chip", words.start_use, { provider, model }, variable)}</p>`;
}

/** Return the last part of a model name, without provider and owner. */
export const lastPart = (name) => name.split("/").at(-1);

/** Render example questions in a language, for the small model or another one. */
export function exampleButtons(spoken = language, isSmall = true) {
  const { small, connected } = noted.panels.conversation.examples;
  const examples = (isSmall ? small : connected)[spoken] ?? [];
  if (!examples.length) return nothing;
  const ask = (question) => {
    send(question);
    focusField();
  };
  const example = (question) => button("chip", question, () => ask(question), { dir: "auto" });
  return html`<div class="row examples" role="group" aria-label=${words.start_examples}>${examples.map(example)}</div>`;
}

/** Render a button that opens the dialog of models with `chosen`; `of` is added to its accessible name. */
export function connectButton(className, label, chosen = {}, of = "") {
  return button(className, label, () => tell("connect", chosen), { about: of });
}
