// For which questions what was noted counts, and what becomes of a note that was left out: each changed with one click.

function reachLine(turn, noted) {
  const line = make("span", "noted-reach");
  line.setAttribute("role", "group");
  line.setAttribute("aria-label", words.reach_label);
  line.append(make("span", "hint", words.reach_label));
  for (const reach of ["way", "question", "conversation"]) {
    const button = makeButton("button small", reachName(noted, reach), () => {
      if (noted.reach !== reach) turn.actions.reach(turn, reach);
    });
    button.dataset.reach = reach;
    button.setAttribute("aria-pressed", String(noted.reach === reach));
    line.append(button);
  }
  if (noted.title) line.append(makeWritten("span", "hint", filled(words.reach_title, { title: noted.title })));
  return line;
}

// What the person said otherwise of the same question, and whether it counts beside this.
function otherMeaning(turn, other) {
  const line = make("span", "noted-reach");
  const [before, after = ""] = filled(words.said_otherwise, { when: localTime(other.when) }).split("{text}");
  line.append(before, makeWritten("q", "", other.text), after);
  const place = (label, instead) =>
    line.append(makeButton("button small", label, () => turn.actions.place(turn, other.id, instead)));
  if (other.counts) place(words.count_instead, true);
  else place(words.count_beside, false);
  return line;
}

// What was left out of this answer, or is kept from being used where it would be.
function keptBack(turn, kept, open) {
  const line = make("p", "kept-back");
  line.append(makeWritten("q", "", kept.text), " ", words[`kept_back_${kept.far}`], " ");
  if (!open) return line;
  const add = (label, reaction) => line.append(makeButton("button small", label, () => turn.actions.limit(turn, kept.id, reaction)));
  if (kept.far === "left") {
    add(words.not_like_this, "not for questions like this");
    add(words.not_at_all, "not at all");
  } else {
    add(words.resume, "resume");
  }
  return line;
}
