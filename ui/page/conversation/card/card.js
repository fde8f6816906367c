// One card: a question, and below it how it was understood, the answer, and what that rests on. Each turn that answers
// the question once more changes the card in place; a message that put an earlier card right has a card of its own.
// A part is drawn again only when what it shows has changed, so that an open field or disclosure stays as it is.

// What draws further parts of a card, by name (`CardPart` in `ui/server/services.py`). Their scripts put it here.
const cardParts = {};

function newCard() {
  const root = make("article", "turn");
  root.tabIndex = -1;
  const card = { root, turns: [], below: null, typed: "", next: "", drawn: {}, parts: {} };
  const add = (to, tag, name, more = "") => (card.parts[name] = to.appendChild(make(tag, `${name} ${more}`)));
  add(add(root, "div", "asked"), "h2", "heading", "visually-hidden").textContent = words.you_asked;
  add(card.parts.asked, "p", "question").dir = "auto";
  add(root, "div", "whole");
  const body = add(root, "div", "card");
  for (const name of ["understanding", "meaning", "answer", "progress", "notice", "memory"]) add(body, "div", name);
  for (const name of Object.keys(cardParts)) add(body, "div", `part-${name}`, "card-part");
  for (const name of ["foot", "others", "comparison"]) add(body, "div", name);
  const { answer, foot, comparison } = card.parts;
  answer.dir = "auto";
  comparison.hidden = true;
  foot.setAttribute("role", "group");
  foot.setAttribute("aria-label", words.actions);
  buildUnderstanding(card);
  root.addEventListener("keydown", (event) => {
    const isPlain = event.key.toLowerCase() === "e" && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isPlain || event.target.matches("textarea, input, select") || !card.now.mayCorrect) return;
    event.preventDefault();
    openMeaning(card, sentenceOf(card));
  });
  return card;
}

function isMessage({ data }) {
  return data.state === "correction" || (data.state === "undone" && !data.understanding && !data.answer);
}

// What a card shows: the last of its answers that was not taken back, with text if one has it, or the one that is on its
// way in its place.
function nowOf(card) {
  const message = isMessage(card.turns[0]) ? card.turns[0] : null;
  const left = card.turns.filter((turn) => turn !== message && turn.data.state !== "undone");
  const told = left.filter((turn) => turn.data.state !== "deleted");
  const stands = told.length ? told : left;
  const turn = stands.at(-1) ?? null;
  const isRun = run?.card === card;
  const isNext = Boolean(card.next) && turn;
  const isComing = isNext || (isRun && run.instead === turn);
  const isSaved = isNext && turn.data.noted?.text === card.next;
  const progress = isSaved ? words.answered_next : isNext || (isRun && run.meant) ? words.saving : words.sending;
  const coming = { state: "running", question: (isRun && run.question) || turn?.data.question, progress };
  const data = isComing ? coming : turn ? dataOf(turn, stands) : {};
  const replaced = turns.get(data.replaces) ?? null;
  const before = isComing ? turn : replaced?.data.state === "deleted" ? null : replaced;
  const isAgain = before !== null && before.data.question === data.question;
  const isBusy = data.state === "running";
  const isFolded = card.below !== null && card.below.data.state !== "undone";
  const was = isAgain ? before.data : {};
  const understanding = data.understanding || (isBusy && (card.next || (isRun && run.meant) || was.understanding)) || "";
  const same = stands.filter((one) => one.data.question === data.question);
  return {
    message, turn, data, before, isBusy, isFolded,
    understanding: isFolded ? "" : understanding,
    old: isFolded ? understanding : was.understanding === understanding ? "" : was.understanding ?? "",
    answer: isFolded ? "" : data.answer || (isBusy && was.answer) || "",
    isAsBefore: isAgain && data.put_right && before.data.understanding === understanding && before.data.answer === data.answer,
    noted: isFolded ? null : message ?? same.findLast((one) => one.data.noted) ?? null,
    isOpen: turn !== null && !isBusy && !isFolded,
    mayCorrect: !isFolded && Boolean(isBusy ? data.understanding : data.can?.correct),
  };
}

// Where answering again failed or was stopped, the answer before it stays, with what went wrong.
function dataOf(turn, stands) {
  const { state, error, notice, can } = turn.data;
  const earlier = stands.findLast((one) => one.data.state === "answered" && one.data.question === turn.data.question);
  if (!["failed", "stopped"].includes(state) || !earlier) return turn.data;
  return { ...earlier.data, error, notice, can: { ...earlier.data.can, confirm: false, retry: can.retry } };
}

function showCard(card) {
  const now = (card.now = nowOf(card));
  const { message, turn, data, isOpen, isBusy, isFolded } = now;
  const first = card.turns[0].data;
  const { root, parts } = card;
  root.setAttribute("aria-busy", String(isBusy));
  root.classList.toggle("putting-right", Boolean(card.field));
  parts.card.hidden = !turn && !message && first.state !== "undone";
  const memory = isFolded ? null : data.memory ?? null;
  draw(card, "question", [message?.data.question ?? data.question ?? first.question], drawQuestion);
  draw(card, "understanding", [now.understanding, now.old, now.mayCorrect, data.confirmed, data.kept, data.can, turn?.id], drawUnderstanding);
  draw(card, "answer", now.answer, (part) => part.replaceChildren(safeMarkup(now.answer)));
  parts.answer.classList.toggle("stale", isBusy && !data.answer);
  draw(card, "progress", isBusy ? data.progress ?? words[data.phase] ?? "" : "", drawProgress);
  draw(card, "notice", noticeOf(card), drawLine);
  draw(card, "memory", [memory, isOpen], (part, ...shown) => keepFocus(part, () => drawMemory(part, ...shown)));
  for (const name of Object.keys(cardParts)) draw(card, `part-${name}`, [data.parts?.[name] ?? null, isOpen, name], drawPart);
  const isNewest = card === cards.at(-1);
  draw(card, "foot", [isOpen && data.can, isNewest && data.can?.examples, offersModel(now), data.copy, now.noted?.data.noted, now.noted?.id, turn?.id], drawFoot);
  draw(card, "others", now.noted?.data.noted?.others ?? [], drawOthers);
  draw(card, "comparison", [turn?.id, isBusy], closeComparison);
  if (card.field && !now.mayCorrect) closeMeaning(card);
}

function draw(card, name, shown, drawShown) {
  const key = JSON.stringify(shown) ?? "";
  if (card.drawn[name] === key) return;
  card.drawn[name] = key;
  drawShown(card.parts[name], card, shown);
}

function drawLine(part, _card, text) {
  part.hidden = !text;
  part.textContent = text;
}

const SECONDS_UNTOLD = 5;

// What is being done, and for how long where that takes a while.
function drawProgress(part, card, text) {
  drawLine(part, card, text);
  clearInterval(card.counting);
  const began = Date.now();
  const count = () => {
    const seconds = Math.floor((Date.now() - began) / 1000);
    if (!part.isConnected) clearInterval(card.counting);
    else if (seconds >= SECONDS_UNTOLD) part.textContent = `${text} ${localNumber(seconds, { style: "unit", unit: "second", unitDisplay: "short" })}`;
  };
  if (text) card.counting = setInterval(count, 1000);
}

function drawQuestion(part, card, [question]) {
  part.textContent = question;
  part.hidden = !question; // of a deleted turn
  foldQuestion(card, question);
}

// A very long question shows its beginning, until somebody wants all of it.
function foldQuestion(card, text) {
  const { question, whole } = card.parts;
  const isLong = text.length > 600 || text.split("\n").length > 8;
  question.classList.toggle("folded", isLong);
  whole.replaceChildren();
  if (!isLong) return;
  const button = makeButton("link", words.show_all, () => {
    const isFolded = question.classList.toggle("folded");
    button.textContent = isFolded ? words.show_all : words.show_less;
    button.setAttribute("aria-expanded", String(!isFolded));
  });
  button.setAttribute("aria-expanded", "false");
  whole.append(button);
}

// They stay where they are, with the focus, whatever they say.
function buildUnderstanding(card) {
  const { understanding } = card.parts;
  const old = makeWritten("s", "old");
  const line = make("button", "understood");
  line.type = "button";
  const pencil = makeButton("icon pencil", "✎", () => openMeaning(card, ""));
  const tick = makeButton("icon tick", "✓", () => {
    const { turn, data } = card.now;
    if (!data.confirmed) tell("react", { turn: turn.id, reaction: "confirm" });
    else if (data.kept) tell("undo", { entry: data.kept });
  });
  line.dir = "auto";
  line.title = words.understanding_change;
  pencil.title = words.no_i_meant;
  pencil.setAttribute("aria-label", words.no_i_meant);
  tick.title = words.yes;
  tick.setAttribute("aria-label", words.yes);
  // All of the line, not the words alone; a key that presses them clicks it, too.
  const row = make("div", "understood-line");
  row.addEventListener("click", ({ target }) => target.closest(".icon") || openMeaning(card, sentenceOf(card)));
  row.append(line, pencil, tick);
  understanding.append(old, row);
  Object.assign(card, { old, line, pencil, tick });
}

function drawUnderstanding(part, card) {
  const { understanding, old, message, answer, isFolded, mayCorrect, isBusy, data } = card.now;
  const { line, pencil, tick } = card;
  part.hidden = Boolean(card.field) || !(understanding || old || (answer && !isBusy));
  card.old.hidden = !old;
  card.old.textContent = old;
  line.parentElement.hidden = isFolded;
  line.textContent = understanding || words.no_understanding;
  line.classList.toggle("new", Boolean(old || message));
  line.parentElement.classList.toggle("may-correct", mayCorrect);
  pencil.hidden = !mayCorrect;
  tick.hidden = !data.can?.confirm;
  tick.setAttribute("aria-pressed", String(Boolean(data.confirmed)));
}

// What there is to change; that it could not do anything is no understanding.
function sentenceOf({ now: { understanding, data } }) {
  return data.can?.examples ? "" : understanding;
}

function noticeOf({ turns: [{ data: first }], now: { turn, data, isFolded, isOpen, isAsBefore } }) {
  if (!turn) return first.state === "undone" ? words.undone : "";
  if (isFolded) return words.answered_again;
  if (!isOpen) return "";
  const asBefore = !data.followed && window.noted.models?.isSmall ? words.not_followed : words.followed_as_before;
  return data.error || words[data.notice] || (isAsBefore ? asBefore : "");
}

function drawPart(part, card, [data, isOpen, name]) {
  part.hidden = data === null;
  const act = (told) => {
    const items = [...part.querySelectorAll("li")];
    card.acted = { part, place: items.indexOf(document.activeElement.closest("li")) };
    answerAgain(card, "act", { part: name, told });
  };
  if (!part.hidden) cardParts[name](part, data, isOpen ? act : null);
}

// After something was done in a card, or answered in a new one, the focus is there, if what had it is gone.
function focusActed(card) {
  const { part, place } = card.acted ?? {};
  card.acted = null;
  if (![document.body, card.root].includes(document.activeElement)) return;
  const item = part?.querySelectorAll("li")[place];
  const control = [item, part].map((one) => one?.querySelector("button, summary")).find(Boolean);
  ((control && !part.hidden && control) || card.root).focus({ preventScroll: true });
}

// Where drawing a part anew takes away the control that was used, the one in its place has the focus.
function keepFocus(part, drawAnew) {
  const controls = () => Array.from(part.querySelectorAll("button, summary")).filter((one) => one.checkVisibility());
  const place = controls().indexOf(document.activeElement);
  drawAnew();
  if (place >= 0) (controls().slice(0, place + 1).at(-1) ?? part.closest("article")).focus({ preventScroll: true });
}

// Where the small model could not answer, or not use what was said, another one can be connected.
function offersModel({ isOpen, isAsBefore, data }) {
  const isBeyond = Boolean(data.can?.examples) || (isAsBefore && !data.followed);
  return isOpen && isBeyond && Boolean(window.noted.models?.isSmall && window.noted.models.mayConnect);
}

// One quiet line: what was noted, what was there before, and what else can be done.
function drawFoot(part, card) {
  const { data, isOpen, before, noted } = card.now;
  const focused = part.contains(document.activeElement) ? document.activeElement.dataset.act : "";
  part.replaceChildren();
  const add = (act, label, onClick) => {
    const button = makeButton("link", label, () => {
      say(""); // of what was done before
      onClick(button);
    });
    button.dataset.act = act;
    return part.appendChild(button);
  };
  const again = data.notice === "stopped" && data.answer ? words.go_on : words.try_again;
  if (isOpen && data.can.retry) add("retry", again, () => answerAgain(card, "retry"));
  if (noted) part.append(...notedLine(card, noted));
  if (isOpen && before && !card.now.isAsBefore) add("compare", words.compare, (button) => toggleComparison(card, button)).setAttribute("aria-expanded", "false");
  if (offersModel(card.now)) part.append(connectButton("link accent", words.start_connect, {}));
  if (isOpen && data.copy) add("copy", words.copy, (button) => copyText(data.copy, button).then(() => announce(words.copied)));
  if (isOpen && data.leads) add("memory", words.tab_memory, () => window.dispatchEvent(new CustomEvent("noted:tab", { detail: "memory" })));
  if (isOpen && data.can.examples && card === cards.at(-1)) part.append(exampleButtons(writtenIn(data.question)));
  part.hidden = !part.hasChildNodes();
  if (focused) part.querySelector(`[data-act="${focused}"]`)?.focus({ preventScroll: true });
}
