// What the server tells of the conversation: turns as far as they have come, or another conversation as a whole.

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
