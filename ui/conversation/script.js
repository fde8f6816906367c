// The conversation: takes updates from the server, sends what the person does. One run at a time: a question, a
// correction or another try, from its first word until the server says that it is done.

const find = (selector) => element.querySelector(selector);
const startPart = find(".start");
const turnsPart = find(".turns");
const announcer = find(".announcer");
const composer = find(".composer");
const field = find(".composer-field");
const note = find(".composer-note");
const sendButton = find(".send");
const stopButton = find(".stop");

const turns = new Map();
let conversation = "";
let run = null;
let sendWhenOpen = "";
let stopLeaving = null;
let isOutdated = false;
let mayOffer = false;

const actions = {
  announce,
  clarify: (turn, text, reach) =>
    begin("clarify", { turn: turn.id, text, here: reach === "here" }, { turn, text, offer: reach === "offer" }),
  retry: (turn) => begin("retry", { turn: turn.id }, { turn }),
  leaveOut: (turn, entry) => begin("react", { turn: turn.id, reaction: "leave out", entry }, { turn }),
  use: (turn, entry) => begin("react", { turn: turn.id, reaction: "use", entry }, { turn }),
  before: (turn) => (turn.data.edits ? null : turns.get(turn.data.replaces)),
  mayOffer: () => mayOffer,
  confirm: (turn) => trigger("react", { turn: turn.id, reaction: "confirm", conversation, run: newId() }),
  undo: (turn, entry) => trigger("undo", { entry, conversation, run: newId() }),
};

function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Begins a run, unless one is going on. `origin` is what it takes to give the person's text back.
function begin(event, data, origin) {
  const limit = origin.turn ? props.longest.clarification : props.longest.question;
  const refused = run ? words.still_answering : tooLong(origin.text ?? "", limit);
  if (refused) {
    if (origin.turn?.form) refuseCorrection(origin.turn, refused);
    else say(refused);
    return false;
  }
  run = { id: newId(), ...origin, appeared: false, stopWatching: watchServer(loseServer) };
  say("");
  showBusy();
  offerEditing();
  trigger(event, { ...data, conversation, run: run.id });
  return true;
}

function end(refused) {
  const { turn, text, pending, appeared, edited, offers, stopWatching } = run;
  const isWell = !refused && !["stopped", "failed"].includes(lastTurn()?.data.state);
  stopWatching();
  run = null;
  pending?.remove();
  showBusy();
  showStart();
  if (note.textContent === words.still_answering) say("");
  if (isOutdated) refresh();
  if (!refused) window.dispatchEvent(new CustomEvent("noted:talk", { detail: conversation }));
  if (edited && editing) editing.go.disabled = false;
  if (pending) giveBack(text);
  // Not before: what is said of the offer would be lost among the updates of the answer.
  if (offers) trigger("offer", { entry: offers, conversation, run: newId() });
  goOn(isWell);
  if (!refused) return;
  if (turn?.form) return refuseCorrection(turn, refused);
  if (!appeared) say(refused);
}

function lastTurn() {
  return Array.from(turns.values()).at(-1);
}

// What the server did not take goes back to the field, before what was written there since.
function giveBack(text) {
  field.value = [text, field.value].filter(Boolean).join("\n");
  growToFit(field);
  keep({ question: "", draft: field.value });
}

function loseServer() {
  const can = { retry: true };
  for (const turn of turns.values()) {
    if (turn.data.state === "running") receiveTurn({ id: turn.id, state: "failed", error: words.lost, can }, true);
  }
  end(words.lost);
}

// Brings the turns up to date, after memory was changed on its own page.
function refresh() {
  isOutdated = Boolean(run);
  if (!run && conversation) trigger("refresh", { conversation, run: newId() });
}

// Another conversation comes in the place of this one. What is sent until then belongs to that one.
function leaveFor(event, data) {
  stopLeaving?.();
  stopLeaving = watchServer(stay);
  if (run) trigger("stop", { run: run.id });
  trigger(event, { ...data, run: newId() });
}

// The other conversation could not be had.
function stay() {
  stopLeaving();
  stopLeaving = null;
  sendWhenOpen = "";
  say(words.lost);
}

function say(sentence) {
  note.textContent = sentence;
  note.hidden = !sentence;
}

function announce(sentence) {
  announcer.textContent = sentence;
}

function showBusy() {
  sendButton.hidden = Boolean(run);
  stopButton.hidden = !run;
  stopButton.disabled = false;
}

function send(text) {
  if (!text.trim()) return field.focus();
  if (!conversation || stopLeaving) {
    sendWhenOpen = text;
    return;
  }
  if (run) return letWait(text);
  if (!begin("ask", { text, seen: lastTurn()?.id ?? "" }, { text })) return;
  if (field.value === text) field.value = "";
  growToFit(field);
  keep({ question: text, draft: field.value });
  run.pending = make("article", "turn newest");
  run.pending.setAttribute("aria-busy", "true");
  const card = make("div", "card");
  card.append(make("p", "progress", words.sending));
  run.pending.append(makeWritten("p", "question", text), card);
  append(run.pending);
  announce(words.sending);
}

// A new turn goes to the top of the window, once; nothing follows the answer while it is being read.
function append(article) {
  turnsPart.querySelector(".newest")?.classList.remove("newest");
  article.classList.add("newest");
  turnsPart.append(article);
  startPart.hidden = true;
  if (turnsPart.childElementCount > 1 || isLow()) article.scrollIntoView({ block: "start", behavior: calmly() });
}

// In a low window (a phone on its side, a page made larger) even the first turn needs all the room there is.
function isLow() {
  return window.matchMedia("(max-height: 35rem)").matches;
}

function receive(told) {
  if (!told) return;
  // While an answer is being written, updates come as text.
  const update = typeof told === "string" ? JSON.parse(told) : told;
  if (update.reset) reset(update);
  else if (update.conversation && update.conversation !== conversation) return;
  // A turn that is being answered is newer here.
  if (update.refresh && run) {
    isOutdated = true;
    return;
  }
  if (update.refresh && !update.refused) leaveOnly(new Set(update.turns.map((turn) => turn.id)));
  const mine = run && update.run === run.id;
  for (const data of update.turns ?? []) receiveTurn(data, mine);
  showStart();
  if (update.done && mine) end(update.refused);
  else if (update.refused) say(update.refused);
  offerEditing();
}

// Turns that were forgotten go from the page, too.
function leaveOnly(ids) {
  for (const [id, turn] of turns) {
    if (ids.has(id)) continue;
    turn.root.remove();
    turns.delete(id);
    announce(""); // what was read aloud last may be about it
  }
  showStart();
}

function receiveTurn(data, mine) {
  let turn = turns.get(data.id);
  const isNew = !turn;
  if (isNew) {
    if (!data.state) return;
    turn = newTurn(data.id, actions);
    turns.set(data.id, turn);
  }
  const before = { ...turn.data };
  showTurn(turn, withPlace(data));
  if (mine && run.offer && data.noted?.entry) run.offers = data.noted.entry;
  // An older clarification that this one replaces can no longer be undone.
  for (const other of data.noted?.supersedes ? turns.values() : []) {
    if (other.data.noted?.entry === data.noted.supersedes) showTurn(other, { noted: { ...other.data.noted, entry: "" } });
  }
  if (isNew) place(turn, mine);
  announceChange(turn, before);
  // Undo brings the corrected card back to life; the button that was pressed is gone.
  if (before.noted && !turn.data.noted) turn.parts.actions.querySelector("button")?.focus({ preventScroll: true });
}

// Where a turn stands in the place of another, whose question may have been another one.
function withPlace(data) {
  const earlier = turns.get(data.replaces);
  if (!earlier || !data.question || earlier.data.question === data.question) return data;
  if (!earlier.data.edited) showTurn(earlier, { edited: true });
  return { ...data, edits: true };
}

function place(turn, mine) {
  if (!mine) return turnsPart.append(turn.root);
  run.appeared = true;
  if (run.edited) closeEditing();
  if (run.pending) {
    keep({ question: "" });
    turn.root.classList.add("newest");
    run.pending.replaceWith(turn.root);
    run.pending = null;
    return;
  }
  append(turn.root);
  // The form or button that had the focus is gone.
  if (run.turn || run.edited) turn.root.focus({ preventScroll: true });
}

function announceChange(turn, before) {
  const { state, phase, noted, error } = turn.data;
  if (state === "running" && phase !== before.phase && words[phase]) announce(words[phase]);
  if (before.state !== "running" || state === "running") return;
  if (state === "correction" || noted) announce(words.message_noted);
  else if (state === "failed") announce(error);
  else if (state === "stopped") announce(words.stopped);
  else announce(readAloud(turn.parts));
}

// What a card says, but for what is folded away.
function readAloud({ understanding, answer, notice, memory }) {
  const shown = [understanding, answer, notice, memory.querySelector(".memory-line")];
  return shown.map((part) => part?.textContent ?? "").join(" ");
}

function reset(update) {
  // A page that has just been loaded takes the focus from nothing that a person has gone to meanwhile.
  const takesFocus = Boolean(stopLeaving) || document.activeElement === document.body;
  conversation = update.conversation;
  stopLeaving?.();
  stopLeaving = null;
  mayOffer = Boolean(update.may_offer);
  closeEditing();
  turns.clear();
  turnsPart.replaceChildren();
  run?.stopWatching();
  run = null;
  showBusy();
  for (const data of update.turns) receiveTurn(data, false);
  showStart();
  if (field.value === sendWhenOpen) field.value = "";
  takeAllBack();
  if (update.turns.length) turnsPart.lastElementChild.scrollIntoView({ block: "end" });
  window.dispatchEvent(new CustomEvent("noted:talk", { detail: conversation }));
  restore(takesFocus);
  if (sendWhenOpen) send(sendWhenOpen);
  sendWhenOpen = "";
}

// Puts back what was typed before the page was loaded again, and the focus where one goes on writing.
function restore(takesFocus) {
  const { draft = "", question = "", correction, waiting: left = [] } = kept();
  if (!field.value) field.value = draft;
  for (const text of left.toReversed()) giveBack(text);
  keep({ waiting: [] });
  if (question && question.trim() !== lastTurn()?.data.question) giveBack(question);
  else keep({ question: "" });
  growToFit(field);
  const turn = turns.get(correction?.turn);
  const opener = turn?.parts.actions.querySelector("[data-act=correct]");
  if (opener) {
    turn.typed = correction.text;
    openCorrection(turn, opener);
  } else if (takesFocus) focusField();
}

// On a touch screen the keyboard would cover half of the page.
function focusField() {
  if (window.matchMedia("(hover: hover) and (pointer: fine)").matches) field.focus({ preventScroll: true });
}

function showStart() {
  startPart.hidden = turnsPart.childElementCount > 0 || !conversation;
}

// The field stands at the bottom of the window, however tall the head of the page is.
function fillWindow() {
  if (!element.offsetParent) return;
  const above = Math.round(element.getBoundingClientRect().top + window.scrollY);
  find(".conversation").style.minHeight = `calc(100dvh - ${above}px)`;
}

function buildStart() {
  const questions = props.examples[language] ?? [];
  const examples = make("div", "examples");
  examples.setAttribute("role", "group");
  examples.setAttribute("aria-label", words.start_examples);
  for (const question of questions) {
    examples.append(makeButton("example", question, () => {
      send(question);
      focusField();
    }));
    examples.lastChild.dir = "auto";
  }
  startPart.append(make("h2", "start-title", words.start_title), make("p", "start-line", words.start_line));
  if (questions.length) startPart.append(make("p", "hint", words.start_examples), examples);
}

function listen() {
  composer.addEventListener("submit", (event) => {
    event.preventDefault();
    send(field.value);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send(field.value);
  });
  field.addEventListener("input", () => {
    growToFit(field);
    keep({ draft: field.value });
    if (!field.value) say("");
  });
  stopButton.addEventListener("click", () => {
    if (!run) return;
    stopButton.disabled = true;
    trigger("stop", { run: run.id });
    field.focus({ preventScroll: true });
  });
  // Gradio could not run an event: the server is away, or too busy.
  window.addEventListener("noted:lost", () => {
    if (stopLeaving) stay();
    if (run) loseServer();
  });
  window.addEventListener("noted:memory", refresh);
  window.addEventListener("noted:fresh", () => leaveFor("fresh"));
  window.addEventListener("noted:open", ({ detail }) => detail !== conversation && leaveFor("open", { conversation: detail }));
  const resized = new ResizeObserver(fillWindow);
  for (const part of [document.body, ...document.querySelectorAll("#banner, #own-model")]) resized.observe(part);
  watch("value", () => receive(props.value));
}

field.placeholder = words.message_hint;
field.setAttribute("aria-label", words.message);
turnsPart.setAttribute("aria-label", words.conversation);
sendButton.textContent = words.send;
stopButton.textContent = words.stop;
buildStart();
listen();
receive(props.value);
setTimeout(window.noted.goBack);
