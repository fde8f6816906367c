// Drafts: a button that generates them, then the others with their scores and a button to choose each.

import { safeMarkup } from "../conversation/markup.js";
import { html, nothing } from "../shared/lit.js";
import { button, scoreBars, written } from "../shared/panel.js";
import { words } from "../shared/server.js";
import { filled, howMany } from "../shared/text.js";

export default function drafts({ calls, others, shown, taken, takes }, act) {
  if (!others) {
    const label = calls ? filled(words.drafts_try_calls, { count: calls }) : words.drafts_try;
    return act ? button("link", label, () => act({ operation: "drafts" })) : nothing;
  }
  if (!others.length) return html`<p class="hint">${words.drafts_none}</p>`;

  const draft = ({ number, understanding, answer, text, scores }) => html`<li class="draft aside stack">
    ${understanding ? html`<p class="hint">${words.drafts_understood} ${written(understanding)}</p>` : nothing}
    <div class="answer" dir="auto">${safeMarkup(answer)}</div>
    ${scoreBars(scores)}
    ${act && takes ? button("link accent", words.drafts_take, () => act({ operation: "take", number }), { about: text.slice(0, 80) }) : nothing}
  </li>`;

  const title = howMany("drafts", others.length);
  const undo = act && takes ? button("link", words.undo, () => act({ operation: "take", number: 0 })) : nothing;
  return html`${taken ? html`<p class="hint">${words.drafts_taken} ${undo}</p>` : nothing}
    <p>${title}</p>
    <ol class="drafts stack">${others.map(draft)}</ol>
    ${shown.length ? html`<p class="hint">${words.drafts_shown}</p>${scoreBars(shown)}` : nothing}`;
}
