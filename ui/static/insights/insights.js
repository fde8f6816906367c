// The Insights page: one sentence; and behind it whose numbers, and the parts of which there is something to show.

import { html, nothing } from "../shared/lit.js";
import { button, createPanel, problemLine } from "../shared/panel.js";
import { words } from "../shared/server.js";
import { counted, filled, howMany, localList, localNumber } from "../shared/text.js";
import { sections } from "./sections.js";

const panel = createPanel("insights", { view, receive: (overview) => (told = overview) });
const WORTH_SAYING = 3;
const PADDING = 36;
const LEAST_WIDTH = 260;
let told = null;
let width = LEAST_WIDTH; // of the plots

function view() {
  const parts = told ? sections(told, width) : [];
  const isEmpty = !parts.some(Boolean);
  return html`<div class="stack insights-page">
    <div class="buttons insights-of" role="group" aria-label=${words.insights_whose} ?hidden=${!told?.curator}>
      ${ofButton("own", words.insights_own)}${ofButton("everyone", words.insights_everyone)}
    </div>
    ${problemLine(panel)}
    <div aria-live="polite"><h2 class="insights-headline">${told && headline(told)}</h2></div>
    <p class="start-line insights-hint">${told && isEmpty ? words.insights_none_hint : nothing}</p>
    ${told?.preferences ? preferred(told.preferences) : nothing}
    <details class="insights-details" ?hidden=${isEmpty}>
      <summary>${words.details}</summary>
      <p class="hint insights-said">${told?.of === "everyone" ? counted(words.insights_of_people, told) : nothing}</p>
      <div class="insights-sections">${parts}</div>
      <p class="hint insights-kept">${filled(words.insights_hint, { days: panel.props.keep_days })}</p>
    </details>
  </div>`;
}

function ofButton(of, label) {
  return html`<button
    class="button small"
    type="button"
    aria-pressed=${String(told?.of === of)}
    @click=${() => panel.send("look", { of })}
  >${label}</button>`;
}

function headline({ saved, remembered, questions }) {
  if (saved >= WORTH_SAYING) return counted(words.insights_saved, { count: saved });
  if (remembered) return howMany("insights_learned", remembered);
  return questions ? words.insights_learned_none : words.insights_none;
}

// Which scores count for more, since somebody took another draft.
function preferred({ count, weights }) {
  const weight = (value) => localNumber(value, { maximumFractionDigits: 1, minimumFractionDigits: 1 });
  const each = weights.map(({ by, weight: value }) =>
    filled(words.drafts_weight, { name: words[by], weight: weight(value) }),
  );
  const reset = () => {
    panel.send("reset_preferences", { of: told.of });
    panel.draw();
  };
  return html`<p class="hint insights-drafts">
    ${counted(words.drafts_weights, { count, weights: localList(each) })}
    ${button("button small", words.drafts_reset, reset, { isDisabled: panel.isAwaited })}
  </p>`;
}

/** Read the numbers anew: the user's own. */
export function look() {
  return panel.send("look");
}

panel.draw();
// What is drawn has the width that there is; a tab that is not shown has none.
const place = panel.find(".insights-sections");
new ResizeObserver(() => {
  const room = Math.max(LEAST_WIDTH, place.clientWidth - PADDING);
  if (!place.clientWidth || room === width) return;
  width = room;
  panel.draw();
}).observe(place);
