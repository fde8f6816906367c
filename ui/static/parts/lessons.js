// The lesson drafted from feedback on the answer.

import { formsIn, proposalButtons } from "../shared/forms.js";
import { html, nothing } from "../shared/lit.js";
import { written } from "../shared/panel.js";
import { words } from "../shared/server.js";
import { refresh } from "../conversation/talk.js";

const FIRST_LOOK_MS = 250;
const LONGEST_MS = 20_000;

export default function lessons({ drafting, rule, state: stage }, act, state, redraw) {
  if (drafting) {
    if (!state.isLooking) lookForDraft(state, FIRST_LOOK_MS);
    return nothing;
  }
  state.isLooking = false;
  const forms = formsIn(state, redraw);
  const decide = (told) => act({ operation: "decide", of: "lesson", ...told });
  if (forms.isOpen("change")) {
    const field = { label: words.lessons_words, value: rule, isLong: true, isNeeded: true };
    const how = { save: words.keep_keep, look: "link" };
    return forms.form("change", [field], how, (text) => decide({ act: "keep", text }));
  }
  const titles = {
    proposed: words.lessons_drafted,
    kept: words.lessons_kept,
    dropped: words.lessons_dropped,
    gone: words.lessons_gone,
  };
  const change = forms.opener("change", "link", words.keep_change, rule);
  return html`<p class="draft ${stage}"><span class="hint">${titles[stage]}</span> ${written(rule, "rule")}</p>
    <div class="foot">${act ? proposalButtons(rule, stage, decide, change) : nothing}</div>`;
}

// Poll while it is being drafted, with growing delays up to a limit.
function lookForDraft(state, wait) {
  state.isLooking = wait <= LONGEST_MS;
  if (!state.isLooking) return;
  setTimeout(() => {
    if (!state.isLooking) return;
    refresh();
    lookForDraft(state, wait * 1.5);
  }, wait);
}
