// What each scorer says of something, as a list with a small bar for each; none where none says anything.
function scoreBars(scores) {
  const list = make("ul", "scores");
  for (const { by, score } of scores) {
    const line = make("li", "score");
    const full = make("span", "score-full");
    const room = make("span", "score-room");
    full.style.width = `${100 * score}%`;
    room.append(full);
    room.setAttribute("role", "img");
    room.setAttribute("aria-label", localPercent(score));
    line.append(make("span", "hint", words[by]), room);
    list.append(line);
  }
  return scores.length ? [list] : [];
}
