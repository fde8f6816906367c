// What an answer rests on, in one line; what was looked at and not used, behind a small mark; and what is kept back.

function drawMemory(part, card, [memory, isOpen]) {
  const wasOpen = new Set(Array.from(part.querySelectorAll("details[open]"), (details) => details.className));
  part.replaceChildren();
  part.hidden = !memory;
  if (!memory) return;
  const fold = (name, summary, entries) => {
    const details = make("details", name);
    details.open = wasOpen.has(name);
    details.append(summary, ...entries.map((entry) => entryBlock(card, entry, isOpen)));
    part.append(details);
  };
  if (memory.used.length) fold("rests", restsLine(memory.used), memory.used);
  for (const kept of memory.kept_back) part.append(keptBack(card, kept, isOpen));
  const { looked } = memory;
  const count = localNumber(looked.length);
  const label = looked.length === 1 ? words.looked_at_one : filled(words.looked_at_many, { count });
  if (looked.length) fold("looked", make("summary", "", label), looked);
}

function restsLine(used) {
  const summary = make("summary");
  const isOwn = used.some((entry) => !entry.shared);
  const own = used.every((entry) => entry.learnt) ? words.from_lessons : words.from_memory;
  summary.append(make("strong", "", isOwn ? own : words.from_everyone));
  for (const entry of used) summary.append(" · ", lesson({ ...entry, sentence: entry.sentence && inItsWords(entry) }));
  return summary;
}

// Of what a model learnt, whoever says so stands beside it.
function inItsWords(entry) {
  return entry.learnt ? entry.text : saying(entry);
}

function entryBlock(card, entry, mayChange) {
  const block = make("blockquote", "entry");
  const said = make("p", "", `${whoSaid(entry)} `);
  said.append(makeWritten("q", "entry-text", inItsWords(entry)), entry.shared ? " " : ` · ${localTime(entry.when)}, `);
  said.append(`${words.given_for} `, makeWritten("q", "entry-question", entry.question));
  const why = make("p", "entry-why");
  why.append(makeWritten("span", "", ["offered", "declined"].includes(entry.use) ? words.not_chosen : entry.reason));
  if (entry.why) why.append(makeWritten("em", "model-why", ` · ${entry.why}`));
  block.append(said);
  if (entry.without) {
    const without = make("p", "", `${words.without_it} `);
    without.append(makeWritten("em", "entry-text", entry.without));
    block.append(without);
  }
  block.append(why);
  if (!mayChange || (entry.left && entry.example)) return block;
  block.append(againButton(card, entry, ...(entry.left ? [words.use_it, "use"] : [words.leave_out, "exclude"])));
  return block;
}

// Has the question answered again with an entry, or without it.
function againButton(card, { id }, label, reaction) {
  return makeButton("link", label, () => answerAgain(card, "react", { reaction, entry: id }));
}

function whoSaid(entry) {
  if (entry.seeded) return words.seed_said;
  if (entry.learnt) return words.lesson_learnt;
  if (entry.example) return !entry.shared ? words.you_confirmed : words.someone_confirmed;
  return entry.shared ? filled(words.someone_said, { when: localTime(entry.when) }) : words.you_said;
}

// What was left out of this answer, or is kept from being used where it would be.
function keptBack(card, kept, isOpen) {
  const line = make("p", "kept-back hint");
  line.append(makeWritten("q", "", kept.text), " ", words[`kept_back_${kept.far}`], " ");
  if (card.reacted === kept.id) announce(line.textContent);
  if (!isOpen) return line;
  const { turn } = card.now;
  const add = (label, reaction) => {
    const react = () => {
      card.reacted = kept.id;
      tell("react", { turn: turn.id, reaction, entry: kept.id });
    };
    line.append(makeButton("link", label, react), " ");
  };
  if (kept.far === "left") {
    line.append(againButton(card, kept, words.use_it, "use"), " ");
    add(words.not_like_this, "except");
    add(words.not_at_all, "pause");
  } else {
    add(words.resume, "resume");
  }
  return line;
}
