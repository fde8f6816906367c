// The conversation: sends what the person does. One run at a time: a question, a correction or another try, from its
// first word until the server says that it is done.

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
    begin("clarify", { turn: turn.id, text, reach: reach === "here" ? "conversation" : "" }, { turn, text, offer: reach === "offer" }),
  retry: (turn) => begin("retry", { turn: turn.id }, { turn }),
  leaveOut: (turn, entry) => begin("react", { turn: turn.id, reaction: "leave out", entry }, { turn }),
  use: (turn, entry) => begin("react", { turn: turn.id, reaction: "use", entry }, { turn }),
  act: (turn, part, told) => begin("act", { turn: turn.id, part, told }, { turn }),
  before: (turn) => (turn.data.edits ? null : turns.get(turn.data.replaces)),
  mayOffer: () => mayOffer,
  examples: exampleButtons,
  confirm: (turn) => trigger("react", { turn: turn.id, reaction: "confirm", conversation, run: newId() }),
  limit: (turn, entry, reaction) => trigger("react", { turn: turn.id, reaction, entry, conversation, run: newId() }),
  reach: (turn, reach) => trigger("reach", { turn: turn.id, reach, conversation, run: newId() }),
  place: (turn, other, instead) => trigger("place", { turn: turn.id, other, instead, conversation, run: newId() }),
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

// On a touch screen the keyboard would cover half of the page.
function focusField() {
  if (window.matchMedia("(hover: hover) and (pointer: fine)").matches) field.focus({ preventScroll: true });
}

function showStart() {
  startPart.hidden = turnsPart.childElementCount > 0 || !conversation;
}

// Questions to click.
function exampleButtons() {
  const examples = make("div", "examples");
  examples.setAttribute("role", "group");
  examples.setAttribute("aria-label", words.start_examples);
  for (const question of props.examples[language] ?? []) {
    examples.append(makeButton("example", question, () => {
      send(question);
      focusField();
    }));
    examples.lastChild.dir = "auto";
  }
  return examples;
}

function buildStart() {
  const examples = exampleButtons();
  startPart.append(make("h2", "start-title", words.start_title), make("p", "start-line", words.start_line));
  if (examples.hasChildNodes()) startPart.append(make("p", "hint", words.start_examples), examples);
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
