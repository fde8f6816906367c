// Generated study questions: each with its answer, alternatives in a disclosure, and actions for all.

import { button, copyText, saveFile, scoreBars, written } from "../shared/panel.js";
import { html, nothing } from "../shared/lit.js";
import { tell, words } from "../shared/server.js";
import { howMany } from "../shared/text.js";

/** Return the best question of each passage that has any. */
export function questionsOf(made) {
  return made.filter(({ all }) => all.length).map(({ all, best }) => all[best]);
}

/** Render the questions, and the actions once generation ends. */
export function madeQuestions(made, isGoing) {
  const shown = made.filter(({ all }) => all.length);
  if (!shown.length) return nothing;
  return html`<ol class="rows study-made" tabindex="0" aria-label=${words.study_title}>${shown.map(questionItem)}</ol>
    ${isGoing ? nothing : useButtons(made)}`;
}

function questionItem({ all, best }) {
  const others = all.filter((_, place) => place !== best);
  const count = howMany("study_others", others.length);
  const { scores } = all[best];
  return html`<li class="study-one">
    ${pair(all[best], "study-question")}
    <details ?hidden=${!others.length}>
      <summary class="hint">${count}</summary>
      ${scores.length ? html`<p class="hint">${words.study_chosen}</p>${scoreBars(scores)}` : nothing}
      <ul class="study-others">${others.map((other) => html`<li>${pair(other)}${scoreBars(other.scores)}</li>`)}</ul>
    </details>
  </li>`;
}

function pair({ question, said }, className = "") {
  return html`<p class=${className || nothing} dir="auto">${question}</p>
    <p class="hint">${words.study_answer} ${written(said)}</p>`;
}

function useButtons(made) {
  const plain = questionsOf(made).map(({ question, said }) => `${question}\n${said}`);
  return html`<div class="buttons">
    ${button("button small primary", words.study_practise, () => tell("practise", asTable(made)))}
    ${button("button small", words.copy, ({ target }) => copyText(plain.join("\n\n"), target))}
    ${button("button small", words.study_csv, () => saveFile(asCsv(made), "noted-questions", "csv", "text/csv"))}
    ${button("button small", words.study_json, () => saveFile(asJson(made), "noted-questions", "json", "application/json"))}
  </div>`;
}

/** Return questions as lines to practise. */
export function asTable(made) {
  const line = ({ question, said }) => [question, said].map((value) => value.replace(/\s+/g, " ")).join("\t");
  return ["question\tanswer", ...questionsOf(made).map(line)].join("\n");
}

/** Return questions as a CSV file. */
export function asCsv(made) {
  const line = ({ question, said }) => [question, said].map((value) => `"${value.replaceAll('"', '""')}"`).join(",");
  return ["question,answer", ...questionsOf(made).map(line), ""].join("\n");
}

// Return all questions with scores as JSON.
function asJson(made) {
  const scoresOf = ({ scores }) => scores.map(({ by, score }) => [by.replace("study_by_", ""), score]);
  const plain = (one) => ({ question: one.question, answer: one.said, scores: Object.fromEntries(scoresOf(one)) });
  const places = made.map(({ sentence, all, best }) => ({ sentence, best, all: all.map(plain) }));
  return JSON.stringify(places, null, 1);
}
