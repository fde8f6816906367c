// Test a question: which entries would be used, which not, and why, without the model.

import { button, calmly, createPanel, lesson, problemLine } from "../shared/panel.js";
import { html, nothing } from "../shared/lit.js";
import { words } from "../shared/server.js";
import { howMany, tooLong } from "../shared/text.js";

const panel = createPanel("trial", { view, receive, refused: () => (said = "") });
let found = [];
let said = "";

function receive(told) {
  found = told.found;
  said = summary();
  panel.draw();
  const line = panel.find(".drawer-said");
  if (panel.element.contains(document.activeElement)) line.scrollIntoView({ block: "nearest", behavior: calmly() });
}

function ask(event, told = {}) {
  const field = panel.find("input");
  const question = field.value.trim();
  if (!question) return field.focus();
  const refused = tooLong(question, panel.props.longest);
  if (refused) return panel.refuse(refused);
  said = words.looking;
  panel.send(event, { ...told, question });
  panel.draw();
}

function summary() {
  if (!found.length) return words.trial_nothing;
  const used = found.filter(({ action }) => action === "use").length;
  if (used) return howMany("trial_uses", used);
  return found.some(({ action }) => action === "offer") ? words.trial_offers : words.trial_leaves;
}

function view() {
  const preview = (event) => {
    event.preventDefault();
    ask("preview");
  };
  return html`<details class="drawer trial">
    <summary class="drawer-title">${words.trial_title}</summary>
    <form class="stack drawer-form" @submit=${preview}>
      <label class="entry-label" for="trial-question">${words.trial_label}</label>
      <div class="drawer-row">
        <input id="trial-question" type="text" dir="auto" autocomplete="off" />
        <button class="button primary" type="submit" ?disabled=${panel.isAwaited}>${words.trial_go}</button>
      </div>
    </form>
    ${problemLine(panel)}
    <p class="drawer-said" role="status" aria-live="polite">${said}</p>
    <ul class="rows drawer-list">${found.map(foundCard)}</ul>
  </details>`;
}

function foundCard(entry) {
  const does = [words[`trial_does_${entry.action}`], words[entry.match], entry.shared && words.shared_short];
  return html`<li class="trial-entry trial-${entry.action}">
    <p class="trial-badge">${does.filter(Boolean).join(" · ")}</p>
    <p class="trial-text">${lesson(entry)}</p>
    <p class="hint">${entry.reason}</p>
    ${entry.is_kept_back ? button("button small", words.resume, () => ask("resume", { entry: entry.id })) : nothing}
  </li>`;
}

panel.draw();
