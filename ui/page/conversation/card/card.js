// One turn: the question, and the card with understanding, answer, memory and what can be done about it.
// A part is drawn again only when what it shows has changed, so that an open form or disclosure stays as it is.

// What draws further parts of a card, by name (`CardPart` in `ui/server/services.py`). Their scripts put it here.
const cardParts = {};

function newTurn(id, actions) {
  const root = make("article", "turn");
  root.tabIndex = -1;
  const parts = {
    asked: make("h2", "asked visually-hidden", words.you_asked),
    question: makeWritten("p", "question"),
    card: make("div", "card"),
    understanding: make("header", "understanding"),
    correction: make("div", "correction"),
    answer: make("div", "answer"),
    comparison: make("div", "comparison"),
    progress: make("p", "progress"),
    notice: make("p", "notice"),
    memory: make("div", "memory"),
    actions: make("div", "actions"),
    noted: make("p", "noted"),
  };
  parts.answer.dir = "auto";
  parts.comparison.hidden = true;
  parts.actions.setAttribute("role", "group");
  parts.actions.setAttribute("aria-label", words.actions);
  const { understanding, correction, answer, comparison, progress, notice, memory } = parts;
  const further = Object.keys(cardParts).map((name) => (parts[`part-${name}`] = make("div", `card-part part-${name}`)));
  parts.card.append(understanding, correction, answer, comparison, progress, notice, memory, ...further, parts.actions);
  root.append(parts.asked, parts.question, parts.card, parts.noted);
  return { id, root, parts, actions, data: { id }, drawn: {} };
}

function showTurn(turn, changes) {
  const data = Object.assign(turn.data, changes);
  const settled = data.state !== "running";
  const open = settled && !data.noted && !data.replaced && data.state !== "undone" && data.state !== "correction";
  turn.root.dataset.state = data.state;
  turn.root.setAttribute("aria-busy", String(!settled));
  turn.root.classList.toggle("past", Boolean(data.noted || data.replaced || data.state === "undone") && data.state !== "correction");
  // A message that put an earlier turn right has nothing in its card.
  turn.parts.card.hidden = data.state === "correction" || (data.state === "undone" && !data.understanding && !data.answer);
  turn.root.classList.toggle("message", turn.parts.card.hidden);

  draw(turn, "asked", data.again, (part) => (part.textContent = data.again ? words.asked_again : words.you_asked));
  draw(turn, "question", data.question, (part) => (part.textContent = data.question));
  draw(turn, "understanding", [data.understanding, settled], drawUnderstanding);
  draw(turn, "answer", data.answer, (part) => part.replaceChildren(safeMarkup(data.answer ?? "")));
  draw(turn, "progress", settled ? "" : words[data.phase] ?? "", drawLine);
  draw(turn, "notice", noticeOf(turn, open), drawLine);
  draw(turn, "memory", settled || data.memory ? [data.memory, open] : null, drawMemory);
  for (const name of Object.keys(cardParts)) draw(turn, `part-${name}`, [data.parts?.[name] ?? null, open, name], drawPart);
  draw(turn, "actions", open ? [data.can, data.confirmed, data.kept] : null, drawActions);
  draw(turn, "noted", [data.noted, data.state], drawNoted);
  if (!open) closeCorrection(turn);
}

function draw(turn, name, shown, drawShown) {
  const key = JSON.stringify(shown) ?? "";
  if (turn.drawn[name] === key) return;
  turn.drawn[name] = key;
  drawShown(turn.parts[name], turn, shown);
}

function drawLine(part, _turn, text) {
  part.hidden = !text;
  part.textContent = text;
}

function noticeOf(turn, open) {
  const { data } = turn;
  if (data.state === "undone") return words.undone;
  if (data.replaced && !data.noted) return data.edited ? words.question_edited : words.answered_again;
  if (data.state === "failed") return data.error;
  if (!open) return "";
  return data.error || words[data.notice] || (isAsBefore(turn) ? words.not_followed : "");
}

// Whether nothing came of what the person said.
function isAsBefore(turn) {
  const before = turn.data.put_right && turn.actions.before(turn);
  const said = ({ data }) => JSON.stringify([data.understanding, data.answer]);
  return Boolean(before) && said(before) === said(turn);
}

function drawUnderstanding(part, turn) {
  const { understanding, state, answer } = turn.data;
  part.hidden = !understanding && (state === "running" || !answer);
  part.replaceChildren();
  if (understanding) {
    part.append(make("span", "understood-label", `${words.understood} `), makeWritten("strong", "understood", understanding));
  } else {
    part.append(make("span", "understood-label", words.no_understanding));
  }
}

function drawMemory(part, turn, shown) {
  const wasOpen = part.querySelector("details")?.open ?? false;
  part.replaceChildren();
  part.hidden = !shown?.[0];
  if (part.hidden) return;
  const [memory, open] = shown;
  const details = make("details");
  details.open = wasOpen;
  const summary = make("summary");
  const line = make("span", "memory-line");
  const used = memory.used.length > 0;
  line.append(make("strong", used ? "memory-used" : "", used ? words.from_memory : words.not_from_memory));
  const short = make("span", "memory-short", used ? "" : whyNothing(memory));
  for (const entry of memory.used.filter((entry) => !entry.example)) {
    short.append(makeWritten("q", "", entry.text), " ");
    if (entry.shared) short.append(words.shared_short, " ");
  }
  const examples = memory.used.filter((entry) => entry.example).length;
  if (examples) short.append(examples === 1 ? words.example_once : filled(words.example_often, { count: examples }));
  line.append(" ", short);
  summary.append(line);
  details.append(summary);
  const passedOver = [memory.nearest, ...memory.offered].filter(Boolean);
  for (const entry of [...memory.used, ...passedOver]) details.append(entryBlock(turn, entry, open));
  if (used || passedOver.length) part.append(details);
  else part.append(line);
  for (const kept of memory.kept_back) part.append(keptBack(turn, kept, open));
}

function whyNothing(memory) {
  if (memory.left_by_person) return words.memory_left;
  if (memory.nearest?.use === "declined") return words.memory_declined;
  return memory.nearest ? words.memory_near : words.memory_empty;
}

function entryBlock(turn, entry, mayChange) {
  const block = make("blockquote", entry.left ? "entry left" : "entry");
  block.append(make("p", "entry-label", whoSaid(entry)));
  block.append(makeWritten("p", "entry-text", entry.text));
  const given = make("p", "entry-label", `${words.given_for} `);
  given.append(makeWritten("q", "entry-question", entry.question), entry.shared ? "" : ` · ${localTime(entry.when)}`);
  block.append(given);
  const why = make("p", "entry-why");
  // Why something was left out is a whole sentence.
  if (!entry.left) why.append(make("span", "entry-label", `${words.why} `));
  why.append(makeWritten("span", "", ["offered", "declined"].includes(entry.use) ? words.not_chosen : entry.reason));
  if (entry.why) why.append(makeWritten("em", "model-why", ` · ${entry.why}`));
  block.append(why);
  if (!mayChange || (entry.left && entry.example)) return block;
  const [label, act] = entry.left ? [words.use_it, turn.actions.use] : [words.leave_out, turn.actions.leaveOut];
  block.append(makeButton("button small", label, () => act(turn, entry.id)));
  return block;
}

function whoSaid(entry) {
  if (entry.seeded) return words.seed_said;
  if (entry.example) return !entry.shared ? words.you_confirmed : words.someone_confirmed;
  return entry.shared ? filled(words.someone_said, { when: localTime(entry.when) }) : words.you_said;
}

function drawPart(part, turn, [data, open, name]) {
  part.hidden = data === null;
  if (!part.hidden) cardParts[name](part, data, open ? (told) => turn.actions.act(turn, name, told) : null);
}

function drawActions(part, turn, shown) {
  const focused = part.contains(document.activeElement) ? document.activeElement.dataset.act : "";
  part.replaceChildren();
  part.hidden = !shown;
  if (!shown) return;
  const { can, confirmed } = turn.data;
  const add = (act, className, label, onClick) => {
    const button = makeButton(className, label, () => onClick(turn, button));
    button.dataset.act = act;
    part.append(button);
    if (act === focused) button.focus({ preventScroll: true });
  };
  if (can.retry) add("retry", "button accent", words.try_again, turn.actions.retry);
  if (can.correct) {
    add("correct", "button accent", words.no_i_meant, openCorrection);
    part.lastChild.setAttribute("aria-expanded", "false");
  }
  if (can.confirm && !confirmed) add("confirm", "button quiet", words.yes, turn.actions.confirm);
  if (confirmed) {
    const said = make("span", "confirmed", words.confirmed);
    if (focused === "confirm") said.tabIndex = -1;
    part.append(said);
    if (focused === "confirm") said.focus({ preventScroll: true });
    if (turn.data.kept) add("unconfirm", "button small", words.undo, () => turn.actions.undo(turn, turn.data.kept));
  }
  if (turn.actions.before(turn)) {
    add("compare", "button quiet", words.compare, toggleComparison);
    part.lastChild.setAttribute("aria-expanded", String(!turn.parts.comparison.hidden));
  }
  if (turn.data.copy) add("copy", "button quiet", words.copy, copyAnswer);
  if (can.examples) part.append(turn.actions.examples());
}

function drawNoted(part, turn) {
  const { noted, state } = turn.data;
  const focused = part.contains(document.activeElement) ? document.activeElement.dataset.reach : "";
  part.replaceChildren();
  if (state === "undone" && turn.parts.card.hidden) part.append(words.undone);
  part.hidden = !part.hasChildNodes() && (!noted || state === "undone");
  if (part.hidden || state === "undone") return;
  const isMessage = state === "correction";
  const [before, after = ""] = (isMessage ? words.message_noted : noted.text ? words.corrected : words.corrected_plain).split("{text}");
  part.append(before);
  if (!isMessage && noted.text) part.append(makeWritten("q", "", noted.text), after);
  if (noted.offered) part.append(` ${words.correction_offered}`);
  if (!noted.entry) return;
  part.append(" ", makeButton("button small", words.undo, () => turn.actions.undo(turn, noted.entry)), reachLine(turn, noted));
  for (const other of noted.others ?? []) part.append(otherMeaning(turn, other));
  if (focused) part.querySelector(`[data-reach=${focused}]`).focus({ preventScroll: true });
}

async function copyAnswer(turn, button) {
  await copyText(turn.data.copy, button);
  turn.actions.announce(words.copied);
}

// The form that asks what the person meant: under the understanding, one at most per card.

function openCorrection(turn, opener) {
  if (turn.form) return turn.form.field.focus();
  const form = make("form");
  const label = make("label", "", words.what_meant);
  const field = make("textarea");
  field.dir = "auto";
  field.rows = 2;
  field.id = label.htmlFor = `meant-${turn.id}`;
  const beginning = beginningFor(turn.data.question);
  field.value = turn.typed || beginning;
  const hint = make("p", "hint", `${words.correction_hint} `);
  hint.append(make("span", "keys", words.correction_keys));
  hint.id = `hint-${turn.id}`;
  field.setAttribute("aria-describedby", hint.id);
  const problem = make("p", "problem");
  problem.setAttribute("role", "alert");
  problem.hidden = true;
  const reaches = reachChoice(turn);
  const save = make("button", "button primary", words.save);
  save.type = "submit";
  const buttons = make("div", "buttons");
  buttons.append(save, makeButton("button", words.cancel, () => closeCorrection(turn, true)));
  form.append(label, field, hint, reaches, problem, buttons);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    saveCorrection(turn);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      saveCorrection(turn);
    } else if (event.key === "Escape") {
      event.preventDefault();
      closeCorrection(turn, true);
    }
  });
  field.addEventListener("input", () => {
    growToFit(field);
    turn.typed = field.value;
    keep({ correction: { turn: turn.id, text: field.value } });
  });
  turn.form = { field, problem, save, beginning, reaches };
  turn.parts.correction.replaceChildren(form);
  opener.setAttribute("aria-expanded", "true");
  growToFit(field);
  field.focus({ preventScroll: true });
  field.setSelectionRange(field.value.length, field.value.length);
  form.scrollIntoView({ block: "nearest", behavior: calmly() });
}

// What is said counts in all conversations of the person, in this one only, or, where they may, is offered to everyone.
function reachChoice(turn) {
  const group = make("div", "reaches");
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", words.correction_reach);
  for (const reach of ["all", "here", ...(turn.actions.mayOffer() ? ["offer"] : [])]) {
    const label = make("label");
    const box = make("input");
    box.type = "radio";
    box.name = `reach-${turn.id}`;
    box.value = reach;
    box.checked = reach === "all";
    label.append(box, words[`correction_${reach}`]);
    group.append(label);
  }
  return group;
}

function saveCorrection(turn) {
  const { field, beginning, save, reaches } = turn.form;
  if (save.disabled) return;
  if (!field.value.trim() || field.value.trim() === beginning.trim()) return refuseCorrection(turn, words.say_more);
  if (!turn.actions.clarify(turn, field.value, reaches.querySelector("input:checked").value)) return;
  save.disabled = true;
  save.textContent = words.saving;
  turn.form.problem.hidden = true;
}

function refuseCorrection(turn, sentence) {
  const { field, problem, save } = turn.form;
  problem.textContent = sentence;
  problem.hidden = false;
  save.disabled = false;
  save.textContent = words.save;
  field.focus({ preventScroll: true });
}

function closeCorrection(turn, giveFocusBack = false) {
  if (!turn.form) return;
  turn.parts.correction.replaceChildren();
  turn.form = null;
  keep({ correction: null });
  const opener = turn.parts.actions.querySelector("[data-act=correct]");
  opener?.setAttribute("aria-expanded", "false");
  if (giveFocusBack) opener?.focus({ preventScroll: true });
}

function beginningFor(question) {
  if (/[\u0a00-\u0a7f]/.test(question)) return words.beginning_gurmukhi;
  if (/[\u0900-\u097f]/.test(question)) return words.beginning_devanagari;
  return words.beginning;
}
