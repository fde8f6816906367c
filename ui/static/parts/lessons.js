// The lesson drafted from feedback on the answer.

import { draftedLesson, opener } from "../shared/forms.js";
import { nothing } from "../shared/lit.js";
import { refresh } from "../conversation/talk.js";

const FIRST_LOOK_MS = 250;
const LONGEST_MS = 20_000;

export default function lessons({ drafting, rule, state: stage }, act, state, redraw) {
  if (drafting) {
    if (!state.isLooking) lookForDraft(state, FIRST_LOOK_MS);
    return nothing;
  }
  state.isLooking = false;
  const decide = act && ((told) => act({ operation: "decide", of: "lesson", ...told }));
  return draftedLesson({ rule, state: stage }, decide, opener(state, redraw), "change");
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
