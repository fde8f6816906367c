// What was noted in a card: for which questions it counts, how it is taken back, what was said otherwise; and the answer
// beside the one whose place it took.

function notedLine(card, { id, data: { noted, state } }) {
  if (!noted || state === "undone") return [];
  const told = noted.said ? [makeWritten("q", "", noted.said)] : [];
  const line = [make("strong", "noted", noted.said ? words.fact_noted : words.message_noted), ...told];
  if (!noted.entry) return line;
  const undo = makeButton("link", words.undo, () => tell("undo", { entry: noted.entry }));
  undo.dataset.act = "undo";
  return noted.asserts ? [...line, undo] : [...line, undo, reachChip(id, noted)];
}

function reachChip(turn, noted) {
  const chip = make("select", "chip reach");
  chip.dataset.act = "reach";
  chip.setAttribute("aria-label", words.reach_label);
  if (noted.title) chip.title = filled(words.reach_title, { title: noted.title });
  const add = (value, label) => {
    const option = make("option", "", label);
    option.value = value;
    chip.append(option);
  };
  // While it is offered, that is changed in Memory: another choice here would not show.
  for (const reach of noted.offered ? [] : ["way", "question", "conversation"]) add(reach, words[`reach_${reach}`]);
  const canOffer = mayOffer && noted.reach !== "conversation"; // what counts here alone is for nobody else
  if (canOffer || noted.offered) add("offer", noted.offered ? words.correction_offered : words.correction_offer);
  chip.value = noted.offered ? "offer" : noted.reach;
  const asked = { question: words.offer_sure, label: words.offer_yes, keep: words.cancel, look: "primary" };
  const offer = () => askBeside(chip, asked, () => tell("offer", { turn }));
  onChosen(chip, (chosen) => (chosen === "offer" ? offer() : tell("reach", { turn, reach: chosen })));
  return chip;
}

let placed = {}; // which of the others was chosen, until the server has said what became of it

// What the person said otherwise of the same question, and whether it counts beside this. The control that was used is
// gone then: the one in its place has the focus, if that went nowhere else.
function drawOthers(part, card, others) {
  const turn = card.now.noted?.id;
  const isFocusFree = part.contains(document.activeElement) || [document.body, card.root].includes(document.activeElement);
  let chosen = null;
  part.replaceChildren(...others.map((other) => {
    const line = make("p", "hint");
    const label = other.counts ? words.count_instead : words.count_beside;
    const button = makeButton("link", label, () => {
      placed = { ...other, run: tell("place", { turn, other: other.id, instead: other.counts }) };
    });
    if (placed.id === other.id && placed.counts !== other.counts) chosen = button;
    line.append(...saidOtherwise(other), " ", button);
    return line;
  }));
  if (isFocusFree) chosen?.focus({ preventScroll: true });
}

function toggleComparison(card, button) {
  const { comparison } = card.parts;
  comparison.hidden = !comparison.hidden;
  button.setAttribute("aria-expanded", String(!comparison.hidden));
  const { before, data } = card.now;
  comparison.replaceChildren(comparedSide(words.compare_before, before.data), comparedSide(words.compare_now, data));
  if (!comparison.hidden) comparison.scrollIntoView({ block: "nearest", behavior: calmly() });
}

function closeComparison(part) {
  part.hidden = true;
  part.replaceChildren();
}

function comparedSide(label, { question, understanding, answer }) {
  const side = make("section", "compared");
  const answered = make("div", "answer");
  answered.dir = "auto";
  answered.append(safeMarkup(answer ?? ""));
  const said = makeWritten("p", "hint", understanding || words.no_understanding);
  side.append(make("h3", "hint", label), makeWritten("p", "visually-hidden", question), said, answered);
  return side;
}
