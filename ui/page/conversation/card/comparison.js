// An answer beside the one whose place it took: what was understood and answered before, and now.

function toggleComparison(turn, button) {
  const part = turn.parts.comparison;
  part.hidden = !part.hidden;
  button.setAttribute("aria-expanded", String(!part.hidden));
  part.replaceChildren();
  if (part.hidden) return;
  const before = turn.actions.before(turn);
  part.append(comparedSide(words.compare_before, before.data), comparedSide(words.compare_now, turn.data));
  part.scrollIntoView({ block: "nearest", behavior: calmly() });
}

function comparedSide(label, { understanding, answer }) {
  const side = make("section", "compared");
  side.append(make("h3", "compared-label", label));
  side.append(makeWritten("p", "compared-understood", understanding || words.no_understanding));
  const answered = make("div", "answer");
  answered.dir = "auto";
  answered.append(safeMarkup(answer ?? ""));
  side.append(answered);
  return side;
}
