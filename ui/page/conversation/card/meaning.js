// The understanding is the control: a field in its place, where a person says what they meant. Enter saves.

// With the sentence that is to be changed, or empty, unless something was typed there before.
function openMeaning(card, sentence) {
  if (!card.now.mayCorrect) return;
  if (card.field) return card.field.focus();
  const form = make("form", "meaning-form");
  const field = makeWritten("textarea", "");
  field.rows = 1;
  field.value = card.typed || sentence;
  field.placeholder = words.what_meant;
  field.setAttribute("aria-label", words.what_meant);
  field.enterKeyHint = "send";
  const hint = make("span", "hint keys", words.meant_keys);
  const save = make("button", "link accent", words.save);
  save.type = "submit";
  const buttons = make("div", "foot");
  buttons.append(hint, makeButton("link", words.cancel, () => closeMeaning(card, true)), save);
  const problem = make("p", "notice");
  problem.setAttribute("role", "alert");
  problem.hidden = true;
  form.append(field, ...readings(card), problem, buttons);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    saveMeaning(card);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeMeaning(card, true);
    else if (event.key !== "Enter" || event.shiftKey) return;
    else saveMeaning(card);
    event.preventDefault();
  });
  field.addEventListener("input", () => {
    growToFit(field);
    keepTyped(card, field.value);
    if (run?.card === card) stop();
  });
  Object.assign(card, { field, problem, sentence: card.now.understanding });
  card.parts.meaning.replaceChildren(form);
  card.parts.understanding.hidden = true;
  card.root.classList.add("putting-right");
  growToFit(field);
  field.focus({ preventScroll: true });
  if (field.value !== sentence || !sentence) field.setSelectionRange(field.value.length, field.value.length);
  else field.select();
  form.scrollIntoView({ block: "nearest", behavior: calmly() });
}

// What else may have been meant, to click: what the model says, and what was remembered and came near.
function readings(card) {
  const { memory, readings: told = [] } = card.now.data;
  const keptBack = memory?.kept_back.map((kept) => kept.id);
  const script = writtenIn(card.now.data.question, "");
  const fits = ({ id, example, text }) => !example && !keptBack.includes(id) && writtenIn(text, "") === script;
  const near = memory?.looked.filter(fits) ?? [];
  if (!card.now.isOpen || !(told.length || near.length)) return [];
  const chips = make("div", "readings");
  chips.setAttribute("role", "group");
  chips.setAttribute("aria-label", words.readings);
  const take = (text) => {
    card.field.value = text;
    saveMeaning(card);
  };
  const use = ({ id }) => {
    closeMeaning(card, true);
    answerAgain(card, "react", { reaction: "use", entry: id });
  };
  const offered = [...told.map((text) => [text, () => take(text)]), ...near.map((entry) => [saying(entry), () => use(entry)])];
  for (const [text, onClick] of offered.slice(0, 3)) {
    chips.append(makeButton("chip", text, onClick));
    chips.lastChild.dir = "auto";
  }
  return [chips];
}

// Saved at once; answered again as soon as no other answer is being written.
function saveMeaning(card) {
  const text = card.field.value.trim();
  if (!text || text === card.sentence) return refuseMeaning(card, words.say_more);
  const refused = tooLong(text, props.longest.clarification);
  if (refused) return refuseMeaning(card, refused);
  const { turn } = card.now;
  closeMeaning(card, true);
  if (!run) return answerAgain(card, "clarify", { text }, { meant: text });
  card.next = text;
  card.noting = tell("note", { turn: turn.id, text });
  keep({ correction: { turn: turn.id, text, isSaved: true } });
  showCard(card);
}

// The first card of which something was noted while another answer was being written. Returns whether there is one.
function answerNoted() {
  const card = cards.find(({ next }) => next);
  if (!card) return false;
  const text = forgetNext(card);
  answerAgain(card, "clarify", { text }, { meant: text });
  return true;
}

function forgetNext(card) {
  const { next } = card;
  card.next = "";
  keep({ correction: null });
  return next;
}

// Of a note that was not saved, the words go back to the field.
function refuseNote({ run: id, refused }) {
  const card = cards.find(({ noting, next }) => next && noting === id);
  if (!card) return false;
  const text = forgetNext(card);
  showCard(card);
  refuseMeaning(card, refused, text);
  return true;
}

// What was not saved stays in the field.
function refuseMeaning(card, sentence, text = card.typed) {
  keepTyped(card, text);
  openMeaning(card, "");
  if (!card.field) return say(sentence);
  card.problem.textContent = sentence;
  card.problem.hidden = false;
  card.field.focus({ preventScroll: true });
}

function keepTyped(card, text) {
  card.typed = text;
  keep({ correction: { turn: card.now.turn.id, text } });
}

function closeMeaning(card, givesFocusBack = false) {
  if (!card.field) return;
  card.field = null;
  keep({ correction: null });
  card.parts.meaning.replaceChildren();
  card.root.classList.remove("putting-right");
  drawUnderstanding(card.parts.understanding, card);
  if (givesFocusBack) card.line.focus({ preventScroll: true });
}
