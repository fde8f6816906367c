// The last question can be changed: a form in its place, and a new answer below. The old card stays, dimmed.

let editing = null;

// Lets the last question be changed, unless an answer is being written.
function offerEditing() {
  const last = run ? null : lastQuestion();
  if (editing && editing.turn !== last) closeEditing();
  for (const button of turnsPart.querySelectorAll(".edit-question")) if (button.turn !== last) button.remove();
  if (!last || editing || last.root.querySelector(".edit-question")) return;
  const button = makeButton("button quiet small edit-question", words.edit_question, () => openEditing(last, button));
  button.turn = last;
  last.parts.question.after(button);
}

// The last turn, less what was taken back, if it is a question that still stands.
function lastQuestion() {
  const last = Array.from(turns.values()).findLast(({ data }) => data.state !== "undone");
  const stands = last && !last.data.noted && !last.data.replaced;
  return stands && ["answered", "stopped", "failed"].includes(last.data.state) ? last : null;
}

function openEditing(turn, button) {
  const form = make("form", "editing");
  const written = make("textarea");
  written.dir = "auto";
  written.rows = 1;
  written.value = turn.data.question;
  written.setAttribute("aria-label", words.edit_question_label);
  const go = make("button", "button primary", words.send);
  go.type = "submit";
  const buttons = make("div", "buttons");
  buttons.append(makeButton("button", words.cancel, () => closeEditing(true)), go);
  form.append(written, buttons);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (written.value.trim() === turn.data.question) return closeEditing(true);
    if (go.disabled || !written.value.trim()) return written.focus();
    go.disabled = begin("edit", { turn: turn.id, text: written.value }, { edited: turn, text: written.value });
  });
  written.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeEditing(true);
    else if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    else form.requestSubmit();
    event.preventDefault();
  });
  written.addEventListener("input", () => growToFit(written));
  editing = { turn, form, go };
  turn.parts.question.hidden = true;
  button.replaceWith(form);
  growToFit(written);
  written.focus({ preventScroll: true });
  written.setSelectionRange(written.value.length, written.value.length);
}

function closeEditing(giveFocusBack = false) {
  if (!editing) return;
  const { turn, form } = editing;
  editing = null;
  form.remove();
  turn.parts.question.hidden = false;
  offerEditing();
  if (giveFocusBack) turn.root.querySelector(".edit-question")?.focus({ preventScroll: true });
}
