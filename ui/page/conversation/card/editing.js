// The last question can be changed: a form in its place, and then another answer in the place of the last one.

let editing = null;

// Lets the last question be changed, unless an answer is being written.
function offerEditing() {
  const last = run ? null : lastQuestion();
  if (editing && editing.card !== last) closeEditing();
  for (const button of turnsPart.querySelectorAll(".edit-question")) if (button.card !== last) button.remove();
  if (!last || editing || last.root.querySelector(".edit-question")) return;
  const button = makeButton("link edit-question", words.edit_question, () => openEditing(last));
  button.card = last;
  last.parts.question.before(button);
}

// The last card, less what was taken back, if its question still stands.
function lastQuestion() {
  const last = cards.findLast((card) => card.now.turn);
  return last?.now.isOpen && !last.now.message && last.now.data.state !== "deleted" ? last : null;
}

function openEditing(card, text = card.now.data.question) {
  closeEditing();
  const form = make("form", "editing");
  const written = makeWritten("textarea", "");
  written.rows = 1;
  written.value = text;
  written.setAttribute("aria-label", words.edit_question_label);
  const go = make("button", "link accent", words.send);
  go.type = "submit";
  const buttons = make("div", "foot");
  buttons.append(makeButton("link", words.cancel, () => closeEditing(true)), go);
  form.append(written, buttons);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const question = written.value.trim();
    if (question === card.now.data.question) return closeEditing(true);
    if (!question) return written.focus();
    answerAgain(card, "edit", { text: question }, { question });
    if (!editing) card.root.focus({ preventScroll: true });
  });
  written.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeEditing(true);
    else if (event.key !== "Enter" || event.shiftKey) return;
    else form.requestSubmit();
    event.preventDefault();
  });
  written.addEventListener("input", () => growToFit(written));
  editing = { card, form };
  card.parts.question.hidden = true;
  card.root.querySelector(".edit-question")?.remove();
  card.parts.question.after(form);
  growToFit(written);
  written.focus({ preventScroll: true });
  written.setSelectionRange(written.value.length, written.value.length);
}

function closeEditing(givesFocusBack = false) {
  if (!editing) return;
  const { card, form } = editing;
  editing = null;
  form.remove();
  card.parts.question.hidden = false;
  offerEditing();
  if (givesFocusBack) card.root.querySelector(".edit-question")?.focus({ preventScroll: true });
}
