// What the server tells of the conversation: turns as far as they have come, or another conversation as a whole.

function receive(told) {
  if (!told) return;
  const update = told;
  if (update.reset && update.run !== leaving) return;
  if (update.reset) reset(update);
  else if (update.conversation && update.conversation !== conversation) return;
  // A turn that is being answered is newer here, and so is what was done since it was read.
  if (update.refresh && (run || !reads.delete(update.run))) {
    if (update.refused) say(update.refused);
    return refresh();
  }
  // What was asked for while something was done may have been read before that.
  if (update.done && !update.refresh) reads.clear();
  if (update.refresh) leaveOnly(new Set(update.turns.map((turn) => turn.id)));
  const mine = run && update.run === run.id;
  for (const data of update.turns ?? []) receiveTurn(data, mine);
  if (update.refresh) putInOrder(update.turns);
  // A page that was left in the middle of an answer: what there was of it is written down within seconds.
  if (update.turns?.some((turn) => turn.left) && looksAgain-- > 0) setTimeout(refresh, 1000);
  showStart();
  if (update.run === placed.run) placed = {};
  // A run of which nothing was told has been stopped before it began.
  if (update.done && mine) end(update.refused || (update.turns?.length ? "" : words.stopped));
  else if (update.refused && !refuseNote(update)) say(update.refused);
  offerEditing();
}

// Turns that were forgotten go from the page, too.
function leaveOnly(ids) {
  const gone = Array.from(turns.values()).filter((turn) => !ids.has(turn.id));
  for (const turn of gone) turns.delete(turn.id);
  if (gone.length) announce(""); // what was read aloud last may be about it
  for (const card of new Set(gone.map((turn) => turn.card))) {
    card.turns = card.turns.filter((turn) => turns.has(turn.id));
    if (!card.turns.length) card.root.remove();
    else showCard(card);
  }
  cards = cards.filter((card) => card.turns.length);
  showStart();
}

// What was answered in another tab comes after what was answered here since, and is older.
function putInOrder(told) {
  const ordered = told.map(({ id }) => turns.get(id));
  turns.clear();
  for (const turn of ordered) turns.set(turn.id, turn);
  cards = [...new Set(ordered.map((turn) => turn.card))];
  cards.forEach((card, place) => {
    card.turns = ordered.filter((turn) => turn.card === card);
    const there = turnsPart.children[place];
    if (there !== card.root) there.before(card.root); // what stands right stays, with the focus
    showCard(card);
  });
}

function receiveTurn(data, mine) {
  let turn = turns.get(data.id);
  if (!turn) {
    if (!data.state) return;
    turn = { id: data.id, data: {}, card: cardFor(data, mine) };
    turns.set(data.id, turn);
    turn.card.turns.push(turn);
    const answered = turns.get(data.replaces)?.card;
    if (answered && answered !== turn.card) answered.below = turn;
    if (mine) Object.assign(run, { last: turn, card: turn.card });
    if (mine && run.meant) turn.card.typed = "";
    if (mine && turns.size === 1) tellTalk(); // a conversation is listed, and has an address, from its first word on
  }
  const before = { ...turn.data };
  Object.assign(turn.data, data);
  if (turn.card.next && turn.data.noted?.text === turn.card.next && !before.noted) announce(words.message_noted);
  if (before.noted && !turn.data.noted && turn.card.next) forgetNext(turn.card);
  showCard(turn.card);
  for (const card of cards) if (card.below === turn) showCard(card);
  // An older clarification that this one replaces can no longer be undone.
  for (const other of data.noted?.supersedes ? turns.values() : []) {
    if (other === turn || other.data.noted?.entry !== data.noted.supersedes) continue;
    other.data.noted = { ...other.data.noted, entry: "" };
    showCard(other.card);
  }
  announceChange(turn, before, mine);
  const isTakenBack = (before.noted && !turn.data.noted) || (before.state && before.state !== "undone" && turn.data.state === "undone");
  if (isTakenBack && !mine) announce(`${words.undone} ${readAloud(turn.card)}`);
  // Undo brings the corrected answer back; the button that was pressed is gone.
  if (before.noted && !turn.data.noted) turn.card.line.focus({ preventScroll: true });
}

// A turn that answers a question again stands in the card of that; but below the message by which the person said so.
function cardFor({ replaces }, mine) {
  const earlier = turns.get(replaces)?.card;
  const last = lastTurn();
  if (!earlier || (last.card !== earlier && last.card.turns[0] === last && isMessage(last))) {
    const card = earlier ? last.card : newCard();
    if (!earlier) place(card, mine);
    return card;
  }
  return earlier;
}

function place(card, mine) {
  const earlier = cards.at(-1);
  cards.push(card);
  if (earlier?.now) showCard(earlier); // what it proposes to ask stands under the newest only
  if (!mine) return turnsPart.append(card.root);
  if (!run.pending) return append(card.root);
  keep({ question: "" });
  card.root.classList.add("newest");
  run.pending.replaceWith(card.root);
  run.pending = null;
}

function announceChange({ card, data: { state, phase, error } }, before, mine) {
  if (state === "running" && phase !== before.phase && words[phase]) announce(words[phase]);
  // What is answered at once may come finished: updates that follow quickly come as one.
  const wasRunning = before.state === "running" || (mine && !before.state);
  if (!wasRunning || state === "running") return;
  if (state === "correction") announce(words.message_noted);
  else if (state === "failed") announce(error);
  else if (state === "stopped") announce(words.stopped);
  else announce(readAloud(card));
}

// What a card says, but for what is folded away; where it was put right, what was understood before and now.
function readAloud({ parts: { answer, notice, memory }, now: { old, understanding, noted } }) {
  const before = old && `${words.compare_before}: ${old} ${words.compare_now}:`;
  const rests = memory.querySelector(".rests > summary");
  const shown = [noted && words.message_noted, before, understanding, ...[answer, notice, rests].map((part) => part?.textContent)];
  return shown.filter(Boolean).join(" ");
}

function reset(update) {
  // A page that has just been loaded takes the focus from nothing that a person has gone to meanwhile.
  const takesFocus = Boolean(conversation) || document.activeElement === document.body;
  conversation = update.conversation;
  isLeaving = false;
  store(conversation);
  mayOffer = Boolean(update.may_offer);
  looksAgain = 5;
  announce(""); // it was about the other one
  closeEditing();
  turns.clear();
  cards = [];
  turnsPart.replaceChildren();
  run?.reading.abort(); // its answer goes on for a while without a reader
  run = null;
  showBusy();
  for (const data of update.turns) receiveTurn(data, false);
  showStart();
  if (field.value === sendWhenOpen) field.value = "";
  takeAllBack();
  if (update.turns.length) turnsPart.lastElementChild.scrollIntoView({ block: "end" });
  tellTalk();
  if (update.following) follow(update.following);
  restore(takesFocus);
  if (sendWhenOpen) send(sendWhenOpen);
  sendWhenOpen = "";
}

// An answer that was begun before the page was loaded, or on another, goes on here.
function follow(id) {
  const last = Array.from(turns.values()).findLast((turn) => turn.data.state === "running");
  keep({ question: "" });
  begin("follow", {}, { id, last, card: last?.card, isFollowed: true });
}

// Puts back what was typed before the page was loaded again, and the focus where one goes on writing.
function restore(takesFocus) {
  const { draft = "", question = "", correction, waiting: left = [] } = kept();
  if (!field.value) field.value = draft;
  for (const text of left.toReversed()) giveBack(text);
  keep({ waiting: [] });
  if (question && question.trim() !== lastTurn()?.data.question) giveBack(question);
  else keep({ question: "" });
  showWritten();
  const card = turns.get(correction?.turn)?.card;
  if (card?.now.mayCorrect) {
    card.typed = correction.isSaved ? "" : correction.text;
    card.next = correction.isSaved ? correction.text : "";
    showCard(card);
    if (!card.next) openMeaning(card, "");
    else if (!run) answerNoted();
  } else if (takesFocus) focusField();
}
