// Generated study questions: each with its answer, alternatives in a disclosure, and actions for all.

import { button, copyText, saveFile, scoreBars, written } from "../shared/panel.js";
import { html, nothing } from "../shared/lit.js";
import { tell, words } from "../shared/server.js";
import { howMany } from "../shared/text.js";

/** Return the passages that have a question. */
export function questionsOf(made) {
  return made.filter(({ question }) => question);
}

/** Render the questions, and the actions once generation ends. */
export function madeQuestions(made, isGoing) {
  const shown = questionsOf(made);
  if (!shown.length) return nothing;
  return html`<ol class="rows scrolls" tabindex="0" aria-label=${words.study_title}>${shown.map(questionItem)}</ol>
    ${isGoing ? nothing : useButtons(made)}`;
}

function questionItem({ question, answer, scores, others }) {
  const isScored = Object.keys(scores).length > 0;
  return html`<li class="study-one">
    ${pair({ question, answer }, "study-question strong")}
    <details ?hidden=${!others.length}>
      <summary class="hint">${howMany("study_others", others.length)}</summary>
      ${isScored ? html`<p class="hint">${words.study_chosen}</p>${bars(scores)}` : nothing}
      <ul class="aside stack study-others">${others.map((other) => html`<li>${pair(other)}${bars(other.scores)}</li>`)}</ul>
    </details>
  </li>`;
}

function bars(scores) {
  return scoreBars(Object.entries(scores).map(([name, score]) => ({ by: `study_by_${name}`, score })));
}

function pair({ question, answer }, className = "") {
  return html`<p class=${className || nothing} dir="auto">${question}</p>
    <p class="hint">${words.study_answer} ${written(answer)}</p>`;
}

function useButtons(made) {
  const plain = questionsOf(made).map(({ question, answer }) => `${question}\n${answer}`);
  return html`<div class="buttons">
    ${button("button small primary", words.study_practise, () => tell("practise", asTable(made)))}
    ${button("button small", words.copy, ({ target }) => copyText(plain.join("\n\n"), target))}
    ${button("button small", words.study_csv, () => saveFile(asCsv(made), "noted-questions", "csv", "text/csv"))}
    ${button("button small", words.study_json, () => saveFile(JSON.stringify(made, null, 1), "noted-questions", "json", "application/json"))}
  </div>`;
}

/** Return questions as lines to practise. */
export function asTable(made) {
  const line = ({ question, answer }) => [question, answer].map((value) => value.replace(/\s+/g, " ")).join("\t");
  return ["question\tanswer", ...questionsOf(made).map(line)].join("\n");
}

/** Return questions as a CSV file. */
export function asCsv(made) {
  const line = ({ question, answer }) =>
    [question, answer].map((value) => `"${value.replaceAll('"', '""')}"`).join(",");
  return ["question,answer", ...questionsOf(made).map(line), ""].join("\n");
}
