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
const DOUBLE_CLICK_MS = 500;
const STORED_AS = "noted-conversation"; // no secret: whose it is decides what it opens

const turns = new Map();
let cards = []; // as they stand
let conversation = "";
let run = null;
let sendWhenOpen = "";
let isLeaving = false;
let leaving = ""; // what was asked last of those that come in the place of this conversation
let isOutdated = false;
const acts = new Set(); // ids of what was done and is not answered yet
const reads = new Set(); // ids of what was asked since something was last done here: the answers to it are not older
let mayOffer = false;
let looksAgain = 0;
let sentAt = -Infinity; // when Send was pressed last

function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The conversation that this browser had open last.
function stored() {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    return null; // the browser keeps nothing
  }
}

function store(id) {
  try {
    localStorage.setItem(STORED_AS, id);
  } catch {
    // Then a new conversation is there the next time.
  }
}

// Sends what has nothing answered. Returns the id that the update then has.
function tell(event, data) {
  const id = newId();
  say(""); // of what was done before
  reads.clear();
  reads.add(id);
  acts.add(id);
  const lost = () => say(words.lost);
  trigger(event, { ...data, own: hasOwnModel(), conversation, run: id }).catch(lost).finally(() => actDone(id));
  return id;
}

// What was done counts for the messages that were sent after it.
function actDone(id) {
  if (acts.delete(id)) queueMicrotask(() => !run && !acts.size && goOn(true));
}

// Tells the rest of the page which conversation is open, and that something was said in it.
function tellTalk() {
  window.dispatchEvent(new CustomEvent("noted:talk", { detail: conversation }));
}

// Has the question of a card, or another `question`, answered in the place of its answer; `meant` is what was said of it.
function answerAgain(card, event, data = {}, origin = {}) {
  const { turn } = card.now;
  // It does not shrink on the way: the card stays where it is on the screen.
  card.root.style.minHeight = `${card.root.offsetHeight}px`;
  begin(event, { turn: turn.id, ...data }, { card, instead: turn, ...origin });
  showCard(card);
}

// Begins a run, unless one is going on. `origin` is what it takes to give the person's text back.
function begin(event, data, origin) {
  const refused = run ? words.still_answering : tooLong(origin.question ?? "", props.longest.question);
  say(refused);
  if (refused) return false;
  const begun = { id: newId(), last: null, ...origin, reading: new AbortController() };
  run = begun;
  reads.clear();
  showBusy();
  offerEditing();
  const lost = () => run === begun && loseServer();
  trigger(event, { ...data, own: hasOwnModel(), conversation, run: run.id }, run.reading.signal).then(lost, lost);
  return true;
}

function end(refused) {
  const { card, instead, question, meant, pending, last, isFollowed, isStopping } = run;
  run = null;
  pending?.remove();
  if (card) {
    showCard(card);
    if (!isFollowed) focusActed(card);
  }
  showBusy();
  showStart();
  if (note.textContent === words.still_answering) say("");
  if (isOutdated || (isStopping && !last)) refresh(); // it may have begun all the same
  if (!refused) tellTalk();
  if (pending) {
    announce(""); // the note says it
    giveBack(question);
  }
  if (!answerNoted()) goOn(!refused && !["stopped", "failed"].includes(last?.data.state));
  if (!refused || last) return;
  if (meant) return refuseMeaning(card, refused, meant);
  say(refused);
  if (instead && question) openEditing(card, question);
}

function stop() {
  if (!run || run.isStopping) return;
  run.isStopping = stopButton.disabled = true;
  trigger("stop", { run: run.id });
}

function lastTurn() {
  return Array.from(turns.values()).at(-1);
}

// What the server did not take goes back to the field, before what was written there since.
function giveBack(text) {
  field.value = [text, field.value].filter(Boolean).join("\n");
  showWritten();
  keep({ question: "", draft: field.value });
}

function loseServer() {
  for (const { id, data } of turns.values()) {
    const can = { retry: true, correct: Boolean(data.understanding) };
    if (data.state === "running") receiveTurn({ id, state: "failed", error: words.lost, can }, true);
  }
  end(words.lost);
}

// Brings the turns up to date, after memory was changed on its own page.
function refresh() {
  isOutdated = Boolean(run);
  if (run || !conversation) return;
  const id = newId();
  reads.add(id);
  trigger("refresh", { conversation, run: id });
}

// Another conversation comes in the place of this one. What is sent until then belongs to that one. An answer that is
// being written here is read no more, and goes on for a while.
function leaveFor(event, data) {
  isLeaving = true;
  const id = (leaving = newId());
  trigger(event, { ...data, run: id }).catch(() => leaving === id && stay());
}

// The other conversation could not be had.
function stay() {
  isLeaving = false;
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

// What is written: the field is as high as it, and there is something to send.
function showWritten() {
  growToFit(field);
  sendButton.setAttribute("aria-disabled", String(!field.value.trim()));
}

function send(text) {
  if (!text.trim()) return field.focus();
  if (!conversation || isLeaving) {
    sendWhenOpen = text;
    return;
  }
  if (run || acts.size) return letWait(text);
  const seen = cards.at(-1);
  if (!begin("ask", { text, seen: (seen?.now.turn ?? seen?.turns.at(-1))?.id ?? "" }, { question: text })) return;
  if (field.value === text) field.value = "";
  showWritten();
  keep({ question: text, draft: field.value });
  run.pending = make("article", "turn newest");
  run.pending.setAttribute("aria-busy", "true");
  const asked = make("div", "asked");
  asked.append(makeWritten("p", "question", text));
  run.pending.append(asked, make("p", "progress", words.sending));
  append(run.pending);
  announce(words.sending);
}

// A new turn goes to the top of the window, once; nothing follows the answer while it is being read.
function append(article) {
  turnsPart.querySelector(".newest")?.classList.remove("newest");
  for (const { root } of cards) root.style.minHeight = "";
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

function listen() {
  composer.addEventListener("submit", (event) => {
    event.preventDefault();
    sentAt = event.timeStamp;
    send(field.value);
    if (run) focusField(); // the button that was pressed is gone
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    send(field.value);
  });
  field.addEventListener("input", () => {
    showWritten();
    keep({ draft: field.value });
    if (!field.value) say("");
  });
  stopButton.addEventListener("click", (event) => {
    if (event.timeStamp - sentAt < DOUBLE_CLICK_MS) return; // the second click on Send, in whose place it came
    stop();
    field.focus({ preventScroll: true });
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
window.addEventListener("noted:ready", () => {
  const addressed = new URLSearchParams(window.location.search).get("c");
  leaveFor("begin", { conversation: addressed ?? stored(), addressed: addressed !== null });
});
